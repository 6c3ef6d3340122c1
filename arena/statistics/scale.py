"""The Elo scale: where its zero lies, and how far a rating may be from its estimate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.connections import Connections
from arena.statistics.contrasts import Spread, shift_interval
from arena.statistics.resampling import FEWEST_DEALS

ELO = 400.0 / np.log(10.0)  # Elo points in one log worth


@dataclass(frozen=True)
class Zero:
    """What ratings are measured against.

    The mean of each group is 0; the group of the anchor (entrant, Elo) moves so that this one has
    its Elo. Intervals are against the mean of those whose ratings the results hold (of all where
    they hold nobody's), for nobody knows how far off a bot is that lost every match.
    """

    groups: Integers
    held: NDArray[np.bool_]
    anchor: tuple[int, float] | None = None

    def base(self, entrant: int) -> Integers:
        """Return the entrants against whose mean the interval of this one is."""
        group = self.groups == self.groups[entrant]
        if self.anchor is not None and group[self.anchor[0]]:
            return np.array([self.anchor[0]])
        return np.flatnonzero(group & ~self.held if (group & ~self.held).any() else group)

    def centred(self, log_worths: Floats) -> Floats:
        """Return the Elo (k, resamples) of log worths (k, resamples)."""
        elo: Floats = log_worths * ELO
        for group in np.unique(self.groups):
            rows = np.flatnonzero(self.groups == group)
            elo[rows] -= elo[rows].mean(axis=0)
        if self.anchor is not None:
            own, level = self.anchor
            elo[self.groups == self.groups[own]] += level - elo[own]
        return elo


def bounds(
    spread: Spread, zero: Zero, met: Connections, elo: Floats, fallback: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return low and high (k,) of the ratings `elo`, nan where there are fewer than 10 deals.

    fallback: the ends for ratings that only the prior holds though not every match was won or lost,
    and for the open ends.
    """
    low, high = np.full(elo.shape, np.nan), np.full(elo.shape, np.nan)
    worths = ELO * spread.worths
    for entrant in np.flatnonzero(spread.deals >= FEWEST_DEALS).tolist():
        low[entrant], high[entrant] = fallback[0][entrant], fallback[1][entrant]
        base = zero.base(entrant)
        others = base[base != entrant]
        firm = spread.perfect[entrant] and (others.size == 1 or not met.held[others].any())
        if met.held[entrant] and not firm:
            continue
        if not others.size:
            low[entrant] = high[entrant] = elo[entrant]
            continue
        contrast = np.zeros(elo.size)
        contrast[entrant], contrast[others] = 1.0, -1.0 / others.size
        part = others.size / base.size  # moving one of those in the mean moves the mean
        centre = elo[base].mean() + worths[entrant] - worths[base].mean()
        ends = [centre + ELO * part * end for end in shift_interval(spread, entrant, contrast)]
        low[entrant] = ends[0] if np.isfinite(ends[0]) else min(low[entrant], ends[1] - ELO)
        high[entrant] = ends[1] if np.isfinite(ends[1]) else max(high[entrant], ends[0] + ELO)
    return np.minimum(low, elo), np.maximum(high, elo)
