"""What the player to act may do; every list is written in ascending order."""

from engines.kernel import kernel
from engines.piles import list_cards
from engines.records import OVER
from engines.sacrificio.actions import (
    ANSWER_INDEX,
    ATTACK,
    ATTACK_INDEX,
    CLEANSE,
    CLEANSE_INDEX,
    DISCARD,
    EXCHANGE_FOR,
    FINISH_INDEX,
    FOREIGN,
    GOAL,
    LUNAR,
    PASS,
    PAY,
    PLACE,
    PLACE_INDEX,
    REACT,
    REMOVE,
    REPOSITION,
    RITUAL,
    SOLAR,
    STACK,
    STACK_INDEX,
    STOP,
    TAKE,
    TEMPLE,
    TOP,
    WIPE,
    ZERO,
)
from engines.sacrificio.rules.questions import answers_of, segment_cards
from engines.sacrificio.rules.zones import (
    are_rivals,
    free_slots,
    has_colour,
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
        return ended_by(STOP, out, ended_by(ZERO, out, 0))
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
    hand = state.seat[player].hand
    held = 0
    for i in range(int(hand.count)):
        held |= 1 << int(hand.card[i])
    n = list_places(state, held, out)
    n = list_stacks(state, player, held, out, n)
    if held >> Card.EL & 1 and state.temples.count > 0:
        n = list_sites(state, LUNAR, out, n)
    if held >> Card.ES & 1:
        n = list_swaps(state, player, out, n)
    n = list_cleanses(state, held, out, n)
    n = list_rituals(state, player, held, out, n)
    n = list_foreign_rituals(state, player, held, out, n)
    n = list_attacks(state, player, held, out, n)
    n = list_mask(movable_cards(state.seat[player]), SLOTS, REPOSITION, out, n)
    n = list_exchanges(state, hand, out, n)
    n = list_cards(hand, DISCARD, out, n)
    if held >> Card.ZE & 1:
        n = ended_by(ZERO, out, n)
    return n


@kernel
def list_places(state, held, out):
    """R14 Cards for slots, in every zone."""
    n = 0
    players = int(state.players)
    free = 0  # the free slots of all zones side by side
    for owner in range(players):
        free |= free_slots(state.seat[owner]) << (SLOTS * owner)
    for card in range(1, Card.SP + 1):
        index = PLACE_INDEX[card]
        if held >> card & 1 and index >= 0:
            for owner in range(players):
                mask = free >> (SLOTS * owner) & ((1 << SLOTS) - 1)
                mask = slots_for(state, state.seat[owner], card, mask)
                n = list_mask(mask, SLOTS, PLACE + (index * MOST_PLAYERS + owner) * SLOTS, out, n)
    return n


@kernel
def list_stacks(state, player, held, out, n):
    """R23 Cards for the piles on temples: a solar eclipse on an own one, the others on any."""
    if held >> Card.ES & 1:
        base = STACK + player * SITES
        n = list_mask(standing_temples(state.seat[player]), SITES, base, out, n)
    for card in range(Card.EL, Card.CU + 1):
        if held >> card & 1 and STACK_INDEX[card] >= 0:
            n = list_sites(state, STACK + STACK_INDEX[card] * MOST_PLAYERS * SITES, out, n)
    return n


@kernel
def list_sites(state, base, out, n):
    """Every temple of every zone."""
    for owner in range(int(state.players)):
        sites = standing_temples(state.seat[owner])
        n = list_mask(sites, SITES, base + owner * SITES, out, n)
    return n


@kernel
def list_swaps(state, player, out, n):
    """R32 An own temple against one of another player, the partner included."""
    own = standing_temples(state.seat[player])
    for site in range(SITES):
        if own >> site & 1:
            for owner in range(int(state.players)):
                if owner != player:
                    base = SOLAR + (site * MOST_PLAYERS + owner) * SITES
                    n = list_mask(standing_temples(state.seat[owner]), SITES, base, out, n)
    return n


@kernel
def list_cleanses(state, held, out, n):
    """R24 A supreme against an active curse in any zone."""
    for card in range(Card.SV, Card.SD + 1):
        if held >> card & 1:
            for owner in range(int(state.players)):
                base = CLEANSE + (CLEANSE_INDEX[card] * MOST_PLAYERS + owner) * SITES
                n = list_mask(cursed_temples(state.seat[owner]), SITES, base, out, n)
    return n


@kernel
def cursed_temples(seat):
    """The mask of sites under an active curse."""
    sites = 0
    for site in range(SITES):
        if seat.spirits[site].cursed:
            sites |= 1 << site
    return sites


@kernel
def list_rituals(state, player, held, out, n):
    """R25 Ready temples of the own zone."""
    ready = ready_temples(state.seat[player])
    if ready:
        for card in range(Card.DR, Card.SD + 1):
            if held >> card & 1 and FINISH_INDEX[card] >= 0:
                mask = fitting(state.seat[player], ready, card)
                n = list_mask(mask, SITES, RITUAL + FINISH_INDEX[card] * SITES, out, n)
    return n


@kernel
def list_foreign_rituals(state, player, held, out, n):
    """R27 Ready temples in rivals' zones; the ready temples of all zones stand side by side in one mask."""
    ready = 0
    for owner in range(int(state.players)):
        if may_finish(state, player, owner):
            ready |= ready_temples(state.seat[owner]) << (SITES * owner)
    if ready:
        for card in range(Card.DR, Card.SD + 1):
            if held >> card & 1 and FINISH_INDEX[card] >= 0:
                for owner in range(int(state.players)):
                    mask = ready >> (SITES * owner) & ((1 << SITES) - 1)
                    mask = fitting(state.seat[owner], mask, card)
                    base = FOREIGN + (FINISH_INDEX[card] * MOST_PLAYERS + owner) * SITES
                    n = list_mask(mask, SITES, base, out, n)
    return n


@kernel
def ready_temples(seat):
    """The mask of sites whose temple needs nothing but a dagger."""
    sites = 0
    for site in range(SITES):
        if is_ready(seat, site):
            sites |= 1 << site
    return sites


@kernel
def fitting(seat, sites, card):
    """Those of some temples that a card may finish: its colour, or any with a Kukulkan or supreme dagger."""
    if card > LAST_TAKEABLE:
        return sites
    for site in range(SITES):
        if TEMPLE_DAGGER[seat.temple[site]] != card:
            sites &= ~(1 << site)
    return sites


@kernel
def list_attacks(state, player, held, out, n):
    """R30 Priests in rivals' zones, by a dagger of a colour that stands next to them."""
    if not state.rules.attacks:
        return n
    for card in range(Card.DR, Card.SD + 1):
        if held >> card & 1 and ATTACK_INDEX[card] >= 0:
            for owner in range(int(state.players)):
                if are_rivals(state, player, owner):
                    base = ATTACK + (ATTACK_INDEX[card] * MOST_PLAYERS + owner) * SLOTS
                    mask = targets_of(state, state.seat[owner], card)
                    n = list_mask(mask, SLOTS, base, out, n)
    return n


@kernel
def targets_of(state, seat, card):
    """R30 The mask of slots of a zone that a dagger may attack."""
    mortal = PRIESTS | VICTIMS if state.rules.kill_victims else PRIESTS
    slots = 0
    for slot in range(SLOTS):
        if mortal >> int(seat.slots[slot]) & 1 and has_colour(seat, slot, card):
            slots |= 1 << slot
    return slots


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
