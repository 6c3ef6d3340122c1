"""How games end."""

import numpy as np
import pytest

from engines.karmaka import GAME
from engines.karmaka.actions import SUBJECTS, Kind
from engines.karmaka.state import Variant
from engines.karmaka.tables import CARD_NAMES, Ending
from engines.rng import seeded


def play_idly(players, variant):
    """Everybody passes or stores cards, leaves every offer and saves his rings."""
    rng = seeded(1)
    states = GAME.new_state(players, variant, rng)
    idle = (Kind.PASS, Kind.LEAVE, Kind.SAVE_RINGS, Kind.FUTURE)
    while states["to_act"][0] >= 0:
        legal = GAME.legal(states).tolist()
        chosen = [a for kind in idle for a in legal if GAME.actions.kind[a] == kind]
        GAME.apply(states, chosen[0], rng)
    return states


def test_r58_idle_players_are_stopped_after_200_turns_each_and_share_the_win():
    states = play_idly(2, Variant())
    assert GAME.ending(states) == Ending.TURN_CAP
    assert Ending.TURN_CAP in GAME.caps
    assert GAME.turns(states) == 400
    assert (GAME.rank_list(states), GAME.point_list(states)) == ([1, 1], [0, 0])
    assert states["seat"]["rings"].sum() == 12


def test_r18_without_an_end_of_the_supply_every_failed_life_gives_a_ring():
    states = play_idly(2, Variant(ring_supply=None))
    assert states["seat"]["rings"].sum() > 12


def test_r57_places_below_the_first_mean_something_only_in_a_ladder_without_teams():
    assert GAME.places(Variant()) == "winner"
    assert GAME.places(Variant(placement="ladder")) == "all"
    assert GAME.places(Variant(placement="ladder", mode="2v2")) == "winner"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_estimates_of_all_sides_add_up_to_one(players):
    states = GAME.new_state(players, Variant(), seeded(3))
    shares = [GAME.evaluate(states, player) for player in range(players)]
    assert np.isclose(sum(shares), 1.0)
    assert min(shares) > 0


def test_partners_share_one_estimate():
    states = GAME.new_state(4, Variant(mode="2v2"), seeded(3))
    shares = [GAME.evaluate(states, player) for player in range(4)]
    assert shares[0] == shares[2]
    assert shares[1] == shares[3]
    assert np.isclose(shares[0] + shares[1], 1.0)


def test_a_finished_game_is_worth_what_it_brought():
    seat = {"rung": 3, "deeds": ["vengeance", "spite", "embody"]}
    over = GAME.from_dict(3, Variant(), {"phase": "start", "seat": [seat, {"rung": 3}, {}]})
    assert [GAME.evaluate(over, player) for player in range(3)] == [1.0, 0.0, 0.0]


def test_a_better_life_is_worth_more():
    shares = []
    for deeds in ([], ["crisis"], ["crisis", "crisis"], ["crisis", "crisis", "spite"]):
        states = GAME.from_dict(2, Variant(), {"seat": [{"deeds": deeds, "hand": ["peek"]}, {}]})
        shares.append(GAME.evaluate(states, 0))
    assert shares[:3] == sorted(set(shares[:3]))
    assert shares[3] >= shares[2]


def test_subjects_are_the_cards_and_actions_name_what_they_use():
    assert SUBJECTS.names == CARD_NAMES[1:]
    used = SUBJECTS.of_action(GAME.actions.number("ability peek"))
    assert [SUBJECTS.names[i] for i in used] == ["peek"]
    assert SUBJECTS.of_action(GAME.actions.number("pass")) == ()


def test_features_are_the_opening_hands_and_the_roles():
    states = GAME.new_state(3, Variant(mode="bbw", wolf_seat=2), seeded(4))
    facts = GAME.features(states)
    assert [len(f["opening hand"]) for f in facts] == [5, 4, 4]
    assert [f["role"] for f in facts] == ["pair", "pair", "wolf"]
