"""Attacks, the immortal's take-back, and sacrifices."""

from engines.kernel import kernel

from ..tables import (
    DEAD,
    FIRST_CHEETAH,
    KIND_MASK,
    MOST_MINERALS,
    MOST_OF_A_KIND,
    NONE,
    SLOT_KIND,
    SLOTS,
    Kind,
    Phase,
)
from .board import code_of, is_elevated, lift, set_down, show
from .ending import check_material, mark_progress

# --- the movement under way ----------------------------------------------------------------------------------


@kernel
def begin_movement(state, player, slot):
    """R23 Note where a character stands before the first displacement of an uninterrupted series.

    None begins on a cell with three minerals, which only a wall built there could bring about: taken back to it, the
    attacker could be the sacrifice, and nobody would be left to carry the third mineral on (R32).
    """
    movement = state.movement
    if state.heap != NONE or (movement.slot == slot and not state.rules.takeback_attack):
        return
    movement.slot = slot
    movement.cell = state.cell[player, slot]
    movement.points = state.points
    movement.displacements = state.displacements
    movement.gait = 0
    if FIRST_CHEETAH <= slot < FIRST_CHEETAH + MOST_OF_A_KIND:
        movement.gait = state.gait[slot - FIRST_CHEETAH]
    for number in range(MOST_MINERALS):
        movement.mineral[number] = state.mineral[player, number]


@kernel
def close_movement(state):
    """R23 Whatever comes next cannot be taken back together with what was."""
    movement = state.movement
    if movement.slot != NONE:
        movement.slot = NONE
        movement.cell = NONE
        movement.points = 0
        movement.displacements = 0
        movement.gait = 0
        movement.mineral[:] = NONE


@kernel
def take_movement_back(state, player):
    """R22 The attacker and the minerals it has carried go back to where its movement began, points return."""
    movement = state.movement
    slot = int(movement.slot)
    rival = 1 - player
    at = int(state.cell[player, slot])
    lift(state, player, slot)
    show(state, at, code_of(rival, int(state.victim)))
    set_down(state, player, slot, int(movement.cell))
    state.points = movement.points
    state.displacements = movement.displacements
    if FIRST_CHEETAH <= slot < FIRST_CHEETAH + MOST_OF_A_KIND:
        state.gait[slot - FIRST_CHEETAH] = movement.gait
    if SLOT_KIND[slot] <= Kind.IMMORTAL:
        state.jumped &= ~(1 << slot)
    for number in range(MOST_MINERALS):
        origin = int(movement.mineral[number])
        if origin != NONE:
            state.load[state.mineral[player, number]] -= 1 << (2 * player)
            state.load[origin] += 1 << (2 * player)
            state.mineral[player, number] = origin
    close_movement(state)


# --- attack and answer ---------------------------------------------------------------------------------------


@kernel
def attack(state, player, slot, victim):
    """R20 The attacker stands on the victim's cell; an immortal is asked first (R21), anybody else dies."""
    rival = 1 - player
    state.attacker = slot
    sure = SLOT_KIND[slot] == Kind.FANATIC and state.rules.fanatic_self
    if SLOT_KIND[victim] == Kind.IMMORTAL and state.rules.can_cancel and not sure:
        state.victim = victim
        state.phase = Phase.IMMORTAL
        state.to_act = rival
    else:
        kill(state, player, victim)


@kernel
def accept(state):
    """R21 The immortal dies like anybody else."""
    kill(state, int(state.mover), int(state.victim))


@kernel
def cancel(state):
    """R22, R24 The attack has not happened; the immortal's owner gives one of his others for it."""
    player = int(state.mover)
    rival = 1 - player
    take_movement_back(state, player)
    state.tally.cancels[rival] += 1
    state.candidates = eligible(state, rival) & ~(1 << int(state.victim))
    state.attacker = NONE
    state.victim = NONE
    state.phase = Phase.COST
    state.to_act = rival


@kernel
def kill(state, player, victim):
    """R20 The victim dies, and the killer's side owes a sacrifice."""
    lift(state, 1 - player, victim)
    state.victim = NONE
    state.tally.kills[player] += 1
    attacker = int(state.attacker)
    if SLOT_KIND[attacker] == Kind.FANATIC and state.rules.fanatic_self:
        lift(state, player, attacker)  # R25 the fanatic is the sacrifice
        finish_resolution(state)
    elif SLOT_KIND[attacker] == Kind.PRENEUSE and state.rules.free_choice:
        ask_sacrifice(state, player, eligible(state, player))  # R27
    else:
        owe_sacrifice(state, player, int(SLOT_KIND[victim]))


# --- sacrifices ----------------------------------------------------------------------------------------------


@kernel
def owe_sacrifice(state, player, kind):
    """R26, R28 One of the same kind, or a martyr; if there is none the other side chooses among all."""
    given = KIND_MASK << (MOST_OF_A_KIND * kind)
    if state.rules.martyrs:
        given |= KIND_MASK << (MOST_OF_A_KIND * Kind.MARTYR)
    everybody = eligible(state, player)
    if everybody & given != 0:
        ask_sacrifice(state, player, everybody & given)
    else:
        ask_sacrifice(state, 1 - player, everybody)


@kernel
def ask_sacrifice(state, chooser, candidates):
    """Somebody chooses which character of the player to move dies."""
    state.candidates = candidates
    state.phase = Phase.SACRIFICE
    state.to_act = chooser


@kernel
def choose(state, slot):
    """R24, R26 The chosen character dies: the price of cancelling, or the sacrifice that ends the resolution."""
    player = int(state.mover)
    if state.phase == Phase.COST:
        lift(state, 1 - player, slot)
        owe_sacrifice(state, player, int(SLOT_KIND[slot]))
    else:
        lift(state, player, slot)
        finish_resolution(state)


@kernel
def finish_resolution(state):
    """R30 The turn goes on with the points left, unless nobody can win any more (R45)."""
    close_movement(state)
    mark_progress(state)
    state.attacker = NONE
    state.candidates = 0
    state.phase = Phase.MAIN
    state.to_act = state.mover
    check_material(state)


@kernel
def eligible(state, player):
    """R29 The mask of the characters that may be given: all living ones, elevated ones unless by option."""
    mask = 0
    for slot in range(SLOTS):
        cell = int(state.cell[player, slot])
        if cell != DEAD and (state.rules.elevated_die or not is_elevated(state, player, cell)):
            mask |= 1 << slot
    return mask
