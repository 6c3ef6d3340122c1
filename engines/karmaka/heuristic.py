"""How good a position looks: how far each player is on the ladder, with what lies ready for this life and the next."""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER, SEATS
from engines.sides import share_won
from engines.weights import Positive, Weight

from .rules.sides import is_offered, may_hit
from .scoring import ranks
from .tables import CARD_COLOUR, CARD_POINTS, TRANSCENDENCE, Card, Colour, Phase

# Weights found by playing one-ply players against each other; the unit is a rung.
IN_HAND: Weight = 0.6  # points in the Hand, against points that lie as Deeds
IN_DECK: Weight = 0.35  # points that the Deck may add
IN_FUTURE: Weight = 0.45  # a complete next life, stored in the Future
NEW_DECK: Weight = 0.9  # points of the cards that a reborn player is dealt, against stored ones
UNSEEN_CARD = 43 / 64  # points of a colour that a card has on average, mosaics included
OFFERED: Weight = 0.35  # points on the table that he may be offered, against points in his Future
CURVE: Positive = 1.5  # half a life is worth less than half a rung
RING: Weight = 0.06
WAITING: Weight = 0.02  # what each card still to be played this life costs: time
ANOTHER_PLAY: Weight = 0.08
SHARPNESS: Weight = 2.0  # how much a rung raises the odds (its logarithm)
HIT_DEED: Weight = 0.08  # a point of a Deed that the ability under way may hit
HIT_HAND: Weight = 0.12  # a Hand that it may hit
HIT_FUTURE: Weight = 0.15


@kernel
def evaluate(states, player):
    """The estimated win share of a player's side, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        places = np.empty(SEATS, np.int8)
        ranks(states, places)
        return share_won(state, places, player)
    own = 0.0
    total = 0.0
    for other in range(int(state.players)):
        odds = math.exp(SHARPNESS * standing(state, other))
        total += odds
        if state.team[other] == state.team[player]:
            own += odds
    return own / total


@kernel
def standing(state, player):
    """How far a player has come, in rungs."""
    seat = state.seat[player]
    value = float(seat.rung) + this_life(state, player) ** CURVE
    value += IN_FUTURE * next_life(state, player)
    value += RING * float(seat.rings)
    value -= WAITING * float(int(seat.hand.count) + int(seat.deck.count))
    if player == state.active:
        if state.again or state.phase == Phase.BONUS:
            value += ANOTHER_PLAY
        if state.phase == Phase.RIVAL or state.phase == Phase.PLAYER:
            value += promise(state, player)
    return value


@kernel
def threshold(state, rung):
    """Points to leave a rung, at least 1."""
    return float(max(1, int(state.rules.thresholds[min(rung, TRANSCENDENCE - 1)])))


@kernel
def this_life(state, player):
    """How complete the life is in its best colour, 0..1, counting what Hand and Deck may still add."""
    seat = state.seat[player]
    need = threshold(state, int(seat.rung))
    best = 0.0
    for colour in range(Colour.MOSAIC):
        done = min(need, colour_points(seat.deeds, colour) + float(seat.rings))
        more = min(need - done, colour_points(seat.hand, colour))
        rest = need - done - more
        drawn = min(rest, UNSEEN_CARD * float(seat.deck.count))
        best = max(best, done + IN_HAND * more + IN_DECK * drawn)
    return best / need


@kernel
def next_life(state, player):
    """How complete a life the Future promises in its best colour, 0..1.

    A card that may yet be offered and the cards that make the Hand up to six count in part.
    """
    seat = state.seat[player]
    need = threshold(state, int(seat.rung) + 1)
    dealt = max(0, int(state.rules.reborn_size) - int(seat.future.count))
    best = 0.0
    for colour in range(Colour.MOSAIC):
        stored = colour_points(seat.future, colour) + NEW_DECK * UNSEEN_CARD * float(dealt)
        if counts_for(int(state.table), colour) and awaits_offer(state, player):
            stored += OFFERED * CARD_POINTS[state.table]
        best = max(best, stored)
    return min(1.0, best / need)


@kernel
def awaits_offer(state, player):
    """Whether the card on the table may be offered to a player."""
    return player != state.active and is_offered(state, int(state.active), player)


@kernel
def counts_for(card, colour):
    """Whether a card gives points in a colour; an unknown one gives none."""
    if card <= 0:
        return False
    return CARD_COLOUR[card] == colour or CARD_COLOUR[card] == Colour.MOSAIC


@kernel
def colour_points(pile, colour):
    """The points of a pile in one colour."""
    found = 0.0
    for i in range(int(pile.count)):
        card = int(pile.card[i])
        if counts_for(card, colour):
            found += CARD_POINTS[card]
    return found


@kernel
def promise(state, player):
    """What an ability may gain that has yet to choose its target."""
    best = 0.0
    for other in range(int(state.players)):
        if may_hit(state, player, other):
            best = max(best, gain_from(state, other))
    return best


@kernel
def gain_from(state, rival):
    """What the ability under way may gain from a rival."""
    card = int(state.ability)
    seat = state.seat[rival]
    if card == Card.VENGEANCE or card == Card.CRISIS or card == Card.THIEVERY:
        if seat.deeds.count == 0:
            return 0.0
        return HIT_DEED * CARD_POINTS[seat.deeds.card[int(seat.deeds.count) - 1]]
    if card == Card.SPITE or card == Card.DWINDLE or card == Card.SWINDLE:
        return HIT_HAND if seat.hand.count > 0 else 0.0
    if card == Card.HELLS_HEART or card == Card.STOLEN_DREAMS:
        return HIT_FUTURE if seat.future.count > 0 else 0.0
    return 0.0
