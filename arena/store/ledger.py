"""Facts of matches of one line-up by number, for those who judge results deal by deal; and stored matches in batches.

A match that comes twice counts once. What has been judged is let go, so that a ledger holds what waits for a deal
before it, and not all that was ever played.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.plan.numbering import Integers, numbering
from arena.plan.schedule import LineUp
from arena.store.bitmap import Bitmap, Stored
from arena.store.columns import KEYS, Columns
from arena.store.parts import ATTEMPTS, changing, part_files, row_tables
from arena.store.record import RunRecord

Flags = NDArray[np.bool_]


class Ledger:
    """Facts of the matches of a line-up; it grows at its end."""

    def __init__(self, lineup: LineUp, **kinds: tuple[Any, int]) -> None:
        """Take a line-up, whatever its deals, and of each fact its type and how many values it has."""
        self._numbers = numbering(lineup)
        self._bitmap = Bitmap()
        self._columns = {name: np.zeros((0, width), kind) for name, (kind, width) in kinds.items()}
        self._begin = 0  # the first match that is held

    def add(self, deals: Integers, seating: Integers, **facts: Any) -> Flags:
        """Take matches, by deals (m,) and seating (m, players), with their facts; which (m,) are new."""
        numbers = self._numbers.numbers(np.asarray(deals, np.int64), seating)
        new = numbers >= self._begin
        new[new] = self._bitmap.add(numbers[new])
        own = numbers[new] - self._begin
        for name, values in facts.items():
            self._columns[name] = grown(self._columns[name], int(own.max(initial=-1)) + 1)
            self._columns[name][own] = np.asarray(values).reshape(len(numbers), -1)[new]
        return np.asarray(new)

    def whole(self, after: int) -> int:
        """Before which deal all matches of `after` and the deals behind it are there."""
        gap = self._bitmap.first_gap(self._numbers.count(after))
        return int(self._numbers.deals(np.array([gap]))[0])

    def count(self, first: int, last: int) -> int:
        """How many matches of the deals from `first` to before `last` are there."""
        below = (self._bitmap.count(self._numbers.count(deal)) for deal in (first, last))
        low, high = below
        return high - low

    def rows(self, name: str, first: int, last: int) -> NDArray[Any]:
        """A fact (m, width) of whole deals, by deal and in each by seating."""
        return np.asarray(self._columns[name][self._places(first, last)])

    def seating(self, first: int, last: int) -> Integers:
        """Which seating of the line-up each of the same matches (m,) has, as a number."""
        number = self._places(first, last) + self._begin
        return np.asarray(number % len(self._numbers.seatings))

    def means(self, name: str, first: int, last: int) -> NDArray[np.float64]:
        """The mean (deals, width) of a fact over the matches of each of these whole deals."""
        sizes = self.sizes(first, last)
        rows, made = self.rows(name, first, last), np.zeros((last - first, 0))
        begins = np.cumsum(sizes) - sizes
        for size in np.unique(sizes):
            own = begins[sizes == size, None] + np.arange(size)
            found = np.ascontiguousarray(rows[own].swapaxes(1, 2)).mean(axis=2)
            if not made.size:
                made = np.zeros((last - first, found.shape[1]))
            made[sizes == size] = found
        return made

    def sizes(self, first: int, last: int) -> Integers:
        """How many matches each of these deals has."""
        return np.asarray(self._numbers.sizes[np.arange(first, last) % self._numbers.period])

    def let_go(self, deals: int) -> None:
        """Forget the facts of the first deals; their matches stay known."""
        begin = self._numbers.count(deals)
        cut = begin - self._begin
        for name, column in self._columns.items():
            self._columns[name] = column[cut:].copy()
        self._begin = begin

    def _places(self, first: int, last: int) -> Integers:
        """Where the matches of whole deals are held, by deal and in each by seating."""
        numbers, deals = self._numbers, np.arange(first, last)
        order = deals % numbers.period
        sizes = numbers.sizes[order]
        block = np.repeat(np.arange(len(deals)), sizes)
        inside = np.arange(len(block)) - (np.cumsum(sizes) - sizes)[block]
        place = numbers.places[numbers.firsts[order][block] + inside]
        return np.asarray(
            (deals // numbers.period)[block] * len(numbers.seatings) + place - self._begin
        )


def grown(column: NDArray[Any], rows: int) -> NDArray[Any]:
    """A column with so many rows at least."""
    if rows <= len(column):
        return column
    more = np.zeros((max(rows, len(column) * 5 // 4) - len(column), column.shape[1]), column.dtype)
    return np.concatenate([column, more])


# --- stored matches in batches --------------------------------------------------------------------


def stored_tables(
    folder: Path, lineups: Mapping[str, LineUp], columns: Sequence[str]
) -> Iterator[pa.Table]:
    """Columns of the stored matches of some line-ups, each match once, in the order of the parts.

    Raises:
        FileNotFoundError: a driver has merged parts meanwhile.
    """
    stored = Stored(lineups)
    names = [*columns, *(name for name in KEYS if name not in columns)]
    for path in part_files(folder):
        for table in row_tables(path, names):
            new = stored.add(table)
            yield (table if new.all() else table.filter(pa.array(new))).select(list(columns))


class Listener(Protocol):
    """What reads stored matches, batch by batch."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that it reads."""

    def take_stored(self, table: pa.Table) -> None:
        """Take some of the matches, with `columns`."""


L = TypeVar("L", bound=Listener)


def told_stored(folder: Path, record: RunRecord, make: Callable[[], L]) -> L:
    """What has been told of all stored matches of a run; made anew if a driver merges parts meanwhile.

    Raises:
        UserError: a file is damaged.
    """
    for _ in range(ATTEMPTS):
        listener = make()
        try:
            for table in stored_tables(folder, record.lineups, listener.columns):
                listener.take_stored(table)
        except FileNotFoundError:
            continue
        return listener
    raise changing(folder)


def by_lineup(table: pa.Table, lineups: Iterable[LineUp]) -> Iterator[tuple[LineUp, Columns]]:
    """The rows of a table as the columns of results of each line-up that has some."""
    ids = table["lineup_id"].combine_chunks().dictionary_encode()
    codes, names = ids.indices.to_numpy(), ids.dictionary.to_pylist()
    for lineup in lineups:
        if lineup.id in names:
            own = codes == names.index(lineup.id)
            rows = table if own.all() else table.filter(pa.array(own))
            yield lineup, Columns(rows, rows.column_names)
