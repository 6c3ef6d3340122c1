"""What a search thinks of a decision: its best actions and how often each would win. People ask for it at any table."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bots.contract import BotSpec, View
from bots.tree import Tree
from engines.core import Game
from engines.records import View as ViewRecord

MOST_SHOWN = 3


@dataclass(frozen=True)
class Considered:
    """An action that a search has looked at. visits: how often; value: the win share it expects, 0..1.

    A bot that is no search knows neither: 0 visits.
    """

    action: int
    visits: int = 0
    value: float = 0.0


def considered(
    bot: BotSpec, game: Game, view: View, legal: list[int], seed: int
) -> list[Considered]:
    """What a bot would do in a player's place, and what it thinks of that and of the next best; at least one action."""
    made = bot.make()
    made.reset(game, view, seed)
    action = int(made.act(view, legal))
    memory = getattr(getattr(made, "mind", None), "memory", None)
    found = shared_out(best_of(memory), memory, view.record) if isinstance(memory, Tree) else []
    made.close()
    first = next((one for one in found if one.action == action), Considered(action))
    return [first, *(one for one in found if one.action != action)][:MOST_SHOWN]


def shared_out(found: list[Considered], tree: Tree, view: ViewRecord) -> list[Considered]:
    """Win shares that make one whole with those of the other sides: games need not estimate all sides alike.

    Sagrada's `evaluate` gives each of two equal players a tenth early in a game. Alone there is nothing to share.
    """
    record = view[0]
    sides = {int(side) for side in record["team"][: int(record["players"])]}
    whole = float(tree.nodes[0]["average"].sum())
    if len(sides) < 2 or whole <= 0:
        return found
    return [replace(one, value=min(1.0, one.value / whole)) for one in found]


def best_of(tree: Tree) -> list[Considered]:
    """The actions at the root of a tree that were visited most, the first first."""
    root = tree.nodes[0]
    edges: Any = tree.edges[int(root["first"]) : int(root["first"] + root["count"])]
    order = np.lexsort((-edges["average"], -edges["visits"]))[:MOST_SHOWN]
    return [
        Considered(int(edge["action"]), int(edge["visits"]), float(edge["average"]))
        for edge in edges[order]
    ]


def hint_text(bot: str, found: list[Considered], words: Callable[[int], str]) -> str:
    """A hint in a line: what the bot would play and its chance to win, then the next best."""
    told = [
        words(one.action) + (f" (wins {100 * one.value:.0f} %)" if one.visits else "")
        for one in found
    ]
    rest = [text for text, one in zip(told, found, strict=True) if one.visits][1:]
    return f"{bot} would play {told[0]}" + (f"; next best: {', '.join(rest)}" if rest else "")
