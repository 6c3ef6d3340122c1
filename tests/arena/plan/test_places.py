"""Paths in a config: relative to the config, then to the working folder."""

import pytest
import yaml

from arena.plan.spec import read_spec
from arena.plan.tournament import resolve
from engines.errors import UserError

BOT = """
class First:
    def reset(self, game, view, seed): pass
    def act(self, view, legal): return legal[0]
    def close(self): pass
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Write a config in `there`, work in `here`, read it."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def read(*bots):
        file = tmp_path / "there" / "cup.yaml"
        file.write_text(yaml.safe_dump({"games": ["connect_four"], "bots": ["random", *bots]}))
        return resolve(read_spec(str(file))).entrants[1]

    return read


def test_a_bot_beside_its_config_is_found_from_another_folder(config, tmp_path):
    (tmp_path / "there" / "bot.py").write_text(BOT)
    entrant = config("bot.py:First")
    assert entrant.name == "bot.py:First"
    assert entrant.load().kind.file == str(tmp_path / "there" / "bot.py")


def test_the_config_goes_before_the_working_folder(config, tmp_path):
    for name in ("here", "there"):
        (tmp_path / name / "mine").mkdir()
        (tmp_path / name / "mine" / "bot.py").write_text(BOT)
    assert config("mine").load().kind.file == str(tmp_path / "there" / "mine")
    (tmp_path / "there" / "mine" / "bot.py").unlink()
    (tmp_path / "there" / "mine").rmdir()
    assert config("mine:First").load().kind.file == str(tmp_path / "here" / "mine")


def test_an_error_says_where_a_bot_was_looked_for(config, tmp_path):
    with pytest.raises(UserError) as caught:
        config("lost/bot.py:First")
    there = tmp_path / "there" / "lost" / "bot.py"
    looked = f"looked for {there} and lost/bot.py"
    assert str(caught.value) == f"bots[1].bot: 'lost/bot.py', no such file or folder, {looked}"


def test_files_of_a_bot_are_named_relative_to_the_config_and_are_its_identity(config, tmp_path):
    there = tmp_path / "there"
    (there / "bots").mkdir()
    (there / "bots" / "bot.py").write_text(BOT)
    weights = there / "bots" / "weights.npy"
    ids = []
    for content in (b"1", b"2", b"1"):
        weights.write_bytes(content)
        entrant = config({"bot": "bots/bot.py:First", "files": ["bots/weights.npy"]})
        assert entrant.files == ("weights.npy",)
        ids.append(entrant.id)
    assert ids[0] == ids[2] != ids[1]
    weights.write_bytes(b"2")
    with pytest.raises(UserError, match="has changed since this run was started"):
        entrant.load()


def test_a_program_beside_its_config_is_found(config, tmp_path):
    (tmp_path / "there" / "line.py").write_text("")
    entrant = config({"bot": "process", "command": "python3 line.py --fast"})
    assert entrant.params["command"] == f"python3 {tmp_path / 'there' / 'line.py'} --fast"


def test_a_spec_that_is_stored_keeps_the_files(config, tmp_path):
    from arena.plan.spec import parse_spec, plain

    (tmp_path / "there" / "bot.py").write_text(BOT)
    (tmp_path / "there" / "x").touch()
    entrant = config({"bot": "bot.py:First", "files": "x"})
    assert entrant.files == ("x",)
    spec = read_spec(str(tmp_path / "there" / "cup.yaml"))
    assert parse_spec(plain(spec)).bots == spec.bots
    assert "files" not in plain(spec)["bots"][0]
