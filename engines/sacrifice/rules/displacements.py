"""Which displacements a character has: steps and runs here, jumps and flights beside, as ascending actions.

A displacement onto a friend is listed if there is a point left to separate; whether the two can be separated is
asked in rules/sharing.py. Cells of the own elevation zone are never a target (R8): comparing cell numbers shows it.

Where what comes out is as good as random, an action is written whether it is legal or not and the list grows by the
bit that says so: cheaper than branches that a processor cannot foresee.
"""

import numpy as np

from engines.kernel import kernel

from ..actions import CARRY, ENTER, MOVE, MOVES, RUN, STEP
from ..tables import (
    DEAD,
    FIRST_CHEETAH,
    FIRST_FALCON,
    FIRST_HUMAN,
    NONE,
    OFFSET,
    ON_A_CELL,
    SLOT_CARRIES,
    SLOTS,
    Gait,
)
from .board import (
    is_elevated,
    may_enter,
    minerals_on,
    own_minerals,
    owner_of,
)
from .flights import list_flights
from .jumps import list_jumps
from .minerals import may_heap

EVERYBODY = (1 << SLOTS) - 1  # the characters of a player as the board numbers them, shifted


@kernel
def codes_of(player):
    """The codes of a player's characters on the board, a bit each."""
    return EVERYBODY << (1 + player * SLOTS)


@kernel
def closed_codes(state, player):
    """The codes of the characters onto whose cells a player's walkers cannot go with the points left."""
    closed = 0
    if state.points < 2:  # R10 none left to separate
        closed |= codes_of(player)
    if state.points < 1 + state.rules.kill_cost:
        closed |= codes_of(1 - player)
    return closed


@kernel
def list_steps(state, player, slot, cell, closed, out, n):
    """R9, R14, R20, R31, R34 Steps and attacks to the four neighbours, then the same with a mineral."""
    first = MOVE + slot * MOVES
    exits = np.int64(state.exits[cell])
    if slot >= FIRST_FALCON:
        exits >>= 4  # walls do not stop a falcon
        closed |= codes_of(player)
    ways = open_sides(state, player, cell, exits, closed)
    for direction in range(4):
        out[n] = first + STEP + direction
        n += ways >> direction & 1
    if SLOT_CARRIES[slot] != 0 and own_minerals(state, player, cell) > 0:
        n = list_carries(state, player, cell, first, ways, out, n)
    return n


@kernel
def open_sides(state, player, cell, exits, closed):
    """Those of the exits of a cell, a bit each, where no character and no elevation zone stops a step."""
    ways = exits & 0b1111
    if closed != 0:  # never with two points and the usual price of a kill
        for direction in range(4):
            if exits >> direction & 1:
                there = int(state.board[cell + OFFSET[direction]])
                ways ^= (closed >> there & 1) << direction
    forward = 2 * player  # South enters northwards, North southwards
    ahead = cell + OFFSET[forward]
    if is_elevated(state, player, ahead) and not may_enter(state, player, ahead):
        ways &= ~(1 << forward)
    if is_elevated(state, 1 - player, cell - OFFSET[forward]):
        ways &= ~(1 << (2 - forward))
    return ways


@kernel
def list_carries(state, player, cell, first, ways, out, n):
    """R31, R32, R35 The steps that may take a mineral along: onto a cell with room for it, and into the zone."""
    entry = -1
    for direction in range(4):
        if ways >> direction & 1:
            target = cell + OFFSET[direction]
            if is_elevated(state, player, target):
                entry = target
            elif minerals_on(state, target) < ON_A_CELL or may_heap(state, player, cell, target):
                out[n] = first + CARRY + direction
                n += 1
    return n if entry < 0 else list_entries(state, player, first, entry, out, n)


@kernel
def list_entries(state, player, first, entry, out, n):
    """R35 Entering with a mineral: it is laid on a free cell of the zone beside the cell of entry."""
    exits = int(state.exits[entry]) >> 4
    for direction in range(4):
        if exits >> direction & 1:
            laid = entry + OFFSET[direction]
            if may_enter(state, player, laid):
                out[n] = first + ENTER + direction
                n += 1
    return n


@kernel
def list_onward(state, player, out, n):
    """R32 The steps that carry a mineral off the cell with three; an attack is none, as it could be cancelled."""
    cell = int(state.heap)
    slot = int(state.board[cell]) - 1 - player * SLOTS
    closed = closed_codes(state, player) | codes_of(1 - player)
    ways = open_sides(state, player, cell, np.int64(state.exits[cell]), closed)
    return list_carries(state, player, cell, MOVE + slot * MOVES, ways, out, n)


@kernel
def list_cheetah(state, player, slot, cell, closed, out, n):
    """R12, R13 A cheetah steps unless it has run, and runs, always on one axis, unless it has stepped."""
    gait = int(state.gait[slot - FIRST_CHEETAH])
    if gait == Gait.FRESH or gait == Gait.WALK:
        n = list_steps(state, player, slot, cell, closed, out, n)
    if gait == Gait.WALK or state.rules.run_length == 1:
        return n
    for direction in range(4):
        across = direction % 2 == 1
        if (gait == Gait.RUN_NORTH_SOUTH and across) or (gait == Gait.RUN_EAST_WEST and not across):
            continue
        target = run_target(state, player, cell, direction)
        if target >= 0 and may_stop(state, player, target, closed):
            if not is_elevated(state, player, target - OFFSET[direction]):
                out[n] = MOVE + slot * MOVES + RUN + direction
                n += 1
    return n


@kernel
def run_target(state, player, cell, direction):
    """R12 The cell where a run ends, or -1 if a wall, the rim or an enemy stops it before; zones are not asked."""
    length = int(state.rules.run_length)
    for place in range(length):
        if not int(state.exits[cell]) >> direction & 1:
            return -1
        cell += OFFSET[direction]
        if place < length - 1:
            there = int(state.board[cell])
            if there != 0 and owner_of(there) != player:
                return -1
    return cell


@kernel
def may_stop(state, player, cell, closed):
    """Whether neither a character nor an elevation zone keeps a run from ending on a cell."""
    if is_elevated(state, player, cell):
        return may_enter(state, player, cell)
    if is_elevated(state, 1 - player, cell):
        return False
    return closed >> int(state.board[cell]) & 1 == 0


@kernel
def list_displacements(state, player, only, out, n):
    """R7, R11 Every displacement of a player's characters, or of those on one cell, ascending."""
    if state.points < 1:
        return n
    closed = closed_codes(state, player)
    for slot in range(SLOTS):
        cell = int(state.cell[player, slot])
        if cell == DEAD or (only != NONE and cell != only) or is_elevated(state, player, cell):
            continue
        if slot < FIRST_HUMAN:
            n = list_jumps(state, player, slot, cell, out, n)
        elif FIRST_CHEETAH <= slot < FIRST_FALCON:
            n = list_cheetah(state, player, slot, cell, closed, out, n)
        else:
            n = list_steps(state, player, slot, cell, closed, out, n)
    for slot in range(FIRST_FALCON, SLOTS):
        cell = int(state.cell[player, slot])
        if cell != DEAD and (only == NONE or cell == only):
            if not is_elevated(state, player, cell):
                n = list_flights(state, player, slot, cell, out, n)
    return n
