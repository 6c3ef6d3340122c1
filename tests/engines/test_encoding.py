"""Views as vectors: what each component says, to whom, and that nothing else gets in."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arena.authoring.checks import observations
from arena.authoring.checks.walks import Setting, settings
from engines.core import Game, load_game
from engines.encoding import Encoder
from engines.errors import UserError
from engines.observations import Bits, Cards, Skip
from engines.rng import seeded

FOUR = load_game("connect_four")
MOST_COMPONENTS = 2000


def told(encoder: Encoder, view: Any) -> dict[str, float]:
    """The components that are not 0, by name."""
    vector = encoder(view)
    return {encoder.names[int(at)]: float(vector[at]) for at in np.flatnonzero(vector)}


def test_connect_four_shows_own_discs_first() -> None:
    states = FOUR.new_state(2, FOUR.Variant(), seeded(0))
    for action in (3, 3, 2):
        FOUR.apply(states, action, seeded(0))
    encoder = Encoder(FOUR, 2)
    assert told(encoder, FOUR.view(states, 0)) == {
        "viewer=0": 1.0,
        "to_act=1": 1.0,
        "discs[0]:4.1": 1.0,
        "discs[0]:3.1": 1.0,
        "discs[1]:4.2": 1.0,
    }
    assert told(encoder, FOUR.view(states, 1)) == {
        "viewer=1": 1.0,
        "to_act=0": 1.0,
        "discs[1]:4.1": 1.0,
        "discs[1]:3.1": 1.0,
        "discs[0]:4.2": 1.0,
    }


def test_karmaka_counts_cards_scales_numbers_and_hides_the_rivals_hand() -> None:
    game = load_game("karmaka")
    states = game.new_state(3, game.Variant(), seeded(4))
    states["seat"]["rings"][0] = [3, 0, 6, 0]
    encoder = Encoder(game, 3)
    seen = told(encoder, game.view(states, 2))
    assert seen["viewer=2"] == 1
    assert seen["to_act=1"] == 1  # the first player sits one seat on from the third
    assert seen["seat[0].rings"] == pytest.approx(6 / 12)
    assert seen["seat[1].rings"] == pytest.approx(3 / 12)
    own = {name for name in seen if name.startswith("seat[0].hand:")}
    assert own
    assert "seat[0].hand:?" not in own
    assert {n for n in seen if n.startswith("seat[1].hand:")} == {"seat[1].hand:?"}


def test_whole_numbers_and_shares_say_the_same() -> None:
    game = load_game("sagrada")
    encoder = Encoder(game, 2)
    view = game.view(game.new_state(2, game.Variant(), seeded(1)), 0)
    shares, whole = encoder(view), encoder(view, dtype=np.uint8)
    assert shares.dtype == np.float32
    assert np.array_equal(shares > 0, whole > 0)
    at = encoder.names.index("bag_tally:R")
    assert (shares[at], whole[at]) == (1.0, 18)


def test_partners_are_told_where_sides_are_teams() -> None:
    game = load_game("karmaka")
    variant = game.Variant(mode="2v2")
    encoder = Encoder(game, 4, variant)
    view = game.view(game.new_state(4, variant, seeded(1)), 3)
    assert [name for name in told(encoder, view) if name.startswith("partner")] == ["partner=2"]


def test_no_game_needs_more_components_than_learners_take(any_game: Game) -> None:
    least = min(n for n in any_game.players if n > 1)
    encoder = Encoder(any_game, least)
    assert encoder.size == len(encoder.names) <= MOST_COMPONENTS


def test_a_digest_follows_what_the_components_mean() -> None:
    small = FOUR.Variant(rows=4, columns=5, connect=3)
    assert Encoder(FOUR, 2).digest == Encoder(FOUR, 2, FOUR.Variant()).digest
    assert Encoder(FOUR, 2, small).digest != Encoder(FOUR, 2).digest


def test_a_field_that_means_nothing_is_named() -> None:
    with pytest.raises(UserError, match="observation: discs is not declared"):
        Encoder(replace(FOUR, observation=lambda states: {}), 2)


def test_games_travel_by_name(any_game: Game) -> None:
    assert pickle.loads(pickle.dumps(any_game)) is any_game


# --- the checks notice --------------------------------------------------------------------------


def declaring(**fields: Any) -> Setting:
    """Connect Four with another declaration."""
    return settings(replace(FOUR, observation=lambda states: {"ending": Skip(), **fields}))[0]


def test_a_declaration_of_no_field_is_noticed() -> None:
    setting = declaring(discs=Skip(), hidden=Skip())
    found = list(observations.fields_mean_something_to_learners(setting))
    assert found == ["observation: no field hidden"]


def test_bits_that_have_no_component_are_noticed() -> None:
    found = list(observations.vectors_hold_what_views_tell(declaring(discs=Bits("ab"))))
    assert found
    assert "sees discs out of its range" in found[0]


def test_more_cards_than_there_may_be_are_noticed() -> None:
    game = load_game("karmaka")
    fields = {**game.observation(game.blank(2, game.Variant())), "seat.hand": Cards(most=1)}
    crowded = replace(game, observation=lambda states: fields)
    found = list(observations.vectors_hold_what_views_tell(settings(crowded)[0]))
    assert any("seat[0].hand:" in line for line in found)


def test_a_view_that_tells_more_shows_in_the_vector() -> None:
    game = load_game("karmaka")

    def observe(states: Any, player: int, views: Any) -> None:
        game.observe(states, player, views)
        views["left"] = states["seat"]["hand"]["card"][0, 1 - player, 0] % 3

    leaking = replace(game, observe=observe)
    found = list(observations.alike_positions_have_equal_vectors(settings(leaking)[0]))
    assert any("can tell what he imagines by" in line for line in found)
