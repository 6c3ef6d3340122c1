"""What tables call a variant can be given back as options, on the command line and in a config."""

from typing import Any

import pytest

from arena.authoring.checks.variants import random_variants
from arena.balance.config import parse_balance, variant_labels
from arena.cli.frame import variant_options
from arena.plan.identity import read_label, variant_label
from arena.plan.spec import match_spec, parse_spec
from arena.plan.tournament import resolve
from engines.core import Game, changes, load_game, parse_options
from engines.errors import OptionError, UserError


@pytest.mark.parametrize("count", [40, pytest.param(120, marks=pytest.mark.full)])
def test_every_label_of_every_game_is_read_back(any_game: Game, count: int) -> None:
    for _, variant in random_variants(any_game, count, seed=1):
        label = variant_label(changes(variant))
        for given in (read_label(label, "x"), variant_options([label])):
            assert parse_options(any_game.Variant, given, "x") == variant, label


def test_labels_stand_for_variants_in_configs(any_game: Game) -> None:
    bots = ["random"]
    for players, variant in random_variants(any_game, 6, seed=2):
        label = variant_label(changes(variant))
        entry = {"game": any_game.name, "players": players, "variants": [label]}
        spec = parse_spec({"name": "x", "games": [entry], "bots": bots, "schedule": "self_play"})
        (table,) = resolve(spec).tables
        assert table.changes == changes(variant)
        plan = {"name": "x", "game": any_game.name, "players": players, "bots": bots}
        assert variant_labels(parse_balance({**plan, "baseline": label}))[0] == label


def test_nakums_cards_pass_the_command_line() -> None:
    given = variant_options(["market=M03 : 9m release+M04 out", "max_rounds=12"])
    variant: Any = parse_options(load_game("nakum").Variant, given, "x")
    assert variant.market == ("M03 : 9m release", "M04 out")
    assert variant.max_rounds == 12


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("default", {}),
        ("", {}),
        ("rows=5", {"rows": "5"}),
        ("rows=5,connect=3", {"rows": "5", "connect": "3"}),
        ("a=one, two,b=3", {"a": "one, two", "b": "3"}),
        ("steps=[1, 2],b=3", {"steps": ["1", "2"], "b": "3"}),
        ("a='x',b=", {"a": "x", "b": ""}),
    ],
)
def test_a_value_goes_on_up_to_the_next_name(text: str, found: dict[str, Any]) -> None:
    assert read_label(text, "x") == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rows", "--variant: 'rows', expected NAME=VALUE, e.g. rows=5,connect=3"),
        ("5,rows=3", "expected NAME=VALUE"),
        ("rows=3,rows=4", "--variant.rows: stands twice"),
    ],
)
def test_what_is_no_label_is_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message.replace(".", r"\.")):
        variant_options([text])


# --- errors carry the path and name the options ---------------------------------------------------


@pytest.mark.parametrize(
    ("game", "players", "options", "message"),
    [
        ("karmaka", 2, {"without": {"panic": False}}, "variant.without: {'panic': False}, expected a list"),
        ("sagrada", 2, {"fixed_tools": {"Lens Cutter": "no"}}, "variant.fixed_tools: {'Lens Cutter': 'no'}, "),
        ("sagrada", 2, {"extra_dice": 4, "dice_per_player": 4}, "variant.dice_per_player, extra_dice: 12 dice a round"),
        ("sagrada", 1, {"solo_dice": 9, "rounds": 10, "solo_private_objectives": 5, "private_objectives": "Red"},
         "variant.private_objectives: Red, expected at least 5 different ones (solo_private_objectives)"),
        ("sagrada", 1, {"fixed_tools": "Lathekin+Tap Wheel", "solo_tools": 1}, "at most 1 different ones (solo_tools)"),
        ("sacrificio", 2, {"priest_a": 24, "priest_b": 24, "victim_man": 24, "dagger_red": 24},
         "variant.victim_man, priest_a, priest_b, dagger_red: "),
        ("sacrifice", 2, {"counts": "1+1+1+2+2+2+2+2+2+0"}, "pieces of 2 races, races_needed is 3"),
        ("sacrifice", 2, {"max_turns": 400}, "variant.max_turns: 400, positions of at most 255 turns"),
        ("nakum", 2, {"storage_limit": "0+0+0"}, "variant.storage_limit: 0+0+0, no offering in the game can be paid"),
        ("nakum", 2, {"storage_limit": "6+4"}, "variant.storage_limit: 6+4, expected 3 numbers"),
        ("nakum", 2, {"market": "M99 : 1m"}, "variant.market: 'M99 : 1m': 'M99' is unknown"),
        ("connect_four", 2, {"connect": 9, "rows": 4}, "variant.connect: 9, no line here is longer than 7"),
        ("karmaka", 2, {"mode": "2v2"}, "players: 2, Karmaka in mode 2v2 has 4"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_are_named_with_their_path(
    game: str, players: int, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        match_spec(game, ["random", "greedy"], players, variant=options)
    assert message in str(caught.value)


def test_a_path_in_a_config_leads_to_the_option() -> None:
    entry = {"game": "connect_four", "variants": [{}, {"connect": 9, "rows": 4}]}
    spec = parse_spec({"name": "x", "games": [entry], "bots": ["random", "greedy"]})
    with pytest.raises(UserError, match=r"^games\[0\]\.variants\[1\]\.connect: 9, no line here"):
        resolve(spec)
