"""The estimate after a test has stopped: a test that ends when things look clear ends on a lucky day.

The log-likelihood ratio is taken as a Brownian motion with drift between the bounds of the test. The
estimate is median-unbiased and its interval exact under that model, outcomes ordered from the fastest
failure to the fastest pass (Siegmund 1978, Biometrika 65; fishtest's `sprt.py` and `brownian.py`).
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from arena.statistics.choice_model import Floats
from arena.statistics.roots import root
from arena.statistics.sequential import FEWEST, Hypotheses, counted_scores, tilt_to_mean

SMALL = 1e-9
NEAREST = 1e-4  # of a score to its ends


def estimate_after_stopping(
    scores: ArrayLike, test: Hypotheses, bounds: tuple[float, float], confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the mean score, low and high, corrected for a test that stops at these bounds."""
    values, counts = counted_scores(np.asarray(scores, dtype=np.float64))
    return estimate_of_counts(counts, values, test, bounds, confidence)


def estimate_of_counts(
    counts: ArrayLike,
    values: ArrayLike,
    test: Hypotheses,
    bounds: tuple[float, float],
    confidence: float = 0.95,
) -> tuple[float, float, float]:
    """Return the same from how often each value was seen."""
    seen = np.maximum(np.asarray(counts, dtype=np.float64), FEWEST)
    places = np.asarray(values, dtype=np.float64)
    share, total = seen / seen.sum(), float(seen.sum())
    ends = _scores_of(test, share, places)
    drift, _ = _drift(share, places, ends)
    ratio, time = drift * total, total
    inside = min(max(ratio, bounds[0]), bounds[1])
    if inside != ratio:
        ratio, time = inside, inside / drift

    def worse(score: float) -> float:
        tilted = share * tilt_to_mean(share, places, score)
        return outcome_below(*_drift(tilted, places, ends), time, ratio, bounds)

    tail = (1 - confidence) / 2
    low, middle, high = (_score_where(worse, 1 - p) for p in (tail, 0.5, 1 - tail))
    return middle, low, high


def _scores_of(test: Hypotheses, share: Floats, values: Floats) -> tuple[float, float]:
    """Return the hypotheses as mean scores."""
    if not test.normalised:
        return test.null, test.alternative
    mean = float(share @ values)
    deviation = math.sqrt(float(share @ (values - mean) ** 2))
    return 0.5 + test.null * deviation, 0.5 + test.alternative * deviation


def _drift(share: Floats, values: Floats, ends: tuple[float, float]) -> tuple[float, float]:
    """Return mean and variance of what one score adds to the log-likelihood ratio."""
    null, alternative = (tilt_to_mean(share, values, end) for end in ends)
    jumps = np.log(alternative) - np.log(null)
    mean = float(share @ jumps)
    return mean, max(float(share @ (jumps - mean) ** 2), 1e-300)


def _score_where(worse: Callable[[float], float], wanted: float) -> float:
    """Return the score at which the chance of a worse outcome is the wanted one; it falls in the score."""
    low, high = NEAREST, 1 - NEAREST
    if worse(low) <= wanted:
        return 0.0
    if worse(high) >= wanted:
        return 1.0
    return root(lambda score: worse(score) - wanted, low, high, 1e-9)


def outcome_below(
    drift: float, variance: float, time: float, place: float, bounds: tuple[float, float]
) -> float:
    """Return the chance that a Brownian motion between the bounds has a worse outcome than this.

    It begins at 0; worse is: ending at the lower bound, or being below `place` at `time`, or later
    at the upper one.
    """
    width = bounds[1] - bounds[0]
    if variance * time / width**2 < 1e-2 or abs(drift / variance * width) > 15:
        return _below_reflected(drift, variance, time, place, bounds)
    return _below_series(drift, variance, time, place, bounds)


def _below_series(
    drift: float, variance: float, time: float, place: float, bounds: tuple[float, float]
) -> float:
    width, start, end = bounds[1] - bounds[0], -bounds[0], place - bounds[0]
    slope = drift / variance
    base = (math.pi / width) ** 2 * variance / 2
    first = math.exp(-(base + drift**2 / variance / 2) * time + (end - start) * slope)
    total, n = 0.0, 1
    while True:
        decay = math.exp(-(n**2 - 1) * base * time)
        angle = n * math.pi * end / width
        wave = 2 * width * slope * math.sin(angle) - 2 * math.pi * n * math.cos(angle)
        wave /= (width * slope) ** 2 + (math.pi * n) ** 2
        total += decay * wave * math.sin(n * math.pi * start / width)
        if abs(first * decay * wave) <= SMALL or decay < 1e-300:
            break
        n += 1
    lower = (width - start) / width
    if abs(slope * width) >= 1e-8:
        lower = math.expm1(2 * slope * (width - start)) / math.expm1(2 * slope * width)
    return lower + first * total


def _below_reflected(
    drift: float, variance: float, time: float, place: float, bounds: tuple[float, float]
) -> float:
    deviation, moved, slope = math.sqrt(time * variance), drift * time, drift / variance
    low, high = bounds
    plain = float(ndtr((place - moved) / deviation))
    over_low = 2 * slope * low + float(log_ndtr((-place + moved + 2 * low) / deviation))
    over_high = 2 * slope * high + float(log_ndtr((place - moved - 2 * high) / deviation))
    return plain + math.exp(min(over_low, 0.0)) - math.exp(min(over_high, 0.0))
