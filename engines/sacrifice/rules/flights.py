"""R15, R16 The flights of falcons: over characters that stand side by side, down beside the last of them."""

import numpy as np

from engines.kernel import kernel

from ..actions import FLY
from ..tables import (
    CELLS,
    FIRST_FALCON,
    MOST_HEIGHT,
    MOST_LEGAL,
    MOST_WIDTH,
    OFFSET,
    PASSING_ROOM,
    SLOTS,
)
from .board import is_elevated

ANY_NUMBER = 2 * SLOTS  # of characters passed


@kernel
def list_flights(state, player, slot, cell, out, n):
    """R15 The cells where a falcon comes down after passing over characters, ascending."""
    if not stands_beside_somebody(state, cell):
        return n
    passed = out[MOST_LEGAL - PASSING_ROOM :]  # memory of its own would cost as much as a flight
    most = int(state.points) if state.rules.pay_per_mount else ANY_NUMBER
    bottom, top = pass_over(state, cell, most, passed)
    base = FLY + (slot - FIRST_FALCON) * CELLS
    for row in range(max(bottom - 1, 0), min(top + 2, int(state.rules.height))):
        landings = find_landings(state, player, cell, row, passed)
        target = base + row * MOST_WIDTH
        while landings != 0:
            out[n] = target
            n += landings & 1
            landings >>= 1
            target += 1
    return n


@kernel
def stands_beside_somebody(state, cell):
    """Whether there is a character on one of the four neighbours."""
    exits = int(state.exits[cell]) >> 4
    near = 0
    for direction in range(4):
        if exits >> direction & 1:
            near |= int(state.board[cell + OFFSET[direction]])
    return near != 0


@kernel
def pass_over(state, cell, most, passed):
    """Write to `passed` the characters that a flight passes, by rows, `most` of them at most: the first and last row.

    Behind the rows stand the cells of those passed, in the order of passing. Walls do not matter, elevated characters
    are not passed: nobody in a zone is anything else.
    """
    passed[:MOST_HEIGHT] = 0
    number = MOST_HEIGHT  # in the queue
    passed[number] = cell
    count = number + 1
    bottom = MOST_HEIGHT
    top = -1
    passed[cell // MOST_WIDTH] |= 1 << (cell % MOST_WIDTH)  # not passed, but never to be
    lowest = int(state.rules.elevation)
    highest = int(state.rules.height) - lowest
    for _ in range(most):
        level = count  # the characters found so far are equally far or nearer
        while number < level:
            here = int(passed[number])
            number += 1
            for direction in range(4):
                target = here + OFFSET[direction]
                row = target // MOST_WIDTH
                column = 1 << (target % MOST_WIDTH)
                near = int(state.exits[here]) >> (4 + direction) & 1 != 0
                if near and state.board[target] != 0 and lowest <= row < highest:
                    if passed[row] & column == 0:
                        passed[row] |= column
                        passed[count] = target
                        count += 1
                        bottom = min(bottom, row)
                        top = max(top, row)
        if number == count:
            break
    passed[cell // MOST_WIDTH] &= ~(1 << (cell % MOST_WIDTH))
    return bottom, top


@kernel
def find_landings(state, player, cell, row, passed):
    """R15 The columns of a row where a flight may end: beside somebody passed, but not beside its own start."""
    width = int(state.rules.width)
    landings = int(passed[row]) << 1 | int(passed[row]) >> 1
    if row > 0:
        landings |= int(passed[row - 1])
    if row + 1 < MOST_HEIGHT:
        landings |= int(passed[row + 1])
    landings &= ((1 << width) - 1) & ~(int(state.men[0, row]) | int(state.men[1, row]))
    column = 1 << (cell % MOST_WIDTH)
    away = abs(row - cell // MOST_WIDTH)
    if away == 0:
        landings &= ~(column << 1 | column >> 1)
    elif away == 1:
        landings &= ~column
    first = row * MOST_WIDTH
    if is_elevated(state, 1 - player, first):
        return 0
    if landings != 0 and is_elevated(state, player, first):
        for x in range(width):
            if state.load[first + x] != 0:
                landings &= ~(1 << x)
    return landings


@kernel
def flight_price(state, player, slot, target):
    """R16 The points that a flight costs: one, or by option one for each character passed on the shortest way."""
    if not state.rules.pay_per_mount:
        return 1
    cell = int(state.cell[player, slot])
    price = 1
    while price < state.points and not is_reached(state, player, cell, target, price):
        price += 1
    return price


@kernel
def is_reached(state, player, cell, target, most):
    """Whether a flight over so many characters may end on a cell."""
    passed = np.empty(PASSING_ROOM, np.int32)
    pass_over(state, cell, most, passed)
    row = target // MOST_WIDTH
    return find_landings(state, player, cell, row, passed) >> (target % MOST_WIDTH) & 1 != 0
