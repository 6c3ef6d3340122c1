"""Tests that may stop at any time: a bound by betting, and the generalised sequential probability ratio test.

Both take the scores of deals, in 0..1 and in the order of the schedule. Results in the order of
their arrival would favour quick matches and void every promise made here (tests show it).

The bound (Waudby-Smith & Ramdas 2024, Journal of the Royal Statistical Society B 86, "hedged
capital"): for every mean m that might be true, two gamblers bet on each next score being above, or
below, m. If m is true neither can expect to gain, so that either has ever multiplied its stake by
2 / alpha with a chance of alpha / 2 at most (Ville's inequality), however long one plays and whenever
one looks. The means against which no gambler has won so much are the interval.

The ratio test (GSPRT; Van den Bergh, fishtest's `LLRcalc`): how much likelier the scores seen are
under the likeliest distribution with a mean (or normalised mean) of hypothesis 1 than of hypothesis 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.shares import NORMALISED

LARGEST_BET = 0.75  # of what would ruin the gambler; the paper suggests 1/2 or 3/4
EQUAL = 0.5
ALWAYS = (0.0, EQUAL, 1.0)
FEWEST = 1e-3  # count of an outcome that was not seen, as in fishtest
LEAP = 0.583  # standard deviations of a leap that it overshoots a bound by, on average
FIRST_LEAP = 0.76  # the same at the first look, which may begin anywhere: see bounds_in_force
NEAREST = 1e-6  # that a bound may come to 0
HALVINGS = 55  # of an interval no longer than 4: to the last bit
MODEL_STEPS = 10  # of the normalised model's fixed point, as in fishtest
ROWS = 20_000  # of prefixes looked at together, at most: keeps arrays small
FIRST_ROWS = 200  # and at first, then twice as many each time: most tests stop early


# --- the bound ------------------------------------------------------------------------------------


class Gamblers:
    """The two gamblers against one mean, who bet on score after score as they come.

    The first bets that the true mean is above `mean`, the second that it is below. `count` scores have been seen.
    """

    def __init__(self, mean: float, confidence: float) -> None:
        """Nobody has bet yet."""
        self.count = 0
        self.wealth = np.zeros((2, 1))  # logarithm of what each one's 1 has become
        self._mean, self._alpha = mean, 1 - confidence
        self._total = self._squares = np.zeros(1)
        self._spread = 0.25

    def bet(self, scores: ArrayLike) -> Floats:
        """Return the logarithm (2, n) of what each gambler's 1 has become after each of the next scores."""
        seen = np.asarray(scores, dtype=np.float64)
        bets = self._bets(seen)
        above = np.minimum(bets, LARGEST_BET / max(self._mean, 1e-12))
        below = np.minimum(bets, LARGEST_BET / max(1 - self._mean, 1e-12))
        gain = seen - self._mean
        won = np.stack([np.log1p(above * gain), np.log1p(-below * gain)])
        found = continued(self.wealth, won)
        self.wealth = found[:, -1:] if seen.size else self.wealth
        return found

    def _bets(self, scores: Floats) -> Floats:
        """Return the stake on each score, from the spread of those before it."""
        count = np.arange(self.count + 1, self.count + scores.size + 1)
        total = continued(self._total, scores)
        means = (0.5 + total) / (count + 1)
        squares = continued(self._squares, (scores - means) ** 2)
        spread = (0.25 + squares) / (count + 1)
        before = np.concatenate([[self._spread], spread[:-1]])
        if scores.size:
            self.count += scores.size
            self._total, self._squares, self._spread = total[-1:], squares[-1:], float(spread[-1])
        return np.asarray(np.sqrt(2 * np.log(2 / self._alpha) / (before * count * np.log1p(count))))


def continued(before: Floats, values: Floats) -> Floats:
    """Return the cumulative sums (..., n) of values behind a sum (..., 1), as if they were all of one array."""
    return np.asarray(np.cumsum(np.concatenate([before, values], axis=-1), axis=-1)[..., 1:])


def log_wealth(scores: ArrayLike, mean: float, confidence: float) -> tuple[Floats, Floats]:
    """Return the logarithm of what each gambler's 1 has become after each score (n,)."""
    above, below = Gamblers(mean, confidence).bet(scores)
    return above, below


class Bound:
    """Says after how many scores a mean is outside the interval; it looks at each score once."""

    def __init__(self, confidence: float, mean: float = EQUAL, fewest: int = 1) -> None:
        """Take a confidence, and how many scores it needs at least."""
        self._gamblers = Gamblers(mean, confidence)
        self._wanted, self._fewest = float(np.log(2 / (1 - confidence))), fewest

    def excluded(self, scores: ArrayLike) -> int:
        """Return after how many scores, all so far, the mean is outside the interval; 0 if never.

        Those that were given before are not looked at again, and none is once the answer has been found.
        """
        seen, before = np.asarray(scores, dtype=np.float64), self._gamblers.count
        for first in range(before, seen.size, ROWS):
            wealth = self._gamblers.bet(seen[first : first + ROWS])
            won = np.flatnonzero(wealth.max(axis=0) >= self._wanted) + first + 1
            if (won := won[won >= self._fewest]).size:
                return int(won[0])
        return 0


def first_exclusion(
    scores: ArrayLike, confidence: float, mean: float = EQUAL, fewest: int = 1
) -> int:
    """Return after how many scores, and no fewer than `fewest`, `mean` is outside the interval; 0 if never."""
    return Bound(confidence, mean, fewest).excluded(scores)


def ahead(scores: ArrayLike, confidence: float) -> bool:
    """Return whether `mean_interval` lies above one half now."""
    seen = np.asarray(scores, dtype=np.float64)
    return bool(last_wealth(seen, EQUAL, confidence)[0] >= np.log(2 / (1 - confidence)))


def last_wealth(scores: Floats, mean: float, confidence: float) -> Floats:
    """Return the logarithm (2,) of what each gambler's 1 has become in the end."""
    gamblers = Gamblers(mean, confidence)
    for first in range(0, scores.size, ROWS):
        gamblers.bet(scores[first : first + ROWS])
    return gamblers.wealth[:, 0]


def mean_interval(scores: ArrayLike, confidence: float) -> tuple[float, float]:
    """Return low and high: with this confidence the true mean is between them, whenever one looks."""
    seen = np.asarray(scores, dtype=np.float64)
    if not seen.size:
        return 0.0, 1.0
    wanted = np.log(2 / (1 - confidence))
    centre = float(seen.mean())

    def edge(outside: float, gambler: int) -> float:
        inside = centre
        for _ in range(40):
            middle = (inside + outside) / 2
            lost = last_wealth(seen, middle, confidence)[gambler] < wanted
            inside, outside = (middle, outside) if lost else (inside, middle)
        return outside

    return edge(0.0, 0), edge(1.0, 1)


# --- the ratio test -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hypotheses:
    """What a ratio test decides between.

    null, alternative: means of a score, or where `normalised` distances of the mean from 1/2 in
    standard deviations of a score.
    """

    null: float
    alternative: float
    normalised: bool = False


def decision_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Return the log-likelihood ratios at which hypothesis 0, and hypothesis 1, is accepted."""
    return float(np.log(beta / (1 - alpha))), float(np.log((1 - beta) / alpha))


def log_likelihood_ratio(counts: ArrayLike, values: ArrayLike, test: Hypotheses) -> Floats:
    """Return the log-likelihood ratio (...) of hypothesis 1 to 0.

    Args:
        counts: (..., k) how often each value was seen; 0 counts as FEWEST.
        values: (k,) the possible scores.
    """
    seen = np.asarray(counts, dtype=np.float64)
    return _ratio(np.where(seen > 0, seen, FEWEST), np.asarray(values, dtype=np.float64), test)


def _ratio(seen: Floats, values: Floats, test: Hypotheses) -> Floats:
    """Return the log-likelihood ratio (...); a value with a count of 0 is as if it were not there."""
    return _ratio_and_jump(seen, values, test)[0]


def _ratio_and_jump(seen: Floats, values: Floats, test: Hypotheses) -> tuple[Floats, Floats]:
    """Return the ratio (...), and the standard deviation of what one score adds to it."""
    share = seen / seen.sum(axis=-1, keepdims=True)
    tilt = _tilt_normalised if test.normalised else tilt_to_mean
    odds = np.log(tilt(share, values, test.alternative)) - np.log(tilt(share, values, test.null))
    mean = (share * odds).sum(axis=-1, keepdims=True)
    deviation = np.sqrt((share * (odds - mean) ** 2).sum(axis=-1))
    return np.asarray((seen * odds).sum(axis=-1)), np.asarray(deviation)


def normalised_distance(elo: float, matches: float) -> float:
    """Return the distance, in standard deviations of a score over so many matches, of normalised Elo."""
    return elo / float(NORMALISED) * float(np.sqrt(matches))


def first_acceptance(
    scores: ArrayLike,
    test: Hypotheses,
    bounds: tuple[float, float],
    fewest: int = 1,
    after: int = 0,
) -> int:
    """Return after how many scores, and no fewer than `fewest`, the ratio is at a bound; 0 if never.

    The bounds are those of `bounds_in_force`.
    after: so many scores have been looked at before, and it was at none.
    """
    seen = np.asarray(scores, dtype=np.float64)
    values = _values(seen)
    before = np.bincount(np.searchsorted(values, seen[:after]), minlength=values.size)
    before = before.astype(np.float64)
    first, rows = after, FIRST_ROWS
    while first < seen.size:
        counts = before + np.cumsum(seen[first : first + rows, None] == values, axis=0)
        ratio, deviation = _ratio_and_jump(_filled(counts, values), values, test)
        number = first + 1 + np.arange(len(ratio))
        low, high = _in_force(number, deviation, bounds, fewest)
        out = np.flatnonzero(((ratio <= low) | (ratio >= high)) & (number >= fewest))
        if out.size:
            return int(number[out[0]])
        before, first, rows = counts[-1], first + rows, min(2 * rows, ROWS)
    return 0


def bounds_in_force(
    scores: ArrayLike, test: Hypotheses, bounds: tuple[float, float], fewest: int = 1
) -> tuple[float, float]:
    """Return the log-likelihood ratios at which a test stops after these scores.

    A ratio does not meet a bound but leaps over it, by 0.583 standard deviations of a leap on average
    (Siegmund 1985, Sequential Analysis, chapter 10), and the first look is a leap of `fewest` scores:
    the bounds lie so much nearer, else a test is surer than asked and takes longer. The first leap
    counts 0.76: a normal variable lies 0.8 beyond its middle, less beyond what is farther out, and of
    2 000 to 10 000 simulated runs at 100, 150, 200 and 300 Elo 0.023 to 0.057 err so where 0.05 is asked.
    The bounds lie n / (n - 1) farther, for the spread of scores is found from the same n.
    """
    seen = np.asarray(scores, dtype=np.float64)
    values, counts = counted_scores(seen)
    _, deviation = _ratio_and_jump(counts[None], values, test)
    low, high = _in_force(np.array([seen.size]), deviation, bounds, fewest)
    return float(low[0]), float(high[0])


def _in_force(
    number: Integers, deviation: Floats, bounds: tuple[float, float], fewest: int
) -> tuple[Floats, Floats]:
    """Return the bounds (n,) after so many scores, from the spread of what a score adds to the ratio."""
    leap = deviation * np.where(number <= fewest, FIRST_LEAP * np.sqrt(fewest), LEAP)
    with np.errstate(divide="ignore"):
        farther = number / (number - 1.0)
    low, high = np.minimum(bounds[0] + leap, -NEAREST), np.maximum(bounds[1] - leap, NEAREST)
    return low * farther, high * farther


def ratio_of_scores(scores: ArrayLike, test: Hypotheses) -> float:
    """Return the log-likelihood ratio of all scores."""
    values, counts = counted_scores(np.asarray(scores, dtype=np.float64))
    return float(_ratio(counts, values, test))


def counted_scores(scores: Floats) -> tuple[Floats, Floats]:
    """Return the values (k,) that scores have, or always may have, and how often each was seen."""
    values = _values(scores)
    return values, _filled((scores[:, None] == values).sum(axis=0).astype(np.float64), values)


def _values(scores: Floats) -> Floats:
    """Return the values of the scores, and those that every score may have."""
    return np.unique(np.concatenate([scores, ALWAYS]))


def _filled(counts: Floats, values: Floats) -> Floats:
    """Return the counts (..., k), FEWEST for a value that a score may have but has not had so far.

    Values that only later scores have stay at 0: what comes later must not change a ratio.
    """
    return np.where((counts == 0) & np.isin(values, ALWAYS), FEWEST, counts)


def tilt_to_mean(share: Floats, values: Floats, mean: float) -> Floats:
    """Return the likeliest distribution with this mean as a multiple (..., k) of the shares seen."""
    return _tilt(share, np.broadcast_to(values - mean, share.shape))


def _tilt_normalised(share: Floats, values: Floats, distance: float) -> Floats:
    """Return the same for a distribution with (mean - 1/2) / deviation at this distance."""
    tilt = np.ones(share.shape)
    for _ in range(MODEL_STEPS):
        mean = (share * tilt * values).sum(axis=-1, keepdims=True)
        spread = (share * tilt * (values - mean) ** 2).sum(axis=-1, keepdims=True)
        deviation = np.sqrt(spread)
        bend = deviation * (1 + ((mean - values) / deviation) ** 2) / 2
        tilt = _tilt(share, values - EQUAL - distance * bend)
    return tilt


def _tilt(share: Floats, excess: Floats) -> Floats:
    """Return what makes the shares (..., k) the likeliest under which the mean of `excess` is 0.

    It is 1 / (1 + t excess), t the root of sum share excess / (1 + t excess), which falls in t.
    """
    low = -1 / excess.max(axis=-1, keepdims=True)
    high = -1 / excess.min(axis=-1, keepdims=True)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        positive = (share * excess / (1 + middle * excess)).sum(axis=-1, keepdims=True) > 0
        low, high = np.where(positive, middle, low), np.where(positive, high, middle)
    return np.asarray(1 / (1 + (low + high) / 2 * excess))
