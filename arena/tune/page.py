"""A tuning as one HTML file: the answer, the best on fresh deals, the course of the search, its options."""

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import yaml

from arena.pages import charts
from arena.pages.html import Names, code, document, figure, header, paragraph, section, table
from arena.pages.search_charts import course, slice_of
from arena.statistics.sentences import ELO, PP, spanned
from arena.store.files import write_text
from arena.store.provenance import package_version
from arena.tune.config import START, plain
from arena.tune.course import BATCHES, CONFIRM, Tuned, rungs_of
from arena.tune.space import Span, point_text, worded
from arena.tune.study import Trial
from arena.tune.words import (
    CAUTION,
    IMPORTANCE,
    NAME,
    answer,
    beside,
    importance_table,
    shown_table,
    title,
    what,
)

GAIN = "score beside the start (points)"


def write_page(tuned: Tuned) -> None:
    """Write tune.html into the folder of a tuning."""
    write_text(tuned.folder / f"{NAME}.html", page_html(tuned))


def page_html(tuned: Tuned) -> str:
    """The page."""
    names = Names()
    sections = [
        ("short", "In short", [lead(tuned), *confirmed(tuned, names)]),
        ("search", "The search", list(searched(tuned, names))),
        ("options", "Option by option", list(options(tuned, names))),
        ("provenance", "How this was made", [made_by(tuned)]),
    ]
    sections = [entry for entry in sections if any(entry[2])]
    top = header(title(tuned), [escape(what(tuned))], [(name, text) for name, text, _ in sections])
    body = "\n".join(section(name, text, inside) for name, text, inside in sections)
    foot = f"<footer><p>tabletop-arena {escape(package_version())}</p></footer>"
    main = f'{top}\n<main id="main">\n{body}\n</main>\n{foot}'
    return document(title(tuned), main, ["page.js"], f"Tuning {tuned.tuning.spec.name}.")


def lead(tuned: Tuned) -> str:
    """The sentences above everything; commands and bots to paste as code."""
    entries = [escape(answer(tuned))]
    for line in beside(tuned):
        before, colon, pasted = line.partition(": ")
        said = f"{escape(before)}: {code(pasted)}" if before.startswith("To ") else escape(line)
        entries.append(said if colon else escape(line))
    return f'<div class="lead"><ul>{"".join(f"<li>{one}</li>" for one in entries)}</ul></div>'


def confirmed(tuned: Tuned, names: Names) -> Iterator[str]:
    """The best few on fresh deals, with the intervals of all of them together."""
    if not tuned.finalists:
        return
    rows = [
        {
            "name": point_text(trial.point),
            "value": made.estimate,
            "low": made.low if np.isfinite(made.low) else np.nan,
            "high": made.high if np.isfinite(made.high) else np.nan,
            "hover": f"{point_text(trial.point)}: {spanned(made.estimate, made.low, made.high, ELO, '+')}",
        }
        for trial, made in tuned.finalists
    ]
    frame = pd.DataFrame(
        {
            "options": [row["name"] for row in rows],
            "Elo beside the start": [
                spanned(made.estimate, made.low, made.high, ELO, "+") for _, made in tuned.finalists
            ],
            "outcome": [made.outcome for _, made in tuned.finalists],
            "deals": [made.deals for _, made in tuned.finalists],
        }
    )
    said = f"The best {len(rows)} on {tuned.tuning.spec.confirm:,} deals that the search never saw"
    shown = table(frame, "Intervals of all of them together (Holm)", left=("options", "outcome"))
    chart = charts.whiskers(pd.DataFrame(rows), "Elo beside the start", 0.0)
    yield figure(names, chart, said, shown)


def searched(tuned: Tuned, names: Names) -> Iterator[str]:
    """What each trial came to."""
    played = played_rows(tuned)
    if not len(played):
        return
    left = (*(one.name for one in tuned.tuning.space.dimensions),)
    beside_it = table(shown_table(tuned), "All trials, the best first", left=left)
    said = f"{len(played)} trials, the best {played['value'].max():+.1f} points beside the start"
    note = f"Grey: played only the first rungs. Line: the best so far. Dashed: the start. {CAUTION}"
    yield figure(names, course(played, GAIN), said, beside_it, note)


def options(tuned: Tuned, names: Names) -> Iterator[str]:
    """How much goes along with each option, and the trials by its value."""
    played = played_rows(tuned)
    moved = importance_table(tuned)
    if len(moved):
        hover = [f"{name}: {share:.0f} %" for name, share in moved.itertuples(index=False)]
        chart = charts.shares(moved.assign(hover=hover), "of the differences (%)")
        frame = pd.DataFrame(
            {"option": moved["name"], "%": [f"{share:.0f}" for share in moved["share"]]}
        )
        shown = table(frame, "Share of the differences between trials", left=("option",))
        first = f"{moved['name'].iloc[0]} goes along with most of the differences"
        yield figure(names, chart, first, shown, IMPORTANCE)
    for one in tuned.tuning.space.dimensions if len(played) else ():
        values = [trial.point[one.name] for trial in tuned.trials if trial.values]
        numbers = isinstance(one, Span)
        frame = played.assign(option=values if numbers else [worded(value) for value in values])
        if not numbers:
            order = {worded(value): n for n, value in enumerate(one.values())}
            frame = frame.sort_values("option", key=lambda words: words.map(order))
        log = isinstance(one, Span) and one.log
        yield figure(names, slice_of(frame, one.name, GAIN, log), one.name, slice_table(frame))


def slice_table(frame: pd.DataFrame) -> str:
    """The trials by the value of an option."""
    rows = frame.sort_values("option") if frame["option"].dtype.kind in "if" else frame
    shown = pd.DataFrame(
        {
            "value": [worded(value) for value in rows["option"]],
            "trial": rows["trial"],
            "points": [f"{value:+.1f}" for value in rows["value"]],
        }
    )
    return table(shown, "Trials by value", left=("value",))


def played_rows(tuned: Tuned) -> pd.DataFrame:
    """The trials that were played, in order: trial, value (points), best so far, full, hover."""
    rungs, best = len(tuned.tuning.rungs), -np.inf
    rows: list[dict[str, Any]] = []
    for trial in tuned.trials:
        if not trial.values:
            continue
        value = 100 * trial.values[0]
        best = max(best, value)
        full = len(rungs_of(trial)) == rungs
        rows.append(
            {"trial": trial.number, "value": value, "best": best, "full": full}
            | {"hover": hover(trial, value)}
        )
    return pd.DataFrame(rows)


def hover(trial: Trial, value: float) -> str:
    """A trial in a line."""
    deals = sum(len(rung) for rung in rungs_of(trial))
    gain = spanned(value / 100, np.nan, np.nan, PP, "+")
    return f"trial {trial.number}, {point_text(trial.point)}: {gain} on {deals} deals"


def made_by(tuned: Tuned) -> str:
    """The config, and where everything lies."""
    shown = {name: value for name, value in plain(tuned.tuning.spec).items() if name != "salt"}
    text = yaml.safe_dump(shown, sort_keys=False, allow_unicode=True)
    told = (
        f"Every batch is a run below {BATCHES}/, the start's own below {BATCHES}/{START}/, the "
        f"confirmation the run {CONFIRM}/: arena report and arena replay show them."
    )
    folded = (
        f"<details><summary>The config</summary><pre tabindex='0'>{escape(text)}</pre></details>"
    )
    return f'<div class="panel">{paragraph(told)}{folded}</div>'
