"""Setup: the board, the decks, the first heritage cards, the first tiles."""

import numpy as np

from engines.kernel import kernel
from engines.piles import EVERYBODY, UNSEEN, insert, push, show_hand, take_seen
from engines.rng import shuffle

from ..tables import (
    MOST_HERITAGE,
    MOST_MARKET,
    MOST_OFFERINGS,
    MOST_TILES,
    Phase,
)
from .day import draw_market, draw_offerings, pass_turn, turn_up
from .goods import credit_heritage


@kernel
def deal(states, rng):
    """R2, R3 Lay the tiles, shuffle the decks, deal heritage cards; then the first cards are chosen (R4)."""
    state = states[0]
    deck = np.empty(MOST_MARKET, np.int64)
    shuffle_deck(deck, MOST_TILES, rng)
    lay_tiles(state, deck)
    shuffle_deck(deck, MOST_OFFERINGS, rng)
    for i in range(MOST_OFFERINGS):
        if state.rules.offering[deck[i]].copies:
            push(state.offering_deck, int(deck[i]), UNSEEN)
    draw_offerings(state, int(state.rules.offering_row), rng)
    shuffle_deck(deck, MOST_MARKET, rng)
    for i in range(MOST_MARKET):
        if state.rules.market[deck[i]].copies:
            push(state.market_deck, int(deck[i]), UNSEEN)
    draw_market(state, int(state.rules.market_row))
    shuffle_deck(deck, MOST_HERITAGE, rng)
    deal_heritage(state, deck)
    for player in range(int(state.players)):
        state.seat[player].vp = state.rules.seat_bonus[player]
    if state.rules.played_at_start > 0:
        state.phase = Phase.HERITAGE
        state.to_act = 0
    else:
        begin_discovery(state)
    if state.phase == Phase.DAY:
        pass_turn(state, int(state.start_token), rng)


@kernel
def shuffle_deck(deck, count, rng):
    """The numbers 1..count in random order; whole decks, so that all variants share the order."""
    for i in range(count):
        deck[i] = i + 1
    shuffle(rng, deck, count)


@kernel
def lay_tiles(state, deck):
    """R2 Tiles face down; what is not in play stays in the box unseen."""
    for i in range(MOST_TILES):
        tile = int(deck[i])
        if state.rules.tile_copies[tile]:
            if state.board.count < state.rules.tiles_in_play:
                push(state.board, tile, UNSEEN)
                state.unexplored += 1
            else:
                push(state.tile_box, tile, UNSEEN)


@kernel
def deal_heritage(state, deck):
    """R3 A secret hand for each player; the rest leaves the game unseen."""
    size = int(state.rules.hand_size)
    dealt = 0
    for i in range(MOST_HERITAGE):
        card = int(deck[i])
        if state.rules.heritage[card].copies:
            if dealt < size * int(state.players):
                player = dealt // size
                insert(state.seat[player].hand, card, 1 << player)
                dealt += 1
            else:
                push(state.heritage_removed, card, UNSEEN)


@kernel
def commit(state, player, card):
    """R4 A heritage card is laid face down; after the last one all are shown, then all gain."""
    seat = state.seat[player]
    take_seen(seat.hand, card)
    insert(seat.heritage_played, card, 1 << player)
    if seat.heritage_played.count < state.rules.played_at_start:
        return
    if player + 1 < state.players:
        state.to_act = player + 1
        return
    for other in range(int(state.players)):
        played = state.seat[other].heritage_played
        show_hand(played, EVERYBODY)
        for i in range(int(played.count)):
            credit_heritage(state, state.seat[other], int(played.card[i]))
    begin_discovery(state)


@kernel
def begin_discovery(state):
    """R5 The first tiles are turned up: the lowest positions, or those that the players choose."""
    if state.rules.free_choice:
        go_on_discovering(state)
        return
    for position in range(int(state.rules.revealed)):
        turn_up(state, position)
    state.phase = Phase.DAY


@kernel
def go_on_discovering(state):
    """R5 The players clockwise from player 0 turn up a tile each until enough lie face up."""
    shown = int(state.board.count) - int(state.unexplored)
    if shown < state.rules.revealed:
        state.phase = Phase.DISCOVER
        state.to_act = shown % int(state.players)
    else:
        state.phase = Phase.DAY


@kernel
def discover(state, position):
    """R5 One tile is turned up; no VP for it."""
    turn_up(state, position)
    go_on_discovering(state)
