"""Which option moves which measure: the variants of one step side by side, by least squares on their options.

Every value of an option is held against the printed one (or the first that was tried), all other options alike; of an
option with many values the change from its lowest to its highest is told. Variants share their deals, so an effect is
a weighted sum of measures whose parts by deal add up: the deal is the unit of its interval. It is an average over the
variants that were tried: options that act only together are not told apart. Benjamini-Hochberg over all of them.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from arena.balance.inference import Ends, influence
from arena.statistics.choice_model import Floats
from arena.statistics.claims import Claim, claim
from arena.statistics.families import discoveries
from arena.statistics.resampling import FEWEST_DEALS
from arena.tune.space import AnyOf, Dimension, Point, worded
from arena.tune.variants.front import Step, Tried
from arena.tune.variants.near import is_numbers, plain
from arena.tune.variants.readings import Reading, margin_of
from arena.tune.variants.targets import Target
from arena.tune.variants.wanted import Wanted

MOST_LEVELS = 6  # of an option; with more its numbers are taken as a line
FEWEST_LEFT = 5  # variants beyond those that the effects alone explain
TINY = 1e-9


@dataclass(frozen=True)
class Contrast:
    """A change of one option, and the weights (variants,) with which their values add up to its effect."""

    option: str
    change: str
    weights: Floats


@dataclass(frozen=True)
class Effect:
    """What a change of one option does to a target's measure, with its claim at the family's confidence."""

    target: Target
    players: int
    what: str
    option: str
    change: str
    claim: Claim


def effects(wanted: Wanted, step: Step) -> tuple[Effect, ...]:
    """All effects that the variants of a step tell, the surest first in each measure."""
    possible = [one for one in step.tried if one.possible]
    found = []
    for name in dict.fromkeys(key for one in possible for key in keys_of(one)):
        rows = [(one.point, reading) for one in possible for reading in named(one, name)]
        found += list(estimated(wanted, rows))
    p_values = [p for _, _, _, _, p, _ in found]
    _, confidence = discoveries(p_values)
    made = [
        Effect(
            reading.target,
            reading.players,
            reading.what,
            contrast.option,
            contrast.change,
            claim(
                value,
                ends(confidence),
                deals=deals,
                method="least squares by deals",
                margin=margin_of(reading.target, wanted.spec.margins),
            ),
        )
        for reading, contrast, value, deals, _, ends in found
    ]
    return tuple(made)


def keys_of(one: Tried) -> Iterator[tuple[str, int, str]]:
    """What tells the readings of a variant apart."""
    return ((r.target.name, r.players, r.what) for r in one.readings if usable(r))


def named(one: Tried, key: tuple[str, int, str]) -> Iterator[Reading]:
    """The reading of a variant with this key."""
    return (r for r in one.readings if (r.target.name, r.players, r.what) == key and usable(r))


def usable(reading: Reading) -> bool:
    """Whether a reading is a number with parts by deal."""
    statistic = reading.statistic
    return (
        statistic is not None
        and statistic.smooth
        and statistic.deals >= FEWEST_DEALS
        and math.isfinite(reading.value)
    )


Row = tuple[Reading, Contrast, float, int, float, Any]


def estimated(wanted: Wanted, rows: Sequence[tuple[Point, Reading]]) -> Iterator[Row]:
    """The effects on one measure: reading, contrast, value, deals, p, ends at a confidence.

    The standard error is the larger of that by deals, and of that by what the effects leave unexplained of the
    variants, which tells of options that act only together.
    """
    points, read = [point for point, _ in rows], [reading for _, reading in rows]
    parts = [influence(reading.statistic) for reading in read if reading.statistic is not None]
    if len({len(part) for part in parts}) != 1:
        return  # not the same deals
    by_deal = np.stack(parts)  # (variants, deals), each row adds up to its value
    design = designed(wanted, points)
    left = len(points) - np.linalg.matrix_rank(design.columns)
    if left < FEWEST_LEFT:
        return
    values = by_deal.sum(axis=1)
    rest = values - design.columns @ (design.inverse @ values)
    unexplained = float(rest @ rest) / left
    deals = read[0].deals
    freedom = min(deals - 1, left)
    for contrast in contrasts(design):
        told = contrast.weights @ by_deal
        spread = spread_of(told, unexplained, contrast.weights)
        value = float(told.sum())
        if abs(value) <= TINY * max(1.0, float(np.abs(values).max())):
            value = 0.0
        ends = functools.partial(ends_of, value, spread, freedom)
        p = two_sided(value, spread, freedom)
        yield read[0], contrast, value, deals, p, ends


def spread_of(told: Floats, unexplained: float, weights: Floats) -> float:
    """The standard error of a weighted sum of variants' values; told (deals,): its parts."""
    columns = len(told)
    by_deal = columns / (columns - 1) * float(((told - told.mean()) ** 2).sum())
    found = float(np.sqrt(max(by_deal, unexplained * float(weights @ weights))))
    return found if found > TINY else 0.0


def two_sided(value: float, spread: float, freedom: int) -> float:
    """Student's p; of what never varies 0 or 1."""
    if spread <= 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * stdtr(freedom, -abs(value) / spread))


def ends_of(value: float, spread: float, freedom: int, confidence: float) -> Ends:
    """Student's interval."""
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * spread
    return value - half, value + half


# --- the design -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Design:
    """The columns (variants, c) of a regression on options, their inverse, and the change that each stands for."""

    columns: Floats
    inverse: Floats
    changes: tuple[
        tuple[str, str, float], ...
    ]  # of the columns behind the first: option, change, times


def designed(wanted: Wanted, points: Sequence[Point]) -> Design:
    """The options of some variants as columns."""
    found = [
        each for one in wanted.space.dimensions for each in levels(one, wanted.printed, points)
    ]
    columns = np.stack([np.ones(len(points)), *(column for _, _, column, _ in found)], axis=1)
    changes = tuple((option, change, times) for option, change, _, times in found)
    return Design(columns, np.linalg.pinv(columns), changes)


def contrasts(design: Design) -> Iterator[Contrast]:
    """The changes of options that these variants tell apart, each as weights of the variants (n,)."""
    told = (
        design.inverse @ design.columns
    )  # the identity where each column can be told from the others
    for place, (option, change, times) in enumerate(design.changes, 1):
        alone = np.zeros(len(told))
        alone[place] = 1.0
        if np.allclose(told[place], alone, atol=1e-6):
            yield Contrast(option, change, times * design.inverse[place])


Level = tuple[str, str, Floats, float]


def levels(one: Dimension, printed: Point, points: Sequence[Point]) -> Iterator[Level]:
    """The columns of an option: name, change in words, column (n,), times."""
    if isinstance(one, AnyOf):
        for item in one.options:
            column = np.array([float(item in point[one.name]) for point in points])
            if 0 < column.sum() < len(points):
                yield f"{one.name}: {worded(item)}", "in, not out", column, 1.0
        return
    values = [plain(point[one.name]) for point in points]
    seen = sorted(set(values), key=lambda value: (not is_numbers(value), str(value)))
    if all(is_numbers(v) and not isinstance(v, tuple) for v in seen):
        seen = sorted(seen)
    if len(seen) > MOST_LEVELS and all(isinstance(v, int | float) for v in seen):
        column = np.array([float(value) for value in values])
        change = f"from {worded(seen[0])} to {worded(seen[-1])}"
        yield one.name, change, column, float(seen[-1]) - float(seen[0])
        return
    base = plain(printed[one.name])
    base = base if base in seen else seen[0]
    for value in seen:
        if value != base:
            column = np.array([float(each == value) for each in values])
            yield one.name, f"from {worded(base)} to {worded(value)}", column, 1.0
