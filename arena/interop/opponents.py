"""Those whom a learner meets at many tables: compiled bots decide at all tables by one call, others one by one."""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.interop.vector import VectorGame
from bots.compiled import FOREVER, Mind, kernel_for
from bots.contract import Bot, BotSpec, Compiled, View
from engines.core import Game
from engines.kernel import link
from engines.rng import mix, mix_arrays


def choose_all(states, tables, legal, counts, rngs, views, parameters, memory, until, actions):
    """Template: what the player to act does at each of some tables, into `actions`."""
    for k in range(tables.shape[0]):
        i = tables[k]
        one = states[i : i + 1]
        observe(one, int(one[0].to_act), views)
        n = int(counts[i])
        actions[i] = think(views, legal[i], n, parameters, memory, rngs[i], until)


@functools.cache
def chooser(compiled: Compiled, game: Game) -> Any:
    """The template linked to a bot and a game."""
    return link(choose_all, observe=game.observe, think=kernel_for(compiled, game))


class Together:
    """A compiled bot that remembers nothing, in one seat after the learner at every table."""

    def __init__(self, spec: BotSpec, tables: VectorGame) -> None:
        """Room for one decision, and a generator for each table."""
        assert spec.kind.compiled is not None
        mind = Mind(spec.kind.compiled, spec.parameters, tables.game)
        self.tables, self.parameters, self.memory = tables, mind.parameters, mind.memory
        self.kernel = chooser(spec.kind.compiled, tables.game)
        self.view = np.zeros(1, tables.game.dtype)
        self.rngs = np.zeros((tables.n, 1), np.uint64)

    def begin(self, games: NDArray[np.int64], players: NDArray[np.int64], drawn: Any) -> None:
        """Games begin at these tables, in which it is these players; `drawn`: uint64 seeds of the games."""
        self.rngs[games, 0] = mix_arrays(drawn, players.astype(np.uint64))

    def choose(self, games: NDArray[np.int64], actions: NDArray[np.int32]) -> None:
        """Write what it does at these tables."""
        batch = self.tables.batch
        self.kernel(
            self.tables.states, games, batch.legal, batch.counts, self.rngs, self.view,
            self.parameters, self.memory, FOREVER, actions,
        )  # fmt: skip

    def close(self) -> None:
        """Nothing is open."""


class Apart:
    """Any other bot: one for each table, told positions only."""

    def __init__(self, spec: BotSpec, tables: VectorGame) -> None:
        """A bot for each table."""
        self.tables = tables
        self.bots: list[Bot] = [spec.make() for _ in range(tables.n)]
        self.drawn = [0] * tables.n

    def begin(self, games: NDArray[np.int64], players: NDArray[np.int64], drawn: Any) -> None:
        """Games begin at these tables, in which it is these players; `drawn`: uint64 seeds of the games."""
        for i, player, seed in zip(games.tolist(), players.tolist(), drawn.tolist(), strict=True):
            self.drawn[i] = seed
            self.bots[i].reset(self.tables.game, self._view(i, player, []), mix(seed, player))

    def choose(self, games: NDArray[np.int64], actions: NDArray[np.int32]) -> None:
        """Write what it does at these tables."""
        batch = self.tables.batch
        for i in games.tolist():
            legal = batch.legal[i, : batch.counts[i]].tolist()
            view = self._view(i, int(batch.to_act[i]), legal)
            actions[i] = int(self.bots[i].act(view, legal))

    def close(self) -> None:
        """End the bots."""
        for bot in self.bots:
            bot.close()

    def _view(self, table: int, player: int, legal: Sequence[int]) -> View:
        """What a player sees; events are not told."""
        game, states = self.tables.game, self.tables.states[table : table + 1]
        seed = mix(self.drawn[table], player, 1)
        return View(game, game.view(states, player), list(legal), (), seed)


def opponent(spec: BotSpec, tables: VectorGame) -> Together | Apart:
    """A bot in one seat after the learner, at all tables."""
    compiled = spec.kind.compiled
    together = compiled is not None and compiled.forgets
    return (Together if together else Apart)(spec, tables)
