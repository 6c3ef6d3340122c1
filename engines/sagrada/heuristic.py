"""How good a position looks: the points of each window, and what its empty spaces may still bring."""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER, SEATS
from engines.weights import Positive, Weight

from .rules.dice import die_at
from .rules.placement import beside, move_die
from .rules.usable import is_placeable
from .scoring import (
    colours_in,
    count_bits,
    ranks,
    target_of,
    total_of,
    values_in,
)
from .tables import (
    BOARD,
    CELLS,
    COLOURS,
    COLUMN,
    COLUMNS,
    DICE,
    DIE_COLOUR,
    DIE_VALUE,
    DIFFICULTY,
    FITS_COLOUR,
    FITS_VALUE,
    OBJECTIVE_POINTS,
    PIPS,
    ROW,
    ROWS,
    Objective,
    Phase,
)

# The unit is a point.
LOOKS: Positive = 0.72  # dice to choose from in a draft, as far as they are of use elsewhere too
FILLED: Weight = 1.7  # what a filled space brings on average besides the penalty it saves
HELD: Weight = 1.3  # what placing the die in hand brings besides that and the private objective
TOOL_UNDER_WAY: Weight = -0.1  # what a tool brings that is paid for
SPREAD: Positive = 3.3  # points of a lead that are worth e times the odds at the end
SOLO_SPREAD: Positive = 25.0  # the same alone: wide, so that far below the target it still tells
SPREAD_TO_COME: Weight = 0.32  # more of them for each draft to come
LINE: Positive = 0.45  # of the hope for a row or column, for each space of it that is empty
SET: Positive = 0.95  # of the points of the next sets of shades or colours, as likely as they are
SET_NEEDS: Positive = 2.1  # dice to come that each missing die of a set takes
OWN_COLOUR: Weight = 0.25  # a space that takes a die of the private objective
MANY_DRAFTS = 10.0  # from so many on a space for the own colour has all its worth
NEXT_SETS = 3  # that a player looks ahead to
MEAN_DIE = 3.5
LONGEST = 50.0  # odds beyond e to this are certain


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        places = np.empty(SEATS, np.int8)
        ranks(states, places)
        return 1.0 if places[player] == 1 else 0.0
    if state.players == 1:
        return 1.0 / (1.0 + odds((target_to_come(state) - standing(state, 0)) / SOLO_SPREAD))
    spread = SPREAD + SPREAD_TO_COME * drafts_left(state, player)
    own = standing(state, player) / spread
    total = 1.0
    for other in range(int(state.players)):
        if other != player:
            total += odds(standing(state, other) / spread - own)
    return 1.0 / total


@kernel
def odds(lead):
    """How likely a rival with this lead is to win, against the player."""
    return math.exp(max(-LONGEST, min(LONGEST, lead)))


@kernel
def standing(state, player):
    """The points that a player may expect; a die that waits to be moved with another counts where it goes."""
    seat = state.seat[player]
    landing = int(state.landing) - 1
    moves = landing >= 0 and player == state.to_act and seat.window.die[landing] == 0
    if moves:
        move_die(seat.window, int(state.moved) - 1, landing)
    found = points_to_expect(state, player, seat)
    if moves:
        move_die(seat.window, landing, int(state.moved) - 1)
    return found


@kernel
def points_to_expect(state, player, seat):
    """The points so far, and what empty spaces, lines and the turn under way promise."""
    left = drafts_left(state, player)
    found = float(total_of(state, player))
    fills = spaces_to_fill(seat, left)
    found += (FILLED + float(state.rules.gap_penalty)) * fills
    if left > 0.0:
        found += lines_to_come(state, seat.window) + sets_to_come(state, seat.window, fills)
        found += OWN_COLOUR * own_spaces(seat) * min(1.0, left / MANY_DRAFTS)
    if state.phase == Phase.WINDOW:
        found += tokens_to_come(state, seat)
    elif player == state.to_act:
        found += under_way(state, seat)
    return found


@kernel
def lines_to_come(state, window):
    """What rows and columns promise that are all different so far, less for each empty space."""
    found = 0.0
    for i in range(int(state.publics.count)):
        card = int(state.publics.card[i])
        if card == Objective.ROW_COLOR_VARIETY or card == Objective.ROW_SHADE_VARIETY:
            by_colour = card == Objective.ROW_COLOR_VARIETY
            for row in range(ROWS):
                found += OBJECTIVE_POINTS[card] * line_hope(window, ROW[row], COLUMNS, by_colour)
        elif card == Objective.COLUMN_COLOR_VARIETY or card == Objective.COLUMN_SHADE_VARIETY:
            by_colour = card == Objective.COLUMN_COLOR_VARIETY
            for column in range(COLUMNS):
                found += OBJECTIVE_POINTS[card] * line_hope(window, COLUMN[column], ROWS, by_colour)
    return found


@kernel
def line_hope(window, line, length, by_colour):
    """How likely a row or column is to be all different; nothing after a repetition or when it is full."""
    filled = count_bits(int(window.filled) & line)
    different = colours_in(window, line) if by_colour else values_in(window, line)
    if different != filled or filled == length:
        return 0.0
    hope = 1.0
    for _ in range(length - filled):  # faster than a power
        hope *= LINE
    return hope


@kernel
def sets_to_come(state, window, fills):
    """What the next sets of shades and colours promise: less for each die that they miss, more for each to come."""
    found = 0.0
    for i in range(int(state.publics.count)):
        card = int(state.publics.card[i])
        low, high = 0, 0
        if card == Objective.LIGHT_SHADES:
            low, high = 1, 2
        elif card == Objective.MEDIUM_SHADES:
            low, high = 3, 4
        elif card == Objective.DEEP_SHADES:
            low, high = 5, 6
        elif card == Objective.SHADE_VARIETY:
            low, high = 1, PIPS
        elif card == Objective.COLOR_VARIETY:
            low, high = 1, COLOURS
        if high > 0:
            by_colour = card == Objective.COLOR_VARIETY
            found += OBJECTIVE_POINTS[card] * next_sets(window, low, high, by_colour, fills)
    return SET * found


@kernel
def next_sets(window, low, high, by_colour, fills):
    """How many of the next sets there may be."""
    counts = 0  # of dice of each kind, a byte each
    least = CELLS
    for kind in range(low, high + 1):
        dice = int(window.tally[kind]) if by_colour else count_bits(int(window.pips[kind]))
        counts = counts << 8 | dice
        least = min(least, dice)
    found = 0.0
    for sets in range(least + 1, least + NEXT_SETS + 1):
        missing = 0
        rest = counts
        for _ in range(low, high + 1):
            missing += max(0, sets - (rest & 0xFF))
            rest >>= 8
        found += fills / (fills + SET_NEEDS * float(missing))
    return found


@kernel
def own_spaces(seat):
    """How many empty spaces take a die of the private objective; of several, where most do."""
    pattern = max(0, int(seat.pattern))
    window = seat.window
    best = 0
    for i in range(int(seat.private.count)):
        colour = int(seat.private.card[i])
        if colour > 0:
            fits = int(FITS_COLOUR[pattern, colour]) & ~beside(int(window.colour[colour]))
            best = max(best, count_bits(fits & BOARD & ~int(window.filled)))
    return float(best)


@kernel
def tokens_to_come(state, seat):
    """The favor tokens of a pattern that has been chosen."""
    if state.rules.tokens < 0:
        return float(DIFFICULTY[max(0, int(seat.pattern))])
    return float(state.rules.tokens)


@kernel
def under_way(state, seat):
    """What the die in hand and the tool in use promise."""
    found = TOOL_UNDER_WAY if state.tool > 0 else 0.0
    held = HELD + float(state.rules.gap_penalty)
    if state.phase == Phase.AGAIN:
        found += held
    elif state.held.count > 0:
        die = die_at(state.held, 0)
        if state.phase != Phase.HAND or is_placeable(seat, die):
            found += held
            for i in range(int(seat.private.count)):
                if seat.private.card[i] == DIE_COLOUR[die]:
                    found += float(DIE_VALUE[die])
    return found


@kernel
def target_to_come(state):
    """Alone: the track as it may be in the end; of the pool the dice that are not drafted count."""
    shown = 0.0
    count = float(state.pool.count)
    for i in range(int(state.pool.count)):
        shown += float(state.pool.value[i])
    rounds = float(int(state.rules.rounds) - int(state.current_round))
    left = max(0.0, count - drafts_left(state, 0) + 2.0 * rounds)
    later = rounds * max(0.0, float(state.rules.dice) - 2.0) * MEAN_DIE
    return float(target_of(state)) + later + shown * min(1.0, left / max(1.0, count))


@kernel
def drafts_left(state, player):
    """How many dice a player may still draft, the one in hand not counted."""
    players = int(state.players)
    turn = int(state.turn)
    found = 2.0 * float(int(state.rules.rounds) - int(state.current_round))
    if state.current_round == 0:
        return found
    first = (player - int(state.start) - int(state.current_round) + 1) % players
    second = 2 * players - 1 - first
    if turn < first:
        found += 1.0
    if turn < second and state.seat[player].skips == 0:
        found += 1.0
    if player == state.to_act and state.drafted == 0 and state.held.count == 0:
        found += 1.0
    return found


@kernel
def spaces_to_fill(seat, left):
    """How many spaces may still be filled: the more dice suit a space, the likelier it is."""
    window = seat.window
    pattern = max(0, int(seat.pattern))
    empty = BOARD & ~int(window.filled)
    if empty == 0 or left <= 0.0:
        return 0.0
    # How many colours, then values, each space takes, as three binary digits: a mask of spaces for each.
    c1, c2, c4, v1, v2, v4 = 0, 0, 0, 0, 0, 0
    colours, pips = window.colour, window.pips
    for colour in range(1, COLOURS + 1):
        fits = FITS_COLOUR[pattern, colour] & ~beside(int(colours[colour]))
        c1, c2, c4 = count_up(c1, c2, c4, int(fits))
    for value in range(1, PIPS + 1):
        fits = FITS_VALUE[pattern, value] & ~beside(int(pips[value]))
        v1, v2, v4 = count_up(v1, v2, v4, int(fits))
    found = 0.0
    for cell in range(CELLS):
        if empty >> cell & 1:
            kinds = count_at(c1, c2, c4, cell) * count_at(v1, v2, v4, cell)
            looks = LOOKS * left * float(kinds) / DICE
            found += looks / (1.0 + looks)
    return found * min(1.0, left / float(count_bits(empty)))


@kernel
def count_up(ones, twos, fours, spaces):
    """One more for each space of a mask, on counters whose binary digits are masks."""
    return ones ^ spaces, twos ^ (ones & spaces), fours ^ (ones & twos & spaces)


@kernel
def count_at(ones, twos, fours, cell):
    """What the counter of a space shows."""
    return (ones >> cell & 1) + 2 * (twos >> cell & 1) + 4 * (fours >> cell & 1)
