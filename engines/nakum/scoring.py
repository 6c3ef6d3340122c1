"""What players have scored, how the game ends and who has won."""

import numpy as np

from engines.kernel import kernel
from engines.records import SEATS

from .tables import MOST_ACTIONS, MOST_GOODS, MOST_TOKENS


@kernel
def stored_points(state, seat):
    """R28 What the resources left are worth."""
    rate = state.rules.per_vp
    found = 0
    if rate.maize > 0:
        found += int(seat.maize) // int(rate.maize)
    if rate.hide > 0:
        found += int(seat.hide) // int(rate.hide)
    if rate.mask > 0:
        found += int(seat.mask) // int(rate.mask)
    return found


@kernel
def score_of(state, player):
    """R28 VP tokens, cards, and resources left."""
    seat = state.seat[player]
    return int(seat.vp) + int(seat.card_points) + stored_points(state, seat)


@kernel
def points(states, out):
    """R28 The score of each player."""
    state = states[0]
    for player in range(int(state.players)):
        out[player] = score_of(state, player)


@kernel
def strength_of(state, player):
    """R28, R29 One number that puts players in order: score, tokens, masks, earliest first offering."""
    seat = state.seat[player]
    first = int(seat.first_offering_at)
    early = MOST_ACTIONS + 1 - first if first > 0 else 0
    value = np.int64(score_of(state, player)) * (MOST_TOKENS + 1) + int(seat.vp)
    return (value * (MOST_GOODS + 1) + int(seat.mask)) * (MOST_ACTIONS + 2) + early


@kernel
def ranks(states, out):
    """R29 1 + the number of players who are ahead; who is equal in everything shares a place."""
    state = states[0]
    players = int(state.players)
    strength = np.empty(SEATS, np.int64)
    for player in range(players):
        strength[player] = strength_of(state, player)
    for player in range(players):
        rank = 1
        for other in range(players):
            if strength[other] > strength[player]:
                rank += 1
        out[player] = rank


@kernel
def ending(states):
    """An Ending."""
    return int(states[0].ending)


@kernel
def turns(states):
    """R6 Rounds begun so far: the sheet and players measure a game by them."""
    return int(states[0].current_round)
