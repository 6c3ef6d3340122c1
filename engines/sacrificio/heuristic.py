"""How good a position looks."""

import math

import numpy as np

from engines.kernel import kernel
from engines.sacrificio.scoring import points


@kernel
def evaluate(states, player):
    """The estimated win share of a player's side, 0..1."""
    state = states[0]
    scored = np.zeros(4, np.int32)
    points(states, scored)
    own = 0.0
    total = 0.0
    for other in range(int(state.players)):
        odds = math.exp(0.2 * float(scored[other]))
        total += odds
        if state.team[other] == state.team[player]:
            own += odds
    return own / total
