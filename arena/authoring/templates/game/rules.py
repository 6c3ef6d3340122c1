"""What a player may do and what it does."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, insert, list_cards, pop, push, take_seen, take_unseen
from engines.records import OVER

from .actions import ACTION_CARD, ACTION_KIND, BURY, PLAY, Kind
from .tables import Ending


@kernel
def legal_actions(states, out):
    """R2 Any card of the hand may be played or buried."""
    state = states[0]
    if state.to_act == OVER:
        return 0
    hand = state.seat[state.to_act].hand
    n = list_cards(hand, PLAY, out, 0)
    return list_cards(hand, BURY, out, n)


@kernel
def apply(states, action, rng):
    """R2 A played card lies open, a buried one is known to its player alone; then the next one decides."""
    state = states[0]
    player = int(state.to_act)
    seat = state.seat[player]
    card = int(ACTION_CARD[action])
    if ACTION_KIND[action] == Kind.PLAY:
        take_seen(seat.hand, card)
        push(state.played, card, EVERYBODY)
        seat.shown = card
    else:
        take_unseen(seat.hand, card, 1 << player)
        push(seat.buried, card, 1 << player)
    state.acted += 1
    if state.acted == state.players:
        end_round(state)
    if state.to_act != OVER:
        state.to_act = (int(state.leader) + int(state.acted)) % int(state.players)


@kernel
def end_round(state):
    """R3-R5 The winner takes the round, everybody draws, and the winner leads, unless that was the last round."""
    winner = winner_of_round(state)
    if state.seat[winner].shown > 0:
        state.seat[winner].won += 1
    for player in range(int(state.players)):
        state.seat[player].shown = 0
    draw_cards(state, winner)
    state.leader = winner
    state.acted = 0
    state.completed += 1
    if state.completed == state.rules.rounds or state.seat[winner].hand.count == 0:
        state.ending = Ending.PLAYED_OUT
        state.to_act = OVER


@kernel
def winner_of_round(state):
    """R3 Who has played the highest card, the first of several; the leader if all were buried."""
    leader = int(state.leader)
    players = int(state.players)
    winner = leader
    for i in range(1, players):
        player = (leader + i) % players
        if state.seat[player].shown > state.seat[winner].shown:
            winner = player
    return winner


@kernel
def draw_cards(state, first):
    """R4 Everybody draws the top of the deck, as long as it has a card for everybody."""
    players = int(state.players)
    if state.deck.count < players:
        return
    for i in range(players):
        player = (first + i) % players
        insert(state.seat[player].hand, pop(state.deck)[0], 1 << player)
