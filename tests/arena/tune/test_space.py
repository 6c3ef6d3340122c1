"""What is searched reads as one would say it, and what cannot be is told in one line."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from arena.tune.space import AnyOf, Choice, Span, key_of, point_text, read_space
from bots.mcts import Parameters
from engines.errors import OptionError
from engines.options import Option, describe_options


@dataclass(frozen=True)
class Toy:
    hand: Annotated[int, Option("cards", 2, 9)] = 5
    open: Annotated[bool, Option("cards lie open")] = False
    without: Annotated[tuple[str, ...], Option("left out", choices=("a", "b", "c"))] = ()


def space_of(given: dict[str, Any], options: type = Parameters) -> Any:
    return read_space(given, describe_options(options), "options")


def test_ranges_lists_and_sets_of_things_are_read():
    space = space_of({"exploration": "0.02..2 log", "rollout_depth": [0, 10, "none"]})
    assert space.dimensions == (
        Span("exploration", 0.02, 2.0, whole=False, log=True),
        Choice("rollout_depth", (0, 10, None)),
    )
    toy = space_of({"hand": "3..6", "open": [True, False], "without": "any of [a, c]"}, Toy)
    assert toy.dimensions == (
        Span("hand", 3, 6, whole=True, log=False),
        Choice("open", (True, False)),
        AnyOf("without", ("a", "c")),
    )
    assert toy.size == 4 * 2 * 4
    assert len({key_of(point) for point in toy.points()}) == 32
    assert space_of({"without": {"any of": ["a", "c"]}}, Toy).dimensions == toy.dimensions[2:]


def test_a_space_reads_back_from_its_own_words():
    given = {"exploration": "0.02..2 log", "simulations": "8..64", "reward": ["win", "margin"]}
    space = space_of(given)
    again = {
        name: text if ".." in text else text.strip("[]").split(", ")
        for name, text in space.plain().items()
    }
    assert space_of(again) == space


def test_what_is_drawn_lies_in_the_space_and_reads_well():
    rng = np.random.default_rng(0)
    space = space_of({"exploration": "0.02..2 log", "rollout_depth": [0, 10, None]})
    for _ in range(50):
        point = space.drawn(rng)
        assert space.holds(point)
        assert len(f"{point['exploration']:g}") <= 7
    assert point_text({"exploration": 0.12, "rollout_depth": None}) == (
        "exploration 0.12, rollout_depth none"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"explorasion": "0..1"}, "options.explorasion: unknown, did you mean exploration"),
        ({"exploration": "2..0.02"}, "options.exploration: 2..0.02, expected the lower end first"),
        ({"exploration": "0..1 log"}, "options.exploration: 0..1 log, expected a lower end above"),
        ({"exploration": "1..1"}, "options.exploration: 1..1 leaves nothing to choose"),
        ({"exploration": "0..101"}, "options.exploration: 101, expected 0 to 100"),
        ({"exploration": "0..inf"}, "options.exploration: '0..inf', expected a range as 0.1..2"),
        ({"exploration": 0.5}, "options.exploration: 0.5, expected a range as 0.1..2"),
        ({"simulations": "1.5..9"}, "options.simulations: 1.5, expected a whole number or none"),
        ({"reward": "1..2"}, "options.reward: a range, but it is a word: expected a list"),
        ({"reward": ["win", "loss"]}, "options.reward[1]: 'loss', expected win | place | margin"),
        ({"reward": ["win"]}, "options.reward: one value, expected two or more"),
        ({"reward": ["win", "win"]}, "options.reward: 'win' stands there twice"),
        ({"reward": "any of [win]"}, "options.reward: any of [...], but it is a word, not a list"),
        ({"exploration": {"low": 1}}, "options.exploration: "),
        ({}, "options: empty, expected what to search"),
    ],
)
def test_what_cannot_be_searched_is_told_in_a_line(given: dict[str, Any], said: str):
    with pytest.raises(OptionError) as refused:
        space_of(given)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_things_that_are_no_choice_of_a_list_are_named():
    with pytest.raises(OptionError, match=r"options.without: \['d'\], expected a \| b \| c"):
        space_of({"without": "any of [a, d]"}, Toy)
