"""Results as tidy tables: one function, one DataFrame, one kind of row.

Each table begins with game, variant and players: numbers are comparable only inside one such group.
Void matches appear nowhere. Win share is the share of first place per seat played, shared by those
that share it, so that 1 / sides is par even for an entrant that holds several seats. All numbers
are over all matches, equal ones too: bots draw chance of their own. Only where every match of a
line-up is the same does one deal stand for all (`Group.counted`). An interval is missing where
fewer than 10 deals count.
"""

from collections.abc import Collection
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from arena.results.faults import FAULT_COLUMNS as FAULT_COLUMNS
from arena.results.faults import FAULTS, fault_counts
from arena.results.faults import faults as faults
from arena.results.groups import Group, Results
from arena.results.lists import together
from arena.results.seats import SEAT_ADVANTAGE as SEAT_ADVANTAGE
from arena.results.seats import seat_advantage as seat_advantage
from arena.results.sums import (
    by_entrant,
    key_of,
    names,
    seat_weights,
    shares_of,
    sums,
    tidy,
    totals,
)
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.contrasts import rank_ranges
from arena.statistics.ratings import Ratings, rate
from arena.statistics.resampling import FEWEST_DEALS, batches_of
from arena.statistics.shares import Shares, means_by_deal

WELL_MIXED = 0.9  # share of distinct matches below which standings warn

STANDINGS = (
    *("game", "variant", "players", "entrant", "elo", "elo_low", "elo_high", "matches"),
    *("win_share", "win_share_low", "win_share_high", "mean_rank", "mean_points", "decisions"),
    *("mean_points_low", "mean_points_high", "connected", "rank_best", "rank_worst", "deals"),
    *("design_effect", "seconds_per_decision", "seconds_per_start", "faults"),
    *(*(kind.replace(" ", "_") for kind in FAULTS), "capped_share", "distinct", "note"),
)
HEAD_TO_HEAD = (
    *("game", "variant", "players", "entrant", "opponent", "matches", "wins", "draws", "losses"),
    *("score", "score_low", "score_high", "deals"),
)
SIDES = (
    *("game", "variant", "players", "entrant", "side", "seats", "matches", "win_share"),
    *("win_share_low", "win_share_high", "mean_points"),
)


def standings(
    results: Results,
    *,
    anchor: tuple[str, float] | None = None,
    left_out: Collection[str] = (),
) -> pd.DataFrame:
    """Return one row for each entrant of each group, best Elo first.

    Elo has mean 0 in a group (see `ratings`), or the anchor (name, Elo) where it takes part; it is
    missing for an entrant that met no other, and has an infinite end where every match was won or
    lost. connected: rows compare only where it is equal, 0 met nobody. rank_best, rank_worst: the
    ranks there that each can have (95 %) among those that the board does not leave out.
    design_effect: how many times the variance of the win share is that of independent matches. A
    game for one side is ranked by points. decisions: mean number, of two options or more, in a
    match. seconds_per_start: until a bot's process could be asked. faults: matches lost by fault,
    then by kind. distinct: matches that repeat no other. note: what limits the row.

    Args:
        left_out: entrants that the board leaves out; they have no ranks.
    """
    found = [_standings(group, results.matches, anchor, left_out) for group in results.groups]
    return tidy(found, STANDINGS)


def head_to_head(results: Results) -> pd.DataFrame:
    """Return one row for each ordered pair of entrants that met.

    score: (wins + draws / 2) / (wins + draws + losses) of finishing before the opponent. Where only
    the first place means something, matches that neither won decide nothing; where a fault did,
    only pairs with the offender count. Several seats of one entrant share the weight of one match.
    """
    return tidy([_head_to_head(group) for group in results.groups], HEAD_TO_HEAD)


def sides(results: Results) -> pd.DataFrame:
    """Return one row for each entrant and side it played, in games with teams.

    seats: those of the side, 1 begins ("2+3"). win_share: par is 1 / sides, were the sides alike.
    """
    return tidy([_sides(group) for group in results.groups], SIDES)


def _shares(group: Group) -> Shares:
    """Return win shares (k,), intervals by deal."""
    return shares_of(
        group, group.sides, group.win_shares, np.ones(group.sides.shape), len(group.names)
    )


def _standings(
    group: Group,
    stored: pd.DataFrame,
    anchor: tuple[str, float] | None,
    left_out: Collection[str],
) -> dict[str, Any]:
    known = anchor if anchor is not None and anchor[0] in group.names else None
    ratings = group.ratings if known is None else rate(group.placements, anchor=known)
    met = ratings.matches > 0
    shares = _shares(group)
    sat, played = seat_weights(group), sums(group)
    once = sums(group, sat * group.weights)
    decisions = by_entrant(group, "decisions")
    seconds = by_entrant(group, "seconds")
    started = starts_of(group)
    distinct = matches_with(group, "distinct", sat)
    points, points_low, points_high = mean_points(group)
    bounded = ~np.isnan(ratings.low)
    best, worst = _ranks(ratings, left_out)
    columns = {
        "entrant": names(group),
        "elo": np.where(met, ratings.elo, np.nan),
        "elo_low": np.where(ratings.open_low & bounded, -np.inf, ratings.low),
        "elo_high": np.where(ratings.open_high & bounded, np.inf, ratings.high),
        "connected": connected(ratings),
        "rank_best": best,
        "rank_worst": worst,
        "matches": np.rint(once).astype(np.int64),
        "deals": shares.deals,
        "design_effect": shares.design_effect,
        "win_share": shares.share,
        "win_share_low": shares.low,
        "win_share_high": shares.high,
        "mean_rank": by_entrant(group, "ranks") / played,
        "mean_points": points,
        "mean_points_low": points_low,
        "mean_points_high": points_high,
        "decisions": decisions / played,
        "seconds_per_decision": np.divide(
            seconds, decisions, out=np.zeros_like(seconds), where=decisions > 0
        ),
        "seconds_per_start": np.divide(
            by_entrant(group, "starts"), started, out=np.zeros_like(seconds), where=started > 0
        ),
        **fault_counts(group, stored),
        "capped_share": matches_with(group, "capped", sat) / once,
        "distinct": np.rint(distinct).astype(np.int64),
        "note": _notes(ratings, distinct / once),
    }
    strength = points if len(group.leaders) == 1 else np.where(met, ratings.elo, 0.0)
    order = np.lexsort(
        (names(group).astype(str), -shares.share, -strength, np.asarray(columns["connected"]))
    )
    return {
        **key_of(group),
        **{name: np.asarray(column)[order] for name, column in columns.items()},
    }


def starts_of(group: Group) -> Floats:
    """Return how many seats of each entrant (k,) had a process to start."""
    if group.pooled is not None:
        return group.pooled.sums["started"]
    return sums(group, (group.starts > 0).astype(np.float64))


def matches_with(group: Group, name: str, sat: Floats) -> Floats:
    """Return in how many matches that are capped, or distinct, each entrant (k,) sat."""
    if group.pooled is None:
        return sums(group, sat * getattr(group, name)[:, None])
    flags = np.zeros((len(group.pooled.fixed), len(group.names)), dtype=bool)
    flags[group.line_up[:, None], group.sides] = True
    return np.asarray(getattr(group.pooled, name) @ flags, dtype=np.float64)


def connected(ratings: Ratings) -> Integers:
    """Return for each entrant (k,) which ranking it belongs to: 1 for the largest, 0 if it met nobody.

    Entrants of different rankings never met, not even through others: nothing compares them.
    """
    together = [group for group in ratings.groups if len(group) > 1]
    order = sorted(together, key=lambda group: (-len(group), group))
    number = {name: place for place, group in enumerate(order, 1) for name in group}
    return np.array([number.get(name, 0) for name in ratings.names], dtype=np.int64)


def mean_points(group: Group) -> tuple[Floats, Floats, Floats]:
    """Return mean points (k,) with their intervals by deal."""
    if group.pooled is not None:
        return pooled_points(group)
    rows = group.kept(group.counted)
    batches, size = batches_of(rows.deals), len(group.names)
    cell = batches.batch[:, None] * size + rows.sides
    shape = (batches.columns, size)
    amounts = totals(cell, rows.points, batches.columns * size).reshape(shape)
    trials = totals(cell, np.ones(cell.shape), batches.columns * size).reshape(shape)
    _, low, high = means_by_deal(amounts, trials)
    return sums(group, group.points) / sums(group), low, high


def pooled_points(group: Group) -> tuple[Floats, Floats, Floats]:
    """Return mean points (k,) with their intervals by groups of deals."""
    assert group.pooled is not None
    size, amounts = len(group.names), group.pooled.points_by_group
    cell = group.pooled.groups[:, None] * size + group.sides
    trials = totals(cell, np.broadcast_to(group.weights, cell.shape), amounts.size)
    mean, low, high = means_by_deal(amounts, trials.reshape(amounts.shape))
    counted = np.broadcast_to(group.counted[:, None], group.sides.shape)
    few = group.deals_seen(group.sides, counted, size) < FEWEST_DEALS
    return mean, np.where(few, np.nan, low), np.where(few, np.nan, high)


def _ranks(ratings: Ratings, left_out: Collection[str]) -> tuple[Floats, Floats]:
    """Return the ranks (k,) that each entrant can have inside its group; nan without an interval, or a place."""
    if ratings.spread is None:
        return np.full(len(ratings.names), np.nan), np.full(len(ratings.names), np.nan)
    ranked = np.array([name not in left_out for name in ratings.names])
    best, worst = rank_ranges(ratings.spread, ranked=ranked)
    known = ranked & (ratings.deals >= FEWEST_DEALS) & (ratings.matches > 0)
    return np.where(known, best, np.nan), np.where(known, worst, np.nan)


def _notes(ratings: Ratings, distinct: Floats) -> list[str]:
    """Return for each entrant what limits its row; empty where nothing does."""
    notes = []
    for own, share in zip(rating_notes(ratings), distinct, strict=True):
        if share < WELL_MIXED:
            own.append(
                f"only {share:.0%} of matches distinct, an opening varies them: give --opening, or a longer one"
            )
        notes.append("; ".join(own))
    return notes


def rating_notes(ratings: Ratings) -> list[list[str]]:
    """Return for each entrant what limits its Elo."""
    notes = []
    for row, name in enumerate(ratings.names):
        own: list[str] = []
        if not ratings.matches[row]:
            own.append("met no other entrant: no Elo")
        elif len(ratings.groups) > 1:
            group = next(group for group in ratings.groups if name in group)
            own.append(f"Elo compares only with {', '.join(x for x in group if x != name)}")
        if ratings.open_high[row] or ratings.open_low[row]:
            own.append(f"{'won' if ratings.open_high[row] else 'lost'} every match: Elo is a bound")
        elif ratings.held[row]:
            own.append("Elo rests on the prior: won or lost against all")
        if ratings.matches[row] and ratings.deals[row] < FEWEST_DEALS:
            own.append(f"fewer than {FEWEST_DEALS} deals: no interval")
        notes.append(own)
    return notes


def _head_to_head(group: Group) -> dict[str, Any]:
    if group.players < 2:
        return {}
    size = len(group.names)
    cells, values, weights = pair_scores(group)
    met, wins, draws = np.zeros((3, size * size))
    for some in together(len(cells)):
        pair, own, count = cells[some], values[some], weights[some] * group.weights[some]
        met += totals(pair, count, size * size)
        wins += totals(pair, count * (own == 1), size * size)
        draws += totals(pair, count * (own == 0.5), size * size)
    losses = wins.reshape(size, size).T.ravel()
    weights *= ~np.isnan(values)
    np.nan_to_num(values, copy=False)
    values *= weights
    shares = shares_of(group, cells, values, weights, size * size)
    found = np.flatnonzero(met > 0)
    found = found[np.lexsort((names(group)[found % size], names(group)[found // size]))]
    counts = {"matches": np.rint(met), "wins": wins, "draws": draws, "losses": losses}
    return {
        **key_of(group),
        "entrant": names(group)[found // size],
        "opponent": names(group)[found % size],
        **{name: count[found] for name, count in counts.items()},
        "score": shares.share[found],
        "score_low": shares.low[found],
        "score_high": shares.high[found],
        "deals": shares.deals[found],
    }


def pair_scores(group: Group) -> tuple[Integers, Floats, Floats]:
    """Return for every ordered pair of seats of every match (m, pairs) who met whom, and the score.

    Cells number entrant and opponent; values are 1, 1/2 or 0, nan where nobody knows who was
    before whom; weights share one match among the seats of an entrant.
    """
    size, sat = len(group.names), seat_weights(group)
    pairs = list(permutations(range(group.players), 2))
    shape = len(group.sides), len(pairs)
    cells, values, weights = np.empty(shape, np.int64), np.empty(shape), np.empty(shape)
    for number, (one, other) in enumerate(pairs):
        mine, theirs = group.sides[:, one], group.sides[:, other]
        cells[:, number] = mine * size + theirs
        values[:, number] = _before(group, one, other)
        weights[:, number] = sat[:, one] * sat[:, other] * (mine != theirs)
    return cells, values, weights


def _before(group: Group, one: int, other: int) -> Floats:
    """Return 1, 1/2 or 0 (m,): did seat one finish before the other; nan where nobody knows."""
    ranks = group.ranks if group.places == "all" else np.minimum(group.ranks, 2)
    mine, theirs = ranks[:, one], ranks[:, other]
    value = np.asarray((np.sign(theirs - mine) + 1) / 2)
    if group.players == 2:
        return value
    if group.places == "winner":
        value[(mine == 2) & (theirs == 2)] = np.nan
    value[group.faults >= 0] = np.nan
    value[group.faults == one] = 0.0
    value[group.faults == other] = 1.0
    return value


def _sides(group: Group) -> dict[str, Any]:
    if len(group.leaders) == group.players:
        return {}
    count = len(group.leaders)
    cell = group.sides[:, group.leaders] * count + np.arange(count)
    cells = len(group.names) * count
    met = totals(cell, np.broadcast_to(group.weights, cell.shape), cells)
    won = group.win_shares[:, group.leaders]
    shares = shares_of(group, cell, won, np.ones(cell.shape), cells)
    found = np.flatnonzero(met)
    if group.pooled is not None:
        points = group.pooled.side_points[:, group.leaders].ravel()
    else:
        points = totals(cell, group.points[:, group.leaders], cells)
    return {
        **key_of(group),
        "entrant": names(group)[found // count],
        "side": found % count,
        "seats": np.array(_seats_of_sides(group), dtype=object)[found % count],
        "matches": met[found].astype(np.int64),
        "win_share": shares.share[found],
        "win_share_low": shares.low[found],
        "win_share_high": shares.high[found],
        "mean_points": points[found] / met[found],
    }


def _seats_of_sides(group: Group) -> list[str]:
    """Return the seats of each side, 1 begins: "2+3"."""
    seats = range(group.players)
    return [
        "+".join(str(seat + 1) for seat in seats if group.team[seat] == group.team[leader])
        for leader in group.leaders
    ]
