"""A game's RULES.md as somebody at the table asks for it: a section, a rule by number, all that speaks of a card."""

import functools
import re
import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.core import Game
from engines.errors import UserError, nearest
from engines.records import View

FILE = "RULES.md"
RULE = re.compile(r"\* \*\*(R\d+)\*\* (.*)")
NUMBERED = re.compile(r"\w?\d+")  # one of many alike: 'die R2', 'column 4'
MOST_MENTIONS = 8  # rules that only mention what is asked for


@dataclass(frozen=True)
class Rule:
    """A numbered rule: its number such as R12, and its text in one line."""

    number: str
    text: str

    @property
    def subject(self) -> str:
        """What a rule of one card, tool, ... begins with: 'Panic: the top card ...' is about Panic."""
        found = re.match(r"([^.:,()]{2,40})(?:, -?\d+)?: ", self.text)
        return plain(found[1]) if found else ""


@dataclass(frozen=True)
class Row:
    """A row of a table: what it is about, and what stands under each heading."""

    name: str
    cells: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that the row is about: 'ES, EL, PU' is about three."""
        return tuple(part.strip() for part in self.name.split(", "))

    @property
    def text(self) -> str:
        """The row in words."""
        return "; ".join(f"{heading} {cell}".strip() for heading, cell in self.cells if cell)


@dataclass(frozen=True)
class Section:
    """A part of the rules under its heading. lines: as written."""

    title: str
    lines: tuple[str, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its numbered rules, each with the lines that go on with it."""
        return tuple(rules_in(self.lines))

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of its tables."""
        return tuple(rows_in(self.lines))


class Rulebook:
    """The rules of a game by section, number and word."""

    def __init__(self, folder: Path) -> None:
        """Read the RULES.md of a game's folder; without one there is nothing to tell."""
        file = folder / FILE
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        self.sections = tuple(sections_in(text.splitlines()))

    @functools.cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All numbered rules."""
        return tuple(rule for section in self.sections for rule in section.rules)

    @functools.cached_property
    def rows(self) -> tuple[Row, ...]:
        """All rows of all tables."""
        return tuple(row for section in self.sections for row in section.rows)

    def told(self, what: str, width: int) -> str:
        """The rules under a heading or a number; all headings if nothing is named.

        Raises:
            UserError: nothing is called so; the nearest heading.
        """
        if not what:
            return "\n".join(self.headings())
        wanted = spelled(what)
        numbers = (wanted, f"r{wanted}")  # R12, or 12 alone
        rule = next((rule for rule in self.rules if rule.number.lower() in numbers), None)
        if rule is not None:
            return wrapped(f"{rule.number} {rule.text}", width)
        titles = {spelled(section.title): section for section in self.sections}
        close = [title for title in titles if wanted in title]
        if wanted not in titles and len(close) != 1:
            known = [section.title for section in self.sections]
            raise UserError(
                f"rules {what!r}: neither a heading nor a rule{nearest(what, known)} (rules lists the headings)"
            )
        section = titles[wanted if wanted in titles else close[0]]
        return "\n".join([section.title, "", *shown_lines(section.lines, width)])

    def headings(self) -> Iterator[str]:
        """What there is to read: each section with the numbers of its rules."""
        for section in self.sections:
            numbers = [rule.number for rule in section.rules]
            span = f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else "".join(numbers)
            yield f"  {section.title}{f' ({span})' if span else ''}"

    def explained(self, what: str, width: int) -> str:
        """A card, tool, tile, ...: its row in the tables, the rules about it, and those that mention it.

        Raises:
            UserError: nothing speaks of it; the nearest name that has a row or a rule of its own.
        """
        name = spelled(what)
        word = re.compile(rf"\b{re.escape(name)}(s|es)?\b")
        rows = [row for row in self.rows if name in (spelled(one) for one in row.names)]
        own = [rule for rule in self.rules if spelled(rule.subject) == name]
        others = [r for r in self.rules if r not in own and word.search(spelled(r.text))]
        parts = [f"{row.name}: {row.text}" for row in rows]
        parts += [item for item in self.legend if word.search(spelled(item))]
        parts += [f"{rule.number} {rule.text}" for rule in own]
        if not own:
            parts += [f"{rule.number} {rule.text}" for rule in others[:MOST_MENTIONS]]
            others = others[MOST_MENTIONS:]
        if not parts:
            found = (row for row in self.rows if word.search(spelled(f"{row.name} {row.text}")))
            parts = [f"{row.name}: {row.text}" for row in found]
        if not parts:
            parts = self.with_all_words(name)
        kind, _, one = name.partition(" ")
        if not parts and NUMBERED.fullmatch(one):
            return self.explained(kind, width)
        if not parts:
            raise UserError(f"explain {what!r}: no rule speaks of it{nearest(what, self.names())}")
        if others:
            parts.append(f"also in {', '.join(rule.number for rule in others)}")
        return "\n".join(wrapped(part, width) for part in parts)

    def with_all_words(self, name: str) -> list[str]:
        """Rows, else rules, that say each word of a spelled name somewhere, e.g. of 'mineral carried'."""
        wanted = [re.compile(rf"\b{re.escape(word)}(s|es)?\b") for word in name.split()]

        def says_all(text: str) -> bool:
            return all(word.search(spelled(text)) for word in wanted)

        rows = [f"{row.name}: {row.text}" for row in self.rows]
        rules = [f"{rule.number} {rule.text}" for rule in self.rules]
        return (list(filter(says_all, rows)) or list(filter(says_all, rules)))[:MOST_MENTIONS]

    @property
    def legend(self) -> list[str]:
        """What short names stand for, as the page says it before its first section."""
        said = " ".join(self.sections[0].lines) if self.sections else ""
        return [plain(item.strip(" .")) for item in said.split("·")] if "·" in said else []

    def names(self) -> list[str]:
        """What has a row or a rule of its own."""
        found = [name for row in self.rows for name in row.names]
        found += [rule.subject for rule in self.rules if rule.subject]
        return list({spelled(name): name for name in reversed(found)}.values())[::-1]


def explained_here(game: Game, view: View, what: str, width: int) -> str:
    """A card, tool, tile, ... as this table plays it, and what the rules say of it.

    Raises:
        UserError: nothing speaks of it; the nearest name that something does.
    """
    own = of_this_table(game, view, what)
    try:
        said = rulebook(game).explained(what, width)
    except UserError:
        if not own:
            raise
        said = ""
    return "\n".join(filter(None, (wrapped(own, width), said)))


def of_this_table(game: Game, view: View, what: str) -> str:
    """What is on a card or tile as this table plays it, where a variant can say so; nothing where none does."""
    rules = game.to_dict(view).get("rules", {})
    sets = [texts for texts in rules.values() if isinstance(texts, dict)]
    written = {
        name: text for texts in sets for name, text in texts.items() if isinstance(text, str)
    }
    found = next((name for name in written if spelled(name) == spelled(what)), None)
    if found is not None:
        return f"{found} at this table: {written[found].lstrip(': ')}"
    known = next((name for name in game.subjects.names if spelled(name) == spelled(what)), None)
    return f"{known} is not in the game at this table" if known and written else ""


@functools.cache
def rulebook(game: Game) -> Rulebook:
    """The rules of a game, read once."""
    return Rulebook(game.folder)


def sections_in(lines: list[str]) -> Iterator[Section]:
    """The parts of a page under its second headings; what stands before the first has the page's own."""
    title, body = "", list[str]()
    for line in lines:
        if line.startswith(("# ", "## ")):
            if title and any(body):
                yield Section(title, tuple(body))
            title, body = plain(line.lstrip("#").strip()), []
        else:
            body.append(line)
    if title and any(body):
        yield Section(title, tuple(body))


def rules_in(lines: tuple[str, ...]) -> Iterator[Rule]:
    """The numbered rules among the lines of a section."""
    number, words = "", list[str]()
    for line in (*lines, ""):
        found = RULE.match(line)
        if found or not line.startswith("  "):
            if number:
                yield Rule(number, plain(" ".join(words)))
            number, words = (found[1], [found[2]]) if found else ("", [])
        else:
            words.append(line.strip())


def rows_in(lines: tuple[str, ...]) -> Iterator[Row]:
    """The rows of the tables among the lines of a section."""
    headings: list[str] = []
    for line in lines:
        if not line.startswith("|"):
            headings = []
            continue
        cells = [plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if not headings:
            headings = cells
        elif not all(set(cell) <= set("-: ") for cell in cells):
            yield Row(cells[0], tuple(zip(headings[1:], cells[1:], strict=False)))


def shown_lines(lines: tuple[str, ...], width: int) -> Iterator[str]:
    """The lines of a section, each paragraph as wide as the terminal."""
    paragraph = ""
    for line in (*lines, ""):
        goes_on = bool(line.strip()) and not line.startswith(("*", "|", "-"))
        if goes_on:
            paragraph = f"{paragraph} {plain(line.strip())}".strip()
            continue
        if paragraph:
            yield wrapped(paragraph, width)
        paragraph = plain_marks(line) if line.startswith(("*", "-")) else ""
        if line.startswith("|") and set(line) - set("|-: "):
            yield wrapped(" | ".join(plain(c.strip()) for c in line.strip("| ").split("|")), width)


def plain_marks(line: str) -> str:
    """A list's line without the marks of Markdown."""
    return plain(re.sub(r"^[*-] ", "", line))


def plain(text: str) -> str:
    """A text without the marks of Markdown."""
    text = re.sub(r"(?<![\w*])\*(\w[^*`]*\w)\*(?![\w*])", r"\1", text)
    return re.sub(r"\*\*|`|\\(?=\|)", "", text)


# All names and rules of a game are compared with each that is asked for.
@functools.lru_cache(maxsize=4096)
def spelled(text: str) -> str:
    """A name as it is compared: hells_heart, Hell's Heart and hells heart are one."""
    bare = unicodedata.normalize("NFKC", plain(text)).casefold()
    return re.sub(r"[\W_]+", " ", re.sub("['’]", "", bare)).strip()


def wrapped(text: str, width: int) -> str:
    """A text in lines of at most `width` letters, all but the first further in."""
    return textwrap.fill(text, max(width, 20), subsequent_indent="    ")
