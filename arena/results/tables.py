"""Results as tidy tables: one function, one DataFrame, one kind of row.

Each table begins with game, variant and players: numbers are comparable only inside one such group.
Void matches appear nowhere. Win share is the share of first place per seat played, shared by those
that share it, so that 1 / sides is par even for an entrant that holds several seats. All numbers
are over all matches, equal ones too: bots draw chance of their own. Only where every match of a
line-up is the same does one deal stand for all (`Group.counted`). An interval is missing where
fewer than 10 deals count.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from arena.results.groups import Group, Results
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.ratings import Ratings, rate, seat_effect
from arena.statistics.resampling import FEWEST_DEALS, batches_of
from arena.statistics.shares import Shares, shares_by_deal

FAULTS = ("illegal action", "timeout", "memory", "crash", "protocol error", "too long")
SEAT_RESAMPLES = 400  # the quantiles of a whole table of 32 entrants then take a second, not four
WELL_MIXED = 0.9  # share of distinct matches below which standings warn

STANDINGS = (
    *("game", "variant", "players", "entrant", "elo", "elo_low", "elo_high", "matches"),
    *("win_share", "win_share_low", "win_share_high", "mean_rank", "mean_points", "decisions"),
    *(
        "seconds_per_decision",
        "seconds_per_start",
        "faults",
        *(kind.replace(" ", "_") for kind in FAULTS),
    ),
    *("capped_share", "distinct", "note"),
)
HEAD_TO_HEAD = (
    *("game", "variant", "players", "entrant", "opponent", "matches", "wins", "draws", "losses"),
    *("score", "score_low", "score_high"),
)
SEAT_ADVANTAGE = (
    *("game", "variant", "players", "seat", "side", "matches", "wins", "win_share"),
    *("win_share_low", "win_share_high", "mean_points", "elo", "elo_low", "elo_high", "p_value"),
)
SIDES = (
    *("game", "variant", "players", "entrant", "side", "seats", "matches", "win_share"),
    *("win_share_low", "win_share_high", "mean_points"),
)
FAULT_COLUMNS = (
    *("game", "variant", "players", "entrant", "kind", "faults", "share", "example", "stderr"),
)


def standings(results: Results, *, anchor: tuple[str, float] | None = None) -> pd.DataFrame:
    """Return one row for each entrant of each group, best Elo first.

    Elo has mean 0 in a group, or the anchor (name, Elo) where it takes part; it is missing for an
    entrant that met no other. decisions: mean number, of two options or more, in a match.
    seconds_per_start: until a bot's process could be asked. faults: matches lost by fault, then by
    kind. distinct: matches that repeat no other. note: what limits the row.
    """
    return tidy([_standings(group, results.matches, anchor) for group in results.groups], STANDINGS)


def head_to_head(results: Results) -> pd.DataFrame:
    """Return one row for each ordered pair of entrants that met.

    score: (wins + draws / 2) / (wins + draws + losses) of finishing before the opponent. Where only
    the first place means something, matches that neither won decide nothing; where a fault did,
    only pairs with the offender count. Several seats of one entrant share the weight of one match.
    """
    return tidy([_head_to_head(group) for group in results.groups], HEAD_TO_HEAD)


def seat_advantage(results: Results) -> pd.DataFrame:
    """Return one row for each seat, 0 begins, from complete blocks only (all seatings of a deal).

    win_share with interval by deals, par is 1 / sides; elo: what the seat adds, mean 0 (see
    `ratings.seat_effect`); p_value: likelihood-ratio test that the order of play does not matter.
    """
    return tidy([_seat_advantage(group) for group in results.groups], SEAT_ADVANTAGE)


def sides(results: Results) -> pd.DataFrame:
    """Return one row for each entrant and side it played, in games with teams.

    seats: those of the side, 1 begins ("2+3"). win_share: par is 1 / sides, were the sides alike.
    """
    return tidy([_sides(group) for group in results.groups], SIDES)


def faults(results: Results) -> pd.DataFrame:
    """Return one row for each entrant and kind of fault that occurred, with the earliest text.

    share: of all matches of the entrant in the group. stderr: the last that the bot wrote there.
    """
    return tidy([_faults(group, results.matches) for group in results.groups], FAULT_COLUMNS)


def tidy(parts: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the parts, a dict of columns each, as one DataFrame with these columns."""
    frames = [pd.DataFrame(part) for part in parts]
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return pd.DataFrame(columns=list(columns))
    return pd.concat(frames, ignore_index=True)[list(columns)]


def key_of(group: Group) -> dict[str, Any]:
    """Return the columns that name a group."""
    return {"game": group.game, "variant": group.variant, "players": group.players}


def _names(group: Group) -> np.ndarray[Any, np.dtype[np.object_]]:
    return np.array(group.names, dtype=object)


def _sums(group: Group, values: Floats | Integers | None = None) -> Floats:
    """Return the sum of values (m, n), or the number of seats, of each entrant (k,)."""
    weights = None if values is None else values.ravel()
    sums = np.bincount(group.sides.ravel(), weights=weights, minlength=len(group.names))
    return sums.astype(np.float64)


def _sat(group: Group) -> Floats:
    """Return 1 / (seats of that entrant in that match) (m, n), so that a match counts once."""
    copies = (group.sides[:, :, None] == group.sides[:, None, :]).sum(axis=2)
    return np.asarray(1.0 / copies)


def _shares(group: Group) -> Shares:
    """Return win shares (k,), intervals by deal."""
    return _shares_of(
        group, group.sides, group.win_shares, np.ones(group.sides.shape), len(group.names)
    )


def _shares_of(group: Group, cell: Integers, amounts: Floats, trials: Floats, cells: int) -> Shares:
    """Return amounts / trials, both (m, c), of each of `cells` cells, with intervals by deal.

    cell (m, c): to which cell each belongs. Matches of line-ups without chance are in the shares;
    deals that hold nothing else do not count for an interval.
    """
    batches = batches_of(group.deals)
    number = batches.batch[:, None] * cells + cell
    shape = (batches.columns, cells)
    got = _totals(number, amounts, batches.columns * cells).reshape(shape)
    tried = _totals(number, trials, batches.columns * cells).reshape(shape)
    counted = trials * group.counted[:, None]
    seen = np.zeros((batches.deals, cells), dtype=bool)
    rows, columns = np.nonzero(counted > 0)
    seen[batches.deal[rows], cell[rows, columns]] = True
    return shares_by_deal(got, tried, deals=seen.sum(axis=0))


def _standings(
    group: Group, stored: pd.DataFrame, anchor: tuple[str, float] | None
) -> dict[str, Any]:
    known = anchor if anchor is not None and anchor[0] in group.names else None
    ratings = rate(group.placements, anchor=known)
    met = ratings.matches > 0
    shares = _shares(group)
    sat, played = _sat(group), _sums(group)
    once = _sums(group, sat)
    decisions = _sums(group, group.decisions)
    seconds = _sums(group, group.seconds)
    started = _sums(group, (group.starts > 0).astype(np.float64))
    distinct = _sums(group, sat * group.distinct[:, None])
    columns = {
        "entrant": _names(group),
        "elo": np.where(met, ratings.elo, np.nan),
        "elo_low": ratings.low,
        "elo_high": ratings.high,
        "matches": np.rint(once).astype(np.int64),
        "win_share": shares.share,
        "win_share_low": shares.low,
        "win_share_high": shares.high,
        "mean_rank": _sums(group, group.ranks) / played,
        "mean_points": _sums(group, group.points) / played,
        "decisions": decisions / played,
        "seconds_per_decision": np.divide(
            seconds, decisions, out=np.zeros_like(seconds), where=decisions > 0
        ),
        "seconds_per_start": np.divide(
            _sums(group, group.starts), started, out=np.zeros_like(seconds), where=started > 0
        ),
        **_fault_counts(group, stored),
        "capped_share": _sums(group, sat * group.capped[:, None]) / once,
        "distinct": np.rint(distinct).astype(np.int64),
        "note": _notes(ratings, distinct / once),
    }
    elo = np.where(met, ratings.elo, 0.0)
    order = np.lexsort((_names(group).astype(str), -shares.share, -elo))
    return {
        **key_of(group),
        **{name: np.asarray(column)[order] for name, column in columns.items()},
    }


def _notes(ratings: Ratings, distinct: Floats) -> list[str]:
    """Return for each entrant what limits its row; empty where nothing does."""
    notes = []
    for row, name in enumerate(ratings.names):
        own: list[str] = []
        if not ratings.matches[row]:
            own.append("met no other entrant: no Elo")
        elif len(ratings.groups) > 1:
            group = next(group for group in ratings.groups if name in group)
            own.append(f"Elo compares only with {', '.join(x for x in group if x != name)}")
        if ratings.held[row]:
            own.append("Elo rests on the prior: won or lost against all")
        if ratings.matches[row] and ratings.deals[row] < FEWEST_DEALS:
            own.append(f"fewer than {FEWEST_DEALS} deals: no interval")
        if distinct[row] < WELL_MIXED:
            own.append(
                f"only {distinct[row]:.0%} of matches distinct, an opening varies them: give --opening"
            )
        notes.append("; ".join(own))
    return notes


def _offences(group: Group, stored: pd.DataFrame) -> tuple[Integers, Integers, list[str]]:
    """Return the matches with a fault (rows of the group), their offenders and their kinds."""
    rows = np.flatnonzero(group.faults >= 0)
    kinds = [str(kind) for kind in stored["ending"].iloc[group.rows[rows]]]
    return rows, group.sides[rows, group.faults[rows]], kinds


def _fault_counts(group: Group, stored: pd.DataFrame) -> dict[str, Integers]:
    _, offenders, kinds = _offences(group, stored)
    size = len(group.names)
    own = np.array(kinds, dtype=object)
    counts = {
        kind.replace(" ", "_"): np.bincount(offenders[own == kind], minlength=size)
        for kind in FAULTS
    }
    return {"faults": np.bincount(offenders, minlength=size), **counts}


def _faults(group: Group, stored: pd.DataFrame) -> dict[str, Any]:
    rows, offenders, kinds = _offences(group, stored)
    frame = pd.DataFrame(
        {
            "number": offenders,
            "kind": kinds,
            "deal": group.deals[rows],
            "id": stored["match_id"].iloc[group.rows[rows]].to_numpy(dtype=object),
            "example": stored["fault_text"].iloc[group.rows[rows]].to_numpy(dtype=object),
            "stderr": _stderr(group, stored)[rows],
        }
    ).sort_values(["number", "kind", "deal", "id"])
    kind = frame.groupby(["number", "kind"], sort=True)
    table = kind["example"].agg(["first", "size"]).reset_index()
    stderr = kind["stderr"].first().reset_index()["stderr"]
    number = table["number"].to_numpy(dtype=np.int64)
    return {
        **key_of(group),
        "entrant": _names(group)[number],
        "kind": table["kind"],
        "faults": table["size"],
        "share": table["size"] / _sums(group, _sat(group))[number],
        "example": table["first"],
        "stderr": stderr,
    }


def _stderr(group: Group, stored: pd.DataFrame) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return what failed bots wrote on stderr, by match of the group."""
    if "worker_stderr" not in stored:
        return np.full(len(group.rows), "", dtype=object)
    return stored["worker_stderr"].iloc[group.rows].to_numpy(dtype=object)


def _head_to_head(group: Group) -> dict[str, Any]:
    if group.players < 2:
        return {}
    size = len(group.names)
    shape = (size, size)
    sat = _sat(group)
    met, wins, draws = np.zeros(size * size), np.zeros(size * size), np.zeros(size * size)
    pairs, gained, decided = [], [], []
    for one, other in combinations(range(group.players), 2):
        mine, theirs = group.sides[:, one], group.sides[:, other]
        weight = sat[:, one] * sat[:, other] * (mine != theirs)
        better = _before(group, one, other)
        for pair, value in ((mine * size + theirs, better), (theirs * size + mine, 1 - better)):
            known = weight * ~np.isnan(value)
            met += np.bincount(pair, weights=weight, minlength=size * size)
            wins += np.bincount(pair, weights=known * (value == 1), minlength=size * size)
            draws += np.bincount(pair, weights=known * (value == 0.5), minlength=size * size)
            pairs.append(pair)
            gained.append(known * np.nan_to_num(value))
            decided.append(known)
    losses = wins.reshape(shape).T.ravel()
    cells, amounts, trials = (np.stack(each, axis=1) for each in (pairs, gained, decided))
    shares = _shares_of(group, cells, amounts, trials, size * size)
    found = np.flatnonzero(met > 0)
    found = found[np.lexsort((_names(group)[found % size], _names(group)[found // size]))]
    counts = {"matches": np.rint(met), "wins": wins, "draws": draws, "losses": losses}
    return {
        **key_of(group),
        "entrant": _names(group)[found // size],
        "opponent": _names(group)[found % size],
        **{name: count[found] for name, count in counts.items()},
        "score": shares.share[found],
        "score_low": shares.low[found],
        "score_high": shares.high[found],
    }


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
    met = _totals(cell, np.ones(cell.shape), cells)
    won = group.win_shares[:, group.leaders]
    shares = _shares_of(group, cell, won, np.ones(cell.shape), cells)
    found = np.flatnonzero(met)
    points = _totals(cell, group.points[:, group.leaders], cells)
    return {
        **key_of(group),
        "entrant": _names(group)[found // count],
        "side": found % count,
        "seats": np.array(_seats_of_sides(group), dtype=object)[found % count],
        "matches": met[found].astype(np.int64),
        "win_share": shares.share[found],
        "win_share_low": shares.low[found],
        "win_share_high": shares.high[found],
        "mean_points": points[found] / met[found],
    }


def _totals(cells: Integers, values: Floats, size: int) -> Floats:
    """Return the sum of the values in each of `size` cells."""
    sums = np.bincount(cells.ravel(), weights=values.ravel(), minlength=size)
    return sums.astype(np.float64)


def _seats_of_sides(group: Group) -> list[str]:
    """Return the seats of each side, 1 begins: "2+3"."""
    seats = range(group.players)
    return [
        "+".join(str(seat + 1) for seat in seats if group.team[seat] == group.team[leader])
        for leader in group.leaders
    ]


def _seat_advantage(group: Group) -> dict[str, Any]:
    block = group.kept(group.balanced)
    seats = group.players
    if not len(block.rows) or seats < 2:
        return {}
    cell = np.broadcast_to(np.arange(seats), block.sides.shape)
    shares = _shares_of(block, cell, block.win_shares, np.ones(cell.shape), seats)
    wins = block.win_shares.sum(axis=0)
    effect = seat_effect(block.placements, resamples=SEAT_RESAMPLES)
    side = np.searchsorted(np.unique(group.team), group.team)  # seats of one side share its effect
    return {
        **key_of(group),
        "seat": np.arange(seats),
        "side": side,
        "matches": len(block.rows),
        "wins": wins,
        "win_share": shares.share,
        "win_share_low": shares.low,
        "win_share_high": shares.high,
        "mean_points": block.points.mean(axis=0),
        "elo": effect.elo[side],
        "elo_low": effect.low[side],
        "elo_high": effect.high[side],
        "p_value": effect.p_value,
    }
