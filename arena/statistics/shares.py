"""Scores, Elo and intervals from counts and from deals: closed forms, numpy in and out.

Counts of outcomes run from worst to best, for equally spaced scores 0 .. 1: (losses, draws, wins),
or for pairs of matches (LL, LD, DD + WL, WD, WW). The formulas are those of fishtest, fastchess,
OpenBench and cutechess, named where they differ.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc, fdtri, ndtr, ndtri, stdtr, stdtrit

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import FEWEST_DEALS

SCORE_BOUND = 1e-3  # scores are kept this far from 0 and 1, as in fishtest: Elo stays within +-1200
ROUNDING = 1e-9
SMALLEST = 1e-6  # effective trials: of a score next to 0 or 1 that nothing but the prior holds
NORMAL = 100  # rows from which on T squared follows F, whatever a row looks like
SHUFFLES = 1999
NORMALISED = 800 / np.log(10)  # Elo points in one standard deviation of a match: 347.4


@dataclass(frozen=True)
class CountedElo:
    """Elo from counts of outcomes.

    score 0..1 and its variance (per count); elo +- error (normal, half the width); low, high
    (Student's t); superiority: chance that the true score is above 1/2; normalised +-
    normalised_error: Elo in units of a match's standard deviation, comparable between games.
    """

    score: float
    variance: float
    elo: float
    error: float
    low: float
    high: float
    superiority: float
    normalised: float
    normalised_error: float


@dataclass(frozen=True)
class Shares:
    """share, low, high (k,) in 0..1, interval nan below 10 deals; deals (k,).

    variance (k,): of the share, by deals. design_effect (k,): how many times that of as many
    independent trials it is.
    """

    share: Floats
    low: Floats
    high: Floats
    deals: Integers
    variance: Floats
    design_effect: Floats


def elo_of_score(score: ArrayLike) -> Floats:
    """Return -400 log10(1 / score - 1), scores kept within 0.001 .. 0.999 (Elo within +-1200)."""
    bounded = np.clip(np.asarray(score, dtype=np.float64), SCORE_BOUND, 1 - SCORE_BOUND)
    return np.asarray(-400 * np.log10(1 / bounded - 1))


def normalised_elo(shares: Sequence[float], deviation: float, matches: float) -> tuple[float, ...]:
    """Return shares of a deal of so many matches in Elo points of a match's standard deviation.

    deviation: of the share of a deal.
    """
    unit = float(NORMALISED) / math.sqrt(matches) / deviation
    return tuple((share - 0.5) * unit for share in shares)


def score_of_elo(elo: ArrayLike) -> Floats:
    """Return the expected score 1 / (1 + 10^(-elo / 400)) of an entrant elo points ahead."""
    return np.asarray(1 / (1 + 10 ** (-np.asarray(elo, dtype=np.float64) / 400)))


def superiority(difference: ArrayLike, deviation: ArrayLike) -> Floats:
    """Return Phi(difference / deviation), the chance that a true difference is positive (LOS, CFS).

    deviation is the standard error. Without one, the answer is 0, 1/2 or 1.
    """
    error = np.maximum(np.asarray(deviation, dtype=np.float64), np.finfo(np.float64).tiny * 1e10)
    return np.asarray(ndtr(np.asarray(difference, dtype=np.float64) / error))


def superiority_of_counts(wins: float, losses: float) -> float:
    """Return Phi((wins - losses) / sqrt(wins + losses)), the LOS of cutechess without draws."""
    return float(superiority(wins - losses, np.sqrt(wins + losses)))


def elo_of_counts(counts: ArrayLike, confidence: float = 0.95) -> CountedElo:
    """Return Elo from outcomes, worst to best; odd lengths above 3 are pairs of matches.

    error as in fishtest and fastchess: half of elo(s + z e) - elo(s - z e), e^2 = variance / N; low
    and high as in OpenBench: with t of N - 1 degrees of freedom. ValueError without outcomes.
    """
    outcomes = np.asarray(counts, dtype=np.float64)
    total = outcomes.sum()
    if total <= 0 or outcomes.size < 2:
        raise ValueError(f"counts must hold two kinds of outcome and one of them, not {counts!r}")
    values = np.linspace(0, 1, outcomes.size)
    score = float(outcomes @ values / total)
    variance = float(outcomes @ (values - score) ** 2 / total)
    error = np.sqrt(variance / total)
    tail = (1 + confidence) / 2
    z, t = ndtri(tail), stdtrit(max(total - 1, 1), tail)
    matches = (outcomes.size - 1) / 2  # in one count
    unit = NORMALISED / np.sqrt(matches)
    spread = np.sqrt(max(variance, SCORE_BOUND))
    return CountedElo(
        score=score,
        variance=variance,
        elo=float(elo_of_score(score)),
        error=float(elo_of_score(score + z * error) - elo_of_score(score - z * error)) / 2,
        low=float(elo_of_score(score - t * error)),
        high=float(elo_of_score(score + t * error)),
        superiority=float(superiority(score - 0.5, error)),
        normalised=float((score - 0.5) / spread * unit),
        normalised_error=float(z / np.sqrt(total) * unit),
    )


def wilson_interval(
    share: ArrayLike, trials: ArrayLike, *, reach: ArrayLike = 1.959963984540054
) -> tuple[Floats, Floats]:
    """Return Wilson's score interval of a share seen in so many trials (Wilson 1927).

    trials may be fractions (an effective sample size); reach is the quantile, 1.96 for 95 %.
    """
    p, n = np.asarray(share, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    z2 = np.asarray(reach, dtype=np.float64) ** 2
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    return np.where(p <= 0, 0.0, low), np.where(p >= 1, 1.0, high)


def shares_by_deal(
    amounts: Floats,
    trials: Floats,
    *,
    deals: Integers | None = None,
    confidence: float = 0.95,
) -> Shares:
    """Return amounts / trials with an interval that takes the deal as the unit.

    amounts, trials (deals, k): what each of k got and could get (both 0 where it did not play).
    deals (k,): how many of them count for the interval, where rows are batches or some deals only
    repeat others; else the rows with trials.

    The variance is that of a ratio over clusters, D / (D - 1) sum (a - p t)^2 / (sum t)^2 (Cochran
    1977 section 6.3), the interval `share_interval`.
    """
    rows = (trials > 0).sum(axis=0)
    count = rows if deals is None else deals
    total = trials.sum(axis=0)
    share = np.divide(amounts.sum(axis=0), total, out=np.full(total.shape, np.nan), where=total > 0)
    low, high = np.full(share.shape, np.nan), np.full(share.shape, np.nan)
    enough = (count >= FEWEST_DEALS) & (rows > 1)
    p, n, t = share[enough], rows[enough], total[enough]
    squares = ((amounts[:, enough] - p * trials[:, enough]) ** 2).sum(axis=0)
    variance = n / (n - 1) * squares / t**2
    low[enough], high[enough] = share_interval(p, variance, count[enough], confidence)
    effect, spread = np.full(share.shape, np.nan), np.full(share.shape, np.nan)
    spread[enough] = variance
    with np.errstate(divide="ignore", invalid="ignore"):
        effect[enough] = np.where((p > 0) & (p < 1), variance * t / (p * (1 - p)), np.nan)
    return Shares(share, low, high, count.astype(np.int64), spread, effect)


def share_interval(
    share: ArrayLike, variance: ArrayLike, deals: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the interval of a share in 0..1 with this variance, estimated from so many deals.

    Wilson's with the effective number of trials p (1 - p) / variance and Student's t, as for
    surveys (Korn & Graubard 1998). The variance is at least that of one deal a third away, so
    that equal deals do not give a width of 0; but a deal is never worth less than one trial, since
    no deal can move the share by more than a deal that is won or lost as a whole.
    """
    reach = stdtrit(np.maximum(np.asarray(deals) - 1, 1), (1 + confidence) / 2)
    return wilson_interval(share, effective_trials(share, variance, deals), reach=reach)


def effective_trials(share: ArrayLike, variance: ArrayLike, deals: ArrayLike) -> Floats:
    """Return how many independent trials would know the share as well.

    At least one a deal, where it is what deals bring together: deals that are won or lost as a whole
    vary by p (1 - p) / (deals - 1). What varies more is known through others only (the expected score
    of two who met the same strong third), and worth as little as its variance says.
    """
    p, n = np.asarray(share, dtype=np.float64), np.asarray(deals, dtype=np.float64)
    spread, others = np.asarray(variance, dtype=np.float64), np.maximum(n - 1, 1)
    least = 1 / (9 * n * others)
    trials = p * (1 - p) / np.maximum(spread, least)
    direct = spread <= p * (1 - p) / others * (1 + ROUNDING)
    return np.asarray(np.where(direct, np.maximum(trials, n), np.maximum(trials, SMALLEST)))


def means_by_deal(
    amounts: Floats, trials: Floats, *, least: float = 0.0, confidence: float = 0.95
) -> tuple[Floats, Floats, Floats]:
    """Return amounts / trials (k,) with an interval that takes the deal as the unit.

    amounts, trials (deals, k), as for `shares_by_deal`, but amounts of any size and sign: the ratio
    +- Student's t times its standard error over clusters (Cochran 1977 section 6.3). The spread is
    at least that of one deal `least` away, so that equal deals need not give a width of 0. nan
    where nothing was tried; no interval below 10 deals.
    """
    deals = (trials > 0).sum(axis=0)
    total = trials.sum(axis=0)
    mean = np.divide(amounts.sum(axis=0), total, out=np.full(total.shape, np.nan), where=total > 0)
    low, high = np.full(mean.shape, np.nan), np.full(mean.shape, np.nan)
    enough = deals >= FEWEST_DEALS
    m, n, t = mean[enough], deals[enough], total[enough]
    squares = ((amounts[:, enough] - m * trials[:, enough]) ** 2).sum(axis=0)
    squares = np.maximum(squares, (t / n * least) ** 2)
    half = stdtrit(n - 1, (1 + confidence) / 2) * np.sqrt(n / (n - 1) * squares) / t
    low[enough], high[enough] = m - half, m + half
    return mean, low, high


def even_test(counts: ArrayLike) -> tuple[float, int, float]:
    """Return chi-square, degrees of freedom and p of equally likely cells (wins by seat)."""
    observed = np.asarray(counts, dtype=np.float64)
    expected = observed.mean()
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return statistic, observed.size - 1, float(chdtrc(observed.size - 1, statistic))


def even_by_deal(amounts: Floats, trials: Floats, deals: int) -> float:
    """Return p of the hypothesis that all k cells get equal shares, with the deal as the unit.

    amounts (rows, k): what each cell got of the trials (rows,) of a deal, or batch of `deals`; nan
    below 10 deals. Of two cells it is the test that the interval of `shares_by_deal` makes: below
    0.05 where 1/2 lies outside. Of more it is Hotelling's T^2 of the shares (1931), by F; below
    NORMAL rows T^2 is measured by what it is where cells change places within rows.
    """
    rows, cells = amounts.shape
    total = float(trials.sum())
    if deals < FEWEST_DEALS or rows <= cells or total <= 0:
        return np.nan
    excess, covariance, squared = even_excess(amounts, trials)
    if cells == 2:
        effective = effective_trials(excess[0] + 0.5, covariance[0, 0], deals)
        reach = abs(excess[0]) / np.sqrt(0.25 / effective)
        return float(2 * stdtr(deals - 1, -reach))
    freedom = cells - 1
    return float(
        fdtrc(freedom, rows - freedom, (rows - freedom) / (freedom * (rows - 1)) * squared)
    )


def even_excess(amounts: Floats, trials: Floats) -> tuple[Floats, Floats, float]:
    """Return how far shares (k,) lie from equal ones, their covariance by rows (k, k), and T squared."""
    rows, cells = amounts.shape
    total = float(trials.sum())
    excess = amounts.sum(axis=0) / total - 1 / cells
    parts = (amounts - (excess + 1 / cells) * trials[:, None]) / total
    covariance = rows / (rows - 1) * parts.T @ parts
    squared = float(_even_squared(amounts[None], trials)[0])
    if 2 < cells < rows < NORMAL:
        squared /= _grown(amounts, trials)
    return excess, covariance, squared


def _even_squared(amounts: Floats, trials: Floats) -> Floats:
    """Return T squared (...) of equal shares, of amounts (..., rows, k)."""
    rows, cells = amounts.shape[-2:]
    total = float(trials.sum())
    excess = amounts.sum(axis=-2) / total - 1 / cells
    parts = (amounts - (excess[..., None, :] + 1 / cells) * trials[:, None]) / total
    spread, axes = np.linalg.eigh(rows / (rows - 1) * np.swapaxes(parts, -1, -2) @ parts)
    along = (np.swapaxes(axes, -1, -2) @ excess[..., None])[..., 1:, 0]
    least = (1 / (3 * total)) ** 2  # the first axis is the sum of all cells, always 1
    return np.asarray((along**2 / np.maximum(spread[..., 1:], least)).sum(axis=-1))


def _grown(amounts: Floats, trials: Floats) -> float:
    """Return how many times its nominal value the 95 % quantile of T squared is, of few and skewed rows.

    Where all cells are alike they may change places within any row: that gives the quantile
    (a permutation test, studentized: Chung & Romano 2013, Annals of Statistics 41).
    """
    rows, cells = amounts.shape
    rng = np.random.default_rng(0)
    places = rng.random((SHUFFLES, rows, cells)).argsort(axis=-1)
    shuffled = np.take_along_axis(np.broadcast_to(amounts, places.shape), places, axis=-1)
    seen = float(np.quantile(_even_squared(shuffled, trials), 0.95))
    freedom = cells - 1
    wanted = fdtri(freedom, rows - freedom, 0.95) * freedom * (rows - 1) / (rows - freedom)
    return seen / float(wanted) if seen > 0 else 1.0
