"""What a seat's page shows of a position: panels of shapes, or text."""

from collections.abc import Sequence
from typing import Any

from arena.pictures.layout import SHAPE, lay
from arena.pictures.svg import item_svg
from arena.playing.fitting import fitted
from arena.web.pointing import Hits, meant
from engines.core import Game
from engines.pictures import Panel
from engines.records import State

POSITION_WIDTH = 84  # letters that a seat's page has room for beside the actions


def position(game: Game, states: State, player: int, told: Sequence[str]) -> dict[str, Any]:
    """A View to be seen: as panels where the game has pictures, else as text.

    Args:
        player: who looks.
        told: what this player may do now, in words.
    """
    if game.picture is None:
        text = fitted(game.render(states), POSITION_WIDTH)
        return {"position": text, "panels": []}
    picture = game.picture(states)
    found = meant(picture.panels, told, player)
    panels = [
        {**panel_of(panel, hits), "own": panel.player == player}
        for panel, hits in zip(picture.panels, found, strict=True)
    ]
    return {"position": picture.words, "panels": panels}


def panel_of(panel: Panel, found: Sequence[Hits]) -> dict[str, Any]:
    """A panel of a picture for the page: its items as SVG, each with the words that read it aloud and its actions."""
    laid, hits = lay(panel), iter(found)
    items = [
        {
            "svg": item_svg(item),
            "words": item.words,
            "actions": next(hits) if item.kind == SHAPE else (),
        }
        for item in laid.items
    ]
    kinds = {"active": panel.active, "wide": panel.wide, "height": round(laid.height)}
    return {"title": panel.title, "player": panel.player, "items": items, **kinds}
