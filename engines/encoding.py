"""A View as a vector of numbers: a table of fields, made from a game's Layout and observation, for one kernel.

The vector is egocentric: the viewer's fields come first, then those of the players after him in order of play. The
kernel reads nothing but the bytes of the View and constants of the variant, so it tells what the View tells.
"""

# mypy: disable-error-code="no-untyped-call"

import bisect
import functools
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engines import vectors
from engines.core import Game
from engines.errors import UserError
from engines.kernel import compile_for
from engines.observations import (
    Bits,
    Cards,
    Declared,
    Facts,
    PerPlayer,
    Players,
    Shown,
    Skip,
    limits_of,
)
from engines.programs import Assembly, Place
from engines.records import Bag, Custom, Derived, Grid, Number, Pile, Player, View, Words

LEFT_OUT = (
    "players",
    "to_act",
    "viewer",
    "team",
    "rules",
)  # told apart, or alike in every position
SLACK = 1e-5  # what sums of float32 may be off
WIDE = 255  # numbers with more values are told by their logarithm


def fields_of(dtype: np.dtype[Any]) -> Mapping[str, tuple[Any, int]]:
    """The fields of a record by name: dtype and place."""
    return {name: (found[0], found[1]) for name, found in (dtype.fields or {}).items()}


def kind_of(dtype: np.dtype[Any]) -> int:
    """Bytes of an integer, less than 0: unsigned."""
    return -dtype.itemsize if dtype.kind == "u" else dtype.itemsize


@dataclass(frozen=True)
class Leaf:
    """One field of the record, or the same field of each element of an array of records.

    Args:
        path: without indices, as in the Layout.
        dtype: of one element.
        at: byte of the first element.
        count: elements; `stride` bytes from one to the next.
        seat: how many seats after the viewer its player sits, and bytes from player to player; None: of no player.
        label: the path as names of components begin, e.g. seat[0].hand.
    """

    path: str
    dtype: np.dtype[Any]
    at: int
    count: int
    stride: int
    seat: tuple[int, int] | None
    label: str

    def element(self, number: int) -> str:
        """The name of one element."""
        return f"{self.label}[{number}]" if self.count > 1 else self.label

    @property
    def kind(self) -> int:
        """Bytes of one element; less than 0: unsigned."""
        return kind_of(self.dtype)

    def places(self) -> list[Place]:
        """Where the elements lie."""
        seat, step = self.seat or (None, 0)
        return [Place(self.at + i * self.stride, seat, step) for i in range(self.count)]


class Encoder:
    """Turns Views of one game, number of players and variant into vectors.

    Args:
        game: the game.
        players: how many play.
        variant: its Variant; None: the default.

    Raises:
        UserError: a field of which neither Layout nor observation says what it means.

    Attributes:
        size: components of a vector.
        names: one for each component, e.g. "seat[1].hand=journey"; seat 0 is the viewer's, 1 the next player's.
    """

    def __init__(self, game: Game, players: int, variant: Any = None) -> None:
        """Make the table of fields."""
        variant = game.Variant() if variant is None else variant
        self.players = players
        self.blank = game.blank(players, variant)
        self.layout = game.layout
        self.declared: Declared = game.observation(self.blank)
        self.names: list[str] = []
        self.paths: list[str] = []  # of each field
        self.undeclared: list[str] = []
        self._starts: list[int] = []  # the first component of each field
        self._write_header(game.dtype)
        for leaf in self._leaves(game.dtype):
            self._write(leaf, self._shown(leaf.path))
        if self.undeclared:
            raise UserError(
                f"game {game.name!r}: observation: {self.undeclared[0]} is not declared, "
                "expected e.g. Number(0, 12), Bits(words) or Skip()"
            )
        self.size = len(self.names)
        self.programs = self._made.programs()
        self.lookup = np.array(self._made.tables or [0], np.int16)
        self._scales = {
            np.dtype(np.float32): self._made.scales(),
            np.dtype(np.uint8): self._made.scales(WIDE),
        }

    def __call__(
        self, view: View, out: NDArray[Any] | None = None, dtype: DTypeLike = np.float32
    ) -> NDArray[Any]:
        """One View[1] as a vector [size]: float32 in 0..1, or uint8 (whole numbers; of wide ranges 255 is the most)."""
        vector = np.zeros(self.size, dtype) if out is None else out
        vectors.encode(view.view(np.uint8), *self.tables(vector.dtype), vector)
        return vector

    def encode(self, view: View, out: NDArray[Any]) -> str | None:
        """Write a View[1] into out[size]; returns a field or component that was out of its range, or None."""
        cut = int(vectors.encode(view.view(np.uint8), *self.tables(out.dtype), out))
        if cut:
            return self.paths[bisect.bisect_right(self._starts, cut - 1) - 1]
        if out.dtype == np.float32 and out.max() > 1 + SLACK:
            return self.names[int(out.argmax())]
        return None

    def tables(
        self, dtype: DTypeLike
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int16]]:
        """What the kernel `vectors.encode` reads besides the bytes of a View, for vectors of this dtype."""
        return self.programs, self._scales[np.dtype(dtype)], self.lookup

    @functools.cached_property
    def digest(self) -> str:
        """16 letters that change when any component changes its name or place: a policy plays by one of them."""
        return hashlib.blake2b("\n".join(self.names).encode(), digest_size=8).hexdigest()

    # --- the fields in order ------------------------------------------------------------------------------

    def _shown(self, path: str) -> "Shown | tuple[Shown, ...] | None":
        """What a field means: as declared, else as the Layout says."""
        return self.declared[path] if path in self.declared else self._by_layout(path)

    def _by_layout(self, path: str) -> Shown | None:
        """What the Layout says by itself."""
        match codec := self.layout.fields.get(path):
            case Pile():
                return Cards(top=0 if codec.hand else 1)
            case Grid():
                return Words(codec.letters, codec.first)
            case Derived():
                return Skip()
            case Custom():
                return None
        return codec

    def _leaves(self, dtype: np.dtype[Any]) -> Iterator[Leaf]:
        for name in dtype.names or ():
            if name in LEFT_OUT:
                continue
            inner, at = fields_of(dtype)[name]
            shown = self.declared.get(name)
            if name in self.layout.per_player or isinstance(shown, PerPlayer):
                item = np.dtype((inner.base, inner.shape[1:]))
                for k in range(self.players):
                    yield from self._below(item, at, name, (k, item.itemsize), f"{name}[{k}]", 1, 0)
            else:
                yield from self._below(inner, at, name, None, name, 1, 0)

    def _below(
        self,
        dtype: np.dtype[Any],
        at: int,
        path: str,
        seat: tuple[int, int] | None,
        label: str,
        count: int,
        stride: int,
    ) -> Iterator[Leaf]:
        """The leaves of a field; of an array of records one for each field of the record."""
        base, size = dtype.base, math.prod(dtype.shape)
        shown = self._shown(path)
        if isinstance(shown, Skip):
            return
        if (
            size > 1 and count > 1
        ):  # an array in each record of an array: one leaf for each element of the outer
            for i in range(count):
                yield from self._below(dtype, at + i * stride, path, seat, f"{label}[{i}]", 1, 0)
            return
        if size > 1 or count == 1:
            count, stride = size, base.itemsize
        leaf = Leaf(path, base, at, count, stride, seat, label)
        if shown is not None or base.names is None:
            yield leaf
        taken = ("count", "card", "known") if isinstance(shown, Cards) else ()
        if isinstance(shown, Cards) and shown.by:
            taken = (*taken, shown.by[0])
        for name in base.names or ():
            if name in taken:
                continue
            inner, offset = fields_of(base)[name]
            below = f"{label}.{name}"
            yield from self._below(inner, at + offset, f"{path}.{name}", seat, below, count, stride)

    # --- instructions -------------------------------------------------------------------------------------

    def _named(self, leaf: Leaf, names: Sequence[str]) -> int:
        """Give components their names; returns the first."""
        first = len(self.names)
        self._starts.append(first)
        self.paths.append(leaf.path)
        self.names += names
        return first

    def _write_header(self, dtype: np.dtype[Any]) -> None:
        fields = fields_of(dtype)

        def leaf(name: str) -> Leaf:
            return Leaf(name, np.dtype(np.int8), fields[name][1], 1, 1, None, name)

        seats = [f"viewer={p}" for p in range(self.players)]
        seat_out = self._named(leaf("viewer"), seats)
        header = [fields["viewer"][1], seat_out, fields["team"][1], -1]
        self._made = Assembly(self.players, header)
        self._write(leaf("to_act"), Player())
        team = self.blank["team"][0][: self.players].tolist()
        if len(set(team)) < self.players:
            partners = [f"partner={p}" for p in range(1, self.players)]
            header[vectors.PARTNER_OUT] = self._named(leaf("team"), partners)

    def _write(self, leaf: Leaf, shown: "Shown | tuple[Shown, ...] | None") -> None:
        """The instructions for one leaf."""
        if isinstance(shown, PerPlayer):
            shown = shown.inner or self._by_layout(leaf.path)
        if isinstance(shown, tuple):
            for one in shown:
                self._write(leaf, one)
            return
        match shown:
            case Number() | Bag():
                self._write_numbers(leaf, shown)
            case Words() | Player() | Players():
                self._write_choices(leaf, shown)
            case Bits() | Facts():
                self._write_table(leaf, shown)
            case Cards():
                for number in range(leaf.count):
                    self._write_cards(leaf, shown, number)
            case _:
                self.undeclared.append(leaf.path)

    def _write_numbers(self, leaf: Leaf, shown: Number | Bag) -> None:
        """A component for each element, scaled by its range."""
        if isinstance(shown, Number):
            names = [leaf.element(i) for i in range(leaf.count)]
            low, high = limits_of(shown, self.blank[0])
            span = high - low
        else:
            names = [f"{leaf.label}:{word}" for word in shown.words]
            low, span = 0, min(shown.most, self._copies(leaf.path) or shown.most)
        log = isinstance(shown, Number) and span > WIDE
        most = math.log1p(span) if log else span
        first = self._named(leaf, names)
        kind, apart = leaf.kind, leaf.stride
        self._made.add_numbers(leaf.places(), kind, low, span, most, log, apart, first)

    def _write_choices(self, leaf: Leaf, shown: Words | Player | Players) -> None:
        """Some components for each element, of which one is 1, or of a mask of players several."""
        players = [str(p) for p in range(self.players)]
        words = [*shown.words] if isinstance(shown, Words) else players
        mark = ":" if isinstance(shown, Players) else "="
        elements = [leaf.element(i) for i in range(leaf.count)]
        first = self._named(leaf, [f"{e}{mark}{word}" for e in elements for word in words])
        for i, place in enumerate(leaf.places()):
            into = first + i * len(words)
            if isinstance(shown, Words):
                self._made.add(vectors.HOT, place, leaf.kind, shown.first, len(words), into)
            else:
                kind = vectors.PLAYER if isinstance(shown, Player) else vectors.PLAYERS
                self._made.add(kind, place, leaf.kind, into)

    def _write_table(self, leaf: Leaf, shown: Bits | Facts) -> None:
        """Some components for each element that is told: the bits of a mask, or what a number stands for."""
        only = shown.only or range(leaf.count)
        width = len(shown.words)
        first = self._named(
            leaf, [f"{leaf.element(i)}:{word}" for i in only for word in shown.words]
        )
        places = leaf.places()
        bits = list((shown.bits if isinstance(shown, Bits) else ()) or range(width))
        low, high = np.array([sum(1 << b for b in bits)], np.uint64).view(np.int32).tolist()
        for k, i in enumerate(only):
            into = first + k * width
            if isinstance(shown, Bits):
                start = self._made.table(bits)
                self._made.add(vectors.BITS, places[i], leaf.kind, low, high, width, start, into)
            else:
                start = self._made.table(shown.of)
                self._made.add(vectors.FACTS, places[i], leaf.kind, len(shown.of), start, into)

    def _write_cards(self, leaf: Leaf, shown: Cards, number: int) -> None:
        """Copies of each kind, then the topmost cards."""
        codec = self.layout.fields.get(leaf.path)
        words = shown.words or (codec.words if isinstance(codec, Pile) else ())
        fields = fields_of(leaf.dtype)
        (cards, card_at), (counter, count_at) = fields["card"], fields["count"]
        base, shape = cards.subdtype or (cards, (1,))
        room = shape[0]
        if isinstance(codec, Pile) and codec.most:
            room = min(room, max(1, codec.most(self.blank[0])))
        most = min(room, shown.most or self._copies(leaf.path) or room)
        by, values = shown.by or ("", 0)
        pile = leaf.places()[number]
        second = pile.on(fields[by][1]) if by else 0
        label = leaf.element(number)
        kinds = ("?", *words[1:])
        names = [f"{label}:{word}" for word in kinds]
        tops = min(shown.top, room)
        for depth in range(tops):
            names += [f"{label}.top{depth}={word}" for word in kinds]
        first = self._named(leaf, names)
        self._made.add(
            vectors.CARDS, pile.on(count_at), kind_of(counter), pile.on(card_at), kind_of(base),
            len(kinds), tops, second, values, first, factors=(most, room),
        )  # fmt: skip

    def _copies(self, path: str) -> int:
        """The most copies of one component that the supply of a zone has; 0: unknown."""
        supplies = [r.supply(self.blank) for r in self.layout.rest if path in r.among]
        return max((int(supply.max()) for supply in supplies), default=0)


def warm_encoder() -> None:
    """Compile the kernel for float32, or load it from the cache, without running it."""
    program, factors = np.zeros((1, vectors.HEADER), np.int32), np.zeros(1)
    lookup, out = np.zeros(1, np.int16), np.zeros(1, np.float32)
    compile_for(vectors.encode, np.zeros(1, np.uint8), program, factors, lookup, out)
