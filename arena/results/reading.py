"""What a run folder holds as results: its rows, or where those are many their sums."""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.plan.schedule import LineUp, count_matches
from arena.results.groups import Results
from arena.results.pooling import Whole, pools_of, whole_of
from arena.statistics.choice_model import Floats
from arena.store.record import RunRecord
from arena.store.run_folder import check_stored, read_matches, stored_in
from arena.store.some_deals import rows_of_deals

ROW_BY_ROW = 200_000  # matches; larger runs are summed up
SAMPLE = 50_000  # matches of such a run where rows are shown, and of a batch where all of them are asked for
WINDOW = 1 << 16  # deals whose matches are counted together


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
    sample = sample_of(folder, whole)
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
    last = deals_stored(whole)
    first = 0 if deal is None else deal
    end = last if deal is None else min(deal + 1, last)
    while first < end:
        below = min(max(deals_within(whole, SAMPLE, first), first + 1), end)
        rows = rows_of_deals(folder, first, below).to_pandas()
        yield Results(rows, record.entrants, record.lineups, ranked)
        first = below


def sample_of(folder: Path, whole: Whole) -> pd.DataFrame:
    """Rows of whole blocks: of the first deals; of a deal with too many matches those of the first line-ups by id."""
    most = min(ROW_BY_ROW, SAMPLE)
    first = first_deal(whole)  # a run may begin with any of them
    below, chosen = deals_within(whole, most, first), None
    if below == first:
        there = sorted(one for one, flags in whole.some.items() if flags[first : first + 1].any())
        sizes = np.cumsum([block_size(whole.record.lineups[one]) for one in there])
        chosen = there[: max(int(np.searchsorted(sizes, most, side="right")), 1)]
        below = first + 1
    frame: pd.DataFrame = rows_of_deals(folder, first, below, lineups=chosen).to_pandas()
    return frame


def sample_text(results: Results, stored: int) -> str:
    """Of how many matches the rows of a large run are; '' where they are of all."""
    seen = f"{len(results.matches):,} of {stored:,}"
    return f"of the first deals: {seen} matches" if results.pools else ""


def deals_within(whole: Whole, most: int, first: int = 0) -> int:
    """Below which deal there are, from `first` on, at most so many matches."""
    end, before = deals_stored(whole), 0.0
    while first < end:
        sums = before + np.cumsum(matches_by_deal(whole, first, min(first + WINDOW, end)))
        if sums[-1] > most:
            return first + int(np.searchsorted(sums, most, side="right"))
        first, before = first + len(sums), sums[-1]
    return end


def matches_by_deal(whole: Whole, first: int, last: int) -> Floats:
    """About how many matches of each deal from `first` to before `last` are stored: as many as there may be."""
    counts = np.zeros(last - first)
    for one, flags in whole.some.items():
        own = flags[first:last]
        counts[: len(own)] += own * block_size(whole.record.lineups[one])
    return counts


def deals_stored(whole: Whole) -> int:
    """How many deals the longest line-up has."""
    return max((len(flags) for flags in whole.some.values()), default=0)


def first_deal(whole: Whole) -> int:
    """The first deal that holds a match, 0 if none does."""
    return min((int(np.argmax(flags)) for flags in whole.some.values() if flags.any()), default=0)


def block_size(lineup: LineUp) -> float:
    """About how many matches a deal of a line-up has: circular orders may differ."""
    return count_matches([lineup]) / lineup.deals
