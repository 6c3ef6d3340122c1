"""Where the next deals tell most: pairs whose play makes an order, a top or a comparison surest.

A Bradley-Terry fit of what is known gives each bot a log worth and their covariance. Deals go one
step after another to the pair that lowers most the chance that a target is wrong: that two bots,
adjacent in the order, stand the wrong way round, or are ahead by less than a quarter of a standard
error. Without the quarter deals go to pairs that are next to equal and cannot be told apart; with
a whole one, to those that are nearly decided, and intervals hold less often than they say. A deal
of a pair adds its Fisher information, so the covariance after it is a rank-one update and nothing
is fitted anew inside a round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import FEWEST_DEALS

PRIOR = 0.5  # a win and a loss of this weight against a bot of mean worth
STEPS = 50  # of Newton's method
FLOOR = 0.1  # of an even share of all deals, for each line-up: less is starving
SEVERAL, SELDOM = 3, 0.75  # line-ups of an even share, or so much of its own, for each bot
SURE = 0.25  # standard errors that a target must be ahead to count as the right way round


@dataclass(frozen=True)
class Goal:
    """What is to be known: the order, the first `top`, or how all stand to the bot `versus`."""

    top: int = 0
    versus: int = -1


def fit(counts: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Return log worths (n,), mean 0, and their covariance (n, n).

    Args:
        counts: matches of each pair (n, n), symmetric. scores: what the row won of them (n, n).
    """
    size = len(counts)
    worths = np.zeros(size)
    won = scores.sum(axis=1) + PRIOR
    for _ in range(STEPS):
        expected = expit(worths[:, None] - worths[None, :])
        own = expit(worths)
        slope = won - (counts * expected).sum(axis=1) - 2 * PRIOR * own
        weight = counts * expected * (1 - expected)
        curve = np.diag(weight.sum(axis=1) + 2 * PRIOR * own * (1 - own)) - weight
        step = np.linalg.solve(curve, slope)
        worths = worths + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(worths - worths.mean()), np.asarray(np.linalg.inv(curve), np.float64)


def targets(worths: Floats, goal: Goal) -> Integers:
    """Return the pairs (t, 2) whose order is to be known, the better first."""
    order = [int(one) for one in np.argsort(-worths, kind="stable")]
    if goal.versus >= 0:
        place = order.index(goal.versus)
        pairs = [(one, goal.versus) for one in order[:place]]
        pairs += [(goal.versus, one) for one in order[place + 1 :]]
    elif goal.top:
        pairs = [(one, other) for one in order[: goal.top] for other in order[goal.top :]]
    else:
        pairs = list(pairwise(order))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def allocate(
    counts: Floats,
    scores: Floats,
    goal: Goal,
    members: Sequence[Sequence[int]],
    played: Integers,
    steps: int,
    matches: float,
) -> Integers:
    """Return how many more deals each line-up (l,) should play, `steps` of them in all.

    First those of a bot of which nothing could be said: no ten deals in any line-up that matters. Then those that
    starve: less than a tenth of an even share; then those of a bot that plays too seldom: one that was lucky at
    first would stay where it is, and its intervals would hold less often than they say. Each has as many deals as
    three of its line-ups in an even share, but not more than three quarters of its own. Then step by step those
    that lower most the summed chance of targets that stand the wrong way round.

    Args:
        counts, scores: as for `fit`. members: the bots of each line-up. played: its deals (l,).
        matches: independent matches of a pair that a deal of its line-up is worth.
    """
    worths, covariance = fit(counts, scores)
    wanted = targets(worths, goal)
    gaps = np.maximum(worths[wanted[:, 0]] - worths[wanted[:, 1]], 0.0)[:, None]
    share = expit(worths[:, None] - worths[None, :])
    information = matches * share * (1 - share)
    sits = np.zeros((len(members), len(worths), len(worths)))
    for number, own in enumerate(members):
        for i, j in combinations(own, 2):
            sits[number, i, j] = 1.0
    flat = sits.reshape(len(members), -1).T
    sat = np.maximum(sits, np.swapaxes(sits, 1, 2)).max(axis=2)  # (line-ups, bots)
    telling = comparing(sat, sits, wanted)
    given = np.zeros(len(members), dtype=np.int64)
    for _ in range(steps):
        chosen = unknown(played + given, telling)
        chosen = neglected(played + given, sat) if chosen < 0 else chosen
        if chosen < 0:
            contrasts = covariance[wanted[:, 0]] - covariance[wanted[:, 1]]
            every = np.arange(len(wanted))
            variance = contrasts[every, wanted[:, 0]] - contrasts[every, wanted[:, 1]]
            shared = contrasts[:, :, None] - contrasts[:, None, :]
            lowered = (shared**2 * _weights(covariance, information)).reshape(len(wanted), -1)
            left = np.maximum(variance[:, None] - lowered @ flat, 1e-12)
            wrong = ndtr(SURE - gaps / np.sqrt(left))
            chosen = int(np.argmin(wrong.sum(axis=0)))
        given[chosen] += 1
        for i, j in combinations(members[chosen], 2):
            column = covariance[:, i] - covariance[:, j]
            weight = _weights(covariance, information)[i, j]
            covariance = covariance - weight * np.outer(column, column)
    return given


def comparing(sat: Floats, sits: Floats, wanted: Integers) -> NDArray[np.bool_]:
    """Return the line-ups (b, l) that compare each bot of a target with one that it is to be compared with.

    Args:
        sat: as for `neglected`. sits: which pairs sit at a line-up (l, n, n). wanted: the targets (t, 2).
    """
    holds = np.maximum(sits, np.swapaxes(sits, 1, 2))[:, wanted[:, 0], wanted[:, 1]]  # (l, t)
    own = [
        sat[:, bot] * holds[:, (wanted == bot).any(axis=1)].max(axis=1) for bot in np.unique(wanted)
    ]
    return np.array(own).reshape(-1, len(sat)) > 0


def unknown(deals: Integers, telling: NDArray[np.bool_]) -> int:
    """Return a line-up for a bot of which no interval could be given, -1 for none: below ten deals there is none.

    Until all have ten, each is to have as many as line-ups have on average, in the line-up of a target of its own.

    Args:
        deals: of each line-up (l,). telling: `comparing` (b, l).
    """
    enough = min(FEWEST_DEALS, deals.sum() / len(deals))
    most = np.where(telling, deals, -1).max(axis=1)
    lacking = np.flatnonzero((most >= 0) & (most < enough))
    return int(np.where(telling[lacking[0]], deals, -1).argmax()) if lacking.size else -1


def neglected(deals: Integers, sat: Floats) -> int:
    """Return the line-up that has too few deals by itself or for a bot of it, -1 for none.

    Args:
        deals: of each line-up (l,). sat: whether a bot is in a line-up (l, n).
    """
    mean = deals.sum() / len(deals)
    if deals.min() < FLOOR * mean:
        return int(np.argmin(deals))
    lacking = np.minimum(SELDOM * sat.sum(axis=0), SEVERAL) * mean - sat.T @ deals
    if lacking.max() <= 0:
        return -1
    own = np.flatnonzero(sat[:, np.argmax(lacking)])
    return int(own[np.argmin(deals[own])])


def _weights(covariance: Floats, information: Floats) -> Floats:
    """Return how much a deal of each pair (n, n) takes off the covariance, per squared contrast with it."""
    own = np.diag(covariance)
    spread = own[:, None] + own[None, :] - 2 * covariance
    return np.asarray(information / (1 + information * spread))
