"""What the player to act may do; every list is written in ascending order."""

from engines.kernel import kernel
from engines.piles import list_cards
from engines.records import OVER

from ..actions import (
    ANSWER_INDEX,
    CURSE,
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
from ..tables import (
    AFFORDED,
    ALL_PRIEST_SLOTS,
    ANY_CARD,
    COPY_BITS,
    EXCHANGE_START,
    EXCHANGES,
    FAMILY_SIZE,
    HAND_ROOM,
    KINDS_OF_TEMPLES,
    LAST_TAKEABLE,
    MOST_COPIES,
    MOST_PLAYERS,
    PRIEST_SLOTS,
    SITES,
    SLOTS,
    Card,
    Phase,
)
from .aimed import ONE_ZONE, list_aimed, list_mask, sites_for
from .questions import (
    answers_of,
    cards_of,
    holds_one_of,
    pending_move,
    segment_cards,
    sites_hit,
)
from .zones import (
    are_rivals,
    free_slots,
    slots_with,
)

MOVABLE = ANY_CARD & ~(1 << Card.PU)  # R35 what may be repositioned


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
        n = ended_by(PASS, out, list_answers(state, player, out))
        return list_curses(state, player, out, n)
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


# --- moves ------------------------------------------------------------------------------------------------


@kernel
def list_moves(state, player, out):
    """R10 Every move; a discard is always among them."""
    seat = state.seat[player]
    held = cards_of(seat.hand)
    n = list_aimed(state, player, held, out)
    if held >> Card.ES & 1:
        n = list_swaps(state, player, out, n)
    n = list_mask(slots_with(seat, MOVABLE), SLOTS, REPOSITION, out, n)  # R35
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
def list_swaps(state, player, out, n):
    """R32 An own temple against one of another player, the partner included."""
    standing = sites_for(state, player, Kind.STACK)
    others = standing & ~(ONE_ZONE << (SITES * player))
    for site in range(SITES):
        if standing >> (SITES * player + site) & 1:
            base = SOLAR + site * MOST_PLAYERS * SITES
            n = list_mask(others, SITES * int(state.players), base, out, n)
    return n


@kernel
def list_exchanges(state, hand, out, n):
    """R38 Cards of one family for the supreme of the family, if one is left."""
    cost = int(state.rules.cost)
    start = EXCHANGE_START[cost]
    size = EXCHANGE_START[cost + 1] - start
    copies = count_copies(hand) >> COPY_BITS  # card 1 first
    for family in range(FAMILY_SIZE):
        afforded = AFFORDED[0, copies & MOST_COPIES]
        afforded &= AFFORDED[1, copies >> COPY_BITS & MOST_COPIES]
        afforded &= AFFORDED[2, copies >> (2 * COPY_BITS) & MOST_COPIES]
        afforded = afforded >> start & ((1 << size) - 1)
        if afforded and state.centre[Card.SV + family] > 0:
            base = EXCHANGE_FOR + family * len(EXCHANGES) + start
            n = list_mask(afforded, size, base, out, n)
        copies >>= FAMILY_SIZE * COPY_BITS
    return n


@kernel
def count_copies(hand):
    """How many of each takeable card are in a hand, COPY_BITS for each; above them all other cards together."""
    copies = 0
    for i in range(HAND_ROOM):
        copies += 1 << (COPY_BITS * min(int(hand.card[i]), LAST_TAKEABLE + 1))
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
def list_curses(state, player, out, n):
    """R44 A curse on the right one of two temples that the pending move hits; `react CU` is for the left one."""
    if answers_of(state) & (1 << Card.CU) and holds_one_of(state.seat[player].hand, 1 << Card.CU):
        sites = sites_hit(state, pending_move(state))
        n = list_mask(sites & (sites - 1), SITES, CURSE, out, n)
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
