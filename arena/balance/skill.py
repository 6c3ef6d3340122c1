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
from arena.balance.luck import luck
from arena.balance.measures import ELO, SHARE, Measure
from arena.balance.samples import Sample
from arena.results.groups import Flags
from arena.statistics.choice_model import Floats
from arena.statistics.contrasts import differences
from arena.statistics.ratings import Ratings, rate
from arena.statistics.scale import ELO as ELO_UNIT
from arena.statistics.shares import elo_of_score, shares_by_deal

RUNGS = (
    *("game", "variant", "players", "rung", "bot", "matches", "deals", "elo", "elo_low"),
    *("elo_high", "below", "step", "step_low", "step_high", "beats_below", "beats_below_low"),
    *("beats_below_high", "met_deals"),
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
    """What a rung is above the one below it, in Elo and in matches; met_deals: on which these two met alone."""
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
        "met_deals": met.deals,
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


def skill_measures(
    sample: Sample, budgets: Mapping[str, int], more: Sample | None = None
) -> Iterator[Measure]:
    """How often the stronger of two neighbours wins, Elo for a doubling of thinking, and luck.

    budgets: simulations of the bots that have some, by name, if they differ in nothing else. more: the same sample
    with more deals of the two strongest bots; what rests on these two alone is of these deals.
    """
    if sample.sides < 2 or sample.alone.all():
        return
    few = sample.kept(~sample.alone)
    mixed = few if more is None else more.kept(~more.alone)
    pairs = neighbours(mixed)
    names = mixed.group.names
    for below, above in pairs:
        statistic = meeting(mixed, below, above)
        name = f"{names[above]} wins against {names[below]}"
        yield Measure("skill", name, SHARE, statistic, matches_of(mixed, below, above))
    chain = [(a, b) for a, b in pairs if names[a] in budgets and names[b] in budgets]
    yield from doubling(mixed if chain == pairs[-1:] else few, chain, budgets)
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
    sample: Sample, chain: list[tuple[int, int]], budgets: Mapping[str, int]
) -> Iterator[Measure]:
    """Elo for twice the simulations, from the lowest to the highest budget; chain: the pairs that have one."""
    names = sample.group.names
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
