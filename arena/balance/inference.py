"""Estimates, intervals and tests whose unit is the deal.

A measure is a function of sums over matches. Matches of one deal share its luck, so their sums are added up first,
and deals (beyond 997: equal batches of deals) are what is resampled, exchanged and counted:

* interval of a share: Wilson's with the effective number of trials of a cluster sample (`stats.shares_by_deal`),
  which has no width of 0 where nothing or everything happened; of all else: bootstrap over deals (`resampling`);
* interval of a difference of shares: square-and-add of the two Wilson intervals (Newcombe 1998, Statistics in
  Medicine 17; with the correlation of paired samples: Zou & Donner 2008, ibid. 27); of all else: bootstrap in which
  both draw the same deals;
* p of a difference: variant and baseline change places within deals, 9999 times; p = (b + 1) / (m + 1), which is
  never 0. What changes places is each deal's part in the difference, by the gradients of both values, so that the test
  is one of this measure and not of all that may differ (Chung & Romano 2013, Annals of Statistics 41); measures
  without a gradient are worked out anew for every exchange;
* equivalence: two one-sided t tests (Schuirmann 1987) with the standard errors that the interval implies.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import FEWEST_DEALS, batches_of, interval, multiplicities
from arena.statistics.shares import shares_by_deal

RESAMPLES = 1000
PERMUTATIONS = 9999
SEED = 0  # of resampling and exchanging: same matches, same digits


@dataclass(frozen=True)
class Statistic:
    """A measure of one set of matches.

    sums (deals, q): added up over the matches of each deal (or batch of deals). value: from sums
    (..., q) to values (...). deals: how many there are. share: whether the value is sums[0] / sums[1],
    between 0 and 1. smooth: whether the value has a gradient.
    """

    sums: Floats
    value: Callable[[Floats], Floats]
    deals: int
    share: bool = False
    smooth: bool = True

    @property
    def estimate(self) -> float:
        """The value over all deals."""
        return float(self.value(self.sums.sum(axis=0)))


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval, nan where there are fewer than 10 deals."""

    value: float
    low: float
    high: float
    deals: int


@dataclass(frozen=True)
class Difference:
    """A variant's value minus the baseline's.

    p_value: two-sided, by exchanging labels within deals. uniform_p: the same with ties broken by lot, uniform if
    nothing differs. p_equivalence: of a difference as large as the margin or larger. constant: both are equal and
    do not vary, so there is nothing to test.
    """

    variant: float
    baseline: float
    difference: float
    low: float
    high: float
    deals: int
    p_value: float
    uniform_p: float
    p_equivalence: float
    constant: bool


def added_up(contributions: Floats, deals: Integers) -> tuple[Floats, int]:
    """Return sums (batches, q) of the matches' contributions (m, q), and the number of deals."""
    batches = batches_of(deals)
    sums = np.zeros((batches.columns, contributions.shape[1]))
    for column in range(contributions.shape[1]):
        sums[:, column] = np.bincount(
            batches.batch, weights=contributions[:, column], minlength=batches.columns
        )
    return sums, batches.deals


def ratio(sums: Floats) -> Floats:
    """Return sums[..., 0] / sums[..., 1], nan where nothing was counted."""
    top, bottom = sums[..., 0], sums[..., 1]
    return np.asarray(np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=bottom > 0))


def estimate(statistic: Statistic, confidence: float = 0.95) -> Estimate:
    """Return the value of a measure with its interval."""
    value = statistic.estimate
    low, high = bounds(statistic, confidence)
    return Estimate(value, low, high, statistic.deals)


def bounds(statistic: Statistic, confidence: float = 0.95) -> tuple[float, float]:
    """Return the ends of the interval of a measure."""
    if statistic.deals < FEWEST_DEALS or np.isnan(statistic.estimate):
        return np.nan, np.nan
    if statistic.share:
        shares = shares_by_deal(
            statistic.sums[:, :1], statistic.sums[:, 1:2], confidence=confidence
        )
        return float(shares.low[0]), float(shares.high[0])
    return ends(statistic.estimate, drawn(statistic), statistic.deals, confidence)


def ends(value: float, draws: Floats, deals: int, confidence: float) -> tuple[float, float]:
    """Return the ends of a bootstrap interval; resamples without a value are left out."""
    known = draws[np.isfinite(draws)]
    if known.size < RESAMPLES / 2:
        return np.nan, np.nan
    low, high = interval(np.array([value]), known[None, :], np.array([deals]), confidence)
    return float(low[0]), float(high[0])


def drawn(statistic: Statistic) -> Floats:
    """Return the measure of resampled deals (resamples,); the same deals for equally many."""
    return np.asarray(statistic.value(weights(len(statistic.sums)).T @ statistic.sums))


@functools.lru_cache(maxsize=8)
def weights(columns: int) -> Floats:
    """Return how often each deal is drawn (columns, resamples)."""
    return multiplicities(columns, RESAMPLES, np.random.default_rng(SEED))


@functools.lru_cache(maxsize=2)
def exchanges(columns: int) -> Floats:
    """Return which deals exchange their labels (permutations, columns): 0 or 1."""
    rng = np.random.default_rng(SEED + 1)
    return rng.integers(2, size=(PERMUTATIONS, columns), dtype=np.int8).astype(np.float64)


def compare(variant: Statistic, baseline: Statistic, margin: float) -> Difference:
    """Return how a measure differs between two sets of matches on the same deals, in the same order."""
    there, here = variant.estimate, baseline.estimate
    change = there - here
    low, high = change_bounds(variant, baseline)
    above, equal = exceedance(variant, baseline)
    rng = np.random.default_rng([SEED, len(variant.sums), int(above), int(equal)])
    known = bool(np.isfinite(change))
    return Difference(
        there,
        here,
        change,
        low,
        high,
        variant.deals,
        (above + equal + 1) / (PERMUTATIONS + 1) if known else np.nan,
        (above + rng.uniform() * (equal + 1)) / (PERMUTATIONS + 1) if known else np.nan,
        equivalence(change, (low, high), variant.deals, margin),
        constant=bool(change == 0 and equal == PERMUTATIONS),
    )


def change_bounds(variant: Statistic, baseline: Statistic) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a difference."""
    change = variant.estimate - baseline.estimate
    if variant.deals < FEWEST_DEALS or np.isnan(change):
        return np.nan, np.nan
    one, other = drawn(variant), drawn(baseline)
    if not variant.share:
        return ends(change, one - other, variant.deals, 0.95)
    there, here = variant.estimate, baseline.estimate
    (low, high), (low_, high_) = bounds(variant), bounds(baseline)
    r = 0.0
    if np.nanstd(one) > 0 and np.nanstd(other) > 0:
        r = float(np.corrcoef(one, other)[0, 1])
    down = spread(there - low, high_ - here, r)
    up = spread(high - there, here - low_, r)
    return change - down, change + up


def spread(one: float, other: float, r: float) -> float:
    """Return the half width of a difference of two estimates with these half widths and correlation."""
    return float(np.sqrt(max(0.0, one**2 + other**2 - 2 * r * one * other)))


def exceedance(variant: Statistic, baseline: Statistic) -> tuple[int, int]:
    """Return how many exchanges give a larger absolute difference than seen, and how many an equal one."""
    seen = abs(variant.estimate - baseline.estimate)
    if variant.smooth:
        parts = influence(variant) - influence(baseline)
        found = np.abs(parts.sum() - 2 * (exchanges(len(parts)) @ parts))
        seen = abs(float(parts.sum()))
    else:
        total = variant.sums.sum(axis=0) + baseline.sums.sum(axis=0)
        moved = exchanges(len(variant.sums)) @ (baseline.sums - variant.sums)
        one = variant.sums.sum(axis=0) + moved
        found = np.abs(variant.value(one) - variant.value(total - one))
    slack = 1e-9 * max(1.0, abs(variant.estimate), abs(baseline.estimate))
    equal = int((np.abs(found - seen) <= slack).sum())
    return int((found > seen + slack).sum()), equal


def influence(statistic: Statistic) -> Floats:
    """Return each deal's part in the value (deals,); they add up to it.

    Linear in the sums of the deal (the delta method): value / D + gradient . (sums - mean). The gradient is numeric.
    """
    total = statistic.sums.sum(axis=0)
    steps = 1e-5 * np.maximum(np.abs(statistic.sums).sum(axis=0), 1e-9)
    shifted = total + np.concatenate([np.diag(steps), -np.diag(steps)])
    above, below = np.split(statistic.value(shifted), 2)
    gradient = (above - below) / (2 * steps)
    columns = len(statistic.sums)
    return np.asarray(statistic.estimate / columns + (statistic.sums - total / columns) @ gradient)


def equivalence(change: float, interval_: tuple[float, float], deals: int, margin: float) -> float:
    """Return p of the hypothesis that the true difference is outside -margin .. margin."""
    low, high = interval_
    if np.isnan(low) or not margin > 0:
        return np.nan
    reach = float(student.ppf(0.975, deals - 1))
    below, above = max(change - low, 1e-12) / reach, max(high - change, 1e-12) / reach
    tails = student.sf([(change + margin) / below, (margin - change) / above], deals - 1)
    return float(np.max(tails))
