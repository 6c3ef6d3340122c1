"""Pictures of positions: they can be drawn, read aloud, and tell no more than the view."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice

import numpy as np

from arena.authoring.checks.walks import SAMPLE, Setting, guesses, positions
from arena.pictures.layout import BOARD, WIDTH, Item, Laid, lay
from engines.pictures import (
    COLOURS,
    FORMS,
    MARKS,
    Card,
    Cell,
    Die,
    Picture,
    Pile,
    Token,
    described,
    player_name,
    shapes_of,
)
from engines.records import View, copy, equal

SLACK = 0.6  # units by which letters may miss their box: estimated widths
MOST_PIPS = 6


def pictures_can_be_drawn(setting: Setting) -> Iterator[str]:
    """Every view and position has a picture of known colours and forms; nothing overlaps or leaves its box."""
    game = setting.game
    if game.picture is None:
        return
    for position in positions(setting, SAMPLE):
        views = [game.view(position.states, player) for player in range(setting.players)]
        for viewer, view in enumerate([position.states, *views]):
            who = player_name(viewer - 1) if viewer else "nobody"
            yield from (
                f"{position.where}, seen by {who}: {text}" for text in faults_in(game.picture, view)
            )


def faults_in(picture: Callable[[View], Picture], view: View) -> Iterator[str]:
    """What is wrong with the picture of a view."""
    before = copy(view)
    drawn = picture(view)
    if not equal(before, view):
        yield "drawing changed the view"
    yield from unknown_words(drawn)
    for panel in drawn.panels:
        yield from (f"panel {panel.title!r}: {text}" for text in misplaced(lay(panel)))
    if not all(line.strip() for line in described(drawn)):
        yield "a line of its description is empty"


def unknown_words(picture: Picture) -> Iterator[str]:
    """Colours, forms, marks and pips that are not in the vocabulary."""
    for shape in shapes_of(picture):
        if isinstance(shape, Die | Token | Card | Pile) and shape.colour not in COLOURS:
            yield f"no colour {shape.colour!r}"
        if isinstance(shape, Cell) and shape.tint and shape.tint not in COLOURS:
            yield f"no colour {shape.tint!r}"
        if isinstance(shape, Token) and shape.form not in FORMS:
            yield f"no form {shape.form!r}"
        if isinstance(shape, Token | Card | Cell) and shape.mark not in MARKS:
            yield f"no mark {shape.mark!r}"
        if isinstance(shape, Die) and not 0 <= shape.pips <= MOST_PIPS:
            yield f"a die of {shape.pips} pips"


@lru_cache(maxsize=4000)
def misplaced(laid: Laid) -> tuple[str, ...]:
    """Shapes of a panel that overlap or stick out, and texts outside their shape."""
    items = [item for item in laid.items if item.kind != BOARD]
    found = [*overlaps(items)]
    for item in items:
        if item.x < 0 or item.y < 0 or item.x + item.width > WIDTH + 0.01:
            found.append(f"{item.words!r} sticks out at the side")
        if item.y + item.height > laid.height + 0.01:
            found.append(f"{item.words!r} sticks out below")
        for text in item.texts:
            left, top, right, bottom = text.box
            inside = left >= -SLACK and top >= -SLACK and right <= item.width + SLACK
            if not inside or bottom > item.height + SLACK:
                found.append(f"{text.text!r} is wider or higher than {item.words!r}")
    return tuple(found)


def overlaps(items: list[Item]) -> Iterator[str]:
    """Pairs of shapes that cover each other."""
    if not items:
        return
    left, top, width, height = np.array([(i.x, i.y, i.width, i.height) for i in items]).T
    right, bottom = left + width - 0.01, top + height - 0.01
    across = (left[:, None] < right[None, :]) & (left[None, :] < right[:, None])
    down = (top[:, None] < bottom[None, :]) & (top[None, :] < bottom[:, None])
    for one, other in np.argwhere(np.triu(across & down, 1)):
        yield f"{items[one].words!r} overlaps {items[other].words!r}"


def pictures_tell_only_the_view(setting: Setting) -> Iterator[str]:
    """The pictures of two States whose Views are equal are equal."""
    game = setting.game
    if game.picture is None:
        return
    found = guesses(setting, twice=setting.share == 1)
    for position, player, view, guess in islice(found, None, None, 1 if setting.share == 1 else 5):
        if game.picture(view) != game.picture(game.view(guess, player)):
            yield f"{position.where}: {player_name(player)} can tell what he imagines from the picture"


CHECKS = (pictures_can_be_drawn, pictures_tell_only_the_view)
