"""Differences of log worths: intervals and tests on the scale of the score, from one covariance.

A difference of log worths is skewed where one side wins nearly always, a score is bounded. So every
interval here is that of an expected score, `shares.share_interval`, taken back to log worths: of
two entrants it is the interval of their share, to the digit, with 10 deals or 10 000. The chance of
being stronger is of the same method: it is above 97.5 % where the 95 % interval lies above 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.shares import effective_trials, share_interval

HALVINGS = 60
FARTHEST = 40.0  # log worth that a shift is looked for within


@dataclass(frozen=True)
class Spread:
    """What is known about log worths: worths (k,), covariance (k, k), deals (k,), groups (k,).

    meetings (k, k): how many matches each pair had. perfect (k,): won, or lost, every match.
    effective (k, k): equal deals that the difference of a pair rests on, None where deals are alike.
    """

    worths: Floats
    covariance: Floats
    deals: Integers
    groups: Integers
    meetings: Floats
    perfect: NDArray[np.bool_]
    effective: Floats | None = None

    def variance(self, contrast: Floats) -> float:
        """Return the variance of a contrast (k,) of the worths."""
        return max(0.0, float(contrast @ self.covariance @ contrast))


def logistic(value: ArrayLike) -> Floats:
    """Return the expected score of an entrant this log worth ahead."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(value, dtype=np.float64))))


def gap_interval(
    gap: ArrayLike,
    variance: ArrayLike,
    deals: ArrayLike,
    *,
    rivals: float = 1.0,
    confidence: float = 0.95,
) -> tuple[Floats, Floats]:
    """Return the interval of a difference of log worths with this variance, from so many deals.

    rivals: how many equals the share of first places is against (one less than the seats).
    """
    score = logistic(np.asarray(gap) - np.log(rivals))
    scaled = (score * (1 - score)) ** 2 * np.asarray(variance, dtype=np.float64)
    low, high = share_interval(score, scaled, deals, confidence)
    with np.errstate(divide="ignore"):
        low, high = (np.log(end) - np.log1p(-end) + np.log(rivals) for end in (low, high))
    return low, high


def chance_stronger(gap: ArrayLike, variance: ArrayLike, deals: ArrayLike) -> Floats:
    """Return the chance that the true difference is positive: the confidence at which 0 is an end."""
    score = logistic(gap)
    scaled = (score * (1 - score)) ** 2 * np.asarray(variance, dtype=np.float64)
    trials = effective_trials(score, scaled, deals)
    reach = (score - 0.5) / np.sqrt(0.25 / trials)
    return np.asarray(stdtr(np.maximum(np.asarray(deals) - 1, 1), reach))


def shift_interval(spread: Spread, entrant: int, contrast: Floats) -> tuple[float, float]:
    """Return how far (log worth) an entrant may be below and above its estimate, -inf and inf possible.

    contrast (k,): what its rating is measured against. The score is the expected one in the matches
    that it played, all other worths being what they are.
    """
    met = spread.meetings[entrant]
    gaps = spread.worths[entrant] - spread.worths
    share = met / max(met.sum(), 1e-300)
    score = float(logistic(gaps) @ share)
    if spread.perfect[entrant]:
        score = 1.0 if score > 0.5 else 0.0
    slope = 0.0 if spread.perfect[entrant] else (logistic(gaps) * logistic(-gaps)) @ share
    variance = slope**2 * spread.variance(contrast)
    low, high = share_interval(score, variance, spread.deals[entrant])
    return _shift(gaps, share, float(low)), _shift(gaps, share, float(high))


def _shift(gaps: Floats, share: Floats, score: float) -> float:
    """Return the shift at which the score is expected."""
    low, high = -FARTHEST, FARTHEST
    if score <= 0 or score >= 1:
        return -np.inf if score <= 0 else np.inf
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if logistic(gaps + middle) @ share < score else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class Differences:
    """Row minus column of every pair (k, k) in log worths, nan where no matches connect the two.

    low, high: 95 % interval (or another), nan below 10 deals, infinite where one has won, or lost,
    every match. stronger: the chance that the row is.
    deals: of the one that sat in fewer.
    """

    gap: Floats
    low: Floats
    high: Floats
    stronger: Floats
    deals: Integers


def differences(spread: Spread, confidence: float = 0.95) -> Differences:
    """Return all pairwise differences of worths, from their joint covariance."""
    size = len(spread.worths)
    gap = spread.worths[:, None] - spread.worths[None, :]
    own = np.diag(spread.covariance)
    variance = np.maximum(own[:, None] + own[None, :] - 2 * spread.covariance, 0.0)
    deals = np.minimum(spread.deals[:, None], spread.deals[None, :])
    apart = (spread.groups[:, None] != spread.groups[None, :]) | np.eye(size, dtype=bool)
    few = apart | (deals < FEWEST_DEALS)
    known = deals if spread.effective is None else np.minimum(deals, spread.effective)
    known = np.maximum(known, 2)
    low, high = gap_interval(gap, variance, known, confidence=confidence)
    stronger = chance_stronger(gap, variance, known)
    won, lost = perfect_sides(spread)
    low = np.where(lost[:, None] | won[None, :], -np.inf, low)
    high = np.where(won[:, None] | lost[None, :], np.inf, high)
    return Differences(
        np.where(apart, np.nan, gap),
        np.where(few, np.nan, low),
        np.where(few, np.nan, high),
        np.where(few, np.nan, stronger),
        deals,
    )


def perfect_sides(spread: Spread) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return who has won every match (k,), and who has lost every one."""
    gaps = spread.worths[:, None] - spread.worths[None, :]
    better = (spread.meetings * (logistic(gaps) - 0.5)).sum(axis=1) > 0
    return spread.perfect & better, spread.perfect & ~better


def rank_ranges(
    spread: Spread, confidence: float = 0.95, ranked: NDArray[np.bool_] | None = None
) -> tuple[Integers, Integers]:
    """Return the best and the worst rank (k,) that each entrant can have inside its group.

    From its differences to all others at once (Mogstad, Romano, Shaikh & Wilhelm 2024, The Review
    of Economic Studies 91), with Bonferroni's bound. Below 10 deals any rank is possible.

    ranked: among whom the ranks are (k,), all if None; the others' ranks mean nothing.
    """
    best = np.zeros(len(spread.worths), dtype=np.int64)
    worst = np.zeros_like(best)
    for group in np.unique(spread.groups):
        rows = (spread.groups == group) & (True if ranked is None else ranked)
        others = max(int(rows.sum()) - 1, 1)
        found = differences(spread, 1 - (1 - confidence) / others)
        above = ((found.high < 0) & rows[None, :]).sum(axis=1)
        below = ((found.low > 0) & rows[None, :]).sum(axis=1)
        best[rows], worst[rows] = 1 + above[rows], rows.sum() - below[rows]
    return best, worst


def meetings(size: int, sides: Integers, counts: Floats) -> Floats:
    """Return how many matches each pair had (size, size), from kinds of matches (m, n) and counts (m,)."""
    found = np.zeros((size, size))
    for one in range(sides.shape[1]):
        for other in range(sides.shape[1]):
            if one != other:
                np.add.at(found, (sides[:, one], sides[:, other]), counts)
    np.fill_diagonal(found, 0.0)
    return found
