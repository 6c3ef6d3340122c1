"""What each action does."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, push, take_seen

from ..actions import ACTION_FIELD, ACTION_KIND, Kind
from ..tables import Phase, Tool
from .dice import (
    add_die,
    hold,
    release,
    remove_die,
    set_value,
    swap_with_track,
)
from .placement import lift_die, move_die, put_die
from .tools import start_tool
from .turn import (
    choose_window,
    end_turn,
    finish_tool,
    go_on,
    return_die,
    to_hand,
)
from .usable import cost_of


@kernel
def apply(states, action, rng):
    """Carry out one legal action of `to_act`."""
    state = states[0]
    player = int(state.to_act)
    kind = int(ACTION_KIND[action])
    first = int(ACTION_FIELD[action, 0])
    if kind == Kind.DRAFT:
        draft(state, first + 1)
    elif kind == Kind.PLACE:
        place(state, player, first)
    elif kind == Kind.END_TURN:
        end_turn(state)
    elif kind == Kind.USE:
        use_tool(state, player, first + 1, rng)
    elif kind == Kind.MOVE:
        move(state, player, first, int(ACTION_FIELD[action, 1]))
    elif kind == Kind.RAISE:
        adjust(state, 1)
    elif kind == Kind.LOWER:
        adjust(state, -1)
    elif kind == Kind.SWAP:
        swap_with_track(state, first + 1, int(ACTION_FIELD[action, 1]) + 1)
        to_hand(state)
    elif kind == Kind.VALUE:
        set_value(state, first + 1)
        state.phase = Phase.KEEP
    elif kind == Kind.RETURN:
        return_die(state)
    elif kind == Kind.COLOUR:
        state.tool_colour = first + 1
        state.phase = Phase.MOVE
    elif kind == Kind.STOP:
        if state.landing > 0:
            move_die(state.seat[player].window, int(state.moved) - 1, int(state.landing) - 1)
        finish_tool(state)
    elif kind == Kind.PAY:
        pay_with_die(state, player, first + 1, rng)
    else:
        choose_window(state, player, first)


# --- dice -------------------------------------------------------------------------------------------------


@kernel
def draft(state, die):
    """R12 A die leaves the pool and is held before everybody's eyes."""
    remove_die(state.pool, die)
    hold(state, die)
    to_hand(state)


@kernel
def place(state, player, cell):
    """R12 The held die is placed: the draft of this turn."""
    put_die(state.seat[player].window, cell, release(state))
    state.tool = 0
    state.drafted = 1
    go_on(state)


@kernel
def adjust(state, step):
    """R23 The held die one higher or lower."""
    set_value(state, int(state.held.value[0]) + step)
    to_hand(state)


@kernel
def move(state, player, cell, target):
    """R24-R26, R34 A die of the window goes to another space; the first of two lifted ones waits for the second."""
    window = state.seat[player].window
    twice = state.tool == Tool.LATHEKIN or state.tool == Tool.TAP_WHEEL
    if twice and state.rules.together:
        if state.landing == 0:
            state.moved = cell + 1
            state.landing = target + 1
            return
        first = lift_die(window, int(state.moved) - 1)
        second = lift_die(window, cell)
        put_die(window, int(state.landing) - 1, first)
        put_die(window, target, second)
        finish_tool(state)
        return
    move_die(window, cell, target)
    if twice and state.moved == 0:
        state.moved = target + 1
    else:
        finish_tool(state)


# --- tools ------------------------------------------------------------------------------------------------


@kernel
def use_tool(state, player, tool, rng):
    """R19, R21, R50 Pay first: with tokens, alone with a die that is still to be chosen."""
    state.tool_used = 1
    state.tool = tool
    if state.players == 1:
        state.phase = Phase.PAY
    else:
        cost = cost_of(state, tool)
        state.seat[player].tokens -= cost
        state.tool_tokens[tool] += cost
        start_tool(state, player, tool, rng)


@kernel
def pay_with_die(state, player, die, rng):
    """R50 Alone: die and card leave the game."""
    tool = int(state.tool)
    remove_die(state.pool, die)
    add_die(state.spent, die)
    take_seen(state.tools, tool)
    push(state.tool_box, tool, EVERYBODY)
    start_tool(state, player, tool, rng)
