"""What chance decides during play."""

from collections import Counter

from engines.karmaka import GAME
from engines.karmaka.state import Variant
from engines.kernel import INTERPRETED
from engines.records import copy
from engines.rng import seeded

TRIALS = 300 if INTERPRETED else 4000


def play(states, texts, rng):
    for text in texts:
        GAME.apply(states, GAME.actions.number(text), rng)


def counted(hand, texts, read):
    """How often each result of `texts` comes up over many seeds."""
    seats = [{"hand": ["swindle", "spite", "panic"]}, {"hand": hand, "deck": ["mimic"]}]
    start = GAME.from_dict(2, Variant(), {"seat": seats})
    rng = seeded(5)
    found = Counter()
    for _ in range(TRIALS):
        states = copy(start)
        play(states, texts, rng)
        found[tuple(sorted(read(GAME.to_dict(states))))] += 1
    return found


def is_even(found, kinds):
    """Whether all of so many results came up about equally often (five standard deviations)."""
    mean = TRIALS / kinds
    return len(found) == kinds and all(abs(n - mean) < 5 * mean**0.5 for n in found.values())


def test_r36_spite_ruins_each_pair_equally_often():
    hand = ["crisis", "peek", "sowing", "denial", "embody"]
    found = counted(hand, ["ability spite", "target 1"], lambda data: data["ruins"])
    assert all(len(set(pair)) == 2 for pair in found)
    assert is_even(found, 10)


def test_r49_swindle_shows_each_three_cards_equally_often():
    hand = ["crisis", "peek", "sowing", "denial", "embody"]
    found = counted(hand, ["ability swindle", "target 1"], lambda data: data["held"])
    assert all(len(set(cards)) == 3 for cards in found)
    assert is_even(found, 10)


def test_r36_of_equal_cards_spite_may_ruin_two():
    found = counted(
        ["crisis", "crisis", "peek"], ["ability spite", "target 1"], lambda d: d["ruins"]
    )
    assert abs(found["crisis", "crisis"] - TRIALS / 3) < 5 * (TRIALS / 3) ** 0.5
    assert abs(found["crisis", "peek"] - TRIALS * 2 / 3) < 5 * (TRIALS * 2 / 3) ** 0.5
