"""How a game declares the way its record reads as JSON, and what each field may hold: one codec a field."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from engines.piles import EVERYBODY, UNSEEN
from engines.records.states import NOBODY, SEATS, State

UNKNOWN_CARD = "?"


Bound: TypeAlias = Callable[[Any], int]  # what a State's record says a number may reach at most


@dataclass(frozen=True)
class Number:
    """A whole number, or an array of them: its range in any State, the only place where it is written.

    `most` names a closer bound that the rest of the record gives, e.g. the rounds of its variant.
    """

    low: int
    high: int
    most: Bound | None = None

    def limits(self, record: Any) -> tuple[int, int]:
        """The range within one State's record."""
        return self.low, self.high if self.most is None else min(self.high, self.most(record))


@dataclass(frozen=True)
class Player:
    """A player by number, from 0; -1 where it may be nobody, or where a View hides who it is."""

    nobody: bool = False
    hidden: bool = False


@dataclass(frozen=True)
class Words:
    """A small integer, or an array of them, read as words; number n reads words[n - first]."""

    words: Sequence[str]
    first: int = 0


@dataclass(frozen=True)
class Pile:
    """A pile or hand, read as a list of card names bottom to top; `known` says who knows its cards as a rule.

    A card known to others than that is written "name@02": known to players 0 and 2 ("name@": to nobody).
    `most` bounds its cards closer than the room that it has.
    """

    words: Sequence[str]  # by card number; cards are numbered from 1
    known: str = "nobody"  # nobody, owner, everybody
    hand: bool = False  # kept sorted, as hands are
    most: Bound | None = None


@dataclass(frozen=True)
class Bag:
    """An array of counts, read as {word: count} without the zeros; each at most `most`."""

    words: Sequence[str]
    most: int = 127


@dataclass(frozen=True)
class Grid:
    """An array of small integers, read as rows of letters; number n reads letters[n - first]."""

    letters: str
    width: int
    first: int = 0


@dataclass(frozen=True)
class Custom:
    """Anything else: `read(value) -> JSON`, `write(value, JSON, path)` fills the array or record in place.

    With `whole`, both get the record that the field stands in, so that they may look at other fields. `write`
    raises a PositionError for all that the field may not hold. None: only read, as parts of the rules are.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any, Any, str], None] | None = None
    whole: bool = False


@dataclass(frozen=True)
class Derived:
    """Not part of the text: `settle` works it out from the rest."""


Codec: TypeAlias = Number | Player | Words | Pile | Bag | Grid | Custom | Derived
FLAG = Number(0, 1)
HEADER_CODECS: Mapping[str, Codec] = {
    "players": Number(1, SEATS),
    "to_act": Player(nobody=True),  # OVER
    "viewer": Player(nobody=True),
}
TOLD = ("rules", "team")  # the variant says them: a position may tell them, but not change them


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
    """How one game's record reads as plain data, and what may stand in it.

    Every field below `rules` and outside the header has a codec; one without is a plain number of any size, which
    `arena check game` reports.
    """

    fields: Mapping[str, Codec]  # by path without indices: "seat.hand"
    per_player: tuple[str, ...] = ("team",)  # arrays with one element per player, cut to `players`
    rest: tuple[Rest, ...] = ()
    # Works out derived fields after reading; a PositionError for fields that cannot stand together.
    settle: Callable[[State], None] = lambda states: None
    # Carries out what a settled position begins with, e.g. the start of a turn.
    run_on: Callable[[State], None] = lambda states: None

    def codec(self, path: str) -> Codec | None:
        """How the field with this path reads; None: as it is."""
        return self.fields.get(path) or HEADER_CODECS.get(path)


def usual_mask(codec: Pile, owner: int, viewer: int) -> int:
    """Who knows the cards of a zone as a rule; in a View only whether the viewer does."""
    mask = {"nobody": UNSEEN, "owner": 1 << max(owner, 0), "everybody": EVERYBODY}[codec.known]
    return mask if viewer == NOBODY else mask & (1 << viewer)
