"""How much of the difference between trials goes along with one option: to look at, not to claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.statistics.choice_model import Floats
from arena.tune.space import Point, Space, Span, worded

PARTS = 3  # that the values of a range are cut into
FEWEST = 6  # trials


def importances(space: Space, points: Sequence[Point], gains: Sequence[float]) -> dict[str, float]:
    """The share of the variance of gains that each option alone explains, 0..1; none of a few trials.

    Omega squared (Hays 1963) of the groups of equal values, or of thirds of a range: unlike the plain share it does
    not grow with the number of groups. What options do together, and what the search has left out, it does not see.
    """
    values = np.asarray(gains, dtype=np.float64)
    if len(values) < FEWEST:
        return {}
    return {
        one.name: omega_squared(grouped(one, [point[one.name] for point in points]), values)
        for one in space.dimensions
    }


def grouped(one: Any, values: Sequence[Any]) -> list[str]:
    """The group of each trial: its value, or its third of the values of a range that were tried."""
    if not isinstance(one, Span):
        return [worded(value) for value in values]
    numbers = np.asarray(values, dtype=np.float64)
    cuts = np.quantile(numbers, np.arange(1, PARTS) / PARTS)
    return [str(place) for place in np.searchsorted(cuts, numbers, side="right")]


def omega_squared(groups: Sequence[str], values: Floats) -> float:
    """The share of the variance of values (n,) between groups, corrected for chance; 0 where that is less than none."""
    names, place = np.unique(np.asarray(groups), return_inverse=True)
    total = float(((values - values.mean()) ** 2).sum())
    counts = np.bincount(place, minlength=len(names))
    means = np.bincount(place, weights=values, minlength=len(names)) / counts
    between = float((counts * (means - values.mean()) ** 2).sum())
    freedom = len(values) - len(names)
    if freedom < 1 or total <= 0:
        return 0.0
    error = (total - between) / freedom
    return max(0.0, (between - (len(names) - 1) * error) / (total + error))
