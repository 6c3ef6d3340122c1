"""The course of the game: whose turn it is, the night, the end."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, UNSEEN, clear, insert, pop, push, shuffle_pile
from engines.records import NOBODY, OVER

from ..tables import CAMP_CUBES, MOST_OFFERINGS, Ending, Phase
from .legal import can_act

# --- the day ----------------------------------------------------------------------------------------------


@kernel
def pass_turn(state, first, rng):
    """R6, R7 The next player from `first` on who can act; if nobody can, the day is over.

    `deal` and `apply` call this once, at their end: every caller compiles all of the night again.
    """
    players = int(state.players)
    while True:
        for step in range(players):
            player = (first + step) % players
            if can_act(state, player):
                state.to_act = player
                return
        if not pass_night(state, rng):
            return
        first = int(state.start_token)


# --- the night --------------------------------------------------------------------------------------------


@kernel
def pass_night(state, rng):
    """R8, R27, R30 The end of the game, or the night; returns whether there is another day."""
    if state.end_triggered:
        return finish(state, Ending.OFFERINGS)
    if state.current_round >= state.rules.max_rounds:
        return finish(state, Ending.MAX_ROUNDS)
    take_back_workers(state)
    if state.rules.stall_end and is_stalled(state):
        return finish(state, Ending.STALL)
    for position in range(int(state.board.count)):
        if state.explorer[position] != NOBODY:
            state.explorer[position] = NOBODY
            turn_up(state, position)
    draw_market(state, int(state.rules.market_row) - int(state.market_row.count))
    draw_offerings(state, int(state.rules.offering_row) - int(state.offering_row.count), rng)
    state.current_round += 1
    return True


@kernel
def take_back_workers(state):
    """R8 Placed workers come back, sacrificed ones go to the reserve, grown ones become active."""
    if not state.rules.camp_exhaust:
        for cube in range(CAMP_CUBES):
            state.cubes[cube] = 0
    for player in range(int(state.players)):
        seat = state.seat[player]
        seat.active = int(seat.active) + int(seat.grown) - int(seat.sacrificed)
        seat.reserve += seat.sacrificed
        seat.placed = 0
        seat.stands_on = 0
        seat.grown = 0
        seat.sacrificed = 0


@kernel
def is_stalled(state):
    """R31 Whether nobody has two workers left: no offering can ever be made again."""
    for player in range(int(state.players)):
        if state.seat[player].active >= 2:
            return False
    return True


@kernel
def turn_up(state, position):
    """R5, R8 A tile lies face up from now on."""
    state.board.known[position] = EVERYBODY
    state.open_spaces |= state.rules.tile_spaces[state.board.card[position]]
    state.unexplored -= 1


@kernel
def finish(state, reason):
    """R27, R30, R31 The game is over; returns that there is no other day."""
    state.to_act = OVER
    state.phase = Phase.NONE
    state.ending = reason
    return False


# --- rows and decks ---------------------------------------------------------------------------------------


@kernel
def draw_market(state, count):
    """R2, R8, R18 Turn up market cards while there are any."""
    for _ in range(min(count, int(state.market_deck.count))):
        card, _ = pop(state.market_deck)
        insert(state.market_row, card, EVERYBODY)


@kernel
def draw_offerings(state, count, rng):
    """R2, R8, R9, R19 Turn up offerings; an empty deck is made anew from the discarded ones."""
    for _ in range(count):
        if state.offering_deck.count == 0 and state.rules.recycle:
            recycle_offerings(state, rng)
        if state.offering_deck.count > 0:
            card, _ = pop(state.offering_deck)
            insert(state.offering_row, card, EVERYBODY)


@kernel
def recycle_offerings(state, rng):
    """R9 The discarded offerings are shuffled and become the deck."""
    for card in range(1, MOST_OFFERINGS + 1):
        for _ in range(int(state.offering_discard[card])):
            push(state.offering_deck, card, UNSEEN)
        state.offering_discard[card] = 0
    shuffle_pile(rng, state.offering_deck)


@kernel
def reshuffle_market(state, rng):
    """R18 The row goes into the deck, which is shuffled; new cards are turned up."""
    for i in range(int(state.market_row.count)):
        push(state.market_deck, int(state.market_row.card[i]), UNSEEN)
    clear(state.market_row)
    shuffle_pile(rng, state.market_deck)
    draw_market(state, int(state.rules.pituk_market))


@kernel
def replace_offerings(state, rng):
    """R19 The row is discarded; new offerings are turned up."""
    row = state.offering_row
    for i in range(int(row.count)):
        state.offering_discard[int(row.card[i])] += 1
    clear(row)
    draw_offerings(state, int(state.rules.pituk_offerings), rng)
