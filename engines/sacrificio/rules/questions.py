"""Whether somebody has something to decide: answers to a pending move, discards to arrange, cards to take."""

import numpy as np

from engines.kernel import kernel
from engines.records import NOBODY

from ..actions import (
    ACTION_EVENT,
    ACTION_KIND,
    ACTION_OTHER,
    ACTION_OWNER,
    ACTION_SPOT,
    SELF,
    Kind,
)
from ..tables import (
    ANY_CARD,
    BIT_PRIME,
    CARD_OF_BIT,
    HAND_ROOM,
    SITES,
    SLOTS_OF_SITE,
    Card,
)
from .zones import are_rivals, left_of

# --- the pending move -------------------------------------------------------------------------------------


@kernel
def pending_move(state):
    """The move that awaits an answer or is being carried out."""
    return int(state.pending) - 1


@kernel
def owner_of(state, action):
    """In whose zone an action of the active player takes place."""
    owner = int(ACTION_OWNER[action])
    return int(state.active) if owner == SELF else owner


@kernel
def answers_of(state):
    """R41 The mask of the cards that may answer the pending move: one row of the table of reactions."""
    return int(state.rules.answers[ACTION_EVENT[pending_move(state)]])


@kernel
def sites_hit(state, action):
    """R44 The mask of the temples that a move in a zone is about: one, or both next to a shared slot."""
    kind = int(ACTION_KIND[action])
    spot = int(ACTION_SPOT[action])
    if kind == Kind.SOLAR:
        return 1 << int(ACTION_OTHER[action])
    if kind != Kind.PLACE and kind != Kind.ATTACK:
        return 1 << spot
    seat = state.seat[owner_of(state, action)]
    sites = 0
    for site in range(SITES):
        if seat.temple[site] != 0 and SLOTS_OF_SITE[site] >> spot & 1:
            sites |= 1 << site
    return sites


@kernel
def first_site(sites):
    """The leftmost site of a mask that has one."""
    site = 0
    while not sites >> site & 1:
        site += 1
    return site


@kernel
def next_to_answer(state, last):
    """R40, R43 The next player after `last`, clockwise, who may and can answer the pending move, or NOBODY."""
    action = pending_move(state)
    owner = owner_of(state, action)
    active = int(state.active)
    kind = int(ACTION_KIND[action])
    anybody = state.rules.any_rival > 0 and (kind == Kind.RITUAL or kind == Kind.FOREIGN)
    answers = answers_of(state)
    other = left_of(state, last)
    while other != active:
        if (other == owner or anybody) and are_rivals(state, active, other):
            if holds_one_of(state.seat[other].hand, answers):
                return other
        other = left_of(state, other)
    return NOBODY


@kernel
def cards_of(hand):
    """The mask of the cards in a hand; its empty places say card 0, which is none."""
    cards = 0
    for i in range(
        HAND_ROOM
    ):  # all places: a fixed number of steps costs less than stopping at the last card
        cards |= 1 << int(hand.card[i])
    return cards & ANY_CARD


@kernel
def first_card(cards):
    """The lowest card of a mask: walking a mask costs less than passing over the other cards of a hand."""
    return CARD_OF_BIT[np.uint64(cards & -cards) % BIT_PRIME]


@kernel
def holds_one_of(hand, cards):
    """Whether a hand has one of the cards of a mask."""
    for i in range(int(hand.count)):
        if cards >> int(hand.card[i]) & 1:
            return True
    return False


# --- the end of a turn ------------------------------------------------------------------------------------


@kernel
def segment_cards(state):
    """R47 The mask of the cards that this turn brought to the own cenote and that are not yet in order."""
    cenote = state.seat[state.active].cenote
    cards = 0
    for i in range(int(state.fresh), int(cenote.count) - int(state.steps)):
        cards |= 1 << int(cenote.card[i])
    return cards


@kernel
def can_arrange(state):
    """R47 Whether the order of the turn's discards is still open: at least two kinds, and not too deep."""
    if state.steps >= state.rules.arrange_depth:
        return False
    cards = segment_cards(state)
    return cards & (cards - 1) != 0


@kernel
def can_collect(state):
    """R48 Whether the active player may take one more card from a rival's cenote."""
    player = int(state.active)
    if state.steps >= state.rules.take_most:
        return False
    if state.seat[player].hand.count >= state.rules.hand_size:
        return False
    for owner in range(int(state.players)):
        if are_rivals(state, player, owner) and state.seat[owner].cenote.count > 0:
            return True
    return False


@kernel
def can_add_zero(state, hand):
    """R39 Whether a zero in hand could still bring a move: it needs another card to move with."""
    return state.moves_left == 0 and hand.count > 1 and holds_one_of(hand, 1 << Card.ZE)
