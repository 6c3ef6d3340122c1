"""The setup: temples and cards are shuffled, temples dealt and chosen, then hands are dealt."""

from engines.kernel import kernel
from engines.piles import UNSEEN, insert, pop, push, shuffle_pile

from ..tables import KINDS_OF_TEMPLES, LAST_DECK_CARD, SITES, Card, Phase
from .zones import show_top


@kernel
def deal(states, rng):
    """R4, R5 Shuffle temples and cards, lay out the centre, deal temples to choose from."""
    state = states[0]
    for temple in range(1, KINDS_OF_TEMPLES):
        if int(state.rules.temples) >> temple & 1:
            push(state.temples, temple, UNSEEN)
    shuffle_pile(rng, state.temples)
    for card in range(1, LAST_DECK_CARD + 1):
        for _ in range(int(state.rules.copies[card])):
            push(state.deck, card, UNSEEN)
    shuffle_pile(rng, state.deck)
    for card in range(Card.SV, Card.SD + 1):
        state.centre[card] = state.rules.supremes
    state.hollow = state.rules.hollow
    state.fresh = 0
    for player in range(int(state.players)):
        for _ in range(int(state.rules.dealt)):
            state.seat[player].options |= 1 << pop(state.temples)[0]
    state.phase = Phase.SETUP


@kernel
def choose_temple(state, player, temple, rng):
    """R6 The next temple of the zone, left to right; when all have chosen, the game begins."""
    seat = state.seat[player]
    seat.options &= ~(1 << temple)
    placed = 0
    while placed < SITES and seat.temple[placed] != 0:
        placed += 1
    seat.temple[placed] = temple
    if placed + 1 == state.rules.kept:
        if player + 1 < state.players:
            state.to_act = player + 1
        else:
            begin(state, rng)


@kernel
def begin(state, rng):
    """R7, R9 Rejected temples go back or out, hands are dealt, player 0 begins."""
    players = int(state.players)
    for player in range(players):
        put_back(state, state.seat[player])
    if not state.rules.rejects_out:
        shuffle_pile(rng, state.temples)
    show_top(state)
    aside = 0
    for player in range(players):
        hand = state.seat[player].hand
        while hand.count < state.rules.hand_size:
            card = pop(state.deck)[0]
            if card == Card.CA:
                aside += 1
            else:
                insert(hand, card, 1 << player)
    if aside > 0:
        for _ in range(aside):
            push(state.deck, Card.CA, UNSEEN)
        shuffle_pile(rng, state.deck)
    state.phase = Phase.MOVE
    state.to_act = 0


@kernel
def put_back(state, seat):
    """R7 The temples a player has rejected."""
    options = int(seat.options)
    seat.options = 0
    if state.rules.rejects_out:
        seat.rejects = options
    else:
        for temple in range(1, KINDS_OF_TEMPLES):
            if options >> temple & 1:
                push(state.temples, temple, UNSEEN)
