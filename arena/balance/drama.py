"""Drama and choice, from re-played matches: who leads, for how long, and how much there is to decide.

Points are those the players would have if the game ended after that round of turns. What it does not show: a lead in
points need not be a lead in prospects, and a game that counts only at the end has no leads before it.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from arena.balance.measures import SHARE, Measure
from arena.balance.replays import MOST_LEGAL, Trace
from arena.balance.samples import Sample
from arena.statistics.choice_model import Floats

PROGRESS = ("game", "variant", "players", "progress", "winner", "others", "matches")
TENTHS = 10


def drama_measures(sample: Sample, traces: Sequence[Trace]) -> Iterator[Measure]:
    """Lead changes, when the winner took the lead for good, and how far winners were behind."""
    if sample.sides < 2 or not traces:
        return
    facts = np.array([story(t.points, s > 0) for t, s in zip(traces, sample.shares, strict=True)])
    sole = ~np.isnan(facts[:, 1])
    ones = np.ones(len(facts))
    yield drama(sample, "lead changes", "changes", (facts[:, 0], ones))
    known = np.nan_to_num(facts)
    late = (known[:, 1] * sole, sole)
    yield drama(sample, "winner leads for good from", SHARE, late, sole, share=True)
    behind = (known[:, 2] * sole, sole)
    yield drama(sample, "winner's largest deficit", "points", behind, sole)
    comeback = ((known[:, 2] > 0) & sole, sole)
    yield drama(sample, "winner was behind", SHARE, comeback, sole, share=True)


def drama(
    sample: Sample, name: str, unit: str, columns: Any, rows: Any = None, share: bool = False
) -> Measure:
    """A ratio over re-played matches."""
    used = sample.size if rows is None else int(rows.sum())
    return Measure("drama", name, unit, sample.statistic(columns, share=share), used)


def story(points: Floats, first: Any) -> tuple[float, float, float]:
    """(lead changes, part of the match after which the winner led for good, largest deficit).

    points (rounds, sides), first (sides,). The last two are nan where several sides are first. A tie for the lead
    ends no lead; who led before and leads after it has not lost it, for changes, but does not lead for good.
    """
    top = points.max(axis=1)
    leading = points == top[:, None]
    sole = leading.sum(axis=1) == 1
    leaders = leading.argmax(axis=1)[sole]
    changes = float(np.count_nonzero(np.diff(leaders)))
    if np.count_nonzero(first) != 1:
        return changes, np.nan, np.nan
    winner = int(np.argmax(first))
    ahead = sole & leading[:, winner]
    behind = np.flatnonzero(~ahead)
    settled = (behind[-1] + 1) / len(points) if behind.size else 0.0
    return changes, float(settled), float((top - points[:, winner]).max())


def choice_measures(sample: Sample, traces: Sequence[Trace]) -> Iterator[Measure]:
    """Legal actions at a decision: mean and 95th percentile, forced ones left out."""
    if not traces:
        return
    counts = np.stack([trace.legal for trace in traces])
    numbers = np.arange(MOST_LEGAL + 1)
    mean = sample.statistic((counts @ numbers, counts.sum(axis=1)))
    yield Measure("length", "legal actions at a decision", "actions", mean, sample.size)
    value = functools.partial(percentile, share=0.95)
    statistic = sample.statistic(counts, value, smooth=False)
    yield Measure("length", "legal actions, 95th percentile", "actions", statistic, sample.size)


def percentile(counts: Floats, share: float) -> Floats:
    """The smallest number below or at which lie so many of the counts (..., numbers)."""
    total = np.cumsum(counts, axis=-1)
    reached = total >= share * total[..., -1:]
    return np.asarray(reached.argmax(axis=-1), dtype=np.float64)


def progress_rows(sample: Sample, traces: Sequence[Trace]) -> Iterator[dict[str, Any]]:
    """Mean points of winners and of the others at each tenth of the match (sole winners only)."""
    rows: list[Floats] = []
    for trace, shares in zip(traces, sample.shares, strict=True):
        if sample.sides > 1 and np.count_nonzero(shares) == 1:
            at = np.ceil(np.linspace(0, 1, TENTHS + 1)[1:] * len(trace.points)).astype(int) - 1
            won = shares > 0
            rows.append(
                np.stack([trace.points[at][:, won].mean(1), trace.points[at][:, ~won].mean(1)])
            )
    means = np.mean(rows, axis=0) if rows else np.zeros((2, 0))
    for tenth, (winner, others) in enumerate(means.T, 1):
        yield {
            **sample.key,
            "progress": tenth / TENTHS,
            "winner": winner,
            "others": others,
            "matches": len(rows),
        }
