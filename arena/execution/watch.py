"""Bots that fail too often are set aside for the rest of a run: `max_fault_share`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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


class Offences:
    """Matches and faults of each entrant, and who has been set aside for them; it grows.

    Who is once aside stays so, whatever comes of matches that were under way.
    """

    def __init__(self, share: float | None) -> None:
        """Take the share of matches that may be lost by faults; None where nobody is ever set aside."""
        self.aside: set[str] = set()
        self._share = share
        self._matches: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()

    def add(self, entrants: Iterable[str], matches: int, faults: Counter[str]) -> None:
        """Count matches of a line-up, and those of them that an entrant lost by a fault."""
        self._matches.update(dict.fromkeys(set(entrants), matches))
        self._faults += faults

    def judge(self) -> None:
        """Set aside who has failed too often by now."""
        share = self._share
        if share is not None:
            counts = self._matches.items()
            self.aside |= {one for one, n in counts if is_too_much(self._faults[one], n, share)}


class Watch:
    """Sees who fails too often, match by match; who does is left out. It changes as results come."""

    def __init__(self, lineups: Sequence[LineUp], share: float) -> None:
        """Take the line-ups of a run, and the share of matches that may be lost by faults."""
        self._lineups = tuple(lineups)
        self._offences = Offences(share)

    @property
    def left_out(self) -> set[str]:
        """The entrants that were set aside."""
        return self._offences.aside

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
        failed = np.flatnonzero(played & (seats >= 0))
        faults = Counter(lineup.entrants[one] for one in seating[failed, seats[failed]].tolist())
        self._offences.add(lineup.entrants, int(played.sum()), faults)
        self._offences.judge()

    def leaves_out(self, lineup: LineUp) -> bool:
        """Whether one of a line-up is set aside."""
        return not self.left_out.isdisjoint(lineup.entrants)
