"""How good a position looks: points so far, and what workers, resources and offerings in reach may still bring."""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER, SEATS
from engines.sides import share_won
from engines.weights import Positive, Weight

from .rules.goods import can_pay
from .scoring import ranks, score_of, stored_points
from .tables import OFFERING_WORKERS

# Fitted to how 300 games of searches of 1,000 simulations ended and to what they chose in them; the unit is a point.
MAIZE: Weight = 0.493  # a resource that may still be used
HIDE: Weight = 0.957
MASK: Weight = 1.4
TODAY: Weight = 1.19  # a worker not yet placed
WORKER: Weight = 1.21  # a worker for each round to come
CARD: Weight = 0.713  # a heritage card in hand
TOKEN: Weight = 0.933  # the start-player token
RESERVE: Weight = 0.0301  # a worker of the reserve for each round to come
HERITAGE: Weight = 0.0755  # of what a heritage card in hand gains
IN_REACH: Weight = 1.12  # of what an offering brings more than it costs, for who can make it now
FAR: Weight = 0.528  # how fast that fades with the value of what is missing
SECOND: Weight = 0.34  # of what the second best offering brings
THREAT: Weight = 0.137  # of an offering for each rival who can make it now
ROUNDS: Weight = 13.5  # of a game
ROUNDS_FOR_AN_OFFERING: Weight = 1.38
SOON: Weight = 0.583  # how much of that guess is who has the last offering in reach
PACE: Positive = 1.16  # value that a worker brings in a round
UNSEEN: Weight = 6.0  # what everybody lacks of an offering that is not in the row yet
NARROW: Positive = 2.27  # points that decide a game in the end
WIDE: Weight = 0.439  # and more for each round to come


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
    """How many rounds may follow the present one: by how games go, and by who has the last offering in reach."""
    if state.end_triggered:
        return 0.0
    most = 0
    soonest = float(state.rules.max_rounds)
    for player in range(int(state.players)):
        most = max(most, int(state.seat[player].offerings_made))
        soonest = min(soonest, rounds_to_end(state, state.seat[player]))
    missing = float(int(state.rules.offerings_to_end) - most)
    usual = max(1.0, ROUNDS - float(state.current_round))
    guess = 0.5 * usual + 0.5 * ROUNDS_FOR_AN_OFFERING * missing
    guess += SOON * (min(soonest, guess) - guess)
    return min(guess, float(int(state.rules.max_rounds) - int(state.current_round)))


@kernel
def rounds_to_end(state, seat):
    """How many rounds a player needs to make all offerings, the first of them from the row."""
    rounds = nearest(state, seat) / (PACE * max(1.0, clan_of(seat)))
    if idle_of(seat) < OFFERING_WORKERS:
        rounds = max(1.0, rounds)
    more = int(state.rules.offerings_to_end) - int(seat.offerings_made) - 1
    return rounds + ROUNDS_FOR_AN_OFFERING * float(more)


@kernel
def idle_of(seat):
    """The workers of a player that are not placed today."""
    return int(seat.active) - int(seat.placed)


@kernel
def clan_of(seat):
    """The workers of a player in the next round."""
    return float(int(seat.active) + int(seat.grown) - int(seat.sacrificed))


@kernel
def value_missing(seat, cost):
    """What a player lacks of a cost, in points."""
    missing = MAIZE * float(max(0, int(cost.maize) - int(seat.maize)))
    missing += HIDE * float(max(0, int(cost.hide) - int(seat.hide)))
    return missing + MASK * float(max(0, int(cost.mask) - int(seat.mask)))


@kernel
def nearest(state, seat):
    """What a player lacks of the offering in the row that he lacks least of."""
    least = UNSEEN
    for i in range(int(state.offering_row.count)):
        facts = state.rules.offering[state.offering_row.card[i]]
        least = min(least, value_missing(seat, facts.cost))
    return least


@kernel
def standing(state, player, rounds):
    """What a player may have in the end, in points."""
    seat = state.seat[player]
    use = rounds / (rounds + 1.0)  # what is still useful counts as work, in the end as points
    goods = MAIZE * float(seat.maize) + HIDE * float(seat.hide) + MASK * float(seat.mask)
    value = float(score_of(state, player)) + use * (goods - float(stored_points(state, seat)))
    left = float(idle_of(seat))
    value += TODAY * left + WORKER * rounds * clan_of(seat) + RESERVE * rounds * float(seat.reserve)
    value += use * (CARD * float(seat.hand.count) + HERITAGE * hand_gain(state, seat))
    if player == state.start_token:
        value += TOKEN * use
    return value + best_offerings(state, seat, player, rounds, left)


@kernel
def hand_gain(state, seat):
    """What the heritage cards of a hand gain."""
    found = 0.0
    for i in range(int(seat.hand.count)):
        gain = state.rules.heritage[seat.hand.card[i]].gain
        found += MAIZE * float(gain.maize) + HIDE * float(gain.hide) + MASK * float(gain.mask)
        found += float(gain.vp)
    return found


@kernel
def best_offerings(state, seat, player, rounds, left):
    """What the best offerings in the row may bring more than they cost; none is in reach after the last day."""
    best = 0.0
    second = 0.0
    for i in range(int(state.offering_row.count)):
        facts = state.rules.offering[state.offering_row.card[i]]
        cost = facts.cost
        price = MAIZE * float(cost.maize) + HIDE * float(cost.hide) + MASK * float(cost.mask)
        price += TODAY * OFFERING_WORKERS + WORKER * rounds * float(facts.sacrifice)
        missing = value_missing(seat, cost)
        reach = IN_REACH / (1.0 + FAR * missing)
        if rounds == 0.0 and (missing > 0.0 or left < OFFERING_WORKERS):
            reach = 0.0
        reach *= uncontested(state, player, cost)
        value = reach * (float(facts.end) - price)
        if value > best:
            second = best
            best = value
        else:
            second = max(second, value)
    return best + SECOND * second


@kernel
def uncontested(state, player, cost):
    """What is left of the hope for an offering that rivals can make now."""
    found = 1.0
    for rival in range(int(state.players)):
        seat = state.seat[rival]
        if rival != player and idle_of(seat) >= OFFERING_WORKERS and can_pay(seat, cost):
            found *= 1.0 - THREAT
    return found
