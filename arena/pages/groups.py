"""The sections of a report about one game, variant and number of players."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.findings import Findings
from arena.pages import charts
from arena.pages.html import Names, bullets, figure, table, texts
from arena.report import Tables, leaderboard, notes, of_group, records, spans

Key = tuple[str, str, int]
CLEAR = 0.05  # p-value below which the order of play is said to matter
CAUSE = "An association, not a cause: some things are used because their user is ahead."


@dataclass(frozen=True)
class Source:
    """What a section is made from."""

    made: Tables
    found: Findings
    key: Key
    names: Names

    def rows(self, name: str) -> pd.DataFrame:
        """The rows of this group in a table of the run or of its findings."""
        frame: pd.DataFrame = getattr(self.made if hasattr(self.made, name) else self.found, name)
        return of_group(frame, self.key)


def group_parts(source: Source) -> Iterator[str]:
    """All that a report says about a group."""
    for part in (standing, duels, order_of_play, budgets, points, lengths, usage):
        yield part(source)
    limits = notes(source.made, source.key)
    if limits:
        yield f'<div class="panel"><h3>What limits these numbers</h3>{bullets(limits)}</div>'


def interval(low: float, high: float, form: str) -> str:
    """' [low, high]' or nothing."""
    return "" if pd.isna(low) else f" [{form.format(low)}, {form.format(high)}]"


# --- strength -------------------------------------------------------------------------------------


def standing(source: Source, board: pd.DataFrame | None = None) -> str:
    """The leaderboard with its whiskers; the table alone where nobody has an Elo."""
    board = leaderboard(source.made, source.key) if board is None else board
    shown = table(board, "Leaderboard, best first")
    rated = elo_rows(source.rows("standings"))
    if rated.empty:
        title = "No Elo: no two different bots have met"
        return f'<article class="figure"><h3>{title}</h3>{shown}</article>'
    chart = charts.whiskers(rated, "Elo, with 95 % interval", width=charts.WIDE)
    drawn = figure(source.names, chart, leader_text(rated), shown)
    return drawn.replace('class="figure"', 'class="figure wide"', 1)


def elo_rows(standings: pd.DataFrame) -> pd.DataFrame:
    """The rows of a leaderboard's chart."""
    rows = standings[standings["elo"].notna()]
    hover = [
        f"{row['entrant']}: Elo {row['elo']:.0f}"
        f"{interval(row['elo_low'], row['elo_high'], '{:.0f}')}, "
        f"wins {100 * row['win_share']:.1f} %, {row['matches']} matches"
        for row in records(rows)
    ]
    return pd.DataFrame(
        {
            "name": rows["entrant"],
            "value": rows["elo"],
            "low": rows["elo_low"],
            "high": rows["elo_high"],
            "hover": hover,
        }
    )


def leader_text(rated: pd.DataFrame) -> str:
    """Who leads, by how much, and whether that is sure."""
    if len(rated) < 2:
        return f"{rated['name'].iloc[0]} alone has an Elo"
    first, second = rated.iloc[0], rated.iloc[1]
    gap = float(first["value"] - second["value"])
    if gap < 0.5:
        return f"{first['name']} and {second['name']} are level"
    text = f"{first['name']} leads {second['name']} by {gap:.0f} Elo"
    if pd.isna(first["low"]):
        return f"{text}, on too few deals for an interval"
    apart = first["low"] > second["high"]
    return text if apart else f"{text}; their intervals overlap"


def duels(source: Source) -> str:
    """Who beats whom."""
    rows = source.rows("head_to_head")
    known = rows[rows["score"].notna()]
    if known.empty:
        return ""
    order = [n for n in source.rows("standings")["entrant"] if n in set(rows["entrant"])]
    hover = [
        f"{row['entrant']} against {row['opponent']}: {100 * row['score']:.1f} %"
        f"{interval(100 * row['score_low'], 100 * row['score_high'], '{:.1f}')}, "
        f"{row['wins']:g} wins, {row['draws']:g} draws, {row['losses']:g} losses"
        for row in records(known)
    ]
    frame = pd.DataFrame(
        {
            "entrant": known["entrant"],
            "opponent": known["opponent"],
            "score": 100 * known["score"],
            "hover": hover,
        }
    )
    worst = known[known["entrant"] == order[0]].sort_values("score")
    title = "No results of the leader against others"
    if len(worst):
        row = worst.iloc[0]
        title = f"{order[0]} scores least against {row['opponent']}: {100 * row['score']:.0f} %"
    rank = {name: number for number, name in enumerate(order)}
    once = known[known["entrant"].map(rank) < known["opponent"].map(rank)]
    once = once.sort_values(["entrant", "opponent"], key=lambda column: column.map(rank))
    beside = table(duel_table(once), "Head to head: score = wins + half the draws")
    return figure(source.names, charts.grid(frame, order), title, beside)


def duel_table(known: pd.DataFrame) -> pd.DataFrame:
    """The pairs as text."""
    return pd.DataFrame(
        {
            "bot": known["entrant"],
            "opponent": known["opponent"],
            "score": [f"{100 * score:.1f} %" for score in known["score"]],
            "95 %": spans(100 * known["score_low"], 100 * known["score_high"], "{:.1f}"),
            "wins": [f"{count:g}" for count in known["wins"]],
            "draws": [f"{count:g}" for count in known["draws"]],
            "losses": [f"{count:g}" for count in known["losses"]],
        }
    )


def budgets(source: Source) -> str:
    """What more thinking buys."""
    parts = []
    for budget, rows in source.rows("budgets").groupby("budget"):
        hover = [
            f"{row['entrant']}: Elo {row['elo']:.0f}"
            f"{interval(row['elo_low'], row['elo_high'], '{:.0f}')}"
            for row in records(rows)
        ]
        drawn = rows.rename(columns={"elo_low": "low", "elo_high": "high"}).assign(hover=hover)
        chart = charts.curves(drawn, f"{budget} a decision (scale of doublings)")
        shown = pd.DataFrame(
            {
                "bot": rows["entrant"],
                str(budget): [f"{amount:g}" for amount in rows["amount"]],
                "Elo": texts(rows["elo"], "{:.0f}".format),
                "95 %": spans(rows["elo_low"], rows["elo_high"], "{:.0f}"),
            }
        )
        beside = table(shown, f"Elo by {budget} a decision")
        parts.append(figure(source.names, chart, doubling_text(rows, str(budget)), beside))
    return "\n".join(parts)


def doubling_text(rows: pd.DataFrame, budget: str) -> str:
    """What a doubling adds, from the smallest to the largest budget."""
    told = []
    for family, own in rows.groupby("family"):
        first, last = own.iloc[0], own.iloc[-1]
        doublings = float(np.log2(last["amount"] / first["amount"]))
        told.append((str(family), (last["elo"] - first["elo"]) / doublings))
    if len(told) == 1:
        return f"Doubling the {budget} adds {told[0][1]:.0f} Elo on average"
    return f"Doubling the {budget} adds " + ", ".join(f"{gain:+.0f} Elo ({f})" for f, gain in told)


def order_of_play(source: Source) -> str:
    """What it is worth to sit where."""
    rows = source.rows("seats")
    if rows.empty:
        return ""
    share, low, high = (100 * rows[n] for n in ("win_share", "win_share_low", "win_share_high"))
    names = [f"{seat + 1}. player" for seat in rows["seat"]]
    frame = pd.DataFrame({"name": names, "value": share, "low": low, "high": high})
    frame["hover"] = [
        f"{name} wins {value:.1f} %{interval(a, b, '{:.1f}')}"
        for name, value, a, b in zip(names, share, low, high, strict=True)
    ]
    p = float(rows["p_value"].iloc[0])
    first = f"The first player wins {share.iloc[0]:.1f} %{interval(low.iloc[0], high.iloc[0], '{:.1f}')}"
    verdict = (
        "" if pd.isna(p) else f": order of play {'matters' if p < CLEAR else 'shows no effect'}"
    )
    par = 100 * float(rows["win_share"].sum()) / len(rows)
    shown = pd.DataFrame(
        {
            "seat": [str(seat + 1) for seat in rows["seat"]],
            "win share": texts(share, "{:.1f} %".format),
            "95 %": spans(low, high, "{:.1f}"),
            "Elo": texts(rows["elo"], "{:+.0f}".format),
            "95 % ": spans(rows["elo_low"], rows["elo_high"], "{:+.0f}"),
            "points": texts(rows["mean_points"], "{:.1f}".format),
            "matches": rows["matches"],
        }
    )
    tested = "" if pd.isna(p) else f", p {p_text(p)} that order does not matter"
    beside = table(shown, f"Seats in order of play, complete blocks only{tested}")
    chart = charts.whiskers(frame, "wins (%), dashed: the mean of all seats", par=par)
    return figure(source.names, chart, first + verdict, beside)


def p_text(p: float) -> str:
    """A p-value as people write it."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


# --- the game -------------------------------------------------------------------------------------


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
    best, last = shown.iloc[0], shown.iloc[-1]
    title = f"{best['entrant']} ends with {best['mean']:.1f} points on average"
    if len(shown) > 1:
        title += f", {last['entrant']} with {last['mean']:.1f}"
    chart = charts.strips(frame, order)
    return figure(
        source.names,
        chart,
        title,
        table(beside, "Points at the end of a match"),
        "The darker, the more often.",
    )


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
    most = "All matches last" if len(rows) == 1 else "Four matches in five last"
    title = f"{most} {span} turns"
    capped = source.rows("standings")["capped_share"]
    note = "" if not capped.any() else "Some matches were stopped by a cap: see the leaderboard."
    beside = table(shown, "Turns of a match, as the game counts them")
    return figure(source.names, charts.bars(frame, "turns of a match"), title, beside, note)


def usage(source: Source) -> str:
    """What is used, and how its users fare."""
    rows = source.rows("usage")
    if rows.empty:
        return ""
    clear = (rows["lift_low"] > 0) | (rows["lift_high"] < 0)
    hover = [
        f"{row['subject']}: used by {100 * row['use_share']:.1f} % of seats, "
        f"{100 * row['lift']:+.1f} points{interval(100 * row['lift_low'], 100 * row['lift_high'], '{:+.1f}')}"
        for row in records(rows)
    ]
    frame = pd.DataFrame(
        {
            "name": rows["subject"],
            "use": 100 * rows["use_share"],
            "lift": 100 * rows["lift"],
            "low": 100 * rows["lift_low"],
            "high": 100 * rows["lift_high"],
            "clear": clear,
            "hover": hover,
        }
    )
    shown = pd.DataFrame(
        {
            "subject": rows["subject"],
            "used by": texts(100 * rows["use_share"], "{:.1f} %".format),
            "times": texts(rows["times"], "{:.2f}".format),
            "win share": texts(100 * rows["win_share"], "{:.1f} %".format),
            "expected": texts(100 * rows["expected"], "{:.1f} %".format),
            "lift": texts(100 * rows["lift"], "{:+.1f}".format),
            "95 %": spans(100 * rows["lift_low"], 100 * rows["lift_high"], "{:+.1f}"),
        }
    )
    beside = table(shown, "Use and win share of the seats that used it; lift in percentage points")
    return figure(source.names, charts.scatter(frame), lift_text(frame), beside, CAUSE)


def lift_text(frame: pd.DataFrame) -> str:
    """Which subjects go most clearly with winning and with losing."""
    sure = frame[frame["clear"]].sort_values("lift")
    if sure.empty:
        return "Nothing that is used goes clearly with winning or losing"
    ends = [sure.iloc[-1]] if sure["lift"].iloc[-1] > 0 else []
    ends += [sure.iloc[0]] if sure["lift"].iloc[0] < 0 else []
    told = " and ".join(f"{row['name']} ({row['lift']:+.1f})" for row in ends)
    return f"Farthest from the expected win share: {told} points"
