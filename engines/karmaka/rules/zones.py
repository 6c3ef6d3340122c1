"""Moves of cards between the zones; who knows a card travels with it."""

from engines.kernel import kernel
from engines.piles import (
    EMPTY,
    EVERYBODY,
    UNSEEN,
    insert,
    pop,
    push,
    shuffle_pile,
    take_seen,
    take_unseen,
)

from ..tables import RUINS_KEPT


@kernel
def fill_well(state, rng):
    """R21 An empty Well is refilled at the moment a card is needed. Returns whether it has a card now."""
    if state.well.count == 0 and state.ruins.count > RUINS_KEPT:
        refill(state, rng)
    return state.well.count > 0


@kernel
def refill(state, rng):
    """R21 All Ruins but the top three are shuffled and become the Well."""
    ruins = state.ruins
    moved = int(ruins.count) - RUINS_KEPT
    for i in range(moved):
        push(state.well, int(ruins.card[i]), UNSEEN)
    for i in range(int(ruins.count)):
        kept = i < RUINS_KEPT
        ruins.card[i] = int(ruins.card[moved + i]) if kept else EMPTY
        ruins.known[i] = EVERYBODY if kept else UNSEEN
    ruins.count = RUINS_KEPT
    shuffle_pile(rng, state.well)


@kernel
def draw_from_well(state, player, cards, rng):
    """R21 Cards go from the Well to a Hand, one by one, as many as there are."""
    for _ in range(cards):
        if fill_well(state, rng):
            card, known = pop(state.well)
            insert(state.seat[player].hand, card, known | (1 << player))


@kernel
def deal_to_deck(state, player, cards, rng):
    """R21 Cards go from the Well onto a Deck unseen, one by one, as many as there are."""
    for _ in range(cards):
        if fill_well(state, rng):
            card, known = pop(state.well)
            push(state.seat[player].deck, card, known)


@kernel
def draw_from_deck(state, player):
    """R7 The top card of a Deck goes to the owner's Hand."""
    card, known = pop(state.seat[player].deck)
    insert(state.seat[player].hand, card, known | (1 << player))


@kernel
def ruin_from_hand(state, player, card):
    """A Hand card goes face up onto the Ruins."""
    take_seen(state.seat[player].hand, card)
    push(state.ruins, card, EVERYBODY)


@kernel
def ruin_top(state, pile):
    """The top card of a pile, if there is one, goes face up onto the Ruins."""
    if pile.count > 0:
        push(state.ruins, pop(pile)[0], EVERYBODY)


@kernel
def score(state, player, card):
    """R9 A Hand card goes face up onto the own Deeds."""
    take_seen(state.seat[player].hand, card)
    push(state.seat[player].deeds, card, EVERYBODY)


@kernel
def store(state, player, card, owner):
    """R10, R55 A Hand card goes face down onto the Future of its owner-to-be: oneself or a partner."""
    seen_by = (1 << player) | (1 << owner)
    known = take_unseen(state.seat[player].hand, card, seen_by)
    push(state.seat[owner].future, card, known | seen_by)
