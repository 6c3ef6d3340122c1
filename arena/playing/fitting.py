"""What a terminal has room for: positions, boards side by side, lists of actions. Widths are of what is seen."""

import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
RESET = "\x1b[0m"
TITLE = re.compile(r"(?<=  )\S")  # where a board that stands beside another begins
FEW = 8  # actions that need no groups
LABEL = re.compile(r"[^\W_]+(?:_[^\W_]+)*")


def width_of(line: str) -> int:
    """How many letters are seen: the bytes of colours are none."""
    return len(bare(line))


def bare(line: str) -> str:
    """A line without its colours."""
    return COLOUR.sub("", line)


def fitted(text: str, width: int) -> str:
    """A position at a terminal's width: boards side by side go below each other, words go on further in."""
    lines: list[str] = []
    for long, run in itertools.groupby(text.splitlines(), lambda one: width_of(one) > width // 2):
        some = list(run)
        lines += below_each_other(some, width) if long else some
    return "\n".join(lines)


def below_each_other(lines: list[str], width: int) -> list[str]:
    """Lines as they are where they fit, else cut between two boards, else each wrapped by itself."""
    if all(width_of(line) <= width for line in lines):
        return lines
    first, last, cut = boards_in([bare(line) for line in lines], width)
    if not cut:
        return [part for line in lines for part in wrapped_line(line, width)]
    run = lines[first:last]
    left = [slice_of(line, 0, cut).rstrip() for line in run]
    inset = " " * (len(left[0]) - len(left[0].lstrip(" >")))
    mark = bare(run[0])[cut] == ">"  # of the player to act: it stands in the margin
    right = [(inset[2 * mark :] + slice_of(line, cut, width_of(line))).rstrip() for line in run]
    return [
        *below_each_other(lines[:first], width),
        *left,
        "",
        *below_each_other(right, width),
        *below_each_other(lines[last:], width),
    ]


def boards_in(lines: Sequence[str], width: int) -> tuple[int, int, int]:
    """The first lines that are boards side by side, their titles in the first one, and where to cut them.

    Returns:
        First line, line after the last, column of the last board that begins within the width; zeros if there are none.
    """
    for first, title in enumerate(lines):
        margin = len(title) - len(title.lstrip(" >"))
        for start in reversed([found.start() for found in TITLE.finditer(title)]):
            if not margin < start <= width:
                continue
            gutter = slice(start - (1 if title[start] == ">" else 2), start)
            blank = [not line[gutter].strip() for line in lines[first:]]
            last = first + (blank.index(False) if False in blank else len(blank))
            if last - first >= 3 and any(len(line) > width for line in lines[first:last]):
                return first, last, start
    return 0, 0, 0


def slice_of(line: str, first: int, last: int) -> str:
    """What is seen from one column up to another, with its colours."""
    seen, parts = 0, []
    for piece in re.split(f"({COLOUR.pattern})", line):
        if COLOUR.fullmatch(piece):
            edge = last if piece == RESET else first
            parts.append(piece if first < seen < last or seen == edge else "")
            continue
        parts.append(piece[max(0, first - seen) : max(0, last - seen)])
        seen += len(piece)
    return "".join(parts)


def wrapped_line(line: str, width: int) -> list[str]:
    """A line of words that goes on below, further in; one with colours is a board's and stays whole."""
    inset = len(line) - len(line.lstrip()) + 4
    if len(line) <= width or width <= 2 * inset or COLOUR.search(line):
        return [line]
    return textwrap.wrap(line, width, subsequent_indent=" " * inset)


def action_list(texts: Sequence[str], width: int) -> str:
    """Numbered actions: a few in columns, many by what they begin with (a piece, a verb), a group a line."""
    groups = [list(run) for _, run in itertools.groupby(enumerate(texts, 1), lambda e: label(e[1]))]
    if len(texts) <= FEW or len(groups) < 2 or 2 * len(groups) > len(texts):
        return in_columns([f"{number:>3}. {text}" for number, text in enumerate(texts, 1)], width)
    margin = max(len(label(group[0][1])) for group in groups)
    return "\n".join(line for group in groups for line in group_lines(group, margin, width))


def label(text: str) -> str:
    """What the texts of actions of one kind or piece begin with."""
    found = LABEL.match(text)
    return found[0] if found else ""


def group_lines(group: Sequence[tuple[int, str]], margin: int, width: int) -> Iterator[str]:
    """The actions of a group, its label said once."""
    name = label(group[0][1])
    entries = [f"{number:>3}. {text[len(name) :].lstrip(' :') or text}" for number, text in group]
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
