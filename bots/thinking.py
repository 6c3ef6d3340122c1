"""Compiled bots linked to a game: one `think` for all.

Random bots decide inside the referee kernel. The others are called from Python (about 10 us a decision): linked into
the referee, every search would be compiled there once more.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots import greedy, mcts
from bots.choice import choose_uniformly
from bots.compiled import BOT, BUSY, FOREVER, KIND_NUMBERS, SLICE, Tree, new_tree
from bots.contract import Bot, BotKind, BotSpec, View
from engines.core import Game
from engines.kernel import now
from engines.records import Rng, State, copy
from engines.records import View as ViewRecord
from engines.rng import seeded


@dataclass(frozen=True)
class Compiled:
    """One game's linked bots; all take (views, legal, n, bots, seat, tree, rng), the search also `until`."""

    choose_best: Any
    search: Any


@functools.cache
def compiled(game: Game) -> Compiled:
    """The bot templates linked to one game's kernels."""
    names = {
        "apply": game.apply,
        "legal_actions": game.legal_actions,
        "determinize": game.determinize,
        "evaluate": game.evaluate,
        "ranks": game.ranks,
        "points": game.points,
        "key": game.key,
    }
    return Compiled(greedy.link_to(names), mcts.link_to(names, game.perfect_information))


def think(
    game: Game,
    views: ViewRecord,
    legal: NDArray[np.int32],
    n: int,
    bots: NDArray[Any],
    seat: int,
    tree: Tree,
    rng: Rng,
    until: int = FOREVER,
) -> int:
    """Let a compiled bot decide.

    Args:
        views: what its player may know.
        legal: the legal actions in legal[0..n-1].
        bots, seat: the bot is bots[seat].
        until: clock at which a search returns BUSY; called again with the same arguments it goes on.
    """
    kind = int(bots["kind"][seat])
    kernels = compiled(game)
    if kind == KIND_NUMBERS["mcts"]:
        return int(kernels.search(views, legal, n, bots, seat, tree, rng, until))
    if kind == KIND_NUMBERS["greedy"]:
        return int(kernels.choose_best(views, legal, n, bots, seat, tree, rng))
    return int(choose_uniformly(legal, n, rng))


def load_bots(game: Game, start: State, bots: NDArray[Any]) -> None:
    """Compile, or load from the cache, what these bots need, by one small decision from a blank State."""
    for kind in sorted({int(kind) for kind in bots["kind"]}):
        if (game, kind) not in _loaded and kind in KIND_NUMBERS.values():
            small = np.zeros(1, BOT)
            small["kind"], small["simulations"], small["samples"], small["depth"] = kind, 1, 1, -1
            states, rng = copy(start), seeded(0)
            game.deal(states, rng)
            while len(legal := game.legal(states)) == 1:
                game.apply(states, int(legal[0]), rng)
            views = game.view(states, int(states["to_act"][0]))
            think(game, views, legal, len(legal), small, 0, new_tree(game, small), rng)
            _loaded.add((game, kind))


_loaded: set[tuple[Game, int]] = set()


def bot_records(specs: Sequence[BotSpec | None]) -> NDArray[Any]:
    """BOT[n] for these bots; None and bots that are not compiled become OUTSIDE."""
    records = np.zeros(len(specs), BOT)
    for record, spec in zip(records, specs, strict=True):
        if spec is not None and spec.kind.compiled:
            record["kind"] = KIND_NUMBERS[spec.kind.name]
            for name, value in spec.parameters.fields().items():
                record[name] = value
    return records


class CompiledBot:
    """A compiled bot behind the Bot protocol, for the bot server and for people."""

    def __init__(self, spec: BotSpec) -> None:
        """A bot of a compiled kind."""
        self.spec = spec

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins."""
        self.game = game
        self.bots = bot_records([self.spec])
        self.tree = new_tree(game, self.bots)
        self.rng = seeded(seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """Choose one of the legal actions."""
        actions = np.asarray(legal, np.int32)
        mine = self.bots, 0, self.tree, self.rng
        while True:  # in slices, so that Ctrl-C and signals are heard in between
            chosen = think(self.game, view.record, actions, len(actions), *mine, now() + SLICE)
            if chosen != BUSY:
                return chosen

    def close(self) -> None:
        """The match is over."""


def with_make(kind: BotKind) -> BotKind:
    """A compiled kind that also makes bots behind the Bot protocol."""

    def make(parameters: Any) -> Bot:
        return CompiledBot(BotSpec(kind, parameters, kind.name))

    return replace(kind, make=make)
