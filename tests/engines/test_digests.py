"""Two digests of a game: what changes them and what does not."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.core import Game, load_game
from engines.digests import SAME_RULES, mean_the_same, play_digest

# The hash of the whole folder, as it was kept for a game before there were digests: in version 0.1, the last one, and
# whether the rules are still those of 0.1.
OLD_HASHES = {
    "connect_four": ("4b60971fa62e4d58", "a8621e03547ca475", True),
    "karmaka": ("1234ce5c83cc5fac", "5a8f04a4f592ab27", True),
    "sagrada": ("0a5c995b177819dc", "0f5bf3cca71857cb", True),
    "sacrifice": ("aaf97a72f57e1df0", "0d24fa493ee4d620", False),
    "nakum": ("d39f34f724205016", "58325e30a22bb29f", True),
    "sacrificio": ("9a64f3e0c6f7506b", "64d6e0b20f9f6812", False),
}
BOTH, PLAY, NEITHER = "both", "play", "neither"


def digests_of(folder: Path) -> tuple[str, str]:
    game = load_game(str(folder))
    return game.rules_digest, play_digest(game)


@pytest.fixture
def copied(tmp_path: Path, root: Path) -> Path:
    return Path(shutil.copytree(root / "engines" / "connect_four", tmp_path / "mine"))


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        ("RULES.md", "R1", "R1 (as ever)", NEITHER),
        ("rules.py", "@kernel\ndef apply", "# a comment\n\n\n@kernel\ndef apply", NEITHER),
        ("rules.py", '    """', '    """In other words: ', NEITHER),
        ("text.py", "def render", "NOWHERE = 1\n\n\ndef render", NEITHER),
        ("tables.py", "LINE = 1", "LINE = 3", BOTH),
        ("state.py", "np.int8", "np.int16", BOTH),
        ("heuristic.py", "1.0", "1.5", PLAY),
    ],
)
def test_an_edit_changes_the_digests_that_it_concerns(
    copied: Path, file: str, old: str, new: str, changed: str
) -> None:
    before = digests_of(copied)
    path = copied / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    after = digests_of(copied)
    same = tuple(a == b for a, b in zip(before, after, strict=True))
    assert same == {NEITHER: (True, True), PLAY: (True, False), BOTH: (False, False)}[changed]


def test_a_copy_of_a_game_has_its_digests(copied: Path, root: Path) -> None:
    game = load_game("connect_four")
    assert digests_of(copied) == (game.rules_digest, play_digest(game))


def test_digests_are_the_same_compiled_and_interpreted(run_python: Callable[..., str]) -> None:
    script = """
from engines.core import load_game
from engines.digests import play_digest
game = load_game("connect_four")
print(game.rules_digest, play_digest(game))
"""
    first, second = (run_python(script, NUMBA_DISABLE_JIT=mode) for mode in "01")
    game = load_game("connect_four")
    assert first == second == f"{game.rules_digest} {play_digest(game)}"


def test_runs_stored_under_the_old_definition_go_on(any_game: Game) -> None:
    first, last, unchanged = OLD_HASHES[any_game.name]
    assert any_game.has_rules(last), (
        f"add to {any_game.folder / SAME_RULES}, if the rules are still those of the line: "
        f"{any_game.rules_digest}"
    )
    assert any_game.has_rules(first) == unchanged
    assert not any_game.has_rules("f" * 16)


def test_digests_in_one_line_mean_the_same_rules(tmp_path: Path) -> None:
    (tmp_path / SAME_RULES).write_text("a b  # moved\nc d\n")
    assert mean_the_same(tmp_path, "a", "b")
    assert mean_the_same(tmp_path, "x", "x")
    assert not mean_the_same(tmp_path, "b", "c")
    assert not mean_the_same(tmp_path / "elsewhere", "a", "b")
