"""A run that lives on: which bots a board shows, and how ratings went from one call to the next."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from arena.execution.changes import HISTORY
from arena.execution.watch import is_too_much
from arena.results.cells import write_table
from arena.store.record import RunRecord

VERSION = re.compile(r"(.+)@(\d+)")
COLUMNS = (
    *("time", "stored", "game", "variant", "players", "entrant", "bot", "version"),
    *("elo", "elo_low", "elo_high", "matches"),
)


def version_of(name: str) -> tuple[str, int]:
    """A bot and its version: deep@2 is the second of deep; 0 for a name without one."""
    found = VERSION.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 0)


def hidden(record: RunRecord) -> dict[str, str]:
    """The entrants that a board leaves out, and why: retired and dropped, or older than another version."""
    names = [entrant.name for entrant in record.entrants.values()]
    found: dict[str, str] = {}
    for entry in record.spec.bots:
        if entry.retired == "dropped":
            label = entry.name or entry.bot
            found |= {name: "retired" for name in names if name == label}
    newest: dict[str, int] = {}
    for name in names:
        bot, version = version_of(name)
        if name not in found:
            newest[bot] = max(version, newest.get(bot, 0))
    for name in names:
        bot, version = version_of(name)
        if version < newest.get(bot, 0):
            found.setdefault(name, f"older than {bot}@{newest[bot]}")
    return found


def shown(frame: pd.DataFrame, left_out: Mapping[str, str]) -> pd.DataFrame:
    """Rows of entrants, or of pairs, without those that a board leaves out; their matches count for all others."""
    if not left_out:
        return frame
    kept = ~frame.entrant.isin(list(left_out))
    if "opponent" in frame:
        kept &= ~frame.opponent.isin(list(left_out))
    return frame[kept]


def hidden_lines(standings: pd.DataFrame, left_out: Mapping[str, str]) -> list[str]:
    """Those of a group's whole standings that its board leaves out."""
    rows = standings[standings.entrant.isin(list(left_out))]
    pairs = zip(rows.entrant, rows.elo, strict=True)
    told = [f"{name} ({left_out[name]}, Elo {elo:.0f})" for name, elo in pairs]
    return [f"not on the board: {', '.join(told)}"] if told else []


# --- set aside for faults -------------------------------------------------------------------------


def set_aside(
    standings: pd.DataFrame, share: float | None, names: Collection[str] | None = None
) -> dict[str, tuple[int, int]]:
    """Bots that lost more than a share of enough matches by faults: their faults and matches.

    names: who they are in a run in rounds, where it is seen when a round is over.
    """
    if share is None or standings.empty:
        return {}
    sums = standings.groupby("entrant")[["faults", "matches"]].sum()
    return {
        str(name): (int(row["faults"]), int(row["matches"]))
        for name, row in sums.iterrows()
        if (
            is_too_much(int(row["faults"]), int(row["matches"]), share)
            if names is None
            else name in names
        )
    }


def aside_lines(
    standings: pd.DataFrame, share: float | None, names: Collection[str] | None = None
) -> list[str]:
    """A line for each bot that was set aside; see `set_aside`."""
    return [
        f"{name} was set aside: {faults} of its {matches} matches were lost by faults, more than "
        f"max_fault_share {share:g}"
        for name, (faults, matches) in set_aside(standings, share, names).items()
    ]


# --- history --------------------------------------------------------------------------------------


def read_history(folder: Path) -> pd.DataFrame:
    """The ratings of a run after each call that played: one row a time and entrant of a group."""
    file = folder / HISTORY
    if not file.exists():
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.read_csv(file)


def remember(folder: Path, standings: pd.DataFrame, stored: int, now: datetime) -> pd.DataFrame:
    """Add the ratings of now to a run's history; the same number of matches again changes nothing.

    standings: all entrants, those too that a board leaves out.
    """
    before = read_history(folder)
    if len(before) and int(before.stored.iloc[-1]) == stored:
        return before
    versions = [version_of(name) for name in standings.entrant]
    rows: dict[str, Any] = {
        "time": now.isoformat(timespec="milliseconds"),
        "stored": stored,
        **{name: standings[name] for name in ("game", "variant", "players", "entrant")},
        "bot": [bot for bot, _ in versions],
        "version": [version for _, version in versions],
        **{name: standings[name] for name in ("elo", "elo_low", "elo_high", "matches")},
    }
    added = pd.DataFrame(rows, columns=list(COLUMNS))
    found = pd.concat([before, added], ignore_index=True) if len(before) else added
    write_table(folder / HISTORY, found)
    return found
