"""How good a position looks."""

import math

from engines.kernel import kernel
from engines.nakum.scoring import score_of


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1."""
    state = states[0]
    own = 0.0
    total = 0.0
    for other in range(int(state.players)):
        odds = math.exp(0.2 * float(score_of(state, other)))
        total += odds
        if other == player:
            own += odds
    return own / total
