"""Weights of an `evaluate` that tell best how matches end: a penalised regression of win shares on positions.

The estimate is a share p(w) of a position and a player, what is minimised the mean cross entropy of the shares that
were won, plus a pull towards the weights as they are, `pull / n * sum ((w - w0) / s)^2` with their scale s. Steps are
Fisher's (Gauss-Newton with weights 1 / p (1 - p)), made shorter where one does not help (Levenberg and Marquardt);
derivatives are differences, since an `evaluate` is anything at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.statistics.choice_model import Floats
from arena.tune.positions import Positions
from engines.kernel import link
from engines.weights import Declared, declared, opened, packed

NEAREST = 1e-6  # estimates are at least so far from 0 and 1
STEP = 1e-4  # of the scale of a weight: for differences
SMALLEST_SCALE = 0.05
ROUNDS = 40
ENOUGH = 1e-7  # a step that gains less of the loss is the last

# Kernels are typed by numba; templates have names that `link` binds.
# ruff: noqa: F821


@dataclass(frozen=True)
class Fit:
    """Fitted weights by name, and the losses of old and new ones on positions that were, and were not, fitted to."""

    weights: dict[str, float]
    trained: tuple[float, float]
    tested: tuple[float, float]
    rounds: int


def estimates(states, players, weights, room, out):  # type: ignore[no-untyped-def]
    """Template: what `evaluate` says of each position with these weights."""
    for i in range(len(players)):
        room[0] = states[i]
        out[i] = evaluate(room, int(players[i]), weights)  # type: ignore[name-defined]


class Model:
    """The shares that an `evaluate` expects of positions, as a function of its weights: float64[d] -> float64[n]."""

    def __init__(self, evaluate: Any, positions: Positions) -> None:
        """Compile what is asked for, once."""
        self.evaluate = evaluate
        self.known = declared(evaluate)
        self.positions = positions
        self.kernel = link(estimates, evaluate=opened(evaluate))
        self.room: NDArray[Any] = np.zeros(1, positions.states.dtype)

    def __call__(self, weights: Floats) -> Floats:
        """What is expected with these weights, in the order in which they are declared."""
        out = np.zeros(len(self.positions))
        names = dict(zip((one.name for one in self.known), weights.tolist(), strict=True))
        packs = packed(self.evaluate, names)
        self.kernel(self.positions.states, self.positions.players, packs, self.room, out)
        return np.clip(np.nan_to_num(out, nan=0.5), NEAREST, 1 - NEAREST)


def fit(
    evaluate: Any,
    positions: Positions,
    tested: NDArray[np.bool_],
    pull: float,
    only: Sequence[str] = (),
) -> Fit:
    """Fit the weights of an `evaluate` to positions.

    Args:
        tested: which positions are kept to compare the weights on.
        pull: how strongly weights are held where they are; 1: as by one position.
        only: the names of the weights that may change; none: all.
    """
    known = declared(evaluate)
    start = np.array([one.value for one in known])
    free = np.array([not only or one.name in only for one in known])
    train, test = positions.where(~tested), positions.where(tested)
    model = Model(evaluate, train)
    found, rounds = descend(model, train.shares, start, known, pull, free)
    held = Model(evaluate, test)
    names = dict(zip((one.name for one in known), found.tolist(), strict=True))
    return Fit(
        names,
        (loss(train.shares, model(start)), loss(train.shares, model(found))),
        (loss(test.shares, held(start)), loss(test.shares, held(found))),
        rounds,
    )


def descend(
    model: Callable[[Floats], Floats],
    shares: Floats,
    start: Floats,
    known: Sequence[Declared],
    pull: float,
    free: NDArray[np.bool_],
) -> tuple[Floats, int]:
    """The weights of the smallest penalised loss that steps from `start` come to, and how many steps those were."""
    scale = np.maximum(np.abs(start), SMALLEST_SCALE)
    low, high = (np.array([getattr(one.span, end) for one in known]) for end in ("low", "high"))

    def cost(weights: Floats, expected: Floats) -> float:
        away = ((weights - start) / scale) ** 2
        return loss(shares, expected) + pull / len(shares) * float(away.sum())

    weights, expected, damping = start.copy(), model(start), 1e-3
    now = cost(weights, expected)
    for number in range(ROUNDS):
        slopes = derivatives(model, weights, expected, scale, free)
        certain = expected * (1 - expected)
        gradient = slopes.T @ ((expected - shares) / certain) / len(shares)
        gradient += 2 * pull / len(shares) * (weights - start) / scale
        bend = slopes.T @ (slopes / certain[:, None]) / len(shares)
        bend += 2 * pull / len(shares) * np.eye(len(start))
        before = now
        while damping < 1e6:
            step = np.linalg.solve(bend + damping * np.diag(np.diag(bend) + 1e-12), gradient)
            tried = np.clip(weights - np.where(free, step, 0.0) * scale, low, high)
            there = model(tried)
            if (then := cost(tried, there)) < now:
                weights, expected, now, damping = tried, there, then, damping / 4
                break
            damping *= 8
        if before - now < ENOUGH:
            return weights, number + 1
    return weights, ROUNDS


def derivatives(
    model: Callable[[Floats], Floats],
    weights: Floats,
    expected: Floats,
    scale: Floats,
    free: NDArray[np.bool_],
) -> Floats:
    """How the expected shares change with each weight, in units of its scale: float64[n, d], 0 for those held."""
    slopes = np.zeros((len(expected), len(weights)))
    for i in np.flatnonzero(free):
        there = weights.copy()
        there[i] += STEP * scale[i]
        slopes[:, i] = (model(there) - expected) / STEP
    return slopes


def loss(shares: Floats, expected: Floats) -> float:
    """The mean cross entropy of shares that were won, by what was expected."""
    each = shares * np.log(expected) + (1 - shares) * np.log(1 - expected)
    return -float(each.mean())
