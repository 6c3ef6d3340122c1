"""Compiled bots: a kind brings parameters as a record, memory as arrays and a kernel; here they meet a game.

The kernel is called from Python (about 10 us a decision): linked into the referee, every search would be compiled
there once more.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.contract import Bot, BotKind, BotSpec, Compiled, View
from engines import digests
from engines.core import Game
from engines.kernel import compile_for, now
from engines.records import Rng
from engines.rng import seeded

BUSY = -1  # the kernel has not finished
FOREVER = (1 << 63) - 1
SLICE = 200_000_000  # nanoseconds of work before compiled code returns to Python
KERNELS = (
    *("apply", "legal_actions", "determinize", "observe", "evaluate"),
    *("ranks", "points", "ending", "turns", "key"),
)


def compiled_kind(
    name: str,
    summary: str,
    Parameters: type,
    record: np.dtype[Any],
    memory: Callable[[Game, NDArray[Any]], Any],
    link: Callable[[Mapping[str, Any]], Any],
    fields: Callable[[Any], Mapping[str, Any]] = asdict,
    forgets: bool = False,
) -> BotKind:
    """A kind of compiled bot; see `bots.contract.Compiled` for the last five."""
    compiled = Compiled(record, memory, link, fields, forgets)

    def make(parameters: Any) -> Bot:
        return CompiledBot(compiled, parameters)

    return BotKind(name, summary, Parameters, make, compiled)


@functools.cache
def kernel_for(compiled: Compiled, game: Game) -> Any:
    """The kernel of a compiled bot linked to a game.

    `link` is given the kernels of the game by the names of `KERNELS`, and the flag `perfect_information`.
    """
    names = {name: getattr(game, name) for name in KERNELS}
    return compiled.link({**names, "perfect_information": game.perfect_information})


def play_digest(kind: BotKind, game: Game) -> str:
    """Digest of all that makes a bot choose as it does in a game, besides its parameters: by another it is another.

    A kind shipped here plays by its kernel as it is linked to the game. Of any other the code is part of its identity
    already (`source_hash`), and it may use whatever it is shown.
    """
    if kind.compiled is None or kind.source_hash:
        return digests.play_digest(game)
    return digests.kernel_digest(game, kernel_for(kind.compiled, game))


def record_of(compiled: Compiled, parameters: Any) -> NDArray[Any]:
    """The parameters of a bot as its kernel reads them: record[1]."""
    record = np.zeros(1, compiled.record)
    for name, value in compiled.fields(parameters).items():
        record[name] = value
    return record


class Mind:
    """A compiled bot in one seat of one match: kernel, parameters and memory."""

    def __init__(self, compiled: Compiled, parameters: Any, game: Game) -> None:
        """Fresh memory."""
        self.kernel = kernel_for(compiled, game)
        self.parameters = record_of(compiled, parameters)
        self.memory = compiled.memory(game, self.parameters)

    def think(
        self, views: NDArray[Any], legal: NDArray[np.int32], n: int, rng: Rng, until: int = FOREVER
    ) -> int:
        """Decide.

        Args:
            views: what the player may know, View[1].
            legal: the legal actions in legal[0..n-1].
            until: clock at which BUSY is returned; called again with the same arguments it goes on.
        """
        return int(self.kernel(views, legal, n, self.parameters, self.memory, rng, until))


def compile_bot(spec: BotSpec, game: Game) -> None:
    """Compile a bot for a game, or load it from the cache; nothing is dealt and nothing of the bot runs."""
    assert spec.kind.compiled is not None
    mind = Mind(spec.kind.compiled, spec.parameters, game)
    views, legal = np.zeros(1, game.dtype), np.zeros(game.max_legal, np.int32)
    compile_for(mind.kernel, views, legal, 0, mind.parameters, mind.memory, seeded(0), 0)


class CompiledBot:
    """A compiled bot behind the Bot protocol: for people, for servers, in a process of its own."""

    def __init__(self, compiled: Compiled, parameters: Any) -> None:
        """A bot of a compiled kind."""
        self.compiled = compiled
        self.parameters = parameters

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins."""
        self.mind = Mind(self.compiled, self.parameters, game)
        self.rng = seeded(seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """Choose one of the legal actions."""
        actions = np.asarray(legal, np.int32)
        while True:  # in slices, so that Ctrl-C and signals are heard in between
            chosen = self.mind.think(view.record, actions, len(actions), self.rng, now() + SLICE)
            if chosen != BUSY:
                return chosen

    def close(self) -> None:
        """The match is over."""
