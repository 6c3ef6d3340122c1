"""A balance analysis as one HTML file: three sentences and one table, all else folded behind them."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.lead import Said, first_screen
from arena.balance.overview import own_rows
from arena.balance.page import (
    IN_SHORT,
    behind,
    groups,
    page_title,
    part_name,
    provenance,
    variant_name,
)
from arena.balance.readable import LIMITS, SECTIONS, setup_table, table_title, usage_table
from arena.balance.sentences import records
from arena.pages.balance_charts import DRAWN, PLAIN
from arena.pages.html import Names, bullets, document, figure, folded, header, section, table
from arena.pages.html import about as about_text
from arena.pages.multiples import card_panels, growth, seat_panels
from arena.pages.overview import overview_table
from arena.pages.provenance import bot_table, config, fact_list
from arena.pages.report import counted
from arena.plan.wording import counts_text
from arena.store.files import write_text

WORDS = (
    *("bot", "side", "section", "measure", "verdict", "family", "name", "fact", "outcome"),
    "forbidden",
)
PANELS = {"seats": seat_panels, "usage": card_panels}  # over the strength of bots
Row = dict[str, Any]


def write_balance_page(balance: Balance, said: pd.DataFrame, file: Path) -> None:
    """Write an analysis with its verdict as one page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, balance_html(balance, said))


def balance_html(balance: Balance, said: pd.DataFrame) -> str:
    """The page: lead, overview, the strength of bots, then folded the details of each variant and provenance."""
    names, parts = Names(), groups(said)
    places = {key_of(about): number for number, about in enumerate(parts, 1)}
    made, told = first_screen(balance)
    shown = overview_table(balance, made, lambda about: f"g{places[key_of(about)]}")
    sections = [
        ("short", IN_SHORT, [lead_list(told), shown] if told else []),
        ("growth", "Does it grow with skill?", list(growth(balance))),
        ("details", "Details", list(variants(balance, said, parts, names))),
        (
            "provenance",
            "How this was made",
            [folded("made", "Versions, bots, config and methods", made_by(balance))],
        ),
    ]
    sections = [entry for entry in sections if any(entry[2])]
    title, version = page_title(balance), balance.record.version
    top = header(title, [summary(balance)], [(name, text) for name, text, _ in sections])
    body = "\n".join(section(name, text, inside) for name, text, inside in sections)
    foot = f"<footer><p>tabletop-arena {escape(version)}</p></footer>"
    main = f'{top}\n<main id="main">\n{body}\n</main>\n{foot}'
    return document(title, main, ["page.js"], f"Balance analysis of {balance.game.title}.")


def key_of(about: Row) -> tuple[str, int]:
    """What tells the parts of a page apart."""
    return str(about["variant"]), int(about["players"])


def lead_list(told: Sequence[Said]) -> str:
    """The sentences above everything, each with the tables it rests on."""
    entries = "".join(
        f'<li>{escape(one.sentence)} <span class="behind">({escape(behind(one))})</span></li>'
        for one in told
    )
    return f'<div class="lead"><ul>{entries}</ul></div>'


def summary(balance: Balance) -> str:
    """How much was played, and how to read the page."""
    told = (
        f"{escape(balance.record.spec.name)}: {counted(balance.stored, 'match', 'matches')} between "
        f"{counted(len(balance.plan.ladder), 'bot')}. Intervals are 95 %, by deals. Choose a cell to see its chart."
    )
    if balance.sampled_text:
        told += f" Everything on this page is {balance.sampled_text}."
    if balance.stored < balance.planned:
        told += (
            f'</p><p class="warning">Not finished: {balance.stored:,} of {balance.planned:,} '
            "matches are stored."
        )
    return told


# --- details --------------------------------------------------------------------------------------


def variants(balance: Balance, said: pd.DataFrame, parts: list[Row], names: Names) -> Iterator[str]:
    """One folded block for each variant, in it a part for each number of players."""
    for label in dict.fromkeys(str(about["variant"]) for about in parts):
        own = [(n, about) for n, about in enumerate(parts, 1) if about["variant"] == label]
        inside = (part(balance, said, about, f"g{n}", names) for n, about in own)
        many = counts_text([about["players"] for _, about in own], last="and")
        heading = f"{variant_name(balance, own[0][1])} · {many}"
        yield folded(f"v{own[0][0]}", heading, inside, "variant")


def part(balance: Balance, said: pd.DataFrame, about: Row, name: str, names: Names) -> str:
    """What is said of one variant at one number of players, then each table folded."""
    sentences = [
        f"{row['sentence']} ({table_title(row['table'])})" for row in records(own_rows(said, about))
    ]
    heading = escape(part_name(balance, about))
    inside = "\n".join(tables(balance, about, name, names))
    key = about_text((str(about["game"]), str(about["variant"]), int(about["players"])))
    return f'<section id="{name}" class="part"{key}><h3>{heading}</h3>{bullets(sentences)}{inside}</section>'


def tables(balance: Balance, about: Row, name: str, names: Names) -> Iterator[str]:
    """The tables of one variant and number of players, with a chart where one says more; each folded."""
    for kind, make in SECTIONS.items():
        rows = own_rows(getattr(balance, kind), about)
        if rows.empty:
            continue
        whole = {"usage": usage_table, "setup": setup_table}.get(kind)
        frame = whole(rows, len(rows)) if whole else make(rows)
        left = (*WORDS, "value") if kind == "setup" else WORDS
        beside = table(frame, table_title(kind).capitalize(), left=left)
        drawn = DRAWN.get(kind)
        title, chart = drawn(rows) if drawn else (PLAIN[kind], None)
        if chart is None:
            note = f'<p class="note">{coded(LIMITS[kind])}</p>'
            shown = f'<article class="figure"><h4>{escape(title)}</h4>{beside}{note}</article>'
        else:
            shown = figure(names, chart, title, beside, LIMITS[kind].replace("`", ""), level=4)
        panels = PANELS[kind](balance, about) if kind in PANELS else ()
        yield folded(f"{name}-{kind}", table_title(kind).capitalize(), [shown, *panels])


def coded(text: str) -> str:
    """Text in which `words` are code, as HTML."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))


# --- provenance -----------------------------------------------------------------------------------


def made_by(balance: Balance) -> Iterator[str]:
    """Versions, machines, bots and config of the run, and how the numbers are made."""
    record = balance.record
    lines = [line for line in provenance(balance) if line and line != "---"]
    told = "".join(f"<p>{coded(line)}</p>" for line in lines)
    facts = fact_list(record, f"{balance.stored:,} of {balance.planned:,}")
    yield f'<div class="panel">{facts}{bot_table(record)}{config(record)}{told}</div>'
