"""The cache of real games: what an edit costs, files that are lost or damaged, and no place to write."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engines.contents import weight
from engines.core import Game
from engines.kernel import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="about compiled code")
RunPython = Callable[..., str]

# Plays a game in compiled code and asks all that a Game answers; types get other numbers in every process.
PLAY = """
import numba
import numpy as np
for i in range(SHIFT):
    numba.typeof(np.zeros(1, [(f"shift{i}", np.int8)]))
from bots.playouts import play_out
from engines.core import load_game
from engines.rng import seeded
for name in NAMES:
    game = load_game(name)
    states, rng = game.new_state(2, game.Variant(), seeded(1)), seeded(2)
    print(*play_out(game, states, 3, rng))
    for number in range(6):
        game.apply(states, int(game.legal(states)[number % 2]), rng)
    view = game.view(states, 0)
    game.determinize(view, rng, states)
    print(game.point_list(states), game.rank_list(states), game.ending(states), game.turns(states))
    print(int(game.key(states)), game.evaluate(states, 0), int(game.witnesses(states, 0)))
"""


def play(*names: object, shift: int = 0) -> str:
    return PLAY.replace("NAMES", repr([str(one) for one in names])).replace("SHIFT", str(shift))


@pytest.fixture
def copies(tmp_path: Path, root: Path) -> tuple[Path, Path]:
    """Two games of somebody's own, both Connect Four to begin with."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("one", "two"):
        shutil.copytree(root / "engines" / "connect_four", tmp_path / name, ignore=ignored)
    return tmp_path / "one", tmp_path / "two"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def cached(folder: Path) -> dict[str, set[str]]:
    """The files in a test's cache by the game that they belong to."""
    found: dict[str, set[str]] = {}
    for path in (folder / "cache").rglob("*"):
        if path.is_file():
            found.setdefault(path.parent.name, set()).add(path.name)
    return found


@pytest.mark.full
def test_editing_a_game_writes_no_file_of_another_and_only_what_it_touches_of_its_own(
    tmp_path: Path, copies: tuple[Path, Path], run_python: RunPython
) -> None:
    one, _ = copies
    right = run_python(play(*copies))
    before = cached(tmp_path)
    assert len(before["one"]) == len(before["two"]) > 8
    texts = [
        ("RULES.md", "R1", "R1 as printed, "),
        ("text.py", '"""', '"""In other words: '),
        ("rules.py", '"""', '"""In other words: '),
    ]
    number = [("heuristic.py", "6.0 * WINNING_SPACE", "7.0 * WINNING_SPACE")]
    for edits, names in ((texts, set()), (number, {"evaluate"})):
        for file, old, new in edits:
            edit(one / file, old, new)
        assert (run_python(play(*copies)) == right) == (not names)
        after = cached(tmp_path)
        assert after.keys() == before.keys()
        new_files = {game: after[game] - before[game] for game in after}
        assert {name.partition("-")[0] for name in new_files.pop("one")} == names
        assert not any(new_files.values())
        before = after


@pytest.mark.full
def test_files_of_a_game_that_are_not_whole_are_misses(
    tmp_path: Path, copies: tuple[Path, Path], run_python: RunPython
) -> None:
    one, _ = copies
    right = run_python(play(one))
    files = sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    lost, empty, cut, foreign, *_, last = files
    lost.unlink()
    empty.write_bytes(b"")
    cut.write_bytes(cut.read_bytes()[:-100])
    foreign.write_bytes(last.read_bytes())  # whole, but of another kernel
    assert run_python(play(one, shift=5)) == right
    assert sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file()) == files
    assert foreign.read_bytes() != last.read_bytes()
    assert run_python(play(one, shift=2)) == right


def test_a_search_stays_as_it_is_when_the_heuristic_is_edited(any_game: Game) -> None:
    """It calls the large kernels of a game by their symbols: an edit there must not compile four templates anew."""
    for name in ("apply", "evaluate", "legal_actions", "determinize"):
        kernel = getattr(any_game, name)
        if weight(kernel) >= 1000:
            assert kernel.border.called_as, name
    assert any_game.evaluate.border.called_as


@pytest.mark.slow
def test_each_file_of_a_large_game_can_be_lost_and_two_processes_can_make_it_at_once(
    tmp_path: Path, run_python: RunPython
) -> None:
    with ThreadPoolExecutor(2) as both:
        scripts = play("karmaka"), play("karmaka", shift=9)
        right, same = both.map(run_python, scripts)
    assert right == same
    files = sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert len(files) > 10
    for number, path in enumerate(files):
        path.unlink()
        assert run_python(play("karmaka", shift=7 * number + 3)) == right, path.name
        assert path.is_file()


# --- no place to write ------------------------------------------------------------------------------------

NOWHERE = """
import os, subprocess, sys
from pathlib import Path
sys.stderr = sys.stdout
from engines.kernel import kernel

@kernel
def one(x):
    return x + 1

print(one(1), one(2))
print(os.environ["ARENA_CACHE"])
if "AGAIN" not in os.environ:
    again = [sys.executable, "-c", Path(FILE).read_text()]
    print(subprocess.check_output(again, env={**os.environ, "AGAIN": "1"}, text=True))
"""


@pytest.mark.parametrize("what", ["cache", pytest.param("home", marks=pytest.mark.full)])
def test_without_a_place_to_write_a_temporary_cache_is_used_and_a_line_names_what_to_set(
    tmp_path: Path, run_python: RunPython, what: str
) -> None:
    file = tmp_path / "file"  # nothing can be written below a file, whoever one is
    script = tmp_path / "script.py"
    script.write_text(NOWHERE.replace("FILE", repr(str(script))))
    home = {"ARENA_CACHE": "", "XDG_CACHE_HOME": "", "HOME": str(file)}
    file.write_text("")
    nowhere = {"ARENA_CACHE": str(file / "cache")} if what == "cache" else home
    said, first, folder, second, same = run_python(script.read_text(), **nowhere).splitlines()
    wanted = file / "cache" if what == "cache" else file / ".cache" / "tabletop-arena"
    assert said.startswith(f"{wanted}: no place for compiled games (")
    assert "ARENA_CACHE names another folder" in said
    assert (first, second) == ("2 3", "2 3")
    assert same == folder, "another process has a cache of its own"
    assert not Path(folder).exists(), "it stays when the program has ended"
