"""Carrying out an action, and passing the turn on."""

from engines.kernel import kernel

from ..actions import (
    ACTION_ACT,
    ACTION_FIRST,
    ACTION_SECOND,
    BUILD,
    CARRY,
    ENTER,
    JUMP,
    RUN,
    Act,
)
from ..tables import (
    DEAD,
    FIRST_CHEETAH,
    FIRST_FALCON,
    MOST_MINERALS,
    MOST_OF_A_KIND,
    MOST_WIDTH,
    NONE,
    OFFSET,
    SLOTS,
    Kind,
    Phase,
)
from .board import (
    is_elevated,
    lift,
    move_mineral,
    put_wall,
    rebuild,
    set_down,
)
from .ending import (
    check_end_of_turn,
    check_races,
    hash_position,
    mark_progress,
    remember,
)
from .flights import flight_price
from .kills import (
    accept,
    attack,
    begin_movement,
    cancel,
    choose,
    close_movement,
)
from .legal import dead_slot
from .moves import gait_after, move_target


@kernel
def apply(states, action, rng):
    """Carry out one legal action; there is no chance."""
    state = states[0]
    act = int(ACTION_ACT[action])
    first = int(ACTION_FIRST[action])
    second = int(ACTION_SECOND[action])
    if act == Act.MOVE:
        move(state, int(state.mover), first, second)
    elif act == Act.FLY:
        fly(state, int(state.mover), FIRST_FALCON + first, second)
    elif act == Act.END:
        end_turn(state)
    elif act == Act.CHOOSE:
        choose(state, second)
    elif act == Act.BUILD:
        build(state, int(state.mover), action - BUILD)
    elif act == Act.RESURRECT:
        resurrect(state, int(state.mover), first)
    elif act == Act.CANCEL:
        cancel(state)
    else:
        accept(state)


# --- displacements -------------------------------------------------------------------------------------------


@kernel
def move(state, player, slot, number):
    """R6 A step, run or jump with all that goes with it: a mineral, an entry, an attack."""
    origin = int(state.cell[player, slot])
    target = move_target(state, player, slot, number)
    begin_movement(state, player, slot)
    if CARRY <= number < ENTER:
        move_mineral(state, player, origin, target)
    elif ENTER <= number < RUN:  # R35
        move_mineral(state, player, origin, target + OFFSET[number - ENTER])
    if number >= JUMP:
        state.jumped |= 1 << slot
    elif FIRST_CHEETAH <= slot < FIRST_CHEETAH + MOST_OF_A_KIND:
        state.gait[slot - FIRST_CHEETAH] = gait_after(number)
    arrive(state, player, slot, target, 1)


@kernel
def fly(state, player, slot, target):
    """R15, R16 A flight."""
    price = flight_price(state, player, slot, target)
    begin_movement(state, player, slot)
    arrive(state, player, slot, target, price)


@kernel
def arrive(state, player, slot, target, price):
    """The displacement itself: points are paid, an enemy on the cell is attacked, an entry may win the game."""
    there = int(state.board[target])
    victim = there - 1 - (1 - player) * SLOTS
    is_attack = 0 <= victim < SLOTS
    state.points -= price
    state.displacements += 1
    lift(state, player, slot)
    set_down(state, player, slot, target)
    if is_attack:
        state.points -= state.rules.kill_cost
        attack(state, player, slot, victim)
    elif is_elevated(state, player, target):
        mark_progress(state)
        check_races(state, player)


# --- free actions ----------------------------------------------------------------------------------------------


@kernel
def build(state, player, wall):
    """R42 A wall goes up for ever."""
    put_wall(state, wall, int(state.standing))
    state.standing += 1
    state.walls_left[player] -= 1
    close_movement(state)
    mark_progress(state)


@kernel
def resurrect(state, player, kind):
    """R43, R44 The emissary goes to the graveyard; a dead character stands on its cell as if it had not moved."""
    emissary = living_emissary(state, player)
    cell = int(state.cell[player, emissary])
    slot = dead_slot(state, player, kind)
    lift(state, player, emissary)
    set_down(state, player, slot, cell)
    if kind <= Kind.IMMORTAL:
        state.jumped &= ~(1 << slot)
    if kind == Kind.CHEETAH:
        state.gait[slot - FIRST_CHEETAH] = 0
    state.tally.resurrections[player] += 1
    close_movement(state)
    mark_progress(state)


@kernel
def living_emissary(state, player):
    """The lowest living emissary."""
    for number in range(MOST_OF_A_KIND):
        slot = Kind.EMISSARY * MOST_OF_A_KIND + number
        if state.cell[player, slot] != DEAD:
            return slot
    return NONE


# --- turns -----------------------------------------------------------------------------------------------------


@kernel
def end_turn(state):
    """R5, R50 Points are lost, the other side begins its turn with its own, unless the game is drawn."""
    state.turn += 1
    state.mover = 1 - state.mover
    state.to_act = state.mover
    close_movement(state)
    check_end_of_turn(state)
    state.displacements = 0
    state.progress = 0
    state.jumped = 0
    state.gait[:] = 0
    state.points = turn_points(state)


@kernel
def turn_points(state):
    """R5 Fewer points in each side's first turn."""
    if state.turn < 2:
        return int(state.rules.first_points[state.mover])
    return int(state.rules.points)


@kernel
def deal(states, rng):
    """R4 The placement; North's is South's turned by 180 degrees. There is no chance to settle."""
    state = states[0]
    last = (int(state.rules.height) - 1) * MOST_WIDTH + int(state.rules.width) - 1
    for slot in range(SLOTS):
        cell = int(state.rules.start[slot])
        state.cell[0, slot] = cell
        state.cell[1, slot] = last - cell if cell != DEAD else DEAD
    for number in range(MOST_MINERALS):
        cell = int(state.rules.mineral_start[number])
        state.mineral[0, number] = cell
        state.mineral[1, number] = last - cell if cell != NONE else NONE
    state.phase = Phase.MAIN
    state.to_act = 0
    state.points = turn_points(state)
    rebuild(state)
    if state.rules.repetition:
        remember(state, hash_position(state))
