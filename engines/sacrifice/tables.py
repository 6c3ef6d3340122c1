"""The components and names of Sacrifice that no variant changes.

Board, numbers of pieces, placement and walls are reconstructions (RULES.md, Data), so they are options; here stand
the largest that the options allow and the placement for each width.
"""

from enum import IntEnum

import numpy as np

MOST_WIDTH = 12
MOST_HEIGHT = 24
CELLS = MOST_WIDTH * MOST_HEIGHT  # cell = row * MOST_WIDTH + column in every variant
MOST_OF_A_KIND = 3
MOST_MINERALS = 3
MOST_POINTS = 8  # of a turn
MOST_TURNS = 400  # of both, until a variant stops the game
MOST_TALLY = MOST_POINTS * MOST_TURNS  # kills, cancelled attacks or resurrections of a player
MOST_WALLS = 5  # of each player
NONE = -1  # no cell, no character
DEAD = -1  # the cell of a character in the graveyard
ON_A_CELL = 2  # minerals that may lie on one cell


class Kind(IntEnum):
    """The characters."""

    PRENEUSE = 0
    EMISSARY = 1
    IMMORTAL = 2
    FANATIC = 3
    BUILDER = 4
    MARTYR = 5
    MONKEY = 6
    CHEETAH = 7
    FALCON = 8


class Race(IntEnum):
    """What a kind counts for in the elevation zone; gods count for nothing."""

    GOD = 0
    HUMAN = 1
    ANIMAL = 2
    MINERAL = 3


KINDS = tuple(Kind)
LETTERS = "PEIFBMSGV"  # by kind
MINERAL = "O"
KIND_RACE = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2], np.int64)
CARRIES = np.array([0, 0, 0, 1, 1, 1, 1, 0, 0], np.int64)  # whether a kind carries minerals

SLOTS = len(KINDS) * MOST_OF_A_KIND  # of each player: three of every kind
SLOT_KIND = np.repeat(np.arange(len(KINDS)), MOST_OF_A_KIND)
SLOT_RACE = KIND_RACE[SLOT_KIND]
SLOT_CARRIES = CARRIES[SLOT_KIND]
CHARACTERS = tuple(f"{LETTERS[slot // 3]}{slot % 3 + 1}" for slot in range(SLOTS))
FIRST_HUMAN = Kind.FANATIC * MOST_OF_A_KIND
FIRST_ANIMAL = Kind.MONKEY * MOST_OF_A_KIND
FIRST_CHEETAH = Kind.CHEETAH * MOST_OF_A_KIND
FIRST_FALCON = Kind.FALCON * MOST_OF_A_KIND
FIRST_BUILDER = Kind.BUILDER * MOST_OF_A_KIND
KIND_MASK = 0b111  # of a kind's slots, shifted by MOST_OF_A_KIND * kind

CELL_NAMES = tuple(
    f"{'abcdefghijkl'[cell % MOST_WIDTH]}{cell // MOST_WIDTH + 1}" for cell in range(CELLS)
)

NORTH, EAST, SOUTH, WEST = range(4)  # directions
OFFSET = np.array([MOST_WIDTH, 1, -MOST_WIDTH, -1], np.int64)
DIRECTIONS = "NESW"
# Neighbouring hyper-cells: the four that share a side, then the four at a corner (`god_diagonal`).
HYPER_X = np.array([0, 1, 0, -1, 1, 1, -1, -1], np.int64)
HYPER_Y = np.array([1, 0, -1, 0, 1, -1, -1, 1], np.int64)
HYPER_NAMES = ("N", "E", "S", "W", "NE", "SE", "SW", "NW")

POSTS_ACROSS = (
    MOST_WIDTH + 1
)  # lattice points, the corners of cells: post = row * POSTS_ACROSS + column
POSTS = POSTS_ACROSS * (MOST_HEIGHT + 1)
LEVEL, UPRIGHT = 0, 1  # walls: horizontal, on the north side of cells; vertical, on the east side
SIDE, END_LEVEL, END_UPRIGHT = 1, 2, 4  # kinds of contact between a wall and a builder's cell
CONTACTS = {"side": SIDE, "end_h": END_LEVEL, "end_v": END_UPRIGHT}


class Phase(IntEnum):
    """What `to_act` decides."""

    OVER = 0
    MAIN = 1  # the player whose turn it is: displace, build, resurrect, end
    IMMORTAL = 2  # the owner of an attacked immortal: cancel or accept
    COST = 3  # he has cancelled: which of his characters dies for it
    SACRIFICE = 4  # which character of the player whose turn it is dies


class Gait(IntEnum):
    """How a cheetah has moved in this turn."""

    FRESH = 0
    WALK = 1
    RUN_NORTH_SOUTH = 2
    RUN_EAST_WEST = 3


class Ending(IntEnum):
    """Why the game ended; all but RACES are draws."""

    RUNNING = 0
    RACES = 1  # somebody has elevated enough races
    MATERIAL = 2  # nobody can do so any more
    BLOCKED = 3  # two turns in a row without a displacement
    REPETITION = 4
    TURN_CAP = 5
    NO_PROGRESS = 6


# The reconstructed placement of South, by width: written for an elevation zone of two rows (see state.formation).
FORMATIONS = {
    8: "Pc4 Id4 Ef4 Fc6 Ff6 Bd6 Be6 Mc5 Mf5 Sb5 Sg5 Gb6 Gg6 Va5 Vh5 Oc3 Of3",
    10: "Pd4 Ie4 Eg4 Fc6 Fh6 Be6 Bf6 Md5 Mg5 Sc5 Sh5 Gb6 Gi6 Va5 Vj5 Oa3 Oj3",
    12: "Pe4 If4 Eh4 Fd6 Fi6 Bf6 Bg6 Me5 Mh5 Sc5 Sj5 Gb6 Gk6 Vb5 Vk5 Oe3 Oh3",
}
FORMATION_ELEVATION = 2

# Bounds of a list of legal actions: steps and entries, runs, flights, jumps, walls, the rest, and at the end of the
# list the room in which flights are worked out.
PASSING_ROOM = MOST_HEIGHT + 2 * SLOTS
_STEPS = (SLOTS - 3 * MOST_OF_A_KIND) * 11 + MOST_OF_A_KIND * 4
_FAR = MOST_OF_A_KIND * CELLS + 3 * MOST_OF_A_KIND * 32
_WALLS = MOST_OF_A_KIND * 20
MOST_LEGAL = _STEPS + _FAR + _WALLS + len(KINDS) + 1 + PASSING_ROOM
