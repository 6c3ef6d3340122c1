"""The matches that an analysis looks at: all of a run, of a large one those of its first deals.

An analysis needs every match by itself (what each seat used, how each went on), so its memory would grow with them.
Whole blocks are kept, and with a deal of the baseline those of the null variant that are held against it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from arena.balance.replays import Moves, check_kept, moves_of
from arena.results.groups import Flags
from arena.store.columns import LONG, PLAIN
from arena.store.record import RunRecord
from arena.store.run_folder import check_stored, read_table, stored_in
from arena.store.some_deals import rows_where

MOST_MATCHES = 200_000
ORDERS = 60  # deals that hold all circular orders alike


@dataclass(frozen=True)
class Looked:
    """Matches with their actions; stored: of how many."""

    rows: pd.DataFrame
    moves: Moves
    stored: int


def look_at(folder: Path, record: RunRecord, deals: Mapping[int, int]) -> Looked:
    """The matches of a run that are analysed.

    Args:
        deals: for a number of players the deals of the baseline; those behind them are the null variant's.

    Raises:
        UserError: the run is damaged, or does not store all actions.
    """
    check_kept(folder, record)
    check_stored(folder, record)
    stored = stored_in(folder, record).matches
    columns = [*PLAIN, *LONG]
    if stored <= MOST_MATCHES:
        table = read_table(folder, columns)
    else:
        share = MOST_MATCHES / stored
        table = rows_where(folder, lambda keys: among_first(keys, record, deals, share), columns)
    return Looked(table.select(list(PLAIN)).to_pandas(), moves_of(table), stored)


def among_first(keys: pa.Table, record: RunRecord, deals: Mapping[int, int], share: float) -> Flags:
    """Which rows (m,) are of the first deals of their line-up, a share of all of them."""
    ids = keys["lineup_id"].combine_chunks().dictionary_encode()
    periods, below = [], []
    for one in ids.dictionary.to_pylist():
        lineup = record.lineups[one]
        periods.append(max(min(deals.get(lineup.players, lineup.deals), lineup.deals), 1))
        below.append(max(int(share * periods[-1]) // ORDERS * ORDERS, ORDERS))
    codes, deal = ids.indices.to_numpy(), keys["deal"].to_numpy().astype(np.int64)
    return np.asarray(deal % np.array(periods, np.int64)[codes] < np.array(below, np.int64)[codes])
