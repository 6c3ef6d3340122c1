"""Sums over the matches of a group: what every table is made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from arena.results.groups import Group
from arena.results.lists import together
from arena.results.pools import totals as totals
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import batches_of
from arena.statistics.shares import Shares, shares_by_deal


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


def names(group: Group) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return the names (k,) of the entrants."""
    return np.array(group.names, dtype=object)


def by_entrant(group: Group, name: str) -> Floats:
    """Return the sum of a quantity of seats (decisions, seconds, starts, ranks) of each entrant (k,)."""
    if group.pooled is not None:
        return group.pooled.sums[name]
    return sums(group, getattr(group, name))


def sums(group: Group, values: Floats | Integers | None = None) -> Floats:
    """Return the sum of values (m, n) of rows, or the number of seats, of each entrant (k,)."""
    weights = None if values is None else values.ravel()
    if values is None and group.counts is not None:
        weights = np.repeat(group.counts, group.players)
    sums = np.bincount(group.sides.ravel(), weights=weights, minlength=len(group.names))
    return sums.astype(np.float64)


def seat_weights(group: Group) -> Floats:
    """Return 1 / (seats of that entrant in that match) (m, n), so that a match counts once."""
    copies = (group.sides[:, :, None] == group.sides[:, None, :]).sum(axis=2)
    return np.asarray(1.0 / copies)


def shares_of(group: Group, cell: Integers, amounts: Floats, trials: Floats, cells: int) -> Shares:
    """Return amounts / trials, both (m, c), of each of `cells` cells, with intervals by deal.

    cell (m, c): to which cell each belongs; amounts and trials are of one match of a row.
    Matches of line-ups without chance are in the shares;
    deals that hold nothing else do not count for an interval.
    """
    batches = batches_of(group.deals)
    got, tried = np.zeros((2, batches.columns * cells))
    counted = np.zeros(trials.shape, dtype=bool)
    for some in together(len(cell)):
        number = batches.batch[some, None] * cells + cell[some]
        won, tries = amounts[some], trials[some]
        if group.counts is not None:
            won, tries = won * group.weights[some], tries * group.weights[some]
        got += totals(number, won, got.size)
        tried += totals(number, tries, got.size)
        counted[some] = tries * group.counted[some, None] > 0
    shape = (batches.columns, cells)
    deals = group.deals_seen(cell, counted, cells)
    return shares_by_deal(got.reshape(shape), tried.reshape(shape), deals=deals)
