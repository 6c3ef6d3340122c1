"""Rituals: what they bring, and whether they end the game."""

from engines.kernel import kernel
from engines.piles import pop
from engines.records import OVER

from ..tables import (
    KINDS_OF_TEMPLES,
    SLOTS,
    SLOTS_OF_SITE,
    TEMPLE_HEART,
    WILDS,
    Ending,
    Heart,
    Timing,
)
from .zones import (
    discard,
    drop_spirits,
    show_top,
    standing_temples,
)


@kernel
def sacrifice(state, owner, site, card):
    """R26, R28, R29 A temple is completed: hollow hearts, its cards to the cenote, the heart, a new temple."""
    player = int(state.active)
    seat = state.seat[owner]
    state.rituals += 1
    take_hollow(state, player, hollow_due(state, seat, site, card))
    for slot in range(SLOTS):
        if SLOTS_OF_SITE[site] >> slot & 1 and seat.slots[slot] != 0:
            discard(state, owner, int(seat.slots[slot]))
            seat.slots[slot] = 0
    drop_spirits(state, owner, site)
    state.seat[player].hearts |= 1 << int(seat.temple[site])
    if owner != player:
        state.seat[player].finished |= 1 << owner
    missing = not state.rules.quick and state.temples.count == 0
    seat.temple[site] = 0
    if not state.rules.quick and not missing:
        seat.temple[site] = pop(state.temples)[0]
        show_top(state)
    note_ending(state, reason_to_end(state, missing))


@kernel
def hollow_due(state, seat, site, card):
    """R28 A hollow heart for each card of the pile, each wild card used, and each ritual of several in a turn."""
    due = int(seat.spirits[site].count) + (WILDS >> card & 1)
    for slot in range(SLOTS):
        if SLOTS_OF_SITE[site] >> slot & 1:
            due += WILDS >> int(seat.slots[slot]) & 1
    if state.rules.multi_bonus:
        if state.rituals == 2:
            due += 2
        elif state.rituals > 2:
            due += 1
    return due


@kernel
def take_hollow(state, player, due):
    """R28 Hollow hearts are paid while they last."""
    paid = min(due, int(state.hollow))
    state.hollow -= paid
    state.seat[player].hollow += paid


# --- the end ----------------------------------------------------------------------------------------------


@kernel
def reason_to_end(state, missing):
    """R51, R57 The end condition that is met after a ritual, or RUNNING."""
    if missing:
        return Ending.NO_TEMPLE
    if state.rules.quick:
        for player in range(int(state.players)):
            if standing_temples(state.seat[player]) == 0:
                return Ending.NO_TEMPLES_LEFT
    if state.hollow == 0:
        return Ending.HOLLOW
    if not state.rules.quick:
        for player in range(int(state.players)):
            if black_hearts(state, player) >= state.rules.black_to_end:
                return Ending.BLACK_HEARTS
    return Ending.RUNNING


@kernel
def black_hearts(state, player):
    """R51, R60 The black hearts of a player's side."""
    found = 0
    for other in range(int(state.players)):
        if state.team[other] == state.team[player]:
            hearts = int(state.seat[other].hearts)
            for temple in range(1, KINDS_OF_TEMPLES):
                if hearts >> temple & 1 and TEMPLE_HEART[temple] == Heart.BLACK:
                    found += 1
    return found


@kernel
def note_ending(state, reason):
    """R51 The game ends at once, or at the end of the turn or round that the variant says."""
    if reason != Ending.RUNNING:
        if state.rules.timing == Timing.IMMEDIATE:
            finish(state, reason)
        elif state.closing == Ending.RUNNING:
            state.closing = reason


@kernel
def finish(state, reason):
    """Nothing more is decided."""
    state.ending = reason
    state.to_act = OVER
