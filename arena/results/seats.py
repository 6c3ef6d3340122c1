"""What the order of play is worth, as a tidy table (see `tables`)."""

from typing import Any

import numpy as np
import pandas as pd

from arena.results.groups import Group, Results
from arena.results.sums import key_of, shares_of, tidy
from arena.statistics.choice_model import Floats
from arena.statistics.ratings import seat_effect
from arena.statistics.resampling import batches_of
from arena.statistics.shares import even_by_deal
from arena.statistics.squares import uneven_by_deal

SEAT_ADVANTAGE = (
    *("game", "variant", "players", "seat", "side", "matches", "wins", "win_share"),
    *("win_share_low", "win_share_high", "mean_points", "elo", "elo_low", "elo_high", "p_value"),
    *("uneven", "uneven_low", "uneven_high", "deals"),
)


def seat_advantage(results: Results) -> pd.DataFrame:
    """Return one row for each seat, 0 begins, from complete blocks only (all seatings of a deal).

    win_share with interval by deals, par is 1 / sides; elo: what the seat adds, mean 0 (see
    `ratings.seat_effect`); p_value: of the hypothesis that all seats win alike, by deals; uneven: how
    far their shares lie from par (root mean square), with the interval of that test.
    """
    return tidy([_seat_advantage(group) for group in results.groups], SEAT_ADVANTAGE)


def _seat_advantage(group: Group) -> dict[str, Any]:
    block = group.blocks
    seats = group.players
    if not block.matches or len(block.leaders) < 2:
        return {}
    cell = np.broadcast_to(np.arange(seats), block.sides.shape)
    shares = shares_of(block, cell, block.win_shares, np.ones(cell.shape), seats)
    wins = (block.win_shares * block.weights).sum(axis=0)
    effect = seat_effect(block.placements)
    side = np.searchsorted(np.unique(group.team), group.team)  # seats of one side share its effect
    return {
        **key_of(group),
        "seat": np.arange(seats),
        "side": side,
        "matches": block.matches,
        "wins": wins,
        "win_share": shares.share,
        "win_share_low": shares.low,
        "win_share_high": shares.high,
        "mean_points": block.pooled.whole_points / block.matches
        if block.pooled is not None
        else block.points.mean(axis=0),
        "elo": effect.elo[side],
        "elo_low": effect.low[side],
        "elo_high": effect.high[side],
        **seat_test(block, block.win_shares[:, block.leaders]),
    }


def seat_test(block: Group, shares: Floats) -> dict[str, Any]:
    """Return whether all sides win alike, from their shares (m, sides) by deal, as columns."""
    batches = batches_of(block.deals)
    amounts = np.zeros((batches.columns, shares.shape[1]))
    np.add.at(amounts, batches.batch, shares * block.weights)
    trials = np.bincount(batches.batch, block.weights[:, 0], batches.columns).astype(np.float64)
    everybody = np.zeros((len(block.deals), 1), np.int64)
    counted = int(block.deals_seen(everybody, block.counted[:, None], 1)[0])
    uneven = uneven_by_deal(amounts, trials, counted)
    return {
        "p_value": even_by_deal(amounts, trials, counted),
        **dict(zip(("uneven", "uneven_low", "uneven_high"), uneven, strict=True)),
        "deals": counted,
    }
