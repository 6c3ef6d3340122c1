"""Bags, piles and hands: where cards lie and who knows them.

A *pile* is a record `count, card[], known[]`: cards bottom to top, and for each slot a bit per player who knows it.
A *hand* is a pile kept sorted by card. Copies of one card are indistinguishable, so what a player can know of them is
a number: the first copy carries the bits of all who know at least one, the second of those who know two, and so on.
A card that leaves a hand unseen takes with it everybody else's knowledge of that hand: true knowledge is lost rather
than leaked. A *bag* is an array of counts per kind; it has no order.

All piles of a game should share one capacity, else every verb is compiled once per capacity.
"""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any

import numpy as np

from engines.kernel import kernel
from engines.rng import below

EMPTY = 0  # a slot without a card; cards are numbered from 1
HIDDEN = -1  # in a View: a card the viewer does not know
EVERYBODY = 15  # a bit for each of up to four players
UNSEEN = 0


def pile(capacity: int, card: Any = np.int8) -> np.dtype:
    """The dtype of a pile of up to `capacity` cards; `card` is int8 for up to 127 kinds, else int16."""
    return np.dtype(
        [
            ("count", np.int16),  # cards in the pile; the slots above are EMPTY and known to nobody
            ("card", card, (capacity,)),  # bottom first, top at count - 1
            ("known", np.uint8, (capacity,)),  # bit p: player p knows this card
        ]
    )


# --- ordered piles ----------------------------------------------------------------------------------------


@kernel
def push(pile, card, known):
    """Put a card on top."""
    pile.card[pile.count] = card
    pile.known[pile.count] = known
    pile.count += 1


@kernel
def push_under(pile, card, known):
    """Put a card at the bottom."""
    for i in range(int(pile.count), 0, -1):
        pile.card[i] = pile.card[i - 1]
        pile.known[i] = pile.known[i - 1]
    pile.card[0] = card
    pile.known[0] = known
    pile.count += 1


@kernel
def pop(pile):
    """Take the top card of a non-empty pile: (card, known)."""
    return take_at(pile, int(pile.count) - 1)


@kernel
def take_at(pile, index):
    """Take the card at a position, 0 = bottom; the others close up and keep their order: (card, known)."""
    card = int(pile.card[index])
    known = int(pile.known[index])
    last = int(pile.count) - 1
    for i in range(index, last):
        pile.card[i] = pile.card[i + 1]
        pile.known[i] = pile.known[i + 1]
    pile.card[last] = EMPTY
    pile.known[last] = UNSEEN
    pile.count = last
    return card, known


@kernel
def show_at(pile, index, seen_by):
    """Let the players in the mask `seen_by` know the card at a position of an ordered pile."""
    pile.known[index] |= seen_by


@kernel
def clear(pile):
    """Empty a pile."""
    for i in range(int(pile.count)):
        pile.card[i] = EMPTY
        pile.known[i] = UNSEEN
    pile.count = 0


@kernel
def move_all(source, target, seen_by):
    """Put a whole pile on top of another as one block, order kept; `seen_by` join those who know each card."""
    for i in range(int(source.count)):
        push(target, int(source.card[i]), int(source.known[i]) | seen_by)
    clear(source)


@kernel
def shuffle_pile(rng, pile):
    """Shuffle; afterwards nobody knows where any card lies."""
    for i in range(int(pile.count) - 1, 0, -1):
        j = below(rng, i + 1)
        held = int(pile.card[i])
        pile.card[i] = pile.card[j]
        pile.card[j] = held
    for i in range(int(pile.count)):
        pile.known[i] = UNSEEN


# --- hands ------------------------------------------------------------------------------------------------


@kernel
def find(hand, card):
    """The first position of a card in a hand, or -1."""
    for i in range(int(hand.count)):
        if hand.card[i] == card:
            return i
    return -1


@kernel
def insert(hand, card, known):
    """Put a card into a hand; `known` is the mask of the players who see which card it is."""
    at = 0
    count = int(hand.count)
    while at < count and hand.card[at] < card:
        at += 1
    while (
        at < count and hand.card[at] == card and card != HIDDEN
    ):  # one more known copy for each bit
        both = int(hand.known[at]) & known
        hand.known[at] |= known
        known = both
        at += 1
    for i in range(count, at, -1):
        hand.card[i] = hand.card[i - 1]
        hand.known[i] = hand.known[i - 1]
    hand.card[at] = card
    hand.known[at] = known
    hand.count = count + 1


@kernel
def take_seen(hand, card):
    """One copy of a card leaves a hand before everybody's eyes. Returns the mask of those who knew of it."""
    return take_at(hand, find(hand, card))[1]


@kernel
def take_unseen(hand, card, seen_by):
    """One copy leaves a hand; only the players in `seen_by` see which: the others lose track of the whole hand."""
    known = take_at(hand, find(hand, card))[1]
    for i in range(int(hand.count)):
        hand.known[i] &= seen_by
    return known & seen_by


@kernel
def show_card(hand, card, copies, seen_by):
    """The players in `seen_by` looked at `copies` copies of a card at once: they know at least so many are there."""
    first = find(hand, card)
    for i in range(first, first + copies):
        hand.known[i] |= seen_by


@kernel
def show_hand(hand, seen_by):
    """The players in `seen_by` looked at the whole hand."""
    for i in range(int(hand.count)):
        hand.known[i] |= seen_by


@kernel
def list_cards(hand, base, out, n):
    """Append `base + card` for each distinct card of a hand to out[n..], ascending; returns the new n."""
    last = HIDDEN
    for i in range(int(hand.count)):
        card = int(hand.card[i])
        if card != last:
            out[n] = base + card
            n += 1
            last = card
    return n


# --- what a player sees, and what he may suppose -----------------------------------------------------------


@kernel
def redact_pile(pile, viewer):
    """Blank the cards of an ordered pile that the viewer does not know; other players' knowledge is blanked too."""
    bit = 1 << viewer
    for i in range(int(pile.count)):
        if int(pile.known[i]) & bit:
            pile.known[i] = bit
        else:
            pile.card[i] = HIDDEN
            pile.known[i] = UNSEEN


@kernel
def redact_hand(hand, viewer):
    """The same for a hand: unknown cards come first, so that their place tells nothing."""
    bit = 1 << viewer
    count = int(hand.count)
    seen = count
    for i in range(count - 1, -1, -1):  # known cards move up, order kept
        if int(hand.known[i]) & bit:
            seen -= 1
            hand.card[seen] = hand.card[i]
    for i in range(count):
        if i < seen:
            hand.card[i] = HIDDEN
            hand.known[i] = UNSEEN
        else:
            hand.known[i] = bit


@kernel
def count_out(pile, supply):
    """Take the cards that a view shows in this pile out of `supply`, an array of copies per card."""
    for i in range(int(pile.count)):
        if pile.card[i] != HIDDEN:
            supply[pile.card[i]] -= 1


@kernel
def fill_pool(supply, pool):
    """Write what is left of a supply into `pool`, ascending; returns how many cards that are."""
    n = 0
    for card in range(supply.size):
        for _ in range(int(supply[card])):
            pool[n] = card
            n += 1
    return n


@kernel
def deal_pile(pile, pool, left, rng):
    """Give each hidden slot of an ordered pile a random card of pool[0..left-1]; returns how many are left."""
    for i in range(int(pile.count)):
        if pile.card[i] == HIDDEN:
            j = below(rng, left)
            left -= 1
            pile.card[i] = pool[j]
            pool[j] = pool[left]
    return left


@kernel
def deal_hand(hand, pool, left, rng, owners):
    """The same for a hand, which stays sorted; the players in `owners` know all its cards afterwards."""
    hidden = 0
    count = int(hand.count)
    while hidden < count and hand.card[hidden] == HIDDEN:
        hidden += 1
    for i in range(hidden, count):  # close up over the hidden slots
        hand.card[i - hidden] = hand.card[i]
        hand.known[i - hidden] = int(hand.known[i]) | owners
    for i in range(count - hidden, count):
        hand.card[i] = EMPTY
        hand.known[i] = UNSEEN
    hand.count = count - hidden
    for _ in range(hidden):
        j = below(rng, left)
        left -= 1
        insert(hand, int(pool[j]), owners)
        pool[j] = pool[left]
    return left


# --- bags -------------------------------------------------------------------------------------------------


@kernel
def total(bag):
    """How many pieces a bag (an array of counts per kind) holds."""
    held = 0
    for kind in range(bag.size):
        held += int(bag[kind])
    return held


@kernel
def draw(bag, rng):
    """Take a random piece out of a non-empty bag; returns its kind."""
    at = below(rng, total(bag))
    kind = 0
    while at >= bag[kind]:
        at -= int(bag[kind])
        kind += 1
    bag[kind] -= 1
    return kind
