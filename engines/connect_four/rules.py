"""What a player may do and what it does."""

import numpy as np

from engines.kernel import kernel
from engines.records import OVER

from .tables import Ending

ONE = np.uint64(1)


@kernel
def legal_actions(states, out):
    """R2 A disc may go into any column that is not full."""
    state = states[0]
    if state.to_act == OVER:
        return 0
    rows = int(state.rules.rows)
    n = 0
    for column in range(int(state.rules.columns)):
        if state.height[column] < rows:
            out[n] = column
            n += 1
    return n


@kernel
def apply(states, action, rng):
    """R3 The disc falls to the lowest free space of its column; then the other player moves."""
    state = states[0]
    player = int(state.to_act)
    row = int(state.height[action])
    rows = int(state.rules.rows)
    state.discs[player] |= ONE << np.uint64(action * (rows + 1) + row)
    state.height[action] = row + 1
    state.dropped += 1
    if makes_line(state.discs[player], rows, int(state.rules.connect)):
        state.ending = Ending.LINE
        state.to_act = OVER
    elif state.dropped == rows * int(state.rules.columns):
        state.ending = Ending.FULL_BOARD
        state.to_act = OVER
    else:
        state.to_act = 1 - player


@kernel
def makes_line(discs, rows, connect):
    """R4 `connect` discs of one player in a row, upright, level or diagonal, win."""
    return (
        has_run(discs, 1, connect)
        or has_run(discs, rows + 1, connect)
        or has_run(discs, rows, connect)
        or has_run(discs, rows + 2, connect)
    )


@kernel
def has_run(discs, step, connect):
    """Whether some `connect` discs lie `step` bits apart; the empty bit above each column stops runs there."""
    runs = discs  # bit b: a run of `length` starts at b
    length = 1
    while length < connect:
        more = min(length, connect - length)
        runs &= runs >> np.uint64(more * step)
        length += more
    return runs != 0
