"""What is true after every step of long random games."""

import pytest

from arena.authoring.checks.components import misplaced
from engines.kernel import INTERPRETED
from engines.records import OVER
from engines.rng import below, mix, seeded
from engines.sacrificio import GAME
from engines.sacrificio.state import Variant
from engines.sacrificio.tables import (
    CARD_VICTIM,
    LAST_TAKEABLE,
    PRIEST_SLOTS,
    Card,
    Look,
    suits,
    victims_agree,
)

ROUNDS = 2 if INTERPRETED else 15
MORE_ROUNDS = 60


def variants(rounds):
    return [
        (2, Variant(max_rounds=rounds)),
        (3, Variant(max_rounds=rounds)),
        (4, Variant(max_rounds=rounds)),
        (2, Variant(max_rounds=rounds, quick_game=True)),
        (3, Variant(max_rounds=rounds, kukulkan=8, curse=8, cannibalism=8, eclipse_solar=8)),
    ]


SETTINGS = [
    *variants(ROUNDS),
    *(pytest.param(*one, marks=pytest.mark.full) for one in variants(MORE_ROUNDS)),
]


@pytest.mark.parametrize(("players", "variant"), SETTINGS)
def test_r3_r20_r36_components_are_conserved_and_zones_stay_lawful(players, variant):
    rng, chooser = seeded(mix(players, 1)), seeded(mix(players, 2))
    states = GAME.new_state(players, variant, rng)
    while int(states["to_act"][0]) != OVER:
        legal = GAME.legal(states)
        action = int(legal[below(chooser, len(legal))])
        GAME.apply(states, action, rng)
        assert list(misplaced(GAME, states)) == [], GAME.actions.text(action)
        assert_lawful(states[0], variant)


def assert_lawful(state, variant):
    """The sheet's invariants."""
    seats = state["seat"]
    assert int(state["hollow"]) + int(seats["hollow"].sum()) == variant.hollow_hearts
    for seat in seats:
        victims = tuple(int(CARD_VICTIM[card]) for card in seat["slots"][PRIEST_SLOTS:])
        assert victims_agree(victims)
        assert seat["hand"]["count"] <= variant.hand_size
        cenote = seat["cenote"]["card"][: int(seat["cenote"]["count"])]
        assert all(0 < card <= LAST_TAKEABLE for card in cenote)
        assert not seat["under"][: LAST_TAKEABLE + 1].any()
        assert not seat["under"][Card.SV :].any()
        for site, pile in enumerate(seat["spirits"]):
            top = int(pile["card"][int(pile["count"]) - 1]) if pile["count"] else 0
            assert not pile["cursed"] or top == Card.CU
            assert pile["count"] == 0 or seat["temple"][site] != 0
    assert 0 <= state["moves_left"] <= variant.moves_per_turn + variant.zero


def test_r18_r19_the_table_of_priests_agrees_with_the_rule_written_out():
    a, b, c, wild, pulque, empty = Look.A, Look.B, Look.C, Look.WILD, Look.PULQUE, Look.EMPTY
    assert suits("AAB", (b, a, a))
    assert suits("AAB", (a, wild, wild))
    assert not suits("AAB", (b, b, wild))
    assert not suits("AAB", (wild, wild, empty))
    assert suits("AAB", (pulque, b, c))
    assert suits("AAB", (pulque, pulque, wild))
    assert not suits("AAB", (pulque, c, empty))
