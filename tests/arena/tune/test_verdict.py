"""Wrong claims are controlled: options that do nothing are found to do nothing, and what is better is found."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arena.statistics.placements import placements
from arena.statistics.ratings import Ratings, rate
from arena.tune import racing
from arena.tune.config import Tuning
from arena.tune.course import rank, tune
from arena.tune.racing import Runner, finalists, gain, going_on, most_running
from arena.tune.verdict import compared

RUNGS = (10, 20, 60)
START = "start"


def scores_of(strength: float, luck: np.ndarray, rng: np.random.Generator) -> list[float]:
    """Mean scores of two matches a deal against the start; luck: what all trials share on a deal."""
    chance = np.clip(0.5 + strength + luck, 0.02, 0.98)
    return list(rng.binomial(2, chance) / 2)


def confirmation(strengths: list[float], deals: int, rng: np.random.Generator) -> Ratings:
    """Ratings of finalists that each met the start twice a deal, on fresh deals."""
    luck = rng.normal(0, 0.15, deals)
    sides, ranks, dealt = [], [], []
    for number, strength in enumerate(strengths, 1):
        for seat in (0, 1):
            own = luck if seat == 0 else -luck  # a lucky seat is one's own, then the other's
            wins = rng.random(deals) < np.clip(0.5 + strength + own, 0, 1)
            for deal, won in enumerate(wins):
                sides.append((number, 0))
                ranks.append((1, 2) if won else (2, 1))
                dealt.append(deal)
    names = [START, *(f"trial {n}" for n in range(1, len(strengths) + 1))]
    return rate(placements(names, sides, ranks, deals=dealt), resamples=1)


def simulated(
    strengths: list[float], seed: int, batch: int = 6, deals: int = 60
) -> list[tuple[float, int]]:
    """A tuning whose matches are drawn: strength, and what is claimed, of each finalist."""
    rng = np.random.default_rng(seed)
    luck = [rng.normal(0, 0.1, added) for added in RUNGS]
    even = [[0.5] * added for added in RUNGS]
    told: dict[int, list[list[float]]] = {}
    for first in range(0, len(strengths), batch):
        own: dict[int, list[list[float]]] = {
            n: [] for n in range(first, min(first + batch, len(strengths)))
        }
        alive = list(own)
        others = [Runner(-1, racing.joined(even))]
        others += [Runner(n, racing.joined(rungs)) for n, rungs in told.items()]
        for rung in range(len(RUNGS)):
            for number in alive:
                own[number].append(scores_of(strengths[number], luck[rung], rng))
            alive = going_on([Runner(n, racing.joined(own[n])) for n in alive], others, 0.5)
        told |= own
    gains = {n: gain(rungs, even) for n, rungs in told.items() if len(rungs) == len(RUNGS)}
    chosen = finalists(gains, 3)
    if not chosen:
        return []
    ratings = confirmation([strengths[n] for n in chosen], deals, rng)
    claims = compared(ratings, START, [f"trial {n}" for n in range(1, len(chosen) + 1)])
    return [(strengths[n], rank(one)) for n, one in zip(chosen, claims, strict=True)]


def found(strengths: list[float], tries: int, seed: int) -> float:
    """The share of tunings that claim something better."""
    wins = [
        any(claimed == 2 for _, claimed in simulated(strengths, seed + n)) for n in range(tries)
    ]
    return float(np.mean(wins))


@pytest.mark.parametrize("tries", [30, pytest.param(200, marks=pytest.mark.full)])
def test_options_that_do_nothing_find_nothing_in_19_of_20_tries(tries):
    share = found([0.0] * 18, tries, 1000)
    assert share <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / tries)


@pytest.mark.full
def test_over_many_tunings_of_nothing_wrong_claims_stay_below_5_percent():
    assert found([0.0] * 24, 2000, 50_000) <= 0.05


def test_what_is_better_is_found_and_what_is_claimed_is_better():
    strengths = [0.0] * 16 + [0.15, -0.1]
    made = [one for seed in range(20) for one in simulated(strengths, seed, deals=200)]
    claimed = [strength for strength, outcome in made if outcome == 2]
    assert sum(strength > 0 for strength in claimed) >= 14
    assert sum(strength <= 0 for strength in claimed) <= 3


def test_who_is_surely_behind_or_in_the_lower_half_plays_no_more():
    good, poor = np.ones(60), np.zeros(60)
    even = Runner(-1, np.full(60, 0.5))
    batch = [Runner(n, scores) for n, scores in enumerate((good, poor, good * 0.6, poor + 0.4))]
    assert going_on(batch, [even], 0.5) == [0]  # the second best is surely behind
    short = [Runner(one.number, one.scores[:2]) for one in batch]
    assert going_on(short, [even], 0.5) == [0, 2]
    assert going_on(short, [Runner(9, np.ones(1))], 1.0) == [0, 2, 3, 1]
    assert going_on([], [even], 0.5) == []


def test_the_most_that_can_be_played_is_known_before():
    assert most_running(20, 6, 0.5, (10, 30, 90)) == [20, 10, 7]


def test_no_finalist_scored_below_the_start():
    assert finalists({1: 0.2, 2: -0.1, 3: 0.3, 4: 0.0}, 3) == [3, 1]


@pytest.mark.full
def test_a_bot_whose_options_do_nothing_is_not_found_better(
    make_tuning: Callable[..., Tuning], tmp_path: Path
):
    (tmp_path / "idle.py").write_text(IDLE)
    tuning = make_tuning(
        bot=f"{tmp_path / 'idle.py'}:Idle",
        options={"knob": "0..1", "word": ["a", "b", "c"]},
        trials=12,
        batch=6,
        deals=[5, 10],
        confirm=100,
        isolation="none",
    )
    made = tune(tuning, tmp_path / "made", 0)
    assert all(rank(claim) != 2 for _, claim in made.finalists)


IDLE = '''
"""A bot whose options do nothing."""
import random
from dataclasses import dataclass
from typing import Annotated
from engines.options import Option


class Idle:
    @dataclass(frozen=True)
    class Parameters:
        knob: Annotated[float, Option("does nothing", 0, 1)] = 0.5
        word: Annotated[str, Option("nor this", choices=("a", "b", "c"))] = "a"

    def __init__(self, knob, word):
        pass

    def reset(self, game, view, seed):
        self.chance = random.Random(seed)

    def act(self, view, legal):
        return self.chance.choice(legal)

    def close(self):
        pass
'''
