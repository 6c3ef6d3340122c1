"""`schedule: adaptive`: each round plays the deals that tell most about the goal, and starves no pair and no bot.

The allocation is a function of the results of earlier rounds (see `statistics.allocation`), so it is
the same on any number of workers and after an interruption.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from arena.execution.watch import Offences
from arena.plan.schedule import LineUp, block_seatings, make_lineups
from arena.plan.tournament import Tournament
from arena.results.events import places_of
from arena.results.meetings import COLUMNS, Scores, Sheet
from arena.statistics.allocation import Goal, allocate
from arena.statistics.choice_model import Floats

FIRST = 1  # deal of every line-up before anything is known
GROWTH = 10  # a round is a tenth of what has been played, and half a deal a line-up at least


class Part:
    """The line-ups of one game, variant and number of players, with their deals so far."""

    def __init__(
        self,
        lineups: Sequence[LineUp],
        names: Sequence[str],
        goal: Goal,
        share: float | None = None,
    ) -> None:
        """Take line-ups whose deals are an even share of all that may be played.

        names: ids of all entrants. share: of matches that may be lost by faults.
        """
        self.lineups = lineups
        self.deals = np.array([min(FIRST, one.deals) for one in lineups], dtype=np.int64)
        self._most = sum(one.deals for one in lineups)
        self._goal = goal
        self._number = {name: number for number, name in enumerate(names)}
        self._scores: list[list[Scores]] = [[] for _ in lineups]
        self._told = False
        self.rounds = 0  # that are over
        self._closed = np.zeros_like(self.deals)  # deals in them
        self._offences = Offences(share)  # in them

    @property
    def asked(self) -> tuple[LineUp, ...]:
        """The line-ups with the deals so far."""
        pairs = zip(self.lineups, self.deals.tolist(), strict=True)
        return tuple(replace(one, deals=deals) for one, deals in pairs)

    @property
    def over(self) -> bool:
        """Whether all deals have been given and played."""
        played = sum(len(scores) for scores in self._scores)
        all_given = int(self.deals.sum()) == self._most or not self._open()
        return played == int(self.deals.sum()) and all_given

    @property
    def planned(self) -> int:
        """How many matches it is to have; fewer where nobody is left to play them."""
        deals = self._most if self._open() else int(self.deals.sum())
        return deals * self._matches

    @property
    def _matches(self) -> int:
        one = self.lineups[0]
        return len(block_seatings(one.pattern, one.sides)[0])

    @property
    def aside(self) -> set[str]:
        """Entrants that failed too often in rounds that are over."""
        return self._offences.aside

    def _open(self) -> list[int]:
        """The line-ups in which nobody was set aside."""
        return [n for n, one in enumerate(self.lineups) if self.aside.isdisjoint(one.entrants)]

    def due(self, sheet: Sheet) -> tuple[LineUp, ...]:
        """The line-ups with more deals; none while others are played."""
        while True:
            if not self._read(sheet):
                if self._told:
                    return ()
                self._told = True
                return self.asked
            if (self.deals > self._closed).any():
                self._close(sheet)
            left = self._most - int(self.deals.sum())
            if left == 0 or not self._open():
                self._told = False
                return ()
            self.deals = self.deals + self._allocated(left)
            self._told = False

    def _read(self, sheet: Sheet) -> bool:
        """Read the scores that have come; whether all have."""
        complete = True
        for lineup, scores, deals in zip(self.lineups, self._scores, self.deals, strict=True):
            while len(scores) < deals and (found := sheet.deal_scores(lineup, len(scores))):
                scores.append(found)
            complete &= len(scores) == deals
        return complete

    def _close(self, sheet: Sheet) -> None:
        """End a round: set aside who has failed too often in those so far."""
        deals = zip(self._closed.tolist(), self.deals.tolist(), strict=True)
        for lineup, (first, last) in zip(self.lineups, deals, strict=True):
            self._offences.add(lineup.entrants, *sheet.offences(lineup, range(first, last)))
        self._offences.judge()
        self.rounds, self._closed = self.rounds + 1, self.deals

    def _allocated(self, left: int) -> Any:
        size = len(self._number)
        counts: Floats = np.zeros((size, size))
        won: Floats = np.zeros((size, size))
        members = []
        matches, there = self._matches, self._open()
        for lineup, scores in zip(self.lineups, self._scores, strict=True):
            own = sorted(set(lineup.entrants))
            members.append([self._number[name] for name in own])
            for one, other in combinations(own, 2):
                share = sum((found[one] - found[other] + 1) / 2 for found in scores)
                i, j = self._number[one], self._number[other]
                counts[[i, j], [j, i]] += matches * len(scores)
                won[i, j] += matches * share
                won[j, i] += matches * (len(scores) - share)
        steps = min(left, max(len(self.lineups) // 2, int(self.deals.sum()) // GROWTH, 1))
        given = np.zeros(len(self.lineups), dtype=np.int64)
        open_members = [members[number] for number in there]
        given[there] = allocate(
            counts, won, self._goal, open_members, self.deals[there], steps, float(matches)
        )
        return given


class Adaptive:
    """The adaptive schedule of a tournament: what `carry_out` asks for the line-ups that play next."""

    def __init__(self, tournament: Tournament, places: Callable[[LineUp], str]) -> None:
        """Take the tournament before its first result."""
        goal = tournament.spec.goal
        wanted = Goal(
            (goal.top if goal else None) or 0,
            tournament.names.index(goal.versus) if goal and goal.versus else -1,
        )
        found: dict[tuple[Any, ...], list[LineUp]] = {}
        for lineup in make_lineups(tournament):
            key = lineup.game, lineup.variant_id, lineup.players
            found.setdefault(key, []).append(lineup)
        share = tournament.spec.max_fault_share
        self.parts = tuple(
            Part(own, tournament.ids(own[0].game), wanted, share) for own in found.values()
        )
        self._sheet = Sheet(places, (one for part in self.parts for one in part.lineups))

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""
        return COLUMNS

    @property
    def over(self) -> bool:
        """Whether all deals have been played."""
        return all(part.over for part in self.parts)

    @property
    def asked(self) -> tuple[LineUp, ...]:
        """All line-ups with the deals so far."""
        return tuple(lineup for part in self.parts for lineup in part.asked)

    @property
    def planned(self) -> int:
        """How many matches there are to be."""
        return sum(part.planned for part in self.parts)

    @property
    def round(self) -> int:
        """The number of rounds that are over, of the part that is farthest behind."""
        return min((part.rounds for part in self.parts), default=0)

    @property
    def aside(self) -> set[str]:
        """The entrants that were set aside somewhere."""
        return {one for part in self.parts for one in part.aside}

    def take_stored(self, table: pa.Table) -> None:
        """Take stored matches, with `columns`."""
        self._sheet.take_stored(table)

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take new matches of one line-up, as its columns of results."""
        self._sheet.take(lineup, columns)

    def due(self) -> tuple[LineUp, ...]:
        """The line-ups that have more deals to play now, with all their deals."""
        return tuple(lineup for part in self.parts for lineup in part.due(self._sheet))


def adaptive_of(tournament: Tournament) -> Adaptive:
    """The adaptive schedule of a tournament before its first result."""
    return Adaptive(tournament, places_of(tournament))
