"""Groups of pooled matches: what `groups` makes of rows, made of sums instead.

A row of such a group is a cell, with a number of matches. If the deals are more than 997 its `deals` are groups of
deals; how many deals there truly are is kept beside it, for intervals count those.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.results.joining import added
from arena.results.pools import BY_ENTRANT, KINDS, Example, Frame, Pool
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import MOST_BATCHES

Flags = NDArray[np.bool_]
MOST_CELLS = 1 << 19  # of a group: beyond them fewer, larger groups of deals
FEWER_BATCHES = (499, 251, 127)  # primes, as 997 is


@dataclass(frozen=True, eq=False)
class Pooled:
    """What a group of cells knows besides them, entrants and line-ups numbered as in the group.

    sums (k,) by name (pools.BY_ENTRANT). points_by_group (997, k). by_group (2, 997). side_points (k, n),
    whole_points (n,). capped, distinct (lineups,): matches. fixed (lineups,): nobody has drawn any chance. reasons:
    word -> matches, turns, capped. points: entrant, points, seats; turns: turns, matches. examples: (entrant, kind) ->
    the earliest fault. kinds, complete, groups (c,): of
    each cell the number of its ending, whether its block is complete, its group of deals. some, whole: for each
    line-up which deals hold a match, and which all.
    """

    sums: Mapping[str, Floats]
    points_by_group: Floats
    by_group: Floats
    side_points: Floats
    whole_points: Floats
    capped: Integers
    distinct: Integers
    fixed: Flags
    reasons: Mapping[str, list[int]]
    points: tuple[Integers, Integers, Integers]
    turns: tuple[Integers, Integers]
    examples: Mapping[tuple[int, int], Example]
    kinds: Integers
    complete: Flags
    groups: Integers
    some: tuple[Flags, ...]
    whole: tuple[Flags, ...]

    def kept(self, flags: Flags) -> "Pooled":
        """With the cells flagged only."""
        names = ("kinds", "complete", "groups")
        return replace(self, **{name: getattr(self, name)[flags] for name in names})

    def blocks(self) -> "Pooled":
        """With complete blocks only."""
        return replace(self.kept(self.complete), some=self.whole)

    def deals(self, lineups: Integers) -> int:
        """How many deals hold a match of one of these line-ups."""
        found = np.zeros(max((len(self.some[one]) for one in lineups), default=0), dtype=bool)
        for one in lineups:
            found[: len(self.some[one])] |= self.some[one]
        return int(np.count_nonzero(found))

    @cached_property
    def all_deals(self) -> int:
        """How many deals hold a match."""
        return self.deals(np.arange(len(self.some)))


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a pool taken apart: (c,), seating and ranks (c, n)."""

    line_up: Integers
    seating: Integers
    ranks: Integers
    faults: Integers
    kinds: Integers
    complete: Flags
    groups: Integers
    counts: Integers


def cells_of(pool: Pool) -> Cells:
    """The cells of a pool."""
    frame = pool.frame
    rest, groups = np.divmod(pool.cells[0], MOST_BATCHES)
    rest, complete = np.divmod(rest, 2)
    rest, fault = np.divmod(rest, frame.faults)
    rest, orders = np.divmod(rest, frame.orders)
    line_up, seats = np.divmod(rest, frame.seatings)
    seat, kind = np.divmod(fault - 1, KINDS)
    return Cells(
        line_up,
        digits(seats, frame.table.shape[1], frame.players),
        digits(orders, max(frame.players, 2), frame.players) + 1,
        np.where(fault == 0, -1, seat),
        np.where(fault == 0, 0, kind),
        complete == 1,
        groups,
        pool.cells[1],
    )


def digits(codes: Integers, base: int, width: int) -> Integers:
    """The digits (m, width) of codes."""
    powers = base ** np.arange(width - 1, -1, -1)
    return np.asarray(codes[:, None] // powers % base)


def coarser(pool: Pool) -> Pool:
    """The pool with fewer groups of deals, where it has more cells than tables can take."""
    for batches in FEWER_BATCHES:
        if len(pool.cells[0]) > MOST_CELLS:
            cell, group = np.divmod(pool.cells[0], MOST_BATCHES)
            codes = cell * MOST_BATCHES + group % batches
            pool = replace(pool, cells=added([(codes, pool.cells[1])]))
    return pool


def distinct_of(pool: Pool, matches: Integers) -> Integers:
    """How many matches (lineups,) are distinct, from the sample of hashes."""
    pairs = pool.hashes.reshape(-1, 2)
    lineup = pairs[:, 0].astype(np.int64)
    order = np.lexsort((pairs[:, 1], lineup))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (pairs[order][1:] != pairs[order][:-1]).any(axis=1)
    sampled = np.bincount(lineup, minlength=len(matches))
    found = np.bincount(lineup[order], weights=new, minlength=len(matches))
    share = np.divide(found, sampled, out=np.ones(len(matches)), where=sampled > 0)
    return np.asarray(np.rint(matches * share), dtype=np.int64)


def fixed_of(pool: Pool) -> Flags:
    """In which line-ups every match of every seating is the same (lineups,)."""
    codes, low, high = pool.outcomes
    lineup = codes // pool.frame.seatings
    varied = np.bincount(lineup[low != high], minlength=len(pool.frame.lineups))
    return np.asarray(varied == 0)


def pooled_of(
    pool: Pool, cells: Cells, present: Integers, own: Integers, flags: Mapping[str, Any]
) -> Pooled:
    """What a group of cells knows besides them.

    Args:
        present: line-ups of which there are matches. own: their entrants.
        flags: `some` and `whole`, by id of a line-up.
    """
    frame: Frame = pool.frame
    matches = np.bincount(cells.line_up, weights=cells.counts, minlength=len(frame.lineups))
    place = np.zeros(len(frame.entrants), np.int64)
    place[own] = np.arange(len(own))
    side, value = pool.points[0] >> 32, (pool.points[0] & ((1 << 32) - 1)) - (1 << 31)
    ids = [frame.lineups[one] for one in present]
    distinct = distinct_of(pool, matches)
    fixed = fixed_of(pool)[present]
    seatings = np.bincount(pool.outcomes[0] // frame.seatings, minlength=len(frame.lineups))
    blocks = -(-seatings[present] // frame.players)
    return Pooled(
        {name: pool.by_entrant[number][own] for number, name in enumerate(BY_ENTRANT)},
        pool.points_by_group[:, own],
        pool.by_group,
        pool.side_points[own],
        pool.whole_points,
        pool.capped[present],
        np.where(fixed, seatings[present], distinct[present]),
        fixed,
        pool.reasons,
        (place[side], value, pool.points[1]),
        pool.turns,
        {(int(place[who]), kind): each for (who, kind), each in pool.examples.items()},
        cells.kinds,
        cells.complete,
        cells.groups,
        *(
            tuple(
                first_deals(flags[name][one], size) if told else flags[name][one]
                for one, told, size in zip(ids, fixed, blocks, strict=True)
            )
            for name in ("some", "whole")
        ),
    )


def first_deals(flags: Flags, most: int) -> Flags:
    """The first deals only: where nobody draws chance all others repeat them."""
    kept = np.zeros_like(flags)
    kept[np.flatnonzero(flags)[:most]] = True
    return kept
