"""What a run folder holds as results: its rows, or where those are many their sums."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena.plan.schedule import LineUp, count_matches
from arena.results.groups import Results
from arena.results.pooling import Whole, pools_of, whole_of
from arena.store.early import first_deals
from arena.store.record import RunRecord
from arena.store.run_folder import check_stored, read_matches, stored_in

ROW_BY_ROW = 200_000  # matches; larger runs are summed up
SAMPLE = 50_000  # matches of such a run where rows are shown


def stored_results(
    folder: Path, record: RunRecord, ranked: Callable[[LineUp], Any]
) -> tuple[Results, dict[str, int]]:
    """What a run holds: row by row, or of a large run as sums and a sample of whole blocks.

    With it how many matches there are of each line-up, by id.

    Args:
        ranked: whether ranks below the first mean anything in a line-up: 'all' or 'winner'.

    Raises:
        UserError: a part is damaged, or holds what the record does not know.
    """
    check_stored(folder, record)
    stored = stored_in(folder, record)
    if stored.matches <= ROW_BY_ROW:
        matches = read_matches(folder)
        return Results(matches, record.entrants, record.lineups, ranked), dict(
            matches["lineup_id"].value_counts()
        )
    whole = whole_of(record, stored)
    pools = pools_of((folder,), whole)
    deals = {"some": whole.some, "whole": whole.whole}
    sample = first_deals(folder, deals_within(whole, min(ROW_BY_ROW, SAMPLE))).to_pandas()
    counts = {one: stored.count(lineup) for one, lineup in record.lineups.items()}
    return Results(sample, record.entrants, record.lineups, ranked, pools, deals), counts


def planned_matches(
    record: RunRecord, stored: Mapping[str, int], aside: Collection[str] = ()
) -> int:
    """How many matches a run is to have: of line-ups with bots that play no more those that are stored.

    aside: the names of bots that were set aside.
    """
    if record.people:
        return sum(map(int, stored.values()))
    entrants = record.seeds or tuple(record.entrants)
    playing = {one for one in entrants if record.entrants[one].name not in aside}
    return sum(
        count_matches([one]) if playing.issuperset(one.entrants) else int(stored.get(one.id, 0))
        for one in record.lineups.values()
    )


def deals_within(whole: Whole, most: int) -> int:
    """Of how many first deals there are at most so many matches."""
    longest = max(len(flags) for flags in whole.some.values())
    counts = np.zeros(longest)
    for one, flags in whole.some.items():
        lineup = whole.record.lineups[one]
        counts[: len(flags)] += flags * (count_matches([lineup]) / lineup.deals)
    return int(np.searchsorted(np.cumsum(counts), most, side="right"))
