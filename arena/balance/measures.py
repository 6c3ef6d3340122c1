"""Measures that results alone give: order of play, outcome, length. Each is a function of sums over deals.

Random bots are left out where others play: what they do says little about the game.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.balance.inference import Statistic, estimate
from arena.balance.samples import Sample
from arena.statistics.choice_model import Floats

SHARE, ELO = "share", "Elo"  # units that margins of equivalence know; all others are relative

MEASURES = (
    *("game", "variant", "players", "section", "measure", "unit", "value", "low", "high"),
    *("deals", "matches"),
)


@dataclass(frozen=True)
class Measure:
    """One number about a sample. matches: how many it rests on."""

    section: str
    name: str
    unit: str
    statistic: Statistic
    matches: int

    @property
    def key(self) -> tuple[str, str]:
        """What it is called, equal for all variants."""
        return self.section, self.name

    def row(self) -> dict[str, Any]:
        """Its row of the table of measures."""
        found = estimate(self.statistic)
        return {
            "section": self.section,
            "measure": self.name,
            "unit": self.unit,
            "value": found.value,
            "low": found.low,
            "high": found.high,
            "deals": found.deals,
            "matches": self.matches,
        }


def share_of(sample: Sample, section: str, name: str, flags: Any, rows: Any = None) -> Measure:
    """The share of matches (m,) that a flag, or a number between 0 and 1, adds up to."""
    statistic = sample.statistic((flags, np.ones(sample.size)), share=True, rows=rows)
    return Measure(section, name, SHARE, statistic, counted(sample, rows))


def mean_of(sample: Sample, section: str, name: str, unit: str, values: Any) -> Measure:
    """The mean over matches of one number each (m,)."""
    return Measure(
        section, name, unit, sample.statistic((values, np.ones(sample.size))), sample.size
    )


def counted(sample: Sample, rows: Any) -> int:
    """How many matches a measure rests on."""
    return sample.size if rows is None else int(np.count_nonzero(rows))


# --- order of play --------------------------------------------------------------------------------


def seat_measures(sample: Sample) -> Iterator[Measure]:
    """Win share of each side in order of play where bots play themselves (one fewer than sides)."""
    rows = sample.alone
    if sample.sides < 2 or not rows.any():
        return
    for side in range(sample.sides - 1 if sample.sides == 2 else sample.sides):
        name = f"win share of {side_name(sample, side)}"
        yield share_of(sample, "seats", name, sample.shares[:, side], rows)


def side_name(sample: Sample, side: int) -> str:
    """A side in words, numbered from 1 in order of play."""
    seats = [seat + 1 for seat, own in enumerate(sample.group.team) if own == side]
    if sample.sides == sample.group.players:
        return f"player {seats[0]}"
    return f"side {side + 1} (players {' and '.join(map(str, seats))})"


# --- outcome --------------------------------------------------------------------------------------


def outcome_measures(sample: Sample) -> Iterator[Measure]:
    """Points, winning margin, ties, caps and end reasons of all matches."""
    group = sample.group
    yield mean_of(sample, "outcome", "points of a player", "points", group.points.mean(axis=1))
    if sample.sides > 1:
        yield mean_of(sample, "outcome", "winning margin", "points", winning_margin(sample))
        yield share_of(sample, "outcome", "shared first place", shared_first(sample))
    else:
        yield share_of(sample, "outcome", "target beaten", sample.shares[:, 0])
    yield share_of(sample, "outcome", "stopped by a cap", group.capped)
    reasons = sample.words("reason")
    for reason in sorted(set(reasons)):
        yield share_of(sample, "outcome", f"ends by {reason.replace('_', ' ')}", reasons == reason)


def winning_margin(sample: Sample) -> Floats:
    """(m,): points of the best first side less those of the best other one; 0 where first is shared."""
    points = side_points(sample)
    first = sample.shares > 0
    best = np.where(first, points, -np.inf).max(axis=1)
    rest = np.where(first, -np.inf, points).max(axis=1)
    alone = first.sum(axis=1) == 1
    return np.where(alone & np.isfinite(rest), best - rest, 0.0)


def side_points(sample: Sample) -> Floats:
    """(m, sides): mean points of each side's players."""
    team = np.array(sample.group.team)
    sides = range(sample.sides)
    return np.stack([sample.group.points[:, team == side].mean(axis=1) for side in sides], axis=1)


def shared_first(sample: Sample) -> Any:
    """(m,): whether several sides share the first place."""
    return (sample.shares > 0).sum(axis=1) > 1


# --- length ---------------------------------------------------------------------------------------


def length_measures(sample: Sample) -> Iterator[Measure]:
    """Turns, decisions and how many actions were forced."""
    turns, decisions = sample.column("turns"), sample.column("decisions")
    forced = sample.column("forced")
    yield mean_of(sample, "length", "turns", "turns", turns)
    each = decisions / sample.group.players
    yield mean_of(sample, "length", "decisions of a player", "decisions", each)
    statistic = sample.statistic((forced, forced + decisions), share=True)
    yield Measure("length", "forced actions", SHARE, statistic, sample.size)


# --- distributions --------------------------------------------------------------------------------

DISTRIBUTIONS = ("game", "variant", "players", "quantity", "value", "matches", "share")


def distributions(sample: Sample) -> Iterator[dict[str, Any]]:
    """How often each number of points of a player, and each number of turns, occurred."""
    for quantity, values in (
        ("points", sample.group.points.ravel()),
        ("turns", sample.column("turns")),
        ("decisions", sample.column("decisions")),
    ):
        seen, counts = np.unique(values, return_counts=True)
        for value, count in zip(seen, counts, strict=True):
            yield {
                **sample.key,
                "quantity": quantity,
                "value": value,
                "matches": int(count),
                "share": count / max(len(values), 1),
            }
