"""The bot named `greedy`: one action ahead, judged by the game's own `evaluate`.

What is hidden is dealt out at random `samples` times; the values of each action are averaged over these positions,
with common random numbers: every action is tried in the same positions.
"""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.choice import best_of
from bots.compiled import compiled_kind
from engines.core import Game, Option
from engines.kernel import link


@dataclass(frozen=True)
class Parameters:
    """How many possible positions an action is tried in."""

    samples: Annotated[int, Option("random deals of what is hidden, averaged", 1, 10_000)] = 8


RECORD = np.dtype([("samples", np.int64)])


class Memory(NamedTuple):
    """Room for the positions an action is tried in."""

    scores: NDArray[np.float64]  # [max_legal]
    states: NDArray[Any]  # State[1]
    trial: NDArray[Any]  # State[1]: one action further


def new_memory(game: Game, parameters: NDArray[Any]) -> Memory:
    """Room for one decision."""
    return Memory(np.zeros(game.max_legal), np.zeros(1, game.dtype), np.zeros(1, game.dtype))


def choose_best(views, legal, n, parameters, memory, rng, until):
    """Template: the action with the best mean value one action ahead; ties at random."""
    player = int(views[0].viewer)
    scores, states, trial = memory.scores, memory.states, memory.trial
    for i in range(n):
        scores[i] = 0.0
    for _ in range(int(parameters[0].samples)):
        determinize(views, rng, states)
        for i in range(n):
            trial[0] = states[0]
            apply(trial, int(legal[i]), rng)
            scores[i] += evaluate(trial, player)
    return int(legal[best_of(scores, n, rng)])


def link_to(names: Mapping[str, Any]) -> Any:
    """`choose_best` for one game's kernels."""
    used = ("apply", "determinize", "evaluate")
    return link(choose_best, **{name: names[name] for name in used})


KIND = compiled_kind(
    "greedy",
    "one action ahead, judged by the game's evaluate, averaged over deals of what is hidden",
    Parameters,
    RECORD,
    new_memory,
    link_to,
    forgets=True,
)
