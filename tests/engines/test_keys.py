"""Hashes of positions, and sides: the building blocks that games share."""

from typing import Any

import numpy as np
import pytest

from engines import piles
from engines.keys import NOTHING, mix, mix_pile, scatter
from engines.records import HEADER
from engines.sides import leads, share_won

PILE = piles.pile(6)


def pile_of(*cards: int, known: int = 0) -> Any:
    record = np.zeros(1, np.dtype((np.record, PILE)))[0]
    for card in cards:
        piles.push(record, card, known)
    return record


def test_a_hash_tells_numbers_their_order_and_their_pile_apart() -> None:
    hashes = [
        mix(mix(NOTHING, 1), 2),
        mix(mix(NOTHING, 2), 1),
        mix(mix(NOTHING, 3), 0),
        mix_pile(mix_pile(NOTHING, pile_of(1, 2)), pile_of(3)),
        mix_pile(mix_pile(NOTHING, pile_of(1)), pile_of(2, 3)),
        mix_pile(mix_pile(NOTHING, pile_of(2, 1)), pile_of(3)),
    ]
    assert len({int(found) for found in hashes}) == len(hashes)


def test_who_knows_a_card_is_not_part_of_the_hash() -> None:
    assert mix_pile(NOTHING, pile_of(4, 5)) == mix_pile(NOTHING, pile_of(4, 5, known=3))


def test_scattered_numbers_add_up_in_any_order_to_different_sums() -> None:
    numbers = [scatter(n) for n in range(4)]
    with np.errstate(over="ignore"):
        assert numbers[0] + numbers[3] == numbers[3] + numbers[0]
        assert numbers[0] + numbers[3] != numbers[1] + numbers[2]


@pytest.mark.parametrize(
    ("teams", "ranks", "leaders", "shares"),
    [
        ([0, 1, 2], [1, 2, 3], [0, 1, 2], [1, 0, 0]),
        ([0, 1, 2, 3], [1, 1, 3, 1], [0, 1, 2, 3], [1 / 3, 1 / 3, 0, 1 / 3]),
        ([0, 1, 0, 1], [1, 2, 1, 2], [0, 1], [1, 0, 1, 0]),
        ([0, 1, 1], [1, 1, 1], [0, 1], [1 / 2, 1 / 2, 1 / 2]),
        ([0], [2], [0], [0]),
    ],
)
def test_a_win_is_shared_between_sides_not_players(teams, ranks, leaders, shares) -> None:
    state = np.zeros(1, np.dtype((np.record, HEADER)))[0]
    state.players = len(teams)
    state.team[: len(teams)] = teams
    places = np.array(ranks, np.int8)
    players = range(len(teams))
    assert [player for player in players if leads(state, player)] == leaders
    assert [share_won(state, places, player) for player in players] == shares
