"""A View as a vector of numbers: a table of fields, made from a game's Layout and observation, for one kernel.

The vector is egocentric: the viewer's fields come first, then those of the players after him in order of play. The
kernel reads nothing but the bytes of the View and constants of the variant, so it tells what the View tells.
"""

# mypy: disable-error-code="no-untyped-call"

import functools
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
        self.paths: list[str] = []  # of each row
        self.undeclared: list[str] = []
        self._rows: list[list[int]] = []
        self._factors: list[list[float]] = []
        self._bits: list[int] = []
        self._write_header(game.dtype)
        for leaf in self._leaves(game.dtype):
            self._write(leaf, self._shown(leaf.path))
        if self.undeclared:
            raise UserError(
                f"game {game.name!r}: observation: {self.undeclared[0]} is not declared, "
                "expected e.g. Number(0, 12), Bits(words) or Skip()"
            )
        order = sorted(range(len(self._rows)), key=lambda row: (row > 0, self._rows[row][0]))
        self.paths = [self.paths[row] for row in order]
        self.program = np.array([self._rows[row] for row in order], np.int64)
        self.bits = np.array(self._bits or [0], np.uint64)
        self.size = len(self.names)
        self._tables = {
            np.dtype(t): self._scaled(order, t is np.float32) for t in (np.float32, np.uint8)
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
            return self.paths[cut - 1]
        if out.dtype == np.float32 and out.max() > 1 + SLACK:
            return self.names[int(out.argmax())]
        return None

    def tables(
        self, dtype: DTypeLike
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint64]]:
        """What the kernel `vectors.encode` reads besides the bytes of a View, for vectors of this dtype."""
        return self.program, self._tables[np.dtype(dtype)], self.bits

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

    # --- rows of the table --------------------------------------------------------------------------------

    def _row(
        self, leaf: Leaf, op: int, names: Sequence[str], a: int = 0, b: int = 0, c: int = 0,
        most: float = 1, hidden: float = 1, log: bool = False, more: tuple[int, int] = (0, 0),
    ) -> None:  # fmt: skip
        """One row: `most` and `hidden` are what the largest values are worth before they are scaled to 1."""
        size = leaf.dtype.itemsize if leaf.dtype.names is None else 1
        kind = -size if leaf.dtype.kind == "u" else size
        seat, step = leaf.seat or (-1, 0)
        row = [
            op,
            leaf.at,
            kind,
            leaf.count,
            leaf.stride,
            seat,
            step,
            a,
            b,
            c,
            len(self.names),
            *more,
        ]
        self._rows.append(row)
        self._factors.append([most, hidden, float(log)])
        self.paths.append(leaf.path)
        self.names += names

    def _write_header(self, dtype: np.dtype[Any]) -> None:
        fields = fields_of(dtype)

        def leaf(name: str) -> Leaf:
            return Leaf(name, np.dtype(np.int8), fields[name][1], 1, 1, None, name)

        seats = [f"viewer={p}" for p in range(self.players)]
        self._row(leaf("viewer"), vectors.SEAT, seats, a=self.players)
        self._write(leaf("to_act"), Player())
        team = self.blank["team"][0][: self.players].tolist()
        if len(set(team)) < self.players:
            partners = [f"partner={p}" for p in range(1, self.players)]
            self._row(leaf("team"), vectors.SIDE, partners)

    def _write(self, leaf: Leaf, shown: "Shown | tuple[Shown, ...] | None") -> None:
        """The rows of one leaf."""
        if isinstance(shown, PerPlayer):
            shown = shown.inner or self._by_layout(leaf.path)
        if isinstance(shown, tuple):
            for one in shown:
                self._write(leaf, one)
            return
        elements = [leaf.element(i) for i in range(leaf.count)]
        match shown:
            case Number():
                low, high = limits_of(shown, self.blank[0])
                span = high - low
                wide = span > WIDE
                most = math.log1p(span) if wide else span
                self._row(leaf, vectors.NUMBER, elements, a=low, b=span, most=most, log=wide)
            case Words():
                names = [f"{e}={word}" for e in elements for word in shown.words]
                self._row(leaf, vectors.HOT, names, a=shown.first, b=len(shown.words))
            case Player():
                names = [f"{e}={p}" for e in elements for p in range(self.players)]
                self._row(leaf, vectors.PLAYER, names)
            case Players():
                names = [f"{e}:{p}" for e in elements for p in range(self.players)]
                self._row(leaf, vectors.PLAYERS, names)
            case Bag():
                self._write_bag(leaf, shown)
            case Bits():
                bits = list(shown.bits or range(len(shown.words)))
                self._write_table(leaf, vectors.BITS, shown, [sum(1 << b for b in bits), *bits])
            case Facts():
                self._write_table(leaf, vectors.FACTS, shown, [len(shown.of), *shown.of])
            case Cards():
                for number in range(leaf.count):
                    self._write_cards(leaf, shown, number)
            case _:
                self.undeclared.append(leaf.path)

    def _write_bag(self, leaf: Leaf, shown: Bag) -> None:
        most = min(shown.most, self._copies(leaf.path) or shown.most)
        names = [f"{leaf.label}:{word}" for word in shown.words]
        self._row(leaf, vectors.NUMBER, names, b=most, most=most)

    def _write_table(self, leaf: Leaf, op: int, shown: Bits | Facts, table: Sequence[int]) -> None:
        """A row that reads a table: it lies in `bits`, with the places of the elements behind it."""
        only = shown.only or range(leaf.count)
        start = len(self._bits)
        self._bits += [*table, *(i * leaf.stride for i in only)]
        chosen = replace(leaf, count=len(only))
        names = [f"{leaf.element(i)}:{word}" for i in only for word in shown.words]
        self._row(chosen, op, names, a=start, b=len(shown.words))

    def _write_cards(self, leaf: Leaf, shown: Cards, number: int) -> None:
        """Copies of each kind, then the topmost cards."""
        codec = self.layout.fields.get(leaf.path)
        words = shown.words or (codec.words if isinstance(codec, Pile) else ())
        fields = fields_of(leaf.dtype)
        (cards, card_at), (counter, count_at) = fields["card"], fields["count"]
        base, shape = cards.subdtype or (cards, (1,))
        start = leaf.at + number * leaf.stride
        room = shape[0]
        if isinstance(codec, Pile) and codec.most:
            room = min(room, max(1, codec.most(self.blank[0])))
        most = min(room, shown.most or self._copies(leaf.path) or room)
        by, values = shown.by or ("", 0)
        second = start + fields[by][1] if by else 0
        label = leaf.element(number)
        one = Leaf(
            leaf.path, base, start + card_at, start + count_at, counter.itemsize, leaf.seat, label
        )
        more = (second, values)
        names = [f"{label}:{word}" for word in ("?", *words[1:])]
        self._row(one, vectors.CARDS, names, a=len(words), most=most, hidden=room, more=more)
        for depth in range(min(shown.top, room)):
            names = [f"{label}.top{depth}={word}" for word in ("?", *words[1:])]
            self._row(one, vectors.TOP, names, a=len(words), b=depth, more=more)

    def _copies(self, path: str) -> int:
        """The most copies of one component that the supply of a zone has; 0: unknown."""
        supplies = [r.supply(self.blank) for r in self.layout.rest if path in r.among]
        return max((int(supply.max()) for supply in supplies), default=0)

    def _scaled(self, order: Sequence[int], floats: bool) -> NDArray[np.float64]:
        """Per row the factors of values and of hidden cards, and whether the logarithm is taken."""
        rows = []
        for most, hidden, log in (self._factors[row] for row in order):
            plain = [1 / most, 1 / hidden] if floats else [WIDE / most if log else 1.0, 1.0]
            rows.append([*plain, log])
        return np.array(rows)


def warm_encoder() -> None:
    """Compile the kernel for float32, or load it from the cache, without running it."""
    numbers, factors = np.zeros((1, 13), np.int64), np.zeros((1, 3))
    bits, out = np.zeros(1, np.uint64), np.zeros(1, np.float32)
    compile_for(vectors.encode, np.zeros(1, np.uint8), numbers, factors, bits, out)
