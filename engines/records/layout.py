"""How a game declares the way its record reads as JSON: one codec a field."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from engines.piles import EVERYBODY, UNSEEN
from engines.records.states import NOBODY, State

UNKNOWN_CARD = "?"


@dataclass(frozen=True)
class Words:
    """A small integer, or an array of them, read as words; number n reads words[n - first]."""

    words: Sequence[str]
    first: int = 0


@dataclass(frozen=True)
class Pile:
    """A pile or hand, read as a list of card names bottom to top; `known` says who knows its cards as a rule.

    A card known to others than that is written "name@02": known to players 0 and 2 ("name@": to nobody).
    """

    words: Sequence[str]  # by card number; cards are numbered from 1
    known: str = "nobody"  # nobody, owner, everybody
    hand: bool = False  # kept sorted, as hands are


@dataclass(frozen=True)
class Bag:
    """An array of counts, read as {word: count} without the zeros."""

    words: Sequence[str]


@dataclass(frozen=True)
class Grid:
    """An array of small integers, read as rows of letters; number n reads letters[n - first]."""

    letters: str
    width: int
    first: int = 0


@dataclass(frozen=True)
class Custom:
    """Anything else: `read(value) -> JSON`, `write(value, JSON, path)` fills the array or record in place.

    With `whole`, both get the record that the field stands in, so that they may look at other fields.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any, Any, str], None]
    whole: bool = False


@dataclass(frozen=True)
class Derived:
    """Not part of the text: `settle` works it out from the rest."""


Codec: TypeAlias = Words | Pile | Bag | Grid | Custom | Derived


@dataclass(frozen=True)
class Rest:
    """The zone that holds every component not placed elsewhere, unless a position gives it.

    Args:
        zone: path of a Pile or Bag, without indices.
        among: paths of all the zones its components lie in, the rest zone included.
        supply: copies per component number for these States.
    """

    zone: str
    among: tuple[str, ...]
    supply: Callable[[State], NDArray[Any]]


@dataclass(frozen=True)
class Layout:
    """How one game's record reads as plain data; fields it does not name are plain numbers."""

    fields: Mapping[str, Codec]  # by path without indices: "seat.hand"
    per_player: tuple[str, ...] = ("team",)  # arrays with one element per player, cut to `players`
    rest: tuple[Rest, ...] = ()
    settle: Callable[[State], None] = lambda states: None  # works out derived fields after reading


def usual_mask(codec: Pile, owner: int, viewer: int) -> int:
    """Who knows the cards of a zone as a rule; in a View only whether the viewer does."""
    mask = {"nobody": UNSEEN, "owner": 1 << max(owner, 0), "everybody": EVERYBODY}[codec.known]
    return mask if viewer == NOBODY else mask & (1 << viewer)
