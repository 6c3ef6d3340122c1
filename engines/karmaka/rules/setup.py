"""The setup of a game."""

from engines.kernel import kernel
from engines.piles import UNSEEN, insert, pop, push, shuffle_pile
from engines.rng import below

from ..tables import KINDS_OF_CARDS, Phase
from .zones import draw_from_deck


@kernel
def deal(states, rng):
    """R1, R2, R4, R7 Shuffle the Well, deal Hands and Decks, and draw the first card of the first turn."""
    state = states[0]
    for card in range(1, KINDS_OF_CARDS):
        for _ in range(int(state.rules.copies[card])):
            push(state.well, card, UNSEEN)
    shuffle_pile(rng, state.well)
    first = 0
    if state.rules.random_start:
        first = below(rng, int(state.players))
    deal_hands(state, first)
    state.active = first
    state.to_act = first
    state.phase = Phase.MAIN
    state.left = 1
    if state.rules.deck_size > 0:
        draw_from_deck(state, first)


@kernel
def deal_hands(state, first):
    """R3 One card per player and round from the top of the Well: first the Hands, then the Decks."""
    players = int(state.players)
    for _ in range(int(state.rules.hand_size)):
        for i in range(players):
            player = (first + i) % players
            insert(state.seat[player].hand, pop(state.well)[0], 1 << player)
    for _ in range(int(state.rules.deck_size)):
        for i in range(players):
            push(state.seat[(first + i) % players].deck, pop(state.well)[0], UNSEEN)
