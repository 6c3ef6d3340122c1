"""What the players know, and what a viewer may suppose of the rest."""

import numpy as np

from engines.kernel import kernel
from engines.keys import NOTHING, mix, mix_pile
from engines.piles import (
    EVERYBODY,
    HIDDEN,
    UNSEEN,
    count_out,
    deal_hand,
    deal_pile,
    fill_pool,
    redact_hand,
    redact_pile,
)
from engines.records import NOBODY
from engines.rng import below

from .actions import ACTION_CARD, ACTION_KIND, Kind
from .tables import (
    KINDS_OF_CARDS,
    KINDS_OF_TEMPLES,
    MOST_CARDS,
    SITES,
    SLOTS,
    TEMPLE_HEART,
    Phase,
)


@kernel
def witnesses(states, action):
    """R6, R45 A choice of temple and a pass are seen by their player alone; the very last choice shows all."""
    state = states[0]
    player = int(state.to_act)
    if ACTION_KIND[action] == Kind.TEMPLE and player + 1 == state.players:
        kept = int(state.rules.kept)
        if kept == 1 or state.seat[player].temple[kept - 2] != 0:
            return EVERYBODY
    return 1 << player


@kernel
def observe(states, player, views):
    """R58 Blank the order of deck and temples, other hands, other temples chosen or rejected."""
    views[0] = states[0]
    view = views[0]
    view.viewer = player
    redact_pile(view.deck, player)
    redact_pile(view.temples, player)
    for other in range(int(view.players)):
        seat = view.seat[other]
        redact_pile(seat.cenote, player)
        redact_hand(seat.hand, player)
        if other != player:
            seat.options = 0
            seat.rejects = 0
            if view.phase == Phase.SETUP:
                for site in range(SITES):
                    if seat.temple[site] != 0:
                        seat.temple[site] = HIDDEN


# --- what a viewer may suppose ----------------------------------------------------------------------------


@kernel
def determinize(views, rng, states):
    """R59 A random position that the viewer holds for possible: what he cannot see is pooled and dealt back."""
    states[0] = views[0]
    state = states[0]
    viewer = int(state.viewer)
    state.viewer = NOBODY
    supply = np.empty(KINDS_OF_CARDS, np.int64)
    pool = np.empty(MOST_CARDS, np.int64)
    count_unseen(state, supply)
    left = fill_pool(supply, pool)
    for player in range(int(state.players)):
        seat = state.seat[player]
        left = deal_hand(seat.hand, pool, left, rng, 1 << player)
        share(seat.cenote)
    deal_pile(state.deck, pool, left, rng)
    imagine_temples(state, viewer, pool, rng)


@kernel
def share(pile):
    """Everybody knows all cards of an open pile."""
    for i in range(int(pile.count)):
        pile.known[i] = EVERYBODY


@kernel
def count_unseen(state, supply):
    """The cards of the game that a View does not show."""
    for card in range(KINDS_OF_CARDS):
        supply[card] = int(state.rules.copies[card]) - int(state.centre[card])
    if state.pending > 0:
        card = int(ACTION_CARD[int(state.pending) - 1])
        if ACTION_KIND[int(state.pending) - 1] != Kind.WIPE:
            supply[card] -= 1
    for player in range(int(state.players)):
        seat = state.seat[player]
        count_out(seat.hand, supply)
        count_out(seat.cenote, supply)
        for card in range(KINDS_OF_CARDS):
            supply[card] -= int(seat.under[card])
        for slot in range(SLOTS):
            supply[seat.slots[slot]] -= 1
        for site in range(SITES):
            count_out(seat.spirits[site], supply)
    supply[0] = 0


@kernel
def unseen_temples(state):
    """The mask of the temples of the game that a View does not show."""
    unseen = int(state.rules.temples) & ~int(state.gone)
    for i in range(int(state.temples.count)):
        if state.temples.card[i] > 0:
            unseen &= ~(1 << int(state.temples.card[i]))
    for player in range(int(state.players)):
        seat = state.seat[player]
        unseen &= ~(int(seat.hearts) | int(seat.options) | int(seat.rejects))
        for site in range(SITES):
            if seat.temple[site] > 0:
                unseen &= ~(1 << int(seat.temple[site]))
    return unseen


@kernel
def imagine_temples(state, viewer, pool, rng):
    """R59 The temples that others chose from, chose and rejected, and the order of the pile under its back."""
    unseen = unseen_temples(state)
    left = 0
    for temple in range(1, KINDS_OF_TEMPLES):
        if unseen >> temple & 1:
            pool[left] = temple
            left += 1
    top = int(state.temples.count) - 1
    if state.top_heart > 0 and state.temples.card[top] == HIDDEN:
        left = imagine_top(state, top, pool, left, rng)
    for player in range(int(state.players)):
        if player != viewer:
            left = imagine_choices(state, state.seat[player], pool, left, rng)
    deal_pile(state.temples, pool, left, rng)
    for i in range(int(state.temples.count)):
        state.temples.known[i] = EVERYBODY if state.temples.known[i] > 0 else UNSEEN


@kernel
def imagine_top(state, top, pool, left, rng):
    """R8, R59 The top temple is one with the heart that is seen on its back; returns how many are left."""
    fitting = 0
    for i in range(left):
        if TEMPLE_HEART[pool[i]] == state.top_heart:
            fitting += 1
    skipped = below(rng, fitting)
    at = 0
    while TEMPLE_HEART[pool[at]] != state.top_heart or skipped > 0:
        if TEMPLE_HEART[pool[at]] == state.top_heart:
            skipped -= 1
        at += 1
    state.temples.card[top] = pool[at]
    pool[at] = pool[left - 1]
    return left - 1


@kernel
def imagine_choices(state, seat, pool, left, rng):
    """R59 A player's hidden temples during the setup, or those he rejected for good; returns how many are left."""
    kept = int(state.rules.kept)
    hidden = int(state.rules.dealt) - kept
    if state.phase == Phase.SETUP:
        for site in range(SITES):
            if seat.temple[site] == HIDDEN:
                left = draw_temple(pool, left, rng)
                seat.temple[site] = pool[left]
                kept -= 1
        hidden += kept
        for _ in range(hidden):
            left = draw_temple(pool, left, rng)
            seat.options |= 1 << pool[left]
    elif state.rules.rejects_out:
        for _ in range(hidden):
            left = draw_temple(pool, left, rng)
            seat.rejects |= 1 << pool[left]
    return left


@kernel
def draw_temple(pool, left, rng):
    """Put a random one of pool[0..left-1] at the end; returns its place."""
    at = below(rng, left)
    drawn = int(pool[at])
    pool[at] = pool[left - 1]
    pool[left - 1] = drawn
    return left - 1


# --- key --------------------------------------------------------------------------------------------------


@kernel
def key(states):
    """Equal for positions with the same future: everything but who knows what."""
    state = states[0]
    mixed = mix(NOTHING, int(state.turn) * 32768 + int(state.decisions))
    mixed = mix(mixed, (int(state.to_act) + 1) * 8 + int(state.active))
    mixed = mix(mixed, int(state.phase) * 16 + int(state.closing))
    mixed = mix(mixed, int(state.moves_left) * 128 + int(state.rituals))
    mixed = mix(mixed, int(state.fresh) * 16 + int(state.steps))
    mixed = mix(mixed, (int(state.source) * 16 + int(state.goal)) * 4096 + int(state.pending))
    mixed = mix(mixed, int(state.hollow))
    mixed = mix_pile(mixed, state.deck)
    mixed = mix_pile(mixed, state.temples)
    for player in range(int(state.players)):
        mixed = mix_seat(mixed, state.seat[player])
    return mixed


@kernel
def mix_seat(mixed, seat):
    """What a player has on the table and in hand."""
    mixed = mix(mixed, int(seat.hollow) * 16 + int(seat.finished))
    mixed = mix(mixed, int(seat.hearts))
    mixed = mix(mixed, int(seat.options))
    mixed = mix_pile(mixed, seat.cenote)
    mixed = mix_pile(mixed, seat.hand)
    for card in range(KINDS_OF_CARDS):
        mixed = mix(mixed, int(seat.under[card]))
    for slot in range(SLOTS):
        mixed = mix(mixed, int(seat.slots[slot]))
    for site in range(SITES):
        mixed = mix(mixed, (int(seat.temple[site]) + 1) * 2 + int(seat.spirits[site].cursed))
        mixed = mix_pile(mixed, seat.spirits[site])
    return mixed
