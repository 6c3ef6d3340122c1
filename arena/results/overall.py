"""One board over several games: the bots that played all of them, by score and by Elo.

Each game counts alike. In it, a bot's score and Elo are against the other bots of the board only, so
that others who took part somewhere do not shift them; several variants or numbers of players of a
game are averaged first. Where a bot has won or lost every match of a game its Elo there is a bound,
and so is the mean; the score needs no prior, so it gives the order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from arena.results.groups import Flags, Group
from arena.results.sums import shares_of
from arena.results.tables import connected, pair_scores
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.shares import share_interval

OVERALL = ("entrant", "score", "score_low", "score_high", "elo", "elo_low", "elo_high", "games")


@dataclass(frozen=True)
class _Strength:
    """Of one group: score and Elo (k,) against the others of the board, their variances, deals."""

    score: Floats
    score_variance: Floats
    elo: Floats
    elo_variance: Floats
    open_low: Flags
    open_high: Flags
    deals: int


def overall(groups: Sequence[Group]) -> pd.DataFrame:
    """Return the bots that met in all groups with two sides or more, best mean score first.

    score: wins and half the draws against the others of the board, the mean over games. elo: mean
    over games, 0 is the mean of the board; with an infinite end for bots with a bound in one. Columns
    for each game have score and Elo there. Empty below two games or two such bots.
    """
    groups = [group for group in groups if len(group.leaders) > 1]
    games = sorted({group.game for group in groups})
    common = common_bots(groups)
    if len(games) < 2 or len(common) < 2:
        return pd.DataFrame(columns=list(OVERALL))
    found = [(group.game, _strength(group, common)) for group in groups]
    parts = [1 / len(games) / sum(game == own for own, _ in found) for game, _ in found]
    deals = min(each.deals for _, each in found)
    score, elo = (
        sum(part * getattr(each, name) for part, (_, each) in zip(parts, found, strict=True))
        for name in ("score", "elo")
    )
    spread, elo_spread = (
        sum(part**2 * getattr(each, name) for part, (_, each) in zip(parts, found, strict=True))
        for name in ("score_variance", "elo_variance")
    )
    low, high = np.full(len(common), np.nan), np.full(len(common), np.nan)
    half = np.full(len(common), np.nan)
    if deals >= FEWEST_DEALS:
        low, high = share_interval(score, spread, np.full(len(common), deals))
        half = stdtrit(deals - 1, 0.975) * np.sqrt(elo_spread)
    by_game = {
        f"{name}_{game}": np.mean([getattr(e, name) for own, e in found if own == game], axis=0)
        for name in ("score", "elo")
        for game in games
    }
    worst, best = elo - half, elo + half
    for _, each in found:  # a bound in one game is a bound of the mean
        worst, best = (
            np.where(each.open_low, -np.inf, worst),
            np.where(each.open_high, np.inf, best),
        )
    ends = (score, low, high, elo, worst, best, len(games))
    columns: Mapping[str, Any] = {
        **dict(zip(OVERALL, (common, *ends), strict=True)),
        **by_game,
    }
    return (
        pd.DataFrame(columns)
        .sort_values(["score", "entrant"], ascending=[False, True], kind="stable")
        .reset_index(drop=True)
    )


def common_bots(groups: Sequence[Group]) -> list[str]:
    """Return the bots that are in the largest ranking of every group, by name."""
    names = [
        {name for name, one in zip(g.names, connected(g.ratings), strict=True) if one == 1}
        for g in groups
    ]
    return sorted(set.intersection(*names)) if names else []


def missing_bots(groups: Sequence[Group]) -> list[str]:
    """Return the bots that are in some group and not on the board over all games."""
    everybody = {name for group in groups if len(group.leaders) > 1 for name in group.names}
    common = common_bots([group for group in groups if len(group.leaders) > 1])
    return sorted(everybody - set(common))


def _strength(group: Group, common: Sequence[str]) -> _Strength:
    ratings, size = group.ratings, len(group.names)
    own = np.array([group.names.index(name) for name in common], dtype=np.int64)
    place = np.full(size, size)
    place[own] = np.arange(own.size)
    cells, values, weights = pair_scores(group)
    one, other = place[cells // size], place[cells % size]
    inside: Floats = weights * ((one < size) & (other < size)) * ~np.isnan(values)
    cell: Integers = np.where(inside > 0, np.minimum(one, own.size - 1), 0)
    shares = shares_of(group, cell, inside * np.nan_to_num(values), inside, own.size)
    variance = np.full(own.size, np.nan)
    elo = ratings.elo[own] - ratings.elo[own].mean()
    deals = int(shares.deals.min())
    if len(ratings.resamples):
        drawn = ratings.resamples[:, own]
        variance = (
            (drawn - drawn.mean(axis=1, keepdims=True)).var(axis=0) * deals / max(deals - 1, 1)
        )
    ends = ratings.open_low[own], ratings.open_high[own]
    return _Strength(shares.share, shares.variance, elo, variance, *ends, deals)
