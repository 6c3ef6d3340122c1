"""The estimate of a position of Connect Four goes the right way."""

import math

import pytest

from engines.connect_four import GAME
from engines.connect_four.state import Variant
from engines.records import OVER, State
from engines.rng import below, seeded


def board(*rows: str) -> State:
    return GAME.from_dict(2, Variant(), {"discs": list(rows)})


def estimate(states: State, player: int) -> float:
    return float(GAME.evaluate(states, player))


def test_an_empty_board_is_even() -> None:
    assert estimate(board(), 0) == estimate(board(), 1) == 0.5


def test_the_two_estimates_are_shares_of_one_win() -> None:
    rng = seeded(4)
    for _ in range(20):
        states = GAME.new_state(2, Variant(), rng)
        while states["to_act"][0] != OVER:
            assert math.isclose(estimate(states, 0) + estimate(states, 1), 1.0)
            legal = GAME.legal(states).tolist()
            GAME.apply(states, legal[int(below(rng, len(legal)))], rng)
        assert estimate(states, 0) + estimate(states, 1) == 1.0


def test_a_won_game_is_one_and_a_lost_game_zero() -> None:
    states = board()
    for column in (0, 1, 0, 1, 0, 1, 0):
        GAME.apply(states, column, seeded(0))
    assert (estimate(states, 0), estimate(states, 1)) == (1.0, 0.0)


def test_a_space_that_would_win_is_worth_something() -> None:
    three, blocked = board("OO.....", "XXX...O"), board("OO.....", "XXXOX..")
    assert estimate(three, 0) > estimate(blocked, 0)


def test_a_space_that_wins_with_the_next_disc_counts_for_more() -> None:
    mine = board("OO.....", "XXX...O")  # X to move and to win
    states = board("OO.....", "XXX..XO")  # O to move, X threatens
    assert mine["to_act"][0] == 0
    assert states["to_act"][0] == 1
    assert estimate(mine, 0) > estimate(states, 0) > 0.5


@pytest.mark.parametrize("column", [1, 2, 3])
def test_the_centre_is_worth_more_than_the_edge(column: int) -> None:
    edge, inner = board(), board()
    GAME.apply(edge, 0, seeded(0))
    GAME.apply(inner, column, seeded(0))
    assert estimate(inner, 0) > estimate(edge, 0)
