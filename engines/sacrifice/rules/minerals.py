"""R32 A third mineral on a cell: only carried there, and only if one of the three can be carried on in the same turn.

With six minerals on the board such a way leads over one more full cell at most.
"""

from engines.kernel import kernel

from ..tables import NONE, OFFSET, ON_A_CELL
from .board import is_elevated, may_enter, minerals_on, owner_of


@kernel
def may_heap(state, player, origin, cell):
    """R32 Whether a carrier may bring a third mineral from a cell onto another, where nobody stands."""
    if not state.rules.heaps or state.points < 2 or state.board[cell] != 0:
        return False
    return can_carry_on(state, player, origin, cell, int(state.points) - 1)


@kernel
def can_carry_on(state, player, origin, cell, points):
    """R32 Whether a carrier on a cell with three minerals, come from `origin` (or NONE), can take one off again."""
    beyond = NONE
    exits = int(state.exits[cell])
    for direction in range(4):
        if exits >> direction & 1:
            target = cell + OFFSET[direction]
            if has_room(state, player, origin, target, points):
                return True
            full = minerals_on(state, target) == ON_A_CELL and state.board[target] == 0
            if points > 1 and (full or (target == origin and state.heap == origin)):
                beyond = target
    if beyond == NONE:
        return False
    exits = int(state.exits[beyond])
    for direction in range(4):
        if exits >> direction & 1:
            if has_room(state, player, origin, beyond + OFFSET[direction], points - 1):
                return True
    return False


@kernel
def has_room(state, player, origin, cell, points):
    """Whether a step may carry a mineral onto a cell to stay there; whoever stands on `origin` alone has left it."""
    if is_elevated(state, player, cell):
        return may_enter(state, player, cell) and can_lay(state, player, cell)
    if is_elevated(state, 1 - player, cell):
        return False
    there = int(state.board[cell])
    load = minerals_on(state, cell)
    if cell == origin:
        load -= 1
        if state.shared != cell:
            there = 0
    if there == 0:
        return load < ON_A_CELL
    return load < ON_A_CELL and owner_of(there) == player and points > 1


@kernel
def can_lay(state, player, entry):
    """R35 Whether a mineral brought into the zone can be laid beside a cell."""
    exits = int(state.exits[entry]) >> 4
    for direction in range(4):
        if exits >> direction & 1 and may_enter(state, player, entry + OFFSET[direction]):
            return True
    return False
