"""What the players know, and what a viewer may suppose of the rest."""

import numpy as np

from engines.kernel import kernel
from engines.keys import NOTHING, mix, mix_pile
from engines.piles import (
    EVERYBODY,
    count_out,
    deal_hand,
    deal_pile,
    fill_pool,
    redact_hand,
    redact_pile,
)
from engines.records import NOBODY

from .actions import ACTION_KIND, Kind
from .rules.sides import partner_of
from .tables import CARDS_IN_ALL, KINDS_OF_CARDS


@kernel
def witnesses(states, action):
    """R61 Who sees all of a secret action: its player, a partner whose Future it feeds, a Swindle's victim."""
    state = states[0]
    player = int(state.to_act)
    seen_by = 1 << player
    if ACTION_KIND[action] == Kind.ALLY_FUTURE:
        seen_by |= 1 << partner_of(state, player)
    elif ACTION_KIND[action] == Kind.STEAL:
        seen_by |= 1 << int(state.victim)
    return seen_by


@kernel
def observe(states, player, views):
    """R6 Blank what a player does not know: Well, Decks, other Hands and Futures, unless he has seen them."""
    views[0] = states[0]
    view = views[0]
    view.viewer = player
    redact_pile(view.well, player)
    redact_pile(view.ruins, player)
    redact_hand(view.held, player)
    for other in range(int(view.players)):
        seat = view.seat[other]
        redact_hand(seat.hand, player)
        redact_pile(seat.deck, player)
        redact_pile(seat.future, player)
        redact_pile(seat.deeds, player)


@kernel
def determinize(views, rng, states):
    """R63 A random position that the viewer holds for possible: what he cannot see is pooled and dealt back."""
    states[0] = views[0]
    state = states[0]
    state.viewer = NOBODY
    pool = np.empty(CARDS_IN_ALL, np.int64)
    left = pool_unseen(state, pool)
    left = deal_pile(state.well, pool, left, rng)
    left = deal_hand(state.held, pool, left, rng, holders(state))
    share(state.ruins, EVERYBODY)
    for player in range(int(state.players)):
        seat = state.seat[player]
        left = deal_hand(seat.hand, pool, left, rng, 1 << player)
        left = deal_pile(seat.deck, pool, left, rng)
        left = deal_pile(seat.future, pool, left, rng)
        share(seat.future, 1 << player)
        share(seat.deeds, EVERYBODY)


@kernel
def pool_unseen(state, pool):
    """Write the cards of the game that a view does not show into `pool`; returns how many."""
    supply = np.empty(KINDS_OF_CARDS, np.int64)
    for card in range(KINDS_OF_CARDS):
        supply[card] = int(state.rules.copies[card])
    if state.table > 0:
        supply[state.table] -= 1
    count_out(state.well, supply)
    count_out(state.ruins, supply)
    count_out(state.held, supply)
    for player in range(int(state.players)):
        seat = state.seat[player]
        count_out(seat.hand, supply)
        count_out(seat.deck, supply)
        count_out(seat.future, supply)
        count_out(seat.deeds, supply)
    return fill_pool(supply, pool)


@kernel
def holders(state):
    """The players who see the cards held out: the one who looks, and the victim of a Swindle."""
    if state.victim == NOBODY:
        return 1 << int(state.active)
    return (1 << int(state.active)) | (1 << int(state.victim))


@kernel
def share(pile, owners):
    """The owners of an ordered pile know all its cards."""
    for i in range(int(pile.count)):
        pile.known[i] |= owners


# --- key --------------------------------------------------------------------------------------------------


@kernel
def key(states):
    """Equal for positions with the same future: everything but who knows what."""
    state = states[0]
    mixed = mix(NOTHING, int(state.turn))
    mixed = mix(mixed, int(state.to_act) + 1)
    mixed = mix(mixed, int(state.active))
    mixed = mix(mixed, int(state.phase) * 64 + int(state.left))
    mixed = mix(mixed, int(state.plays))
    mixed = mix(mixed, int(state.table) * 32 + int(state.ability))
    mixed = mix(mixed, (int(state.victim) + 1) * 8 + int(state.chain) * 2 + int(state.again))
    for i in range(int(state.depth)):
        frame = state.pending[i]
        mixed = mix(mixed, (int(frame.phase) * 4 + int(frame.player)) * 64 + int(frame.left))
    mixed = mix_pile(mixed, state.well)
    mixed = mix_pile(mixed, state.ruins)
    mixed = mix_pile(mixed, state.held)
    for player in range(int(state.players)):
        seat = state.seat[player]
        mixed = mix(mixed, int(seat.rings) * 8 + int(seat.rung))
        mixed = mix_pile(mixed, seat.hand)
        mixed = mix_pile(mixed, seat.deck)
        mixed = mix_pile(mixed, seat.future)
        mixed = mix_pile(mixed, seat.deeds)
    return mixed
