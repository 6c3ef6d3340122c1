"""How far one number per entrant tells who beats whom: the part of the results that goes in circles.

The log odds of every pair are a difference of strengths plus a rest that sums to 0 for each entrant
(the combinatorial Hodge decomposition: Jiang, Lim, Yao & Ye 2011, Mathematical Programming 127;
Balduzzi et al. 2018, "Re-evaluating Evaluation", call it the cyclic part of mElo). Under
Bradley-Terry the rest is 0, so its test is the goodness of fit of the ratings.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, stdtrit

from arena.statistics.choice_model import Floats
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.squares import length_by_test


@dataclass(frozen=True)
class Circular:
    """The circular part of every pair (k, k) in log odds, row against column, with 95 % intervals.

    share: of the summed squares of all log odds, less what chance alone would give; between 0 and
    1. p_value: of the hypothesis that there is none, by deals; nan where the deals are too few. size,
    size_low, size_high: root mean square of the parts, with the interval of that test.
    """

    part: Floats
    low: Floats
    high: Floats
    share: float
    p_value: float
    size: float
    size_low: float
    size_high: float


def circular_parts(amounts: Floats, trials: Floats, deals: int) -> Circular | None:
    """Return the circular parts of the scores amounts / trials (batches, k, k) of each pair.

    None where two have not met or one has won, or lost, every match of a pair: its log odds are
    infinite; and where there are fewer than 10 deals or 3 entrants.
    """
    batches, size = amounts.shape[:2]
    met, got = trials.sum(axis=0), amounts.sum(axis=0)
    apart = ~np.eye(size, dtype=bool)
    if size < 3 or deals < FEWEST_DEALS or (met[apart] <= 0).any():
        return None
    score = np.where(apart, got / np.where(apart, met, 1.0), 0.5)
    if (score[apart] <= 0).any() or (score[apart] >= 1).any():
        return None
    parts = (amounts - score * trials) / np.where(apart, met, 1.0) / (score * (1 - score))
    odds = np.log(score / (1 - score))
    part, moved = circular(odds), circular(np.where(apart, parts, 0.0))
    upper = np.triu_indices(size, 1)
    rests = moved[:, upper[0], upper[1]]
    covariance = rests.T @ rests * (batches / max(batches - 1, 1))
    half = np.zeros((size, size))
    half[upper] = stdtrit(deals - 1, 0.975) * np.sqrt(np.diag(covariance))
    half += half.T
    noise = float(np.trace(covariance))
    plain = np.where(apart, parts, 0.0)[:, upper[0], upper[1]]
    whole = float((odds[upper] ** 2).sum() - (plain**2).sum())
    share = (float((part[upper] ** 2).sum()) - noise) / whole if whole > 0 else 0.0
    return Circular(
        part,
        part - half,
        part + half,
        min(max(share, 0.0), 1.0),
        *_fit_test(part[upper], covariance, batches, (size - 1) * (size - 2) // 2),
    )


def circular(matrix: Floats) -> Floats:
    """Return antisymmetric matrices (..., k, k) less the differences of their row means."""
    strength = matrix.mean(axis=-1)
    return np.asarray(matrix - (strength[..., :, None] - strength[..., None, :]))


def _fit_test(
    part: Floats, covariance: Floats, batches: int, rank: int
) -> tuple[float, float, float, float]:
    """Return Hotelling's p of parts that are all 0, in the directions that circles can have, and their size."""
    seen = float(np.sqrt((part**2).mean()))
    if batches <= rank + 1:
        return np.nan, seen, np.nan, np.nan
    spread, axes = np.linalg.eigh(covariance)
    along, spread = (axes.T @ part)[-rank:], spread[-rank:]
    if spread.min() <= 1e-12 * spread.max():
        return np.nan, seen, np.nan, np.nan
    squared = float((along**2 / spread).sum())
    ratio = (batches - rank) / (rank * (batches - 1)) * squared
    p_value = float(fdtrc(rank, batches - rank, ratio))
    return p_value, seen, *length_by_test(seen, squared, rank, batches)
