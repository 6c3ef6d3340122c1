"""Beginnings: what `arena new` writes works as it stands, under any name and in any folder."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.authoring.compliance import check_bot
from arena.authoring.conformance import check_game
from arena.authoring.new import TEMPLATES, bot_templates, new_bot, new_game, shown
from engines.core import load_game
from engines.errors import UserError

TEXTS = {
    "python": "{}/bot.py:ThirdTry:samples=2",
    "compiled": "{}/bot.py:THIRD_TRY:playouts=1",
    "program": 'process:command="python3 {}/bot.py"',
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arena(*arguments: str, **environment: str) -> tuple[int, str]:
    """Run the command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout + done.stderr


def test_a_new_game_passes_every_check_at_a_glance(
    home: Path,
    arena_command: Callable[..., tuple[int, str, str]],
    glance: Callable[..., tuple[int, str]],
) -> None:
    code, out, _ = arena_command("new", "game", "third_try")
    assert (code, out.splitlines()[-1]) == (0, "check it: arena check game ./third_try --fast")
    code, out = glance("check", "game", "./third_try", "--fast")
    assert (code, out.splitlines()[-1].endswith(" passed, 0 failed")) == (0, True), out
    for setting in ("2p", "3p", "4p", "2p-small"):
        assert f"ok     third_try-{setting}: " in out


@pytest.mark.full
def test_a_new_game_passes_the_whole_check_with_nothing_compiled_before(home: Path) -> None:
    assert arena("new", "game", "third_try")[0] == 0
    code, out = arena("check", "game", "third_try", ARENA_CACHE=str(home / "cache"))
    assert (code, " passed, 0 failed\n" in out) == (0, True), out
    assert "compiling third_try for the first time" in out


def test_a_new_game_has_its_name_in_every_file(home: Path) -> None:
    folder = new_game(Path("games/third_try"))
    game = load_game(str(folder))
    assert (game.name, game.title, game.players) == ("third_try", "Third Try", (2, 3, 4))
    assert not game.perfect_information
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    texts = {path: path.read_text() for path in files}
    assert [
        path for path, text in texts.items() if "ighest_card" in text or "ighest Card" in text
    ] == []
    assert "arena check game ./games/third_try" in texts[folder / "README.md"]
    facts = (
        "sources_are_python",
        "parts_are_in_the_folder",
        "every_file_is_used",
        "rules_are_cited",
    )
    assert [one for one in check_game(str(folder), facts) if one.problems] == []


def test_a_field_misspelt_in_a_new_game_is_not_told_by_every_check(home: Path) -> None:
    rules = new_game(Path("third_try")) / "rules.py"
    text = rules.read_text().replace("take_seen(seat.hand, card)", "take_seen(seat.hnad, card)")
    rules.write_text(text)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "hnad" in row)
    code, out = arena("check", "game", "./third_try", "--fast")
    assert code == 1
    assert out.count(f"rules.py:{line}") <= 2, out
    assert "hnad" in out
    assert "checks left out\n" in out.replace(" (0.0 s)", "")


# The compiled one is examples/compiled_bot.py, a program passes the check in tests/arena/playing/test_containment.py,
# and one in Python in its own process in tests/arena/playing/test_sandbox.py.
@pytest.mark.parametrize(
    ("kind", "isolation"),
    [
        ("python", "none"),
        *(pytest.param(kind, None, marks=pytest.mark.full) for kind in bot_templates()),
    ],
)
def test_a_new_bot_passes_its_checks(home: Path, kind: str, isolation: str | None) -> None:
    folder = new_bot(Path("third_try"), kind)
    steps = list(check_bot(TEXTS[kind].format(shown(folder)), "connect_four", 1, isolation))
    assert [problem for _, problem in steps if problem] == []
    assert len(steps) == 5
    texts = [path.read_text() for path in folder.iterdir()]
    assert not any("my_bot" in text or "MyBot" in text for text in texts)


def test_the_compiled_beginning_is_the_example(root: Path) -> None:
    text = (TEMPLATES / "bots" / "compiled" / "bot.py").read_text()
    text = text.replace("./my_bot/bot.py:MY_BOT", "examples/compiled_bot.py:FLAT")
    text = text.replace('MY_BOT = compiled_kind("my_bot"', 'FLAT = compiled_kind("flat"')
    assert text == (root / "examples" / "compiled_bot.py").read_text()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("karmaka", "game 'karmaka': there is one of this name"),
        ("My-Game", "game 'My-Game': expected small letters, digits and _, as in my_game"),
        ("class", "expected small letters"),
        ("here", "game 'here': is there already"),
    ],
)
def test_names_that_cannot_be_are_refused(home: Path, name: str, message: str) -> None:
    Path("here").mkdir()
    with pytest.raises(UserError, match=message):
        new_game(Path(name))
    assert list(home.iterdir()) == [home / "here"]


def test_bots_of_no_kind_or_with_the_name_of_another_are_refused(home: Path) -> None:
    with pytest.raises(UserError, match="kind 'pyton': unknown, did you mean python"):
        new_bot(Path("mine"), "pyton")
    with pytest.raises(UserError, match="bot 'greedy': there is one of this name"):
        new_bot(Path("greedy"), "python")


def test_a_folder_that_cannot_be_written_is_one_line(home: Path) -> None:
    Path("file").write_text("")
    with pytest.raises(UserError, match="'file/mine': cannot be written: not a directory"):
        new_game(Path("file/mine"))


def test_templates_travel_with_the_package(root: Path) -> None:
    options = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    base, data = TEMPLATES.parent, options["package-data"]
    game = TEMPLATES / "game"
    assert "arena.authoring.templates.game" in options["packages"]
    carried = {path for pattern in data["arena.authoring"] for path in base.glob(pattern)}
    carried |= {path for pattern in data["*"] for path in game.glob(pattern)} | set(
        game.glob("*.py")
    )
    files = {
        path for path in TEMPLATES.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert files <= carried
