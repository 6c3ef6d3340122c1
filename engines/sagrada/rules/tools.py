"""What the twelve tools do once they are paid for."""

from engines.kernel import kernel
from engines.rng import below

from ..tables import DIE_VALUE, PIPS, Phase, Tool
from .dice import change_bag_die, die_at, roll_again, set_value
from .turn import finish_tool, return_die, to_hand
from .usable import is_placeable


@kernel
def start_tool(state, player, tool, rng):
    """Carry a tool out up to its first choice, or to its end."""
    if tool == Tool.GROZING_PLIERS:
        state.phase = Phase.ADJUST
    elif tool == Tool.LENS_CUTTER:
        state.phase = Phase.SWAP
    elif tool == Tool.FLUX_BRUSH:
        flux_brush(state, player, rng)
    elif tool == Tool.GLAZING_HAMMER:
        roll_again(state, rng)
        finish_tool(state)
    elif tool == Tool.RUNNING_PLIERS:  # R30
        state.seat[player].skips = 1
        state.phase = Phase.AGAIN
    elif tool == Tool.CORK_BACKED_STRAIGHTEDGE:
        state.phase = Phase.APART
    elif tool == Tool.GRINDING_STONE:  # R32
        set_value(state, PIPS + 1 - DIE_VALUE[die_at(state.held, 0)])
        to_hand(state)
    elif tool == Tool.FLUX_REMOVER:
        change_bag_die(state, rng)
        state.phase = Phase.VALUE
    elif tool == Tool.TAP_WHEEL:
        state.phase = Phase.COLOUR
    else:
        state.phase = Phase.MOVE


@kernel
def flux_brush(state, player, rng):
    """R28 Re-roll the held die; if it cannot be placed it goes back to the pool."""
    set_value(state, 1 + below(rng, PIPS))
    if is_placeable(state.seat[player], die_at(state.held, 0)):
        to_hand(state)
    else:
        return_die(state)
