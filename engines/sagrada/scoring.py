"""What windows are worth, how the game ends and who has won."""

import numpy as np

from engines.kernel import kernel
from engines.records import SEATS

from .tables import (
    BOARD,
    CELLS,
    COLOURS,
    COLUMN,
    COLUMNS,
    FIRST_COLUMN,
    LAST_COLUMN,
    OBJECTIVE_POINTS,
    PIPS,
    ROW,
    ROWS,
    Objective,
)


@kernel
def count_bits(mask):
    """How many spaces a mask holds."""
    pairs = mask - ((mask >> 1) & 0x55555555)
    fours = (pairs & 0x33333333) + ((pairs >> 2) & 0x33333333)
    eights = (fours + (fours >> 4)) & 0x0F0F0F0F
    return ((eights * 0x01010101) >> 24) & 0xFF


# --- public objectives ------------------------------------------------------------------------------------


@kernel
def objective_points(window, card):
    """R37 What one public objective brings."""
    return OBJECTIVE_POINTS[card] * times_met(window, card)


@kernel
def times_met(window, card):
    """R37-R45 How often a window meets a public objective."""
    if card == Objective.ROW_COLOR_VARIETY:
        return rows_of_colours(window)
    if card == Objective.COLUMN_COLOR_VARIETY:
        return columns_of_colours(window)
    if card == Objective.ROW_SHADE_VARIETY:
        return rows_of_values(window)
    if card == Objective.COLUMN_SHADE_VARIETY:
        return columns_of_values(window)
    if card == Objective.LIGHT_SHADES:
        return fewest_values(window, 1, 2)
    if card == Objective.MEDIUM_SHADES:
        return fewest_values(window, 3, 4)
    if card == Objective.DEEP_SHADES:
        return fewest_values(window, 5, 6)
    if card == Objective.SHADE_VARIETY:
        return fewest_values(window, 1, PIPS)
    if card == Objective.COLOR_VARIETY:
        return fewest_colours(window)
    return dice_on_diagonals(window)


@kernel
def colours_in(window, line):
    """How many colours lie in a line of spaces."""
    found = 0
    masks = window.colour
    for colour in range(1, COLOURS + 1):
        if int(masks[colour]) & line:
            found += 1
    return found


@kernel
def values_in(window, line):
    """How many values lie in a line of spaces."""
    found = 0
    masks = window.pips
    for value in range(1, PIPS + 1):
        if int(masks[value]) & line:
            found += 1
    return found


@kernel
def rows_of_colours(window):
    """R38 Full rows of five different colours."""
    found = 0
    for row in range(ROWS):
        if colours_in(window, ROW[row]) == COLUMNS:
            found += 1
    return found


@kernel
def columns_of_colours(window):
    """R39 Full columns of four different colours."""
    found = 0
    for column in range(COLUMNS):
        if colours_in(window, COLUMN[column]) == ROWS:
            found += 1
    return found


@kernel
def rows_of_values(window):
    """R40 Full rows of five different values."""
    found = 0
    for row in range(ROWS):
        if values_in(window, ROW[row]) == COLUMNS:
            found += 1
    return found


@kernel
def columns_of_values(window):
    """R41 Full columns of four different values."""
    found = 0
    for column in range(COLUMNS):
        if values_in(window, COLUMN[column]) == ROWS:
            found += 1
    return found


@kernel
def fewest_values(window, low, high):
    """R42, R43 Complete sets of the values from `low` to `high`."""
    found = CELLS
    masks = window.pips
    for value in range(low, high + 1):
        found = min(found, count_bits(int(masks[value])))
    return found


@kernel
def fewest_colours(window):
    """R44 Complete sets of all colours."""
    found = CELLS
    for colour in range(1, COLOURS + 1):
        found = min(found, int(window.tally[colour]))
    return found


@kernel
def dice_on_diagonals(window):
    """R45 Dice with a diagonal neighbour of their own colour, each once."""
    found = 0
    masks = window.colour
    for colour in range(1, COLOURS + 1):
        dice = int(masks[colour])
        found += count_bits(dice & corners(dice))
    return found


@kernel
def corners(spaces):
    """The spaces that touch one of `spaces` at a corner."""
    sides = (spaces & ~FIRST_COLUMN) >> 1 | (spaces & ~LAST_COLUMN) << 1
    return (sides << COLUMNS | sides >> COLUMNS) & BOARD


# --- totals -----------------------------------------------------------------------------------------------


@kernel
def colour_sum(window, colour):
    """R46 The sum of the values of all dice of a colour."""
    found = 0
    dice = int(window.colour[colour])
    masks = window.pips
    for value in range(1, PIPS + 1):
        found += value * count_bits(dice & int(masks[value]))
    return found


@kernel
def private_points(seat):
    """R46, R52 What the private objective brings; of several, the best one; one not seen brings nothing."""
    best = 0
    for i in range(int(seat.private.count)):
        if seat.private.card[i] > 0:
            best = max(best, colour_sum(seat.window, int(seat.private.card[i])))
    return best


@kernel
def public_points(state, seat):
    """R36 What all public objectives bring that are known."""
    found = 0
    for i in range(int(state.publics.count)):
        if state.publics.card[i] > 0:
            found += objective_points(seat.window, int(state.publics.card[i]))
    return found


@kernel
def total_of(state, player):
    """R36, R52 Objectives and unspent tokens, less the penalty for empty spaces."""
    seat = state.seat[player]
    gaps = CELLS - count_bits(int(seat.window.filled))
    found = public_points(state, seat) + private_points(seat) + int(seat.tokens)
    return found - gaps * int(state.rules.gap_penalty)


@kernel
def target_of(state):
    """R51 Alone: the sum of all dice on the track."""
    found = 0
    for i in range(int(state.track.count)):
        found += int(state.track.value[i])
    return found


@kernel
def points(states, out):
    """R36, R52 The total of each player; alone how far it lies above the target."""
    state = states[0]
    for player in range(int(state.players)):
        out[player] = total_of(state, player)
    if state.players == 1:
        out[0] -= target_of(state)


# --- places -----------------------------------------------------------------------------------------------


@kernel
def ranks(states, out):
    """R47, R52 Everybody has a place of his own; alone 1 if the target is beaten, else 2."""
    state = states[0]
    players = int(state.players)
    if players == 1:
        out[0] = 1 if total_of(state, 0) > target_of(state) else 2
        return
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
def strength_of(state, player):
    """R47 One number that puts players in order: total, private objective, tokens, place in the last round."""
    seat = state.seat[player]
    players = int(state.players)
    first = (max(0, int(state.start)) + int(state.rules.rounds) - 1) % players
    place = (player - first) % players
    total = (total_of(state, player) + 1000) * 1000 + private_points(seat)
    return (total * 1000 + int(seat.tokens)) * SEATS + place


@kernel
def ending(states):
    """An Ending."""
    return int(states[0].ending)


@kernel
def turns(states):
    """R11 Turns begun so far; a turn given away is none."""
    return int(states[0].turns)
