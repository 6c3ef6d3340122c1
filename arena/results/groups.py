"""Stored matches as plain arrays, one group for each game, variant and number of players.

Everything rated or averaged together lies in one group. Columns of lists are unpacked once; there
is no loop over matches.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.plan.identity import variant_label
from arena.results.lists import Lists, lists_of, together
from arena.results.pooled import Pooled, cells_of, coarser, pooled_of
from arena.results.pools import Pool
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.placements import Placements, Places, Truth, numbered, packed
from arena.statistics.ratings import Ratings, rate
from arena.statistics.resampling import batches_of

Flags = NDArray[np.bool_]

VOID = "void"


class EntrantLike(Protocol):
    """What tables need of an entrant."""

    @property
    def name(self) -> str:
        """Its label."""


class LineUpLike(Protocol):
    """What tables need of a line-up."""

    @property
    def game(self) -> str:
        """Name of the game."""

    @property
    def variant(self) -> Mapping[str, Any] | str:
        """Options that differ from the defaults, or their label."""

    @property
    def players(self) -> int:
        """Number of seats."""

    @property
    def entrants(self) -> tuple[str, ...]:
        """Sorted ids, one for each side."""

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat; without teams a seat is a side."""


@dataclass(frozen=True)
class Group:
    """The matches of one game, variant and number of players n, without void ones.

    names (k,): entrants, by id. rows (m,): their rows in the stored matches. line_up (m,): number
    of the line-up. sides (m, n): entrant in each seat, in order of play. ranks, points, seconds,
    decisions, starts (m, n); starts: seconds before the first decision. deals (m,). faults (m,):
    seat or -1. distinct (m,): False for a match that repeats one of an earlier deal with equal
    line-up, seating and actions; it is told, but counts (see `counted`). team (n,): side of each
    seat. counts (m,): in a pooled group a row is a cell with so many matches; `pooled` has what is
    not counted by cell, and rows, points, seconds, decisions, starts and capped are empty.
    """

    game: str
    variant: str
    players: int
    places: Places
    names: tuple[str, ...]
    rows: Integers
    line_up: Integers
    sides: Integers
    ranks: Integers
    points: Floats
    seconds: Floats
    decisions: Floats
    starts: Floats
    deals: Integers
    faults: Integers
    capped: Flags
    distinct: Flags
    team: tuple[int, ...]
    counts: Integers | None = None
    pooled: Pooled | None = None

    def kept(self, flags: Flags) -> "Group":
        """Return the group with the matches (m,) flagged only."""
        by_match: tuple[str, ...] = ("line_up", "sides", "ranks", "deals", "faults", "distinct")
        if self.pooled is None:
            by_match += ("rows", "points", "seconds", "decisions", "starts", "capped")
        kept = {name: getattr(self, name)[flags] for name in by_match}
        counts = None if self.counts is None else self.counts[flags]
        pooled = self.pooled and self.pooled.kept(flags)
        return replace(self, **kept, counts=counts, pooled=pooled)

    @cached_property
    def weights(self) -> Floats:
        """How many matches (m, 1) each row stands for."""
        if self.counts is None:
            return np.ones((len(self.deals), 1))
        return self.counts[:, None].astype(np.float64)

    @cached_property
    def matches(self) -> int:
        """How many matches there are."""
        return len(self.deals) if self.counts is None else int(self.counts.sum())

    @cached_property
    def blocks(self) -> "Group":
        """The matches of complete blocks: all seatings of a deal."""
        kept = self.kept(self.balanced)
        return kept if self.pooled is None else replace(kept, pooled=self.pooled.blocks())

    @cached_property
    def grouped(self) -> bool:
        """Whether `deals` are groups of several deals."""
        return self.pooled is not None and self.pooled.all_deals > np.unique(self.deals).size

    def deals_seen(self, cell: Integers, counted: Flags, cells: int) -> Integers:
        """Return in how many deals each of `cells` cells was counted; cell, counted (m, c)."""
        if self.pooled is None or not self.grouped:
            batches = batches_of(self.deals)
            seen = np.zeros((batches.deals, cells), dtype=bool)
            rows, columns = np.nonzero(counted)
            seen[batches.deal[rows], cell[rows, columns]] = True
            return np.asarray(seen.sum(axis=0))
        lineups = int(self.line_up.max(initial=0)) + 1
        met = [np.zeros(0, np.int64)]
        for some in together(len(cell)):
            code = cell[some] * lineups + self.line_up[some, None]
            met.append(np.unique(code[counted[some]]))
        own, line_up = np.divmod(np.unique(np.concatenate(met)), lineups)
        deals = {tuple(line_up[own == one]): 0 for one in np.unique(own)}
        found = np.zeros(cells, np.int64)
        for some_lineups in deals:
            deals[some_lineups] = self.pooled.deals(np.array(some_lineups))
        for one in np.unique(own):
            found[one] = deals[tuple(line_up[own == one])]
        return found

    @cached_property
    def leaders(self) -> list[int]:
        """The first seat of each side."""
        return [self.team.index(side) for side in sorted(set(self.team))]

    @cached_property
    def counted(self) -> Flags:
        """(m,): the matches that say something new: all, but for repeats in line-ups without chance.

        Bots that draw chance may play one match several times, quick wins most often: leaving
        repeats out would choose by the outcome. Only where every match of every seating of a
        line-up is the same has nobody drawn any chance, and one deal tells all.
        """
        line_up = self.line_up[:, None]
        if self.pooled is not None:
            fixed = self.pooled.fixed[self.line_up]
            _, first = np.unique(np.hstack([line_up, self.sides]), axis=0, return_index=True)
            firsts = np.zeros(len(fixed), dtype=bool)
            firsts[first] = True
            return np.asarray(~fixed | firsts)
        seatings = np.unique(np.hstack([line_up, self.sides]), axis=0)[:, 0]
        facts = [line_up, self.sides, self.ranks, self.points.astype(np.int64)]
        outcomes = np.unique(np.hstack(facts), axis=0)[:, 0]
        size = int(self.line_up.max(initial=0)) + 1
        distinct = np.bincount(self.line_up, weights=self.distinct, minlength=size)
        kinds = np.maximum(distinct, np.bincount(outcomes, minlength=size))
        fixed = kinds == np.bincount(seatings, minlength=size)
        return np.asarray(self.distinct | ~fixed[self.line_up])

    @cached_property
    def placements(self) -> Placements:
        """The matches that count, as ratings take them: one column for each side."""
        fault = np.append(np.array(self.team), -1)[self.faults]
        rows = self.counted
        return Placements(
            names=self.names,
            sides=self.sides[rows][:, self.leaders],
            ranks=self.ranks[rows][:, self.leaders],
            deals=self.deals[rows],
            weights=self.told[rows],
            faults=fault[rows],
            places=self.places,
            roles=len({self.team.count(side) for side in self.team}) > 1,
            truth=self._truth(),
        )

    @cached_property
    def told(self) -> Floats:
        """How many matches (m,) of each row count: of a line-up without chance one a seating."""
        if self.pooled is None or self.counts is None:
            return np.ones(len(self.deals))
        fixed = self.pooled.fixed[self.line_up]
        return np.where(fixed, 1.0, self.counts) * self.counted

    def _truth(self) -> Truth | None:
        """The true numbers of deals where rows are groups of deals; of those in which different entrants met."""
        if not self.grouped:
            return None
        sides = self.sides[:, self.leaders]
        met = (sides != sides[:, :1]).any(axis=1)[:, None] & self.counted[:, None]
        size = len(self.names)
        own = self.deals_seen(sides, np.broadcast_to(met, sides.shape), size)
        together = self.deals_seen(np.zeros_like(sides), np.broadcast_to(met, sides.shape), 1)
        return Truth(int(together[0]), int(np.unique(self.deals[met[:, 0]]).size), own)

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings, without an anchor."""
        return rate(self.placements)

    @cached_property
    def win_shares(self) -> Floats:
        """First place (m, n), shared by the sides that share it; 0 all over where nobody is first."""
        first = (self.ranks == 1).astype(np.float64)
        sharing = first[:, self.leaders].sum(axis=1, keepdims=True)
        return np.asarray(first / np.maximum(sharing, 1.0))

    @cached_property
    def balanced(self) -> Flags:
        """(m,): True where all seatings of the block (deal of a line-up) are there."""
        if self.pooled is not None:
            return self.pooled.complete
        period = np.full(len(self.rows), self.players)
        for shift in range(self.players - 1, 0, -1):
            same = (np.roll(self.sides, shift, axis=1) == self.sides).all(axis=1)
            period[same] = shift
        if len(self.leaders) < self.players:
            period = assignments(np.sort(self.sides[:, self.leaders], axis=1))
        _, block = numbered(self.deals * (self.line_up.max(initial=0) + 1) + self.line_up)
        return np.asarray(np.bincount(block)[block] == period if block.size else period == 0)


def assignments(members: Integers) -> Integers:
    """Return in how many ways the entrants of each match (m, sides), sorted, can be sides."""
    kinds, number = np.unique(members, axis=0, return_inverse=True)
    ways = [len(set(permutations(kind))) for kind in kinds.tolist()]
    return np.array(ways, dtype=np.int64)[number.ravel()]


@dataclass(frozen=True)
class Results:
    """Stored matches with what their ids stand for.

    matches: the columns of the store, without actions and actors. entrants and line_ups by id.
    places: "all" or "winner" for a line-up. pools: of a large run the sums of all matches; then
    `matches` is a sample of whole blocks. deals: `some` and `whole` (see `pooled`).
    """

    matches: pd.DataFrame
    entrants: Mapping[str, EntrantLike]
    line_ups: Mapping[str, LineUpLike]
    places: Callable[[Any], Places]
    pools: Mapping[Any, Pool] = field(default_factory=dict)
    deals: Mapping[str, Mapping[str, Flags]] = field(default_factory=dict)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All groups, by game, variant and players."""
        if self.pools:
            return tuple(_pooled_group(self, coarser(pool)) for pool in self.pools.values())
        return tuple(_groups(self))

    @cached_property
    def sample(self) -> "Results":
        """The same of `matches` alone, match by match."""
        return replace(self, pools={}) if self.pools else self


def _groups(results: Results) -> Iterator[Group]:
    matches = results.matches
    if not len(matches):
        return
    codes, ids = pd.factorize(matches["lineup_id"], sort=True)
    line_ups = [results.line_ups[line_up] for line_up in ids]
    keys = [(each.game, _label(each.variant), each.players) for each in line_ups]
    wanted = ("seating", "ranks", "points", "seconds", "decisions_by_seat")
    lists = {name: lists_of(matches[name]) for name in wanted}
    if "start_seconds" in matches:
        lists["starts"] = lists_of(matches["start_seconds"])
    real = (matches["ending"] != VOID).to_numpy(dtype=bool)
    for key in sorted(set(keys)):
        inside = np.array([other == key for other in keys])
        rows = np.flatnonzero(inside[codes] & real)
        if rows.size:
            yield _group(results, lists, line_ups, codes, rows)


def _pooled_group(results: Results, pool: Pool) -> Group:
    cells = cells_of(pool)
    present, line_up = numbered(cells.line_up)
    frame, own = pool.frame, np.unique(pool.frame.table[present])
    place = np.zeros(len(frame.entrants), np.int64)
    place[own] = np.arange(len(own))
    first = results.line_ups[frame.lineups[present[0]]]
    sides = place[frame.table[cells.line_up[:, None], cells.seating]]
    none = np.zeros((0, frame.players))
    return Group(
        game=first.game,
        variant=_label(first.variant),
        players=frame.players,
        places=results.places(first),
        names=tuple(results.entrants[frame.entrants[one]].name for one in own),
        rows=np.zeros(0, np.int64),
        line_up=line_up,
        sides=sides,
        ranks=cells.ranks,
        points=none,
        seconds=none,
        decisions=none,
        starts=none,
        deals=cells.groups,
        faults=cells.faults,
        capped=np.zeros(0, dtype=bool),
        distinct=np.ones(len(sides), dtype=bool),
        team=first.sides,
        counts=cells.counts,
        pooled=pooled_of(pool, cells, present, own, results.deals),
    )


def _label(variant: Mapping[str, Any] | str) -> str:
    return variant if isinstance(variant, str) else variant_label(variant)


def _group(
    results: Results,
    lists: Mapping[str, Lists],
    line_ups: list[LineUpLike],
    codes: NDArray[np.intp],
    rows: Integers,
) -> Group:
    matches = results.matches
    numbers, line_up = numbered(codes[rows])
    present = [line_ups[number] for number in numbers]
    seats = present[0].players
    ids = sorted({entrant for each in present for entrant in each.entrants})
    places = {entrant: place for place, entrant in enumerate(ids)}
    table = np.array([[places[entrant] for entrant in each.entrants] for each in present])
    seating = lists["seating"].take(rows, seats).astype(np.int64)
    deals = _numbers(matches, "deal", rows)
    return Group(
        game=present[0].game,
        variant=_label(present[0].variant),
        players=seats,
        places=results.places(present[0]),
        names=tuple(results.entrants[entrant].name for entrant in ids),
        rows=rows,
        line_up=line_up,
        sides=table[line_up[:, None], seating],
        ranks=lists["ranks"].take(rows, seats).astype(np.int64),
        points=lists["points"].take(rows, seats).astype(np.float64),
        seconds=lists["seconds"].take(rows, seats).astype(np.float64),
        decisions=lists["decisions_by_seat"].take(rows, seats).astype(np.float64),
        starts=lists["starts"].take(rows, seats).astype(np.float64)
        if "starts" in lists
        else np.zeros((len(rows), seats)),
        deals=deals,
        faults=_numbers(matches, "fault_seat", rows),
        capped=matches["capped"].to_numpy(dtype=bool)[rows],
        distinct=_distinct(matches, rows, line_up, packed(seating, seats), deals),
        team=present[0].sides,
    )


def _numbers(matches: pd.DataFrame, name: str, rows: Integers) -> Integers:
    return matches[name].to_numpy(dtype=np.int64)[rows]


def _distinct(
    matches: pd.DataFrame, rows: Integers, line_up: Integers, seating: Integers, deals: Integers
) -> Flags:
    """Return which match (m,) is the first, by deal, with its line-up, seating and actions."""
    actions = matches["actions_hash"].to_numpy(dtype=np.uint64)[rows]
    order = np.lexsort((deals, actions, seating, line_up))
    new = np.ones(rows.size, dtype=bool)
    same = [column[order][1:] == column[order][:-1] for column in (actions, seating, line_up)]
    new[1:] = ~np.logical_and.reduce(same)
    distinct = np.empty(rows.size, dtype=bool)
    distinct[order] = new
    return distinct
