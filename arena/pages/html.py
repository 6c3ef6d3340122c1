"""The pieces that pages are made of: documents, sections, sortable tables, charts with their table."""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

import pandas as pd

from arena.pages import drawing

MARKS = re.compile(r"(?<=[:=,_/])(?=\w)")  # behind which a name may be folded
LEFT = ("bot", "opponent", "what is used", "note")  # headings of columns of words


@dataclass(frozen=True)
class Cell:
    """A cell that holds HTML instead of text."""

    html: str

    def __str__(self) -> str:
        """The HTML as it stands."""
        return self.html


@dataclass
class Names:
    """Names for the ids of one page, each given once."""

    _count: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def new(self, kind: str) -> str:
        """A fresh id."""
        return f"{kind}{next(self._count)}"


def document(
    title: str, body: str, scripts: Iterable[str], description: str, style: str = ""
) -> str:
    """A whole page with its style (and what is added to it) and scripts in it; it asks for nothing else."""
    code = "\n".join(asset(name) for name in scripts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="{escape(description, quote=True)}">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>
{asset("page.css")}{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
{body}
<script>
{code}</script>
</body>
</html>
"""


def asset(name: str) -> str:
    """The text of a style or script of this package."""
    return (files("arena.pages") / name).read_text(encoding="utf-8")


def header(title: str, lines: Sequence[str], links: Sequence[tuple[str, str]]) -> str:
    """The top of a page: title, facts, and links to its sections (id, label)."""
    facts = "".join(f"<p>{line}</p>" for line in lines)
    entries = "".join(f'<li><a href="#{target}">{escape(text)}</a></li>' for target, text in links)
    contents = f'<nav aria-label="Sections"><ul>{entries}</ul></nav>' if entries else ""
    return f"<header><h1>{foldable(title)}</h1>{facts}{contents}</header>"


def foldable(text: str) -> str:
    """A text as HTML whose names may go on in the next line behind a mark, not in the middle of a word."""
    return "<wbr>".join(map(escape, MARKS.split(text)))


def about(key: tuple[str, str, int]) -> str:
    """Attributes that say which game, variant and number of players an element is about."""
    game, variant, players = (escape(str(each), quote=True) for each in key)
    return f' data-game="{game}" data-variant="{variant}" data-players="{players}"'


def section(
    name: str,
    heading: str,
    parts: Iterable[str],
    level: int = 2,
    key: tuple[str, str, int] | None = None,
) -> str:
    """A section with an id to link to; key: of the matches that it is about."""
    inside = "\n".join(part for part in parts if part)
    return (
        f'<section id="{name}" aria-labelledby="{name}-h"{about(key) if key else ""}>\n'
        f'<h{level} id="{name}-h">{foldable(heading)}</h{level}>\n{inside}\n</section>'
    )


def folded(name: str, heading: str, parts: Iterable[str], kind: str = "") -> str:
    """Parts behind a heading that opens them, with an id to link to; a link to what is inside opens it too."""
    inside = "\n".join(part for part in parts if part)
    shown = f' class="{kind}"' if kind else ""
    return (
        f'<details id="{name}"{shown}><summary>{foldable(heading)}</summary>\n{inside}\n</details>'
    )


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    shown = f' class="{kind}"' if kind else ""
    return f"<p{shown}>{escape(text)}</p>"


def bullets(texts: Iterable[str]) -> str:
    """A list of plain texts."""
    entries = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{entries}</ul>" if entries else ""


def table(frame: pd.DataFrame, caption: str, left: Sequence[str] = LEFT) -> str:
    """A table of texts that sorts by any column; the first text column names the row, where it says anything.

    frame: a column's name is its heading. left: columns of words, the rest are figures.
    """
    heads = [str(name).strip() for name in frame.columns]
    kinds = ["word" if head in left else "number" for head in heads]
    top = "".join(
        f'<th scope="col" class="{kind}"><button type="button">{escape(head)}</button></th>'
        for head, kind in zip(heads, kinds, strict=True)
    )
    key = kinds.index("word") if "word" in kinds else 0
    rows = []
    for row in frame.itertuples(index=False):
        cells = []
        for number, (value, kind) in enumerate(zip(row, kinds, strict=True)):
            plain = foldable if kind == "word" else escape
            text = str(value) if isinstance(value, Cell) else plain(str(value))
            tag, scope = ("th", ' scope="row"') if number == key and text else ("td", "")
            cells.append(f'<{tag}{scope} class="{kind}">{text}</{tag}>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    label = escape(caption, quote=True)
    return (
        f'<div class="scroll" role="group" tabindex="0" aria-label="{label}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def figure(
    names: Names,
    chart: Any,
    title: str,
    beside: str,
    note: str = "",
    level: int = 3,
    narrow: Any = None,
) -> str:
    """A chart under a title that says what to see, with its table beside it; narrow: the same for telephones."""
    drawn = drawing.svg_text(chart, names.new("chart"), title)
    if narrow is not None:
        small = drawing.svg_text(narrow, names.new("chart"), title)
        drawn = f'<div class="for-wide">{drawn}</div><div class="for-narrow">{small}</div>'
    below = f'<p class="note">{escape(note)}</p>' if note else ""
    return (
        f'<article class="figure"><h{level}>{foldable(title)}</h{level}>'
        f'<div class="pair"><div class="drawn">{drawn}{below}</div>'
        f'<div class="beside">{beside}</div></div></article>'
    )


def texts(values: Iterable[Any], form: Callable[[Any], str]) -> list[str]:
    """Values as text; nothing where there is none."""
    return ["" if pd.isna(value) else form(value) for value in values]


def code(text: str) -> str:
    """A command or a name of the program."""
    return f"<code>{escape(text)}</code>"
