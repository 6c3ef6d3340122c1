"""Who leads so far: a running count for the progress line, cheap at 20 000 matches a second."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.plan.columns import shortened

SHOWN = 3
NAME_WIDTH = 24
LEAST_NAME = 12  # where a line has no room for more


class Tally:
    """First places (shared by k: 1/k) and seats so far by entrant; the final tables count anew."""

    COLUMNS = ("seating", "ranks")

    def __init__(self, names: Mapping[str, str]) -> None:
        """Take the name of each entrant id; one bot has several where games give it other options."""
        self._names = names
        self._wins: dict[str, float] = {}
        self._seats: dict[str, int] = {}

    def add(self, entrants: Sequence[str], columns: Mapping[str, Any]) -> None:
        """Count a batch of one line-up, as its columns of results."""
        seating, offsets = columns["seating"]
        if len(offsets) < 2:
            return
        shape = (len(offsets) - 1, -1)
        sat = np.asarray(seating).reshape(shape)
        firsts = np.asarray(columns["ranks"][0]).reshape(shape) == 1
        shares = firsts / np.maximum(firsts.sum(axis=1, keepdims=True), 1)
        for position, entrant in enumerate(entrants):
            here, name = sat == position, self._names[entrant]
            self._wins[name] = self._wins.get(name, 0.0) + float(shares[here].sum())
            self._seats[name] = self._seats.get(name, 0) + int(here.sum())

    def leaders(self) -> list[tuple[str, float]]:
        """The best so far with their win shares.

        The order shrinks each share by one seat at half a win: one lucky match does not lead.
        """

        def order(name: str) -> tuple[float, str]:
            return -(self._wins[name] + 0.5) / (self._seats[name] + 1), name

        best = sorted((name for name, seats in self._seats.items() if seats), key=order)[:SHOWN]
        return [(name, self._wins[name] / self._seats[name]) for name in best]

    def text(self, shown: int = SHOWN, width: int = NAME_WIDTH) -> str:
        """The leaders in a line, so many, long names cut in their middle: bots of a kind differ at the end."""
        best = self.leaders()[:shown]
        return ", ".join(f"{shortened(name, width, width // 2)} {won:.0%}" for name, won in best)
