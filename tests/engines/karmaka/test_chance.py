"""What chance decides during play."""

from collections import Counter

import pytest

from engines.karmaka import GAME
from engines.karmaka.state import Variant
from engines.kernel import INTERPRETED
from engines.records import copy
from engines.rng import seeded

TRIALS = (300,) if INTERPRETED else (1000, pytest.param(4000, marks=pytest.mark.full))


@pytest.fixture(params=TRIALS)
def trials(request):
    """How often a position is played on."""
    return request.param


def play(states, texts, rng):
    for text in texts:
        GAME.apply(states, GAME.actions.number(text), rng)


def counted(hand, texts, read, trials):
    """How often each result of `texts` comes up over many seeds."""
    seats = [{"hand": ["swindle", "spite", "panic"]}, {"hand": hand, "deck": ["mimic"]}]
    start = GAME.from_dict(2, Variant(), {"seat": seats})
    rng = seeded(5)
    found = Counter()
    for _ in range(trials):
        states = copy(start)
        play(states, texts, rng)
        found[tuple(sorted(read(GAME.to_dict(states))))] += 1
    return found


def is_even(found, kinds):
    """Whether all of so many results came up about equally often (five standard deviations)."""
    mean = found.total() / kinds
    return len(found) == kinds and all(abs(n - mean) < 5 * mean**0.5 for n in found.values())


def test_r36_spite_ruins_each_pair_equally_often(trials):
    hand = ["crisis", "peek", "sowing", "denial", "embody"]
    found = counted(hand, ["ability spite", "target 1"], lambda data: data["ruins"], trials)
    assert all(len(set(pair)) == 2 for pair in found)
    assert is_even(found, 10)


def test_r49_swindle_shows_each_three_cards_equally_often(trials):
    hand = ["crisis", "peek", "sowing", "denial", "embody"]
    found = counted(hand, ["ability swindle", "target 1"], lambda data: data["held"], trials)
    assert all(len(set(cards)) == 3 for cards in found)
    assert is_even(found, 10)


def test_r36_of_equal_cards_spite_may_ruin_two(trials):
    found = counted(
        ["crisis", "crisis", "peek"], ["ability spite", "target 1"], lambda d: d["ruins"], trials
    )
    assert abs(found["crisis", "crisis"] - trials / 3) < 5 * (trials / 3) ** 0.5
    assert abs(found["crisis", "peek"] - trials * 2 / 3) < 5 * (trials * 2 / 3) ** 0.5
