"""How good a position looks."""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER
from engines.weights import Weight

from .rules import ONE, makes_line
from .scoring import last_mover
from .tables import Ending

WINNING_SPACE: Weight = 1.0
CENTRE_DISC: Weight = 0.15


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1: spaces that would complete a line, and discs in the centre."""
    state = states[0]
    if state.to_act == OVER:
        if state.ending != Ending.LINE:
            return 0.5
        return 1.0 if last_mover(state) == player else 0.0
    lead = strength(state, player) - strength(state, 1 - player)
    return 1.0 / (1.0 + math.exp(-lead))


@kernel
def strength(state, player):
    """What a player's discs promise; a winning space counts more if the next disc can take it."""
    rows = int(state.rules.rows)
    columns = int(state.rules.columns)
    connect = int(state.rules.connect)
    found = 0.0
    for column in range(columns):
        height = int(state.height[column])
        for row in range(height, rows):
            space = ONE << np.uint64(column * (rows + 1) + row)
            if makes_line(state.discs[player] | space, rows, connect):
                at_once = row == height and state.to_act == player
                found += 6.0 * WINNING_SPACE if at_once else WINNING_SPACE
        central = min(column, columns - 1 - column)
        for row in range(height):
            if state.discs[player] & (ONE << np.uint64(column * (rows + 1) + row)):
                found += CENTRE_DISC * central
    return found
