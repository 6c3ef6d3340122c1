"""The stack of decisions that wait: what is asked later lies below what is asked first."""

from engines.kernel import kernel

from ..tables import PHASE_NEEDS, RUINS_KEPT, Needs


@kernel
def ask(state, phase, player, times):
    """Put a decision on the stack; the decisions already there wait until it is taken."""
    frame = state.pending[state.depth]
    frame.phase = phase
    frame.player = player
    frame.left = times
    state.depth += 1


@kernel
def drop_frame(state):
    """Take the decision that comes next off the stack: (phase, player, times)."""
    state.depth -= 1
    frame = state.pending[state.depth]
    phase = int(frame.phase)
    player = int(frame.player)
    left = int(frame.left)
    frame.phase = 0
    frame.player = 0
    frame.left = 0
    return phase, player, left


@kernel
def ask_again(state):
    """An answered decision that is asked several times comes back with one time less."""
    left = int(state.left) - 1
    if left > 0:
        ask(state, int(state.phase), int(state.to_act), left)


@kernel
def has_options(state, phase, player):
    """R29 Impossible parts of an ability are skipped."""
    needs = PHASE_NEEDS[phase]
    seat = state.seat[player]
    if needs == Needs.HAND:
        return seat.hand.count > 0
    if needs == Needs.DEEDS:
        return seat.deeds.count > 0
    if needs == Needs.FUTURE:
        return seat.future.count > 0
    if needs == Needs.HELD:
        return state.held.count > 0
    if needs == Needs.RUINS:
        return state.ruins.count > 0
    if needs == Needs.WELL:
        return state.well.count > 0 or state.ruins.count > RUINS_KEPT
    return True
