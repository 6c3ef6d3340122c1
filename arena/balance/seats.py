"""What the order of play is worth, from matches in which one bot plays all sides.

Self-play only, so that no difference in strength can pass for one of seats. What it does not show: what stronger
bots, or people, would make of the seat; rows of single bots say how far these agree.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from arena.balance.measures import side_name
from arena.balance.samples import RANDOM, Sample
from arena.statistics.choice_model import Floats
from arena.statistics.ratings import seat_effect
from arena.statistics.resampling import FEWEST_DEALS, batches_of
from arena.statistics.shares import even_by_deal, shares_by_deal

ALL = "all"
SEATS = (
    *("game", "variant", "players", "bot", "side", "matches", "deals", "win_share"),
    *("win_share_low", "win_share_high", "par", "elo", "elo_low", "elo_high", "p_value"),
)


def seat_rows(sample: Sample) -> Iterator[dict[str, Any]]:
    """One row for each side, of all bots together (but random ones) and of each.

    elo: what the seat is worth against the mean of the others. p_value: of the hypothesis that all seats win alike,
    by deals (`shares.even_by_deal`).
    """
    alone = sample.kept(sample.alone)
    if sample.sides < 2 or not alone.size:
        return
    yield from rows_of(alone.chosen, ALL)
    played = np.unique(alone.entrants[:, 0])
    if played.size > 1:
        for entrant in sorted(played, key=lambda e: alone.rungs[e]):
            yield from rows_of(
                alone.kept(alone.entrants[:, 0] == entrant), alone.group.names[entrant]
            )


def rows_of(sample: Sample, bot: str) -> Iterator[dict[str, Any]]:
    """The rows of some self-play matches."""
    deals = int(np.unique(sample.group.deals).size)
    amounts, trials = sums_by_deal(sample)
    shares = shares_by_deal(amounts, trials)
    enough = deals >= FEWEST_DEALS
    effect = seat_effect(sample.group.placements, resamples=1 if enough else 0)
    scale = sample.sides / (sample.sides - 1)  # from the mean of all to the mean of the others
    p_value = even_by_deal(amounts, trials[:, 0], deals)
    for side in range(sample.sides):
        yield {
            **sample.key,
            "bot": bot,
            "side": side_name(sample, side),
            "matches": sample.size,
            "deals": deals,
            "win_share": shares.share[side],
            "win_share_low": shares.low[side],
            "win_share_high": shares.high[side],
            "par": 1 / sample.sides,
            "elo": scale * effect.elo[side],
            "elo_low": scale * effect.low[side],
            "elo_high": scale * effect.high[side],
            "p_value": p_value,
        }


def by_strength(rows: pd.DataFrame) -> list[str]:
    """The bots whose rows say what seats are worth, strongest first; `all` where there is but one.

    A mean over unlike bots is never a headline: where greedy wins 93 % as first player and a search 15 %,
    it says 42 %, which no bot does.
    """
    single = [bot for bot in rows.bot.unique() if bot not in (ALL, RANDOM)]
    return single[::-1] or [ALL]


def sums_by_deal(sample: Sample) -> tuple[Floats, Floats]:
    """Win shares and matches by deal and side (batches, sides)."""
    batches = batches_of(sample.group.deals)
    amounts = np.zeros((batches.columns, sample.sides))
    np.add.at(amounts, batches.batch, sample.shares)
    counts = np.bincount(batches.batch, minlength=batches.columns).astype(np.float64)
    return amounts, np.repeat(counts[:, None], sample.sides, axis=1)
