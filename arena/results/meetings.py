"""The meetings of a format: deals of one table of entrants, scored as they come in, ended when they may end.

A meeting asks for deals, waits until all of them are stored, then ends or asks for more: what it
asks for follows from its own results alone. Its deals go on where the last meeting of the same
entrants ended, so that every meeting has deals of its own.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb, floor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from arena.plan.formats.extent import EXTRA
from arena.plan.schedule import LineUp
from arena.results.groups import VOID
from arena.statistics import sequential
from arena.statistics.choice_model import Floats, Integers
from arena.store.ledger import Ledger, by_lineup

COLUMNS = ("lineup_id", "deal", "seating", "ranks", "fault_seat", "ending")
FIRST_DEALS = 8  # of a meeting that ends when its winner is sure
GROWTH = 4  # then a quarter more at a time
SAME = 1e-9
ABSENT = -1.0  # the mean score of an entrant that was set aside: behind everybody who played

Scores = dict[str, float]  # of one match or deal, by entrant


class Sheet:
    """Scores of matches by line-up, deal and seating; it grows as matches are played."""

    def __init__(self, places: Callable[[LineUp], str], lineups: Iterable[LineUp] = ()) -> None:
        """Take what says whether ranks below the first mean anything in a line-up ("all", "winner").

        lineups: those that are known before they are asked for.
        """
        self._places = functools.lru_cache(maxsize=None)(places)
        self._known = tuple(lineups)
        self._stored: list[pa.Table] = []  # of line-ups that are not known yet
        self._seen = {lineup.id for lineup in self._known}  # whose stored matches have been read
        self._ledgers: dict[str, Ledger] = {}

    def take_stored(self, table: pa.Table) -> None:
        """Take stored matches, with COLUMNS; others than of known line-ups are read when theirs is asked for."""
        for lineup, columns in by_lineup(table, self._known):
            self.take(lineup, columns)
        others = pc.invert(pc.is_in(table["lineup_id"], pa.array(self._seen, pa.string())))
        if (rest := table.filter(others)).num_rows:
            self._stored.append(rest)

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take matches of one line-up, as its columns of results."""
        good = np.asarray(columns["ending"]) != VOID
        seating = np.asarray(columns["seating"][0]).reshape(-1, lineup.players)[good]
        ranks = np.asarray(columns["ranks"][0]).reshape(-1, lineup.players)[good]
        failed = np.asarray(columns["fault_seat"])[good]
        sat = seating[np.arange(len(failed)), np.maximum(failed, 0)]
        self._ledger(lineup).add(
            np.asarray(columns["deal"])[good],
            seating,
            score=match_scores(lineup, seating, ranks, self._places(lineup)),
            offender=np.where(failed >= 0, sat, -1),
        )

    def whole(self, lineup: LineUp, after: int) -> int:
        """Before which deal of a line-up all matches of `after` and the deals behind it are there."""
        return min(self._ledger(lineup).whole(after), lineup.deals)

    def means(self, lineup: LineUp, first: int, last: int) -> Floats:
        """The mean scores (deals, k) of each of a line-up's distinct entrants, sorted by id, on whole deals."""
        return self._ledger(lineup).means("score", first, last)

    def deal_scores(self, lineup: LineUp, deal: int) -> Scores | None:
        """Each entrant's mean score on a deal; None while a match of it is missing."""
        if lineup.id not in self._seen:
            self._read(lineup)
        ledger = self._ledger(lineup)
        if ledger.whole(deal) <= deal:
            return None
        names = sorted(set(lineup.entrants))
        return dict(zip(names, ledger.means("score", deal, deal + 1)[0].tolist(), strict=True))

    def offences(self, lineup: LineUp, deals: range) -> tuple[int, Counter[str]]:
        """How many matches of complete deals are stored, and how many each entrant lost by faults."""
        ledger = self._ledger(lineup)
        lost = ledger.rows("offender", deals.start, deals.stop)
        found = Counter(lineup.entrants[one] for one in lost[lost >= 0].tolist())
        return ledger.count(deals.start, deals.stop), found

    def let_go(self, lineup: LineUp, deals: int) -> None:
        """Forget the first deals of a line-up, which have been judged."""
        self._ledger(lineup).let_go(deals)

    def _ledger(self, lineup: LineUp) -> Ledger:
        if lineup.id not in self._ledgers:
            facts = {"score": (np.float64, len(set(lineup.entrants))), "offender": (np.int8, 1)}
            self._ledgers[lineup.id] = Ledger(lineup, **facts)
        return self._ledgers[lineup.id]

    def _read(self, lineup: LineUp) -> None:
        self._seen.add(lineup.id)
        for table in self._stored:
            for _, columns in by_lineup(table, [lineup]):
                self.take(lineup, columns)


def match_scores(lineup: LineUp, seating: Integers, ranks: Integers, places: str) -> Floats:
    """The score (m, k) of each of a line-up's distinct entrants, sorted by id, in matches.

    The share of opponents' sides that its sides finish before, half a one for an equal rank; where
    only the first place means something, its share of that.

    Args:
        seating: position in the line-up's entrants of each seat (m, players). ranks: (m, players).
    """
    leaders = [lineup.sides.index(side) for side in sorted(set(lineup.sides))]
    names = sorted(set(lineup.entrants))
    owner = np.array([names.index(one) for one in lineup.entrants])[seating[:, leaders]]
    rank = ranks[:, leaders]
    if places == "winner":
        first = rank == 1
        counted = np.where(first.any(axis=1, keepdims=True), first, True)
        share = counted / counted.sum(axis=1, keepdims=True)
        return np.stack([(share * (owner == one)).sum(axis=1) for one in range(len(names))], axis=1)
    ahead = (rank[:, :, None] < rank[:, None, :]) + (rank[:, :, None] == rank[:, None, :]) / 2
    others = owner[:, :, None] != owner[:, None, :]
    columns = []
    for one in range(len(names)):
        pairs = others & (owner == one)[:, :, None]
        columns.append((ahead * pairs).sum(axis=(1, 2)) / pairs.sum(axis=(1, 2)))
    return np.stack(columns, axis=1)


@dataclass
class Meeting:
    """One table of a round while it is played.

    entrants: ids, the better seed first. lineups: in which they meet; begins: the first deal of
    each. deals: how many it may have. decisive: it needs one winner. confidence: at which a
    decisive one ends; 0 where it ends when nobody can catch up. absent: those of the entrants that
    were set aside, for whom the others play; one alone has won.
    """

    entrants: tuple[str, ...]
    lineups: tuple[LineUp, ...]
    begins: tuple[int, ...]
    deals: int
    decisive: bool
    confidence: float = 0.0
    asked: int = 0
    told: int = 0  # of the deals asked for, those that were handed out
    over: bool = False
    scores: list[tuple[float, ...]] = field(default_factory=list)  # by deal, of those that play
    absent: frozenset[str] = frozenset()

    @property
    def playing(self) -> tuple[str, ...]:
        """Those of its entrants that have not been set aside."""
        return tuple(one for one in self.entrants if one not in self.absent)

    def due(self, sheet: Sheet) -> tuple[LineUp, ...]:
        """The line-ups with as many deals as it needs by now; none while it waits, or is over."""
        while not self.over:
            self._read(sheet)
            if len(self.scores) < self.asked:
                if self.told == self.asked:
                    return ()
                self.told = self.asked
                pairs = zip(self.lineups, self.begins, strict=True)
                return tuple(replace(one, deals=begin + self.asked) for one, begin in pairs)
            more = more_deals(self.scores, self.deals, self.decisive, self.confidence)
            self.over = more == 0
            self.asked += more
        return ()

    @property
    def means(self) -> tuple[float, ...]:
        """The mean score of each entrant so far; 0 before the first deal, ABSENT for who does not play."""
        rounded = (
            [round(float(mean), 12) for mean in np.mean(self.scores, axis=0)] if self.scores else []
        )
        found = dict(zip(self.playing, rounded, strict=False))
        return tuple(ABSENT if one in self.absent else found.get(one, 0.0) for one in self.entrants)

    def _read(self, sheet: Sheet) -> None:
        for number in range(len(self.scores), self.asked):
            places = zip(self.lineups, self.begins, strict=True)
            found = [sheet.deal_scores(one, begin + number) for one, begin in places]
            complete = [one for one in found if one is not None]
            if len(complete) < len(found):
                return
            means = [np.mean([one[name] for one in complete]) for name in self.playing]
            self.scores.append(tuple(map(float, means)))


def score_text(score: float) -> str:
    """A mean score in per cent, or that an entrant was set aside."""
    return "set aside" if score < 0 else f"{100 * score:.0f} %"


def more_deals(
    scores: Sequence[Sequence[float]], deals: int, decisive: bool, confidence: float
) -> int:
    """How many deals a meeting needs besides those it has; 0 = it is over.

    A decisive one ends when nobody can catch up, or where `confidence` is given when the leader is
    so surely ahead of each other (the hedged betting bound, shared among the pairs); after all its
    deals a tie goes on deal by deal, for as many again at most.
    """
    played, left = len(scores), deals - len(scores)
    if not decisive or not played:
        first = deals if not decisive else FIRST_DEALS if confidence else deals // 2 + 1
        return max(min(first, left), 0)
    totals = np.sum(scores, axis=0)
    second, first_place = np.sort(totals)[-2:]
    lead = float(first_place - second)
    if left <= 0:
        return int(lead < SAME and played < EXTRA * deals)
    if lead > left + SAME:
        return 0
    if confidence:
        if is_sure(np.asarray(scores), int(totals.argmax()), confidence):
            return 0
        return min(max(FIRST_DEALS // 2, played // GROWTH), left)
    return min(max(floor((left - lead) / 2) + 1, 1), left)


def is_sure(scores: Floats, leader: int, confidence: float) -> bool:
    """Whether the leader is ahead of each other entrant at this confidence, all pairs together."""
    count = scores.shape[1]
    each = 1 - (1 - confidence) / comb(count, 2)
    gaps = [(scores[:, leader] - scores[:, one] + 1) / 2 for one in range(count) if one != leader]
    return all(sequential.first_exclusion(gap, each) > 0 for gap in gaps)
