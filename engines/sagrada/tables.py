"""The components and names of Sagrada that no variant changes."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

MOST_PLAYERS = 4
MOST_ROUNDS = 10  # slots of the round track
DICE_IN_ALL = 90
DICE_OF_A_COLOUR = 18
MOST_POOL = 20  # dice that a variant may draw for a round
MOST_TOKENS = 12  # favor tokens of a player
OFFERED_CARDS = 2  # window cards dealt to a player
ROWS = 4
COLUMNS = 5
CELLS = ROWS * COLUMNS  # numbered row by row from A1; bit n of a mask of spaces is cell n
PIPS = 6


class Colour(IntEnum):
    """The colours of dice; 0 is no colour."""

    RED = 1
    YELLOW = 2
    GREEN = 3
    BLUE = 4
    PURPLE = 5


COLOURS = len(Colour)
COLOUR_LETTERS = "?RYGBP"  # by number
COLOUR_NAMES = ("?", *(colour.name.capitalize() for colour in Colour))
DICE = COLOURS * PIPS  # kinds of dice: die number = (colour - 1) * 6 + value, from 1; 0 is no die
DIE_NAMES = ("--", *(f"{COLOUR_LETTERS[c]}{v}" for c in Colour for v in range(1, PIPS + 1)))
DIE_COLOUR = np.array([0, *((d // PIPS) + 1 for d in range(DICE))], np.int64)
DIE_VALUE = np.array([0, *((d % PIPS) + 1 for d in range(DICE))], np.int64)
CELL_NAMES = tuple(f"{'ABCD'[cell // COLUMNS]}{cell % COLUMNS + 1}" for cell in range(CELLS))


# --- window patterns --------------------------------------------------------------------------------------


class PatternFacts(NamedTuple):
    """R2 One side of a window card: R Y G B P ask for a colour, 1-6 for a value, a dot for nothing."""

    name: str
    difficulty: int
    rows: str  # A to D, top to bottom


WINDOW_CARDS = (  # both sides of each card
    (
        PatternFacts("Virtus", 5, "4.25G ..6G2 .3G4. 5G1.."),
        PatternFacts("Symphony of Light", 6, "2.5.1 Y6P2R .B4G. .3.5."),
    ),
    (
        PatternFacts("Via Lux", 4, "Y.6.. .15.2 3YRP. ..43R"),
        PatternFacts("Industria", 5, "1R3.6 54R2. ..5R1 ...3R"),
    ),
    (
        PatternFacts("Bellesguard", 3, "B6..Y .3B.. .562. .4.1G"),
        PatternFacts("Batllo", 5, "..6.. .5B4. 3GYP2 14R53"),
    ),
    (
        PatternFacts("Kaleidoscopic Dream", 4, "YB..1 G.5.4 3.R.G 2..BY"),
        PatternFacts("Firmitas", 5, "P6..3 5P3.. .2P1. .15P4"),
    ),
    (
        PatternFacts("Aurorae Magnificus", 5, "5GBP2 P...Y Y.6.P 1..G4"),
        PatternFacts("Aurora Sagradis", 4, "R.B.Y 4P3G2 .1.5. ..6.."),
    ),
    (
        PatternFacts("Sun Catcher", 3, ".B2.Y .4.R. ..5Y. G3..P"),
        PatternFacts("Shadow Thief", 5, "6P..5 5.P.. R6.P. YR543"),
    ),
    (
        PatternFacts("Fractal Drops", 3, ".4.Y6 R.2.. ..RP1 BY..."),
        PatternFacts("Ripples of Light", 5, "...R5 ..P4B .B3Y6 Y2G1R"),
    ),
    (
        PatternFacts("Chromatic Splendor", 4, "..G.. 2Y5B1 .R3P. 1.6.4"),
        PatternFacts("Comitas", 5, "Y.2.6 .4.5Y ...Y5 12Y3."),
    ),
    (
        PatternFacts("Luz Celestial", 3, "..R5. P4.G3 6..B. .Y2.."),
        PatternFacts("Fulgor del Cielo", 5, ".BR.. .45.B B2.R5 6R31."),
    ),
    (
        PatternFacts("Gravitas", 5, "1.3B. .2B.. 6B.4. B52.1"),
        PatternFacts("Water of Life", 6, "6B..1 .5B.. 4R2B. G6Y3P"),
    ),
    (
        PatternFacts("Lux Astram", 5, ".1GP4 6P25G 1G53P ....."),
        PatternFacts("Lux Mundi", 6, "..1.. 1G3B2 B546G .B5G."),
    ),
    (
        PatternFacts("Firelight", 5, "3415. .62.Y ...YR 5.YR6"),
        PatternFacts("Sun's Glory", 6, "1PY.4 PY..6 Y..53 .5421"),
    ),
)

CARDS = len(WINDOW_CARDS)  # numbered from 1; card n has the patterns 2n - 1 and 2n
PATTERNS = tuple(side for card in WINDOW_CARDS for side in card)
PATTERN_NAMES = ("none", *(pattern.name for pattern in PATTERNS))  # by number; 0: every space blank
CARD_NAMES = ("?", *(f"{front.name} / {back.name}" for front, back in WINDOW_CARDS))
SPACES = ("." * CELLS, *(pattern.rows.replace(" ", "") for pattern in PATTERNS))  # by number
DIFFICULTY = np.array([0, *(pattern.difficulty for pattern in PATTERNS)], np.int64)


def spaces_that_take(mark: str, others: str) -> list[int]:
    """For each pattern the mask of spaces that do not ask for another of `others` than `mark`."""
    return [
        sum(1 << cell for cell, asked in enumerate(spaces) if asked == mark or asked not in others)
        for spaces in SPACES
    ]


def by_pattern(marks: str) -> np.ndarray:
    """int64[patterns, 1 + marks]: the spaces that take a die of each colour (or value); 0: all."""
    everything = [(1 << CELLS) - 1] * len(SPACES)
    columns = [everything, *(spaces_that_take(mark, marks) for mark in marks)]
    return np.ascontiguousarray(np.array(columns, np.int64).T)


FITS_COLOUR = by_pattern("RYGBP")  # [pattern, colour]: value spaces take any colour
FITS_VALUE = by_pattern("123456")  # [pattern, value]: colour spaces take any value

BOARD = (1 << CELLS) - 1
ROW = np.array([0b11111 << (COLUMNS * row) for row in range(ROWS)], np.int64)
COLUMN = np.array([0b00001_00001_00001_00001 << column for column in range(COLUMNS)], np.int64)
FIRST_COLUMN = int(COLUMN[0])
LAST_COLUMN = int(COLUMN[-1])
BORDER = int(ROW[0] | ROW[-1] | COLUMN[0] | COLUMN[-1])


# --- cards ------------------------------------------------------------------------------------------------


class ToolFacts(NamedTuple):
    """One tool card."""

    name: str
    colour: Colour  # of the die that pays for it in a game alone
    in_hand: bool  # used with a drafted die in hand, not without one
    text: str


TOOLS = (
    ToolFacts("Grozing Pliers", Colour.PURPLE, True, "drafted die one up or down"),
    ToolFacts("Eglomise Brush", Colour.BLUE, False, "move a die, ignoring colour spaces"),
    ToolFacts("Copper Foil Burnisher", Colour.RED, False, "move a die, ignoring value spaces"),
    ToolFacts("Lathekin", Colour.YELLOW, False, "move exactly two dice"),
    ToolFacts("Lens Cutter", Colour.GREEN, True, "swap the drafted die with one on the track"),
    ToolFacts("Flux Brush", Colour.PURPLE, True, "re-roll the drafted die"),
    ToolFacts(
        "Glazing Hammer", Colour.BLUE, False, "re-roll the pool (second turn, before drafting)"
    ),
    ToolFacts("Running Pliers", Colour.RED, False, "draft again now, skip the second turn"),
    ToolFacts("Cork-backed Straightedge", Colour.YELLOW, True, "place away from all other dice"),
    ToolFacts("Grinding Stone", Colour.GREEN, True, "turn the drafted die over"),
    ToolFacts("Flux Remover", Colour.PURPLE, True, "change the drafted die for one from the bag"),
    ToolFacts("Tap Wheel", Colour.BLUE, False, "move up to two dice of a colour on the track"),
)

Tool = IntEnum("Tool", [tool.name.upper().replace(" ", "_").replace("-", "_") for tool in TOOLS])
TOOL_NAMES = ("?", *(tool.name for tool in TOOLS))  # by number, from 1
TOOL_COLOUR = np.array([0, *(tool.colour for tool in TOOLS)], np.int64)
IN_HAND = np.array([0, *(tool.in_hand for tool in TOOLS)], np.int64)


class ObjectiveFacts(NamedTuple):
    """One public objective."""

    name: str
    points: int


OBJECTIVES = (
    ObjectiveFacts("Row Color Variety", 6),
    ObjectiveFacts("Column Color Variety", 5),
    ObjectiveFacts("Row Shade Variety", 5),
    ObjectiveFacts("Column Shade Variety", 4),
    ObjectiveFacts("Light Shades", 2),
    ObjectiveFacts("Medium Shades", 2),
    ObjectiveFacts("Deep Shades", 2),
    ObjectiveFacts("Shade Variety", 5),
    ObjectiveFacts("Color Variety", 4),
    ObjectiveFacts("Color Diagonals", 1),
)

Objective = IntEnum("Objective", [card.name.upper().replace(" ", "_") for card in OBJECTIVES])
OBJECTIVE_NAMES = ("?", *(card.name for card in OBJECTIVES))  # by number, from 1
OBJECTIVE_POINTS = np.array([0, *(card.points for card in OBJECTIVES)], np.int64)
MOST_CARDS = 12  # in any zone of cards


class Ending(IntEnum):
    """Why the game ended."""

    RUNNING = 0
    LAST_ROUND = 1


class Phase(IntEnum):
    """What the player to act decides."""

    NONE = 0  # the game is over
    WINDOW = 1  # which pattern to play
    MAIN = 2  # draft, use a tool, or end the turn; no die in hand
    HAND = 3  # where the drafted die goes, or a tool for it
    PAY = 4  # alone: which die pays for the tool
    ADJUST = 5  # Grozing Pliers: up or down
    SWAP = 6  # Lens Cutter: for which die on the track
    APART = 7  # Cork-backed Straightedge: on which space without neighbours
    VALUE = 8  # Flux Remover: which value
    KEEP = 9  # Flux Remover: place or return
    AGAIN = 10  # Running Pliers: which second die
    MOVE = 11  # Eglomise Brush, Copper Foil Burnisher, Lathekin, Tap Wheel
    COLOUR = 12  # Tap Wheel: dice of which colour
