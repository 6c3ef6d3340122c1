"""Options, cards and setups: how often each is used, and how those who use it fare.

Compared with what the same bot wins in the same seat at the same table, by least squares with such cells absorbed and
standard errors clustered by deal (`clusters`). What it does not show: cause. Who is ahead may afford a card, long
matches use more of everything. What the deal hands out at random (setups) is a cause; `interventions` try the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import stdtr, stdtrit

from arena.balance.inference import Statistic, added_up
from arena.balance.replays import Moves
from arena.balance.samples import Sample
from arena.results.groups import Flags
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.claims import POINTS_GAP, claim
from arena.statistics.clusters import slope_within, within
from arena.statistics.families import discoveries
from arena.statistics.placements import numbered
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.shares import shares_by_deal
from engines.core import Game

CHUNK = 20_000  # matches counted at once
SUBJECT, KIND = "subject", "action kind"

USAGE = (
    *("game", "variant", "players", "family", "subject", "seats", "used", "use_share"),
    *("use_share_low", "use_share_high", "times", "win_share", "expected", "lift", "lift_low"),
    *("lift_high", "family_low", "family_high", "margin", "deals", "p_value", "q_value", "verdict"),
)
SETUP = (
    *("game", "variant", "players", "fact", "value", "outcome", "dealt", "effect"),
    *("effect_low", "effect_high", "family_low", "family_high", "margin", "deals", "p_value"),
    *("q_value", "verdict"),
)


@dataclass(frozen=True)
class Seats:
    """The seats of a sample, one row each.

    cell (r,): number of table, bot and seat. deal (r,). won (r,): win share. points (r,). match, player (r,).
    """

    cell: Integers
    deal: Integers
    won: Floats
    points: Floats
    match: Integers
    player: Integers


def seats_of(sample: Sample) -> Seats:
    """Every seat of a sample."""
    group = sample.group
    count, width = group.sides.shape
    match, player = np.repeat(np.arange(count), width), np.tile(np.arange(width), count)
    code = (group.line_up[match] * len(group.names) + group.sides.ravel()) * width + player
    return Seats(
        numbered(code)[1],
        group.deals[match],
        group.win_shares.ravel(),
        group.points.ravel(),
        match,
        player,
    )


# --- what was used --------------------------------------------------------------------------------


def use_counts(sample: Sample, seats: Seats, game: Game, moves: Moves) -> NDArray[np.int16]:
    """(r, subjects + kinds): how often each seat used each subject and each kind of action."""
    users = users_of(game)
    ids = sample.words("match_id")
    rows = np.array([moves.rows[str(name)] for name in ids], dtype=np.int64)
    width = sample.group.players
    found = np.empty((len(rows) * width, users.shape[1]), dtype=np.int16)
    for first in range(0, len(rows), CHUNK):
        part = rows[first : first + CHUNK]
        lengths = moves.starts[part + 1] - moves.starts[part]
        at = np.repeat(moves.starts[part] - np.cumsum(lengths) + lengths, lengths)
        at += np.arange(len(at))
        seat = np.repeat(np.arange(len(part)), lengths) * width + moves.actors[at]
        shape = (len(part) * width, game.actions.size)
        ones = np.ones(len(at), dtype=np.int32)
        taken = sparse.csr_array((ones, (seat, moves.actions[at])), shape=shape)
        found[first * width : first * width + shape[0]] = (taken @ users).toarray()
    return np.asarray(found[seats.match * width + seats.player])


def users_of(game: Game) -> sparse.csr_array:
    """(actions, subjects + kinds): 1 where an action uses a subject or is of a kind."""
    actions, subjects = game.actions.size, len(game.subjects.names)
    pairs = [(a, s) for a in range(actions) for s in sorted(set(game.subjects.of_action(a)))]
    pairs += [(a, subjects + int(game.actions.kind[a])) for a in range(actions)]
    at = np.array(pairs, dtype=np.int64).T
    shape = (actions, subjects + len(game.actions.kinds))
    return sparse.csr_array((np.ones(len(pairs), dtype=np.int32), (at[0], at[1])), shape=shape)


def names_of(game: Game) -> list[tuple[str, str]]:
    """(family, name) of each column of `use_counts`."""
    subjects = [(SUBJECT, name) for name in game.subjects.names]
    return subjects + [(KIND, kind.text) for kind in game.actions.kinds]


# --- how users fare -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lift:
    """What a fact about a seat goes along with: outcome with it less what is expected, nan if too rare.

    error: its standard error, by deals; interval and p are Student's with so many degrees of freedom.
    """

    mean: float
    expected: float
    lift: float
    error: float
    freedom: float
    deals: int
    p_value: float

    def ends(self, confidence: float = 0.95) -> tuple[float, float]:
        """The ends of its interval."""
        reach = float(stdtrit(self.freedom, (1 + confidence) / 2)) * self.error
        return self.lift - reach, self.lift + reach


def lift_of(has: Flags, outcome: Floats, seats: Seats) -> Lift:
    """Return how an outcome (r,) of seats that have something (r,) differs from that of their cell.

    Interval and p are those of the within-cell regression on `has` (`clusters.slope_within`), scaled from with
    against without to with against expected.
    """
    count = int(has.sum())
    mean = float(outcome[has].mean()) if count else np.nan
    lift = float(within(outcome, seats.cell)[has].mean()) if count else np.nan
    deals = min(np.unique(seats.deal[has]).size, np.unique(seats.deal[~has]).size)
    rare = Lift(mean, mean - lift, lift, np.nan, np.nan, deals, np.nan)
    if deals < FEWEST_DEALS:
        return rare
    found = slope_within(has.astype(np.float64), outcome, seats.cell, seats.deal)
    if not found.error > 0:
        return rare
    p = float(2 * stdtr(found.freedom, -abs(found.slope) / found.error))
    error = found.error * found.squares / count
    return Lift(mean, mean - lift, lift, error, found.freedom, deals, p)


def usage_rows(
    sample: Sample, seats: Seats, game: Game, counts: NDArray[np.int16]
) -> list[dict[str, Any]]:
    """One row for each subject and kind of action that was used, with Benjamini-Hochberg in each family."""
    rows: list[dict[str, Any]] = []
    for column, (family, name) in enumerate(names_of(game)):
        own = counts[:, column]
        has = own > 0
        if not has.any():
            continue
        found = lift_of(has, seats.won, seats)
        shares = shares_of(has, seats.deal)
        rows.append(
            {
                **sample.key,
                "family": family,
                "subject": name,
                "seats": len(has),
                "used": int(has.sum()),
                **dict(zip(("use_share", "use_share_low", "use_share_high"), shares, strict=True)),
                "times": float(own[has].mean()),
                "win_share": found.mean,
                "expected": found.expected,
                **lift_columns(found, "lift", POINTS_GAP),
            }
        )
    for family in (SUBJECT, KIND):
        judge([row for row in rows if row["family"] == family], "lift")
    return rows


def shares_of(has: Flags, deals: Integers) -> tuple[float, float, float]:
    """The share of seats that have something, with interval by deals."""
    sums, _ = added_up(np.stack([has.astype(np.float64), np.ones(len(has))], axis=1), deals)
    found = shares_by_deal(sums[:, :1], sums[:, 1:])
    return float(found.share[0]), float(found.low[0]), float(found.high[0])


def lift_columns(found: Lift, name: str, margin: float) -> dict[str, Any]:
    """A lift as columns; `judge` takes `ends` out again."""
    low, high = found.ends()
    return {
        name: found.lift,
        f"{name}_low": low,
        f"{name}_high": high,
        "margin": margin,
        "deals": found.deals,
        "p_value": found.p_value,
        "ends": found.ends,
    }


def judge(rows: Sequence[dict[str, Any]], effect: str) -> None:
    """Put into rows of one family their q, the interval that goes with it (`families`), and what may be said."""
    known = [row for row in rows if not np.isnan(row["p_value"])]
    adjusted, confidence = discoveries([row["p_value"] for row in known])
    for row in rows:
        row["family_low"], row["family_high"] = np.nan, np.nan
        row["q_value"], row["verdict"] = np.nan, "too rare to say"
    for row, q in zip(known, adjusted, strict=True):
        ends = row["ends"](confidence)
        row["family_low"], row["family_high"] = ends
        made = claim(
            row[effect], ends, deals=row["deals"], method="least squares", margin=row["margin"]
        )
        word = "over" if made.above else "under"
        row["q_value"], row["verdict"] = (
            float(q),
            word if made.outcome == "differs" else made.outcome,
        )
    for row in rows:
        row.pop("ends", None)


# --- setups ---------------------------------------------------------------------------------------


def setup_rows(sample: Sample, seats: Seats, facts: pd.DataFrame) -> list[dict[str, Any]]:
    """One row for each fact of the setup that the deals vary; Benjamini-Hochberg over all of them.

    facts: columns deal, player, fact, value, and shared (all players of every deal have it alike). What differs
    between players is compared by win share; what all share cannot change who wins by merit, so it is compared by
    points, and by the first player's win share.
    """
    rows: list[dict[str, Any]] = []
    width = sample.group.players
    place = seats.deal * width + seats.player
    for (fact, value, shared), found in facts.groupby(["fact", "value", "shared"], sort=True):
        has = np.isin(place, found["deal"].to_numpy() * width + found["player"].to_numpy())
        outcomes = [("win share", seats.won, np.ones(len(place), bool))]
        if shared:
            first = seats.player == 0
            outcomes = [("points", seats.points, np.ones(len(place), bool))]
            outcomes += [("first player's win share", seats.won, first)] if width > 1 else []
        for outcome, values, chosen in outcomes:
            part = subset(seats, chosen)
            lift = lift_of(has[chosen], values[chosen], part)
            rows.append(
                {
                    **sample.key,
                    "fact": fact,
                    "value": value,
                    "outcome": outcome,
                    "dealt": float(has[chosen].mean()),
                    **lift_columns(lift, "effect", 0.0 if outcome == "points" else POINTS_GAP),
                }
            )
    judge(rows, "effect")
    return rows


def subset(seats: Seats, flags: Flags) -> Seats:
    """The seats flagged, cells numbered anew."""
    return Seats(
        numbered(seats.cell[flags])[1],
        *(getattr(seats, name)[flags] for name in ("deal", "won", "points", "match", "player")),
    )


def setup_facts(
    game: Game, start: NDArray[Any], deals: Sequence[int], seeds: Sequence[int]
) -> pd.DataFrame:
    """What `Game.features` says of each player of each deal, one row for each single fact."""
    rows = []
    states = start.copy()
    for deal, seed in zip(deals, seeds, strict=True):
        states[:] = start
        game.deal(states, np.array([seed], dtype=np.uint64))
        rows += [
            (deal, player, fact, value)
            for player, own in enumerate(game.features(states))
            for fact, values in own.items()
            for value in single(values)
        ]
    frame = pd.DataFrame(rows, columns=["deal", "player", "fact", "value"]).drop_duplicates()
    players = int(start["players"][0])
    having = frame.groupby(["deal", "fact", "value"])["player"].size()
    alike = (having == players).groupby(["fact", "value"]).all()
    whole = alike.groupby("fact").all()
    frame["shared"] = frame["fact"].map(whole).astype(bool) if len(frame) else False
    return frame


def single(values: Any) -> Iterator[str]:
    """A fact's values as words, each once."""
    for value in dict.fromkeys(values if isinstance(values, tuple | list) else (values,)):
        yield str(value).lower() if isinstance(value, bool) else str(value)


# --- for comparisons ------------------------------------------------------------------------------


def usage_statistics(
    sample: Sample, seats: Seats, game: Game, counts: NDArray[np.int16]
) -> Iterator[tuple[str, str, str, Statistic]]:
    """(family, name, what, statistic): how often each thing is used, and the lift of its users."""
    y = within(seats.won, seats.cell)
    for column, (family, name) in enumerate(names_of(game)):
        has = (counts[:, column] > 0).astype(np.float64)
        if not has.any():
            continue
        sums, deals = added_up(np.stack([has, np.ones(len(has)), has * y], 1), seats.deal)
        yield family, name, "use", Statistic(sums[:, :2], first_over_second, deals, share=True)
        yield family, name, "lift", Statistic(sums[:, [2, 0]], first_over_second, deals)


def first_over_second(sums: Floats) -> Floats:
    """sums[..., 0] / sums[..., 1], 0 where nothing was counted."""
    top, bottom = sums[..., 0], sums[..., 1]
    return np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom > 0)
