"""What a terminal has room for: positions and lists of actions. Widths are of what is seen."""

import itertools
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.pictures.text import picture_text
from arena.plan.columns import wrapped
from engines.core import Game
from engines.records import View

FEW = 8  # actions that need no groups
LABEL = re.compile(r"[^\W_]+(?:_[^\W_]+)*")


class Entry(NamedTuple):
    """An action in a list."""

    number: int
    text: str
    cost: str

    def shown(self, words: str, with_cost: bool = True) -> str:
        """The action with its number, in these words."""
        return f"{self.number:>3}. {words}" + (f" ({self.cost})" if self.cost and with_cost else "")


def terminal_width() -> int:
    """Columns of the terminal; 80 where nobody can tell."""
    return shutil.get_terminal_size().columns


def coloured(text: Text) -> str:
    """A text with its colours if standard output shows them (https://no-color.org), else without."""
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal or console.no_color:
        return text.plain
    with console.capture() as shown:
        console.print(text, soft_wrap=True, end="")
    return shown.get()


def position_text(game: Game, view: View, width: int, names: Sequence[str] = ()) -> Text:
    """A position at a terminal's width: its picture, or what the game says of it where it has none.

    names: of those who play, by player.
    """
    if game.picture is None:
        return Text(fitted(game.render(view), width))
    return picture_text(game.picture(view), width, names)


def fitted(text: str, width: int) -> str:
    """A text at a terminal's width: long lines go on below, further in."""
    return "\n".join(part for line in text.splitlines() for part in wrapped_line(line, width))


def wrapped_line(line: str, width: int) -> list[str]:
    """A line that goes on below, further in, where it is too long."""
    inset = len(line) - len(line.lstrip()) + 4
    if cell_len(line) <= width or width <= 2 * inset:
        return [line]
    return wrapped(line, width, " " * inset)


def action_list(texts: Sequence[str], width: int, costs: Sequence[str] = ()) -> str:
    """Numbered actions: a few in columns, many by what they begin with (a piece, a verb), a group a line.

    costs: of each action in words, '' for nothing; what a whole group costs is said once.
    """
    said = costs or [""] * len(texts)
    entries = [Entry(*one) for one in zip(itertools.count(1), texts, said, strict=False)]
    groups = [list(run) for _, run in itertools.groupby(entries, lambda entry: label(entry.text))]
    if len(texts) <= FEW or len(groups) < 2 or 2 * len(groups) > len(texts):
        return in_columns([entry.shown(entry.text) for entry in entries], width)
    margin = max(len(group_name(group)) for group in groups)
    return "\n".join(line for group in groups for line in group_lines(group, margin, width))


def label(text: str) -> str:
    """What the texts of actions of one kind or piece begin with."""
    found = LABEL.match(text)
    return found[0] if found else ""


def group_name(group: Sequence[Entry]) -> str:
    """The label of a group, and what its actions cost if that is the same for several."""
    name, cost = label(group[0].text), group[0].cost
    shared = len(group) > 1 and cost and all(entry.cost == cost for entry in group)
    return f"{name} ({cost})" if shared else name


def group_lines(group: Sequence[Entry], margin: int, width: int) -> Iterator[str]:
    """The actions of a group, its label said once."""
    name, begin = group_name(group), label(group[0].text)
    entries = [
        entry.shown(entry.text[len(begin) :].lstrip(" :") or entry.text, name == begin)
        for entry in group
    ]
    body = in_columns(entries, max(width - margin - 2, 20), level=1)
    for number, line in enumerate(body.splitlines()):
        yield f"{name if number == 0 else '':<{margin}}  {line}".rstrip()


def in_columns(entries: Sequence[str], width: int, level: int = 4) -> str:
    """Entries in as many columns as there is room for, downwards; at least `level` of them below each other."""
    across = max(1, min(width // (max(map(len, entries)) + 2), -(-len(entries) // level)))
    down = -(-len(entries) // across)
    room = max(map(len, entries)) + 2
    rows = (entries[row::down] for row in range(down))
    return "\n".join("".join(entry.ljust(room) for entry in row).rstrip() for row in rows)
