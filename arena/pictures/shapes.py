"""Cards, piles, cells and labels as SVG."""

from collections.abc import Sequence
from functools import lru_cache

from arena.pictures.icons import (
    FADED,
    Drawn,
    Paint,
    Text,
    attributes,
    icon,
    moved,
    number,
    rect,
    text_svg,
)
from arena.pictures.letters import CAP_HEIGHT, cut, fitting, width_of, wrapped
from arena.pictures.palette import variable
from engines.pictures import Card, Cell, Icon, Label, Pile, Shape, Step, Token

ROOM = 300.0  # units between the margins of a panel
GAP = 6.0
ICON = 24.0  # a die or token that stands alone
SMALL = 17.0  # on a card, a step or a space of a strip
CARD_WIDTH, CARD_HEIGHT = 70.0, 50.0  # four stand beside each other
BACK_WIDTH, BACK_HEIGHT = 24.0, 34.0
TEXT, SMALL_TEXT, LEAST_TEXT = 12.5, 11.0, 7.0
LINE = 1.25  # of the size of the text
TINT = 0.3  # how much of a tint's colour shows
PADDING = 4.0


def flow(shapes: Sequence[Icon], size: float, room: float, gap: float = 2.0) -> Drawn:
    """Icons in lines, from left to right."""
    x = y = width = 0.0
    parts: list[str] = []
    texts: list[Text] = []
    for shape in shapes:
        drawn = icon(shape, size)
        if x and x + drawn.width > room:
            x, y = 0.0, y + size + gap
        parts.append(moved(drawn.svg, x, y))
        texts += [shifted(text, x, y) for text in drawn.texts]
        width = max(width, x + drawn.width)
        x += drawn.width + gap
    return Drawn(width, y + size if shapes else 0.0, "".join(parts), tuple(texts))


def shifted(text: Text, x: float, y: float) -> Text:
    """A text at another place."""
    return Text(text.text, text.x + x, text.y + y, text.size, text.anchor, text.bold)


def lines(texts: Sequence[str], x: float, y: float, size: float, bold: bool = False) -> list[Text]:
    """Lines of text below each other; the first begins at the height y."""
    return [
        Text(text, x, y + size * (CAP_HEIGHT + 0.08 + LINE * place), size, bold=bold)
        for place, text in enumerate(texts)
    ]


@lru_cache(maxsize=20_000)
def label(shape: Label, room: float = ROOM) -> Drawn:
    """Lines of text."""
    said = lines(wrapped(shape.text, room, TEXT, shape.strong), 0, 0, TEXT, shape.strong)
    svg = "".join(text_svg(text, "ink") for text in said)
    return Drawn(room, LINE * TEXT * len(said), svg, tuple(said))


@lru_cache(maxsize=20_000)
def card(shape: Card, width: float = CARD_WIDTH, least: float = CARD_HEIGHT) -> Drawn:
    """A card face up, at least `least` units high; or its back."""
    if shape.back:
        return back(shape.colour)
    room = width - 2 * PADDING
    band = 13.0 if shape.corner else 6.0
    size = whole_words(shape.name, room, SMALL_TEXT)
    named = lines(wrapped(shape.name, room, size, True, 3), PADDING, band + 3, size, True)
    held = flow(shape.holds, SMALL, room)
    below = band + 3 + LINE * size * len(named) + PADDING
    height = max(least, below + held.height + (PADDING if shape.holds else 0))
    top = height - held.height - PADDING
    parts = [frame(width, height, shape.mark == "chosen"), heading(shape.colour, width, band)]
    parts += [text_svg(text, "ink") for text in named]
    texts = [*named, *(shifted(text, PADDING, top) for text in held.texts)]
    if shape.corner:
        corner = Text(shape.corner, width - PADDING, 10.2, SMALL_TEXT, "end", True)
        parts.append(text_svg(corner, f"on-{shape.colour}"))
        texts.append(corner)
    svg = "".join([*parts, moved(held.svg, PADDING, top)])
    return Drawn(width, height, faded(svg) if shape.mark == "faded" else svg, tuple(texts))


@lru_cache(maxsize=20_000)
def slip(shape: Card) -> Drawn:
    """A card a line high: its corner on its colour, its name, its icons."""
    height, size = 18.0, SMALL_TEXT
    if shape.back:
        return back(shape.colour, 14.0, height)
    wide = max(9.0, width_of(shape.corner, size, True) + 6) if shape.corner else 6.0
    held = flow(shape.holds, 13.0, ROOM)
    name = Text(cut(shape.name, ROOM / 2, size), wide + 4, 12.4, size)
    width = wide + width_of(name.text, size) + 8 + (held.width + 3 if shape.holds else 0)
    ink = variable(shape.colour)
    flag = f'<path d="M{number(wide)} 1V17H5Q1 17 1 13V5Q1 1 5 1Z" fill="{ink}"/>'
    parts, texts = (
        [frame(width, height, shape.mark == "chosen"), flag, text_svg(name, "ink")],
        [name],
    )
    if shape.corner:
        corner = Text(shape.corner, 0.5 + wide / 2, 12.4, size, "middle", True)
        parts.append(text_svg(corner, f"on-{shape.colour}"))
        texts.append(corner)
    x = width - held.width - 4
    svg = "".join([*parts, moved(held.svg, x, 2.5)])
    texts += [shifted(text, x, 2.5) for text in held.texts]
    return Drawn(width, height, faded(svg) if shape.mark == "faded" else svg, tuple(texts))


def whole_words(text: str, room: float, size: float) -> float:
    """The size at which no word of a text is wider than the room, if it can still be read."""
    longest = max(text.split(), key=lambda word: width_of(word, size, True), default="")
    return fitting(longest, room, size, LEAST_TEXT, True)


def frame(width: float, height: float, chosen: bool) -> str:
    """The face of a card."""
    wide = 2.0 if chosen else 1.0
    edge: Paint = {"stroke": variable("accent" if chosen else "rule"), "stroke_width": wide}
    return rect(wide / 2, wide / 2, width - wide, height - wide, 5, fill=variable("face"), **edge)


def heading(colour: str, width: float, height: float) -> str:
    """The coloured band at the top of a card."""
    right = number(width - 1)
    curve = number(width - 5)
    path = f"M1 {number(height)}V5Q1 1 5 1H{curve}Q{right} 1 {right} 5V{number(height)}Z"
    return f'<path d="{path}" fill="{variable(colour)}"/>'


def faded(svg: str) -> str:
    """What is out of use."""
    return f'<g opacity="{FADED}">{svg}</g>'


@lru_cache(maxsize=100)
def back(colour: str, width: float = BACK_WIDTH, height: float = BACK_HEIGHT) -> Drawn:
    """The back of a card."""
    half = height / 5
    body = rect(0.5, 0.5, width - 1, height - 1, 4, fill=variable(colour), stroke=variable("rule"))
    ink: Paint = {"stroke": variable(f"on-{colour}"), "stroke_opacity": 0.55}
    inner = rect(2.5, 2.5, width - 5, height - 5, 2, fill="none", **ink)
    x, y = width / 2, height / 2
    points = [(x, y - half), (x + 0.7 * half, y), (x, y + half), (x - 0.7 * half, y)]
    path = "M" + "L".join(f"{number(a)} {number(b)}" for a, b in points) + "Z"
    return Drawn(width, height, f'{body}{inner}<path d="{path}" fill="none"{attributes(**ink)}/>')


@lru_cache(maxsize=1000)
def pile(shape: Pile) -> Drawn:
    """A stack with its number, its name below it."""
    count, name = str(shape.count), shape.name
    width = max(40.0, width_of(name, SMALL_TEXT) + 2)
    left = width / 2 - 16
    edge: Paint = {"stroke": variable("rule")}
    layers = range(min(3, shape.count) - 1, -1, -1)
    cards = [
        rect(left + 2.5 * n + 0.5, 5.5 - 2.5 * n, 27, 35, 4, fill=variable(shape.colour), **edge)
        for n in layers
    ]
    if not shape.count:
        dashed: Paint = {"fill": "none", "stroke_dasharray": "3 3", **edge}
        cards = [rect(left + 0.5, 5.5, 27, 35, 4, **dashed)]
    ink = f"on-{shape.colour}" if shape.count else "muted"
    said = Text(count, left + 14, 27, fitting(count, 22, 13, 8, True), "middle", True)
    below = Text(name, width / 2, 50.5, SMALL_TEXT, "middle")
    svg = "".join([*cards, text_svg(said, ink), text_svg(below, "muted")])
    return Drawn(width, 53, svg, (said, below))


# --- cells ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def cell(shape: Cell, size: float, rounded: bool = False) -> Drawn:
    """A space of a grid, a square or a disc."""
    parts, texts = [ground(shape, size, size, size / 2 if rounded else min(5.0, size / 6))], []
    if shape.holds:
        across = 1
        while across * across < len(shape.holds):
            across += 1
        gap = 1.0
        most = (size - 4 - gap * (across - 1)) / across
        held = flow(shape.holds, most, size - 4 + 0.01, gap)
        x, y = (size - held.width) / 2, (size - held.height) / 2
        parts.append(moved(held.svg, x, y))
        texts += [shifted(text, x, y) for text in held.texts]
    elif shape.text:
        letters = fitting(shape.text, size * 0.8, size * 0.4, 5, True)
        said = Text(
            shape.text, size / 2, size / 2 + CAP_HEIGHT * letters / 2, letters, "middle", True
        )
        parts.append(text_svg(said, "muted"))
        texts.append(said)
    return Drawn(size, size, "".join(parts), tuple(texts))


def ground(shape: Cell, width: float, height: float, radius: float = 4.0) -> str:
    """A space itself, tinted and marked."""
    parts = [rect(0, 0, width, height, radius, fill=variable("space"))]
    if shape.tint:
        tint: Paint = {"fill": variable(shape.tint), "fill_opacity": TINT}
        parts.append(rect(0, 0, width, height, radius, **tint))
    if shape.mark in ("line", "chosen"):
        colour = variable("mark" if shape.mark == "line" else "accent")
        wide = max(2.0, width / 18) if width == height else 2.0
        edge: Paint = {"fill": "none", "stroke": colour, "stroke_width": wide}
        parts.append(rect(wide / 2, wide / 2, width - wide, height - wide, radius, **edge))
    return "".join(parts)


@lru_cache(maxsize=20_000)
def space(shape: Cell, room: float = ROOM) -> Drawn:
    """A space of a strip: its name, then what it holds or asks for."""
    said = [Token("white", word, "text", mark="faded") for word in (shape.name,) if word]
    said += [Token("white", word, "text", mark="faded") for word in (shape.text,) if word]
    held = flow([*said, *shape.holds], SMALL, room - 2 * PADDING)
    width = max(SMALL, held.width) + 2 * PADDING
    height = max(SMALL, held.height) + 2 * PADDING
    svg = ground(shape, width, height) + moved(held.svg, PADDING, PADDING)
    return Drawn(width, height, svg, tuple(shifted(t, PADDING, PADDING) for t in held.texts))


# --- steps of tracks --------------------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def step_across(shape: Step, width: float, height: float) -> Drawn:
    """A step of a track that goes across: its name above what stands on it."""
    size = min(SMALL, width - 4)
    held = flow(shape.holds, size, size)
    name = cut(shape.name, width - 2, SMALL_TEXT)
    texts = [Text(name, width / 2, 10, SMALL_TEXT, "middle")]
    x = (width - held.width) / 2
    mark = ground(Cell(mark=shape.mark), width, height)
    svg = mark + text_svg(texts[0], "muted") + moved(held.svg, x, 14)
    return Drawn(width, height, svg, (*texts, *(shifted(text, x, 14) for text in held.texts)))


@lru_cache(maxsize=20_000)
def step_down(shape: Step, width: float = ROOM) -> Drawn:
    """A rung: its name at the left, what stands on it at the right."""
    held = flow(shape.holds, SMALL, width * 0.6)
    height = max(SMALL, held.height) + PADDING
    room = width - held.width - 3 * PADDING
    text = Text(cut(shape.name, room, TEXT - 1), PADDING + 2, height / 2 + 3.8, TEXT - 1)
    x, y = width - held.width - PADDING, (height - held.height) / 2
    svg = (
        ground(Cell(mark=shape.mark), width, height) + text_svg(text, "ink") + moved(held.svg, x, y)
    )
    return Drawn(width, height, svg, (text, *(shifted(t, x, y) for t in held.texts)))


def shape_of_strip(shape: Shape, least: float = CARD_HEIGHT, small: bool = False) -> Drawn:
    """Any shape of a strip; cards are at least `least` units high, or a line."""
    match shape:
        case Card():
            return slip(shape) if small else card(shape, CARD_WIDTH, least)
        case Pile():
            return pile(shape)
        case Cell():
            return space(shape)
        case Label():
            return label(shape)
        case _:
            return icon(shape, ICON)
