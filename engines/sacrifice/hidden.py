"""What the players know: everything. And which positions have the same future."""

from engines.kernel import kernel
from engines.keys import mix, scatter
from engines.piles import EVERYBODY
from engines.records import NOBODY

from .rules.board import is_elevated
from .rules.ending import hash_fittings
from .tables import (
    CELLS,
    DEAD,
    FIRST_CHEETAH,
    MOST_MINERALS,
    MOST_OF_A_KIND,
    NONE,
    SLOT_KIND,
    SLOTS,
    Kind,
    Phase,
)


@kernel
def observe(states, player, views):
    """A view shows the whole position."""
    views[0] = states[0]
    views[0].viewer = player


@kernel
def determinize(views, rng, states):
    """Nothing is hidden: the only position the viewer holds for possible is the true one."""
    states[0] = views[0]
    states[0].viewer = NOBODY


@kernel
def witnesses(states, action):
    """Everybody sees every action."""
    return EVERYBODY


# --- key --------------------------------------------------------------------------------------------------


@kernel
def key(states):
    """Equal for positions with the same future, whatever the order of the displacements that led to them.

    Left out is what no rule can ask any more: who has jumped or run once the points are spent, the movement under
    way when no attack of it can be cancelled, earlier positions that cannot come again. Characters of one kind
    are told apart, since actions name them.
    """
    state = states[0]
    total = hash_fittings(state)
    for player in range(2):
        for slot in range(SLOTS):
            cell = int(state.cell[player, slot])
            if cell != DEAD:
                total += scatter((player * SLOTS + slot) * CELLS + cell)
    mixed = mix(total, int(state.turn) * 16 + int(state.points))
    mixed = mix(mixed, (int(state.to_act) + 1) * 16 + int(state.phase) * 2 + int(state.mover))
    mixed = mix(mixed, int(state.candidates))
    mixed = mix_turn(mixed, state)
    if state.phase == Phase.IMMORTAL:
        mixed = mix(mixed, int(state.attacker) * SLOTS + int(state.victim))
    if can_be_taken_back(state):
        mixed = mix_movement(mixed, state)
    return mixed


@kernel
def mix_turn(mixed, state):
    """What has been done in the turn and before, as far as it still matters."""
    has_moved = 1 if state.displacements > 0 else 0
    mixed = mix(mixed, has_moved * 4 + int(state.idle) * 2 + int(state.progress))
    if state.points > 0 or state.phase == Phase.IMMORTAL:
        mover = int(state.mover)
        jumped = 0
        for slot in range(Kind.FANATIC * MOST_OF_A_KIND):
            if state.cell[mover, slot] != DEAD:
                jumped |= int(state.jumped) & (1 << slot)
        for number in range(MOST_OF_A_KIND):
            if state.cell[mover, FIRST_CHEETAH + number] != DEAD:
                jumped |= int(state.gait[number]) << (10 + 2 * number)
        mixed = mix(mixed, jumped)
    if not state.progress:
        if state.rules.no_progress:
            mixed = mix(mixed, int(state.quiet))
        mixed ^= state.history
    return mixed


@kernel
def can_be_taken_back(state):
    """Whether an attack of the movement under way may yet be cancelled."""
    slot = int(state.movement.slot)
    if slot == NONE or state.phase == Phase.IMMORTAL:
        return slot != NONE
    kind = int(SLOT_KIND[slot])
    mover = int(state.mover)
    if state.phase != Phase.MAIN or state.rules.takeback_attack or not state.rules.can_cancel:
        return False
    if state.points < 1 + state.rules.kill_cost or kind <= Kind.IMMORTAL:
        return False
    if kind == Kind.FANATIC and state.rules.fanatic_self:
        return False
    if is_elevated(state, mover, int(state.cell[mover, slot])):
        return False
    for number in range(MOST_OF_A_KIND):
        if state.cell[1 - mover, Kind.IMMORTAL * MOST_OF_A_KIND + number] != DEAD:
            return True
    return False


@kernel
def mix_movement(mixed, state):
    """Where the movement began and with what."""
    movement = state.movement
    began = 1 if movement.displacements > 0 else 0
    mixed = mix(mixed, (int(movement.slot) * CELLS + int(movement.cell)) * 2 + began)
    mixed = mix(mixed, int(movement.points) * 4 + int(movement.gait))
    total = scatter(0)
    for number in range(MOST_MINERALS):
        total += scatter(int(movement.mineral[number]) + 1)
    return mix(mixed ^ total, 1)
