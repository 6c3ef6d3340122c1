"""R10, R42 Two friends on one cell: only what leaves them a way to separate.

As long as nothing is shared a step or run onto a friend can be taken back for the point that is left, so there is
nothing to ask. On from a shared cell to the next friend it is another matter: the search below tries it out.
"""

import numpy as np

from engines.kernel import kernel

from ..actions import (
    ACTION_ACT,
    ACTION_FIRST,
    ACTION_SECOND,
    BUILD,
    ENTER,
    RUN,
    Act,
)
from ..tables import (
    FIRST_CHEETAH,
    FIRST_FALCON,
    FIRST_HUMAN,
    MOST_LEGAL,
    MOST_OF_A_KIND,
    MOST_POINTS,
    NONE,
    SLOTS,
    Gait,
)
from .board import lift, owner_of, put_wall, remove_wall, set_down
from .displacements import codes_of, list_displacements, open_sides
from .minerals import can_carry_on
from .moves import gait_after, move_target
from .walls import list_walls


@kernel
def list_separable(state, player, out, n):
    """R10, R11 The displacements of the pair without those onto a friend that would never end the sharing."""
    listed = list_displacements(state, player, int(state.shared), out, n)
    kept = n
    for i in range(n, listed):
        action = int(out[i])
        if not meets_friend(state, player, action) or leads_out(state, player, action):
            out[kept] = action
            kept += 1
    return kept


@kernel
def meets_friend(state, player, action):
    """Whether a displacement ends on a cell with an own character."""
    if ACTION_ACT[action] != Act.MOVE or ENTER <= ACTION_SECOND[action] < RUN:
        return False
    slot = int(ACTION_FIRST[action])
    there = int(state.board[move_target(state, player, slot, int(ACTION_SECOND[action]))])
    return there != 0 and owner_of(there) == player


@kernel
def leads_out(state, player, action):
    """R10 Whether the pair that a displacement makes can be separated: tried out, then taken back."""
    step = np.zeros(3, np.int64)
    try_step(state, player, action, step)
    separated = can_separate(state, player)
    take_back(state, player, step)
    return separated


@kernel
def can_separate(state, player):
    """R10 Whether the pair on the shared cell can end on different cells within the points left."""
    trail = np.zeros((MOST_POINTS + 1, 3), np.int64)  # slot, cell before, gait before of each step
    tried = np.zeros(MOST_POINTS + 1, np.int64)  # ways from each step that have led nowhere
    scratch = np.empty(MOST_LEGAL, np.int32)
    depth = 0
    separated = False
    while depth >= 0 and not separated:
        n = list_displacements(state, player, int(state.shared), scratch, 0)
        separated = ends_alone(state, player, scratch, n)
        if not separated:
            way = next_friend(state, player, scratch, n, tried[depth])
            if way < 0:
                depth -= 1
                if depth >= 0:
                    take_back(state, player, trail[depth])
            else:
                tried[depth] = way + 1
                try_step(state, player, int(scratch[way]), trail[depth])
                depth += 1
                tried[depth] = 0
    while depth > 0:
        depth -= 1
        take_back(state, player, trail[depth])
    return separated


@kernel
def ends_alone(state, player, listed, n):
    """Whether one of these displacements ends on a cell without a character; an attack is no way out."""
    for i in range(n):
        action = int(listed[i])
        if ACTION_ACT[action] == Act.FLY or ENTER <= ACTION_SECOND[action] < RUN:
            return True
        target = move_target(state, player, int(ACTION_FIRST[action]), int(ACTION_SECOND[action]))
        if state.board[target] == 0:
            return True
    return False


@kernel
def next_friend(state, player, listed, n, start):
    """The place, from `start` on, of a displacement onto a friend, or -1."""
    for i in range(start, n):
        if meets_friend(state, player, int(listed[i])):
            return i
    return -1


@kernel
def try_step(state, player, action, step):
    """Move a character onto a friend for a point, noting in `step` how to take it back; minerals stay behind."""
    slot = int(ACTION_FIRST[action])
    move = int(ACTION_SECOND[action])
    target = move_target(state, player, slot, move)
    step[0] = slot
    step[1] = int(state.cell[player, slot])
    lift(state, player, slot)
    set_down(state, player, slot, target)
    state.points -= 1
    if FIRST_CHEETAH <= slot < FIRST_CHEETAH + MOST_OF_A_KIND:
        step[2] = int(state.gait[slot - FIRST_CHEETAH])
        state.gait[slot - FIRST_CHEETAH] = gait_after(move)


@kernel
def take_back(state, player, step):
    """Undo try_step."""
    slot = int(step[0])
    lift(state, player, slot)
    set_down(state, player, slot, int(step[1]))
    state.points += 1
    if FIRST_CHEETAH <= slot < FIRST_CHEETAH + MOST_OF_A_KIND:
        state.gait[slot - FIRST_CHEETAH] = int(step[2])


# --- walls meanwhile -----------------------------------------------------------------------------------------


@kernel
def list_walls_between(state, player, out, n):
    """R42 The walls that leave a pair on one cell, or the carrier on three minerals, the way that it must go."""
    listed = list_walls(state, player, out, n)
    if state.shared != NONE and is_roomy(state, player):
        return listed
    number = int(state.standing)
    kept = n
    for i in range(n, listed):
        wall = int(out[i]) - BUILD
        put_wall(state, wall, number)
        if state.shared != NONE:
            is_open = can_separate(state, player)
        else:
            is_open = can_carry_on(state, player, NONE, int(state.heap), int(state.points))
        remove_wall(state, wall, number)
        if is_open:
            out[kept] = BUILD + wall
            kept += 1
    return kept


@kernel
def is_roomy(state, player):
    """Whether no single wall can shut a pair in: a wall, being straight, closes one side of their cell at most."""
    cell = int(state.shared)
    everybody = codes_of(0) | codes_of(1)
    ways = 0
    for slot in range(FIRST_HUMAN, SLOTS):
        if state.cell[player, slot] == cell:
            exits = np.int64(state.exits[cell])
            if slot >= FIRST_FALCON:
                if open_sides(state, player, cell, exits >> 4, everybody) != 0:
                    return True
            elif slot < FIRST_CHEETAH or state.gait[slot - FIRST_CHEETAH] <= Gait.WALK:
                ways |= open_sides(state, player, cell, exits, everybody)
    return ways & (ways - 1) != 0
