"""Perft: numbers of action sequences from the start, known from elsewhere."""

from typing import Any

import pytest

from arena.authoring.checks.perft import count_sequences, perft
from engines.core import load_game
from engines.errors import UserError
from engines.kernel import INTERPRETED
from engines.rng import seeded


def test_connect_four_has_seven_to_the_n_openings_until_a_column_is_full() -> None:
    assert list(perft("connect_four", 4)) == [7, 49, 343, 2401]


def test_sacrifice_has_the_numbers_of_the_trial_implementation() -> None:
    known = [98, 7372, 347032]
    depth = 1 if INTERPRETED else 3
    assert list(perft("sacrifice", depth)) == known[:depth]


@pytest.mark.parametrize(
    ("options", "known"),
    [({"build_while_shared": False}, [98, 7032, 331953]), ({"walls": 0}, [76, 3632, 8132])],
    ids=["no walls from shared cells", "no walls"],
)
def test_sacrifice_by_option_has_the_numbers_of_the_trial_implementation(
    options: dict[str, Any], known: list[int]
) -> None:
    game = load_game("sacrifice")
    states = game.new_state(2, game.Variant(**options), seeded(0))
    depths = range(1, 2 if INTERPRETED else 4)
    assert [count_sequences(game, states, depth) for depth in depths] == known[: len(depths)]


def test_a_game_with_chance_has_no_perft() -> None:
    with pytest.raises(UserError, match="without chance"):
        list(perft("karmaka", 1))
