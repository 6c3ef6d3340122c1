"""The moves that put a card of the hand somewhere in somebody's zone, listed in ascending order.

A mask of *all sites* or *all slots* has those of every zone side by side, player 0's first, as the actions have.
"""

from engines.kernel import kernel
from engines.sacrificio.actions import FIRST_ACTION, Kind
from engines.sacrificio.rules.questions import cards_of
from engines.sacrificio.rules.zones import (
    are_rivals,
    free_slots,
    is_ready,
    may_finish,
    near_pulque,
    slots_with,
    standing_temples,
    victim_row,
)
from engines.sacrificio.tables import (
    ALL_PRIEST_SLOTS,
    ANY_DAGGER,
    CARD_LOOK,
    CARD_VICTIM,
    LAST_TAKEABLE,
    MOST_PLAYERS,
    PRIEST_SLOTS,
    PRIESTS,
    SITES,
    SLOTS,
    SLOTS_OF_SITE,
    STACKING,
    SUPREMES,
    TEMPLE_DAGGER,
    VICTIM_SITES,
    VICTIMS,
    Card,
)

ONE_ZONE = (1 << SITES) - 1
PRIEST_SLOTS_OF_ALL = sum(ALL_PRIEST_SLOTS << (SLOTS * owner) for owner in range(MOST_PLAYERS))


@kernel
def list_aimed(state, player, out):
    """R14, R23-R25, R27, R30, R33 The moves of all these kinds; most hands have cards for few of them."""
    held = cards_of(state.seat[player].hand)
    n = list_placements(state, player, out)
    if held & STACKING:
        standing = all_standing(state)
        n = list_at_sites(state, player, Kind.STACK, standing, 0, out, n)
        if held >> Card.EL & 1 and state.temples.count > 0:
            n = list_at_sites(state, player, Kind.LUNAR, standing, 0, out, n)
    if held & SUPREMES:
        n = list_at_sites(state, player, Kind.CLEANSE, all_cursed(state), 0, out, n)
    ready = all_ready(state)
    if ready:
        n = list_rituals(state, player, ready, out, n)
    if held & ANY_DAGGER and state.rules.attacks:
        n = list_attacks(state, player, out, n)
    return n


@kernel
def list_mask(mask, size, base, out, n):
    """Append `base + i` for each bit i < size of a mask."""
    for i in range(size):  # written always and counted if right: faster than a branch
        out[n] = base + i
        n += mask >> i & 1
    return n


# --- into slots -------------------------------------------------------------------------------------------


@kernel
def list_placements(state, player, out):
    """R14 Every card that stands on the table, in every free slot that is open to it."""
    hand = state.seat[player].hand
    players = int(state.players)
    free = 0
    for owner in range(players):
        free |= free_slots(state.seat[owner]) << (SLOTS * owner)
    n = 0
    last = 0
    for i in range(int(hand.count)):
        card = int(hand.card[i])
        first = FIRST_ACTION[Kind.PLACE, card]
        if card != last and first >= 0:
            n = list_mask(slots_for(state, card, free), SLOTS * players, first, out, n)
        last = card
    return n


@kernel
def slots_for(state, card, free):
    """R14, R20-R22 In which of all free slots a card may be placed."""
    slots = 0
    if CARD_LOOK[card] > 0:
        slots = free & PRIEST_SLOTS_OF_ALL
        if card == Card.PU and not state.rules.free_pulque:
            for owner in range(int(state.players)):
                slots &= ~(near_pulque(state.seat[owner]) << (SLOTS * owner))
    if CARD_VICTIM[card] > 0:
        slots |= free & victim_slots(state, CARD_VICTIM[card])
    return slots


@kernel
def victim_slots(state, look):
    """R20 The victim slots of all zones in which one more victim agrees with the others."""
    slots = 0
    for owner in range(int(state.players)):
        sites = ONE_ZONE
        if not state.rules.free_victims:
            sites = VICTIM_SITES[victim_row(state.seat[owner]), look]
        slots |= sites << (SLOTS * owner + PRIEST_SLOTS)
    return slots


@kernel
def list_attacks(state, player, out, n):
    """R30, R31 Every dagger against the rivals' priests next to temples that ask for it."""
    hand = state.seat[player].hand
    mortal = PRIESTS | VICTIMS if state.rules.kill_victims else PRIESTS
    last = 0
    for i in range(int(hand.count)):
        card = int(hand.card[i])
        first = FIRST_ACTION[Kind.ATTACK, card]
        if card != last and first >= 0:
            for owner in range(int(state.players)):
                if are_rivals(state, player, owner):
                    seat = state.seat[owner]
                    targets = slots_with(seat, mortal) & reach_of(seat, card)
                    n = list_mask(targets, SLOTS, first + SLOTS * owner, out, n)
        last = card
    return n


@kernel
def reach_of(seat, card):
    """R30 The mask of the slots of a zone next to temples that ask for a dagger."""
    reach = 0
    for site in range(SITES):
        temple = int(seat.temple[site])
        if temple != 0 and (card == Card.SD or TEMPLE_DAGGER[temple] == card):
            reach |= SLOTS_OF_SITE[site]
    return reach


# --- on temples -------------------------------------------------------------------------------------------


@kernel
def list_at_sites(state, player, kind, sites, skipped, out, n):
    """The moves of one kind at some of all sites, card by card; actions count the sites from `skipped` on."""
    hand = state.seat[player].hand
    size = SITES * int(state.players)
    last = 0
    for i in range(int(hand.count)):
        card = int(hand.card[i])
        first = FIRST_ACTION[kind, card]
        if card != last and first >= 0:
            fitting = sites
            if card == Card.ES:
                fitting &= ONE_ZONE << (SITES * player)  # R23
            elif card <= LAST_TAKEABLE:
                fitting &= all_asking(state, card)  # R25
            n = list_mask(fitting, size, first - skipped, out, n)
        last = card
    return n


@kernel
def list_rituals(state, player, ready, out, n):
    """R25, R27 The ready temples that a card finishes: own ones, then those of rivals."""
    own = ONE_ZONE << (SITES * player)
    if ready & own:
        n = list_at_sites(state, player, Kind.RITUAL, ready & own, SITES * player, out, n)
    foreign = ready & ~own
    for owner in range(int(state.players)):
        if foreign >> (SITES * owner) & ONE_ZONE and not may_finish(state, player, owner):
            foreign &= ~(ONE_ZONE << (SITES * owner))
    if foreign:
        n = list_at_sites(state, player, Kind.FOREIGN, foreign, 0, out, n)
    return n


@kernel
def all_standing(state):
    """All sites with a temple."""
    sites = 0
    for owner in range(int(state.players)):
        sites |= standing_temples(state.seat[owner]) << (SITES * owner)
    return sites


@kernel
def all_cursed(state):
    """R24 All sites with a temple under an active curse."""
    sites = 0
    for owner in range(int(state.players)):
        seat = state.seat[owner]
        for site in range(SITES):
            if seat.temple[site] != 0 and seat.spirits[site].cursed:
                sites |= 1 << (SITES * owner + site)
    return sites


@kernel
def all_ready(state):
    """R25 All sites whose temple needs nothing but a dagger."""
    sites = 0
    for owner in range(int(state.players)):
        for site in range(SITES):
            if is_ready(state.seat[owner], site):
                sites |= 1 << (SITES * owner + site)
    return sites


@kernel
def all_asking(state, card):
    """R25 All sites whose temple asks for a dagger."""
    sites = 0
    for owner in range(int(state.players)):
        for site in range(SITES):
            if TEMPLE_DAGGER[int(state.seat[owner].temple[site])] == card:
                sites |= 1 << (SITES * owner + site)
    return sites
