"""What a clock did in a run: how much of it was used, and who lost on time."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from arena.plan.shapes import ClockEntry
from arena.results.rankings import records

MOST_NAMED = 8  # bots in the line


def clock_lines(standings: pd.DataFrame, clock: ClockEntry | None) -> Iterator[str]:
    """Return a line about the clock in a group, and one of those that lost on time.

    standings: the rows of the group.
    """
    if clock is None or standings.empty:
        return
    rows = records(standings)
    used = [
        f"{row['entrant']} {row['seconds_per_decision'] * row['decisions']:.3g} s"
        for row in rows[:MOST_NAMED]
    ]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    yield f"clock: {clock.text}; used in a match on average: {', '.join(used)}{more}"
    late = [
        f"{row['entrant']} {row['out_of_time']} of {row['matches']}"
        for row in rows
        if row["out_of_time"]
    ]
    if late:
        yield f"matches lost on time: {', '.join(late)}"


def used_text(row: Mapping[str, Any], seat: int, clock: ClockEntry | None) -> str:
    """', 3.21 s used' of a seat of a stored match; nothing without a clock."""
    return f", {row['seconds'][seat]:.3g} s used" if clock is not None else ""
