"""Death, scoring, rings and rebirth."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, clear, insert, move_all
from engines.records import OVER

from ..tables import (
    CARD_COLOUR,
    CARD_POINTS,
    TRANSCENDENCE,
    UNLIMITED,
    Colour,
    Ending,
    Phase,
)
from .zones import deal_to_deck


@kernel
def best_points(deeds):
    """R15 The points of the best colour; mosaics count for every colour."""
    red = 0
    green = 0
    blue = 0
    mosaic = 0
    for i in range(int(deeds.count)):
        card = int(deeds.card[i])
        if CARD_COLOUR[card] == Colour.RED:
            red += CARD_POINTS[card]
        elif CARD_COLOUR[card] == Colour.GREEN:
            green += CARD_POINTS[card]
        elif CARD_COLOUR[card] == Colour.BLUE:
            blue += CARD_POINTS[card]
        else:
            mosaic += CARD_POINTS[card]
    return max(red, green, blue) + mosaic


@kernel
def points_missing(state, player):
    """R16 How many points the Deeds lack to leave the rung; 0 or less if they suffice."""
    seat = state.seat[player]
    return int(state.rules.thresholds[seat.rung]) - best_points(seat.deeds)


@kernel
def rings_left(state):
    """R18 Rings in the supply, or UNLIMITED."""
    left = int(state.rules.ring_supply)
    if left == UNLIMITED:
        return UNLIMITED
    for player in range(int(state.players)):
        left -= int(state.seat[player].rings)
    return left


@kernel
def finish_life(state, player, spent, rng):
    """R16-R19 Climb if the points and the rings spent suffice, else gain a ring; then win or be reborn."""
    seat = state.seat[player]
    if points_missing(state, player) <= spent:
        seat.rings -= spent
        seat.rung += 1
    elif rings_left(state) != 0:
        seat.rings += 1
    if seat.rung == TRANSCENDENCE:
        finish(state, Ending.TRANSCENDENCE)
    else:
        be_reborn(state, player, rng)


@kernel
def be_reborn(state, player, rng):
    """R20 Deeds to the Ruins as one block, Future to the Hand, a new Deck that makes it up to six cards."""
    seat = state.seat[player]
    move_all(seat.deeds, state.ruins, EVERYBODY)
    for i in range(int(seat.future.count)):
        insert(seat.hand, int(seat.future.card[i]), int(seat.future.known[i]))
    clear(seat.future)
    deal_to_deck(state, player, int(state.rules.reborn_size) - int(seat.hand.count), rng)


@kernel
def finish(state, ending):
    """The game is over."""
    state.ending = ending
    state.to_act = OVER
    state.phase = Phase.NONE
    state.left = 0
