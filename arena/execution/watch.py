"""Bots that fail too often are set aside for the rest of a run: `max_fault_share`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arena.plan.schedule import LineUp
from arena.store.ledger import by_lineup
from arena.store.parts import VOID

FEWEST = 20  # matches before a share says anything
COLUMNS = ("lineup_id", "seating", "fault_seat", "ending")


def is_too_much(faults: int, matches: int, share: float) -> bool:
    """Whether a bot has lost more than a share of enough matches by faults."""
    return matches >= FEWEST and faults > share * matches


class Watch:
    """Counts matches and faults of each entrant; who has too many is left out. It changes as results come."""

    def __init__(self, lineups: Sequence[LineUp], share: float) -> None:
        """Take the line-ups of a run, and the share of matches that may be lost by faults."""
        self.left_out: set[str] = set()
        self._share = share
        self._lineups = tuple(lineups)
        self._matches: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""
        return COLUMNS

    def take_stored(self, table: pa.Table) -> None:
        """Take matches that were stored before."""
        for lineup, columns in by_lineup(table, self._lineups):
            self.take(lineup, columns)

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take new matches of one line-up, as its columns of results."""
        seating = np.asarray(columns["seating"][0]).reshape(-1, lineup.players)
        seats, played = np.asarray(columns["fault_seat"]), np.asarray(columns["ending"]) != VOID
        for entrant in set(lineup.entrants):
            self._matches[entrant] += int(played.sum())
        for row in np.flatnonzero(played & (seats >= 0)):
            self._faults[lineup.entrants[seating[row, seats[row]]]] += 1
        self.left_out.update(
            entrant
            for entrant in set(lineup.entrants)
            if is_too_much(self._faults[entrant], self._matches[entrant], self._share)
        )

    def leaves_out(self, lineup: LineUp) -> bool:
        """Whether one of a line-up is set aside."""
        return not self.left_out.isdisjoint(lineup.entrants)
