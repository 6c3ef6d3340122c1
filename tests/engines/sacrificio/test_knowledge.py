"""Who sees what, and what a player holds for possible."""

from collections import Counter

import pytest

from arena.authoring.checks.walks import event
from engines.kernel import INTERPRETED
from engines.records import copy
from engines.rng import seeded
from engines.sacrificio import GAME
from engines.sacrificio.state import Variant

TRIALS = (150,) if INTERPRETED else (1000, pytest.param(3000, marks=pytest.mark.full))
ZONES = [{"temple": ["R02", "G08", "B04"]}, {"temple": ["R05", "G02", "B07"]}]


@pytest.fixture(params=TRIALS)
def trials(request):
    """How often a position is imagined."""
    return request.param


def position(*seats, variant=None, **fields):
    """A position with the usual temples and these seats."""
    given = [{**zone, **seat} for zone, seat in zip(ZONES, seats, strict=True)]
    return GAME.from_dict(2, variant or Variant(), {"seat": given, **fields})


def played(states, *texts):
    """The position after some actions."""
    states, rng = copy(states), seeded(1)
    for text in texts:
        GAME.apply(states, GAME.actions.number(text), rng)
    return states


def imagined(states, player, seed):
    """A position that a player holds for possible, as plain data."""
    guess = copy(states)
    GAME.determinize(GAME.view(states, player), seeded(seed), guess)
    return GAME.to_dict(guess)


def test_r45_nobody_else_notices_a_pass_or_that_somebody_was_asked():
    start = position({"hand": ["PA", "VM"]}, {"hand": ["DG", "VW"]})
    asked = played(start, "place PA at P1 s3")
    number = GAME.actions.number("pass")
    assert event(GAME, asked, number, 0) is None
    assert event(GAME, asked, number, 1) == number
    unasked = position({"hand": ["PA", "VM"]}, {"hand": ["PB", "VW"]})
    passed = GAME.view(played(asked, "pass"), 0)
    assert passed.tobytes() == GAME.view(played(unasked, "place PA at P1 s3"), 0).tobytes()


def test_r45_an_answer_is_seen_by_all():
    asked = played(position({"hand": ["PA", "VM"]}, {"hand": ["DG"]}), "place PA at P1 s3")
    number = GAME.actions.number("react DG")
    assert event(GAME, asked, number, 0) == number


def test_r6_a_choice_of_temple_is_secret_and_the_very_last_one_shows_all():
    states = GAME.new_state(2, Variant(), seeded(3))
    unknown = GAME.actions.number("temple ?")
    rng = seeded(4)
    for turn in range(6):
        action = int(GAME.legal(states)[0])
        other = 1 - int(states["to_act"][0])
        assert event(GAME, states, action, other) == (action if turn == 5 else unknown)
        GAME.apply(states, action, rng)


def test_r58_a_card_taken_from_a_cenote_stays_known_until_it_is_played():
    start = position(
        {"hand": ["VM"] * 4},
        {"cenote": ["DR"], "hand": ["PA", "PB"], "slots": "PA"},
        phase="collect",
        seed=5,
    )
    taken = played(start, "take from P1")
    for seed in range(20):
        assert "DR@01" in imagined(taken, 1, seed)["seat"][0]["hand"]


def test_r58_r59_a_card_that_a_curse_returned_is_known():
    start = position(
        {"hand": ["DB", "VM"]},
        {"slots": "-- -- -- -- PB PB PC | -- -- VR", "hand": ["CU"]},
    )
    blocked = played(start, "ritual DB on P1 T2", "react CU")
    assert GAME.to_dict(GAME.view(blocked, 1))["seat"][0]["hand"] == ["?", "DB@1"]


def test_r58_a_temple_put_under_the_pile_is_known():
    start = position({"hand": ["EL", "VM"]}, {}, temples=["G01", "R01", "K01"])
    seen = GAME.to_dict(GAME.view(played(start, "replace P1 T2"), 1))
    assert seen["temples"] == ["B07@1", "?", "?"]


def test_r8_r59_the_top_temple_is_imagined_with_the_heart_on_its_back(trials):
    states = position({"hand": ["VM"]}, {}, seed=5)
    heart = GAME.to_dict(states)["top_heart"]
    letter = {"red": "R", "green": "G", "blue": "B", "black": "K"}[heart]
    tops = Counter(imagined(states, 1, seed)["temples"][-1] for seed in range(trials))
    assert all(name.startswith(letter) for name in tops)
    unseen = GAME.to_dict(states)["temples"]
    expected = [name for name in unseen if name.startswith(letter)]
    mean = trials / len(expected)
    assert set(tops) == set(expected)
    assert all(abs(n - mean) < 5 * mean**0.5 for n in tops.values())


def test_r59_hands_and_deck_are_any_of_the_unseen_cards(trials):
    states = position({"hand": ["KU", "VM"]}, {"hand": ["CU", "CU"]}, seed=5)
    found = Counter(
        card for seed in range(trials) for card in imagined(states, 0, seed)["seat"][1]["hand"]
    )
    unseen = 107 - 2
    for card, copies in (("CU", 4), ("KU", 3), ("PA", 12), ("VM", 6), ("CA", 1)):
        mean = 2 * trials * copies / unseen
        assert abs(found[card] - mean) < 5 * mean**0.5, card


def test_r59_rejected_temples_are_imagined_where_they_may_be():
    variant = Variant(setup_rejects="out")
    states = GAME.new_state(2, variant, seeded(3))
    rng = seeded(4)
    for _ in range(6):
        GAME.apply(states, int(GAME.legal(states)[0]), rng)
    for seed in range(20):
        seats = imagined(states, 0, seed)["seat"]
        assert seats[0]["rejects"] == GAME.to_dict(states)["seat"][0]["rejects"]
        assert len(seats[1]["rejects"]) == 3
