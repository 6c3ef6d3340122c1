"""Weights of an `evaluate` that tell best how matches end and what searches choose: a penalised regression.

Two likelihoods are added up. Of a position and a player the estimate is a share p(w), and what the player's side had of
the win has the cross entropy to it. Of a decision the estimates v_a(w) after each action are a chance to be chosen,
proportional to exp(K v_a), with a sharpness K of its own (as in the comparison training of Shogi programs: Hoki and
Kaneko 2014): positions say how much is won, decisions what is better than what. To this comes a pull towards the
weights as they are, `pull * sum ((w - w0) / s)^2` with their scale s (their size; of a 0 the median of all).

Steps are Fisher's (Gauss-Newton), made shorter where one does not help (Levenberg and Marquardt); derivatives are
differences, since an `evaluate` is anything at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.statistics.choice_model import Floats, Integers
from arena.tune.positions import Choices, Lesson
from engines.kernel import link
from engines.weights import Declared, declared, opened, packed

NEAREST = 1e-6  # estimates are at least so far from 0 and 1
STEP = 1e-4  # of the scale of a weight: for differences
SMALLEST_SCALE = 0.05
SHARPNESS = 30.0  # K at the start
ROUNDS = 40
ENOUGH = 1e-6  # a step that gains less of the loss, for each position, is the last

Shares = Callable[[Floats], Floats]  # weights float64[d] -> estimates float64[n]

# Kernels are typed by numba; templates have names that `link` binds.
# ruff: noqa: F821


@dataclass(frozen=True)
class Losses:
    """Mean losses: the cross entropy of a position, and of a decision."""

    results: float
    choices: float


@dataclass(frozen=True)
class Fit:
    """Fitted weights by name, and the losses of old and new ones on what was, and was not, fitted to."""

    weights: dict[str, float]
    trained: tuple[Losses, Losses]
    tested: tuple[Losses, Losses]
    rounds: int


def estimates(states, players, weights, room, out):  # type: ignore[no-untyped-def]
    """Template: what `evaluate` says of each position with these weights."""
    for i in range(len(players)):
        room[0] = states[i]
        out[i] = evaluate(room, int(players[i]), weights)  # type: ignore[name-defined]


def model(evaluate: Any, states: NDArray[Any], players: Integers) -> Shares:
    """What an `evaluate` says of positions, as a function of its weights in the order of `declared`."""
    kernel = link(estimates, evaluate=opened(evaluate))
    room: NDArray[Any] = np.zeros(1, states.dtype)
    names = [one.name for one in declared(evaluate)]

    def shares(weights: Floats) -> Floats:
        out = np.zeros(len(players))
        values = packed(evaluate, dict(zip(names, weights.tolist(), strict=True)))
        kernel(states, players, values, room, out)
        return np.nan_to_num(out, nan=0.5)

    return shares


def fit(evaluate: Any, train: Lesson, test: Lesson, pull: float, only: Sequence[str] = ()) -> Fit:
    """Fit the weights of an `evaluate` to one lesson, and compare old and new ones on another.

    Args:
        pull: how strongly weights are held where they are; 1: by half a unit of log likelihood, a scale away.
        only: the names of the weights that may change; none: all.
    """
    known = declared(evaluate)
    start = np.array([one.value for one in known])
    free = np.array([not only or one.name in only for one in known])
    parts = terms(evaluate, train)
    found, rounds = descend(parts, start, known, pull, free)
    others = terms(evaluate, test)
    both = [(values, settled(parts[1], values)) for values in (start, found)]
    names = dict(zip((one.name for one in known), found.tolist(), strict=True))
    trained, tested = (
        (mean_losses(one, *both[0]), mean_losses(one, *both[1])) for one in (parts, others)
    )
    return Fit(names, trained, tested, rounds)


def mean_losses(parts: tuple["Results", "Decisions"], weights: Floats, sharpness: float) -> Losses:
    """The losses of weights, by position and by decision."""
    values = with_sharpness(weights, sharpness)
    results, choices = parts
    return Losses(
        results.loss(values) / max(len(results), 1), choices.loss(values) / max(len(choices), 1)
    )


# --- the two likelihoods -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Results:
    """How positions ended: a term of the loss, in weights and (unused) the logarithm of the sharpness."""

    model: Shares
    shares: Floats

    def __len__(self) -> int:
        """How many positions."""
        return len(self.shares)

    def loss(self, values: Floats) -> float:
        """The cross entropy of all positions."""
        return cross_entropy(self.shares, self.model(values[:-1]))

    def expanded(
        self, values: Floats, scale: Floats, free: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Gradient and Fisher matrix, in units of the scale."""
        expected = np.clip(self.model(values[:-1]), NEAREST, 1 - NEAREST)
        slopes = derivatives(self.model, values, scale, free)
        certain = expected * (1 - expected)
        return slopes.T @ ((expected - self.shares) / certain), slopes.T @ (
            slopes / certain[:, None]
        )


@dataclass(frozen=True)
class Decisions:
    """What searches chose: a term of the loss, in weights and the logarithm of the sharpness."""

    model: Shares
    choices: Choices

    def __len__(self) -> int:
        """How many decisions."""
        return len(self.choices)

    def chances(self, values: Floats) -> tuple[Floats, Floats]:
        """The chance of each action in its decision, and its logarithm."""
        starts = self.choices.starts
        scores = np.exp(values[-1]) * self.model(values[:-1])
        sizes = np.diff(np.append(starts, len(scores)))
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        logs = scores - np.log(np.repeat(np.add.reduceat(np.exp(scores), starts), sizes))
        return np.exp(logs), logs

    def loss(self, values: Floats) -> float:
        """The cross entropy of all decisions."""
        return -float(self.chances(values)[1][self.choices.chosen].sum())

    def expanded(
        self, values: Floats, scale: Floats, free: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Gradient and Fisher matrix, in units of the scale."""
        chance, _ = self.chances(values)
        sharpness = np.exp(values[-1])
        slopes = sharpness * derivatives(self.model, values, scale, free)
        slopes[:, -1] = sharpness * self.model(values[:-1])
        missed = chance.copy()
        missed[self.choices.chosen] -= 1
        means = np.add.reduceat(chance[:, None] * slopes, self.choices.starts, axis=0)
        bend = slopes.T @ (chance[:, None] * slopes) - means.T @ means
        return slopes.T @ missed, bend


Term = Results | Decisions


def terms(evaluate: Any, lesson: Lesson) -> tuple[Results, Decisions]:
    """The two terms of the loss of a lesson."""
    positions, choices = lesson.positions, lesson.choices
    return (
        Results(model(evaluate, positions.states, positions.players), positions.shares),
        Decisions(model(evaluate, choices.states, choices.players), choices),
    )


def cross_entropy(shares: Floats, expected: Floats) -> float:
    """The cross entropy of shares that were won, by what was expected, added up."""
    there = np.clip(expected, NEAREST, 1 - NEAREST)
    return -float((shares * np.log(there) + (1 - shares) * np.log(1 - there)).sum())


# --- the way down ------------------------------------------------------------------------------------------


def descend(
    parts: Sequence[Term],
    start: Floats,
    known: Sequence[Declared],
    pull: float,
    free: NDArray[np.bool_],
) -> tuple[Floats, int]:
    """The weights of the smallest penalised loss that steps from `start` come to, and how many steps those were."""
    usual = float(np.median(np.abs(start[start != 0]))) if start.any() else 1.0
    scale = np.where(start == 0, usual, np.maximum(np.abs(start), SMALLEST_SCALE))
    ends = [[getattr(one.span, end) for one in known] for end in ("low", "high")]
    low, high = np.append(ends[0], -5.0), np.append(ends[1], 10.0)
    scale, free = np.append(scale, 1.0), np.append(free, True)
    held = np.append(np.full(len(start), 2 * pull), 0.0)
    begin = with_sharpness(start, np.log(SHARPNESS))

    def cost(values: Floats) -> float:
        away = (values - begin) / scale
        losses = [part.loss(values) for part in parts]
        return sum(losses) + float((held * away**2).sum()) / 2

    values, now, damping = begin, cost(begin), 1e-3
    for number in range(ROUNDS):
        gradient, bend = held * (values - begin) / scale, np.diag(held)
        for part in parts:
            more, bends = part.expanded(values, scale, free)
            gradient, bend = gradient + more, bend + bends
        before = now
        while damping < 1e6:
            damped = bend + damping * np.diag(np.diag(bend)) + 1e-9 * np.eye(len(bend))
            step = np.where(free, np.linalg.solve(damped, gradient), 0.0)
            tried = np.clip(values - step * scale, low, high)
            if (then := cost(tried)) < now:
                values, now, damping = tried, then, damping / 4
                break
            damping *= 8
        if before - now < ENOUGH * len(parts[0]):
            return values[:-1], number + 1
    return values[:-1], ROUNDS


def settled(decisions: Decisions, weights: Floats) -> float:
    """The logarithm of the sharpness that fits decisions best with given weights, found step by step."""
    there = float(np.log(SHARPNESS))
    nothing = np.zeros(len(weights), bool)
    for _ in range(20):
        values = with_sharpness(weights, there)
        gradient, bend = decisions.expanded(values, np.ones(len(values)), np.append(nothing, True))
        there = float(
            np.clip(there - np.clip(gradient[-1] / max(bend[-1, -1], 1e-9), -1, 1), -5, 10)
        )
    return there


def with_sharpness(weights: Floats, sharpness: float) -> Floats:
    """Weights and the logarithm of the sharpness as one array."""
    return np.append(weights, sharpness)


def derivatives(model: Shares, values: Floats, scale: Floats, free: NDArray[np.bool_]) -> Floats:
    """How estimates change with each value, in units of its scale: float64[n, d + 1], 0 for those held and the last."""
    weights = values[:-1]
    expected = model(weights)
    slopes = np.zeros((len(expected), len(values)))
    for i in np.flatnonzero(free[:-1]):
        there = weights.copy()
        there[i] += STEP * scale[i]
        slopes[:, i] = (model(there) - expected) / STEP
    return slopes
