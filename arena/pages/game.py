"""How a game goes: points, lengths, endings and what is used, for one group of matches."""

from typing import Any

import pandas as pd

from arena.pages import charts
from arena.pages.html import figure, table, texts
from arena.pages.source import Source, interval
from arena.results.rankings import spans
from arena.results.report import records

CAUSE = "An association, not a cause: some things are used because their user is ahead."


def points(source: Source) -> str:
    """Where the points of each entrant lie."""
    rows, bars = source.rows("points"), source.rows("point_bars")
    if bars.empty:
        return ""
    order = [n for n in source.rows("standings")["entrant"] if n in set(rows["entrant"])]
    hover = [
        f"{row['entrant']}: {span_text(row['points_from'], row['points_to'])} points in "
        f"{100 * row['share']:.1f} % of its seats"
        for row in records(bars)
    ]
    frame = bars.assign(share=100 * bars["share"], hover=hover)
    shown = rows.set_index("entrant").loc[order].reset_index()
    beside = pd.DataFrame(
        {
            "bot": shown["entrant"],
            "mean": texts(shown["mean"], "{:.2f}".format),
            **{
                label: texts(shown[name], "{:g}".format)
                for label, name in (
                    ("least", "lowest"),
                    ("10 %", "p10"),
                    ("median", "median"),
                    ("90 %", "p90"),
                    ("most", "highest"),
                )
            },
            "seats": shown["seats"],
        }
    )
    means = {row["entrant"]: row for row in records(source.rows("standings"))}
    ended = [
        f"{name} {'ends ' if name == order[0] else ''}with {mean_text(means[name])}"
        for name in dict.fromkeys((order[0], order[-1]))
    ]
    title = f"{', '.join(ended)} game points on average"
    chart, note = charts.strips(frame, order), "The stronger the colour, the more often."
    if set(bars["points_from"]) <= {0, 1} and (bars["points_to"] == bars["points_from"]).all():
        chart, note = (
            charts.shares(one_point(frame, order), "seats that end with the point (%)"),
            "",
        )
    below = table(beside, "Points at the end of a match")
    return figure(source.names, chart, title, below, note)


def one_point(frame: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """Of points that are 0 or 1, the share of seats with 1: bars that begin at 0."""
    ones = frame[frame["points_from"] == 1].set_index("entrant")
    found = ones.reindex(order).reset_index().rename(columns={"entrant": "name"})
    nothing = found["name"] + ": 1 point in 0.0 % of its seats"
    return found.assign(share=found["share"].fillna(0.0), hover=found["hover"].fillna(nothing))


def mean_text(row: dict[str, Any]) -> str:
    """The mean points of a row of the standings, with their interval."""
    ends = interval(row["mean_points_low"], row["mean_points_high"], "{:z.1f}")
    return f"{row['mean_points']:z.1f}{ends}"


def span_text(low: int, high: int) -> str:
    """'7' or '5 to 9'."""
    return str(low) if low == high else f"{low} to {high}"


def lengths(source: Source) -> str:
    """How long matches are."""
    rows = source.rows("lengths")
    if rows.empty:
        return ""
    hover = [
        f"{span_text(row['turns_from'], row['turns_to'])} turns: {row['matches']} matches, "
        f"{100 * row['share']:.1f} %"
        for row in records(rows)
    ]
    frame = pd.DataFrame(
        {
            "left": rows["turns_from"],
            "right": rows["turns_to"],
            "share": 100 * rows["share"],
            "hover": hover,
        }
    )
    shown = pd.DataFrame(
        {
            "turns": [span_text(r["turns_from"], r["turns_to"]) for r in records(rows)],
            "matches": rows["matches"],
            "share": texts(100 * rows["share"], "{:.1f} %".format),
        }
    )
    grown = rows["share"].cumsum()
    low, high = (rows[grown >= part].iloc[0] for part in (0.1, 0.9))
    span = span_text(int(low["turns_from"]), int(high["turns_to"]))
    inside = (rows["turns_from"] >= low["turns_from"]) & (rows["turns_to"] <= high["turns_to"])
    part = 100 * rows.loc[inside, "share"].sum()
    most = "All matches last" if len(rows) == 1 else f"{part:.1f} % of matches last"
    title = f"{most} {span} turns"
    capped = source.rows("standings")["capped_share"]
    note = "" if not capped.any() else "Some matches were stopped by a cap: see the leaderboard."
    beside = table(shown, "Turns of a match, as the game counts them")
    return figure(source.names, charts.bars(frame, "turns of a match"), title, beside, note)


def endings(source: Source) -> str:
    """Why matches ended."""
    rows = source.rows("endings")
    if rows.empty:
        return ""
    reasons = [str(reason).replace("_", " ") for reason in rows["reason"]]
    share = 100 * rows["share"]
    frame = pd.DataFrame({"name": reasons, "share": share})
    frame["hover"] = [
        f"{name}: {row['matches']:,} matches, {100 * row['share']:.1f} %, after "
        f"{row['mean_turns']:.1f} turns on average"
        for name, row in zip(reasons, records(rows), strict=True)
    ]
    shown = pd.DataFrame(
        {
            "ended by": reasons,
            "matches": rows["matches"],
            "share": texts(share, "{:.1f} %".format),
            "turns": texts(rows["mean_turns"], "{:.1f}".format),
            "a cap": ["yes" if capped else "" for capped in rows["capped"]],
        }
    )
    title = f"{most_text(rows['share'])} matches ended by {reasons[0]}"
    beside = table(shown, "How matches ended, turns on average", left=("ended by", "a cap"))
    return figure(source.names, charts.shares(frame, "matches (%)"), title, beside)


def most_text(shares: "pd.Series[float]") -> str:
    """How many the first of these shares is of, as a title begins: 'All', or '99.9 % of' where others are there."""
    return f"{min(100 * shares.iloc[0], 99.9):.1f} % of" if len(shares) > 1 else "All"


def usage(source: Source) -> str:
    """What is used, and how its users fare."""
    rows = source.rows("usage")
    if rows.empty:
        return ""
    rows = rows.assign(lift_low=rows["family_low"], lift_high=rows["family_high"])
    clear = (rows["lift_low"] > 0) | (rows["lift_high"] < 0)
    frame = lift_frame(rows, clear)
    shown = pd.DataFrame(
        {
            "what is used": rows["subject"].str.replace("_", " "),
            "used by": texts(100 * rows["use_share"], "{:.1f} %".format),
            "times": texts(rows["times"], "{:.2f}".format),
            "win share": texts(100 * rows["win_share"], "{:.1f} %".format),
            "expected": texts(100 * rows["expected"], "{:.1f} %".format),
            "lift": texts(100 * rows["lift"], "{:+.1f}".format),
            "interval": spans(100 * rows["lift_low"], 100 * rows["lift_high"], "{:+.1f}"),
        }
    )
    beside = table(
        shown,
        "Use and win share of the seats that used it; lift in percentage points (pp), with the interval "
        "of 5 % false discoveries" + (f"; {of}" if (of := source.found.usage_of) else ""),
    )
    return figure(source.names, charts.scatter(frame), lift_text(frame), beside, CAUSE)


def lift_frame(rows: pd.DataFrame, clear: "pd.Series[bool]") -> pd.DataFrame:
    """Rows of usage for the chart of use against win lift, in percent. clear: surely not 0."""
    frame = pd.DataFrame(
        {
            "name": rows["subject"].str.replace("_", " "),
            "use": 100 * rows["use_share"],
            "lift": 100 * rows["lift"],
            "low": 100 * rows["lift_low"],
            "high": 100 * rows["lift_high"],
            "clear": clear,
        }
    )
    frame["hover"] = [
        f"{row['name']}: used by {row['use']:.1f} % of seats, {row['lift']:+.1f} percentage points"
        f"{interval(row['low'], row['high'], '{:+.1f}')}"
        for row in records(frame)
    ]
    return frame


def lift_text(frame: pd.DataFrame) -> str:
    """Which subjects go most clearly with winning and with losing."""
    sure = frame[frame["clear"]].sort_values("lift")
    if sure.empty:
        tested = int(frame["low"].notna().sum())
        if not tested:
            return "Too few deals to say what goes along with winning"
        return f"Whether any of {tested} things used goes along with winning or losing: undecided"
    ends = [sure.iloc[-1]] if sure["lift"].iloc[-1] > 0 else []
    ends += [sure.iloc[0]] if sure["lift"].iloc[0] < 0 else []
    told = " and ".join(
        f"{row['name']} ({row['lift']:+.1f} pp{interval(row['low'], row['high'], '{:+.1f}')})"
        for row in ends
    )
    return f"Farthest from the expected win share: {told}"
