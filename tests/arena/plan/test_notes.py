"""Options that cannot act at a table, and those that the decision limit may cut off, are told."""

from typing import Any

import pytest

from arena.authoring.catalogue import describe_game
from arena.balance.config import parse_balance, same_variants, tournament_spec, variant_labels
from arena.plan.notes import notes
from arena.plan.spec import match_spec
from arena.plan.tournament import resolve


def told(game: str, players: int, **options: Any) -> list[str]:
    """The notes on a match."""
    return list(notes(resolve(match_spec(game, ["random", "greedy"], players, variant=options))))


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("sagrada", 2, {"solo_dice": 5}),
        ("sagrada", 2, {"tokens": 3}),
        ("nakum", 2, {"grow_m4": False}),
        ("karmaka", 2, {"bbw_ally_future": True}),
        ("karmaka", 3, {"opposite_gets_offer": False}),
        ("sacrificio", 3, {"four_player_mode": "ffa"}),
    ],
)
def test_an_option_that_cannot_act_is_told(
    game: str, players: int, options: dict[str, Any]
) -> None:
    (note,) = told(game, players, **options)
    assert f"with {players} players: {next(iter(options))}=" in note
    assert "cannot act here" in note


def test_an_option_that_acts_is_not_told() -> None:
    assert told("karmaka", 3, mode="bbw", bbw_ally_future=True) == []
    assert told("karmaka", 4, opposite_gets_offer=False) == []
    assert told("sagrada", 2, tokens=3, tokens_by_difficulty=False) == []


def test_turns_beyond_the_decision_limit_are_told_with_its_name() -> None:
    (note,) = told("karmaka", 2, max_turns_per_player=5000)
    assert (
        "max_turns_per_player=5000 may lead to more decisions than limits.decisions, 20000" in note
    )
    assert told("karmaka", 2, max_turns_per_player=400) == []
    assert "above 500 limits.decisions" in " ".join(describe_game("karmaka").split())


# --- balance --------------------------------------------------------------------------------------

PLAN = {
    "name": "x",
    "game": "karmaka",
    "players": [2, 3],
    "bots": ["random"],
    "variants": [
        {"wolf_rung": 3},
        {"hand_size": 5},
        {"hand_size": 5, "opposite_gets_offer": False},
    ],
}


def test_a_variant_that_plays_like_another_is_not_analysed_and_told() -> None:
    spec = parse_balance(PLAN)
    assert variant_labels(spec) == ("default", "hand_size=5")
    games = tournament_spec(spec).games
    assert [game.options("")[0][1] for game in games] == [{}, {"hand_size": 5}] * 2
    lines = list(same_variants(spec))
    assert "wolf_rung=3 with 2 players: plays like a variant before it" in lines[0]
    assert len(lines) == 4


def test_a_variant_that_acts_at_some_tables_is_analysed_there() -> None:
    plan = {**PLAN, "players": [2, 4], "variants": [{"opposite_gets_offer": False}]}
    spec = parse_balance(plan)
    assert variant_labels(spec) == ("default", "opposite_gets_offer=false")
    found = [(game.players, len(game.options(""))) for game in tournament_spec(spec).games]
    assert found == [((2,), 1), ((4,), 1), ((4,), 1)]
