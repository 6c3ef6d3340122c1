"""Bootstrap over deals: what moves together, how often it is drawn, what interval follows.

All matches of one deal share its luck, so the deal is what is drawn with replacement. Beyond
MOST_BATCHES deals, they are drawn in equal batches instead: the variance is the same, and its
estimate has a standard error of 4 %, like that of 1000 resamples. The number of batches is a prime:
the schedule seats deal d in circular order d mod 2 or d mod 6, and batches that hold one order only
would count the difference of the orders as luck.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtrit

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.placements import numbered

FEWEST_DEALS = 10  # no interval below
STUDENT_DEALS = 30  # Student's t below: tried, percentiles cover too little there
MOST_BATCHES = 997


@dataclass(frozen=True)
class Batches:
    """deal (m,): each match's deal, numbered 0 .. deals - 1; batch (m,): its batch."""

    deal: Integers
    deals: int
    batch: Integers
    columns: int


def batches_of(deals: Integers, most: int = MOST_BATCHES) -> Batches:
    """Return the batches of the matches' deals (m,): one deal each, or equal shares of them."""
    distinct, deal = numbered(deals)
    columns = min(distinct.size, most)
    return Batches(deal, int(distinct.size), deal % max(columns, 1), columns)


def multiplicities(columns: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return multinomial weights (columns, resamples): how often each batch is drawn."""
    drawn = rng.integers(columns, size=(columns, resamples), dtype=np.int64)
    drawn += np.arange(resamples) * columns
    counts = np.bincount(drawn.ravel(), minlength=columns * resamples)
    return counts.reshape(resamples, columns).T.astype(np.float64)


def interval(
    estimate: Floats, drawn: Floats, deals: Integers, confidence: float
) -> tuple[Floats, Floats]:
    """Return low and high (k,), nan where there are fewer than FEWEST_DEALS deals or no resamples.

    estimate (k,), drawn (k, resamples), deals n (k,). Below STUDENT_DEALS: estimate +- t s, with s
    the standard deviation of the resamples x sqrt(n / (n - 1)) and t Student's with n - 1 degrees
    of freedom. From there on: their quantiles at Phi(-+ t sqrt(n / (n - 1))), the expanded
    percentile interval of Hesterberg 2015 (The American Statistician 69), which keeps a skewed
    shape.
    """
    low, high = np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan)
    for row in np.flatnonzero(deals >= FEWEST_DEALS) if drawn.shape[1] else ():
        n = int(deals[row])
        if n < STUDENT_DEALS:
            half = reach_of(n, confidence) * drawn[row].std()
            low[row], high[row] = estimate[row] - half, estimate[row] + half
        else:
            low[row], high[row] = np.quantile(drawn[row], percentiles(n, confidence))
    return np.minimum(low, estimate), np.maximum(high, estimate)


def reach_of(deals: int, confidence: float = 0.95) -> float:
    """Return how many standard deviations of resamples an interval reaches: t sqrt(n / (n - 1))."""
    return float(stdtrit(deals - 1, (1 + confidence) / 2) * np.sqrt(deals / (deals - 1)))


def percentiles(deals: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the quantiles of resamples at which the expanded percentile interval ends."""
    tail = float(ndtr(-reach_of(deals, confidence)))
    return tail, 1 - tail
