"""How ratings went from one call of a run to the next: a chart, and its table beside it."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from arena.pages import charts
from arena.pages.html import Names, figure, table, texts
from arena.pages.source import Key, interval
from arena.pages.strength import axis_of, beyond_axis
from arena.results.league import read_history
from arena.results.rankings import records, spans
from arena.results.report import group_keys, of_group
from arena.results.titles import group_title
from arena.store.record import RunRecord

LEFT = ("time (UTC)", "bot")
MOST_DRAWN = 12  # bots in a chart: a panel each; the table has all
NOTE = (
    "Ratings after each call that played, against all bots of the time: new opponents move them too. "
    "A dashed line is where a version begins; older versions are grey."
)
BEYOND = "A triangle is a rating beyond the axis, or a bound."


def history(folder: Path, record: RunRecord, names: Names, run: str = "") -> Iterator[str]:
    """The ratings of a run over time, a figure for each group; none of a group at one point in time.

    run: its name, where a page has several.
    """
    rows = read_history(folder)
    for key in group_keys(rows):
        own = of_group(rows, key)
        if own["time"].nunique() > 1 and own["elo"].notna().any():
            yield course(own, record, key, names, run)


def course(rows: pd.DataFrame, record: RunRecord, key: Key, names: Names, run: str) -> str:
    """One group over time."""
    rows = rows.assign(when=pd.to_datetime(rows["time"], utc=True))
    drawn, left = drawn_rows(rows)
    first, last = (f"{when:%Y-%m-%d}" for when in (rows["when"].min(), rows["when"].max()))
    dates = f"on {first}" if first == last else f"from {first} to {last}"
    top = rows[rows["when"] == rows["when"].max()].sort_values("elo", ascending=False)
    title = (
        f"{f'{run}: ' if run else ''}{group_title(record, key)}: {top['entrant'].iloc[0]} is rated "
        f"highest after {rows['time'].nunique()} calls {dates}"
    )
    title = title[0].upper() + title[1:] if not run else title
    newest = rows.iloc[::-1]
    shown = pd.DataFrame(
        {
            "time (UTC)": [f"{when:%Y-%m-%d %H:%M}" for when in newest["when"]],
            "bot": newest["entrant"],
            "Elo": texts(newest["elo"], "{:.0f}".format),
            "95 %": spans(newest["elo_low"], newest["elo_high"], "{:.0f}"),
            "matches": newest["matches"],
        }
    )
    told = "Ratings after each call that played, newest first; a version is the number behind @"
    note = [NOTE, BEYOND if (drawn["beyond"] != "").any() else ""]
    note.append(f"{left} more bots are in the table alone." if left else "")
    beside = table(shown, told, left=LEFT)
    return figure(names, charts.over_time(drawn), title, beside, " ".join(filter(None, note)))


def drawn_rows(rows: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The rows of the chart, bots by their newest rating, and how many bots have no room in it.

    One axis for all: see `axis_of`. What lies beyond it, or is a bound, is a triangle at its end.
    """
    listed = records(rows[rows["elo"].notna()])
    low, high = axis_of(listed)
    newest = {row["bot"]: row for row in sorted(listed, key=lambda r: (r["when"], r["version"]))}
    order = sorted(newest, key=lambda bot: -newest[bot]["elo"])
    latest = {bot: max(r["version"] for r in listed if r["bot"] == bot) for bot in order}
    kept = order[:MOST_DRAWN]
    found = [
        point(row, low, high, row["version"] == latest[bot])
        for bot in kept
        for row in listed
        if row["bot"] == bot
    ]
    frame = pd.DataFrame(found)
    starts = frame.groupby("entrant")["when"].transform("min") == frame["when"]
    frame["begins"] = [
        f"@{row['version']}" if first and row["version"] else ""
        for first, row in zip(starts, records(frame), strict=True)
    ]
    frame.attrs["domain"] = (low, high)
    return frame, len(order) - len(kept)


def point(row: dict[str, Any], low: float, high: float, newest: bool) -> dict[str, Any]:
    """A rating at a time, on an axis from low to high."""
    value, beyond = beyond_axis(row, low, high)
    span = interval(row["elo_low"], row["elo_high"], "{:.0f}")
    return {
        **{name: row[name] for name in ("when", "bot", "entrant", "version")},
        "newest": newest,
        "value": min(max(value, low), high),
        "low": math.nan if beyond else max(row["elo_low"], low),
        "high": math.nan if beyond else min(row["elo_high"], high),
        "beyond": beyond,
        "hover": f"{row['entrant']}, {row['when']:%Y-%m-%d %H:%M}: Elo {row['elo']:.0f}{span}, "
        f"{row['matches']} matches",
    }
