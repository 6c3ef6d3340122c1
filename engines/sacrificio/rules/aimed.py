"""The moves that put a card of the hand somewhere in somebody's zone, listed in ascending order.

A mask of *all sites* or *all slots* has those of every zone side by side, player 0's first, as the actions have.
"""

import numpy as np

from engines.kernel import kernel

from ..actions import CARDS_FOR, FIRST_ACTION, Kind
from ..tables import (
    ALL_PRIEST_SLOTS,
    CARD_LOOK,
    CARD_VICTIM,
    MOST_PLAYERS,
    PRIEST_SLOTS,
    PRIESTS,
    SITES,
    SLOTS,
    SLOTS_OF_SITE,
    TEMPLES_FOR,
    VICTIM_SITES,
    VICTIMS,
    Card,
)
from .questions import first_card
from .zones import (
    are_rivals,
    free_slots,
    is_ready,
    may_finish,
    slots_with,
    victim_row,
)

ONE_ZONE = (1 << SITES) - 1
ROW_BITS = 7  # for a row of VICTIM_SITES
PRIEST_PLACES = np.array(  # by card: the priest slots of all zones, if it goes there
    [
        sum(ALL_PRIEST_SLOTS << (SLOTS * owner) for owner in range(MOST_PLAYERS)) if look else 0
        for look in CARD_LOOK
    ],
    np.int64,
)


@kernel
def list_aimed(state, player, held, out):
    """R14, R23-R25, R27, R30, R33 The moves of all these kinds; most hands have cards for few of them."""
    n = list_placements(state, held & CARDS_FOR[Kind.PLACE], out)
    for kind in range(Kind.STACK, Kind.ATTACK):
        if held & CARDS_FOR[kind]:
            n = list_at_sites(state, player, kind, held & CARDS_FOR[kind], out, n)
    if held & CARDS_FOR[Kind.ATTACK] and state.rules.attacks:
        n = list_attacks(state, player, held & CARDS_FOR[Kind.ATTACK], out, n)
    return n


@kernel
def list_mask(mask, size, base, out, n):
    """Append `base + i` for each bit i < size of a mask."""
    end = np.uint64(n)  # unsigned: an index that might be negative costs as much again
    for i in range(size):  # written always and counted if right: faster than a branch
        out[end] = base + i
        end += np.uint64(mask >> i & 1)
    return np.int64(end)


# --- into slots -------------------------------------------------------------------------------------------


@kernel
def list_placements(state, cards, out):
    """R14 Every card that stands on the table, in every free slot that is open to it."""
    players = int(state.players)
    free = 0
    rows = 0  # of VICTIM_SITES, one for each zone
    for owner in range(players):
        free |= free_slots(state.seat[owner]) << (SLOTS * owner)
        if not state.rules.free_victims:  # else row 0, as if there were no others
            rows |= victim_row(state.seat[owner]) << (ROW_BITS * owner)
    n = 0
    while cards:
        card = first_card(cards)
        slots = free & (PRIEST_PLACES[card] | victim_places(rows, players, CARD_VICTIM[card]))
        if card == Card.PU and not state.rules.free_pulque:
            slots &= ~near_pulques(state)
        n = list_mask(slots, SLOTS * players, FIRST_ACTION[Kind.PLACE, card], out, n)
        cards &= cards - 1
    return n


@kernel
def victim_places(rows, players, look):
    """R20 The victim slots of all zones in which one more victim agrees with the others."""
    slots = 0
    for owner in range(players):
        row = rows >> (ROW_BITS * owner) & ((1 << ROW_BITS) - 1)
        slots |= VICTIM_SITES[row, look] << (SLOTS * owner + PRIEST_SLOTS)
    return slots


@kernel
def near_pulques(state):
    """R22 All slots of temples that have a pulque already."""
    near = 0
    for owner in range(int(state.players)):
        pulques = slots_with(state.seat[owner], 1 << Card.PU)
        for site in range(SITES):
            if state.seat[owner].temple[site] != 0 and pulques & SLOTS_OF_SITE[site]:
                near |= SLOTS_OF_SITE[site] << (SLOTS * owner)
    return near


@kernel
def list_attacks(state, player, cards, out, n):
    """R30, R31 Every dagger against the rivals' priests next to temples that ask for it."""
    mortal = PRIESTS | VICTIMS if state.rules.kill_victims else PRIESTS
    while cards:
        card = first_card(cards)
        first = FIRST_ACTION[Kind.ATTACK, card]
        for owner in range(int(state.players)):
            if are_rivals(state, player, owner):
                seat = state.seat[owner]
                targets = slots_with(seat, mortal) & reach_of(seat, card)
                n = list_mask(targets, SLOTS, first + SLOTS * owner, out, n)
        cards &= cards - 1
    return n


@kernel
def reach_of(seat, card):
    """R30 The mask of the slots of a zone next to temples that ask for a dagger."""
    reach = 0
    for site in range(SITES):
        reach |= SLOTS_OF_SITE[site] * (TEMPLES_FOR[card] >> int(seat.temple[site]) & 1)
    return reach


# --- on temples -------------------------------------------------------------------------------------------


@kernel
def list_at_sites(state, player, kind, cards, out, n):
    """R23-R25, R27, R33 The moves of one kind that put one of some cards on a temple."""
    sites = sites_for(state, player, kind)
    if sites == 0:
        return n
    skipped = SITES * player if kind == Kind.RITUAL else 0  # these actions name no owner
    while cards:
        card = first_card(cards)
        fitting = sites
        if kind == Kind.RITUAL or kind == Kind.FOREIGN:
            fitting &= sites_asking(state, card)
        elif card == Card.ES:
            fitting &= ONE_ZONE << (SITES * player)
        first = FIRST_ACTION[kind, card] - skipped
        n = list_mask(fitting, SITES * int(state.players), first, out, n)
        cards &= cards - 1
    return n


@kernel
def sites_for(state, player, kind):
    """All sites where a kind of move is possible, with the right card."""
    sites = 0
    if kind == Kind.LUNAR and state.temples.count == 0:
        return sites
    for owner in range(int(state.players)):
        closed = kind == Kind.RITUAL and owner != player
        if not closed and (kind != Kind.FOREIGN or may_finish(state, player, owner)):
            for site in range(SITES):
                if is_site_open(state.seat[owner], kind, site):
                    sites |= 1 << (SITES * owner + site)
    return sites


@kernel
def is_site_open(seat, kind, site):
    """R23-R25 Whether a kind of move may aim at a site: at a temple that is cursed, or ready, or any."""
    if kind == Kind.RITUAL or kind == Kind.FOREIGN:
        return is_ready(seat, site)
    return seat.temple[site] != 0 and (kind != Kind.CLEANSE or seat.spirits[site].cursed != 0)


@kernel
def sites_asking(state, card):
    """R25 All sites whose temple a card finishes."""
    sites = 0
    for owner in range(int(state.players)):
        for site in range(SITES):
            temple = int(state.seat[owner].temple[site])
            sites |= (TEMPLES_FOR[card] >> temple & 1) << (SITES * owner + site)
    return sites
