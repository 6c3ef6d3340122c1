"""How much skill and how much luck: the ladder of bots, and what the deal and the seat explain.

Neighbours on the ladder meet on equal deals in all seats. What it does not show: a game in which more thinking gains
nothing may be shallow, or may be one that this kind of search does not understand.
"""

import functools
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from arena.balance.inference import Statistic
from arena.balance.measures import ELO, SHARE, Measure
from arena.balance.samples import Sample
from arena.results.groups import Flags
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.contrasts import differences
from arena.statistics.placements import numbered
from arena.statistics.ratings import Ratings, rate
from arena.statistics.scale import ELO as ELO_UNIT
from arena.statistics.shares import elo_of_score, shares_by_deal

RUNGS = (
    *("game", "variant", "players", "rung", "bot", "matches", "deals", "elo", "elo_low"),
    *("elo_high", "below", "step", "step_low", "step_high", "beats_below", "beats_below_low"),
    *("beats_below_high",),
)


# --- the ladder -----------------------------------------------------------------------------------


def rung_rows(sample: Sample) -> Iterator[dict[str, Any]]:
    """One row for each bot, weakest first: Elo (mean 0) and the step up from the bot below."""
    mixed = sample.kept(~sample.alone)
    if not mixed.size:
        return
    ratings = rate(mixed.group.placements)
    order = [e for e in np.argsort(mixed.rungs, kind="stable") if mixed.rungs[e] >= 0]
    for place, entrant in enumerate(order):
        row = {
            **sample.key,
            "rung": place + 1,
            "bot": mixed.group.names[entrant],
            "matches": int(ratings.matches[entrant]),
            "deals": int(ratings.deals[entrant]),
            "elo": ratings.elo[entrant],
            "elo_low": ratings.low[entrant],
            "elo_high": ratings.high[entrant],
        }
        below = step(mixed, ratings, order[place - 1], entrant) if place else {}
        yield {**dict.fromkeys(RUNGS, np.nan), "below": "", **row, **below}


def step(sample: Sample, ratings: Ratings, below: int, above: int) -> dict[str, Any]:
    """What a rung is above the one below it, in Elo and in matches."""
    rise = ratings.elo[above] - ratings.elo[below]
    low = high = np.nan
    if ratings.spread is not None:
        found = differences(ratings.spread)
        low = min(rise, ELO_UNIT * found.low[above, below])
        high = max(rise, ELO_UNIT * found.high[above, below])
    met = meeting(sample, below, above)
    share = shares_by_deal(met.sums[:, :1], met.sums[:, 1:2]) if len(met.sums) else None
    beats = (share.share[0], share.low[0], share.high[0]) if share else (np.nan,) * 3
    columns = ("beats_below", "beats_below_low", "beats_below_high")
    return {
        "below": sample.group.names[below],
        "step": rise,
        "step_low": low,
        "step_high": high,
        **dict(zip(columns, beats, strict=True)),
    }


def meeting(sample: Sample, below: int, above: int) -> Statistic:
    """How often the bot above wins where just these two meet, as if each had one side."""
    return sample.statistic(
        met_sums(sample, below, above), share=True, rows=meets(sample, below, above)
    )


def meets(sample: Sample, below: int, above: int) -> Flags:
    """(m,): whether just these two sit at the table."""
    entrants = sample.entrants
    both = (entrants == below).any(axis=1) & (entrants == above).any(axis=1)
    return np.asarray(both & np.isin(entrants, (below, above)).all(axis=1))


def met_sums(sample: Sample, below: int, above: int) -> Floats:
    """(m, 2): wins of the bot above for each side it has, and these with those of the bot below."""
    entrants = sample.entrants
    won, lost = (
        (sample.shares * (entrants == one)).sum(axis=1)
        / np.maximum((entrants == one).sum(axis=1), 1)
        for one in (above, below)
    )
    return np.stack([won, won + lost], axis=1) * meets(sample, below, above)[:, None]


# --- measures -------------------------------------------------------------------------------------


def skill_measures(sample: Sample, budgets: Mapping[str, int]) -> Iterator[Measure]:
    """How often the stronger of two neighbours wins, Elo for a doubling of thinking, and luck.

    budgets: simulations of the bots that have some, by name, if they differ in nothing else.
    """
    if sample.sides < 2 or sample.alone.all():
        return
    mixed = sample.kept(~sample.alone)
    pairs = neighbours(mixed)
    for below, above in pairs:
        statistic = meeting(mixed, below, above)
        names = mixed.group.names
        name = f"{names[above]} wins against {names[below]}"
        yield Measure("skill", name, SHARE, statistic, matches_of(mixed, below, above))
    yield from doubling(mixed, pairs, budgets)
    if pairs:
        yield from luck(mixed.kept(meets(mixed, *pairs[-1])))


def neighbours(sample: Sample) -> list[tuple[int, int]]:
    """Entrants next to each other on the ladder, weaker first, that met alone."""
    order = [int(e) for e in np.argsort(sample.rungs, kind="stable") if sample.rungs[e] >= 0]
    return [(a, b) for a, b in pairwise(order) if matches_of(sample, a, b)]


def matches_of(sample: Sample, below: int, above: int) -> int:
    """At how many matches just these two sat."""
    return int(meets(sample, below, above).sum())


def doubling(
    sample: Sample, pairs: list[tuple[int, int]], budgets: Mapping[str, int]
) -> Iterator[Measure]:
    """Elo for twice the simulations, from the lowest to the highest budget."""
    names = sample.group.names
    chain = [(a, b) for a, b in pairs if names[a] in budgets and names[b] in budgets]
    doublings = sum(np.log2(budgets[names[b]] / budgets[names[a]]) for a, b in chain)
    if not doublings > 0:
        return
    parts = [met_sums(sample, a, b) for a, b in chain]
    value = functools.partial(elo_per_doubling, doublings=doublings)
    columns = np.concatenate(parts, axis=1)
    used = sum(matches_of(sample, a, b) for a, b in chain)
    yield Measure("skill", "Elo per doubling", ELO, sample.statistic(columns, value), used)


def elo_per_doubling(sums: Floats, doublings: float) -> Floats:
    """Elo of the steps of a chain together, half a win and half a loss added to each."""
    won, met = sums[..., 0::2], sums[..., 1::2]
    return np.asarray(elo_of_score((won + 0.5) / (met + 1)).sum(axis=-1) / doublings)


# --- luck -----------------------------------------------------------------------------------------


def luck(sample: Sample) -> Iterator[Measure]:
    """Shares of the variance of win shares between the two strongest: by bot, by seat, by deal.

    A random-effects decomposition (Searle, Casella & McCulloch 1992, chapter 4). The deal's part is the mean product
    of what two seatings of one deal leave over for the same seat: the luck that both seatings share (cards dealt,
    bags filled); what later chance decides stays in the rest. What a bot or a seat wins is summed by deal and squared
    inside the statistic, so that resampled deals move it: means fixed before gave intervals half as wide as needed.
    """
    number = cells(sample)
    count = int(number.max()) + 1
    tables = int(np.unique(sample.group.line_up).size)
    columns = variance_columns(sample, number, count)
    for name, part, smooth in (
        ("strength", strength_part, True),
        (
            "the seat",
            seat_part,
            False,
        ),  # near 0 a square has no gradient: its test would never reject
        ("the deal", deal_part, True),
    ):
        value = functools.partial(part, sides=sample.sides, tables=tables, count=count)
        statistic = sample.statistic(columns, value, smooth=smooth)
        yield Measure("skill", f"variance by {name}", SHARE, statistic, sample.size)


def variance_columns(sample: Sample, number: Integers, count: int) -> Floats:
    """(m, q): squares about par, 1, products of pairs and their number; seat totals; totals and sizes of cells."""
    share, sides = sample.shares, sample.sides
    about = share - 1 / sides
    rest = about - means_of(about, number) - about.mean(axis=0)
    products, pairs = pair_products(sample, rest)
    here = number[:, :, None] == np.arange(count)
    facts = [(about**2).sum(axis=1), np.ones(sample.size), products, pairs]
    return np.concatenate(
        [np.stack(facts, axis=1), about, (about[:, :, None] * here).sum(axis=1), here.sum(axis=1)],
        axis=1,
    )


def cells(sample: Sample) -> Integers:
    """(m, sides): a number for each entrant at each table of entrants."""
    code = sample.group.line_up[:, None] * len(sample.group.names) + sample.entrants
    return np.asarray(numbered(code.ravel())[1]).reshape(code.shape)


def means_of(values: Floats, cell: Integers) -> Floats:
    """The mean of each cell at each place (m, sides)."""
    flat = cell.ravel()
    totals = np.bincount(flat, weights=values.ravel())
    counts = np.bincount(flat)
    return np.asarray((totals / np.maximum(counts, 1))[flat]).reshape(values.shape)


def pair_products(sample: Sample, rest: Floats) -> tuple[Floats, Floats]:
    """(m,): products of what is left over in pairs of matches of one block, and how many pairs.

    Both stand at the first match of the block and count each pair once.
    """
    first = np.unique(sample.block, return_index=True)[1]
    number = numbered(sample.block)[1]
    counts = np.bincount(number).astype(np.float64)
    products = np.zeros(counts.size)
    for side in range(sample.sides):
        total = np.bincount(number, weights=rest[:, side])
        squares = np.bincount(number, weights=rest[:, side] ** 2)
        products += (total**2 - squares) / 2
    found, pairs = np.zeros(sample.size), np.zeros(sample.size)
    found[first], pairs[first] = products, counts * (counts - 1) / 2
    return found, pairs


def strength_part(sums: Floats, sides: int, tables: int, count: int) -> Floats:
    """The share of variance between the bots of a table, less what chance alone would give."""
    totals, sizes = sums[..., 4 + sides : 4 + sides + count], sums[..., 4 + sides + count :]
    between = (totals**2 / np.maximum(sizes, 1.0)).sum(axis=-1)
    return np.asarray(between / np.maximum(sums[..., 0], 1e-12) - tables / matches_in(sums))


def seat_part(sums: Floats, sides: int, tables: int, count: int) -> Floats:
    """The share of variance between seats, less what chance alone would give."""
    between = (sums[..., 4 : 4 + sides] ** 2).sum(axis=-1) / matches_in(sums)
    return np.asarray(between / np.maximum(sums[..., 0], 1e-12) - 1 / matches_in(sums))


def deal_part(sums: Floats, sides: int, tables: int, count: int) -> Floats:
    """The share of variance between deals."""
    each = sums[..., 2] / np.maximum(sums[..., 3], 1e-12)
    total = sums[..., 0] / matches_in(sums)
    return np.asarray(each / np.maximum(total, 1e-12))


def matches_in(sums: Floats) -> Floats:
    """How many matches some sums hold."""
    return np.maximum(sums[..., 1], 1.0)


# --- who has which budget -------------------------------------------------------------------------


def budgets_of(entrants: Mapping[str, Any]) -> dict[str, int]:
    """Simulations by name, of the largest family of entrants that differ in nothing else."""
    families: dict[str, dict[str, int]] = {}
    for entrant in entrants.values():
        simulations = entrant.params.get("simulations")
        if isinstance(simulations, int) and entrant.params.get("seconds") is None:
            rest = {k: v for k, v in entrant.params.items() if k != "simulations"}
            families.setdefault(repr((entrant.bot, rest)), {})[entrant.name] = simulations
    largest = max(families.values(), key=len, default={})
    return largest if len(largest) > 1 else {}
