"""Which trials go on, and which are the best: numbers from the scores of deals, in the order of the deals.

A batch of trials plays a few deals; those that are surely behind the best so far, or in the lower part of their batch,
play no more. The rest play more deals, rung by rung (successive halving: Jamieson and Talwalkar 2016). Nothing here is
a claim: who looks best among many has had luck, so what is said rests on fresh deals (`verdict`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.statistics.choice_model import Floats
from arena.statistics.sequential import ahead

SURE = 0.95  # of being behind, whenever one looks

Rungs = Sequence[Sequence[float]]  # for each rung the score of every deal it added


@dataclass(frozen=True)
class Runner:
    """A trial, or the start, in the race: its scores (deals,) so far, all on the same deals."""

    number: int
    scores: Floats

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(self.scores.mean())


def joined(rungs: Rungs) -> Floats:
    """The scores of all rungs in a row."""
    return np.concatenate([np.asarray(one, dtype=np.float64) for one in rungs] or [np.zeros(0)])


def going_on(batch: Sequence[Runner], others: Sequence[Runner], keep: float) -> list[int]:
    """The numbers of those of a batch that play the next rung, the best first.

    Args:
        batch: trials with equally many deals. others: the start and earlier trials with as many deals or more.
        keep: the part of the batch that may go on.
    """
    if not batch:
        return []
    deals = len(batch[0].scores)
    seen = [Runner(one.number, one.scores[:deals]) for one in others if len(one.scores) >= deals]
    leader = max([*batch, *seen], key=lambda one: (one.mean, -one.number))
    order = sorted(batch, key=lambda one: (-one.mean, one.number))
    most = math.ceil(keep * len(batch))
    return [one.number for one in order[:most] if not surely_behind(one, leader)]


def most_running(trials: int, batch: int, keep: float, rungs: Sequence[object]) -> list[int]:
    """How many trials play each rung at most."""
    whole, rest = divmod(trials, batch)
    sizes, found = [batch] * whole + [rest] * (rest > 0), []
    for _ in rungs:
        found.append(sum(sizes))
        sizes = [math.ceil(keep * size) for size in sizes]
    return found


def surely_behind(one: Runner, leader: Runner) -> bool:
    """Whether the leader is ahead of another on common deals: no gambler believes them equal any more."""
    gaps = (leader.scores - one.scores + 1) / 2
    return one.number != leader.number and ahead(gaps, SURE)


def gain(rungs: Rungs, start: Rungs) -> float:
    """How much more a trial scores than the start on the deals it played."""
    own = joined(rungs)
    return float((own - joined(start)[: len(own)]).mean())


def finalists(gains: Mapping[int, float], best: int) -> list[int]:
    """The few with the highest gain, the best first; none that did not score above the start."""
    order = sorted(gains, key=lambda number: (-gains[number], number))
    return [number for number in order if gains[number] > 0][:best]
