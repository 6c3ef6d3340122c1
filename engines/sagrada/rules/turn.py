"""The course of the game: windows, rounds and turns."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, clear, show_hand
from engines.records import OVER

from ..tables import DIFFICULTY, Ending, Phase
from .dice import add_die, clear_pool, release, roll_pool

# --- windows ----------------------------------------------------------------------------------------------


@kernel
def choose_window(state, player, pattern):
    """R4 A pattern is chosen; after the last choice all are shown."""
    state.seat[player].pattern = pattern
    if player + 1 < state.players:
        state.to_act = player + 1
    else:
        begin_play(state)


@kernel
def begin_play(state):
    """R4-R6 Windows, tokens, tools and objectives are on the table; what was not chosen leaves the game."""
    for player in range(int(state.players)):
        seat = state.seat[player]
        clear(seat.options)
        seat.tokens = state.rules.tokens
        if state.rules.tokens < 0:
            seat.tokens = DIFFICULTY[seat.pattern]
    clear(state.window_box)
    show_table(state)
    state.current_round = 1
    begin_round(state)


@kernel
def show_table(state):
    """R6 Tools and public objectives are turned up; what is not there is known to be out."""
    show_hand(state.tools, EVERYBODY)
    show_hand(state.publics, EVERYBODY)
    show_hand(state.tool_box, EVERYBODY)
    show_hand(state.public_box, EVERYBODY)


# --- rounds and turns -------------------------------------------------------------------------------------


@kernel
def begin_round(state):
    """R7 Draw and roll; the start player takes the first turn."""
    roll_pool(state)
    state.turn = 0
    begin_turn(state)


@kernel
def player_of(state, turn):
    """R8, R9 Whose turn it is: clockwise from the start player of the round, then back again."""
    players = int(state.players)
    step = turn if turn < players else 2 * players - 1 - turn
    return (int(state.start) + int(state.current_round) - 1 + step) % players


@kernel
def begin_turn(state):
    """R11 Nothing is drafted or used yet."""
    state.to_act = player_of(state, int(state.turn))
    state.phase = Phase.MAIN
    state.drafted = 0
    state.tool_used = 0
    state.turns += 1


@kernel
def end_turn(state):
    """R8, R30 The next turn, or the next round; a second turn given away falls out."""
    players = int(state.players)
    turn = int(state.turn) + 1
    while players <= turn < 2 * players and state.seat[player_of(state, turn)].skips == 1:
        turn += 1
    if turn < 2 * players:
        state.turn = turn
        begin_turn(state)
    else:
        end_round(state)


@kernel
def end_round(state):
    """R10 What is left goes to the track; the start player changes, or the game is over."""
    clear_pool(state)
    for player in range(int(state.players)):
        state.seat[player].skips = 0
    if state.current_round < state.rules.rounds:
        state.current_round += 1
        begin_round(state)
    else:
        finish(state)


@kernel
def finish(state):
    """R10, R36 The game is over; private objectives are shown."""
    for player in range(int(state.players)):
        show_hand(state.seat[player].private, EVERYBODY)
    state.to_act = OVER
    state.phase = Phase.NONE
    state.drafted = 0
    state.tool_used = 0
    state.ending = Ending.LAST_ROUND


@kernel
def go_on(state):
    """R11 A turn whose draft and tool are spent ends by itself."""
    if state.drafted and state.tool_used:
        end_turn(state)
    else:
        state.phase = Phase.MAIN


# --- after a part of a turn


@kernel
def to_hand(state):
    """The held die waits to be placed; the tool that led here is finished."""
    state.tool = 0
    state.phase = Phase.HAND


@kernel
def return_die(state):
    """R35 The held die goes to the pool as it is; as a rule that was the turn's draft."""
    add_die(state.pool, release(state))
    state.tool = 0
    state.drafted = state.rules.return_spends
    go_on(state)


@kernel
def finish_tool(state):
    """A tool is done; the turn goes on."""
    state.tool = 0
    state.tool_colour = 0
    state.moved = 0
    state.landing = 0
    go_on(state)
