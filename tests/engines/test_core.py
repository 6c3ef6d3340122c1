"""Options of variants and bots, and where games are found."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

from engines.core import (
    BUILT_IN,
    Game,
    Option,
    changes,
    describe_options,
    game_names,
    load_game,
    parse_options,
)
from engines.errors import OptionError, UserError
from engines.records import copy, equal
from engines.rng import seeded


@dataclass(frozen=True)
class Options:
    """One option of each type."""

    rounds: Annotated[int, Option("how many", 1, 9)] = 3
    share: Annotated[float, Option("of what", 0.0, 1.0)] = 0.5
    quick: Annotated[bool, Option("or slow")] = False
    mode: Annotated[str, Option("which", choices=("one", "two"))] = "one"
    limit: Annotated[int | None, Option("at most", 1)] = None
    without: Annotated[tuple[str, ...], Option("left out", choices=("a", "b", "c"))] = ()
    steps: Annotated[tuple[int, ...], Option("each", 1, 9)] = (4, 5)
    plain: int = field(default=0)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("rounds", 4, 4),
        ("rounds", "4", 4),
        ("rounds", 4.0, 4),
        ("share", 1, 1.0),
        ("share", "0.25", 0.25),
        ("quick", True, True),
        ("quick", "yes", True),
        ("quick", "False", False),
        ("mode", "two", "two"),
        ("limit", None, None),
        ("limit", "none", None),
        ("limit", "7", 7),
        ("without", ["a", "b"], ("a", "b")),
        ("without", "a+c", ("a", "c")),
        ("steps", [1, 2], (1, 2)),
        ("steps", "1+2", (1, 2)),
        ("plain", -5, -5),
    ],
)
def test_values_arrive_in_their_type(name: str, given: Any, expected: Any) -> None:
    value = getattr(parse_options(Options, {name: given}, "x"), name)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("rounds", 0, "x.rounds: 0, expected 1 to 9"),
        ("rounds", 10, "x.rounds: 10, expected 1 to 9"),
        ("rounds", "many", "x.rounds: 'many', expected a whole number"),
        ("rounds", 2.5, "expected a whole number"),
        ("rounds", True, "expected a whole number"),
        ("rounds", None, "expected a whole number"),
        ("rounds", [1], "expected a whole number"),
        ("share", 1.5, "expected 0.0 to 1.0"),
        ("share", float("nan"), "expected a number"),
        ("share", "inf", "expected a number"),
        ("quick", "maybe", "expected true or false"),
        ("quick", 1, "expected true or false"),
        ("mode", "three", "x.mode: 'three', expected one | two"),
        ("mode", {}, "expected a word"),
        ("limit", 0, "x.limit: 0, expected at least 1"),
        ("without", ["d"], "expected a | b | c"),
        ("without", 3, "x.without: 3, expected"),
        ("steps", [1, 99], "expected 1 to 9"),
        ("round", 1, "x.round: unknown, did you mean rounds?"),
        ("zzz", 1, "x.zzz: unknown, known are rounds, share"),
    ],
)
def test_what_is_wrong_is_named_with_its_value_and_what_would_be_right(
    name: str, given: Any, message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        parse_options(Options, {name: given}, "x")
    assert message in str(caught.value)


def test_a_class_without_options_says_so() -> None:
    @dataclass(frozen=True)
    class Nothing:
        """No options."""

    assert parse_options(Nothing, {}, "x") == Nothing()
    with pytest.raises(OptionError, match="there are none"):
        parse_options(Nothing, {"a": 1}, "x")


def test_options_are_described_in_order() -> None:
    described = describe_options(Options)
    assert [info.name for info in described][:2] == ["rounds", "share"]
    assert described[0].option.meaning == "how many"
    assert described[4].default is None


def test_changes_are_what_differs_from_the_default() -> None:
    assert changes(Options()) == {}
    assert changes(Options(quick=True, rounds=4)) == {"rounds": 4, "quick": True}


def test_parsed_options_survive_their_own_changes() -> None:
    options = Options(rounds=4, limit=3, without=("a",), steps=(1,))
    assert parse_options(Options, changes(options), "x") == options


# --- games ----------------------------------------------------------------------------------------


def test_every_game_named_can_be_loaded_and_bears_its_name() -> None:
    for name in game_names():
        assert load_game(name).name == name


def test_games_shipped_are_named_in_their_order() -> None:
    names = game_names()
    assert names == [name for name in BUILT_IN if name in names] + names[len(names) :]


def test_an_unknown_game_names_the_nearest() -> None:
    with pytest.raises(UserError, match="game 'karmka': unknown, did you mean karmaka"):
        load_game("karmka")


def test_a_game_is_loaded_from_a_folder(tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "my_four"
    shutil.copytree(root / "engines" / "connect_four", folder)
    game = load_game(str(folder))
    assert game.Variant.__module__ != load_game("connect_four").Variant.__module__
    assert load_game(str(folder)) is game
    (folder / "RULES.md").write_text("changed")
    assert load_game(str(folder)) is not game


def test_a_copied_folder_takes_nothing_from_the_game_it_was_copied_from(
    any_game: Game, tmp_path: Path
) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(any_game.folder, tmp_path / "copied", ignore=ignored)
    copied = load_game(str(tmp_path / "copied"))
    kernels = (copied.deal, copied.legal_actions, copied.apply, copied.observe, copied.determinize)
    modules = {
        kernel.__module__ for kernel in (*kernels, copied.ranks, copied.key, copied.evaluate)
    }
    assert all(
        name.startswith("arena_game_copied_") for name in modules | {copied.Variant.__module__}
    )
    sources = [path.read_text() for path in any_game.folder.rglob("*.py")]
    assert not any(f"engines.{any_game.name}" in source for source in sources)


def test_a_folder_without_a_game_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no __init__\.py"):
        load_game(str(tmp_path))
    (tmp_path / "__init__.py").write_text("")
    with pytest.raises(UserError, match="has no GAME"):
        load_game(str(tmp_path))


def test_the_rules_digest_is_short_and_stays() -> None:
    game = load_game("connect_four")
    assert game.rules_digest == load_game("connect_four").rules_digest
    assert len(game.rules_digest) == 16


# --- the Python side of a game --------------------------------------------------------------------


def test_a_new_state_is_blank_plus_deal() -> None:
    game = load_game("connect_four")
    states = game.blank(2, game.Variant())
    game.deal(states, seeded(1))
    assert equal(states, game.new_state(2, game.Variant(), seeded(1)))


def test_legal_points_and_ranks_come_as_plain_lists() -> None:
    game = load_game("connect_four")
    states = game.new_state(2, game.Variant(), seeded(1))
    assert game.legal(states).dtype == np.int32
    assert game.legal(states).tolist() == list(range(7))
    assert game.point_list(states) == [0, 0]
    assert game.rank_list(states) == [1, 1]


def test_a_view_is_a_record_of_its_own() -> None:
    game = load_game("connect_four")
    states = game.new_state(2, game.Variant(), seeded(1))
    before = copy(states)
    game.view(states, 1)["discs"] = 7
    assert equal(states, before)
