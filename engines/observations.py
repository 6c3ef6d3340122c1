"""What the fields of a View mean to learners: a game's `observation` says what its Layout does not.

The Layout already tells words, ranges, cards and supplies, and its codecs mean the same here: `Words` are one-hots,
`Number` is a number scaled by its range, `Player` a one-hot of players as seen from the viewer, `Pile` and `Bag` counts
of each kind. A game declares by path what is left: `Custom` fields, masks, arrays indexed by player, what to leave out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engines.records import Bag, Number, Player, State, Words


@dataclass(frozen=True)
class Skip:
    """Left out: it follows from other fields, or no decision depends on it."""


@dataclass(frozen=True)
class Bits:
    """A mask, or an array of masks: a component for each bit that may stand in it.

    Args:
        words: what the bits mean, one a bit.
        bits: their numbers; none: 0, 1, 2, ...
        only: the elements of an array that are told; none: all.
    """

    words: Sequence[str]
    bits: Sequence[int] = ()
    only: Sequence[int] = ()


@dataclass(frozen=True)
class Facts:
    """A number that stands for something, e.g. a cell or an action: a one-hot of one fact about it, say its row.

    Args:
        words: what the fact may be.
        of: for each number from 0 which word it is; of numbers below 0 nothing is told.
        only: the elements of an array that are told; none: all.
    """

    words: Sequence[str]
    of: Sequence[int]
    only: Sequence[int] = ()


@dataclass(frozen=True)
class Players:
    """A mask of players: a component for each player as seen from the viewer."""


@dataclass(frozen=True)
class Cards:
    """A pile, hand or list of components: how many of each kind, the hidden ones apart, and the topmost as one-hots.

    Args:
        top: how many of the topmost are told in their order.
        words: by kind, numbered from 1; none: those of the `Pile` in the Layout.
        most: copies of one kind at most; none: what the Layout's supply says, else the room of the pile.
        by: where a component is two numbers, the name of the second array and how many values it has, from 1:
            component (first, second) has the number (first - 1) * values + second.
    """

    top: int = 0
    words: Sequence[str] = ()
    most: int = 0
    by: tuple[str, int] | None = None


@dataclass(frozen=True)
class PerPlayer:
    """An array indexed by player, the viewer's element first; `inner` None: as the Layout says."""

    inner: "Shown | tuple[Shown, ...] | None" = None


Shown: TypeAlias = Skip | Bits | Facts | Players | Cards | PerPlayer | Number | Words | Player | Bag
Declared: TypeAlias = Mapping[
    str, Shown | tuple[Shown, ...]
]  # by path; several for several kinds of components
Observation: TypeAlias = Callable[[State], Declared]  # of a blank State of the variant


def nothing_more(states: State) -> Declared:
    """The observation of a game whose Layout says all."""
    return {}


def limits_of(codec: Number, record: Any) -> tuple[int, int]:
    """The range of a number in all States of a variant, given its blank record."""
    low, high = codec.limits(record)
    return low, max(high, low + 1)
