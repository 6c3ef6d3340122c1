"""Who leads a run, for the list of runs: what its folder says, or what a live page has worked out."""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from arena.results.rankings import elo_text, number, rankings, records
from arena.results.report import group_keys, heading, of_group
from arena.web.runs import MOST_RUNS, identity
from engines.texts import clean

FILE = "standings.csv"
MOST_BOTS, MOST_GROUPS = 3, 3  # that are named
SLACK = 1.0  # seconds by which tables may be older than the last part: files are written one after the other


def leaders(standings: pd.DataFrame) -> tuple[str, ...]:
    """A line for each table of a run, the best first: '1. mcts 1416, 2. greedy 1000'; of a game for one by points."""
    keys, lines = group_keys(standings), []
    for key in keys[:MOST_GROUPS]:
        for title, rows in rankings(of_group(standings, key)):
            best = records(rows)[:MOST_BOTS]
            said = ", ".join(
                f"{place}. {row['entrant']} {strength(row)}".rstrip()
                for place, row in enumerate(best, 1)
            )
            about = ", ".join(filter(None, (heading(key) if len(keys) > 1 else "", title)))
            lines.append(f"{about}: {said}" if about else said)
    more = len(keys) - MOST_GROUPS
    return (*lines, *([f"and {more} more table{'s' * (more > 1)}"] if more > 0 else []))


def strength(row: dict[str, object]) -> str:
    """The Elo of a bot, the bound of one that won or lost every match, or its points where nobody plays against it."""
    if row["players"] == 1:
        return number(row["mean_points"], "{:.1f} points")  # type: ignore[arg-type]
    return elo_text(row).partition(" (")[0]


def stored_leaders(place: Path, changed: float) -> tuple[str, ...]:
    """What the tables in a run's folder say; nothing where they are older than its matches (`changed`), or none.

    A run that was killed has none, and to make them may take long: its own page does.
    """
    file = place / FILE
    try:
        if file.stat().st_mtime < changed - SLACK:
            return ()
        return leaders_in(file, identity(file))
    except (OSError, ValueError, KeyError, AttributeError):  # not a table of ours
        return ()


@lru_cache(maxsize=MOST_RUNS)
def leaders_in(file: Path, seen: tuple[int, ...]) -> tuple[str, ...]:
    """Who leads by a table, read again when it has changed (`seen`)."""
    return tuple(clean(line) for line in leaders(pd.read_csv(file, keep_default_na=True)))
