"""Estimates, intervals and tests whose unit is the deal.

A measure is a function of sums over matches. Matches of one deal share its luck, so their sums are added up first,
and deals (beyond 997: equal batches of deals) are what varies, is exchanged and counted:

* interval of a share: Wilson's with the effective number of trials of a cluster sample (`shares.shares_by_deal`),
  which has no width of 0 where nothing or everything happened; of a sum of squares: `squares`; of all else: Student's
  t with the standard error of the deals' parts (the delta method), or of resamples where there is no gradient. All are
  smooth in the number of deals;
* a difference has one method for its interval and its p, so that they cannot disagree. Of shares: square-and-add of
  the two Wilson intervals (Newcombe 1998, Statistics in Medicine 17; with the correlation of paired samples: Zou &
  Donner 2008, ibid. 27), p is where the interval touches 0. Of all else variant and baseline change places within
  deals, 9999 times; p = (b + 1) / (m + 1), which is never 0 (Phipson & Smyth 2010), and the interval holds the
  differences that this test does not reject. Values with a gradient are taken as linear in the deals for that, others
  are worked out anew for every exchange.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import FEWEST_DEALS, batches_of, multiplicities
from arena.statistics.roots import root
from arena.statistics.shares import shares_by_deal

RESAMPLES = 1000
PERMUTATIONS = 9999
HALVINGS = 40
SUREST = 1 - 1e-9  # confidence at which a p-value ends
Ends = tuple[float, float]
SEED = 0  # of resampling and exchanging: same matches, same digits


@dataclass(frozen=True)
class Statistic:
    """A measure of one set of matches.

    sums (deals, q): added up over the matches of each deal (or batch of deals). value: from sums
    (..., q) to values (...). deals: how many there are. share: whether the value is sums[0] / sums[1],
    between 0 and 1. smooth: whether the value has a gradient. least: the value is no smaller, what is below is
    noise. own_ends: its interval at a confidence, from sums and deals, where Student's t does not fit.
    """

    sums: Floats
    value: Callable[[Floats], Floats]
    deals: int
    share: bool = False
    smooth: bool = True
    least: float = -np.inf
    own_ends: Callable[[Floats, int, float], Ends] | None = None

    @property
    def estimate(self) -> float:
        """The value over all deals."""
        return float(np.maximum(self.value(self.sums.sum(axis=0)), self.least))


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

    low, high: 95 % interval; ends: that of any confidence. p_value: two-sided, below 1 - confidence exactly where 0
    lies outside. uniform_p: of exchanged labels with ties broken by lot, uniform if nothing differs. constant: both are
    equal and do not vary, so there is nothing to test.
    """

    variant: float
    baseline: float
    difference: float
    low: float
    high: float
    deals: int
    p_value: float
    uniform_p: float
    constant: bool
    ends: Callable[[float], Ends]


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


def bounds(statistic: Statistic, confidence: float = 0.95) -> Ends:
    """Return the ends of the interval of a measure."""
    value = statistic.estimate
    if statistic.deals < FEWEST_DEALS or np.isnan(value):
        return np.nan, np.nan
    if statistic.share:
        shares = shares_by_deal(
            statistic.sums[:, :1], statistic.sums[:, 1:2], confidence=confidence
        )
        return float(shares.low[0]), float(shares.high[0])
    if statistic.own_ends is not None:
        low, high = statistic.own_ends(statistic.sums, statistic.deals, confidence)
    else:
        middle = float(statistic.value(statistic.sums.sum(axis=0)))
        half = float(stdtrit(statistic.deals - 1, (1 + confidence) / 2)) * error(statistic)
        low, high = (max(end, statistic.least) for end in (middle - half, middle + half))
    return min(low, value), max(high, value)


def error(statistic: Statistic) -> float:
    """Return the standard error of a measure, nan where most resamples have no value."""
    columns = len(statistic.sums)
    grown = columns / max(columns - 1, 1)
    if statistic.smooth:
        parts = influence(statistic)
        return float(np.sqrt(grown * ((parts - parts.mean()) ** 2).sum()))
    draws = drawn(statistic)
    draws = draws[np.isfinite(draws)]
    return float(np.sqrt(grown) * draws.std()) if draws.size >= RESAMPLES / 2 else np.nan


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


def compare(variant: Statistic, baseline: Statistic) -> Difference:
    """Return how a measure differs between two sets of matches on the same deals, in the same order."""
    there, here = variant.estimate, baseline.estimate
    change = there - here
    known = bool(np.isfinite(change))
    found, change_ = exchanged(variant, baseline)
    above, equal = exceedance(found, change_, max(1.0, abs(there), abs(here)))
    rng = np.random.default_rng([SEED, len(variant.sums), int(above), int(equal)])
    ends: Callable[[float], Ends]
    if variant.share:
        ends = functools.partial(change_of_shares, variant, baseline, paired(variant, baseline))
        p_value = touching(ends, change) if known and variant.deals >= FEWEST_DEALS else np.nan
    else:
        ends = functools.partial(unrejected, variant, baseline, found)
        p_value = (above + equal + 1) / (PERMUTATIONS + 1) if known else np.nan
    if not known or variant.deals < FEWEST_DEALS:
        ends = nowhere
    return Difference(
        there,
        here,
        change,
        *ends(0.95),
        variant.deals,
        p_value,
        (above + rng.uniform() * (equal + 1)) / (PERMUTATIONS + 1) if known else np.nan,
        constant=bool(change == 0 and equal == PERMUTATIONS),
        ends=ends,
    )


def nowhere(confidence: float) -> Ends:
    """Return no ends."""
    return np.nan, np.nan


# --- shares: square and add -----------------------------------------------------------------------


def change_of_shares(variant: Statistic, baseline: Statistic, r: float, confidence: float) -> Ends:
    """Return the ends of the interval of a difference of shares whose estimates correlate by r."""
    there, here = variant.estimate, baseline.estimate
    (low, high), (low_, high_) = bounds(variant, confidence), bounds(baseline, confidence)
    down = spread(there - low, high_ - here, r)
    up = spread(high - there, here - low_, r)
    return there - here - down, there - here + up


def paired(variant: Statistic, baseline: Statistic) -> float:
    """Return how far the estimates of two measures correlate, by their deals."""
    one, other = (parts - parts.mean() for parts in map(influence, (variant, baseline)))
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float(one @ other) / size if size > 0 else 0.0


def spread(one: float, other: float, r: float) -> float:
    """Return the half width of a difference of two estimates with these half widths and correlation."""
    return float(np.sqrt(max(0.0, one**2 + other**2 - 2 * r * one * other)))


def touching(ends: Callable[[float], Ends], change: float) -> float:
    """Return p: one less the confidence at which an interval around `change` ends at 0."""

    def beyond(confidence: float) -> float:
        low, high = ends(confidence)
        return low if change > 0 else -high

    if change == 0 or beyond(1e-9) <= 0:
        return 1.0
    return float(1 - (SUREST if beyond(SUREST) > 0 else root(beyond, 1e-9, SUREST)))


# --- all else: exchanged labels -------------------------------------------------------------------


def exchanged(variant: Statistic, baseline: Statistic) -> tuple[Floats, float]:
    """Return the differences (permutations,) with labels exchanged within deals, and the one seen."""
    if variant.smooth:
        parts = influence(variant) - influence(baseline)
        return parts.sum() - 2 * (exchanges(len(parts)) @ parts), float(parts.sum())
    total = variant.sums.sum(axis=0) + baseline.sums.sum(axis=0)
    moved = exchanges(len(variant.sums)) @ (baseline.sums - variant.sums)
    one = variant.sums.sum(axis=0) + moved
    found = level(variant, one) - level(variant, total - one)
    return found, variant.estimate - baseline.estimate


def level(statistic: Statistic, sums: Floats) -> Floats:
    """Return the value of sums (..., q), no smaller than it can be."""
    return np.asarray(np.maximum(statistic.value(sums), statistic.least))


def exceedance(found: Floats, change: float, scale: float) -> tuple[int, int]:
    """Return how many exchanges give a larger absolute difference than seen, and how many an equal one."""
    slack = 1e-9 * scale
    beyond = np.abs(found) - abs(change)
    return int((beyond > slack).sum()), int((np.abs(beyond) <= slack).sum())


def unrejected(variant: Statistic, baseline: Statistic, found: Floats, confidence: float) -> Ends:
    """Return the ends of the differences that exchanging labels does not reject; infinite if all are not.

    found (permutations,): as exchanged. With a gradient, a difference d is tested by taking its part off every deal
    of the variant. Without one, what is rejected at 0 is rejected as far from the difference seen.
    """
    change = variant.estimate - baseline.estimate
    count = int(np.floor((1 - confidence) * (PERMUTATIONS + 1) - 1e-9))  # of p-values too small
    if count < 1:
        return -np.inf, np.inf
    if not variant.smooth:
        half = float(np.partition(np.abs(found), -count)[-count])
        return change - half, change + half
    parts = influence(variant) - influence(baseline)
    signs = 1 - 2 * exchanges(len(parts)).mean(axis=1)
    middle = float(parts.sum())
    step = 8 * float(np.sqrt((parts**2).sum())) + 1e-12

    def kept(moved: float) -> bool:
        seen = abs(middle - moved) * (1 - 1e-9)
        return int((np.abs(found - moved * signs) >= seen).sum()) + 1 > count

    low, high = (farthest(kept, middle, side * step) for side in (-1, 1))
    return min(low, change), max(high, change)


def farthest(kept: Callable[[float], bool], start: float, step: float) -> float:
    """Return how far from `start` in one direction a difference is kept; infinite if it is so 8 times farther."""
    if kept(start + 8 * step):
        return float(np.copysign(np.inf, step))
    inside, outside = 0.0, 8.0
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if kept(start + middle * step) else (inside, middle)
    return start + inside * step


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
    value = float(statistic.value(total))
    return np.asarray(value / columns + (statistic.sums - total / columns) @ gradient)
