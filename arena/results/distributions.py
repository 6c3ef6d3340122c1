"""How points, lengths, budgets and variants spread: tidy tables like those of `tables`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from arena.plan.tournament import Entrant
from arena.results.groups import Group, Results
from arena.results.report import records
from arena.results.sums import key_of, tidy, totals
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import batches_of
from arena.statistics.shares import means_by_deal

Options: TypeAlias = tuple[tuple[str, Any], ...]

KEY = ("game", "variant", "players")
MOST_BARS = 30
QUANTILES = {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}
BUDGETS = ("simulations", "seconds")

POINTS = (*KEY, "entrant", "seats", "mean", "lowest", *QUANTILES, "highest")
POINT_BARS = (*KEY, "entrant", "points_from", "points_to", "seats", "share")
LENGTHS = (*KEY, "turns_from", "turns_to", "matches", "share")
BUDGET_COLUMNS = (*KEY, "family", "budget", "amount", "entrant", "elo", "elo_low", "elo_high")
VARIANTS = (*KEY, "measure", "unit", "value", "low", "high", "deals")


def points(results: Results) -> pd.DataFrame:
    """Return one row for each entrant of each group: quantiles of its points at the end of a match."""
    return tidy([_points(group) for group in results.groups], POINTS)


def point_bars(results: Results) -> pd.DataFrame:
    """Return a histogram of points for each entrant of each group, with the same bars for all.

    A bar holds points_from .. points_to, both counted; empty ones are left out. share: of the
    entrant's seats.
    """
    return tidy([_point_bars(group) for group in results.groups], POINT_BARS)


def lengths(results: Results) -> pd.DataFrame:
    """Return a histogram of turns for each group; a bar holds turns_from .. turns_to, both counted."""
    return tidy([_lengths(group, results.matches) for group in results.groups], LENGTHS)


def budgets(standings: pd.DataFrame, entrants: Iterable[Entrant]) -> pd.DataFrame:
    """Return the Elo of entrants that differ in nothing but their budget, by family and amount.

    family: the bot with the parameters that set it apart from others of its kind. Families of one
    are left out.
    """
    named = {entrant.name: entrant for entrant in entrants}
    rows: list[dict[str, Any]] = []
    for row in records(standings[standings["elo"].notna()]):
        params = named[row["entrant"]].params if row["entrant"] in named else {}
        rest = tuple((k, v) for k, v in params.items() if k not in BUDGETS)
        for budget in BUDGETS:
            if params.get(budget) is not None:
                kind = named[row["entrant"]].bot, rest
                rows.append({**row, "kind": kind, "budget": budget, "amount": params[budget]})
    if not rows:
        return pd.DataFrame(columns=list(BUDGET_COLUMNS))
    frame = pd.DataFrame(rows).assign(family=family_names([row["kind"] for row in rows]))
    together = frame.groupby([*KEY, "family", "budget"])["amount"]
    frame = frame[together.transform("nunique") > 1].sort_values(
        [*KEY, "family", "budget", "amount"]
    )
    return frame[list(BUDGET_COLUMNS)].reset_index(drop=True)


def variants(results: Results) -> pd.DataFrame:
    """Return measures of each variant of a game that was played in several, with 95 % intervals.

    Measures: win share of the first player, shared first places, turns and decisions of a match.
    Intervals take the deal as the unit; they are of each variant, not of differences.
    """
    groups = results.groups
    kinds = [(group.game, group.players) for group in groups]
    several = [group for group in groups if kinds.count((group.game, group.players)) > 1]
    return tidy([_variant(group, results.matches) for group in several], VARIANTS)


def _points(group: Group) -> Mapping[str, Any]:
    if group.pooled is not None:
        return _pooled_points(group)
    entrant = group.sides.ravel()
    order = np.argsort(entrant, kind="stable")
    sat = np.bincount(entrant, minlength=len(group.names))
    present = np.flatnonzero(sat)
    parts = np.split(group.points.ravel()[order], np.cumsum(sat)[:-1])
    own = [parts[number] for number in present]
    return {
        **key_of(group),
        "entrant": [group.names[number] for number in present],
        "seats": sat[present],
        "mean": [part.mean() for part in own],
        "lowest": [part.min() for part in own],
        **{name: [np.quantile(part, q) for part in own] for name, q in QUANTILES.items()},
        "highest": [part.max() for part in own],
    }


def _pooled_points(group: Group) -> Mapping[str, Any]:
    assert group.pooled is not None
    entrant, points, seats = group.pooled.points
    present = np.unique(entrant)
    own = [(points[entrant == one], seats[entrant == one]) for one in present]
    return {
        **key_of(group),
        "entrant": [group.names[number] for number in present],
        "seats": [int(counts.sum()) for _, counts in own],
        "mean": [float(values @ counts / counts.sum()) for values, counts in own],
        "lowest": [float(values.min()) for values, _ in own],
        **{name: [counted_quantile(*each, q) for each in own] for name, q in QUANTILES.items()},
        "highest": [float(values.max()) for values, _ in own],
    }


def counted_quantile(values: Integers, counts: Integers, share: float) -> float:
    """Return the quantile of values, ascending, that occur so often: as `np.quantile` of all of them."""
    ends = np.cumsum(counts)
    place = share * (int(ends[-1]) - 1)
    low, high = np.searchsorted(ends, [np.floor(place), np.ceil(place)], side="right")
    return float(values[low] + (values[high] - values[low]) * (place - np.floor(place)))


def _point_bars(group: Group) -> Mapping[str, Any]:
    if group.pooled is not None:
        side, points, seats = group.pooled.points
    else:
        side, points = group.sides.ravel(), group.points.astype(np.int64).ravel()
        seats = np.ones(len(points), np.int64)
    width = bar_width(int(points.max() - points.min()) + 1)
    bar = points // width
    lowest, bars = int(bar.min()), int(bar.max() - bar.min()) + 1
    counts = np.bincount(side * bars + bar - lowest, seats).astype(np.int64)
    found = np.flatnonzero(counts)
    entrant, bar = np.divmod(found, bars)
    sat = np.bincount(side, seats).astype(np.int64)
    return {
        **key_of(group),
        "entrant": np.array(group.names, dtype=object)[entrant],
        "points_from": (bar + lowest) * width,
        "points_to": (bar + lowest + 1) * width - 1,
        "seats": counts[found],
        "share": counts[found] / sat[entrant],
    }


def _lengths(group: Group, stored: pd.DataFrame) -> Mapping[str, Any]:
    if group.pooled is not None:
        turns, matches = group.pooled.turns
    else:
        turns = _column(group, stored, "turns").astype(np.int64)
        matches = np.ones(len(turns), np.int64)
    width = bar_width(int(turns.max() - turns.min()) + 1)
    bar = turns // width
    counts = np.bincount(bar - bar.min(), matches).astype(np.int64)
    first = (np.arange(counts.size) + bar.min()) * width
    return {
        **key_of(group),
        "turns_from": first,
        "turns_to": first + width - 1,
        "matches": counts,
        "share": counts / counts.sum(),
    }


def bar_width(values: int) -> int:
    """Return 1, 2, 5, 10, 20, ...: the narrowest bars of which MOST_BARS hold this many values."""
    width, factors = 1, (2, 2.5, 2)
    step = 0
    while width * MOST_BARS < values:
        width = round(width * factors[step % 3])
        step += 1
    return width


def family_names(families: Sequence[tuple[str, Options]]) -> list[str]:
    """Return the kind of bot of each, with the parameters in which its kind differs."""
    kinds: dict[str, list[Options]] = {}
    for kind, options in families:
        kinds.setdefault(kind, []).append(options)
    names = []
    for kind, options in families:
        own = [f"{k}={v}" for k, v in options if any((k, v) not in o for o in kinds[kind])]
        names.append(f"{kind}:{','.join(own)}".rstrip(":"))
    return names


def _variant(group: Group, stored: pd.DataFrame) -> Mapping[str, Any]:
    if group.pooled is not None:
        return _pooled_variant(group)
    group = group.kept(group.counted)
    even = group.blocks
    measures: list[tuple[str, str, Floats, Integers]] = []
    if group.players > 1 and len(even.rows):
        measures.append(("first player wins", "%", 100 * even.win_shares[:, 0], even.deals))
    if len(group.leaders) > 1:
        shared = (group.ranks[:, group.leaders] == 1).sum(axis=1) > 1
        measures.append(("first place shared", "%", 100.0 * shared, group.deals))
    for name in ("turns", "decisions"):
        measures.append((f"{name} a match", name, _column(group, stored, name), group.deals))
    found = [_mean(values, deals) for _, _, values, deals in measures]
    return _told(group, [measure[:2] for measure in measures], found)


def _pooled_variant(group: Group) -> Mapping[str, Any]:
    """Return the same from cells; turns and decisions come by group of deals."""
    assert group.pooled is not None
    measures, found = [], []
    even, whole = group.blocks, group.pooled
    if group.players > 1 and even.matches:
        measures.append(("first player wins", "%"))
        found.append(_cell_mean(even, 100 * even.win_shares[:, 0]))
    if len(group.leaders) > 1:
        shared = (group.ranks[:, group.leaders] == 1).sum(axis=1) > 1
        measures.append(("first place shared", "%"))
        found.append(_cell_mean(group, 100.0 * shared))
    counts = totals(whole.groups, group.weights[:, 0], len(whole.by_group[0]))
    for name, sums in zip(("turns", "decisions"), whole.by_group, strict=True):
        measures.append((f"{name} a match", name))
        mean, low, high = means_by_deal(sums[:, None], counts[:, None])
        found.append((float(mean[0]), float(low[0]), float(high[0]), whole.all_deals))
    return _told(group, measures, found)


def _cell_mean(group: Group, values: Floats) -> tuple[float, float, float, int]:
    """Return the mean of a match with its interval, and the number of deals, of cells."""
    assert group.pooled is not None
    weights, batches = group.weights[:, 0], batches_of(group.deals)
    sums = totals(batches.batch, values * weights, batches.columns)
    counts = totals(batches.batch, weights, batches.columns)
    mean, low, high = means_by_deal(sums[:, None], counts[:, None])
    return float(mean[0]), float(low[0]), float(high[0]), group.pooled.all_deals


def _told(
    group: Group,
    measures: Sequence[tuple[str, str]],
    found: Sequence[tuple[float, float, float, int]],
) -> Mapping[str, Any]:
    return {
        **key_of(group),
        "measure": [measure[0] for measure in measures],
        "unit": [measure[1] for measure in measures],
        "value": [mean for mean, _, _, _ in found],
        "low": [low for _, low, _, _ in found],
        "high": [high for _, _, high, _ in found],
        "deals": [deals for _, _, _, deals in found],
    }


def _mean(values: Floats, deals: Integers) -> tuple[float, float, float, int]:
    """Return the mean of a match with its interval, and the number of deals."""
    batches = batches_of(deals)
    sums = np.bincount(batches.batch, weights=values, minlength=batches.columns).astype(np.float64)
    counts = np.bincount(batches.batch, minlength=batches.columns).astype(np.float64)
    mean, low, high = means_by_deal(sums[:, None], counts[:, None])
    return float(mean[0]), float(low[0]), float(high[0]), batches.deals


def _column(group: Group, stored: pd.DataFrame, name: str) -> Floats:
    return stored[name].to_numpy(dtype=np.float64)[group.rows]
