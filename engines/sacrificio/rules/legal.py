"""What the player to act may do; every list is written in ascending order."""

from engines.kernel import kernel
from engines.piles import list_cards
from engines.records import OVER
from engines.sacrificio.actions import (
    AIMED,
    AIMED_BASE,
    AIMED_INDEX,
    AIMED_SIZE,
    AIMED_SPAN,
    ANSWER_INDEX,
    DISCARD,
    EXCHANGE_FOR,
    GOAL,
    PASS,
    PAY,
    REACT,
    REMOVE,
    REPOSITION,
    SOLAR,
    STOP,
    TAKE,
    TEMPLE,
    TOP,
    WIPE,
    ZERO,
    Kind,
)
from engines.sacrificio.rules.questions import answers_of, holds_one_of, segment_cards
from engines.sacrificio.rules.zones import (
    are_rivals,
    free_slots,
    is_ready,
    may_finish,
    slots_for,
    standing_temples,
)
from engines.sacrificio.tables import (
    ALL_PRIEST_SLOTS,
    EXCHANGE,
    EXCHANGE_START,
    EXCHANGES,
    FAMILY_SIZE,
    KINDS_OF_TEMPLES,
    LAST_TAKEABLE,
    MOST_PLAYERS,
    PRIEST_SLOTS,
    PRIESTS,
    SITES,
    SLOTS,
    SLOTS_OF_SITE,
    TEMPLE_DAGGER,
    VICTIMS,
    Card,
    Phase,
)


@kernel
def legal_actions(states, out):
    """Write the legal actions of `to_act` to `out`, ascending; returns how many."""
    state = states[0]
    if state.to_act == OVER:
        return 0
    player = int(state.to_act)
    phase = int(state.phase)
    hand = state.seat[player].hand
    if phase == Phase.MOVE:
        return list_moves(state, player, out)
    if phase == Phase.REACT:
        return ended_by(PASS, out, list_answers(state, player, out))
    if phase == Phase.MORE:
        return ended_by(STOP, out, list_cards(hand, DISCARD, out, 0))
    if phase == Phase.PAY:
        return list_cards(hand, PAY, out, 0)
    if phase == Phase.GOAL:
        return ended_by(REMOVE, out, list_goals(state, player, out))
    if phase == Phase.COLLECT:
        return ended_by(STOP, out, list_cenotes(state, player, out))
    if phase == Phase.ARRANGE:
        return list_tops(state, out)
    if phase == Phase.WIPE:
        return list_wipes(state, out)
    if phase == Phase.EXTRA:
        return ended_by(STOP, out, list_zero(hand, out, 0))
    return list_temples(state, player, out)


@kernel
def ended_by(action, out, n):
    """One more action at the end of a list."""
    out[n] = action
    return n + 1


@kernel
def list_mask(mask, size, base, out, n):
    """Append `base + i` for each bit i < size of a mask."""
    for i in range(size):  # written always and counted if right: faster than a branch
        out[n] = base + i
        n += mask >> i & 1
    return n


# --- moves ------------------------------------------------------------------------------------------------


@kernel
def list_moves(state, player, out):
    """R10 Every move; a discard is always among them."""
    seat = state.seat[player]
    n = list_aimed(state, player, out)
    if holds_one_of(seat.hand, 1 << Card.ES):
        n = list_swaps(state, player, out, n)
    n = list_mask(movable_cards(seat), SLOTS, REPOSITION, out, n)
    n = list_exchanges(state, seat.hand, out, n)
    n = list_cards(seat.hand, DISCARD, out, n)
    return list_zero(seat.hand, out, n)


@kernel
def list_zero(hand, out, n):
    """R39 A zero, if the hand holds one; in a hand that others imagine it may be missing."""
    if holds_one_of(hand, 1 << Card.ZE):
        n = ended_by(ZERO, out, n)
    return n


@kernel
def list_aimed(state, player, out):
    """R14, R23-R25, R27, R30, R33 The moves that put a card of the hand somewhere in somebody's zone."""
    hand = state.seat[player].hand
    players = int(state.players)
    free = 0  # the free slots of all zones side by side
    sites = 0  # and their sites: with a temple, with a cursed one, with a ready one
    for owner in range(players):
        free |= free_slots(state.seat[owner]) << (SLOTS * owner)
        sites |= standing_of(state.seat[owner]) << (3 * SITES * owner)
    n = 0
    for kind in range(AIMED):
        last = 0
        for i in range(int(hand.count)):
            card = int(hand.card[i])
            index = AIMED_INDEX[kind, card]
            if card != last and index >= 0:
                base = AIMED_BASE[kind] + index * AIMED_SPAN[kind]
                for owner in range(players):
                    own_free = free >> (SLOTS * owner) & ((1 << SLOTS) - 1)
                    own_sites = sites >> (3 * SITES * owner)
                    mask = places_for(state, player, kind, card, owner, own_free, own_sites)
                    offset = 0 if kind == Kind.RITUAL else owner * AIMED_SIZE[kind]
                    n = list_mask(mask, AIMED_SIZE[kind], base + offset, out, n)
            last = card
    return n


@kernel
def standing_of(seat):
    """The masks of sites with a temple, under an active curse, and ready, side by side."""
    sites = 0
    for site in range(SITES):
        if seat.temple[site] != 0:
            sites |= 1 << site
            if seat.spirits[site].cursed:
                sites |= 1 << (SITES + site)
            if is_ready(seat, site):
                sites |= 1 << (2 * SITES + site)
    return sites


@kernel
def places_for(state, player, kind, card, owner, free, sites):
    """The mask of slots or sites of a zone where a move may put a card, given its free slots and its sites."""
    seat = state.seat[owner]
    temples = sites & ((1 << SITES) - 1)
    if kind == Kind.PLACE:
        return slots_for(state, seat, card, free)
    if kind == Kind.STACK:
        return 0 if card == Card.ES and owner != player else temples
    if kind == Kind.LUNAR:
        return temples if state.temples.count > 0 else 0
    if kind == Kind.CLEANSE:
        return sites >> SITES & ((1 << SITES) - 1)
    if kind == Kind.ATTACK:
        aimed = state.rules.attacks > 0 and are_rivals(state, player, owner)
        return targets_of(state, seat, card) if aimed else 0
    if owner == player:
        may = kind == Kind.RITUAL
    else:
        may = kind == Kind.FOREIGN and may_finish(state, player, owner)
    return fitting(seat, sites >> (2 * SITES) & ((1 << SITES) - 1), card) if may else 0


@kernel
def fitting(seat, sites, card):
    """R25 Those of some temples that a card may finish: its colour, or any with KU or SD."""
    if card <= LAST_TAKEABLE:
        for site in range(SITES):
            if TEMPLE_DAGGER[seat.temple[site]] != card:
                sites &= ~(1 << site)
    return sites


@kernel
def targets_of(state, seat, card):
    """R30, R31 The mask of slots of a rival's zone that a dagger may attack."""
    mortal = PRIESTS | VICTIMS if state.rules.kill_victims else PRIESTS
    reach = 0  # the slots next to temples that ask for this dagger
    for site in range(SITES):
        temple = int(seat.temple[site])
        if temple != 0 and (card == Card.SD or TEMPLE_DAGGER[temple] == card):
            reach |= SLOTS_OF_SITE[site]
    slots = 0
    for slot in range(SLOTS):
        slots |= (mortal >> int(seat.slots[slot]) & reach >> slot & 1) << slot
    return slots


@kernel
def list_swaps(state, player, out, n):
    """R32 An own temple against one of another player, the partner included."""
    own = standing_temples(state.seat[player])
    for site in range(SITES):
        for owner in range(int(state.players)):
            if own >> site & 1 and owner != player:
                base = SOLAR + (site * MOST_PLAYERS + owner) * SITES
                n = list_mask(standing_temples(state.seat[owner]), SITES, base, out, n)
    return n


@kernel
def movable_cards(seat):
    """R35 The mask of the cards of a zone that may be repositioned: all but pulques."""
    slots = 0
    for slot in range(SLOTS):
        if seat.slots[slot] != 0 and seat.slots[slot] != Card.PU:
            slots |= 1 << slot
    return slots


@kernel
def list_exchanges(state, hand, out, n):
    """R38 Cards of one family for the supreme of the family, if one is left."""
    cost = int(state.rules.cost)
    for family in range(FAMILY_SIZE):
        if state.centre[Card.SV + family] > 0:
            first = 1 + FAMILY_SIZE * family
            a = copies_held(hand, first)
            b = copies_held(hand, first + 1)
            c = copies_held(hand, first + 2)
            if a + b + c >= cost:
                base = EXCHANGE_FOR + family * len(EXCHANGES)
                for i in range(EXCHANGE_START[cost], EXCHANGE_START[cost + 1]):
                    if EXCHANGE[i, 0] <= a and EXCHANGE[i, 1] <= b and EXCHANGE[i, 2] <= c:
                        n = ended_by(base + i, out, n)
    return n


@kernel
def copies_held(hand, card):
    """Copies of a card in a hand."""
    copies = 0
    for i in range(int(hand.count)):
        if hand.card[i] == card:
            copies += 1
    return copies


# --- everything else --------------------------------------------------------------------------------------


@kernel
def list_answers(state, player, out):
    """R41 The cards in hand that may answer the pending move."""
    answers = answers_of(state)
    hand = state.seat[player].hand
    n = 0
    last = 0
    for i in range(int(hand.count)):
        card = int(hand.card[i])
        if card != last and answers >> card & 1:
            n = ended_by(REACT + ANSWER_INDEX[card], out, n)
        last = card
    return n


@kernel
def list_goals(state, player, out):
    """R35 Free slots of the same kind in the own zone."""
    kind = ALL_PRIEST_SLOTS
    if state.source > PRIEST_SLOTS:
        kind = ((1 << SITES) - 1) << PRIEST_SLOTS
    return list_mask(free_slots(state.seat[player]) & kind, SLOTS, GOAL, out, 0)


@kernel
def list_wipes(state, out):
    """R34 Every pile on the table, or none of them."""
    n = 0
    for owner in range(int(state.players)):
        for site in range(SITES):
            if state.seat[owner].spirits[site].count > 0:
                n = ended_by(WIPE + owner * SITES + site, out, n)
    return n if state.rules.must_wipe else ended_by(STOP, out, n)


@kernel
def list_tops(state, out):
    """R47 The kinds of cards that this turn brought to the own cenote and that are not yet in order."""
    return list_mask(segment_cards(state) >> 1, LAST_TAKEABLE, TOP + 1, out, 0)


@kernel
def list_cenotes(state, player, out):
    """R48 Rivals whose cenote has a card to take."""
    n = 0
    for owner in range(int(state.players)):
        if are_rivals(state, player, owner) and state.seat[owner].cenote.count > 0:
            n = ended_by(TAKE + owner, out, n)
    return n


@kernel
def list_temples(state, player, out):
    """R6 The temples dealt and not yet chosen."""
    options = int(state.seat[player].options)
    return list_mask(options >> 1, KINDS_OF_TEMPLES - 1, TEMPLE + 1, out, 0)
