"""The position of a game of Connect Four, its options and its setup."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from engines.core import Option
from engines.errors import OptionError
from engines.kernel import kernel
from engines.records import HEADER, NOBODY, Rng, State

from .tables import BITS, MOST_COLUMNS, MOST_ROWS


@dataclass(frozen=True)
class Variant:
    """The size of the board and the length of a winning line."""

    rows: Annotated[int, Option("spaces in a column", 2, MOST_ROWS)] = 6
    columns: Annotated[int, Option("columns to choose from", 2, MOST_COLUMNS)] = 7
    connect: Annotated[int, Option("discs in a row that win", 2, 9)] = 4


RULES = np.dtype([("rows", np.int8), ("columns", np.int8), ("connect", np.int8)])

STATE = np.dtype(
    [
        *HEADER,
        ("rules", RULES),  # the variant
        ("ending", np.int8),  # an Ending
        ("dropped", np.int8),  # discs on the board
        ("height", np.int8, (MOST_COLUMNS,)),  # discs in each column
        (
            "discs",
            np.uint64,
            (2,),
        ),  # of each player: bit column * (rows + 1) + row, row 0 at the bottom
    ]
)


def blank(players: int, variant: Variant) -> State:
    """An empty board of the variant's size."""
    longest = max(variant.rows, variant.columns)
    if players != 2:
        raise OptionError(f"players: {players}, Connect Four has 2")
    if variant.connect > longest:
        raise OptionError(f"connect: {variant.connect}, no line here is longer than {longest}")
    if variant.columns * (variant.rows + 1) > BITS:
        raise OptionError(
            f"rows: {variant.rows}, with {variant.columns} columns at most {BITS // variant.columns - 1}"
        )
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    states["team"] = np.arange(4)
    for name in RULES.names or ():
        states["rules"][name] = getattr(variant, name)
    return states


@kernel
def deal(states: State, rng: Rng) -> None:
    """R1 The game starts with an empty board; there is no chance to settle."""
    states[0].to_act = 0
