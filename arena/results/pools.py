"""Matches as sums: how often each thing happened, so that tables of a large run need no rows.

Counts are by cell: line-up, who sat where, ranks, fault, whether the block is complete, and the group of the deal, of
which there are 997: coprime to the circular orders of 2 to 6 players, so that each group holds all of them. All else is
a sum without groups, or by entrant and group only: a cube of everything would be as large as the rows. A pool grows
with what may happen and not with how often it did.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.plan.identity import match_id
from arena.plan.schedule import LineUp
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.placements import packed
from arena.statistics.resampling import MOST_BATCHES
from arena.store.columns import ENDINGS
from engines.rng import mix_arrays

COLUMNS = (
    *("lineup_id", "deal", "seating", "ending", "reason", "capped", "turns", "decisions"),
    *("decisions_by_seat", "actions_hash", "points", "ranks", "seconds", "start_seconds"),
    *("fault_seat", "fault_text", "worker_stderr"),
)
BY_ENTRANT = ("seats", "once", "ranks", "decisions", "seconds", "starts", "started")
SAMPLE_BITS = 6  # one hash of 64 tells how many matches are distinct
KINDS = len(ENDINGS)
DEAL_BITS = 32
Example = tuple[int, str, str, str]  # deal, id of the match, text, stderr


@dataclass(frozen=True)
class Frame:
    """What the matches of one game, variant and number of players are counted by.

    lineups: ids, ascending. entrants: ids of all that sit in them, ascending. table (lineups, sides): entrants by
    number. players, team: as in a line-up. whole: for each line-up, which deals have all their matches.
    """

    lineups: tuple[str, ...]
    entrants: tuple[str, ...]
    table: Integers
    players: int
    team: tuple[int, ...]
    whole: tuple[NDArray[np.bool_], ...] = field(repr=False, default=())

    @property
    def seatings(self) -> int:
        """Codes of seatings."""
        return int(self.table.shape[1] ** self.players)

    @property
    def orders(self) -> int:
        """Codes of ranks; two places at a table for one."""
        return int(max(self.players, 2) ** self.players)

    @property
    def faults(self) -> int:
        """Codes of who failed in which way; 0 for nobody."""
        return self.players * KINDS + 1

    @property
    def leaders(self) -> list[int]:
        """The first seat of each side."""
        return [self.team.index(side) for side in sorted(set(self.team))]


def frame_of(lineups: Sequence[LineUp], whole: Sequence[NDArray[np.bool_]] = ()) -> Frame:
    """The frame of the line-ups of one game, variant and number of players."""
    order = sorted(range(len(lineups)), key=lambda number: lineups[number].id)
    entrants = tuple(sorted({one for lineup in lineups for one in lineup.entrants}))
    place = {one: number for number, one in enumerate(entrants)}
    table = np.array([[place[one] for one in lineups[number].entrants] for number in order])
    first = lineups[0]
    flags = tuple(whole[number] for number in order) if whole else ()
    ids = tuple(lineups[number].id for number in order)
    return Frame(ids, entrants, table, first.players, first.sides, flags)


@dataclass
class Pool:
    """Sums over matches of one frame; it changes as matches come.

    cells: codes ascending, counts (c,). by_entrant (BY_ENTRANT, k). points_by_group (997, k), by_group (2, 997): turns
    and decisions. side_points (k, n), whole_points (n,): of complete blocks. capped (lineups,). reasons: word ->
    matches, turns, capped. points: (entrant, points) -> seats, as arrays; turns: turns -> matches. hashes: line-up and
    hash of a sample. outcomes: code of line-up and seating, least and largest hash of its matches. examples: (entrant,
    kind) -> the earliest fault. open: line-ups and deals of blocks that were not complete, as one number each.
    """

    frame: Frame
    cells: tuple[Integers, Integers]
    by_entrant: Floats
    points_by_group: Floats
    by_group: Floats
    side_points: Floats
    whole_points: Floats
    capped: Integers
    reasons: dict[str, list[int]]
    points: tuple[Integers, Integers]
    turns: tuple[Integers, Integers]
    hashes: NDArray[np.uint64]
    outcomes: tuple[Integers, NDArray[np.uint64], NDArray[np.uint64]]
    examples: dict[tuple[int, int], Example]
    open: Integers

    @property
    def matches(self) -> int:
        """How many matches there are."""
        return int(self.cells[1].sum())


def empty_pool(frame: Frame) -> Pool:
    """Sums over no matches."""
    size, seats = len(frame.entrants), frame.players
    none = np.zeros(0, np.int64)
    hashes = np.zeros(0, np.uint64)
    return Pool(
        frame,
        (none, none),
        np.zeros((len(BY_ENTRANT), size)),
        np.zeros((MOST_BATCHES, size)),
        np.zeros((2, MOST_BATCHES)),
        np.zeros((size, seats)),
        np.zeros(seats),
        np.zeros(len(frame.lineups), np.int64),
        {},
        (none, none),
        (none, none),
        hashes,
        (none, hashes, hashes),
        {},
        none,
    )


# --- from rows ------------------------------------------------------------------------------------


def pool_of(table: pa.Table, frame: Frame) -> Pool:
    """Sums over the rows of a table with COLUMNS, all of line-ups of the frame and none void."""
    rows = Rows(table, frame)
    pool = empty_pool(frame)
    if not table.num_rows:
        return pool
    order = np.argsort(rows.codes, kind="stable")
    pool.cells = np.unique(rows.codes, return_counts=True)
    pool.outcomes = rows.outcomes(order)
    sum_up(pool, rows)
    pool.reasons = rows.reasons()
    pool.examples = rows.examples()
    pool.open = np.unique((rows.lineup << DEAL_BITS | rows.deal)[rows.whole == 0])
    sampled = rows.hashes >> np.uint64(64 - SAMPLE_BITS) == 0
    pool.hashes = unique_pairs(rows.lineup[sampled], rows.hashes[sampled])
    return pool


def unique_pairs(lineup: Integers, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Line-ups and hashes (m, 2), sorted; one that comes twice stays twice."""
    pairs = np.stack([lineup.astype(np.uint64), hashes], axis=1)
    return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


class Rows:
    """The rows of a table as arrays, as a frame counts them."""

    def __init__(self, table: pa.Table, frame: Frame) -> None:
        """Take a table with COLUMNS."""
        self.table, self.frame = table, frame
        ids = table["lineup_id"].combine_chunks().dictionary_encode()
        place = {one: number for number, one in enumerate(frame.lineups)}
        known = np.array([place[one] for one in ids.dictionary.to_pylist()], dtype=np.int64)
        self.lineup = known[ids.indices.to_numpy()] if table.num_rows else known
        self.deal = self.numbers("deal")
        self.group = self.deal % MOST_BATCHES
        self.seating, self.ranks = self.by_seat("seating"), self.by_seat("ranks")
        self.points = self.by_seat("points")
        self.sides = frame.table[self.lineup[:, None], self.seating]
        self.fault = self.numbers("fault_seat")
        self.kind = self.endings()
        self.whole = self.complete()
        self.codes = self.cell_codes()
        self.hashes = mix_arrays(
            self.table["actions_hash"].to_numpy(), self.seats_code.astype(np.uint64)
        )

    def numbers(self, name: str) -> Integers:
        """A column of whole numbers."""
        return np.asarray(self.table[name].to_numpy(), dtype=np.int64)

    def by_seat(self, name: str) -> NDArray[Any]:
        """A column of lists (m, n)."""
        flat = np.asarray(self.table[name].combine_chunks().flatten())
        values = flat.reshape(-1, self.frame.players)
        kind = np.int64 if values.dtype.kind in "iu" else np.float64
        return np.asarray(values, dtype=kind)

    def endings(self) -> Integers:
        """The number of the referee's word (m,)."""
        words = self.table["ending"].combine_chunks().dictionary_encode()
        numbers = np.array([ENDINGS.index(word) for word in words.dictionary.to_pylist()])
        return np.asarray(numbers[words.indices.to_numpy()] if len(numbers) else self.fault)

    def complete(self) -> Integers:
        """1 where the block of a match is complete (m,)."""
        sizes = [len(one) for one in self.frame.whole]
        flags = np.concatenate([*self.frame.whole, np.zeros(1, dtype=bool)])
        place = (np.cumsum(sizes) - sizes)[self.lineup] + self.deal
        return np.asarray(flags[place], dtype=np.int64)

    def cell_codes(self) -> Integers:
        """The cell of each match (m,)."""
        frame = self.frame
        self.seats_code = packed(self.seating, frame.table.shape[1])
        fault = np.where(self.fault < 0, 0, 1 + self.fault * KINDS + self.kind)
        code = self.lineup * frame.seatings + self.seats_code
        code = code * frame.orders + packed(self.ranks - 1, max(frame.players, 2))
        code = (code * frame.faults + fault) * 2 + self.whole
        return np.asarray(code * MOST_BATCHES + self.group)

    def outcomes(self, order: Integers) -> tuple[Integers, Any, Any]:
        """Of each line-up and seating the least and the largest hash of actions, ranks and points."""
        parts = [column.astype(np.uint64) for column in (*self.ranks.T, *self.points.T)]
        told = mix_arrays(self.hashes, *parts)[order]
        code = (self.lineup * self.frame.seatings + self.seats_code)[order]
        first = np.flatnonzero(np.concatenate([[True], code[1:] != code[:-1]]))
        return code[first], np.minimum.reduceat(told, first), np.maximum.reduceat(told, first)

    def reasons(self) -> dict[str, list[int]]:
        """For each reason why matches ended: how many, their turns, how many capped."""
        words = self.table["reason"].combine_chunks().dictionary_encode()
        named = [*words.dictionary.to_pylist(), *ENDINGS]
        code = words.indices.to_numpy()
        code = np.where(self.kind == 0, code, len(named) - KINDS + self.kind)
        counts = np.bincount(code, minlength=len(named))
        turns = np.bincount(code, weights=self.numbers("turns"), minlength=len(named))
        capped = np.bincount(code[self.capped], minlength=len(named))
        return {
            named[one]: [int(counts[one]), int(turns[one]), int(capped[one])]
            for one in np.flatnonzero(counts)
        }

    @property
    def capped(self) -> NDArray[np.bool_]:
        """Which matches only a cap ended (m,)."""
        return np.asarray(self.table["capped"].to_numpy(zero_copy_only=False), dtype=bool)

    def examples(self) -> dict[tuple[int, int], Example]:
        """The earliest fault of each entrant and kind."""
        found: dict[tuple[int, int], Example] = {}
        rows = np.flatnonzero(self.fault >= 0)
        who = self.sides[rows, self.fault[rows]].tolist()
        for row, one, kind in zip(rows.tolist(), who, self.kind[rows].tolist(), strict=True):
            known = found.get((one, kind))
            if known is None or self.deal[row] <= known[0]:
                example = self.example(row)
                found[one, kind] = example if known is None else min(known, example)
        return found

    def example(self, row: int) -> Example:
        """What a fault is told by."""
        deal, words = int(self.deal[row]), ("fault_text", "worker_stderr")
        name = match_id(self.frame.lineups[self.lineup[row]], deal, self.seating[row].tolist())
        text, stderr = (self.table[word][row].as_py() for word in words)
        return deal, name, text, stderr


def sum_up(pool: Pool, rows: Rows) -> None:
    """Add up what is no count."""
    frame = pool.frame
    size, seats = len(frame.entrants), frame.players
    side = rows.sides.ravel()
    copies = (rows.sides[:, :, None] == rows.sides[:, None, :]).sum(axis=2)
    starts = rows.by_seat("start_seconds")
    values = {
        "seats": None,
        "once": (1.0 / copies).ravel(),
        "ranks": rows.ranks.ravel(),
        "decisions": rows.by_seat("decisions_by_seat").ravel(),
        "seconds": rows.by_seat("seconds").ravel(),
        "starts": starts.ravel(),
        "started": (starts > 0).ravel(),
    }
    for number, name in enumerate(BY_ENTRANT):
        pool.by_entrant[number] = np.bincount(side, weights=values[name], minlength=size)
    points = rows.points.ravel()
    cell = (rows.group[:, None] * size + rows.sides).ravel()
    shape = MOST_BATCHES, size
    pool.points_by_group = totals(cell, points, MOST_BATCHES * size).reshape(shape)
    for number, name in enumerate(("turns", "decisions")):
        pool.by_group[number] = np.bincount(rows.group, rows.numbers(name), MOST_BATCHES)
    cell = (rows.sides * seats + np.arange(seats)).ravel()
    pool.side_points = totals(cell, points, size * seats).reshape(size, seats)
    pool.whole_points = rows.points[rows.whole == 1].sum(axis=0).astype(np.float64)
    pool.capped = np.bincount(rows.lineup[rows.capped], minlength=len(frame.lineups))
    pool.points = np.unique(side << 32 | (points + (1 << 31)), return_counts=True)
    pool.turns = np.unique(rows.numbers("turns"), return_counts=True)


def totals(cells: Integers, values: Integers | Floats, size: int) -> Floats:
    """The sum of the values in each of `size` cells."""
    return np.bincount(cells.ravel(), values.ravel(), size).astype(np.float64)
