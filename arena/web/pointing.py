"""What pointing at a shape of a picture means: the legal actions that speak of it, by the names that both use.

Pictures say of a shape what it is called (`Cell.name`, `Card.name`, a die's colour and pips), and actions speak of
these names ("place C3", "deed another_day", "draft G6", "basic:selva.a:1"). A word counts as a whole and in its order:
no card is found by the words of its text. Places on a player's board are meant only by actions that name him, or by
those that name nobody if he decides.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.pictures import (
    Card,
    Cell,
    Die,
    Grid,
    Icon,
    Label,
    Panel,
    Pile,
    Shape,
    Step,
    Strip,
    Token,
    Track,
)

Words = tuple[str, ...]
Hits = tuple[int, ...]  # numbers of actions
WORD = re.compile(r"[^\W_]+")
NUMBERED = re.compile(r"(?:column|tile) (\d+)")  # places that are told by a word and a number
PLAYER = re.compile(r"\bplayer (\d+)")
CODE = re.compile(r"[A-Z]{1,3}\d{0,2}")


@dataclass(frozen=True)
class Name:
    """How actions may call a shape; place: it is one of a board, of which each player has his own."""

    words: Words
    place: bool = False


@dataclass(frozen=True)
class Told:
    """The legal actions as words, which players each names, and who decides."""

    said: Sequence[Words]
    whom: Sequence[set[int]]
    player: int

    def speaking(self, name: Name, owner: int | None) -> Hits:
        """The actions that have the words of a name in a row, about a shape of an owner."""
        return tuple(
            number
            for number, (said, named) in enumerate(zip(self.said, self.whom, strict=True))
            if within(name.words, said) and self.about(named, name.place, owner)
        )

    def about(self, named: set[int], place: bool, owner: int | None) -> bool:
        """Whether an action that names these players may be about a shape of an owner."""
        if owner is None:
            return True
        if place:
            return owner in (named or {self.player})
        return owner == self.player or not named or owner in named

    def naming(self, player: int) -> Hits:
        """The actions that name this player alone."""
        return tuple(number for number, named in enumerate(self.whom) if named == {player})


def words(text: str) -> Words:
    """The words of a text in small letters, also those that dots and lines join."""
    return tuple(WORD.findall(text.lower()))


def within(some: Words, all_of_them: Words) -> bool:
    """Whether words stand in a row among others."""
    if not some or some[0] not in all_of_them:
        return False
    size = len(some)
    starts = range(len(all_of_them) - size + 1)
    return any(all_of_them[at : at + size] == some for at in starts)


def players(text: str) -> set[int]:
    """The players that an action names."""
    return {int(number) - 1 for number in PLAYER.findall(text)}


def meant(panels: Sequence[Panel], texts: Sequence[str], player: int) -> list[list[Hits]]:
    """For each shape of each panel, in the order in which it is laid out, the numbers of the actions that speak of it.

    Args:
        texts: the legal actions in words.
        player: who decides.
    """
    told = Told(list(map(words, texts)), list(map(players, texts)), player)
    named = [[shape for shape, _ in shapes(panel)] for panel in panels]
    found = [
        [
            next((hits for name in names if (hits := told.speaking(name, panel.player))), ())
            for _, names in shapes(panel)
        ]
        for panel in panels
    ]
    for at, number in clashes(texts, named, found):
        for own, row in zip(named, found, strict=True):
            row[:] = [
                tuple(hit for hit in hits if hit != number) if isinstance(shape, at) else hits
                for shape, hits in zip(own, row, strict=True)
            ]
    for panel, own, row in zip(panels, named, found, strict=True):
        if panel.player is not None and panel.player != player:
            naming = told.naming(panel.player)  # what nothing else speaks of stands for who owns it
            row[:] = [
                hits or (() if isinstance(shape, Cell | Label) else naming)
                for shape, hits in zip(own, row, strict=True)
            ]
    return found


def clashes(
    texts: Sequence[str], named: Sequence[Sequence[Shape | Step]], found: Sequence[Sequence[Hits]]
) -> Iterator[tuple[type, int]]:
    """Cells or dice, and an action that is not about them: B3 is a space and a blue die of 3.

    Of actions that begin alike all are about the one or all about the other.
    """
    reached: dict[type, set[int]] = {Cell: set(), Die: set()}
    for shapes_here, row in zip(named, found, strict=True):
        for shape, hits in zip(shapes_here, row, strict=True):
            if type(shape) in reached:
                reached[type(shape)].update(hits)
    alike = defaultdict(set)
    for number, text in enumerate(texts):
        alike[text.partition(" ")[0]].add(number)
    for group in alike.values():
        for one, other in ((Cell, Die), (Die, Cell)):
            if group <= reached[other] and not group <= reached[one]:
                yield from ((one, number) for number in group)


def shapes(panel: Panel) -> Iterator[tuple[Shape | Step, list[Name]]]:
    """The shapes of a panel with their names, the best first, as `arena.pictures.layout` lays them out."""
    for part in panel.parts:
        if isinstance(part, Label):
            yield part, []
        elif isinstance(part, Grid):
            for cell in (cell for row in part.rows for cell in row if cell is not None):
                pieces = [icon for icon in cell.holds if isinstance(icon, Token)]
                whole = beginnings(words(cell.name), place=True)
                yield cell, [*whole, *number_of(cell.name), *held(pieces)]
        elif isinstance(part, Strip):
            zone = [word for word in words(part.caption) if not word.isdigit()]
            for number, shape in enumerate(part.shapes):
                names = list(names_of(shape, zone))
                if panel.player is not None and len(zone) == 1 and isinstance(shape, Card):
                    names.append(nth(zone[0], number))
                yield shape, names
        elif isinstance(part, Track):
            for step in part.steps:
                own = Name(words(step.name))
                yield step, [*(Name(own.words + die.words) for die in held(step.holds)), own]


def names_of(shape: Shape, zone: Sequence[str]) -> Iterator[Name]:
    """What a shape of a strip may be called; `zone`: the words of its caption."""
    if isinstance(shape, Die | Token):
        yield from held((shape,))
    elif isinstance(shape, Pile):
        yield Name(words(shape.name))
    elif isinstance(shape, Card) and shape.back:
        yield from number_of(shape.text)
    elif isinstance(shape, Card | Cell):
        own = words(shape.name)
        if len(zone) == 1 and own:  # space a of the tile selva: selva.a, camp:selva
            yield from (Name((zone[0], *own)), Name((*own, zone[0])))
        if len(zone) != 1 or len(shape.name) > 1:  # space a is one of many
            yield from beginnings(own)
        if isinstance(shape, Cell):
            yield from held(shape.holds)
        else:
            codes = (shape.corner, shape.text.partition(",")[0])
            yield from (Name(words(code)) for code in codes if CODE.fullmatch(code))


def beginnings(name: Words, place: bool = False) -> Iterator[Name]:
    """A name and what it begins with: of the window Gravitas its space A1 is called "Gravitas A1"."""
    for size in range(len(name), 0, -1):
        if size == len(name) or len(name[size - 1]) > 1:
            yield Name(name[:size], place)


def nth(zone: str, number: int) -> Name:
    """A card of a player by its number in a row: the first of the temples is T0."""
    return Name((f"{zone[0]}{number}",), place=True)


def number_of(text: str) -> Iterator[Name]:
    """The number alone of a place that is told by a number: "column 4 row 2" is meant by "drop 4"."""
    if found := NUMBERED.match(text):
        yield Name((found[1],))


def held(icons: Sequence[Icon]) -> Iterator[Name]:
    """What dice and pieces are called: a red die of 5 is R5, a piece is its identity."""
    for icon in icons:
        if isinstance(icon, Die):
            yield Name((f"{icon.colour[0]}{icon.pips}",))
        elif icon.identity:
            yield Name(words(icon.identity))
