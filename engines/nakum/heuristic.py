"""How good a position looks: points so far, and what workers, resources and offerings in reach may still bring."""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER, SEATS
from engines.sides import share_won
from engines.weights import Positive, Weight

from .scoring import ranks, score_of, stored_points
from .tables import OFFERING_WORKERS

# Weights found by playing one-ply players against each other; the unit is a point.
MAIZE: Weight = 0.45  # a resource that may still be used
HIDE: Weight = 0.9
MASK: Weight = 1.25
TODAY: Weight = 1.2  # a worker not yet placed
WORKER: Weight = 1.25  # a worker for each round to come
CARD: Weight = 0.6  # a heritage card in hand
TOKEN: Weight = 0.3  # the start-player token
IN_REACH: Weight = 0.8  # of what an offering brings more than it costs, for who can make it now
FAR: Weight = 0.45  # how fast that fades with the value of what is missing
ROUNDS: Weight = 9.5  # of a game
ROUNDS_FOR_AN_OFFERING: Weight = 3.5
NARROW: Positive = 1.0  # points that decide a game in the end
WIDE: Weight = 0.4  # and more for each round to come


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        places = np.empty(SEATS, np.int8)
        ranks(states, places)
        return share_won(state, places, player)
    rounds = rounds_left(state)
    scale = NARROW + WIDE * rounds
    own = standing(state, player, rounds)
    total = 0.0
    for other in range(int(state.players)):
        ahead = standing(state, other, rounds) - own
        total += math.exp(min(ahead / scale, 50.0))
    return 1.0 / total


@kernel
def rounds_left(state):
    """How many rounds may follow the present one."""
    if state.end_triggered:
        return 0.0
    most = 0
    for player in range(int(state.players)):
        most = max(most, int(state.seat[player].offerings_made))
    missing = float(int(state.rules.offerings_to_end) - most)
    usual = max(1.0, ROUNDS - float(state.current_round))
    guess = 0.5 * usual + 0.5 * ROUNDS_FOR_AN_OFFERING * missing
    return min(guess, float(int(state.rules.max_rounds) - int(state.current_round)))


@kernel
def standing(state, player, rounds):
    """What a player may have in the end, in points."""
    seat = state.seat[player]
    use = rounds / (rounds + 1.0)  # what is still useful counts as work, in the end as points
    goods = MAIZE * float(seat.maize) + HIDE * float(seat.hide) + MASK * float(seat.mask)
    value = float(score_of(state, player)) + use * (goods - float(stored_points(state, seat)))
    left = float(int(seat.active) - int(seat.placed))
    clan = float(int(seat.active) + int(seat.grown) - int(seat.sacrificed))
    value += TODAY * left + WORKER * rounds * clan
    value += CARD * use * float(seat.hand.count)
    if player == state.start_token:
        value += TOKEN * use
    return value + best_offering(state, seat, rounds, left)


@kernel
def best_offering(state, seat, rounds, left):
    """What the best offering in the row may bring more than it costs; none is in reach after the last day."""
    best = 0.0
    for i in range(int(state.offering_row.count)):
        facts = state.rules.offering[state.offering_row.card[i]]
        cost = facts.cost
        price = MAIZE * float(cost.maize) + HIDE * float(cost.hide) + MASK * float(cost.mask)
        price += TODAY * OFFERING_WORKERS + WORKER * rounds * float(facts.sacrifice)
        missing = MAIZE * float(max(0, int(cost.maize) - int(seat.maize)))
        missing += HIDE * float(max(0, int(cost.hide) - int(seat.hide)))
        missing += MASK * float(max(0, int(cost.mask) - int(seat.mask)))
        reach = IN_REACH / (1.0 + FAR * missing)
        if rounds == 0.0 and (missing > 0.0 or left < OFFERING_WORKERS):
            reach = 0.0
        best = max(best, reach * (float(facts.end) - price))
    return best
