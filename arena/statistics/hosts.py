"""Whether machines play alike: results and times of each against those of the others, corrected for many.

Within each stratum (a line-up) values of a machine are compared with a random draw from the stratum: their mean has the
permutation variance. Squares add up to a chi-square over strata for results; times differ in one direction if a machine
is slow, so there the standardised differences add up before they are squared. Holm's correction is over all tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.families import holm

FEWEST = 10  # values of a machine in a stratum, and of the others there


@dataclass(frozen=True)
class Misfit:
    """A machine that does not fit. what: "results" or "times". ratio: of times, how many times those of others."""

    machine: int
    what: str
    statistic: float
    freedom: int
    p: float
    ratio: float = 1.0


def misfits(
    machines: Integers, strata: Integers, scores: Floats, times: Floats, alpha: float = 0.05
) -> list[Misfit]:
    """Return the machines that do not fit at this error for all tests together.

    Args:
        machines, strata: of each unit (n,), a deal as a machine played it. scores: what the first
            entrant won of it. times: log seconds a decision; nan where nobody had to decide.
    """
    found: list[Misfit] = []
    for machine in np.unique(machines).tolist():
        own = machines == machine
        z = standardised(own, strata, scores)
        if z.size:
            statistic = float((z**2).sum())
            p = float(chdtrc(z.size, statistic))
            found.append(Misfit(machine, "results", statistic, int(z.size), p))
        timed = np.isfinite(times)
        z = standardised(own[timed], strata[timed], times[timed])
        if z.size:
            statistic = float(z.sum() ** 2 / z.size)
            ratio = gap(own[timed], strata[timed], times[timed])
            p = float(chdtrc(1, statistic))
            found.append(Misfit(machine, "times", statistic, 1, p, float(np.exp(ratio))))
    adjusted, _ = holm([one.p for one in found])
    pairs = zip(found, adjusted.tolist(), strict=True)
    return [
        Misfit(one.machine, one.what, one.statistic, one.freedom, p, one.ratio)
        for one, p in pairs
        if p < alpha
    ]


def strata_of(own: Sequence[bool] | Floats, strata: Integers) -> list[Integers]:
    """Return where each stratum lies in which a machine and the others have enough values."""
    flags, found = np.asarray(own, dtype=bool), []
    for stratum in np.unique(strata).tolist():
        here = np.flatnonzero(strata == stratum)
        count = int(flags[here].sum())
        if count >= FEWEST and len(here) - count >= FEWEST:
            found.append(here)
    return found


def standardised(own: Floats, strata: Integers, values: Floats) -> Floats:
    """Return a machine's mean against a random draw from each stratum, in standard errors (k,)."""
    found = []
    for here in strata_of(own, strata):
        mine, every = values[here][own[here].astype(bool)], values[here]
        variance = every.var(ddof=1) / len(mine) * (1 - len(mine) / len(every))
        if variance > 0:
            found.append((mine.mean() - every.mean()) / np.sqrt(variance))
    return np.array(found, dtype=np.float64)


def gap(own: Floats, strata: Integers, values: Floats) -> float:
    """Return by how much a machine's mean is above that of the others, on average over strata."""
    found = [
        values[here][own[here].astype(bool)].mean() - values[here][~own[here].astype(bool)].mean()
        for here in strata_of(own, strata)
    ]
    return float(np.mean(found)) if found else 0.0
