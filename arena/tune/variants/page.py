"""A search for a variant as one HTML file: the answer first, charts of what was confirmed, all else folded."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from arena.balance.page import IN_SHORT
from arena.balance.sentences import unit_of
from arena.pages import charts
from arena.pages.html import Names, document, figure, folded, header, paragraph, section, table
from arena.pages.provenance import bot_table, config, fact_list
from arena.pages.source import interval
from arena.statistics.sentences import figure as number
from arena.store.files import write_text
from arena.tune.variants.advice import Judged, Recommended, variant_words
from arena.tune.variants.effects import Effect
from arena.tune.variants.sought import (
    CONFIRMED,
    EFFECTS,
    FRONT,
    NOTES,
    TRIALS,
    Sought,
    lead,
    provenance,
)
from arena.tune.variants.tables import clearness, effect_text
from arena.tune.variants.targets import Target

LEFT = ("variant", "measure", "aim", "verdict", "option", "change", "outcome")
IDS = {CONFIRMED: "confirmed", FRONT: "front", EFFECTS: "effects", TRIALS: "trials"}
MOST_EFFECTS = 8  # of a chart


def write_search_page(sought: Sought, file: Path) -> None:
    """Write the page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, search_html(sought))


def search_html(sought: Sought) -> str:
    """The page."""
    names = Names()
    inside = {
        CONFIRMED: confirmed(sought, names),
        FRONT: [plain(sought, FRONT)],
        EFFECTS: moving(sought, names),
        TRIALS: [folded("tried", "Every variant of the first rung", [plain(sought, TRIALS)])],
    }
    sections = [("short", IN_SHORT, [lead_list(sought)])]
    sections += [
        (IDS[heading], heading, list(parts))
        for heading, parts in inside.items()
        if len(sought.tables[heading])
    ]
    sections.append(
        ("made", "How this was made", [folded("how", "Versions, bots, methods", made_by(sought))])
    )
    top = header(sought.title, [facts(sought)], [(name, text) for name, text, _ in sections])
    body = "\n".join(section(name, text, parts) for name, text, parts in sections)
    foot = f"<footer><p>tabletop-arena {escape(sought.record.version)}</p></footer>"
    main = f'{top}\n<main id="main">\n{body}\n</main>\n{foot}'
    about = f"A search for rules of {sought.found.wanted.game.title} that meet targets."
    return document(sought.title, main, ["page.js"], about)


def facts(sought: Sought) -> str:
    """How much was played, and what for."""
    found = sought.found
    aims = "; ".join(f"{t.kind.words} {t.aim}" for t in found.wanted.targets)
    return escape(f"{found.wanted.spec.name}: {found.matches:,} matches. Targets: {aims}.")


def lead_list(sought: Sought) -> str:
    """The sentences above everything."""
    entries = "".join(f"<li>{escape(text)}</li>" for text in lead(sought))
    return f'<div class="lead"><ul>{entries}</ul></div>'


def plain(sought: Sought, heading: str) -> str:
    """A table with what it means."""
    beside = table(sought.tables[heading], heading, left=LEFT)
    return f'<article class="figure">{beside}{paragraph(NOTES[heading], "note")}</article>'


# --- what was confirmed ---------------------------------------------------------------------------


def confirmed(sought: Sought, names: Names) -> Iterator[str]:
    """A chart of all confirmed variants for each number of a target, then the table."""
    made = sought.recommended
    for place, first in enumerate(made[0].judged):
        rows = [(one, one.judged[place]) for one in made if len(one.judged) > place]
        target = first.reading.target
        if any(math.isfinite(judged.claim.low) for _, judged in rows):
            chart = charts.whiskers(points(sought, rows), axis(target), par=edges(target))
            said = sum(judged.standing == "met" for _, judged in rows)
            title = f"{first.reading.what}: {said} of {len(rows)} variants are in range for sure"
            yield figure(names, chart, capital(title), listed(sought, rows), level=3)
    yield plain(sought, CONFIRMED)


def points(sought: Sought, rows: Sequence[tuple[Recommended, Judged]]) -> pd.DataFrame:
    """The rows of a chart."""
    found = []
    for one, judged in rows:
        scale, claim = judged.reading.target.unit.scale, judged.claim
        value, low, high = (scale * each for each in (claim.estimate, claim.low, claim.high))
        name = variant_words(sought.found, one.tried)
        hover = f"{name}: {value:.1f}{interval(low, high, '{:.1f}')}, {judged.standing}"
        found.append({"name": name, "value": value, "low": low, "high": high, "hover": hover})
    return pd.DataFrame(found)


def listed(sought: Sought, rows: Sequence[tuple[Recommended, Judged]]) -> str:
    """The table beside a chart."""
    frame = sought.tables[CONFIRMED]
    what, players = rows[0][1].reading.what, rows[0][1].reading.players
    own = frame[(frame.measure == what) & (frame.players == players)]
    shown = own[["variant", "value"]].assign(verdict=[judged.standing for _, judged in rows])
    return table(shown, what, left=LEFT)


def axis(target: Target) -> str:
    """The words of an axis."""
    return f"{target.kind.words}{f' ({target.unit.word.strip()})' if target.unit.word else ''}; dashed: the aim"


def edges(target: Target) -> tuple[float, ...]:
    """The ends of a target's range as the chart draws them."""
    return tuple(
        target.unit.scale * end for end in (target.least, target.most) if math.isfinite(end)
    )


def capital(text: str) -> str:
    """Text with a capital."""
    return text[:1].upper() + text[1:]


# --- what options do ------------------------------------------------------------------------------


def moving(sought: Sought, names: Names) -> Iterator[str]:
    """A chart of the clearest effects on each target, then all of them folded."""
    for target in sought.found.steps[0].targets:
        own = sorted((e for e in sought.effects if e.target == target), key=clearness)
        shown = [e for e in own if e.claim.outcome == "differs"][:MOST_EFFECTS]
        if shown:
            chart = charts.whiskers(effect_points(shown), f"change of {target.kind.words}", par=0.0)
            best = max(shown, key=lambda effect: abs(effect.claim.estimate))
            title = f"{best.what}: most of all by {best.option.replace('_', ' ')} {best.change}, {effect_text(best)}"
            rows = [{"option": name_of(e), "effect": effect_text(e)} for e in shown]
            beside = table(pd.DataFrame(rows), target.kind.words, left=LEFT)
            yield figure(names, chart, capital(title), beside, level=3)
    yield folded("all-effects", "All effects", [plain(sought, EFFECTS)])


def name_of(effect: Effect) -> str:
    """An effect's change of an option."""
    return f"{effect.option.replace('_', ' ')} {effect.change}"


def effect_points(shown: Sequence[Effect]) -> pd.DataFrame:
    """The rows of a chart of effects."""
    rows = []
    for effect in shown:
        unit = unit_of(effect.target.kind.unit, change=True)
        claim = effect.claim
        value, low, high = (unit.scale * x for x in (claim.estimate, claim.low, claim.high))
        hover = (
            f"{name_of(effect)}: {number(claim.estimate, unit, '+')}{interval(low, high, '{:.1f}')}"
        )
        rows.append(
            {"name": name_of(effect), "value": value, "low": low, "high": high, "hover": hover}
        )
    return pd.DataFrame(rows)


def made_by(sought: Sought) -> Iterator[str]:
    """How the page was made."""
    record = sought.record
    told = "".join(
        paragraph(line.replace("`", "").replace("\\", ""))
        for line in provenance(sought)
        if line and line != "---"
    )
    matches = f"{sought.found.matches:,}"
    yield f'<div class="panel">{fact_list(record, matches)}{bot_table(record)}{config(record)}{told}</div>'
