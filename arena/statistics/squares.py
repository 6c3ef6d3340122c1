"""How large effects are together: a sum of squares with an interval that may begin at 0.

The square of an estimate is never below 0, and where there is no effect it is all noise: its
resamples spread twice as far as they should, and its gradient is 0. Divided by the noise it is a
noncentral chi-square. The interval holds the lengths from which the estimate lies as near as in 95
of 100 samples (Kent & Hainsworth 1995, Journal of Statistical Planning and Inference 46, the
symmetric range). As the noise is an estimate too, it is taken as so much larger as F is than
chi-square: the interval begins above 0 exactly where the F test of no effect rejects, and of one
large effect it is Student's.
"""

import numpy as np
from scipy.special import chdtri, chndtr, fdtri, ndtri, stdtrit

from arena.statistics.choice_model import Floats
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.roots import root
from arena.statistics.shares import effective_trials, even_excess, wilson_interval

FAR = 50.0  # standard errors from 0: there a length is as good as normal
EXACT = 1e-6


def squared_length(
    effects: Floats, covariance: Floats, deals: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the sum of squared true effects, without the noise, and the ends of its interval.

    effects (c,): estimates with this covariance (c, c) from so many deals. Where variances differ
    the degrees of freedom are Satterthwaite's (1946). Never below 0; nan without any noise.
    """
    noise, seen = float(np.trace(covariance)), float(effects @ effects)
    value = max(0.0, seen - noise)
    if noise <= 0:
        return value, np.nan, np.nan
    freedom = noise**2 / float((covariance**2).sum())
    grown = fdtri(freedom, max(deals - 1, 1), confidence) / (
        chdtri(freedom, 1 - confidence) / freedom
    )
    unit = noise / freedom * float(grown)
    low, high = _lengths(float(np.sqrt(seen / unit)), freedom, confidence)
    return value, min(low**2 * unit, value), max(high**2 * unit, value)


def uneven_by_deal(
    amounts: Floats, trials: Floats, deals: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return how far shares lie from equal ones, as root mean square, and the ends of its interval.

    amounts (rows, k), trials (rows,): as for `shares.even_by_deal`, whose test this is: the interval
    begins above 0 exactly where that p is below 1 - confidence. nan below 10 deals.
    """
    rows, cells = amounts.shape
    if deals < FEWEST_DEALS or rows <= cells or float(trials.sum()) <= 0:
        return np.nan, np.nan, np.nan
    excess, covariance, squared = even_excess(amounts, trials)
    seen = float(np.sqrt((excess**2).mean()))
    if cells == 2:
        return seen, *_folded(seen, float(covariance[0, 0]), deals, confidence)
    return seen, *length_by_test(seen, squared, cells - 1, rows, confidence)


def _folded(seen: float, variance: float, deals: int, confidence: float) -> tuple[float, float]:
    """Return the ends of the interval of how far one of two shares lies from 1/2, on either side.

    Wilson's, as everywhere, but it reaches as far as the interval of a length does: less far where
    both sides of 1/2 are possible, for there an estimate that is too low is seen as one that is too high.
    """
    reach = float(stdtrit(max(deals - 1, 1), (1 + confidence) / 2))
    trials = effective_trials(0.5 + seen, variance, deals)
    unit = reach / float(ndtri((1 + confidence) / 2))
    length = seen / float(np.sqrt(0.25 / trials)) / unit
    low, high = _lengths(length, 1.0, confidence)
    below, _ = wilson_interval(0.5 + seen, trials, reach=(length - low) * unit)
    _, above = wilson_interval(0.5 + seen, trials, reach=(high - length) * unit)
    nearest = float(below) - 0.5 if low > 0 else 0.0
    return min(max(nearest, 0.0), seen), max(float(above) - 0.5, seen)


def length_by_test(
    seen: float, squared: float, freedom: int, rows: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the ends of the interval of a length whose test of 0 is Hotelling's.

    seen: the length. squared: T squared with so many degrees of freedom, of so many rows. The interval
    begins above 0 exactly where that test rejects.
    """
    reach = fdtri(freedom, rows - freedom, confidence) * freedom * (rows - 1) / (rows - freedom)
    length = float(np.sqrt(squared * chdtri(freedom, 1 - confidence) / reach))
    low, high = _lengths(length, freedom, confidence)
    unit = seen / length if length > 0 else 0.0
    return min(low * unit, seen), max(high * unit, seen)


def _lengths(length: float, freedom: float, confidence: float) -> tuple[float, float]:
    """Return the ends of the interval of a length seen, in standard errors."""
    reach = float(ndtri((1 + confidence) / 2))
    if length > FAR:
        return length - reach, length + reach

    def inside(far: float) -> float:
        """The chance of an estimate nearer to this length than the one seen, less the confidence."""
        apart = abs(length - far)
        ends = np.array([max(far - apart, 0.0), far + apart]) ** 2
        near = np.diff(chndtr(ends, freedom, far**2))
        return float(near[0]) - confidence

    low = 0.0 if inside(0.0) <= 0 else root(inside, 0.0, length, EXACT)
    far = length + reach + 1
    high = far if inside(far) <= 0 else root(inside, length, far, EXACT)
    return low, high
