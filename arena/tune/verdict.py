"""What may be said of the best of a search against the start: on fresh deals, all of them together."""

from collections.abc import Sequence

import numpy as np

from arena.statistics.claims import ELO_GAP, Claim, claim
from arena.statistics.contrasts import differences
from arena.statistics.families import holm
from arena.statistics.ratings import ELO, Ratings


def compared(ratings: Ratings, start: str, names: Sequence[str]) -> list[Claim]:
    """The claims that bots are stronger than the start, in Elo, one for each name.

    Args:
        ratings: of matches whose deals no choice was made by.

    All claims together err in at most one of 20 tunings: each interval is of the confidence at which Holm tests it.
    """
    place = {name: number for number, name in enumerate(ratings.names)}
    base = place[start]
    own = [place[name] for name in names]
    gaps = [float(ratings.elo[one] - ratings.elo[base]) for one in own]
    deals = [int(min(ratings.deals[one], ratings.deals[base])) for one in own]
    ends = [(np.nan, np.nan)] * len(own)
    if ratings.spread is not None and own:
        chances = differences(ratings.spread).stronger[own, base]
        known = np.nan_to_num(2 * np.minimum(chances, 1 - chances), nan=1.0)
        _, confidence = holm(list(known))
        for number, (one, sure) in enumerate(zip(own, confidence.tolist(), strict=True)):
            found = differences(ratings.spread, sure)
            low, high = ELO * found.low[one, base], ELO * found.high[one, base]
            ends[number] = float(min(low, gaps[number])), float(max(high, gaps[number]))
    return [
        claim(gap, end, deals=count, method="difference of ratings, Holm", margin=ELO_GAP)
        for gap, end, count in zip(gaps, ends, deals, strict=True)
    ]
