"""Which displacements a character has: steps, runs, flights and jumps, as ascending actions.

A displacement onto a friend is listed if there is a point left to separate; whether the two can be separated is
asked in rules/sharing.py. Cells of the own elevation zone are never a target (R8): comparing cell numbers shows it.
"""

import numpy as np

from engines.kernel import kernel
from engines.sacrifice.actions import CARRY, ENTER, FLY, JUMP, MOVE, MOVES, RUN, STEP
from engines.sacrifice.rules.board import (
    is_elevated,
    minerals_on,
    own_minerals,
    owner_of,
)
from engines.sacrifice.tables import (
    CELLS,
    DEAD,
    FIRST_CHEETAH,
    FIRST_FALCON,
    HYPER_X,
    HYPER_Y,
    MOST_WIDTH,
    NONE,
    OFFSET,
    SLOT_CARRIES,
    SLOT_KIND,
    SLOTS,
    Gait,
    Kind,
)

FREE, FRIEND, ENEMY, ENTRY, CLOSED = range(5)  # what a character finds on a cell it goes for


@kernel
def find_target(state, player, cell):
    """What a cell is to a character that arrives there with the points that are left."""
    there = int(state.board[cell])
    if is_elevated(state, player, cell):
        return ENTRY if there == 0 and state.load[cell] == 0 else CLOSED
    if is_elevated(state, 1 - player, cell):
        return CLOSED
    if there == 0:
        return FREE
    if owner_of(there) == player:
        return FRIEND if state.points >= 2 else CLOSED
    return ENEMY if state.points >= 1 + state.rules.kill_cost else CLOSED


@kernel
def list_moves(state, player, slot, out, n):
    """Every displacement of a character but flights."""
    cell = int(state.cell[player, slot])
    if cell == DEAD or state.points < 1 or is_elevated(state, player, cell):
        return n
    kind = int(SLOT_KIND[slot])
    if kind <= Kind.IMMORTAL:
        return list_jumps(state, player, slot, cell, out, n)
    if kind == Kind.CHEETAH:
        return list_cheetah(state, player, slot, cell, out, n)
    return list_steps(state, player, slot, cell, out, n)


@kernel
def list_steps(state, player, slot, cell, out, n):
    """R9, R14, R20, R31, R34 Steps and attacks to the four neighbours, then the same with a mineral."""
    first = MOVE + slot * MOVES
    flies = slot >= FIRST_FALCON
    exits = int(state.exits[cell])
    if flies:
        exits >>= 4  # walls do not stop a falcon
    loaded = SLOT_CARRIES[slot] != 0 and own_minerals(state, player, cell) > 0
    carried = 0
    entry = -1
    for direction in range(4):
        if exits >> direction & 1:
            target = cell + OFFSET[direction]
            found = find_target(state, player, target)
            if found != CLOSED and not (flies and found == FRIEND):
                out[n] = first + STEP + direction
                n += 1
                if found == ENTRY:
                    entry = target
                elif loaded and minerals_on(state, target) < 2:
                    carried |= 1 << direction
    for direction in range(4):
        if carried >> direction & 1:
            out[n] = first + CARRY + direction
            n += 1
    if loaded and entry >= 0:
        n = list_entries(state, player, first, entry, out, n)
    return n


@kernel
def list_entries(state, player, first, entry, out, n):
    """R35 Entering with a mineral: it is laid on a free cell of the zone beside the cell of entry."""
    exits = int(state.exits[entry]) >> 4
    for direction in range(4):
        if exits >> direction & 1:
            laid = entry + OFFSET[direction]
            if (
                is_elevated(state, player, laid)
                and state.board[laid] == 0
                and state.load[laid] == 0
            ):
                out[n] = first + ENTER + direction
                n += 1
    return n


@kernel
def list_cheetah(state, player, slot, cell, out, n):
    """R12, R13 A cheetah steps unless it has run, and runs, always on one axis, unless it has stepped."""
    gait = int(state.gait[slot - FIRST_CHEETAH])
    if gait == Gait.FRESH or gait == Gait.WALK:
        n = list_steps(state, player, slot, cell, out, n)
    if gait == Gait.WALK or state.rules.run_length == 1:
        return n
    for direction in range(4):
        across = direction % 2 == 1
        if (gait == Gait.RUN_NORTH_SOUTH and across) or (gait == Gait.RUN_EAST_WEST and not across):
            continue
        target = run_target(state, player, cell, direction)
        if target >= 0 and find_target(state, player, target) != CLOSED:
            out[n] = MOVE + slot * MOVES + RUN + direction
            n += 1
    return n


@kernel
def run_target(state, player, cell, direction):
    """R12 The cell where a run ends, or -1 if a wall, the rim, an enemy or a zone stops it before."""
    length = int(state.rules.run_length)
    for place in range(length):
        if not int(state.exits[cell]) >> direction & 1:
            return -1
        cell += OFFSET[direction]
        if place < length - 1:
            there = int(state.board[cell])
            if there != 0 and owner_of(there) != player:
                return -1
            if is_elevated(state, player, cell) or is_elevated(state, 1 - player, cell):
                return -1
    return cell


# --- gods -------------------------------------------------------------------------------------------------


@kernel
def list_jumps(state, player, slot, cell, out, n):
    """R17 The cells of the neighbouring hyper-cells that a god can reach, once a turn."""
    if state.jumped >> slot & 1:
        return n
    x = cell % MOST_WIDTH // 2
    y = cell // MOST_WIDTH // 2
    across = int(state.rules.width) // 2
    lowest = int(state.rules.elevation) // 2
    highest = int(state.rules.height) // 2 - lowest
    for way in range(8 if state.rules.god_diagonal else 4):
        to_x = x + HYPER_X[way]
        to_y = y + HYPER_Y[way]
        if 0 <= to_x < across and lowest <= to_y < highest:  # R19 never in an elevation zone
            first = MOVE + slot * MOVES + JUMP + 4 * way
            n = list_landings(state, player, cell, x, y, to_x, to_y, first, out, n)
    return n


@kernel
def list_landings(state, player, cell, x, y, to_x, to_y, first, out, n):
    """R18 The cells of one hyper-cell that a god reaches and where no friend stands."""
    corner = 2 * min(y, to_y) * MOST_WIDTH + 2 * min(x, to_x)  # south-western cell of the area
    wide = 2 + 2 * abs(to_x - x)
    tall = 2 + 2 * abs(to_y - y)
    base = 2 * to_y * MOST_WIDTH + 2 * to_x
    reached = -1
    if not area_is_clear(state, player, corner, wide, tall):
        reached = flood_area(state, player, corner, wide, tall, cell)
    for quarter in range(4):
        target = base + (quarter >> 1) * MOST_WIDTH + (quarter & 1)
        if reached >> place_in_area(target - corner) & 1:
            found = find_target(state, player, target)
            if found in (FREE, ENEMY):
                out[n] = first + quarter
                n += 1
    return n


@kernel
def place_in_area(distance):
    """The bit of a cell of an area of up to 4 x 4 cells, from its distance to the south-western one."""
    return distance // MOST_WIDTH * 4 + distance % MOST_WIDTH


@kernel
def area_is_clear(state, player, corner, wide, tall):
    """Whether no enemy and no wall is in an area of cells."""
    low = 1 + (1 - player) * SLOTS
    for y in range(tall):
        cell = corner + y * MOST_WIDTH
        for x in range(wide):
            there = int(state.board[cell])
            if low <= there < low + SLOTS:
                return False
            needed = (2 if x + 1 < wide else 0) | (1 if y + 1 < tall else 0)
            if int(state.exits[cell]) & needed != needed:
                return False
            cell += 1
    return True


@kernel
def flood_area(state, player, corner, wide, tall, cell):
    """R18 The cells of an area, a bit each, that can be reached inside it: walls stop, and so do enemies passed."""
    reached = 1 << place_in_area(cell - corner)
    passed = 0  # cells from which all neighbours have been reached
    while reached != passed:
        for place in range(4 * tall):
            if reached >> place & 1 and not passed >> place & 1:
                passed |= 1 << place
                here = corner + place // 4 * MOST_WIDTH + place % 4
                there = int(state.board[here])
                if there == 0 or owner_of(there) == player:
                    reached |= neighbours_in_area(int(state.exits[here]), place, wide, tall)
    return reached


@kernel
def neighbours_in_area(exits, place, wide, tall):
    """The cells of an area beside one of its cells and open to it."""
    found = 0
    if exits & 1 and place // 4 + 1 < tall:
        found |= 1 << (place + 4)
    if exits & 2 and place % 4 + 1 < wide:
        found |= 1 << (place + 1)
    if exits & 4 and place >= 4:
        found |= 1 << (place - 4)
    if exits & 8 and place % 4 > 0:
        found |= 1 << (place - 1)
    return found


# --- falcons ----------------------------------------------------------------------------------------------


@kernel
def list_flights(state, player, slot, out, n):
    """R15 The cells where a falcon comes down after passing over characters, ascending."""
    cell = int(state.cell[player, slot])
    if cell == DEAD or state.points < 1 or is_elevated(state, player, cell):
        return n
    exits = int(state.exits[cell]) >> 4
    near = 0
    for direction in range(4):
        if exits >> direction & 1:
            near |= int(state.board[cell + OFFSET[direction]])
    if near == 0:
        return n
    price = np.zeros(CELLS, np.int8)
    first, last = fly_over(state, player, cell, price)
    base = FLY + (slot - FIRST_FALCON) * CELLS
    for target in range(first, last + 1):
        if 0 < price[target] <= state.points:
            out[n] = base + target
            n += 1
    return n


@kernel
def fly_over(state, player, cell, price):
    """R15, R16 Write what a flight from a cell to each landing cell costs, 0 elsewhere; the range of cells.

    Characters are passed one after the other, the nearest first; frozen ones are not passed.
    """
    queue = np.empty(2 * SLOTS, np.int64)
    mounts = np.zeros(2 * SLOTS + 1, np.int64)  # characters passed up to each in the queue
    seen = np.int64(0)  # a bit for each character
    queue[0] = cell
    count = 1
    first = CELLS
    last = -1
    number = 0
    while number < count:
        here = queue[number]
        exits = int(state.exits[here]) >> 4
        for direction in range(4):
            if not exits >> direction & 1:
                continue
            target = here + OFFSET[direction]
            there = int(state.board[target])
            if there == 0:
                if number > 0 and price[target] == 0 and may_land(state, player, cell, target):
                    price[target] = mounts[number] if state.rules.pay_per_mount else 1
                    first = min(first, target)
                    last = max(last, target)
            elif target != cell and not seen >> there & 1:
                seen |= np.int64(1) << there
                if not is_elevated(state, owner_of(there), target):
                    queue[count] = target
                    mounts[count] = mounts[number] + 1
                    count += 1
        number += 1
    return first, last


@kernel
def may_land(state, player, cell, target):
    """R15 Whether a flight may end on a cell without a character; the neighbours are left to steps."""
    exits = int(state.exits[cell]) >> 4
    for direction in range(4):
        if exits >> direction & 1 and target == cell + OFFSET[direction]:
            return False
    if is_elevated(state, player, target):
        return state.load[target] == 0
    return not is_elevated(state, 1 - player, target)


@kernel
def flight_price(state, player, slot, target):
    """R16 The points that a flight costs."""
    if not state.rules.pay_per_mount:
        return 1
    price = np.zeros(CELLS, np.int8)
    fly_over(state, player, int(state.cell[player, slot]), price)
    return int(price[target])


# --- all of them ------------------------------------------------------------------------------------------


@kernel
def list_displacements(state, player, only, out, n):
    """R7, R11 Every displacement of a player's characters, or of those on one cell, ascending."""
    for slot in range(SLOTS):
        if only == NONE or state.cell[player, slot] == only:
            n = list_moves(state, player, slot, out, n)
    for slot in range(FIRST_FALCON, SLOTS):
        if only == NONE or state.cell[player, slot] == only:
            n = list_flights(state, player, slot, out, n)
    return n
