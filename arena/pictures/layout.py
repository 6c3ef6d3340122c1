"""Where the shapes of a panel stand: a panel is 320 units wide, its parts lie below each other."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from arena.pictures.icons import Drawn, Text, rect, text_svg
from arena.pictures.letters import cut, fitting, wrapped
from arena.pictures.palette import variable
from arena.pictures.shapes import (
    CARD_HEIGHT,
    GAP,
    LEAST_TEXT,
    LINE,
    ROOM,
    SMALL_TEXT,
    card,
    cell,
    label,
    lines,
    shape_of_strip,
    step_across,
    step_down,
)
from engines.pictures import Bar, Card, Cell, Grid, Label, Panel, Strip, Token, Track, words_of

WIDTH = 320.0
MARGIN = (WIDTH - ROOM) / 2
BETWEEN = 10.0  # between parts
GRID_GAP = 3.0
NAMES = 17.0  # room for the names of rows
MOST_STEPS = 12  # beside each other
CAPTION, SHAPE, BOARD, BAR = "caption", "shape", "board", "bar"


@dataclass(frozen=True)
class Item:
    """A shape in its place; `words` read it aloud.

    kind: SHAPE stands for something of the position, CAPTION says what it is, BOARD lies below it, BAR between cells.
    zone: the caption of its part: what moves from one zone to another has changed. pieces: identities of tokens in it.
    """

    x: float
    y: float
    width: float
    height: float
    svg: str
    words: str
    kind: str = SHAPE
    texts: tuple[Text, ...] = ()
    zone: str = ""
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Laid:
    """A panel laid out: its height, and its items in the order in which they are drawn and read."""

    panel: Panel
    height: float
    items: tuple[Item, ...]


@lru_cache(maxsize=4000)
def lay(panel: Panel) -> Laid:
    """Lay out a panel."""
    y, items = MARGIN, []
    for part in panel.parts:
        zone = "" if isinstance(part, Label) else part.caption
        placed = [replace(item, zone=zone) for item in part_items(part, y)]
        if placed:
            y = max(item.y + item.height for item in placed) + BETWEEN
        items += placed
    return Laid(panel, y - BETWEEN + MARGIN if items else 2 * MARGIN, tuple(items))


def part_items(part: Label | Grid | Strip | Track, y: float) -> Iterator[Item]:
    """The items of a part that begins at a height."""
    if isinstance(part, Label):
        yield placed(label(part), MARGIN, y, part.text)
        return
    if part.caption:
        caption = part.caption
        if isinstance(part, Strip) and part.counted:
            caption += f": {len(part.shapes)}"
        said = lines(wrapped(caption, ROOM, SMALL_TEXT, True), 0, 0, SMALL_TEXT, True)
        svg = "".join(text_svg(text, "muted") for text in said)
        height = LINE * SMALL_TEXT * len(said)
        yield Item(MARGIN, y, ROOM, height, svg, caption, CAPTION, tuple(said))
        y += height + 3
    if isinstance(part, Strip):
        yield from strip_items(part, y)
    elif isinstance(part, Grid):
        yield from grid_items(part, y)
    else:
        yield from track_items(part, y)


def placed(drawn: Drawn, x: float, y: float, words: str, kind: str = SHAPE) -> Item:
    """A drawn shape as an item."""
    return Item(x, y, drawn.width, drawn.height, drawn.svg, words, kind, drawn.texts)


# --- strips and tracks ------------------------------------------------------------------------------------


def strip_items(strip: Strip, y: float) -> Iterator[Item]:
    """Shapes from left to right, in lines; shapes of a line stand on one base line."""
    faces = [
        card(shape).height for shape in strip.shapes if isinstance(shape, Card) and not shape.back
    ]
    least = max(faces, default=CARD_HEIGHT)
    line: list[tuple[float, Drawn, str]] = []
    x = 0.0
    for shape in strip.shapes:
        drawn = shape_of_strip(shape, least, strip.small)
        if line and x + drawn.width > ROOM:
            yield from on_line(line, y)
            y += max(entry[1].height for entry in line) + GAP
            line, x = [], 0.0
        line.append((x, drawn, words_of(shape)))
        x += drawn.width + GAP
    yield from on_line(line, y)


def on_line(line: list[tuple[float, Drawn, str]], y: float) -> Iterator[Item]:
    """The shapes of one line."""
    height = max((drawn.height for _, drawn, _ in line), default=0.0)
    for x, drawn, words in line:
        yield placed(drawn, MARGIN + x, y + height - drawn.height, words)


def track_items(track: Track, y: float) -> Iterator[Item]:
    """The steps of a track."""
    if track.down:
        for step in track.steps:
            drawn = step_down(step)
            yield placed(drawn, MARGIN, y, step.words)
            y += drawn.height + 2
        return
    across = min(MOST_STEPS, max(1, len(track.steps)))
    width = (ROOM - GRID_GAP * (across - 1)) / across
    for start in range(0, len(track.steps), across):
        steps = track.steps[start : start + across]
        size = min(17.0, width - 4)
        most = max(len(step.holds) for step in steps)
        height = 16 + max(1, most) * (size + 2)
        for place, step in enumerate(steps):
            drawn = step_across(step, width, height)
            yield placed(drawn, MARGIN + place * (width + GRID_GAP), y, step.words)
        y += height + GRID_GAP


# --- grids ------------------------------------------------------------------------------------------------


def grid_items(grid: Grid, y: float) -> Iterator[Item]:
    """The cells of a grid on its board, with names at the left and below, and walls in the gaps."""
    columns = max(len(row) for row in grid.rows)
    left = NAMES if grid.row_names else 0.0
    size = min(float(grid.most), (ROOM - left - GRID_GAP * (columns + 1)) / columns)
    step = size + GRID_GAP
    x = MARGIN + left + (ROOM - left - columns * step - GRID_GAP) / 2
    width, height = columns * step + GRID_GAP, len(grid.rows) * step + GRID_GAP
    board = rect(0, 0, width, height, 6, fill=variable(grid.colour or "board"))
    yield Item(x, y, width, height, board, "", BOARD)
    for number, row in enumerate(grid.rows):
        top = y + GRID_GAP + number * step
        if grid.row_names:
            yield name_item(grid.row_names[number], x - NAMES, top + size / 2 - 6, NAMES - 2, 12)
        for column, entry in enumerate(row):
            if entry is not None:
                yield cell_item(entry, size, grid.round, x + GRID_GAP + column * step, top)
    for column, name in enumerate(grid.column_names):
        yield name_item(name, x + GRID_GAP + column * step, y + height + 2, size, 12)
    for bar in grid.bars:
        yield bar_item(bar, x, y, size)


def cell_item(entry: Cell, size: float, rounded: bool, x: float, y: float) -> Item:
    """A cell with the pieces on it."""
    drawn = cell(entry, size, rounded)
    pieces = tuple(t.identity for t in entry.holds if isinstance(t, Token) and t.identity)
    return Item(x, y, size, size, drawn.svg, entry.words, SHAPE, drawn.texts, pieces=pieces)


def name_item(name: str, x: float, y: float, width: float, height: float) -> Item:
    """The name of a row or column."""
    letters = fitting(name, width, SMALL_TEXT, LEAST_TEXT)
    said = Text(cut(name, width, letters), width / 2, 9.5, letters, "middle")
    return Item(x, y, width, height, text_svg(said, "muted"), "", CAPTION, (said,))


def bar_item(bar: Bar, x: float, y: float, size: float) -> Item:
    """A wall in the gap above a cell, or at its left."""
    step, thick = size + GRID_GAP, GRID_GAP
    long = bar.length * step - GRID_GAP
    left = x + bar.column * step + (0 if bar.upright else GRID_GAP)
    top = y + bar.row * step + (GRID_GAP if bar.upright else 0)
    width, height = (thick, long) if bar.upright else (long, thick)
    drawn = rect(0, 0, width, height, thick / 2, fill=variable("mark"))
    return Item(left, top, width, height, drawn, bar.words, BAR)
