"""R17-R19 The jumps of gods, worked out in a window of 6 x 6 cells round the god's hyper-cell, a bit for each cell.

The bit of a cell is 6 * row + column, counted from the window's south-western corner; the god stands on one of the four
cells in the middle. Gods keep out of the elevation zones, which are two rows deep at least, so the window may go
over the board's edge to the sides, but not above or below.
"""

import numpy as np

from engines.kernel import kernel

from ..actions import JUMP, MOVE, MOVES
from ..tables import HYPER_X, HYPER_Y, MOST_WIDTH

SIX = 0b111111  # a row of the window
HYPER_CELL = 0b11000011  # the four cells of a hyper-cell, from its south-western one
PLACE = 14 + 12 * HYPER_Y + 2 * HYPER_X  # the south-western cell of each neighbouring hyper-cell
PLACE_ACROSS = (
    14 + 2 * HYPER_X
)  # of the one to the side, of the one above or below: a way round to a corner
PLACE_ALONG = 14 + 12 * HYPER_Y
# R18 The cells that a path to each neighbouring hyper-cell may use: both hyper-cells, to a corner four.
AREA = (HYPER_CELL << 14) | (HYPER_CELL << PLACE) | (HYPER_CELL << PLACE_ACROSS)
AREA = np.ascontiguousarray(AREA | (HYPER_CELL << PLACE_ALONG))


@kernel
def list_jumps(state, player, slot, cell, out, n):
    """R17 The cells of the neighbouring hyper-cells that a god can reach, once a turn."""
    if state.jumped >> slot & 1:
        return n
    row = cell // MOST_WIDTH
    column = cell - row * MOST_WIDTH
    x = column >> 1
    y = row >> 1
    start = 1 << (14 + 6 * (row & 1) + (column & 1))
    friends = 0
    enemies = 0
    north = 0  # cells open to the north, to the east
    east = 0
    for line in range(6):
        level = 2 * y - 2 + line
        friends |= in_window(int(state.men[player, level]), x, line)
        enemies |= in_window(int(state.men[1 - player, level]), x, line)
        north |= in_window(int(state.open_north[level]), x, line)
        east |= in_window(int(state.open_east[level]), x, line)
    taken = friends
    if state.points < 1 + state.rules.kill_cost:
        taken |= enemies
    across = int(state.rules.width) // 2
    lowest = int(state.rules.elevation) // 2
    highest = int(state.rules.height) // 2 - lowest
    for way in range(8 if state.rules.god_diagonal else 4):
        if 0 <= x + HYPER_X[way] < across and lowest <= y + HYPER_Y[way] < highest:  # R19
            area = int(AREA[way])
            landings = flood(start, enemies, north & area, east & area, area, 7 if way < 4 else 15)
            landings = (landings & ~taken) >> PLACE[way]
            first = MOVE + slot * MOVES + JUMP + 4 * way
            for quarter in range(4):
                out[n] = first + quarter
                n += landings >> (6 * (quarter >> 1) + (quarter & 1)) & 1
    return n


@kernel
def in_window(columns, x, line):
    """A row of the board as a line of the window round the x-th hyper-cell."""
    return (columns << 2 >> 2 * x & SIX) << (6 * line)


@kernel
def flood(start, enemies, north, east, area, most):
    """R18 The cells of an area that can be reached inside it: walls stop, and so do enemies passed.

    `most` steps are enough, whatever stands there: cheaper than to look after each whether it has found anything.
    """
    reached = start
    for _ in range(most):
        passed = reached & ~enemies
        beside = (passed & north) << 6 | (passed >> 6) & north
        beside |= (passed & east) << 1 | (passed >> 1) & east
        reached |= beside & area
    return reached
