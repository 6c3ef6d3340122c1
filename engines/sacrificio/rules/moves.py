"""What the moves do once nobody has denied them."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, insert, pop, push_under, take_seen

from ..actions import (
    ACTION_CARD,
    ACTION_KIND,
    ACTION_OTHER,
    ACTION_SPOT,
    Kind,
)
from ..state import REMOVED
from ..tables import (
    ECLIPSES,
    EXCHANGE,
    EXCHANGES,
    FAMILY_SIZE,
    Card,
    Phase,
)
from .questions import (
    first_site,
    next_to_answer,
    owner_of,
    pending_move,
    sites_hit,
)
from .ritual import sacrifice
from .zones import discard, drop_spirits, is_pile_left, show_top, stack


@kernel
def ask_next(state, last):
    """R40 Ask the next player who may answer the pending move, or carry it out."""
    other = next_to_answer(state, last)
    if other >= 0:
        state.phase = Phase.REACT
        state.to_act = other
    else:
        carry_out(state, pending_move(state))
        settle_move(state)


@kernel
def settle_move(state):
    """R10 The pending move is over, denied or not: a discard goes on, any other move is spent."""
    kind = int(ACTION_KIND[pending_move(state)])
    state.pending = 0
    if kind == Kind.WIPE:
        after_wipe(state)
    else:
        spend(state)


@kernel
def after_wipe(state):
    """R34 A discard goes on; a reposition, paid for with the eclipse, is over: it has discarded no cards as a move."""
    if state.steps > 0:
        state.phase = Phase.MORE
    else:
        spend(state)


@kernel
def spend(state):
    """R10 One move of the turn is used."""
    state.moves_left -= 1
    state.phase = Phase.MOVE


@kernel
def carry_out(state, action):
    """The pending move takes effect."""
    kind = int(ACTION_KIND[action])
    card = int(ACTION_CARD[action])
    owner = owner_of(state, action)
    spot = int(ACTION_SPOT[action])
    if kind == Kind.PLACE:
        state.seat[owner].slots[spot] = card
    elif kind == Kind.STACK:
        stack(state.seat[owner].spirits[spot], card)
    elif kind == Kind.LUNAR:
        replace_temple(state, owner, spot)
    elif kind == Kind.SOLAR:
        swap_temples(state, spot, owner, int(ACTION_OTHER[action]))
    elif kind == Kind.CLEANSE:
        lift_curse(state, owner, spot)
    elif kind == Kind.ATTACK:
        kill(state, owner, spot)
    elif kind == Kind.WIPE:
        drop_spirits(state, owner, spot)
    else:
        sacrifice(state, owner, spot, card)
    if kind >= Kind.CLEANSE and kind <= Kind.ATTACK:  # these cards stay nowhere in the zone
        discard(state, owner, card)


@kernel
def answer(state, card):
    """R42-R44 A card played out of turn: it undoes the pending move, or is a curse that only adds to it."""
    action = pending_move(state)
    owner = owner_of(state, action)
    kind = int(ACTION_KIND[action])
    if card == Card.CU and kind != Kind.RITUAL and kind != Kind.FOREIGN:
        add_curse(state, first_site(sites_hit(state, action)))
    elif card == Card.CU:  # R44
        stack(state.seat[owner].spirits[int(ACTION_SPOT[action])], card)
        insert(state.seat[state.active].hand, int(ACTION_CARD[action]), EVERYBODY)
        state.pending = 0
        state.phase = Phase.MOVE
    else:
        if ACTION_KIND[action] != Kind.WIPE:
            discard(state, owner, int(ACTION_CARD[action]))
        discard(state, owner, card)
        settle_move(state)


@kernel
def add_curse(state, site):
    """R44 The pending move takes effect, then a curse lies active on a temple that it hit."""
    action = pending_move(state)
    carry_out(state, action)
    stack(state.seat[owner_of(state, action)].spirits[site], Card.CU)
    settle_move(state)


# --- single moves -----------------------------------------------------------------------------------------


@kernel
def replace_temple(state, owner, site):
    """R33 A lunar eclipse puts a temple under the temple pile and the top one in its place."""
    seat = state.seat[owner]
    old = int(seat.temple[site])
    seat.temple[site] = pop(state.temples)[0]
    if state.rules.lunar_out:
        state.gone |= 1 << old
    else:
        push_under(state.temples, old, EVERYBODY)
    show_top(state)
    stack(seat.spirits[site], Card.EL)


@kernel
def swap_temples(state, site, owner, other):
    """R32 A solar eclipse swaps two temples with their piles, and lies on the one received."""
    player = int(state.active)
    here = state.seat[player]
    there = state.seat[owner]
    temple = int(here.temple[site])
    here.temple[site] = there.temple[other]
    there.temple[other] = temple
    mine = here.spirits[site]
    theirs = there.spirits[other]
    for i in range(max(int(mine.count), int(theirs.count))):
        card = int(mine.card[i])
        mine.card[i] = theirs.card[i]
        theirs.card[i] = card
    count = int(mine.count)
    mine.count = theirs.count
    theirs.count = count
    cursed = int(mine.cursed)
    mine.cursed = theirs.cursed
    theirs.cursed = cursed
    stack(theirs if state.rules.lands_given else mine, Card.ES)


@kernel
def lift_curse(state, owner, site):
    """R24 An active curse goes to the cenote of the zone; the cards below it stay as they are."""
    spirits = state.seat[owner].spirits[site]
    spirits.count -= 1
    spirits.card[spirits.count] = 0
    spirits.cursed = 0
    state.seat[owner].under[Card.CU] += 1


@kernel
def kill(state, owner, slot):
    """R30 The attacked card goes to the cenote of the zone."""
    slots = state.seat[owner].slots
    discard(state, owner, int(slots[slot]))
    slots[slot] = 0


@kernel
def after_discard(state, card):
    """R34, R37 One more card lies on the own cenote; an eclipse may wipe a pile."""
    state.steps += 1
    state.phase = Phase.WIPE if may_wipe(state, card) else Phase.MORE


@kernel
def may_wipe(state, card):
    """R34 Whether a card is an eclipse and there is a pile that it could wipe."""
    return (ECLIPSES >> card & 1) > 0 and is_pile_left(state)


@kernel
def reposition(state, player, payment):
    """R34, R35 Once it is paid for, the card moves or goes to the own cenote; an eclipse paid may wipe a pile."""
    slots = state.seat[player].slots
    source = int(state.source) - 1
    moved = int(slots[source])
    slots[source] = 0
    if state.goal == REMOVED:
        discard(state, player, moved)
    else:
        slots[int(state.goal) - 1] = moved
    state.source = 0
    state.goal = 0
    if state.rules.payment_wipes and may_wipe(state, payment):
        state.phase = Phase.WIPE
    else:
        spend(state)


@kernel
def exchange(state, player, number):
    """R38 Cards of one family go to the own cenote, a supreme comes to the hand."""
    family = number // len(EXCHANGES)
    number -= family * len(EXCHANGES)
    hand = state.seat[player].hand
    for kind in range(FAMILY_SIZE):
        card = 1 + FAMILY_SIZE * family + kind
        for _ in range(EXCHANGE[number, kind]):
            take_seen(hand, card)
            discard(state, player, card)
    supreme = Card.SV + family
    state.centre[supreme] -= 1
    insert(hand, supreme, EVERYBODY)
    spend(state)
