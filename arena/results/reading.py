"""What a run folder holds as results: its rows, or where those are many their sums."""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena.plan.schedule import LineUp, count_matches
from arena.results.groups import Results
from arena.results.pooling import Whole, pools_of, whole_of
from arena.statistics.choice_model import Floats
from arena.store.record import RunRecord
from arena.store.run_folder import check_stored, read_matches, stored_in
from arena.store.some_deals import rows_of_deals

ROW_BY_ROW = 200_000  # matches; larger runs are summed up
SAMPLE = 50_000  # matches of such a run where rows are shown, and of a batch where all of them are asked for


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
    below = deals_within(whole, min(ROW_BY_ROW, SAMPLE))
    sample = rows_of_deals(folder, 0, below).to_pandas()
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


def batches_of_rows(
    folder: Path, record: RunRecord, ranked: Callable[[LineUp], Any], deal: int | None = None
) -> Iterator[Results]:
    """The matches of a run row by row, whole deals together, about as many at a time as a sample has.

    deal: of that one only.
    """
    whole = whole_of(record, stored_in(folder, record))
    last = len(matches_by_deal(whole))
    first = 0 if deal is None else deal
    end = last if deal is None else min(deal + 1, last)
    while first < end:
        below = min(max(deals_within(whole, SAMPLE, first), first + 1), end)
        rows = rows_of_deals(folder, first, below).to_pandas()
        yield Results(rows, record.entrants, record.lineups, ranked)
        first = below


def deals_within(whole: Whole, most: int, first: int = 0) -> int:
    """Below which deal there are, from `first` on, at most so many matches."""
    counts = matches_by_deal(whole)[first:]
    return first + int(np.searchsorted(np.cumsum(counts), most, side="right"))


def matches_by_deal(whole: Whole) -> Floats:
    """About how many matches of each deal are stored: as many as there may be."""
    longest = max((len(flags) for flags in whole.some.values()), default=0)
    counts = np.zeros(longest)
    for one, flags in whole.some.items():
        lineup = whole.record.lineups[one]
        counts[: len(flags)] += flags * (count_matches([lineup]) / lineup.deals)
    return counts
