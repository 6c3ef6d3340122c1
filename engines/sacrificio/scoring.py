"""What hearts are worth, how the game ends and who has won."""

import numpy as np

from engines.kernel import kernel
from engines.records import SEATS

from .tables import KINDS_OF_TEMPLES, TEMPLE_HEART, Heart

HEARTS = len(Heart) + 1
TEMPLES_WITH = np.array(  # by Heart: the mask of its temples
    [
        sum((TEMPLE_HEART[temple] == heart) << temple for temple in range(1, KINDS_OF_TEMPLES))
        for heart in range(HEARTS)
    ],
    np.int64,
)
FEWER = 1000  # more than anybody has hearts


@kernel
def count_hearts(state, side, tally):
    """R54, R60 The hearts of all players of a side by colour into tally[1..4], hollow ones into tally[0]."""
    for heart in range(HEARTS):
        tally[heart] = 0
    for player in range(int(state.players)):
        if state.team[player] == side:
            tally[0] += int(state.seat[player].hollow)
            hearts = int(state.seat[player].hearts)
            for heart in range(1, HEARTS):
                tally[heart] += count_ones(hearts & TEMPLES_WITH[heart])


@kernel
def count_ones(mask):
    """The bits of a mask that are 1: hearts are few, temples many."""
    found = 0
    while mask:
        mask &= mask - 1
        found += 1
    return found


@kernel
def best_groups(state, red, green, blue):
    """R55 The extra points of the best grouping: one of each colour, and three of a colour."""
    same = int(state.rules.same_bonus)
    different = int(state.rules.different_bonus)
    best = 0
    for sets in range(min(red, min(green, blue)) + 1):
        threes = (red - sets) // 3 + (green - sets) // 3 + (blue - sets) // 3
        best = max(best, different * sets + same * threes)
    return best


@kernel
def worth(state, tally):
    """R54 The points of a side's hearts."""
    red = int(tally[Heart.RED])
    green = int(tally[Heart.GREEN])
    blue = int(tally[Heart.BLUE])
    plain = int(tally[0]) + red + green + blue
    black = int(tally[Heart.BLACK]) * int(state.rules.black_value)
    return plain + black + best_groups(state, red, green, blue)


@kernel
def points(states, out):
    """R54, R60 Each player's points; partners share theirs."""
    state = states[0]
    tally = np.empty(HEARTS, np.int64)
    for player in range(int(state.players)):
        count_hearts(state, int(state.team[player]), tally)
        out[player] = worth(state, tally)


@kernel
def ranks(states, out):
    """R56 1 + the number of better sides: more points, then fewer heart cards, then fewer hollow hearts."""
    state = states[0]
    players = int(state.players)
    tally = np.empty(HEARTS, np.int64)
    strength = np.empty(SEATS, np.int64)
    for side in range(players):
        count_hearts(state, side, tally)
        held = 0
        for heart in range(HEARTS):
            held += tally[heart]
        strength[side] = (worth(state, tally) * FEWER - held) * FEWER - tally[0]
    sides = 0
    for player in range(players):
        sides = max(sides, int(state.team[player]) + 1)
    for player in range(players):
        rank = 1
        for side in range(sides):
            if strength[side] > strength[state.team[player]]:
                rank += 1
        out[player] = rank


@kernel
def ending(states):
    """An Ending."""
    return int(states[0].ending)


@kernel
def turns(states):
    """R13 Turns completed by all players; the turn in which the game stops at once is not counted."""
    return int(states[0].turn)
