"""What is stored: for each line-up a bit for every match, and what is missing as arrays.

Nothing here knows ids: a match is a number of its line-up (`arena.plan.numbering`). 10^8 matches are 12.5 MB.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.plan.identity import match_id
from arena.plan.numbering import UNKNOWN, Integers, Numbering, numbering
from arena.plan.schedule import DEALS_UNDER_WAY, LineUp, Match
from arena.store.columns import is_void

Flags = NDArray[np.bool_]
SPARSE = 64  # where a batch is spread wider than so many bits a match, bits are set one by one
CHUNK = 1 << 16  # numbers looked at together when gaps are sought


class Bitmap:
    """Bits that grow; bit n says whether match n is stored."""

    def __init__(self) -> None:
        """Nothing is stored."""
        self.bits = np.zeros(0, np.uint8)

    def add(self, numbers: Integers) -> Flags:
        """Set bits; which (m,) were not set before, each once."""
        if not numbers.size:
            return np.zeros(0, dtype=bool)
        low, high = int(numbers.min()) >> 3, (int(numbers.max()) >> 3) + 1
        self._reach(high)
        if (high - low) * 8 > SPARSE * (numbers.size + CHUNK):
            return self._add_sparse(numbers)
        flags = np.unpackbits(self.bits[low:high], bitorder="little").view(bool)
        own = numbers - 8 * low
        new, before = ~flags[own], int(np.count_nonzero(flags))
        flags[own] = True
        if np.count_nonzero(flags) - before != np.count_nonzero(new):
            new &= first_of_each(own)
        self.bits[low:high] = np.packbits(flags, bitorder="little")
        return np.asarray(new)

    def add_bits(self, first: int, bits: NDArray[np.uint8]) -> None:
        """Set those that are set in bits (b,), which begin at byte `first`."""
        self._reach(first + len(bits))
        self.bits[first : first + len(bits)] |= bits

    def _reach(self, size: int) -> None:
        if size > len(self.bits):
            room = max(size, len(self.bits) * 5 // 4)
            self.bits = np.concatenate([self.bits, np.zeros(room - len(self.bits), np.uint8)])

    def _add_sparse(self, numbers: Integers) -> Flags:
        new = ~self.has(numbers) & first_of_each(numbers)
        np.bitwise_or.at(self.bits, numbers >> 3, np.uint8(1) << (numbers & 7).astype(np.uint8))
        return np.asarray(new)

    def has(self, numbers: Integers) -> Flags:
        """Which (m,) are set."""
        inside = numbers < 8 * len(self.bits)
        place = np.where(inside, numbers, 0)
        found = (
            self.bits[place >> 3] >> (place & 7).astype(np.uint8) & 1 if len(self.bits) else inside
        )
        return np.asarray(inside & (found == 1))

    def count(self, below: int) -> int:
        """How many of the first bits are set."""
        whole, rest = divmod(below, 8)
        found = int(np.bitwise_count(self.bits[:whole]).sum(dtype=np.int64))
        if rest and whole < len(self.bits):
            found += int(np.bitwise_count(self.bits[whole] & np.uint8((1 << rest) - 1)))
        return found

    def first_gap(self, after: int) -> int:
        """The first number from `after` on that is not set."""
        for first in range(after, 8 * len(self.bits), CHUNK):
            own = np.unpackbits(
                self.bits[first >> 3 : (first + CHUNK + 7) >> 3], bitorder="little"
            )[first & 7 :]
            if len(free := np.flatnonzero(own == 0)):
                return first + int(free[0])
        return max(after, 8 * len(self.bits))

    def gaps(self, below: int) -> Iterator[Integers]:
        """The numbers that are not set, ascending, in arrays; those set meanwhile are left out."""
        for first in range(0, below, CHUNK):
            last = min(first + CHUNK, below)
            flags = np.ones(last - first, dtype=bool)
            own = np.unpackbits(self.bits[first >> 3 : (last + 7) >> 3], bitorder="little")
            stored = own[: last - first]
            flags[: len(stored)] = stored == 0
            if flags.any():
                yield first + np.flatnonzero(flags)


def first_of_each(numbers: Integers) -> Flags:
    """Which (m,) do not repeat one before."""
    first = np.zeros(len(numbers), dtype=bool)
    first[np.unique(numbers, return_index=True)[1]] = True
    return first


class Missing:
    """What is not stored of a line-up, handed out as arrays of deals and seats; or match by match, as an iterator.

    Seatings of a deal do not follow one another: they come as `schedule.apart` orders them.
    """

    def __init__(self, lineup: LineUp, bitmap: Bitmap) -> None:
        """Take what is stored of a line-up."""
        self.lineup = lineup
        self._numbering = numbering(lineup)
        self._waiting = apart(bitmap.gaps(self._numbering.count(lineup.deals)), self._numbering)
        self._held: Integers = np.zeros(0, np.int64)

    def take(self, most: int) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """The deals (m,) and seats (m, players) of the next matches; fewer than `most` at the end only."""
        while len(self._held) < most and (more := next(self._waiting, None)) is not None:
            self._held = np.concatenate([self._held, more])
        own, self._held = self._held[:most], self._held[most:]
        return self._numbering.matches(own)

    def __iter__(self) -> "Missing":
        """Match by match."""
        return self

    def __next__(self) -> Match:
        """The next match."""
        deals, seats = self.take(1)
        if not len(deals):
            raise StopIteration
        deal, seating = int(deals[0]), tuple(seats[0].tolist())
        return Match(self.lineup, deal, seating, match_id(self.lineup.id, deal, seating))


def apart(gaps: Iterator[Integers], numbers: Numbering) -> Iterator[Integers]:
    """Numbers of missing matches in the order of `schedule.apart`: a few deals at a time, seating by seating."""
    held = np.zeros(0, np.int64)
    for more in gaps:
        held = np.concatenate([held, more])
        deals = numbers.deals(held)
        new = np.concatenate([[True], deals[1:] != deals[:-1]])
        # The last deals wait: more matches of them may come, and a deal alone joins those before it.
        whole = (int(new.sum()) - 2) // DEALS_UNDER_WAY * DEALS_UNDER_WAY
        if whole > 0:
            cut = int(np.flatnonzero(new)[whole])
            yield interleaved(held[:cut], deals[:cut])
            held = held[cut:]
    if len(held):
        yield interleaved(held, numbers.deals(held))


def interleaved(numbers: Integers, deals: Integers) -> Integers:
    """Numbers of whole groups of deals, in each first the first match of every deal, then the second."""
    new = np.concatenate([[True], deals[1:] != deals[:-1]])
    block = np.cumsum(new) - 1
    rank = np.arange(len(numbers)) - np.flatnonzero(new)[block]
    group, blocks = block // DEALS_UNDER_WAY, int(new.sum())
    if blocks > 1 and blocks % DEALS_UNDER_WAY == 1:  # one deal would have to follow itself
        group = np.minimum(group, group[-1] - 1)
    return np.asarray(numbers[np.lexsort((block, rank, group))])


class Stored:
    """Which matches of a run are stored, by line-up."""

    def __init__(self, lineups: Mapping[str, LineUp]) -> None:
        """Take the line-ups by id; nothing is stored yet."""
        self.lineups = lineups
        self.bitmaps = {name: Bitmap() for name in lineups}
        self.rows = dict.fromkeys(lineups, 0)  # that were taken in, those that repeat others too

    def join(self, lineups: Mapping[str, LineUp]) -> None:
        """Take all line-ups by id again, some of them new or with more deals."""
        self.lineups = lineups
        for name in lineups:
            self.bitmaps.setdefault(name, Bitmap())
            self.rows.setdefault(name, 0)

    @property
    def played(self) -> int:
        """Rows that were taken in, those that repeat others too."""
        return sum(self.rows.values())

    def add(self, table: pa.Table) -> Flags:
        """Take in matches; which rows (m,) are new. Void ones are not taken, and new while their match is not stored.

        Args:
            table: with KEYS. Rows of line-ups that are not known, or of no seating of their deal, are not new.
        """
        void, new = is_void(table), np.zeros(table.num_rows, dtype=bool)
        for name, rows in rows_by_lineup(table):
            if name in self.lineups:
                new[rows] = self._add(self.lineups[name], table, rows, void[rows])
        return new

    def _add(self, lineup: LineUp, table: pa.Table, rows: Integers, void: Flags) -> Flags:
        bitmap, numbers = self.bitmaps[lineup.id], numbers_of(lineup, table, rows)
        known, new = numbers != UNKNOWN, np.zeros(len(rows), dtype=bool)
        self.rows[lineup.id] += int(np.count_nonzero(known & ~void))
        new[known & ~void] = bitmap.add(numbers[known & ~void])
        new[known & void] = ~bitmap.has(numbers[known & void])
        return new

    def add_bits(self, name: str, first: int, bits: NDArray[np.uint8], rows: int) -> None:
        """Take in matches of a line-up as bits (b,) from byte `first` of its bitmap on; rows: what they stand for."""
        self.bitmaps[name].add_bits(first, bits)
        self.rows[name] += rows

    def count(self, lineup: LineUp) -> int:
        """How many matches of a line-up's deals are stored."""
        bitmap = self.bitmaps.get(lineup.id)
        return bitmap.count(numbering(lineup).count(lineup.deals)) if bitmap else 0

    @property
    def matches(self) -> int:
        """How many matches are stored, of whatever deals."""
        return sum(bitmap.count(8 * len(bitmap.bits)) for bitmap in self.bitmaps.values())

    def deals(self, lineup: LineUp) -> tuple[Flags, Flags]:
        """Of which deals (d,) of a line-up a match is stored, and of which all are."""
        numbers = numbering(lineup)
        rounds, block = -(-lineup.deals // numbers.period), len(numbers.seatings)
        bits = self.bitmaps[lineup.id].bits[: (rounds * block + 7) // 8]
        flags = np.zeros(rounds * block, dtype=bool)
        own = np.unpackbits(bits, bitorder="little")[: len(flags)]
        flags[: len(own)] = own
        some, whole = np.zeros((2, rounds, numbers.period), dtype=bool)
        table = flags.reshape(rounds, block)
        for order, (first, size) in enumerate(zip(numbers.firsts, numbers.sizes, strict=True)):
            some[:, order] = table[:, first : first + size].any(axis=1)
            whole[:, order] = table[:, first : first + size].all(axis=1)
        return some.ravel()[: lineup.deals], whole.ravel()[: lineup.deals]

    def missing(self, lineup: LineUp) -> Missing:
        """What is not stored of a line-up's deals."""
        return Missing(lineup, self.bitmaps.get(lineup.id, Bitmap()))


def rows_by_lineup(table: pa.Table) -> Iterator[tuple[str, Integers]]:
    """The ids of a table's line-ups, each with the numbers of its rows."""
    ids = table["lineup_id"].combine_chunks().dictionary_encode()
    codes = ids.indices.to_numpy()
    for code, name in enumerate(ids.dictionary.to_pylist()):
        yield name, np.flatnonzero(codes == code)


def numbers_of(lineup: LineUp, table: pa.Table, rows: Integers | None = None) -> Integers:
    """The numbers of rows of a table, all of one line-up; UNKNOWN where no match is so."""
    deals = table["deal"].to_numpy().astype(np.int64)
    seating = table["seating"].combine_chunks()
    lengths = np.asarray(seating.value_lengths())
    ends = np.cumsum(lengths, dtype=np.int64)
    flat = np.asarray(seating.flatten()).astype(np.int64)
    rows = np.arange(len(deals)) if rows is None else rows
    fit = lengths[rows] == lineup.players
    found = np.full(len(rows), UNKNOWN)
    begins = (ends - lengths)[rows[fit]]
    seats = (
        flat[begins[:, None] + np.arange(lineup.players)]
        if len(begins)
        else flat[:0].reshape(0, lineup.players)
    )
    found[fit] = numbering(lineup).numbers(deals[rows[fit]], seats)
    return found
