"""What the order of play is worth, from matches in which one bot plays all sides.

Self-play only, so that no difference in strength can pass for one of seats. What it does not show: what stronger
bots, or people, would make of the seat; rows of single bots say how far these agree.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import chi2

from arena.balance.measures import side_name
from arena.balance.samples import Sample
from arena.statistics.choice_model import Floats
from arena.statistics.ratings import seat_effect
from arena.statistics.resampling import FEWEST_DEALS, batches_of
from arena.statistics.shares import shares_by_deal

ALL = "all"
RESAMPLES = 400
SEATS = (
    *("game", "variant", "players", "bot", "side", "matches", "deals", "win_share"),
    *("win_share_low", "win_share_high", "par", "elo", "elo_low", "elo_high", "p_value"),
)


def seat_rows(sample: Sample) -> Iterator[dict[str, Any]]:
    """One row for each side, of all bots together (but random ones) and of each.

    elo: what the seat is worth against the mean of the others. p_value: likelihood-ratio test of equal seats;
    for all bots together divided by the design effect of their common deals (Rao & Scott 1984, first order).
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
    effect = seat_effect(sample.group.placements, resamples=RESAMPLES if enough else 0)
    scale = sample.sides / (sample.sides - 1)  # from the mean of all to the mean of the others
    statistic = effect.statistic / design_effect(amounts, trials)
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
            "p_value": chi2.sf(statistic, effect.freedom) if enough else np.nan,
        }


def sums_by_deal(sample: Sample) -> tuple[Floats, Floats]:
    """Win shares and matches by deal and side (batches, sides)."""
    batches = batches_of(sample.group.deals)
    amounts = np.zeros((batches.columns, sample.sides))
    np.add.at(amounts, batches.batch, sample.shares)
    counts = np.bincount(batches.batch, minlength=batches.columns).astype(np.float64)
    return amounts, np.repeat(counts[:, None], sample.sides, axis=1)


def design_effect(amounts: Floats, trials: Floats) -> float:
    """How much more shares vary between deals than those of independent matches would; at least 1."""
    columns, total = len(amounts), trials[:, 0].sum()
    share = amounts.sum(axis=0) / total
    if columns < 2:
        return 1.0
    varied = ((amounts - share * trials) ** 2).sum(axis=0) * columns / (columns - 1) / total**2
    expected = share * (1 - share) / total
    known = expected > 0
    return float(max(1.0, (varied[known] / expected[known]).mean())) if known.any() else 1.0
