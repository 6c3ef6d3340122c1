"""What lies where before the first move."""

from collections import Counter

import pytest

from engines.records import copy
from engines.rng import below, seeded
from engines.sacrificio import GAME
from engines.sacrificio.state import Variant
from engines.sacrificio.tables import CARDS, LAST_DECK_CARD, TEMPLES


def set_up(players, variant, seed):
    """A game with all temples chosen at random, as plain data."""
    rng, chooser = seeded(seed), seeded(seed + 1000)
    states = GAME.new_state(players, variant, rng)
    while GAME.to_dict(states)["phase"] == "setup":
        legal = GAME.legal(states)
        GAME.apply(states, int(legal[below(chooser, len(legal))]), rng)
    return states


@pytest.mark.parametrize(("players", "pile", "deck"), [(2, 24, 95), (3, 21, 89), (4, 18, 83)])
def test_r3_r5_r7_r9_a_new_game_has_its_temples_hands_and_supplies(players, pile, deck):
    data = GAME.to_dict(set_up(players, Variant(), 4))
    assert [len(seat["hand"]) for seat in data["seat"]] == [6] * players
    assert all("none" not in seat["temple"] for seat in data["seat"])
    assert len(data["temples"]) == pile
    assert len(data["deck"]) == deck
    assert data["hollow"] == 12
    assert data["centre"] == {"SV": 3, "SP": 3, "SD": 3}
    assert (data["to_act"], data["moves_left"]) == (0, 2)


def test_r9_no_cannibalism_is_dealt_and_none_is_lost():
    for seed in range(40):
        data = GAME.to_dict(set_up(4, Variant(cannibalism=8), seed))
        assert all("CA" not in seat["hand"] for seat in data["seat"])
        assert data["deck"].count("CA") == 8


def test_r9_a_cannibalism_is_shuffled_back_anywhere():
    places = Counter()
    for seed in range(60):
        deck = GAME.to_dict(set_up(2, Variant(cannibalism=8), seed))["deck"]
        places["high" if "CA" in deck[len(deck) // 2 :] else "low"] += 1
        assert "CA" in deck
    assert places["high"] > 0


def test_r6_each_player_chooses_among_his_own_temples_in_seat_order():
    states = GAME.new_state(3, Variant(), seeded(1))
    rng = seeded(2)
    for player in range(3):
        for left in (6, 5, 4):
            assert int(states["to_act"][0]) == player
            legal = [GAME.actions.text(int(a)) for a in GAME.legal(states)]
            options = GAME.to_dict(states)["seat"][player]["options"]
            assert legal == [f"temple {name}" for name in options]
            assert len(legal) == left
            GAME.apply(states, int(GAME.legal(states)[0]), rng)


def test_r7_rejected_temples_are_somewhere_in_the_pile():
    places = set()
    for seed in range(30):
        states = GAME.new_state(2, Variant(), seeded(seed))
        rejected = GAME.to_dict(states)["seat"][0]["options"][-1]
        rng = seeded(seed + 50)
        for _ in range(6):
            GAME.apply(states, int(GAME.legal(states)[0]), rng)
        places.add(GAME.to_dict(states)["temples"].index(rejected))
    assert len(places) > 8


def test_r4_equal_seeds_give_equal_deals():
    first, second = (GAME.new_state(4, Variant(), seeded(9)) for _ in range(2))
    other = GAME.new_state(4, Variant(), seeded(10))
    assert first.tobytes() == second.tobytes() == copy(first).tobytes()
    assert first.tobytes() != other.tobytes()


def test_r1_the_deck_has_107_cards_and_uses_every_printed_number_once():
    copies = [card.copies for card in CARDS]
    assert sum(copies[:LAST_DECK_CARD]) == 107
    printed = [9, 12, 12, 7, 3, 3, 3, 2, 1, 4, 4, 4, 4, 4, 12, 9, 9, 9, 12, 9, 9, 3]
    hearts = Counter(temple.heart for temple in TEMPLES[:30])
    victims = copies[:3]
    assert len(set(victims)) == 1
    used = [*hearts.values(), 12, victims[0], *copies[3:]]
    assert sorted(used) == sorted(printed)


@pytest.mark.parametrize("deck", ["standard", "diagonal_black"])
def test_r1_every_temple_pairs_a_dagger_with_other_priests(deck):
    states = GAME.blank(2, Variant(temple_deck=deck))
    names = GAME.to_dict(states)["rules"]["temples"]
    temples = [temple for temple in TEMPLES if temple.name in names]
    assert len({(temple.dagger, temple.priests) for temple in temples}) == 30
    assert sorted(Counter(temple.heart for temple in temples).values()) == [3, 9, 9, 9]
