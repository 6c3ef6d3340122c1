"""What a run folder holds as results: its rows, or where those are many their sums."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from arena.plan.schedule import LineUp, count_matches
from arena.results.groups import Results
from arena.results.pooling import Whole, pools_of, whole_of
from arena.store.early import first_deals
from arena.store.record import RunRecord
from arena.store.run_folder import check_stored, read_matches, stored_in

ROW_BY_ROW = 200_000  # matches; larger runs are summed up, and sampled where rows are shown


def stored_results(
    folder: Path, record: RunRecord, ranked: Callable[[LineUp], Any]
) -> tuple[Results, int]:
    """What a run holds, and how many matches: row by row, or of a large run as sums and a sample of whole blocks.

    Args:
        ranked: whether ranks below the first mean anything in a line-up: 'all' or 'winner'.

    Raises:
        UserError: a part is damaged, or holds what the record does not know.
    """
    check_stored(folder, record)
    stored = stored_in(folder, record)
    if stored.matches <= ROW_BY_ROW:
        matches = read_matches(folder)
        return Results(matches, record.entrants, record.lineups, ranked), len(matches)
    whole = whole_of(record, stored)
    pools = pools_of(folder, whole)
    deals = {"some": whole.some, "whole": whole.whole}
    sample = first_deals(folder, deals_within(whole, ROW_BY_ROW)).to_pandas()
    return Results(sample, record.entrants, record.lineups, ranked, pools, deals), stored.matches


def deals_within(whole: Whole, most: int) -> int:
    """Of how many first deals there are at most so many matches."""
    longest = max(len(flags) for flags in whole.some.values())
    counts = np.zeros(longest)
    for one, flags in whole.some.items():
        lineup = whole.record.lineups[one]
        counts[: len(flags)] += flags * (count_matches([lineup]) / lineup.deals)
    return int(np.searchsorted(np.cumsum(counts), most, side="right"))
