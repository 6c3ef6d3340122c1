"""How good a position looks: points, how near each temple is to its ritual, and what the hands are good for."""

import math
from collections import Counter
from typing import Annotated

import numpy as np

from engines.kernel import kernel
from engines.records import OVER, SEATS
from engines.sides import leads, share_won
from engines.weights import Weight, Weights

from .rules.zones import may_finish
from .scoring import HEARTS, best_groups, count_hearts, ranks, worth
from .tables import (
    CARD_LOOK,
    CARD_VICTIM,
    FAMILY_SIZE,
    KINDS_OF_CARDS,
    LOOKS,
    PRIEST_SLOTS,
    SITES,
    TEMPLE_DAGGER,
    TEMPLE_HEART,
    VICTIM_LOOKS,
    VICTIM_SITES,
    WILDS,
    Card,
    Heart,
    Look,
    Phase,
    by_temple,
    suits,
)

# Fitted to how 445 games of searches ended and to what deeper searches thought and chose in them; the unit is a point.
UNFINISHED: Weight = 0.428  # what it takes off a temple's value (its logarithm) to be unfinished
PRIEST_AWAY: Weight = 0.127  # each priest that it still needs
PRIEST_MISSING: Weight = 0.044  # each of those that is not in hand
STRANGER: Weight = 0.353  # each priest that must go
VICTIM_AWAY: Weight = 0.165  # its victim
VICTIM_MISSING: Weight = 0.087  # if that is not in hand
CURSE: Weight = 0.3  # an active curse
COVER_MISSING: Weight = 0.15  # if nothing in hand ends it
DAGGER_MISSING: Weight = 0.116  # that its dagger is not in hand
NOW: Weight = 0.37  # and what it adds that the moves left and the hand suffice for its ritual
BEST: Weight = 0.211  # of the value of a zone's best temple, once more: work on one at a time pays
STEAL: Weight = 0.196  # of what a temple that needs only a dagger would bring a rival who has that
HEART_VALUE: Weight = 1.97  # a coloured heart with what it may later combine to
GROUP_NOW: Weight = 0.334  # of the points that it combines to at once
HOLLOW: Weight = 0.84  # a hollow heart that a ritual will bring
HEART_KEPT: Weight = 0.087  # a coloured heart that a side has, above its point
NEXT_GROUP: Weight = 0.122  # of the points that one more heart would combine to, for each colour
CARD_VALUES = {  # of cards in hand, besides their use for a temple
    Card.PA: 0.086,
    Card.PB: 0.086,
    Card.PC: 0.086,
    Card.DR: 0.11,
    Card.DG: 0.11,
    Card.DB: 0.11,
    Card.ES: 0.824,
    Card.EL: 0.539,
    Card.PU: 0.329,
    Card.ZE: 0.636,
    Card.KU: 0.802,
    Card.CU: 0.291,
    Card.SP: 0.518,
    Card.SD: 0.534,
}
CARD_VALUE: Annotated[Weights, Card] = np.array(
    [CARD_VALUES.get(card, 0.0) for card in range(KINDS_OF_CARDS)]
)
NEXT_CARD: Weight = 0.138  # a card yet to be drawn
MOVE: Weight = 0.223  # a move of the turn that is left
TAKEABLE: Weight = 0.505  # of its value, what the top card of a cenote is worth to rivals
SHARPNESS: Weight = 0.294  # how much a point raises the odds (its logarithm) at the start
LATE: Weight = 0.091  # and how much more when the hollow hearts have run out
WIPED: Weight = 0.537  # a card of a rival's pile that may be wiped now

# --- what three priest slots still need -------------------------------------------------------------------


def gaps(priests: str, looks: tuple[Look, ...]) -> int:
    """How many priests three slots still need, once those that do not belong there are gone."""
    if suits(priests, looks):
        return 0
    if Look.PULQUE in looks:
        return 1
    return max(0, sum(wanted(priests, looks).values()) - looks.count(Look.WILD))


def wanted(priests: str, looks: tuple[Look, ...]) -> "Counter[Look]":
    """The priests that a temple asks for and that are not there."""
    return Counter(Look[letter] for letter in priests) - Counter(looks)


def strangers(priests: str, looks: tuple[Look, ...]) -> int:
    """How many priests must go."""
    room = looks.count(Look.EMPTY)
    return max(0, gaps(priests, looks) - room)


def packed_wants(priests: str, looks: tuple[Look, ...]) -> int:
    """The priests of `wanted`, two bits for each type."""
    wants = wanted(priests, looks)
    return sum(wants[look] << 2 * (look - Look.A) for look in (Look.A, Look.B, Look.C))


GAPS = by_temple(gaps)
STRANGERS = by_temple(strangers)
WANTS = by_temple(packed_wants)


# --- the estimate -----------------------------------------------------------------------------------------


@kernel
def evaluate(states, player):
    """The estimated win share of a player's side, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        places = np.empty(SEATS, np.int8)
        ranks(states, places)
        return share_won(state, places, player)
    held = np.zeros((SEATS, KINDS_OF_CARDS), np.int64)
    gains = np.zeros((SEATS, HEARTS), np.float64)
    standings = np.zeros(SEATS, np.float64)
    players = int(state.players)
    for other in range(players):
        standings[state.team[other]] += hand_value(state, other, held)
    standings[state.team[state.active]] += turn_value(state)
    for other in range(players):
        if leads(state, other):
            weigh_hearts(state, int(state.team[other]), gains, standings)
    for owner in range(players):
        weigh_temples(state, owner, held, gains, standings)
    sharpness = SHARPNESS + LATE * (1.0 - float(state.hollow) / float(state.rules.hollow))
    own = float(standings[state.team[player]])
    total = 0.0
    for other in range(players):
        if leads(state, other):
            total += math.exp(sharpness * (float(standings[state.team[other]]) - own))
    return 1.0 / total


@kernel
def weigh_hearts(state, side, gains, standings):
    """The points of a side and what its hearts may combine to; what one more of each colour is worth to it."""
    tally = np.empty(HEARTS, np.int64)
    count_hearts(state, side, tally)
    red = int(tally[Heart.RED])
    green = int(tally[Heart.GREEN])
    blue = int(tally[Heart.BLUE])
    before = best_groups(state, red, green, blue)
    standings[side] += float(worth(state, tally)) + HEART_KEPT * float(red + green + blue)
    for heart in range(1, Heart.BLACK):
        more = best_groups(state, red + (heart == 1), green + (heart == 2), blue + (heart == 3))
        gains[side, heart] = HEART_VALUE + GROUP_NOW * float(more - before)
        standings[side] += NEXT_GROUP * float(more - before)
    gains[side, Heart.BLACK] = float(state.rules.black_value)


@kernel
def hand_value(state, player, held):
    """What a hand is good for and what rivals may take from the cenote; counts the cards of the hand."""
    seat = state.seat[player]
    value = NEXT_CARD * float(max(0, int(state.rules.hand_size) - int(seat.hand.count)))
    for i in range(int(seat.hand.count)):
        card = max(0, int(seat.hand.card[i]))
        held[player, card] += 1
        value += CARD_VALUE[card]
    if seat.cenote.count > 0:
        value -= TAKEABLE * CARD_VALUE[seat.cenote.card[int(seat.cenote.count) - 1]]
    return value


@kernel
def turn_value(state):
    """What is left of the turn: moves, and decisions that are half made."""
    moves = moves_to_come(state)
    value = MOVE * float(moves)
    if moves == 0:
        value -= MOVE * float(state.rules.moves)  # as good as the next player's turn
    if state.source > 0:
        value -= NEXT_CARD  # the payment
    if state.phase == Phase.WIPE:
        value += WIPED * float(largest_rival_pile(state))
    return value


@kernel
def moves_to_come(state):
    """The moves of the turn after the one under way."""
    moves = int(state.moves_left)
    phase = int(state.phase)
    if phase == Phase.REACT or (phase >= Phase.GOAL and phase <= Phase.MORE):
        moves -= 1
    return moves


@kernel
def largest_rival_pile(state):
    """The cards of the largest pile in a rival's zone."""
    most = 0
    for other in range(int(state.players)):
        if state.team[other] != state.team[state.active]:
            for site in range(SITES):
                most = max(most, int(state.seat[other].spirits[site].count))
    return most


@kernel
def card_at(state, owner, slot):
    """The card in a slot; one that is being repositioned lies where it goes, or nowhere yet."""
    if owner == state.active and state.source > 0:
        if slot == int(state.source) - 1:
            return 0
        if slot == int(state.goal) - 1:
            return int(state.seat[owner].slots[int(state.source) - 1])
    return int(state.seat[owner].slots[slot])


@kernel
def weigh_temples(state, owner, held, gains, standings):
    """What the temples of a zone will bring its owner."""
    side = int(state.team[owner])
    moves = moves_to_come(state) if owner == state.active else 0
    best = 0.0
    for site in range(SITES):
        if state.seat[owner].temple[site] > 0:
            value = hope(state, owner, site, moves, held, gains, standings)
            standings[side] += value
            best = max(best, value)
    standings[side] += BEST * best


@kernel
def hope(state, owner, site, moves, held, gains, standings):
    """What a temple will bring its owner, less for all that it still needs; a ready one tempts rivals."""
    seat = state.seat[owner]
    temple = int(seat.temple[site])
    row = 0
    due = int(seat.spirits[site].count)
    for slot in range(2 * site, 2 * site + 3):
        card = card_at(state, owner, slot)
        row = row * LOOKS + CARD_LOOK[card]
        due += WILDS >> card & 1
    victim = card_at(state, owner, PRIEST_SLOTS + site)
    due += WILDS >> victim & 1
    away = int(GAPS[temple, row])
    removals = int(STRANGERS[temple, row])
    steps = 1 + away + removals  # moves that it takes
    missing = away - priests_ready(temple, row, owner, held)
    cost = UNFINISHED + PRIEST_AWAY * away + STRANGER * removals + PRIEST_MISSING * missing
    if dagger_ready(temple, owner, held) == 0:
        missing += 1
        cost += DAGGER_MISSING
    if victim == 0:
        absent = 1 - victim_ready(state, owner, site, held)
        steps += 1
        missing += absent
        cost += VICTIM_AWAY + VICTIM_MISSING * absent
    if seat.spirits[site].cursed:
        absent = 1 - cover_ready(owner, held)
        steps += 1
        missing += absent
        cost += CURSE + COVER_MISSING * absent
    if missing == 0 and steps <= moves:
        cost -= NOW
    bonus = HOLLOW * float(min(due, int(state.hollow)))
    heart = int(TEMPLE_HEART[temple])
    if steps == 1:
        tempt(state, owner, temple, bonus, held, gains, standings)
    return math.exp(-cost) * (gains[state.team[owner], heart] + bonus)


@kernel
def tempt(state, owner, temple, bonus, held, gains, standings):
    """Rivals who may finish a temple that is ready, and can, hope for it.

    Only a little: players who hope for that wait instead of building.
    """
    for rival in range(int(state.players)):
        if may_finish(state, rival, owner) and dagger_ready(temple, rival, held) > 0:
            side = int(state.team[rival])
            standings[side] += STEAL * (gains[side, TEMPLE_HEART[temple]] + bonus)


@kernel
def priests_ready(temple, row, player, held):
    """How many of the priests that a temple lacks a hand has, wild ones included."""
    found = held[player, Card.SP] + held[player, Card.KU]
    wants = int(WANTS[temple, row])
    for kind in range(FAMILY_SIZE):
        found += min(wants >> 2 * kind & 3, held[player, Card.PA + kind])
    return min(found, int(GAPS[temple, row]))


@kernel
def dagger_ready(temple, player, held):
    """1 if a hand can finish a temple."""
    fitting = held[player, TEMPLE_DAGGER[temple]] + held[player, Card.SD] + held[player, Card.KU]
    return 1 if fitting > 0 else 0


@kernel
def cover_ready(player, held):
    """1 if a hand can end a curse."""
    covers = held[player, Card.KU] + held[player, Card.EL] + held[player, Card.ES]
    supremes = held[player, Card.SV] + held[player, Card.SP] + held[player, Card.SD]
    return 1 if covers + supremes > 0 else 0


@kernel
def victim_ready(state, player, site, held):
    """1 if a hand has a victim that may be placed under a temple."""
    if held[player, Card.SV] + held[player, Card.KU] > 0:
        return 1
    row = 0
    for other in range(SITES):
        row = row * VICTIM_LOOKS + CARD_VICTIM[card_at(state, player, PRIEST_SLOTS + other)]
    for card in range(Card.VM, Card.VR + 1):
        if held[player, card] > 0:
            if state.rules.free_victims or VICTIM_SITES[row, CARD_VICTIM[card]] >> site & 1:
                return 1
    return 0
