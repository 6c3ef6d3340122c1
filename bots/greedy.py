"""The bot named `greedy`: one action ahead, judged by the game's own `evaluate`.

What is hidden is dealt out at random `samples` times; the values of each action are averaged over these positions,
with common random numbers: every action is tried in the same positions.
"""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

from dataclasses import dataclass
from typing import Annotated, Any

from bots.choice import best_of
from bots.contract import BotKind
from engines.core import Option
from engines.kernel import link


@dataclass(frozen=True)
class Parameters:
    """How many possible positions an action is tried in."""

    samples: Annotated[int, Option("random deals of what is hidden, averaged", 1, 10_000)] = 8

    def fields(self) -> dict[str, Any]:
        """Values of the BOT record."""
        return {"samples": self.samples}


def choose_best(views, legal, n, bots, seat, tree, rng):
    """Template: the action with the best mean value one action ahead; ties at random."""
    player = int(views[0].viewer)
    scores = tree.memory[0].scores
    states, trial = tree.states, tree.trial
    for i in range(n):
        scores[i] = 0.0
    for _ in range(int(bots[seat].samples)):
        determinize(views, rng, states)
        for i in range(n):
            trial[0] = states[0]
            apply(trial, int(legal[i]), rng)
            scores[i] += evaluate(trial, player)
    return int(legal[best_of(scores, n, rng)])


def link_to(names: dict[str, Any]) -> Any:
    """`choose_best` for one game's kernels."""
    used = ("apply", "determinize", "evaluate")
    return link(choose_best, **{name: names[name] for name in used})


KIND = BotKind(
    "greedy",
    "one action ahead, judged by the game's evaluate, averaged over deals of what is hidden",
    Parameters,
    None,
    compiled=True,
)
