"""Leaderboards, balance pages and reports by game, variant and players: which there are, and what fits of each.

Pages say in attributes of a part what it is about; of pages published before that was so, the headings say it
("karmaka (hand_size=3), 2 players").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, urlencode

from arena.plan.identity import DEFAULT
from arena.web.runs import Entry, address
from arena.web.shell import page
from engines.core import game_names, load_game

PUBLISHED = (
    *("*.html", "leaderboards/*.html", "results/leaderboards/*.html"),
    *("results/*/leaderboard.html", "results/*/balance.html"),
)
MOST_PUBLISHED = 200
HEADED = re.compile(
    r"<(section|details|article|div)\b[^>]*>\s*<(h2|h3|summary)\b[^>]*>(.*?)</\2>",
    re.S,
)
TAGS = re.compile(r"<[^>]*>")
DATA = re.compile(r'data-game="([^"]*)" data-variant="([^"]*)" data-players="(\d+)"')
ABOUT = re.compile(r"([\w -]+?)(?: \((.+)\))?[,:] (\d) players?\b")
MOST_LISTED = 500


@dataclass(frozen=True)
class Key:
    """What a table is about, or what is looked for: then an empty field asks for nothing."""

    game: str = ""
    variant: str = ""
    players: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Key":
        """From the fields of an address; other fields mean nothing."""
        return cls(*(asked.get(field.name, "")[:300] for field in fields(cls)))

    def fits(self, other: "Key") -> bool:
        """Whether another one is what this asks for."""
        wanted, found = asdict(self), asdict(other)
        return all(not value or found[name] == value for name, value in wanted.items())

    @property
    def query(self) -> str:
        """As the end of an address."""
        said = urlencode({name: value for name, value in asdict(self).items() if value})
        return f"?{said}" if said else ""


@dataclass(frozen=True)
class Part:
    """A piece of a page: what it is about, its id (or none), and where it stands in the text."""

    key: Key
    anchor: str
    start: int
    end: int


def published(folder: Path) -> list[str]:
    """Leaderboards and balance pages that lie below the folder; links that lead out of it are none."""
    root = folder.resolve()
    found = [file for pattern in PUBLISHED for file in folder.glob(pattern) if file.is_file()]
    inside = [file for file in found if file.resolve().is_relative_to(root)]
    return sorted({file.relative_to(folder).as_posix() for file in inside})[:MOST_PUBLISHED]


def kind_of(path: str) -> str:
    """What a published page is, by its name."""
    return "balance" if Path(path).stem.startswith("balance") else "leaderboard"


@lru_cache(maxsize=MOST_PUBLISHED)
def parts_of_file(file: Path, changed: int) -> tuple[Part, ...]:
    """The parts of a published page, kept until it changes (`changed`: its time in ns)."""
    return tuple(parts_of(file.read_text(encoding="utf-8", errors="replace")))


def parts_of(html: str) -> Iterator[Part]:
    """The pieces of a page whose headings name a game and a number of players."""
    for found in HEADED.finditer(html):
        opening = html[found.start() : found.start(2)]
        said = DATA.search(opening)
        about = ABOUT.match(unescape(TAGS.sub("", found[3])).strip())
        if said is not None:
            key = Key(*map(unescape, said.groups()))
        elif about is not None:
            key = Key(game_name(about[1]), about[2] or DEFAULT, about[3])
        else:
            continue
        anchor = re.search(r'\bid="([\w-]+)"', opening)
        end = closing(html, found[1], found.start())
        yield Part(key, anchor[1] if anchor else "", found.start(), end)


def game_name(text: str) -> str:
    """A game by its name where a heading has its title."""
    known = {load_game(name).title: name for name in game_names()}
    return known.get(text, text)


def closing(html: str, tag: str, start: int) -> int:
    """Where the element that begins at `start` ends."""
    depth = 0
    for found in re.compile(rf"<(/?){tag}\b").finditer(html, start):
        depth += -1 if found[1] else 1
        if not depth:
            return html.index(">", found.end()) + 1
    return len(html)


def fitting(html: str, wanted: Key) -> str:
    """A page with a form to choose from its parts, and without those that do not fit."""
    parts = list(parts_of(html))
    if not parts:
        return html
    form = filter_form([part.key for part in parts], wanted)
    kept, at = [], 0
    gone = [part for part in parts if not wanted.fits(part.key)]
    for part in gone:
        if part.start >= at:  # else it lies in one that is left out
            kept.append(html[at : part.start])
            at = part.end
    html = "".join([*kept, html[at:]])
    for part in gone:
        if part.anchor:
            html = re.sub(rf'<li><a href="#{part.anchor}">.*?</a></li>', "", html, flags=re.S)
    sheet = '<link rel="stylesheet" href="/assets/web.css">\n</head>'
    return html.replace("</head>", sheet, 1).replace("</header>", f"{form}</header>", 1)


def filter_form(keys: Sequence[Key], wanted: Key) -> str:
    """Fields for game, variant and players where there is something to choose."""
    shown = []
    for field in fields(Key):
        values = sorted({getattr(key, field.name) for key in keys})
        chosen = getattr(wanted, field.name)
        if len(values) > 1 or chosen:
            shown.append(choice(field.name, values, chosen))
    return (
        f'<form method="get" class="filter">{"".join(shown)}<button>Show</button></form>'
        if shown
        else ""
    )


def choice(name: str, values: Sequence[str], chosen: str) -> str:
    """A field to choose one of some values, or any."""
    options = "".join(
        f"<option{' selected' if value == chosen else ''}>{escape(value)}</option>"
        for value in values
    )
    return f'<label>{name} <select name="{name}"><option value="">any</option>{options}</select></label> '


@dataclass(frozen=True)
class Shown:
    """A line of the list: a part of a page, or a run's report."""

    name: str
    kind: str
    key: Key
    address: str


def listed(folder: Path, pages: Sequence[str], entries: Sequence[Entry]) -> Iterator[Shown]:
    """All parts of published pages, then all tables of runs."""
    for name in pages:
        file = folder / name
        for part in parts_of_file(file, file.stat().st_mtime_ns):
            anchor = f"#{part.anchor}" if part.anchor else ""
            yield Shown(
                Path(name).stem,
                kind_of(name),
                part.key,
                f"/page/{quote(name)}{part.key.query}{anchor}",
            )
    for entry in entries:
        for game, variant, players in entry.tables if entry.stored else ():
            key = Key(game, variant, str(players))
            yield Shown(entry.name, "report", key, address(entry.path, f"report.html{key.query}"))


def boards_page(shown: Sequence[Shown], pages: Sequence[str], wanted: Key) -> str:
    """Leaderboards, balance pages and reports, those that fit, with a form to choose."""
    found = [one for one in shown if wanted.fits(one.key)]
    rows = "".join(
        f'<tr><th scope="row" class="word"><a href="{escape(one.address, quote=True)}">{escape(one.name)}</a></th>'
        + "".join(f'<td class="word">{escape(cell)}</td>' for cell in (one.kind, *astuple(one.key)))
        + "</tr>"
        for one in found[:MOST_LISTED]
    )
    heads = ("page", "kind", "game", "variant", "players")
    top = "".join(f'<th scope="col" class="word head">{head}</th>' for head in heads)
    counted = f"{len(found)} table{'s' * (len(found) != 1)}"
    more = f", the first {MOST_LISTED}" if len(found) > MOST_LISTED else ""
    table = (
        f'<div class="scroll" tabindex="0" role="group" aria-label="Boards"><table><caption>{counted}{more}'
        f"</caption><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    whole = "".join(f'<li><a href="/page/{quote(name)}">{escape(name)}</a></li>' for name in pages)
    body = filter_form([one.key for one in shown], wanted) + (
        table
        if shown
        else "<p>Nothing yet: play a run, or put published pages into this folder.</p>"
    )
    if whole:
        body += f'<section class="panel"><h2>Whole pages</h2><ul>{whole}</ul></section>'
    return page("Leaderboards and balance", body)
