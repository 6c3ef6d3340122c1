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
    show_hand,
)
from engines.records import NOBODY

from .tables import CARDS_IN_ALL, KINDS_OF_CARDS


@kernel
def witnesses(states, action):
    """R2 Nobody but the player himself sees which card is buried."""
    return 1 << int(states[0].to_act)


@kernel
def observe(states, player, views):
    """R1, R2 Blank what a player does not know: the deck, other hands and what others have buried."""
    views[0] = states[0]
    view = views[0]
    view.viewer = player
    redact_pile(view.deck, player)
    redact_pile(view.played, player)
    for other in range(int(view.players)):
        redact_hand(view.seat[other].hand, player)
        redact_pile(view.seat[other].buried, player)


@kernel
def determinize(views, rng, states):
    """A random position that the viewer holds for possible: what he cannot see is pooled and dealt back."""
    states[0] = views[0]
    state = states[0]
    state.viewer = NOBODY
    pool = np.empty(CARDS_IN_ALL, np.int64)
    left = pool_unseen(state, pool)
    left = deal_pile(state.deck, pool, left, rng)
    show_hand(state.played, EVERYBODY)
    for player in range(int(state.players)):
        seat = state.seat[player]
        left = deal_hand(seat.hand, pool, left, rng, 1 << player)
        left = deal_pile(seat.buried, pool, left, rng)
        show_hand(seat.buried, 1 << player)


@kernel
def pool_unseen(state, pool):
    """Write the cards that a view does not show into `pool`; returns how many."""
    supply = np.zeros(KINDS_OF_CARDS, np.int64)
    for card in range(1, int(state.rules.highest) + 1):
        supply[card] = int(state.rules.copies)
    count_out(state.deck, supply)
    count_out(state.played, supply)
    for player in range(int(state.players)):
        count_out(state.seat[player].hand, supply)
        count_out(state.seat[player].buried, supply)
    return fill_pool(supply, pool)


@kernel
def key(states):
    """Equal for positions with the same future: what has been played or buried does not matter any more."""
    state = states[0]
    mixed = mix(NOTHING, int(state.to_act) + 1)
    mixed = mix(mixed, (int(state.completed) * 8 + int(state.leader)) * 8 + int(state.acted))
    mixed = mix_pile(mixed, state.deck)
    for player in range(int(state.players)):
        seat = state.seat[player]
        mixed = mix(mixed, int(seat.won) * 16 + int(seat.shown))
        mixed = mix_pile(mixed, seat.hand)
    return mixed
