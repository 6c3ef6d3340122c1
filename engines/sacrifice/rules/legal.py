"""What a player may do: every legal action, ascending."""

from engines.kernel import kernel

from ..actions import ACCEPT, CANCEL, CHOOSE, END_TURN, RESURRECT
from ..tables import (
    DEAD,
    KINDS,
    MOST_OF_A_KIND,
    NONE,
    SLOTS,
    Kind,
    Phase,
)
from .displacements import list_displacements, list_onward
from .kills import eligible
from .sharing import list_separable, list_walls_between
from .walls import list_walls

KINDS_IN_ALL = len(KINDS)


@kernel
def legal_actions(states, out):
    """R6 What the player to act may do; never nothing, as shared cells and heaps can always be left (R10, R32)."""
    state = states[0]
    player = int(state.to_act)
    if state.phase == Phase.MAIN:
        if state.shared != NONE or state.heap != NONE:
            return list_way_on(state, player, out)
        return list_turn(state, player, out)
    if state.phase == Phase.OVER:
        return 0
    if state.phase == Phase.IMMORTAL:
        return list_answers(state, player, out)
    return list_candidates(state, out)


@kernel
def list_turn(state, player, out):
    """R6 End, resurrect, displace, build; the turn ends only after a displacement, if there is one."""
    begin = 0
    if state.displacements > 0:
        out[0] = END_TURN
        begin = 1
    first = list_resurrections(state, player, out, begin)
    n = list_displacements(state, player, NONE, out, first)
    stuck = n == first
    n = list_walls(state, player, out, n)
    if stuck and begin == 0:
        n = put_first(out, n, END_TURN)
    return n


@kernel
def list_way_on(state, player, out):
    """R11, R32 What must come first: the pair separates, or a third mineral is carried on; walls meanwhile (R42)."""
    if state.heap != NONE:
        n = list_onward(state, player, out, 0)
    else:
        n = list_separable(state, player, out, 0)
        if not state.rules.build_while_shared:
            return n
    return list_walls_between(state, player, out, n)


@kernel
def put_first(out, n, action):
    """Put an action before the others of a list."""
    for i in range(n, 0, -1):
        out[i] = out[i - 1]
    out[0] = action
    return n + 1


@kernel
def list_resurrections(state, player, out, n):
    """R43 The kinds that a living emissary may bring back: those with a dead character, but no emissary."""
    if not state.rules.can_revive or not has_living(state, player, Kind.EMISSARY):
        return n
    for kind in range(KINDS_IN_ALL):
        if kind != Kind.EMISSARY and dead_slot(state, player, kind) != NONE:
            out[n] = RESURRECT + kind
            n += 1
    return n


@kernel
def has_living(state, player, kind):
    """Whether a player has a living character of a kind."""
    for number in range(MOST_OF_A_KIND):
        if state.cell[player, kind * MOST_OF_A_KIND + number] != DEAD:
            return True
    return False


@kernel
def dead_slot(state, player, kind):
    """R43 The lowest dead character of a kind, or NONE."""
    for number in range(MOST_OF_A_KIND):
        slot = kind * MOST_OF_A_KIND + number
        if state.cell[player, slot] == DEAD and state.rules.start[slot] != DEAD:
            return slot
    return NONE


@kernel
def list_answers(state, player, out):
    """R21 The owner of an attacked immortal cancels, if he has another character to give, or accepts."""
    n = 0
    if eligible(state, player) & ~(1 << int(state.victim)) != 0:
        out[0] = CANCEL
        n = 1
    out[n] = ACCEPT
    return n + 1


@kernel
def list_candidates(state, out):
    """R24, R26 The characters of which one dies; of the mover in SACRIFICE, of the other side in COST."""
    mover = int(state.mover)
    player = mover if state.phase == Phase.SACRIFICE else 1 - mover
    n = 0
    for slot in range(SLOTS):
        if state.candidates >> slot & 1:
            out[n] = CHOOSE + player * SLOTS + slot
            n += 1
    return n
