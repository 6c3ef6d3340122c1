"""What the players know: everything. A game with hidden parts blanks them in `observe`."""

from engines.kernel import kernel
from engines.keys import NOTHING, mix
from engines.piles import EVERYBODY
from engines.records import NOBODY


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
    return mix(mix(NOTHING, state.discs[0]), state.discs[1])
