"""How good a position looks: rounds won, and the cards to win more with."""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER, SEATS
from engines.sides import share_won
from engines.weights import Weight

from .scoring import ranks

ROUND: Weight = 1.0  # what a round won is worth; the unit is the logarithm of the odds
HAND: Weight = 0.08  # what a pip of the mean card in hand is worth
SHOWN: Weight = 0.05  # and a pip of the card on the table


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        places = np.empty(SEATS, np.int8)
        ranks(states, places)
        return share_won(state, places, player)
    own = 0.0
    total = 0.0
    for other in range(int(state.players)):
        odds = math.exp(standing(state.seat[other]))
        total += odds
        if other == player:
            own = odds
    return own / total


@kernel
def standing(seat):
    """What a player has won and may yet win; cards that a view does not show count for nothing."""
    pips = 0.0
    known = 0
    for i in range(int(seat.hand.count)):
        if seat.hand.card[i] > 0:
            pips += float(seat.hand.card[i])
            known += 1
    mean = pips / known if known > 0 else 5.0
    return ROUND * float(seat.won) + HAND * mean + SHOWN * float(seat.shown)
