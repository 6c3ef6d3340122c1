"""Whether what a card goes along with grows with skill: the lift of its users, bot by bot along the ladder.

The same regression as in `usage`, of the seats of one bot alone, so of the same cells of table, bot and seat. Random
bots are left out where others play. Intervals are plain 95 %: these rows show a direction, claims are made by `usage`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.balance.samples import Sample
from arena.balance.usage import SUBJECT, Seats, lift_of, names_of, subset
from engines.core import Game

GROWTH = (
    *("game", "variant", "players", "subject", "bot", "seats", "used", "use_share", "lift"),
    *("lift_low", "lift_high", "deals"),
)


def growth_rows(
    sample: Sample, seats: Seats, game: Game, counts: NDArray[np.int16]
) -> Iterator[dict[str, Any]]:
    """One row for each subject and bot of the ladder, weakest first; counts (r, names) as of `use_counts`."""
    who = sample.group.sides[seats.match, seats.player]
    bots = [int(each) for each in np.unique(who) if sample.rungs[each] >= 0]
    order = sorted(bots, key=lambda each: sample.rungs[each])
    parts = [(bot, who == bot, subset(seats, who == bot)) for bot in order]
    for column, (family, name) in enumerate(names_of(game)):
        has = counts[:, column] > 0
        if family != SUBJECT or not has.any():
            continue
        for bot, own, part in parts:
            used = has[own]
            found = lift_of(used, part.won, part)
            low, high = found.ends()
            yield {
                **sample.key,
                "subject": name,
                "bot": sample.group.names[bot],
                "seats": len(used),
                "used": int(used.sum()),
                "use_share": float(used.mean()),
                "lift": found.lift,
                "lift_low": low,
                "lift_high": high,
                "deals": found.deals,
            }
