"""What the order of play is worth, from matches in which one bot plays all sides.

Self-play only, so that no difference in strength can pass for one of seats. What it does not show: what stronger
bots, or people, would make of the seat; rows of single bots say how far these agree.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from arena.balance.inference import change_of_shares, paired
from arena.balance.measures import side_name
from arena.balance.samples import RANDOM, Sample
from arena.statistics.choice_model import Floats
from arena.statistics.ratings import seat_effect
from arena.statistics.resampling import batches_of
from arena.statistics.shares import even_by_deal, shares_by_deal
from arena.statistics.squares import uneven_by_deal

ALL = "all"
CONFIDENCE = 0.95
SEATS = (
    *("game", "variant", "players", "bot", "side", "matches", "deals", "win_share"),
    *("win_share_low", "win_share_high", "par", "elo", "elo_low", "elo_high", "p_value"),
    *("uneven", "uneven_low", "uneven_high", "more", "more_low", "more_high"),
)


def seat_rows(sample: Sample, more: Sample | None = None) -> Iterator[dict[str, Any]]:
    """One row for each side, of all bots together (but random ones) and of each.

    elo: what the seat is worth against the mean of the others. p_value: of the hypothesis that all seats win alike,
    by deals (`shares.even_by_deal`); uneven: how far they lie from par, with the interval of that test. more: the
    win share less that of the strongest bot in the same seat, where both played the same deals; the intervals of all
    bots in a seat hold together.

    more: matches of bots against themselves on more deals; the rows of these bots are of these.
    """
    alone = sample.kept(sample.alone)
    if sample.sides < 2 or not alone.size:
        return
    few = by_bot(alone)
    many = {} if more is None else by_bot(more)
    chosen = {*by_bot(alone.chosen)}
    yield from rows_of(more if more is not None and chosen == {*many} else alone.chosen, ALL)
    if len(few) < 2:
        return
    *weaker, last = few
    fair = sum(bot != RANDOM for bot in weaker)
    for bot in few:
        own, best = (many, many.get(last)) if bot in many else (few, few[last])
        yield from rows_of(own[bot], bot, None if bot == last else best, max(fair, 1))


def by_bot(alone: Sample) -> dict[str, Sample]:
    """The self-play matches of each bot, weakest first."""
    played = sorted(np.unique(alone.entrants[:, 0]), key=lambda e: alone.rungs[e])
    return {alone.group.names[e]: alone.kept(alone.entrants[:, 0] == e) for e in played}


def rows_of(
    sample: Sample, bot: str, best: Sample | None = None, family: int = 1
) -> Iterator[dict[str, Any]]:
    """The rows of some self-play matches; best: those of the strongest bot, that `family` others are held against."""
    deals = int(np.unique(sample.group.deals).size)
    amounts, trials = sums_by_deal(sample)
    shares = shares_by_deal(amounts, trials)
    effect = seat_effect(sample.group.placements)
    scale = sample.sides / (sample.sides - 1)  # from the mean of all to the mean of the others
    p_value = even_by_deal(amounts, trials[:, 0], deals)
    uneven = uneven_by_deal(amounts, trials[:, 0], deals)
    more = [beyond(sample, best, side, family) for side in range(sample.sides)]
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
            **dict(zip(("uneven", "uneven_low", "uneven_high"), uneven, strict=True)),
            **dict(zip(("more", "more_low", "more_high"), more[side], strict=True)),
        }


def beyond(
    sample: Sample, best: Sample | None, side: int, family: int
) -> tuple[float, float, float]:
    """What a side wins beyond what it wins when the strongest bot plays, with its interval; nan without equal deals."""
    if best is None or not np.array_equal(
        np.unique(sample.group.deals), np.unique(best.group.deals)
    ):
        return np.nan, np.nan, np.nan
    one, other = (
        each.statistic((each.shares[:, side], np.ones(each.size)), share=True)
        for each in (sample, best)
    )
    ends = change_of_shares(one, other, paired(one, other), 1 - (1 - CONFIDENCE) / family)
    return one.estimate - other.estimate, *ends


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
