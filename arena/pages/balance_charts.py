"""The charts of a balance analysis: for each table a title that says what to see, and the chart or None."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from arena.balance.measures import ELO, SHARE
from arena.balance.seats import by_strength
from arena.balance.sentences import ban_text, headline, out_of_line, records, rung_text
from arena.balance.usage import SUBJECT
from arena.pages import charts
from arena.pages.game import lift_frame
from arena.pages.report import counted
from arena.pages.source import interval

EXACT = 1e-12  # a baseline below it has no relative difference
Row = dict[str, Any]
Drawn = tuple[str, charts.Chart | None]

PLAIN = {
    "measures": "What matches are like",
    "setup": "What the deal does",
    "null_check": "The baseline against itself on other deals",
}


def points(rows: pd.DataFrame, labels: list[str], value: str, scale: float = 1.0) -> pd.DataFrame:
    """A chart's rows from columns VALUE, VALUE_low and VALUE_high, times `scale`."""
    columns = (value, f"{value}_low", f"{value}_high")
    middle, low, high = (scale * rows[name].astype(float).to_numpy() for name in columns)
    frame = pd.DataFrame({"name": labels, "value": middle, "low": low, "high": high})
    frame["hover"] = [
        f"{row['name']}: {row['value']:.1f}{interval(row['low'], row['high'], '{:.1f}')}"
        for row in records(frame)
    ]
    return frame


def seats(rows: pd.DataFrame) -> Drawn:
    """What each seat wins when the strongest bot meets itself."""
    leader = by_strength(rows)[0]
    own = rows[(rows.bot == leader) & rows.win_share_low.notna()]
    if own.empty:
        return "What each seat wins", None
    title = headline(records(own)[0])
    frame = points(own, list(own.side), "win_share", 100)
    chart = charts.whiskers(frame, "wins (%), dashed: par", par=100 * float(own.par.iloc[0]))
    return title[0].upper() + title[1:], chart


def rungs(rows: pd.DataFrame) -> Drawn:
    """The Elo of each bot of the ladder, and what the last step is worth."""
    own = rows[rows.elo_low.notna()].iloc[::-1]
    if own.empty:
        return "The ladder of bots", None
    best = records(own)[0]
    title = f"{best['bot']} met no neighbour"
    if pd.notna(best["beats_below_low"]):
        title = rung_text(best)
    chart = charts.whiskers(points(own, list(own.bot), "elo"), "Elo, with 95 % interval")
    return title, chart


def usage(rows: pd.DataFrame) -> Drawn:
    """Use against win lift; of the kinds of actions only where a game names no subjects."""
    known = rows[rows.lift.notna()]
    known = known[known.family == SUBJECT] if (known.family == SUBJECT).any() else known
    if known.empty:
        return "What is used", None
    exact = in_family(known, "lift").assign(lift=known.lift.round(8))  # a zero is no tiny number
    frame = lift_frame(exact, known.verdict.isin(["over", "under"]))
    named = known.rename(columns={"subject": "name"})
    said = list(out_of_line(named, "lift", "things", "users win"))
    return (said[0] if said else "Nothing is used often enough to say"), charts.scatter(frame)


def interventions(rows: pd.DataFrame) -> Drawn:
    """What each ban costs."""
    own = in_family(rows[rows.family_low.notna()], "effect")
    if own.empty:
        return "What bans cost", None
    most = records(own.loc[[own.effect.abs().idxmax()]])[0]
    labels = [f"without {row['subject'].replace('_', ' ')}" for row in records(own)]
    axis = f"what {most['bot']} wins above par (points)"
    chart = charts.whiskers(points(own, labels, "effect", 100), axis, par=0)
    return ban_text(most), chart


def in_family(rows: pd.DataFrame, value: str) -> pd.DataFrame:
    """Rows of usage or interventions with the intervals that their claims rest on."""
    return rows.assign(**{f"{value}_low": rows.family_low, f"{value}_high": rows.family_high})


def comparison(rows: pd.DataFrame) -> Drawn:
    """Differences from the baseline: shares, Elo, and the rest relative to the baseline."""
    tested = rows[rows.family_low.notna()]
    tested = tested.assign(low=tested.family_low, high=tested.family_high)
    differ = int((tested.verdict == "differs").sum())
    frame = pd.DataFrame(
        [entry for row in records(tested) if (entry := difference(row)) is not None],
        columns=["measure", "name", "value", "low", "high", "hover"],
    )
    if frame.empty:
        return "Differences from the baseline", None
    title = f"{differ} of {counted(len(tested), 'measure')} differ from the baseline"
    return title, charts.forest(frame.sort_values("measure", kind="stable"), par=0)


def difference(row: Row) -> Row | None:
    """A row of the forest; None where the baseline is 0 and nothing can be relative to it."""
    if row["unit"] == SHARE:
        scale, axis = 100.0, "difference of shares (points)"
    elif row["unit"] == ELO:
        scale, axis = 1.0, "difference (Elo)"
    elif abs(row["baseline"]) > EXACT:
        scale, axis = 100 / abs(row["baseline"]), "difference (% of the baseline)"
    else:
        return None
    value, low, high = (scale * row[name] for name in ("difference", "low", "high"))
    hover = f"{row['measure']}: {value:+.1f}{interval(low, high, '{:+.1f}')}, {row['verdict']}"
    return {
        "measure": axis,
        "name": row["measure"],
        "value": value,
        "low": low,
        "high": high,
        "hover": hover,
    }


DRAWN: dict[str, Callable[[pd.DataFrame], Drawn]] = {
    "seats": seats,
    "rungs": rungs,
    "usage": usage,
    "interventions": interventions,
    "comparison": comparison,
}
