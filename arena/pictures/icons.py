"""Icons as SVG: dice and tokens of any size, each once."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import TypeAlias

from arena.pictures.letters import CAP_HEIGHT, fitting, width_of
from arena.pictures.palette import variable
from engines.pictures import Die, Icon, Token

FADED = 0.4
PLAIN = "text"  # a token without a body
_PIPS = {  # places of the pips, in quarters of the side from the upper left
    0: (),
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (1, 3), (3, 1), (3, 3)),
    5: ((1, 1), (1, 3), (2, 2), (3, 1), (3, 3)),
    6: ((1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)),
}


Paint: TypeAlias = dict[str, float | str]  # attributes by name


@dataclass(frozen=True)
class Text:
    """A line of text where it is drawn: x by `anchor` (start, middle, end), y is the base line."""

    text: str
    x: float
    y: float
    size: float
    anchor: str = "start"
    bold: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the letters."""
        width = width_of(self.text, self.size, self.bold)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return left, self.y - CAP_HEIGHT * self.size, left + width, self.y + 0.21 * self.size


@dataclass(frozen=True)
class Drawn:
    """A shape drawn with its upper left corner at 0, 0."""

    width: float
    height: float
    svg: str
    texts: tuple[Text, ...] = ()


def number(value: float) -> str:
    """A length as short as it can be said."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


def attributes(**given: float | str) -> str:
    """Attributes of an element; an underscore is a hyphen."""
    return "".join(
        f' {name.strip("_").replace("_", "-")}="{number(v) if isinstance(v, float | int) else v}"'
        for name, v in given.items()
    )


def rect(
    x: float, y: float, width: float, height: float, radius: float, **paint: float | str
) -> str:
    """A rounded rectangle."""
    return f"<rect{attributes(x=x, y=y, width=width, height=height, rx=radius, **paint)}/>"


def text_svg(text: Text, colour: str) -> str:
    """A line of text."""
    weight = ' font-weight="700"' if text.bold else ""
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    return (
        f"<text{attributes(x=text.x, y=text.y, font_size=text.size, fill=variable(colour))}"
        f"{anchor}{weight}>{escape(text.text)}</text>"
    )


def moved(svg: str, x: float, y: float) -> str:
    """SVG at another place."""
    return f'<g transform="translate({number(x)} {number(y)})">{svg}</g>' if x or y else svg


# --- dice and tokens --------------------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def icon(shape: Icon, size: float) -> Drawn:
    """A die or token `size` units high; all but plain text are as wide as they are high."""
    return die(shape, size) if isinstance(shape, Die) else token(shape, size)


def die(shape: Die, size: float) -> Drawn:
    """A die with its pips."""
    edge: Paint = {"stroke": variable("ink"), "stroke_opacity": 0.35, "stroke_width": size / 26}
    body = rect(0.5, 0.5, size - 1, size - 1, size / 5, fill=variable(shape.colour), **edge)
    ink = variable(f"on-{shape.colour}")
    places = [(x * size / 4, y * size / 4) for x, y in _PIPS[shape.pips]]
    pips = "".join(f"<circle{attributes(cx=x, cy=y, r=size / 11)}/>" for x, y in places)
    return Drawn(size, size, f'{body}<g fill="{ink}">{pips}</g>')


def token(shape: Token, size: float) -> Drawn:
    """A token with its letters."""
    if shape.form == PLAIN:
        return plain(shape, size)
    paint = attributes(
        fill=variable(shape.colour),
        stroke=variable("ink"),
        stroke_opacity=0.35,
        stroke_width=max(0.6, size / 26),
        stroke_linejoin="round",
    )
    if shape.form == "ring":
        wide = size / 6
        body = (
            f"<circle{attributes(cx=size / 2, cy=size / 2, r=size / 2 - wide)} "
            f'fill="none"{attributes(stroke=variable(shape.colour), stroke_width=wide)}/>'
        )
    else:
        body = f'<path d="{outline(shape.form, size)}"{paint}/>'
    texts: tuple[Text, ...] = ()
    if shape.text:
        room, down = _ROOM.get(shape.form, (0.66, 0.0))
        letters = fitting(shape.text, size * room, size * 0.5, size * 0.2, bold=True)
        line = size / 2 + CAP_HEIGHT * letters / 2 + down * size
        texts = (Text(shape.text, size / 2, line, letters, "middle", bold=True),)
    ink = "ink" if shape.form == "ring" else f"on-{shape.colour}"
    svg = body + "".join(text_svg(text, ink) for text in texts)
    if shape.mark == "chosen":
        ring = attributes(fill="none", stroke=variable("accent"), stroke_width=size / 10)
        svg += f'<path d="{outline(shape.form, size)}"{ring}/>'
    if shape.mark == "faded":
        svg = f'<g opacity="{FADED}">{svg}</g>'
    return Drawn(size, size, svg, texts)


def plain(shape: Token, size: float) -> Drawn:
    """Text among icons."""
    letters = size * 0.62
    width = width_of(shape.text, letters, bold=True) + 2
    text = Text(shape.text, width / 2, size / 2 + CAP_HEIGHT * letters / 2, letters, "middle", True)
    svg = text_svg(text, "muted" if shape.mark == "faded" else "ink")
    return Drawn(width, size, svg, (text,))


_ROOM = {  # share of the width that letters may take, and how far they stand below the middle
    "diamond": (0.5, 0.0),
    "heart": (0.55, -0.06),
    "star": (0.42, 0.04),
    "meeple": (0.42, 0.06),
    "drop": (0.5, 0.1),
    "dagger": (0.4, -0.1),
    "hexagon": (0.62, 0.0),
}


def polygon(points: list[tuple[float, float]], size: float) -> str:
    """A closed line through points given in hundredths of the size."""
    return (
        "M"
        + "L".join(f"{number(x * size / 100)} {number(y * size / 100)}" for x, y in points)
        + "Z"
    )


def around(
    corners: int, radii: tuple[float, ...], turn: float = -90.0
) -> list[tuple[float, float]]:
    """Points on circles around the middle, in hundredths; radii take turns."""
    found = []
    for place in range(corners):
        angle = math.radians(turn + 360 * place / corners)
        radius = radii[place % len(radii)]
        found.append((50 + radius * math.cos(angle), 50 + radius * math.sin(angle)))
    return found


def curve(path: str, size: float) -> str:
    """A path given in hundredths of the size."""
    parts = [p if p.isalpha() else number(float(p) * size / 100) for p in path.split()]
    return " ".join(parts)


def circle(size: float) -> str:
    """Two arcs."""
    radius, middle = number(0.46 * size), number(size / 2)
    arc = f"A{radius} {radius} 0 0 1"
    top, bottom = number(0.04 * size), number(0.96 * size)
    return f"M{middle} {top}{arc} {middle} {bottom}{arc} {middle} {top}Z"


def outline(form: str, size: float) -> str:
    """The outline of a form."""
    return _OUTLINES[form](size)


_OUTLINES: dict[str, Callable[[float], str]] = {
    "disc": lambda s: circle(s),
    "ring": lambda s: circle(s),
    "square": lambda s: curve(
        "M 16 8 L 84 8 Q 92 8 92 16 L 92 84 Q 92 92 84 92 L 16 92 Q 8 92 8 84 L 8 16 Q 8 8 16 8 Z", s
    ),
    "diamond": lambda s: polygon([(50, 2), (98, 50), (50, 98), (2, 50)], s),
    "hexagon": lambda s: polygon(around(6, (48,)), s),
    "star": lambda s: polygon(around(10, (49, 26)), s),
    "drop": lambda s: curve(
        "M 50 3 C 60 22 86 40 86 62 C 86 84 70 97 50 97 C 30 97 14 84 14 62 C 14 40 40 22 50 3 Z", s
    ),
    "heart": lambda s: curve("M 50 93 C 20 70 4 52 4 32 C 4 8 38 2 50 24 C 62 2 96 8 96 32 C 96 52 80 70 50 93 Z", s),
    "meeple": lambda s: curve(
        "M 50 4 C 64 4 68 16 65 28 C 80 32 96 40 96 50 C 96 58 84 58 74 56 "
        "C 78 70 88 82 88 90 C 88 96 84 96 78 96 L 60 96 C 56 96 54 80 50 80 "
        "C 46 80 44 96 40 96 L 22 96 C 16 96 12 96 12 90 C 12 82 22 70 26 56 "
        "C 16 58 4 58 4 50 C 4 40 20 32 35 28 C 32 16 36 4 50 4 Z",
        s,
    ),
    "dagger": lambda s: polygon(
        [(50, 98), (36, 66), (36, 40), (18, 40), (18, 28), (40, 28), (40, 6), (60, 6), (60, 28), (82, 28),
         (82, 40), (64, 40), (64, 66)], s
    ),
}  # fmt: skip
