"""Claims: what may be said about a number, given its interval, a margin and the deals behind it.

A claim has one of four outcomes. Test and interval come from one method (the interval is the test),
so that they cannot disagree:

* differs: the interval lies on one side of the reference;
* equivalent: the interval lies within the margin around it (not significantly different is not the
  same as equal; Schuirmann 1987 gets there with the 90 % interval, this with the one shown);
* undecided: neither; so many more deals would tell;
* too few deals: fewer than 10, or no interval.

Power: intervals shrink with the root of the deals, so an interval of half width h after n deals
says how many separate a difference d: n (h / d)^2 for an even chance, POWERED times as many for a
chance of 80 %.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from arena.statistics.choice_model import Floats
from arena.statistics.resampling import FEWEST_DEALS

Outcome = Literal["differs", "equivalent", "undecided", "too few deals"]

POWER = 0.8
MOST = 1_000_000_000  # deals that anybody would count
ELO_GAP = 20.0  # what is worth knowing of two bots
POINTS_GAP = 0.03  # and of a share


@dataclass(frozen=True)
class Claim:
    """What may be said about an estimate.

    estimate, low, high: the number and its interval, nan below 10 deals, infinite ends possible.
    reference: what it is compared with. margin: a difference from it that would not matter, 0 if
    every one does. deals: how many it rests on. method: where interval and test come from.
    more_deals: about how many more would tell, 0 where it is decided, nan where nobody knows.
    """

    estimate: float
    low: float
    high: float
    reference: float
    margin: float
    deals: int
    method: str
    outcome: Outcome
    more_deals: float

    @property
    def above(self) -> bool:
        """Whether the estimate is above the reference; of a claim that differs, the side that is sure."""
        return self.estimate > self.reference


def claim(
    estimate: float,
    interval: tuple[float, float],
    *,
    deals: int,
    method: str,
    reference: float = 0.0,
    margin: float = 0.0,
) -> Claim:
    """Return the claim that an estimate and its interval allow.

    An interval outside the reference differs, even if it also lies within the margin: that there is
    a difference is sure then, and the interval says that it is small.

    Raises:
        ValueError: an interval that does not hold its estimate, or a negative margin.
    """
    low, high = interval
    if margin < 0:
        raise ValueError(f"margin: {margin}, expected 0 or more")
    if math.isnan(low) or math.isnan(high) or math.isnan(estimate) or deals < FEWEST_DEALS:
        outcome: Outcome = "too few deals"
        more = float(max(FEWEST_DEALS - deals, 0)) or math.nan
        return Claim(estimate, low, high, reference, margin, deals, method, outcome, more)
    if not low <= estimate <= high:
        raise ValueError(f"the interval [{low}, {high}] does not hold {estimate}")
    if low > reference or high < reference:
        outcome, more = "differs", 0.0
    elif reference - margin < low and high < reference + margin:
        outcome, more = "equivalent", 0.0
    else:
        outcome, more = "undecided", _more(estimate, interval, reference, margin, deals)
    return Claim(estimate, low, high, reference, margin, deals, method, outcome, more)


def _more(
    estimate: float, interval: tuple[float, float], reference: float, margin: float, deals: int
) -> float:
    """Return about how many more deals would decide, were the estimate the truth."""
    change = estimate - reference
    half = max(interval[1] - estimate, estimate - interval[0])
    targets = abs(change), margin - abs(change)  # half widths that tell apart, or within the margin
    return _more_for(half, max(targets), deals)


def aimed(
    estimate: float,
    interval: tuple[float, float],
    *,
    deals: int,
    method: str,
    least: float = -math.inf,
    most: float = math.inf,
) -> Claim:
    """Return the claim that a number lies in a range, ends included.

    Equivalent: the interval lies within the range, so the aim is met. Differs: it lies beside it, the
    aim is missed. The reference is the end of the range that is nearest to the estimate.

    Raises:
        ValueError: an interval that does not hold its estimate, or a range whose ends are exchanged.
    """
    low, high = interval
    if least > most:
        raise ValueError(f"from {least} to {most}: no such range")
    if math.isnan(low) or math.isnan(high) or math.isnan(estimate) or deals < FEWEST_DEALS:
        outcome: Outcome = "too few deals"
        more = float(max(FEWEST_DEALS - deals, 0)) or math.nan
        return Claim(estimate, low, high, math.nan, 0.0, deals, method, outcome, more)
    if not low <= estimate <= high:
        raise ValueError(f"the interval [{low}, {high}] does not hold {estimate}")
    reference = least if abs(estimate - least) <= abs(estimate - most) else most
    if least <= low and high <= most:
        outcome, more = "equivalent", 0.0
    elif low > most or high < least:
        outcome, more = "differs", 0.0
    else:
        outcome = "undecided"
        half = estimate - low if reference < estimate else high - estimate
        more = _more_for(half, abs(estimate - reference), deals)
    return Claim(estimate, low, high, reference, 0.0, deals, method, outcome, more)


def _more_for(half: float, target: float, deals: int) -> float:
    """Return about how many more deals make a half width as small as the target."""
    if not math.isfinite(half) or target <= 0:
        return math.nan
    return float(min(max(math.ceil(deals * (half / target) ** 2) - deals, 1), MOST))


def deals_to_separate(
    difference: float, half_width: float, deals: int, power: float = POWER
) -> float:
    """Return how many deals would show this difference with a chance of `power`.

    half_width: of a 95 % interval of the same number after so many deals; nan where it is unknown.
    """
    if not (math.isfinite(half_width) and half_width > 0 and difference > 0):
        return math.nan
    reach = float(ndtri(0.975))
    factor = ((reach + float(ndtri(power))) / reach) ** 2
    return float(min(max(math.ceil(deals * factor * (half_width / difference) ** 2), 1), MOST))


def deals_for_share(
    difference: float, matches: float, effect: float = 1.0, share: float = 0.5, power: float = POWER
) -> float:
    """Return how many deals would show that a share differs by this much.

    matches: that one deal adds. effect: the design effect of deals, 1 for independent matches.
    """
    half = float(ndtri(0.975)) * math.sqrt(share * (1 - share) * effect / matches)
    return deals_to_separate(difference, half, 1, power)


def deals_for_elo(
    difference: float, matches: float, effect: float = 1.0, power: float = POWER
) -> float:
    """Return how many deals would tell two bots of about equal strength apart by their matches alone."""
    score = 1 / (1 + 10 ** (-difference / 400))
    return deals_for_share(score - 0.5, matches, effect, power=power)


def elo_half_width(low: Floats, high: Floats) -> float:
    """Return the median half width of intervals of differences in Elo, nan without one."""
    halves = (np.asarray(high, dtype=np.float64) - np.asarray(low, dtype=np.float64)) / 2
    halves = halves[np.isfinite(halves)]
    return float(np.median(halves)) if halves.size else math.nan
