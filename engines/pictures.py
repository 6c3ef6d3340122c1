"""The vocabulary of pictures: what a game says of a position that is to be seen. It draws nothing.

`Game.picture(view)` puts a View into these shapes; `arena.pictures` lays them out and makes SVG of them. A Picture is a
row of *panels*, a panel a column of *parts* (strips, grids, tracks, labels), a part holds *shapes* (cards, dice,
tokens, piles, cells). Nothing has a position or a size. Every component of the position stands in the picture once, as
the viewer may know it: a card face up, or a `Card(back=True)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

COLOURS = (
    *("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown"),
    *("black", "grey", "white", "sand"),
)
PLAYER_COLOURS = ("blue", "orange", "green", "purple")  # of the players in order
FORMS = (
    *("disc", "square", "diamond", "drop", "star", "heart", "meeple", "ring", "hexagon", "dagger"),
    "text",  # letters without a body
)
MARKS = ("", "line", "chosen", "faded")  # a winning line, what is in use, what is out of use


@dataclass(frozen=True)
class Label:
    """A line of text; it is wrapped where it is long."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Die:
    """A die that shows 0 (blank) to 6 pips."""

    colour: str
    pips: int
    words: str = ""


@dataclass(frozen=True)
class Token:
    """A piece, a marker, an icon: a small form with at most three letters on it.

    identity: tells the piece from all others of its panel, so that its moves can be shown as arrows.
    brief: how it reads in a line of text, e.g. 3m for three maize, where `text` does not say it all.
    """

    colour: str
    text: str = ""
    form: str = "disc"
    words: str = ""
    identity: str = ""
    mark: str = ""
    brief: str = ""


Icon: TypeAlias = Die | Token


@dataclass(frozen=True)
class Card:
    """A card or tile; `back` is one whose face the viewer does not know.

    corner: points or cost, at the upper right. holds: icons on it. text: all that it says, for who points at it.
    brief: how it reads in a line of text, where name and corner do not say it all, e.g. its colour.
    """

    name: str
    colour: str = "grey"
    corner: str = ""
    holds: tuple[Icon, ...] = ()
    text: str = ""
    back: bool = False
    mark: str = ""
    brief: str = ""

    @property
    def words(self) -> str:
        """The card read aloud."""
        said = [self.name, self.corner, *(words_of(icon) for icon in self.holds), self.text]
        return ", ".join(filter(None, said)) if not self.back else self.text or "a hidden card"


@dataclass(frozen=True)
class Pile:
    """A stack of `count` cards of which only the number is to be seen; cards of it that are known stand beside it."""

    name: str
    count: int
    colour: str = "grey"

    @property
    def words(self) -> str:
        """The pile read aloud."""
        return f"{self.name}: {self.count}"


@dataclass(frozen=True)
class Cell:
    """A space: what lies on it, its tint, a faint text where it is empty (what it asks for)."""

    holds: tuple[Icon, ...] = ()
    tint: str = ""
    text: str = ""
    mark: str = ""
    name: str = ""  # as actions name it
    asks: str = ""  # what it asks for, read aloud

    @property
    def words(self) -> str:
        """The space read aloud: 'A1 empty, for red dice'."""
        held = ", ".join(words_of(icon) for icon in self.holds) or "empty"
        line = ", in the line" if self.mark == "line" else ""
        return f"{self.name} {held}".strip() + (f", {self.asks}" if self.asks else "") + line


Shape: TypeAlias = Die | Token | Card | Pile | Cell | Label


@dataclass(frozen=True)
class Bar:
    """A wall on the upper side of cells of a grid (or on their left side: `upright`), from one cell on."""

    row: int
    column: int
    length: int = 1
    upright: bool = False
    words: str = "a wall"


@dataclass(frozen=True)
class Grid:
    """Rows of cells of one size (None: no cell), with names at the left and below, and walls between."""

    rows: tuple[tuple[Cell | None, ...], ...]
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    caption: str = ""
    colour: str = ""  # of the board between the cells
    round: bool = False  # round cells
    most: int = 46  # units that a cell is wide at most; a panel is 320 wide


@dataclass(frozen=True)
class Strip:
    """Shapes in a row that goes on in the next line where it is full.

    small: cards are a line high. counted: the caption says how many there are.
    """

    shapes: tuple[Shape, ...]
    caption: str = ""
    small: bool = False
    counted: bool = False


@dataclass(frozen=True)
class Step:
    """A step of a track with what stands on it."""

    name: str
    holds: tuple[Icon, ...] = ()
    mark: str = ""

    @property
    def words(self) -> str:
        """The step read aloud."""
        held = ", ".join(words_of(icon) for icon in self.holds)
        return f"{self.name}: {held or 'nothing'}"


@dataclass(frozen=True)
class Track:
    """Steps one after the other: a round track (beside each other) or a ladder (`down`, the top step first)."""

    steps: tuple[Step, ...]
    caption: str = ""
    down: bool = False


Part: TypeAlias = Label | Grid | Strip | Track


@dataclass(frozen=True)
class Panel:
    """What belongs together: a board, the table, a player's side of it.

    player: whose it is, from 0. active: it is this player's decision. wide: a board that should be large.
    """

    title: str
    parts: tuple[Part, ...]
    player: int | None = None
    active: bool = False
    wide: bool = False


@dataclass(frozen=True)
class Picture:
    """A position to be seen; `words` say in a sentence what goes on."""

    panels: tuple[Panel, ...]
    words: str


# --- what is common to games ------------------------------------------------------------------------------


def words_of(shape: Shape | Step) -> str:
    """A shape read aloud."""
    if isinstance(shape, Label):
        return shape.text
    if isinstance(shape, Die):
        return shape.words or f"{shape.colour} {shape.pips}"
    if isinstance(shape, Token):
        return shape.words or f"{shape.colour} {shape.text or shape.form}".strip()
    return shape.words


def shapes_of(picture: Picture) -> Iterator[Shape | Step | Bar]:
    """Every shape of a picture, also those that lie on cells, cards and steps."""
    for panel in picture.panels:
        for part in panel.parts:
            if isinstance(part, Label):
                yield part
                continue
            if isinstance(part, Grid):
                holders: tuple[Shape | Step, ...] = tuple(
                    filter(None, (cell for row in part.rows for cell in row))
                )
                yield from part.bars
            else:
                holders = part.shapes if isinstance(part, Strip) else part.steps
            for holder in holders:
                yield holder
                if isinstance(holder, Card | Cell | Step):
                    yield from holder.holds


def counted(number: int, noun: str) -> str:
    """So many of something: '1 point', '3 points'."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def player_name(player: int) -> str:
    """A player as people number them: from 1."""
    return f"player {player + 1}"


def player_colour(player: int) -> str:
    """The colour of a player's pieces."""
    return PLAYER_COLOURS[player]


def described(picture: Picture) -> Iterator[str]:
    """The picture in words, a line for each part: what a screen reader reads and a terminal may show."""
    yield picture.words
    for panel in picture.panels:
        yield panel.title
        for part in panel.parts:
            if isinstance(part, Label):
                yield f"  {part.text}"
                continue
            if isinstance(part, Grid):
                told = [cell.words for row in part.rows for cell in row if cell]
                told += [bar.words for bar in part.bars]
            else:
                told = [
                    words_of(s) for s in (part.shapes if isinstance(part, Strip) else part.steps)
                ]
            start = f"{part.caption}: " if part.caption else ""
            yield f"  {start}{'; '.join(told) or 'none'}"
