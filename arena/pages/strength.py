"""Who is strong, for one game, variant and number of players: Elo, pairs, seats, sides, budgets."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from arena.pages import charts
from arena.pages.html import figure, table, texts
from arena.pages.source import Source, interval
from arena.results.claims import capital, claim_of, doubling_text, lead_text, order_text
from arena.results.rankings import elo_text, is_open, leaderboard, rankings, records, spans
from arena.results.report import design_line, players_text
from arena.statistics.claims import ELO_GAP
from engines.pictures import player_name

DETERMINED = 400.0  # Elo: a rating with a wider interval says little more than a bound
DIFFERENCE = "Difference of two ratings; stronger: the chance that the first is"
ROOM, LEAST_ROOM = (
    0.03,
    10.0,
)  # beyond the outermost interval on an axis: of its length, and at least, in Elo


def standing(source: Source, boards: list[tuple[str, pd.DataFrame]] | None = None) -> str:
    """The leaderboard with its whiskers, one for each set of bots that met; tables alone without Elo."""
    parts = rankings(source.rows("standings"))
    shown = boards or [(title, leaderboard(rows)) for title, rows in parts]
    return "\n".join(
        ranking(source, title, rows, board)
        for (title, rows), (_, board) in zip(parts, shown, strict=True)
    )


def ranking(source: Source, title: str, rows: pd.DataFrame, board: pd.DataFrame) -> str:
    """One ranking."""
    caption = f"Leaderboard, best first{f': {title}' if title else ''}"
    if "Elo" in board:  # why it is a bound stands below, among what limits the numbers
        board = board.assign(Elo=board["Elo"].str.replace(r" \(.*\)", "", regex=True))
    shown = table(board, caption)
    rated = elo_rows(rows)
    if rated.empty:
        text = "No Elo: no two different bots have met"
        if (rows["players"] == 1).all():
            text = "Ranked by points: a game for one has no opponents"
        return f'<article class="figure"><h3>{text}</h3>{shown}</article>'
    text = leader_text(rated, source.rows("pairs"))
    below = ". ".join(filter(None, (design_line(source.made, source.key), aside_text(rated))))
    chart, narrow = elo_chart(rated, charts.WIDE), elo_chart(rated, charts.WIDTH)
    drawn = figure(source.names, chart, text, shown, below, narrow=narrow)
    return drawn.replace('class="figure"', 'class="figure wide"', 1)


def elo_chart(rated: pd.DataFrame, width: int) -> charts.Chart:
    """The chart of `elo_rows`."""
    axis = "Elo, with 95 % interval"
    return charts.whiskers(rated, axis, width=width, domain=rated.attrs["domain"])


def aside_text(rated: pd.DataFrame) -> str:
    """What arrows mean, where there are some."""
    return "An arrow is a bot beyond the axis" if (rated["arrow"] != "").any() else ""


def elo_rows(standings: pd.DataFrame) -> pd.DataFrame:
    """The rows of a leaderboard's chart, and in `attrs` the domain of its axis.

    The axis spans the bots whose rating is determined: an interval, no wider than DETERMINED. Others that lie beyond it
    are arrows at its end, as are those of which only a bound is known.
    """
    rows = standings[standings["elo"].notna()]
    listed = records(rows)
    low, high = axis_of(listed)
    drawn = [elo_row(row, low, high) for row in listed]
    columns = ["name", "value", "low", "high", "arrow", "label", "hover"]
    frame = pd.DataFrame(drawn, columns=columns, index=rows.index)
    frame.attrs["domain"] = (low, high)
    return frame


def axis_of(rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """The ends of the axis: those of the intervals of determined bots, else of all that is known of the others."""
    if not rows:
        return 0.0, 1.0
    sure = [row for row in rows if row["elo_high"] - row["elo_low"] <= DETERMINED]
    firm = sure or [row for row in rows if not is_open(row)] or rows
    names = ("elo_low", "elo_high") if sure else ("elo",)
    ends = [float(row[name]) for row in firm for name in names]
    low, high = min(ends), max(ends)
    room = max(ROOM * (high - low), LEAST_ROOM)
    return low - room, high + room


def beyond_axis(row: dict[str, Any], low: float, high: float) -> tuple[float, str]:
    """A rating, or the bound that is known of it, and on which side of an axis it lies: 'above', 'below' or ''."""
    value = float(row["elo"])
    if is_open(row):
        arrow = "below" if math.isinf(row["elo_low"]) else "above"
        return float(row["elo_high"] if arrow == "below" else row["elo_low"]), arrow
    return value, "" if low <= value <= high else "below" if value < low else "above"


def elo_row(row: dict[str, Any], low: float, high: float) -> dict[str, Any]:
    """A bot on an axis from low to high: a point with its interval, or an arrow with its bound."""
    open_ = is_open(row)
    span = "" if open_ else interval(row["elo_low"], row["elo_high"], "{:.0f}")
    hover = (
        f"{row['entrant']}: Elo {elo_text(row)}{span}, wins {100 * row['win_share']:.1f} %, "
        f"{row['matches']} matches"
    )
    value, arrow = beyond_axis(row, low, high)
    label = f"{arrow} {value:.0f}" if open_ else f"{value:.0f}{span}" if arrow else ""
    return {
        "name": row["entrant"],
        "value": min(max(value, low), high),
        "low": math.nan if arrow else np.clip(row["elo_low"], low, high),
        "high": math.nan if arrow else np.clip(row["elo_high"], low, high),
        "arrow": arrow,
        "label": label,
        "hover": hover,
    }


def leader_text(rated: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """Who leads, by how much, and whether that is sure: by the interval of the difference."""
    if len(rated) < 2:
        return f"{rated['name'].iloc[0]} alone has an Elo"
    first, second = rated["name"].iloc[0], rated["name"].iloc[1]
    found = pairs[(pairs["entrant"] == first) & (pairs["opponent"] == second)]
    if found.empty:
        return f"No matches connect {first} and {second}"
    return capital(lead_text(records(found)[0]))


def duels(source: Source) -> str:
    """Who beats whom."""
    rows = source.rows("head_to_head")
    known = rows[rows["score"].notna()]
    if known.empty:
        return ""
    order = [n for n in source.rows("standings")["entrant"] if n in set(rows["entrant"])]
    worst = known[known["entrant"] == order[0]].sort_values("score")
    title = "No results of the leader against others"
    if len(worst):
        row = worst.iloc[0]
        title = (
            f"{order[0]} scores least against {row['opponent']}: {100 * row['score']:.1f} %"
            f"{interval(100 * row['score_low'], 100 * row['score_high'], '{:.1f}')}"
        )
    rank = {name: number for number, name in enumerate(order)}
    once = known[known["entrant"].map(rank) < known["opponent"].map(rank)]
    once = once.sort_values(["entrant", "opponent"], key=lambda column: column.map(rank))
    beside = table(duel_table(once), "Head to head: score = wins + half the draws")
    return figure(source.names, duel_chart(rows, order), title, beside)


def duel_chart(rows: pd.DataFrame, order: Sequence[str]) -> charts.Chart:
    """Who beats whom as a grid; rows: of `head_to_head`, of one group."""
    known = rows[rows["score"].notna()]
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
    return charts.grid(frame, order)


def differences_part(source: Source) -> str:
    """The difference of every two ratings, and the chance that the higher one is the stronger."""
    rows = source.rows("pairs")
    rank = {name: number for number, name in enumerate(source.rows("standings")["entrant"])}
    once = rows[rows["entrant"].map(rank) < rows["opponent"].map(rank)]
    once = once[once["difference_low"].notna()]
    if len(once) < 2:
        return ""
    once = once.sort_values(["entrant", "opponent"], key=lambda column: column.map(rank))
    shown = pd.DataFrame(
        {
            "bot": once["entrant"],
            "against": once["opponent"],
            "Elo ahead": texts(once["difference"], "{:+.0f}".format),
            "95 %": spans(once["difference_low"], once["difference_high"], "{:+.0f}"),
            "stronger": texts(100 * once["stronger"], "{:.1f} %".format),
            "deals": once["deals"],
        }
    )
    made = [
        claim_of(row, "difference", row["deals"], "difference of ratings", margin=ELO_GAP)
        for row in records(once)
    ]
    counts = Counter(each.outcome for each in made)
    title = (
        f"Of {len(once)} pairs {counts['differs']} differ surely, {counts['equivalent']} are "
        f"equal within {ELO_GAP:g} Elo, {counts['undecided']} undecided (each at 95 %)"
    )
    beside = table(shown, DIFFERENCE, left=("bot", "against"))
    return f'<div class="panel"><h3>{title}</h3>{beside}</div>'


def duel_table(known: pd.DataFrame) -> pd.DataFrame:
    """The pairs as text."""
    return pd.DataFrame(
        {
            "bot": known["entrant"],
            "opponent": known["opponent"],
            "score": [f"{100 * score:.1f} %" for score in known["score"]],
            "95 %": spans(100 * known["score_low"], 100 * known["score_high"], "{:.1f}"),
            "won : drawn : lost": [
                f"{row['wins']:g} : {row['draws']:g} : {row['losses']:g}" for row in records(known)
            ],
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
        parts.append(
            figure(source.names, chart, doubling(rows, str(budget), source.rows("pairs")), beside)
        )
    return "\n".join(parts)


def doubling(rows: pd.DataFrame, budget: str, pairs: pd.DataFrame) -> str:
    """What a doubling adds, from the smallest to the largest budget, family by family."""
    families = [(str(family), own) for family, own in rows.groupby("family")]
    told = []
    for family, own in families:
        first, last = own.iloc[0], own.iloc[-1]
        doublings = float(np.log2(last["amount"] / first["amount"]))
        found = pairs[
            (pairs["entrant"] == last["entrant"]) & (pairs["opponent"] == first["entrant"])
        ]
        for row in records(found):
            gain = {
                f"gain{end}": row[f"difference{end}"] / doublings for end in ("", "_low", "_high")
            }
            what = budget if len(families) == 1 else f"{budget} of {family}"
            told.append(doubling_text(gain, row["deals"], what))
    return capital("; ".join(told)) if told else "No matches connect the smallest and the largest"


def order_of_play(source: Source) -> str:
    """What it is worth to sit where; where sides differ, `sides` says it."""
    rows = source.rows("seats")
    if rows.empty or len(source.rows("sides")):
        return ""
    frame = wins_frame([player_name(seat) for seat in rows["seat"]], rows)
    share, low, high = frame["value"], frame["low"], frame["high"]
    first = f"The first player wins {share.iloc[0]:.1f} %{interval(low.iloc[0], high.iloc[0], '{:.1f}')}"
    verdict = f"; {order_text(records(rows)[0])}"
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
    deals = int(rows["deals"].iloc[0])
    beside = table(shown, f"Seats in order of play, complete blocks only, {deals} deals")
    chart = charts.whiskers(frame, "wins (%), dashed: the mean of all seats", par=par)
    return figure(source.names, chart, first + verdict, beside)


def wins_frame(names: list[str], rows: pd.DataFrame) -> pd.DataFrame:
    """Win shares with their intervals for a chart, in percent, by the name of who wins them."""
    columns = {"value": "win_share", "low": "win_share_low", "high": "win_share_high"}
    frame = pd.DataFrame({"name": names}, index=rows.index)
    frame = frame.assign(**{name: 100 * rows[column] for name, column in columns.items()})
    frame["hover"] = [
        f"{row['name']} wins {row['value']:.1f} %{interval(row['low'], row['high'], '{:.1f}')}"
        for row in records(frame)
    ]
    return frame


def p_text(p: float) -> str:
    """A p-value as people write it."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def sides(source: Source) -> str:
    """What each side wins in games of unequal sides, and each bot on it."""
    rows = source.rows("sides")
    if rows.empty:
        return ""
    rank = {name: number for number, name in enumerate(source.rows("standings")["entrant"])}
    rows = rows.sort_values(
        ["side", "entrant"], key=lambda c: c.map(rank) if c.name == "entrant" else c
    )
    names = [f"{row['entrant']} as {players_text(row['seats'])}" for row in records(rows)]
    frame = wins_frame(names, rows)
    share, low, high = frame["value"], frame["low"], frame["high"]
    par = 100 / rows["side"].nunique()
    chart = charts.whiskers(frame, "wins (%), dashed: were the sides alike", par=par)
    shown = pd.DataFrame(
        {
            "bot": rows["entrant"],
            "side": [players_text(seats) for seats in rows["seats"]],
            "win share": texts(share, "{:.1f} %".format),
            "95 %": spans(low, high, "{:.1f}"),
            "points": texts(rows["mean_points"], "{:.1f}".format),
            "matches": rows["matches"],
        }
    )
    title, worth = side_worth(source)
    beside = table(shown, "Each bot on each side", left=("bot", "side"))
    return figure(source.names, chart, title, beside, worth)


def side_worth(source: Source) -> tuple[str, str]:
    """What the sides win in complete blocks: a title, and a line about each side with its Elo."""
    named = dict(source.rows("sides")[["side", "seats"]].itertuples(index=False, name=None))
    rows = records(source.rows("seats").drop_duplicates("side"))
    if not rows:
        return "The sides, with no block complete yet", ""
    told = []
    for row in rows:
        won = f"{100 * row['win_share']:.1f} %"
        won += interval(100 * row["win_share_low"], 100 * row["win_share_high"], "{:.1f}")
        elo = "" if pd.isna(row["elo"]) else f", {row['elo']:+.0f} Elo"
        elo += interval(row["elo_low"], row["elo_high"], "{:+.0f}")
        who = players_text(named[row["side"]])
        told.append((f"{who} {'win' if who.startswith('players') else 'wins'} {won}", elo))
    verdict = order_text(rows[0], "the side")
    worth = f"Complete blocks only: {'; '.join(text + elo for text, elo in told)}."
    return f"{capital(told[0][0])}; {verdict}", worth
