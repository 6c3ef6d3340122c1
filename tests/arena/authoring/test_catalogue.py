"""What `arena games` and `arena bots` say."""

import re
import shutil

import pytest

from arena.authoring.catalogue import describe_bot, describe_game, list_bots, list_games
from bots.registry import bot_kinds, parse_bot
from engines.core import describe_options, game_names, load_game, parse_options
from engines.errors import UserError


def test_every_game_is_listed_with_its_players():
    text = list_games()
    assert all(any(line.startswith(name) for line in text.splitlines()) for name in game_names())
    assert "connect_four  2 players" in text


def test_every_bot_is_listed_with_what_it_does():
    text = list_bots()
    for kind in bot_kinds().values():
        assert any(kind.name in line and kind.summary in line for line in text.splitlines())
    assert "file.py:Class" in text


def test_a_game_is_described_with_every_option(any_game):
    text = describe_game(any_game.name)
    assert text.startswith(f"{any_game.title} ({any_game.name}): ")
    for info in describe_options(any_game.Variant):
        (row,) = re.findall(rf"^  {info.name} .*(?:\n {{20}}.*)*", text, re.M)
        assert info.option.meaning in " ".join(row.split())
    for preset in any_game.presets:
        assert preset.name in text
    for ending in any_game.Ending:
        assert not ending or ending.name.lower() in text
    assert any_game.rules_digest in text


def test_the_rules_of_a_game_in_a_folder_are_where_it_is(tmp_path, monkeypatch, root):
    assert "Rules: engines/connect_four/RULES.md (digest " in describe_game("connect_four")
    # Under a name of its own: an equal folder of this name that another test has loaded is the same game.
    shutil.copytree(root / "engines" / "connect_four", tmp_path / "described")
    monkeypatch.chdir(tmp_path)
    assert "Rules: described/RULES.md (digest " in describe_game("./described")


def test_a_default_that_is_shown_can_be_given(any_game):
    text = describe_game(any_game.name)
    for info in describe_options(any_game.Variant):
        (line,) = [row for row in text.splitlines() if row.startswith(f"  {info.name} ")]
        shown = line.split()[1]
        parsed = parse_options(any_game.Variant, {info.name: shown}, "variant")
        if shown != "none":
            assert getattr(parsed, info.name) == info.default


def test_lines_are_not_wider_than_a_terminal_can_show(any_game):
    for text in (describe_game(any_game.name), describe_bot("mcts"), list_games(), list_bots()):
        assert max(len(line) for line in text.splitlines()) <= 160


@pytest.mark.parametrize("name", ["random", "greedy", "mcts"])
def test_a_bot_is_described_with_every_parameter(name):
    text, kind = describe_bot(name), bot_kinds()[name]
    assert text.startswith(f"{name}: {kind.summary}")
    for info in describe_options(kind.Parameters):
        (line,) = [row for row in text.splitlines() if row.startswith(f"  {info.name} ")]
        assert info.option.meaning in line
        shown = line.split()[1]
        if shown != "none":
            parse_bot(f"{name}:{info.name}={shown}")
    assert ("No parameters." in text) == (name == "random")


def test_a_bot_in_a_file_is_described_too(root):
    text = describe_bot(f"{root / 'examples' / 'flat_monte_carlo.py'}:FlatMonteCarlo")
    assert text.startswith("flat_monte_carlo.py:FlatMonteCarlo: Random playouts for every legal")
    assert "Parameters (flat_monte_carlo.py:FlatMonteCarlo:playouts=...):" in text
    assert "1 to 10000" in text


def test_options_behind_a_name_are_passed_over():
    assert "Parameters (greedy:samples=...):" in describe_bot("greedy:samples=3")


def test_what_is_unknown_is_one_line():
    with pytest.raises(UserError, match="did you mean connect_four"):
        describe_game("conect_four")
    with pytest.raises(UserError, match="did you mean greedy"):
        describe_bot("greddy")


def test_options_are_read_from_the_game_itself():
    info = {i.name: i for i in describe_options(load_game("connect_four").Variant)}
    assert (info["rows"].default, info["rows"].option.high) == (6, 9)
