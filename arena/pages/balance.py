"""A balance analysis as one HTML file: the verdict first, then what it rests on."""

import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.measures import ELO, SHARE
from arena.balance.page import (
    LIMITS,
    SECTIONS,
    groups,
    named,
    provenance,
    setup_table,
    usage_table,
)
from arena.balance.seats import by_strength
from arena.balance.sentences import (
    ban_text,
    headline,
    out_of_line,
    records,
    rung_text,
)
from arena.balance.usage import SUBJECT
from arena.balance.verdict import of
from arena.pages import charts
from arena.pages.game import lift_frame
from arena.pages.html import Names, bullets, document, figure, header, section, table
from arena.pages.provenance import bot_table, config, fact_list
from arena.pages.report import counted
from arena.pages.source import interval
from arena.store.files import write_text

WORDS = (
    *("bot", "side", "section", "measure", "verdict", "family", "name", "fact", "outcome"),
    "forbidden",
)
EXACT = 1e-12  # a baseline below it has no relative difference
Row = dict[str, Any]


def write_balance_page(balance: Balance, said: pd.DataFrame, file: Path) -> None:
    """Write an analysis with its verdict as one page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, balance_html(balance, said))


def balance_html(balance: Balance, said: pd.DataFrame) -> str:
    """The page: verdict, then a section for each variant and number of players, then provenance."""
    names, parts = Names(), groups(said)
    sections = [("verdict", "Verdict", list(verdicts(balance, said, parts)))]
    for number, about in enumerate(parts, 1):
        shown = list(group_parts(balance, about, names))
        sections.append((f"group{number}", named(balance, about), shown))
    sections.append(("provenance", "How this was made", list(made_by(balance))))
    sections = [entry for entry in sections if entry[2]]
    title, version = balance.record.spec.name, balance.record.version
    top = header(title, [summary(balance)], [(name, text) for name, text, _ in sections])
    body = "\n".join(section(name, text, inside) for name, text, inside in sections)
    foot = f"<footer><p>tabletop-arena {escape(version)}</p></footer>"
    main = f'{top}\n<main id="main">\n{body}\n</main>\n{foot}'
    return document(f"{title}: balance", main, ["page.js"], f"Balance analysis of {title}.")


def summary(balance: Balance) -> str:
    """How much was played, and how to read the page."""
    told = (
        f"{counted(balance.stored, 'match', 'matches')}. Intervals are 95 %, by deals. Point at a "
        "mark, or move through a chart with the arrow keys; headings of tables sort them."
    )
    if balance.stored < balance.planned:
        told += (
            f'</p><p class="warning">Not finished: {balance.stored:,} of {balance.planned:,} '
            "matches are stored."
        )
    return told


def verdicts(balance: Balance, said: pd.DataFrame, parts: list[Row]) -> Iterator[str]:
    """The sentences of each variant, each with the table it rests on."""
    for about in parts:
        sentences = [
            f"{row['sentence']} ({row['table'].replace('_', ' ')})"
            for row in records(of(said, about))
        ]
        heading = escape(named(balance, about))
        yield f'<div class="panel"><h3>{heading}</h3>{bullets(sentences)}</div>'


def group_parts(balance: Balance, about: Row, names: Names) -> Iterator[str]:
    """The tables of one variant and number of players, with a chart where one says more."""
    for name, make in SECTIONS.items():
        rows = of(getattr(balance, name), about)
        if rows.empty:
            continue
        whole = {"usage": usage_table, "setup": setup_table}.get(name)
        frame = whole(rows, len(rows)) if whole else make(rows)
        left = (*WORDS, "value") if name == "setup" else WORDS
        beside = table(frame, f"{name.replace('_', ' ').capitalize()}", left=left)
        drawn = DRAWN.get(name)
        title, chart = drawn(rows) if drawn else (PLAIN[name], None)
        if chart is None:
            note = f'<p class="note">{coded(LIMITS[name])}</p>'
            yield f'<article class="figure"><h3>{escape(title)}</h3>{beside}{note}</article>'
        else:
            yield figure(names, chart, title, beside, LIMITS[name].replace("`", ""))


def coded(text: str) -> str:
    """Text in which `words` are code, as HTML."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))


# --- charts: a title that says what to see, and the chart or None ---------------------------------

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
    labels = [f"{row['bot']} without {row['subject']}" for row in records(own)]
    chart = charts.whiskers(points(own, labels, "effect", 100), "wins above par (points)", par=0)
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


# --- provenance -----------------------------------------------------------------------------------


def made_by(balance: Balance) -> Iterator[str]:
    """Versions, machines, bots and config of the run, and how the numbers are made."""
    record = balance.record
    lines = [line for line in provenance(balance) if line and line != "---"]
    told = "".join(f"<p>{coded(line)}</p>" for line in lines)
    facts = fact_list(record, f"{balance.stored:,} of {balance.planned:,}")
    yield f'<div class="panel">{facts}{bot_table(record)}{config(record)}{told}</div>'
