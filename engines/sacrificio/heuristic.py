"""How good a position looks: points, how near each temple is to its ritual, and what the hands are good for."""

import math
from collections import Counter

import numpy as np

from engines.kernel import kernel
from engines.records import OVER, SEATS
from engines.sacrificio.rules.zones import may_finish
from engines.sacrificio.scoring import HEARTS, best_groups, count_hearts, ranks, worth
from engines.sacrificio.tables import (
    CARD_LOOK,
    CARD_VICTIM,
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

# Weights found by playing one-ply players against each other; the unit is a point.
PER_MOVE = 0.26  # what each move that a temple still needs takes off its value (its logarithm)
PER_CARD = 0.22  # and each of its cards that is not in hand
HEART_VALUE = 1.9  # a coloured heart with what it may later combine to
GROUP_NOW = 0.5  # of the points that it combines to at once
HOLLOW = 0.9  # a hollow heart that a ritual will bring
FOREIGN = 0.5  # a temple that a rival may finish, against an own one
CARD_VALUES = {  # of cards in hand, besides their use for a temple
    Card.VM: 0.1,
    Card.VW: 0.1,
    Card.VR: 0.1,
    Card.PA: 0.12,
    Card.PB: 0.12,
    Card.PC: 0.12,
    Card.DR: 0.16,
    Card.DG: 0.16,
    Card.DB: 0.16,
    Card.ES: 0.3,
    Card.EL: 0.3,
    Card.PU: 0.35,
    Card.ZE: 0.35,
    Card.KU: 0.6,
    Card.CU: 0.25,
    Card.SV: 0.35,
    Card.SP: 0.45,
    Card.SD: 0.6,
}
CARD_VALUE = np.array([CARD_VALUES.get(card, 0.0) for card in range(KINDS_OF_CARDS)])
NEXT_CARD = 0.15  # a card yet to be drawn
MOVE = 0.25  # a move of the turn that is left
TAKEABLE = 0.25  # of its value, what the top card of a cenote is worth to rivals
LATE = 0.35  # how much surer points become until the hollow hearts run out
SHARPNESS = 0.22  # how much a point raises the odds (its logarithm) at the start
WIPED = 0.3  # a card of a rival's pile that may be wiped now


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


@kernel
def evaluate(states, player):
    """The estimated win share of a player's side, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        return share_won(states, player)
    held = np.zeros((SEATS, KINDS_OF_CARDS), np.int64)
    standings = np.zeros(SEATS, np.float64)
    count_hands(state, held)
    for other in range(int(state.players)):
        standings[state.team[other]] += standing(state, other, held)
    sharpness = SHARPNESS + LATE * (1.0 - float(state.hollow) / float(state.rules.hollow))
    tally = np.empty(HEARTS, np.int64)
    own = 0.0
    total = 0.0
    for side in range(int(state.players)):
        if leads(state, side):
            count_hearts(state, side, tally)
            value = standings[side] + float(worth(state, tally))
            odds = math.exp(sharpness * (value - standings[0]))
            total += odds
            if side == state.team[player]:
                own = odds
    return own / total


@kernel
def leads(state, side):
    """Whether a number is that of a side."""
    for player in range(int(state.players)):
        if state.team[player] == side:
            return True
    return False


@kernel
def share_won(states, player):
    """What a finished game brought: 1 for the only winning side, a part of it for several."""
    state = states[0]
    places = np.empty(SEATS, np.int8)
    ranks(states, places)
    if places[player] != 1:
        return 0.0
    winners = 0
    for side in range(int(state.players)):
        for other in range(int(state.players)):
            if state.team[other] == side and places[other] == 1:
                winners += 1
                break
    return 1.0 / winners


@kernel
def count_hands(state, held):
    """Copies of each card that each hand shows."""
    for player in range(int(state.players)):
        hand = state.seat[player].hand
        for i in range(int(hand.count)):
            if hand.card[i] > 0:
                held[player, hand.card[i]] += 1


@kernel
def standing(state, player, held):
    """What a player may expect besides the points of his side."""
    value = hand_value(state, player, held)
    tally = np.empty(HEARTS, np.int64)
    count_hearts(state, int(state.team[player]), tally)
    for owner in range(int(state.players)):
        share = 0.0
        if owner == player:
            share = 1.0
        elif may_finish(state, player, owner):
            share = FOREIGN
        if share > 0.0:
            for site in range(SITES):
                temple = int(state.seat[owner].temple[site])
                if temple > 0:
                    hope = chance(state, owner, site, player, held)
                    value += share * hope * reward(state, owner, site, temple, tally)
    if player == state.active:
        value += turn_value(state, player)
    return value


@kernel
def hand_value(state, player, held):
    """What the cards in hand are good for, and what rivals may take from the cenote."""
    seat = state.seat[player]
    value = NEXT_CARD * float(max(0, int(state.rules.hand_size) - int(seat.hand.count)))
    for card in range(1, KINDS_OF_CARDS):
        value += CARD_VALUE[card] * float(held[player, card])
    if seat.cenote.count > 0:
        top = int(seat.cenote.card[int(seat.cenote.count) - 1])
        value -= TAKEABLE * CARD_VALUE[top]
    return value


@kernel
def turn_value(state, player):
    """What is left of the turn: moves, and decisions that are half made."""
    value = MOVE * float(state.moves_left)
    phase = int(state.phase)
    if phase == Phase.MORE or phase == Phase.WIPE or phase == Phase.GOAL or phase == Phase.PAY:
        value -= MOVE
    if phase == Phase.ARRANGE or phase == Phase.COLLECT or phase == Phase.EXTRA:
        value -= MOVE * float(state.rules.moves)  # as good as the next player's turn
    if state.source > 0:
        value -= NEXT_CARD  # the payment
    if phase == Phase.WIPE:
        most = 0
        for other in range(int(state.players)):
            if state.team[other] != state.team[player]:
                for site in range(SITES):
                    most = max(most, int(state.seat[other].spirits[site].count))
        value += WIPED * float(most)
    return value


@kernel
def reward(state, owner, site, temple, tally):
    """What completing a temple brings, in points."""
    red = int(tally[Heart.RED])
    green = int(tally[Heart.GREEN])
    blue = int(tally[Heart.BLUE])
    heart = int(TEMPLE_HEART[temple])
    if heart == Heart.BLACK:
        value = float(state.rules.black_value)
    else:
        before = best_groups(state, red, green, blue)
        red += heart == Heart.RED
        green += heart == Heart.GREEN
        blue += heart == Heart.BLUE
        value = HEART_VALUE + GROUP_NOW * float(best_groups(state, red, green, blue) - before)
    due = int(state.seat[owner].spirits[site].count)
    for slot in range(2 * site, 2 * site + 3):
        due += WILDS >> card_at(state, owner, slot) & 1
    due += WILDS >> card_at(state, owner, PRIEST_SLOTS + site) & 1
    return value + HOLLOW * float(min(due, int(state.hollow)))


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
def chance(state, owner, site, player, held):
    """How near a player is to completing a temple: 1 if nothing were missing, less for each move and card."""
    temple = int(state.seat[owner].temple[site])
    row = 0
    for slot in range(2 * site, 2 * site + 3):
        row = row * LOOKS + CARD_LOOK[card_at(state, owner, slot)]
    wild = held[player, Card.KU]
    missing = GAPS[temple, row]
    ready = min(missing, priests_held(WANTS[temple, row], player, held) + wild)
    moves = missing + 2 * STRANGERS[temple, row] + 1
    missing += 1
    if held[player, TEMPLE_DAGGER[temple]] + held[player, Card.SD] + wild > 0:
        ready += 1
    if card_at(state, owner, PRIEST_SLOTS + site) == 0:
        moves += 1
        missing += 1
        ready += victim_held(state, owner, site, player, held)
    if state.seat[owner].spirits[site].cursed:
        moves += 1
        missing += 1
        if wild + held[player, Card.EL] + held[player, Card.SV] + held[player, Card.SP] > 0:
            ready += 1
    return math.exp(-PER_MOVE * float(moves) - PER_CARD * float(missing - ready))


@kernel
def priests_held(wants, player, held):
    """How many of the wanted priests a hand has, the supreme one included."""
    found = held[player, Card.SP]
    for kind in range(3):
        found += min(wants >> 2 * kind & 3, held[player, Card.PA + kind])
    return found


@kernel
def victim_held(state, owner, site, player, held):
    """1 if a hand has a victim that may be placed under a temple."""
    row = 0
    for other in range(SITES):
        row = row * VICTIM_LOOKS + CARD_VICTIM[card_at(state, owner, PRIEST_SLOTS + other)]
    if held[player, Card.SV] + held[player, Card.KU] > 0:
        return 1
    for card in range(Card.VM, Card.VR + 1):
        if held[player, card] > 0:
            if state.rules.free_victims or VICTIM_SITES[row, CARD_VICTIM[card]] >> site & 1:
                return 1
    return 0
