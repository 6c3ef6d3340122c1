"""Runs that end before their schedule does: by the clock, or by a number of matches, after whole blocks."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from arena.execution.run import Rounds
from arena.plan.question import Limit
from arena.plan.schedule import LineUp, count_matches, make_lineups
from arena.plan.tournament import Tournament
from arena.store.ledger import Ledger, by_lineup
from arena.store.parts import VOID
from engines.errors import UserError

COLUMNS = ("lineup_id", "deal", "seating", "ending")
GROWTH = 4  # a round is a quarter of what has been played, so that workers seldom wait for its end


class Gradual:
    """A fixed schedule deal by deal, all line-ups alike, so that it may end after any of its rounds."""

    def __init__(
        self,
        tournament: Tournament,
        limit: Limit,
        skip: Callable[[LineUp], bool] = lambda lineup: False,
    ) -> None:
        """Take the tournament, and what says who plays no more; UserError where the limit has no room for one deal."""
        self._skip = skip
        self._lineups = make_lineups(tournament)
        self._most = max((lineup.deals for lineup in self._lineups), default=0)
        self._limit = limit
        self._deals = 0
        self._began = 0.0
        self._ledgers = {lineup.id: Ledger(lineup) for lineup in self._lineups}
        self._known = 0  # deals of which all matches are stored
        self._new = 0  # deals that were not, when they were asked for
        if limit.matches is not None and count_matches(self._up_to(1)) > limit.matches:
            least = count_matches(self._up_to(1))
            raise UserError(
                f"--matches {limit.matches}: expected at least {least}, one deal of all line-ups"
            )

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""
        return COLUMNS

    @property
    def over(self) -> bool:
        """Whether the whole schedule has been played."""
        return self._deals == self._most and self._complete()

    @property
    def asked(self) -> tuple[LineUp, ...]:
        """All line-ups with the deals so far."""
        return self._up_to(self._deals)

    def take_stored(self, table: pa.Table) -> None:
        """Take matches that were stored before."""
        for lineup, columns in by_lineup(table, self._lineups):
            self.take(lineup, columns)

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take new matches of one line-up."""
        played = np.asarray(columns["ending"]) != VOID
        seating = np.asarray(columns["seating"][0]).reshape(-1, lineup.players)
        self._ledgers[lineup.id].add(np.asarray(columns["deal"])[played], seating[played])

    def due(self) -> tuple[LineUp, ...]:
        """The next deals of all line-ups; none while others are played, and none when time is over."""
        self._began = self._began or time.monotonic()
        while self._complete():
            more = self._more()
            if more == 0:
                return ()
            self._deals += more
            if not self._complete():
                self._new += more
                return self.asked
        return ()

    def _more(self) -> int:
        """How many more deals to play now."""
        left = self._most - self._deals
        if self._limit.matches is not None:
            left = min(left, self._room(self._limit.matches))
        more = min(left, max(1, self._deals // GROWTH))
        if self._limit.seconds is not None:
            spent = time.monotonic() - self._began
            if spent >= self._limit.seconds:
                return 0
            if self._new:
                more = min(more, max(1, int((self._limit.seconds - spent) * self._new / spent)))
        return more

    def _room(self, matches: int) -> int:
        """How many more deals there can be with so many matches in all."""
        low, high = 0, self._most - self._deals
        while low < high:
            middle = (low + high + 1) // 2
            fits = count_matches(self._up_to(self._deals + middle)) <= matches
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def _complete(self) -> bool:
        """Whether all deals so far have been played."""
        known = self._deals
        for lineup in self._lineups:
            whole = self._ledgers[lineup.id].whole(min(self._known, lineup.deals))
            if whole < min(lineup.deals, known) and not self._skip(lineup):
                known = whole
        self._known = max(self._known, known)
        return self._known >= self._deals

    def _up_to(self, deals: int) -> tuple[LineUp, ...]:
        left = (one for one in self._lineups if not self._skip(one))
        return tuple(replace(one, deals=min(one.deals, deals)) for one in left)


class Limited:
    """A tournament in rounds that begins no more rounds when time is over, or its matches would be too many."""

    def __init__(self, rounds: Rounds, limit: Limit) -> None:
        """Take what says who plays next."""
        self._rounds = rounds
        self._limit = limit
        self._began = 0.0

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""
        return self._rounds.columns

    @property
    def over(self) -> bool:
        """Whether everything has been played."""
        return self._rounds.over

    @property
    def asked(self) -> tuple[LineUp, ...]:
        """All line-ups that have been due."""
        return self._rounds.asked

    def take_stored(self, table: pa.Table) -> None:
        """Take matches that were stored before."""
        self._rounds.take_stored(table)

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take new matches of one line-up."""
        self._rounds.take(lineup, columns)

    def due(self) -> tuple[LineUp, ...]:
        """The next round, unless a limit is reached."""
        self._began = self._began or time.monotonic()
        late = self._limit.seconds is not None and (
            time.monotonic() - self._began >= self._limit.seconds
        )
        due = self._rounds.due()  # also when it is late: it says whether that was all
        most = self._limit.matches
        too_many = most is not None and count_matches(self._rounds.asked) > most
        return () if late or too_many else due
