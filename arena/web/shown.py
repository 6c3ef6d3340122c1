"""What a seat's page shows of a position: panels of shapes, or text."""

from typing import Any

from arena.pictures.layout import lay
from arena.pictures.svg import item_svg
from arena.playing.fitting import fitted
from engines.core import Game
from engines.pictures import Panel
from engines.records import State

POSITION_WIDTH = 84  # letters that a seat's page has room for beside the actions


def position(game: Game, states: State) -> dict[str, Any]:
    """A View to be seen: as panels where the game has pictures, else as text."""
    if game.picture is None:
        text = fitted(game.render(states), POSITION_WIDTH)
        return {"position": text, "panels": []}
    picture = game.picture(states)
    return {"position": picture.words, "panels": [panel_of(one) for one in picture.panels]}


def panel_of(panel: Panel) -> dict[str, Any]:
    """A panel of a picture for the page: its items as SVG, each with the words that read it aloud."""
    laid = lay(panel)
    items = [{"svg": item_svg(item), "words": item.words} for item in laid.items]
    kinds = {"active": panel.active, "wide": panel.wide, "height": round(laid.height)}
    return {"title": panel.title, "items": items, **kinds}
