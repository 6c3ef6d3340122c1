"""What the players know: everything. A game with hidden parts blanks them in `observe`."""

import numpy as np

from engines.kernel import kernel
from engines.piles import EVERYBODY
from engines.records import NOBODY

FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xC2B2AE3D27D4EB4F)
SHIFT = np.uint64(29)


@kernel
def observe(states, player, views):
    """A view shows the whole board."""
    views[0] = states[0]
    views[0].viewer = player


@kernel
def determinize(views, rng, states):
    """Nothing is hidden: the only position the viewer holds for possible is the true one."""
    states[0] = views[0]
    states[0].viewer = NOBODY


@kernel
def witnesses(states, action):
    """Everybody sees every action."""
    return EVERYBODY


@kernel
def key(states):
    """Equal for equal boards; whose move it is follows from the number of discs."""
    state = states[0]
    mixed = state.discs[0] * FIRST
    mixed = (mixed ^ (mixed >> SHIFT)) + state.discs[1] * SECOND
    return (mixed ^ (mixed >> SHIFT)) * FIRST
