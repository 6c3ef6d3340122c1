"""The table of a balance analysis: variants and players against the questions of a designer, each cell a link."""

from collections.abc import Callable, Iterator
from html import escape

import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.overview import (
    ASKED,
    CARDS,
    IN_LINE,
    MARKS,
    MEANING,
    OFF,
    TOO_FEW,
    UNDECIDED,
    YARDSTICK,
    Row,
    cell_text,
    change_text,
    grid,
)
from arena.balance.page import variant_name

SIGNS = {  # what tells the marks apart without colour
    IN_LINE: ("✓", "fine"),
    OFF: ("▲", "off"),
    UNDECIDED: ("?", "open"),
    YARDSTICK: ("=", "base"),
    TOO_FEW: ("…", "open"),
}


def overview_table(balance: Balance, made: pd.DataFrame, place: Callable[[Row], str]) -> str:
    """The table, and what its columns and marks mean; place: the id of the details of a variant and players."""
    if made.empty:
        return ""
    names = {CARDS: f"{balance.game.subjects.kind} out of line".capitalize()}
    heads = "".join(
        f'<th scope="col" role="columnheader" class="ask">{escape(names.get(each, each))}</th>'
        for each in ASKED
    )
    rows = "".join(row_of(balance, about, cells, place(about)) for about, cells in grid(made))
    top = '<th scope="col" role="columnheader">Variant</th><th scope="col" role="columnheader">Players</th>'
    return (
        '<div class="panel"><table class="overview" role="table">'
        f'<caption>Variants and players against {len(ASKED)} questions</caption><thead role="rowgroup">'
        f'<tr role="row">{top}{heads}</tr></thead><tbody role="rowgroup">{rows}</tbody></table>'
        f"{''.join(legend(names))}</div>"
    )


def row_of(balance: Balance, about: Row, cells: dict[str, Row], place: str) -> str:
    """One variant at one number of players."""
    own = "".join(cell_of(cells.get(each), each, place) for each in ASKED)
    return (
        f'<tr role="row"><th scope="row" role="rowheader">{escape(variant_name(balance, about))}</th>'
        f'<td role="cell" class="players">{about["players"]}<span class="unit"> players</span></td>{own}</tr>'
    )


def cell_of(cell: Row | None, question: str, place: str) -> str:
    """One cell: value, interval and mark, all a link to its chart and details."""
    label = escape(question, quote=True)
    if cell is None:
        return f'<td role="cell" class="ask" data-label="{label}">–</td>'
    value, span = cell_text(cell)
    sign, kind = SIGNS[cell["mark"]]
    said = escape("; ".join(filter(None, (MEANING[question], change_text(cell)))), quote=True)
    return (
        f'<td role="cell" class="ask" data-label="{label}"><a href="#{place}-{cell["table"]}" title="{said}">'
        f'<b>{escape(value)}</b> <span class="span">{escape(span)}</span> '
        f'<span class="mark {kind}"><span aria-hidden="true">{sign}</span> {escape(cell["mark"])}</span></a></td>'
    )


def legend(names: dict[str, str]) -> Iterator[str]:
    """What columns and marks mean."""
    asked = "; ".join(
        f"<b>{escape(names.get(each, each))}</b>: {escape(text)}" for each, text in MEANING.items()
    )
    yield f'<p class="note">{asked}.</p>'
    marks = "; ".join(
        f'<span class="mark {SIGNS[mark][1]}"><span aria-hidden="true">{SIGNS[mark][0]}</span> {mark}</span> '
        f"{escape(text)}"
        for mark, text in MARKS.items()
    )
    yield f'<p class="note">{marks}.</p>'
