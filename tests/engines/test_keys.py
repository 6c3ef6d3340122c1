"""Hashes of positions, and sides: the building blocks that games share."""

from typing import Any

import numpy as np
import pytest

from engines import piles
from engines.core import load_game
from engines.keys import NOTHING, mix, mix_pile, scatter
from engines.rng import seeded
from engines.sides import leads, share_won

PILE = piles.pile(6)


def pile_of(*cards: int, known: int = 0) -> Any:
    record = np.zeros(1, np.dtype((np.record, PILE)))[0]
    for card in cards:
        piles.push(record, card, known)
    return record


def hashed(*parts: Any) -> int:
    """Numbers and piles in one hash, as a kernel would mix them."""
    mixed = NOTHING
    for part in parts:
        step = mix if isinstance(part, int) else mix_pile
        mixed = np.uint64(step(mixed, part))  # outside a kernel a compiled one returns a plain int
    return int(mixed)


def test_a_hash_tells_numbers_their_order_and_their_pile_apart() -> None:
    hashes = [
        hashed(1, 2),
        hashed(2, 1),
        hashed(3, 0),
        hashed(pile_of(1, 2), pile_of(3)),
        hashed(pile_of(1), pile_of(2, 3)),
        hashed(pile_of(2, 1), pile_of(3)),
    ]
    assert len(set(hashes)) == len(hashes)


def test_who_knows_a_card_is_not_part_of_the_hash() -> None:
    assert hashed(pile_of(4, 5)) == hashed(pile_of(4, 5, known=3))


def test_scattered_numbers_add_up_in_any_order_to_different_sums() -> None:
    numbers = [np.uint64(scatter(n)) for n in range(4)]
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
    state = np.zeros(1, np.dtype((np.record, load_game("connect_four").dtype)))[0]
    state.players = len(teams)
    state.team[: len(teams)] = teams
    places = np.array(ranks, np.int8)
    players = range(len(teams))
    assert [player for player in players if leads(state, player)] == leaders
    assert [share_won(state, places, player) for player in players] == shares


COUNTED = {
    "karmaka": "turn",
    "nakum": "current_round",
    "sagrada": "current_round",
    "sacrificio": "turn",
}


@pytest.mark.parametrize(("name", "field"), COUNTED.items())
def test_a_later_round_does_not_cancel_another_player(name: str, field: str) -> None:
    game = load_game(name)
    states = game.new_state(3, game.Variant(), seeded(1))
    found = set()
    for number in range(30):
        for player in range(3):
            states[field], states["to_act"] = number, player
            found.add(int(game.key(states)))
    assert len(found) == 30 * 3
