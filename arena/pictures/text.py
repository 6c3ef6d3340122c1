"""A picture as text for a terminal: letters say everything, colours say it again. Widths are of what is seen."""

import itertools
from collections.abc import Iterator, Sequence

from rich.text import Text

from arena.pictures.palette import values
from engines.pictures import (
    Bar,
    Card,
    Cell,
    Die,
    Grid,
    Icon,
    Label,
    Panel,
    Part,
    Picture,
    Pile,
    Shape,
    Step,
    Track,
)

INITIALS = {  # of the colours, where nothing else tells them
    "red": "R",
    "orange": "O",
    "yellow": "Y",
    "green": "G",
    "teal": "T",
    "blue": "B",
    "purple": "P",
    "pink": "I",
    "brown": "N",
    "black": "K",
    "grey": "E",
    "white": "W",
    "sand": "S",
}
EMPTY, TINTED = ".", {"sand": ":"}  # empty cells; ',' in zones of any other colour
GAP = 2  # columns between shapes, and between panels
MARGIN = 4  # of what stands in a panel
INSET = 4  # of lines that go on
BESIDE = 26  # columns that are worth having at the right of a board
SHORT = 2  # letters of a name that an empty cell has room for
FEW = 3  # like shapes that are written out
COLOURS = values("dark")


def picture_text(picture: Picture, width: int, names: Sequence[str] = ()) -> Text:
    """A picture in lines of at most `width` columns, where no board is wider than that.

    Args:
        picture: what a game says of a position.
        width: columns of the terminal.
        names: of those who play, by player; they stand behind the titles of the panels.
    """
    found = [*flow([Text(word) for word in picture.words.split()], width, gap=1)]
    wide = [panel for panel in picture.panels if panel.wide]
    others = [panel for panel in picture.panels if not panel.wide]
    for panel in wide:
        left = panel_lines(panel, width, names)
        room = width - width_of(left) - 2 * GAP
        if len(wide) == 1 and others and room >= BESIDE:
            right = [line for other in others for line in panel_lines(other, room, names)]
            left, others = beside([left, right], 2 * GAP), []
        found += left
    for _, run in itertools.groupby(others, lambda panel: panel.player is None):
        found += row_of(list(run), width, names)
    return Text("\n").join(trimmed(line) for line in found)


def row_of(panels: list[Panel], width: int, names: Sequence[str]) -> list[Text]:
    """Panels beside each other if there is room for all, else below each other."""
    each = (width - GAP * (len(panels) - 1)) // len(panels)
    if all(wanted(panel, names) <= each for panel in panels):
        return beside([panel_lines(panel, each, names) for panel in panels], GAP)
    return [line for panel in panels for line in panel_lines(panel, width, names)]


def wanted(panel: Panel, names: Sequence[str]) -> int:
    """Columns that a panel needs beside others: a board its own, one of cards alone all that it has to say."""
    boards = [part for part in panel.parts if isinstance(part, Grid)]
    if boards:
        words = [len(word) + 2 for word in titled(panel, names).split()]
        return MARGIN + max(words + [width_of(grid_lines(board)) for board in boards])
    return width_of(panel_lines(panel, 10_000, names))


def beside(blocks: Sequence[list[Text]], gap: int) -> list[Text]:
    """Blocks of lines beside each other."""
    widths = [width_of(block) for block in blocks]
    rows = itertools.zip_longest(*blocks, fillvalue=Text())
    return [
        joined([padded(cell, w) for cell, w in zip(row, widths, strict=True)], gap) for row in rows
    ]


# --- panels -----------------------------------------------------------------------------------------------


def panel_lines(panel: Panel, width: int, names: Sequence[str] = ()) -> list[Text]:
    """A panel under its title; with one board and room beside it, all else stands there."""
    sign = Text("> " if panel.active else "  ", "bold")
    head = [
        *flow(
            [Text(word, "bold") for word in titled(panel, names).split()], width - len(sign), gap=1
        )
    ]
    boards = [part for part in panel.parts if isinstance(part, Grid)]
    left = part_lines(boards[0], width - MARGIN) if len(boards) == 1 else []
    room = width - MARGIN - width_of(left) - 2 * GAP
    if left and len(panel.parts) > 1 and room >= BESIDE:
        rest = [part for part in panel.parts if part is not boards[0]]
        body = beside([left, [line for part in rest for line in part_lines(part, room)]], 2 * GAP)
    else:
        body = [line for part in panel.parts for line in part_lines(part, width - MARGIN)]
    signs = itertools.chain([sign], itertools.repeat(Text(" " * len(sign))))
    heads = [mark + line for mark, line in zip(signs, head, strict=False)]
    return [*heads, *(Text(" " * MARGIN) + line for line in body)]


def titled(panel: Panel, names: Sequence[str]) -> str:
    """The title of a panel with the name of whose it is."""
    return (
        f"{panel.title} ({names[panel.player]})"
        if names and panel.player is not None
        else panel.title
    )


def part_lines(part: Part, width: int) -> list[Text]:
    """A part of a panel."""
    if isinstance(part, Label):
        style = "bold" if part.strong else ""
        return [*flow([Text(word, style) for word in part.text.split()], width, gap=1)]
    if isinstance(part, Grid):
        said = [Text(word, "italic") for word in part.caption.split()]
        return [*flow(said, width, gap=1), *grid_lines(part, width)]
    if isinstance(part, Track):
        if part.down:
            return [*captioned(part.caption, [], width), *ladder_lines(part, width)]
        return captioned(part.caption, [step_text(step) for step in part.steps], width)
    units = [*units_of(part.shapes)] or [Text("none", "dim")]
    caption = f"{part.caption}, {len(part.shapes)}" if part.counted else part.caption
    return captioned(caption, units, width)


def captioned(caption: str, units: Sequence[Text], width: int) -> list[Text]:
    """A caption with what follows it in lines, further in from the second on."""
    if not caption:
        return [*flow(units, width)]
    words = [Text(word, "italic") for word in f"{caption}:".split()]
    return [
        *flow(
            [joined(words, 1) if len(caption) < width // 2 else Text(" ").join(words), *units],
            width,
        )
    ]


def flow(units: Sequence[Text], width: int, gap: int = GAP) -> Iterator[Text]:
    """Units in lines of at most `width` columns, all but the first further in; long units break between words."""
    inset = INSET if width > 3 * INSET else 0
    line, used = Text(), 0
    for unit in units:
        for number, piece in enumerate(pieces_of(unit, width - inset)):
            space, room = (gap if number == 0 else 1) if used else 0, piece.cell_len
            if used and used + space + room > width:
                yield line
                line, used, space = Text(" " * inset), inset, 0
            line.append(" " * space).append_text(piece)
            used += space + room
    if used:
        yield line


def pieces_of(unit: Text, width: int) -> Iterator[Text]:
    """A unit as a whole where it fits a line, else its words, words that are too long in pieces."""
    words = [unit] if unit.cell_len <= width else unit.split(" ")
    for word in words:
        yield from word.divide(range(width, len(word), width))


def ladder_lines(track: Track, width: int) -> Iterator[Text]:
    """The steps of a track below each other."""
    room = max((len(step.name) for step in track.steps), default=0)
    for step in track.steps:
        held = [padded(Text(f"  {step.name}"), room + 2), *map(icon_text, step.holds)]
        yield from flow(held, width)


def step_text(step: Step) -> Text:
    """A step of a track that goes across."""
    name = Text(f"[{step.name}]" if step.mark == "chosen" else f"{step.name}:", "dim")
    return joined([name, *(icon_text(icon) for icon in step.holds)], 1)


# --- shapes -----------------------------------------------------------------------------------------------


def units_of(shapes: Sequence[Shape]) -> Iterator[Text]:
    """Shapes of a strip, many of one kind as one with their number."""
    for shape, run in itertools.groupby(shapes):
        count, text = len(list(run)), shape_text(shape)
        hidden = isinstance(shape, Card) and shape.back
        if count > FEW or (hidden and count > 1):
            yield text + Text(f" x{count}")
        else:
            yield from (text.copy() for _ in range(count))


def shape_text(shape: Shape) -> Text:
    """A shape of a strip."""
    match shape:
        case Label():
            return Text(shape.text, "bold" if shape.strong else "")
        case Pile():
            return joined([Text(shape.name), chip(str(shape.count), shape.colour)], 1)
        case Card():
            return card_text(shape)
        case Cell():
            parts = [Text(shape.name, "dim")] if shape.name else []
            parts += [icon_text(icon) for icon in shape.holds] or [Text(shape.text or "-", "dim")]
            text = joined(parts, 1)
            return Text("[") + text + Text("]") if shape.mark == "chosen" else text
        case _:
            return icon_text(shape)


def card_text(card: Card) -> Text:
    """A card with what lies on it; '?' is its back."""
    if card.back:
        return chip("?", card.colour)
    said = card.brief or " ".join(filter(None, (card.name, card.corner)))
    text = chip(said, card.colour, card.mark)
    if card.holds:
        text = joined([text + Text(":"), *(icon_text(icon) for icon in card.holds)], 1)
    return Text("[") + text + Text("]") if card.mark == "chosen" else text


def icon_text(icon: Icon) -> Text:
    """A die such as R3, a token by its letters."""
    if isinstance(icon, Die):
        return chip(f"{INITIALS[icon.colour]}{icon.pips or ''}", icon.colour)
    said = icon.brief or icon.text or INITIALS[icon.colour]
    if icon.form == "text":
        return Text(said, "dim" if icon.mark == "faded" else "")
    text = chip(said, icon.colour, icon.mark)
    return Text("[") + text + Text("]") if icon.mark == "chosen" else text


def chip(text: str, colour: str, mark: str = "") -> Text:
    """Letters on a ground of a colour."""
    faded = " dim" if mark == "faded" else " bold"
    return Text(text, f"{COLOURS[f'on-{colour}']} on {COLOURS[colour]}{faded}")


# --- boards -----------------------------------------------------------------------------------------------


def grid_lines(grid: Grid, width: int = 10_000) -> list[Text]:
    """A board: cells of one width between names, with its walls; where it is too wide cells share their rims."""
    named = bool(grid.row_names or grid.column_names)
    cells = [[Text() if c is None else cell_text(c, named) for c in row] for row in grid.rows]
    room = max((text.cell_len for row in cells for text in row), default=1)
    margin = max(map(len, grid.row_names), default=-1) + 1
    upright, level = walls(grid.bars)
    rim = 2 if margin + (room + 2) * max(map(len, cells)) <= width else 1
    lines = []
    for number, row in enumerate(cells):
        if any(wall == number for wall, _ in level):
            drawn = ("-" if (number, column) in level else " " for column in range(len(row)))
            lines.append(Text(" " * margin + "".join(sign * (room + rim) for sign in drawn)))
        line = Text(f"{grid.row_names[number]:>{margin - 1}} " if margin else "", "dim")
        for column, text in enumerate(row):
            cell = grid.rows[number][column]
            marked = cell is not None and bool(cell.mark)
            left = "|" if (number, column) in upright else "[" if marked else " "
            line.append(left, "not dim").append_text(padded(text, room, True))
            line.append(("]" if marked else " ") * (rim - 1), "not dim")
        lines.append(line.append("|" if (number, len(row)) in upright else "", "not dim"))
    if grid.column_names:
        below = "".join(f"{name:^{room + rim}}" for name in grid.column_names)
        lines.append(Text(" " * margin + below, "dim"))
    return lines


def walls(bars: Sequence[Bar]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The cells (row, column) with a wall on their left side, and those with one above."""
    upright = {(bar.row + n, bar.column) for bar in bars if bar.upright for n in range(bar.length)}
    level = {
        (bar.row, bar.column + n) for bar in bars if not bar.upright for n in range(bar.length)
    }
    return upright, level


def cell_text(cell: Cell, named: bool) -> Text:
    """What lies on a cell, or what it asks for; its own name where the board has none at its rims."""
    if cell.holds:
        texts = [icon_text(icon) for icon in cell.holds]
        return joined(texts, 0 if all(text.cell_len == 1 for text in texts) else 1)
    style = f"{COLOURS[cell.tint]}" if cell.tint else "dim"
    empty = TINTED.get(cell.tint, ",") if cell.tint else EMPTY
    name = cell.name if not named and len(cell.name) <= SHORT else ""
    return Text(cell.text or name or empty, style)


# --- lines ------------------------------------------------------------------------------------------------


def width_of(lines: Sequence[Text]) -> int:
    """Columns that a block of lines takes."""
    return max((line.cell_len for line in lines), default=0)


def padded(text: Text, width: int, centred: bool = False) -> Text:
    """A text in so many columns."""
    lacking = max(0, width - text.cell_len)
    left = lacking // 2 if centred else 0
    return Text(" " * left).append_text(text).append(" " * (lacking - left))


def joined(texts: Sequence[Text], gap: int) -> Text:
    """Texts one after the other."""
    return Text(" " * gap).join(texts)


def trimmed(line: Text) -> Text:
    """A line without the blanks at its end."""
    line = line.copy()
    line.rstrip()
    return line
