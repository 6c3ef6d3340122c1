"""Standings as people read them: who is on which rank, with which Elo, and how sure that is."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from arena.plan.columns import table
from arena.plan.wording import listed

DROPPED = (  # columns that a narrow terminal has no room for, the least telling first
    *("decisions", "distinct", "ms/start", "capped", "mean rank", "Sonneborn-Berger", "Buchholz"),
    *("byes", "ms/decision", "faults", "points", "alpha-rank", "rank (95 %)", "matches", "95 % "),
)
WORDS = ("bot", "variant", "measure", "outcome")  # columns that stand to the left
GAP = "–"  # between the ends of an interval


def of_group(frame: pd.DataFrame, key: tuple[str, str, int]) -> pd.DataFrame:
    """The rows of one group: of a game, variant and number of players."""
    return frame[(frame.game == key[0]) & (frame.variant == key[1]) & (frame.players == key[2])]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as dicts."""
    return [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]


def rankings(standings: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The standings of a group, a ranking for each set of bots that met, and a title for each if several.

    Bots that met nobody are one list, without an order among them.
    """
    numbers = sorted(standings.connected.unique(), key=lambda number: (number == 0, number))
    parts = [(int(number), standings[standings.connected == number]) for number in numbers]
    if len(parts) == 1:
        return [("", standings)]
    return [
        (f"ranking {number} of those that met" if number else "met no other", rows)
        for number, rows in parts
    ]


def leaderboard(rows: pd.DataFrame) -> pd.DataFrame:
    """The columns people look at first, as text; `rows` of one ranking. A game for one side has no Elo."""
    starts = [milliseconds(v) for v in rows.seconds_per_start]
    measured = bool((rows.players == 1).all())
    strength = {
        "Elo": [elo_text(row) for row in records(rows)],
        "95 %": [
            "" if is_open(row) else span(row["elo_low"], row["elo_high"], "{:.0f}")
            for row in records(rows)
        ],
    }
    points = {"points": [number(v, "{:.1f}") for v in rows.mean_points]}
    if measured:
        points["95 %"] = spans(rows.mean_points_low, rows.mean_points_high, "{:.1f}")
    return pd.DataFrame(
        {
            "#": [rank_text(place, row) for place, row in enumerate(records(rows), 1)],
            "bot": rows.entrant,
            **(points if measured else strength),
            "win share": [number(100 * v, "{:.1f} %") for v in rows.win_share],
            "95 % ": spans(100 * rows.win_share_low, 100 * rows.win_share_high, "{:.1f}"),
            "matches": rows.matches,
            **({"distinct": rows.distinct} if (rows.distinct < rows.matches).any() else {}),
            **({} if measured else {"mean rank": [number(v, "{:.2f}") for v in rows.mean_rank]}),
            **({} if measured else points),
            "ms/decision": [milliseconds(v) for v in rows.seconds_per_decision],
            **({"ms/start": starts} if rows.seconds_per_start.any() else {}),
            "faults": rows.faults,
            "capped": [number(100 * v, "{:.1f} %") for v in rows.capped_share],
        }
    ).reset_index(drop=True)


def for_terminal(board: pd.DataFrame) -> pd.DataFrame:
    """A leaderboard that begins with plain numbers, and ends with the ranks where those have ranges."""
    if not board["#"].str.contains("(", regex=False).any():
        return board
    plain = board.rename(columns={"#": "rank (95 %)"})
    plain.insert(0, "#", range(1, len(board) + 1))
    return plain[[*plain.columns.drop("rank (95 %)"), "rank (95 %)"]]


def aligned(frame: pd.DataFrame) -> str:
    """A table of texts that fits the terminal; names to the left, the rest to the right."""
    head = [str(name) for name in frame.columns]
    rows = [[str(cell) for cell in row] for row in frame.itertuples(index=False, name=None)]
    right = [name for name in head if name not in WORDS]
    return table(rows, head, right=right, drop=DROPPED, cut=WORDS)


def rank_text(place: int, row: dict[str, Any]) -> str:
    """'2 (2-3)': the place on the board, and the ranks that the bot can have."""
    best, worst = row["rank_best"], row["rank_worst"]
    if pd.isna(best):
        return str(place)
    return f"{place} ({best:.0f})" if best == worst else f"{place} ({best:.0f}{GAP}{worst:.0f})"


def shared_notes(rows: Sequence[dict[str, Any]]) -> list[str]:
    """What limits the rows of a table, a line for all of which the same is said."""
    of_whom: dict[str, list[str]] = {}
    for row in rows:
        for part in filter(None, row["note"].split("; ")):
            of_whom.setdefault(part, []).append(row["entrant"])
    return [
        f"{'all' if 1 < len(names) == len(rows) else ', '.join(names)}: {note}"
        for note, names in of_whom.items()
    ]


def is_open(row: dict[str, Any]) -> bool:
    """Whether the Elo of a row is a bound: every match won, or lost."""
    return math.isinf(row["elo_low"]) or math.isinf(row["elo_high"])


def elo_text(row: dict[str, Any], form: str = "{:.0f}") -> str:
    """'57', or 'below -250 (lost every match)'."""
    if not is_open(row):
        return number(row["elo"], form)
    if math.isinf(row["elo_high"]):
        return f"above {form.format(row['elo_low'])} (won every match)"
    return f"below {form.format(row['elo_high'])} (lost every match)"


def span(low: float, high: float, form: str) -> str:
    """An interval as text; nothing where there is none, one end where the other is open."""
    if pd.isna(low):
        return ""
    if math.isinf(low) or math.isinf(high):
        return f"below {form.format(high)}" if math.isinf(low) else f"above {form.format(low)}"
    return f"{form.format(low)} {GAP} {form.format(high)}"


def spans(low: "pd.Series[float]", high: "pd.Series[float]", form: str) -> list[str]:
    """Intervals as text."""
    return [span(a, b, form) for a, b in zip(low, high, strict=True)]


def number(value: float, form: str) -> str:
    """A number as text; nothing where there is none."""
    return "" if pd.isna(value) else form.format(value)


def milliseconds(seconds: float) -> str:
    """A time with three figures that mean something, never as 3e-05."""
    if 0 < seconds < 1e-7:
        return np.format_float_positional(1000 * seconds, 3, fractional=False, trim="-")
    return number(1000 * seconds, "{:.3g}" if seconds < 0.9995 else "{:.0f}")


def players_text(seats: str) -> str:
    """'player 1', 'players 2 and 3'."""
    numbers = seats.split("+")
    if len(numbers) == 1:
        return f"player {seats}"
    return f"players {listed(numbers)}"


def share_text(row: dict[str, Any]) -> str:
    """A win share with its interval, if there is one."""
    low, high = 100 * row["win_share_low"], 100 * row["win_share_high"]
    interval = "" if pd.isna(low) else f" [{low:.1f} {GAP} {high:.1f}]"
    return f"{100 * row['win_share']:.1f} %{interval}"
