"""Small multiples over the strength of bots: a panel for each seat and card, so that one sees what grows with skill."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.overview import own_rows
from arena.balance.seats import ALL
from arena.balance.sentences import records
from arena.balance.usage import SUBJECT
from arena.pages.source import interval

WIDTH, HEIGHT = 156, 104  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 8, 20  # what its axes take
MOST_CARDS = 8
Row = dict[str, Any]


@dataclass(frozen=True)
class Dot:
    """A bot in a panel: its number on the ladder, its value with interval (nan: none), and all of it in words."""

    number: int
    value: float
    low: float
    high: float
    hover: str


def growth(balance: Balance) -> Iterator[str]:
    """The panels of the baseline: every seat, and the cards out of line, with each number of players."""
    parts = [
        *block(
            "What each seat wins (%)", [seats_of(balance, about) for about in baseline(balance)]
        ),
        *(each for about in baseline(balance) for each in card_panels(balance, about)),
    ]
    if parts:
        yield f'<p class="note">{ladder_text(balance)}</p>'
        yield from parts


def ladder_text(balance: Balance) -> str:
    """Which number stands for which bot, and what is dashed."""
    order = ", ".join(f"{place} {escape(bot)}" for place, bot in enumerate(balance.plan.ladder, 1))
    return f"Bots from weak to strong: {order}. Dashed: an equal part, or as expected."


def baseline(balance: Balance) -> list[Row]:
    """The baseline's numbers of players."""
    rows = balance.samples[balance.samples.variant == balance.plan.baseline]
    return records(rows[["game", "variant", "players"]].drop_duplicates())


def seat_panels(balance: Balance, about: Row) -> Iterator[str]:
    """What every seat of one variant wins, for each bot."""
    yield from block("The seats over the strength of bots (%)", [seats_of(balance, about)])


def seats_of(balance: Balance, about: Row) -> list[str]:
    """A panel for each seat, of bots that play all seats; none where but one bot does."""
    rows = own_rows(balance.seats, about)
    rows = rows[rows.bot != ALL]
    if rows.bot.nunique() < 2:
        return []
    par = 100 * float(rows.par.iloc[0])
    ladder, form = balance.plan.ladder, Form("win_share", "wins", "%")
    return [
        panel(f"{side} of {about['players']}", dots(own, form, ladder), par, (0.0, 100.0))
        for side, own in rows.groupby("side", sort=False)
    ]


def card_panels(balance: Balance, about: Row) -> Iterator[str]:
    """How far users of the cards out of line win beyond what is expected of them, for each bot."""
    usage = own_rows(balance.usage, about)
    off = usage[(usage.family == SUBJECT) & usage.verdict.isin(["over", "under"])]
    rows = own_rows(balance.growth, about)
    form = Form("lift", "users", "points", "+")
    found = {
        name: dots(rows[rows.subject == name], form, balance.plan.ladder)
        for name in off.sort_values("p_value").subject.head(MOST_CARDS)
    }
    found = {name: own for name, own in found.items() if len(own) > 1}
    if not found:
        return
    values = [
        each for own in found.values() for dot in own for each in (dot.value, dot.low, dot.high)
    ]
    reach = float(np.nanmax(np.abs(values)))
    more = f", the {len(found)} clearest of {len(off)}" if len(off) > len(found) else ""
    kind = balance.game.subjects.kind.capitalize()
    title = f"{kind} out of line{more}: what their users win beyond the expected (points)"
    with_ = f" ({about['players']} players)"
    drawn = [
        panel(f"{name.replace('_', ' ')}{with_}", own, 0.0, (-reach, reach))
        for name, own in found.items()
    ]
    yield from block(title, [drawn])


@dataclass(frozen=True)
class Form:
    """How a panel reads its rows: the column, and the words around its number."""

    column: str
    verb: str
    unit: str
    sign: str = ""

    def text(self, row: Row, middle: float, low: float, high: float) -> str:
        """What is told of a dot."""
        number = f"{{:{self.sign}.1f}}"
        span = interval(low, high, number)
        return f"{row['bot']}: {self.verb} {number.format(middle)} {self.unit}{span}"


def dots(rows: pd.DataFrame, form: Form, ladder: Sequence[str]) -> list[Dot]:
    """The dots of a panel, weakest bot first, values in percent."""
    found: list[Dot] = []
    for row in records(rows):
        if row["bot"] in ladder and pd.notna(row[form.column]):
            value, low, high = (
                100 * float(row[f"{form.column}{end}"]) for end in ("", "_low", "_high")
            )
            said = form.text(row, value, low, high)
            found.append(Dot(ladder.index(row["bot"]) + 1, value, low, high, said))
    return sorted(found, key=lambda dot: dot.number)


def block(title: str, groups: Sequence[Sequence[str]]) -> Iterator[str]:
    """Groups of panels, in each beside each other as many as have room; nothing without any."""
    rows = "".join(f'<div class="multiples">{"".join(own)}</div>' for own in groups if own)
    if rows:
        yield f'<div class="panel"><h3>{escape(title)}</h3><div class="multiple-groups">{rows}</div></div>'


def panel(name: str, own: Sequence[Dot], par: float, domain: tuple[float, float]) -> str:
    """One panel as SVG."""
    low, high = domain
    last = max((dot.number for dot in own), default=1)

    def x(number: int) -> float:
        return LEFT + (number - 0.5) * (WIDTH - LEFT - RIGHT) / last

    def y(value: float) -> float:
        part = (min(max(value, low), high) - low) / ((high - low) or 1.0)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    ticks = "".join(
        f'<text x="{LEFT - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.0f}</text>'
        for value in (low, par, high)
    )
    numbers = "".join(
        f'<text x="{x(dot.number):.1f}" y="{HEIGHT - 4}" text-anchor="middle">{dot.number}</text>'
        for dot in own
    )
    path = " ".join(f"{x(dot.number):.1f},{y(dot.value):.1f}" for dot in own)
    marks = "".join(mark(dot, x(dot.number), y) for dot in own)
    drawn = (
        f'<svg class="chart multiple" role="graphics-document" tabindex="0" aria-label="{escape(name, quote=True)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" xmlns="http://www.w3.org/2000/svg">'
        f'<g aria-hidden="true">{ticks}{numbers}<line class="par" x1="{LEFT}" x2="{WIDTH - RIGHT}" '
        f'y1="{y(par):.1f}" y2="{y(par):.1f}"/><polyline points="{path}"/></g>{marks}</svg>'
    )
    return f"<figure><figcaption>{escape(name)}</figcaption>{drawn}</figure>"


def mark(dot: Dot, x: float, y: Any) -> str:
    """A dot with its interval."""
    span = (
        ""
        if np.isnan(dot.low)
        else f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y(dot.low):.1f}" y2="{y(dot.high):.1f}"/>'
    )
    label = escape(dot.hover, quote=True)
    return (
        f'<g role="graphics-symbol" aria-roledescription="bot" aria-label="{label}">{span}'
        f'<circle cx="{x:.1f}" cy="{y(dot.value):.1f}" r="3.6"/></g>'
    )
