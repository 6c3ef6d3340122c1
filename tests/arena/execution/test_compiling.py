"""The games of a run are compiled before it is played: said once, several at once, and stopped by a wish."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.execution import compiling
from arena.execution.run import what_remains
from arena.plan.schedule import make_lineups
from engines.errors import BrokenGame
from engines.kernel import INTERPRETED

needs_jit = pytest.mark.skipif(INTERPRETED, reason="about compiled code")
RunPython = Callable[..., str]

RUN = """
import os, sys
sys.stderr = sys.stdout
os.chdir(FOLDER)
from arena.execution import compiling
started = []
begun = compiling.begun
compiling.begun = lambda: started.append(begun()) or started[-1]
compiling.default_workers = lambda: 2
from arena.cli import main
sys.argv = ["arena", *WORDS]
try:
    main()
except SystemExit as end:
    print("exit", end.code)
print("processes", len(started), [one.returncode for one in started])
"""


@pytest.fixture
def command(tmp_path: Path, root: Path, run_python: RunPython) -> Callable[..., list[str]]:
    """Runs a command in a new process where two small games lie that no cache has."""
    for name in ("one", "two"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / "tests/arena/balance/toy", tmp_path / name, ignore=ignored)
        file = tmp_path / name / "__init__.py"
        file.write_text(file.read_text().replace('name="toy"', f'name="{name}"'))

    def run(*words: str) -> list[str]:
        script = RUN.replace("FOLDER", repr(str(tmp_path))).replace("WORDS", repr(words))
        return run_python(script).splitlines()

    return run


CUP = "name: cup\ngames: [./one, ./two]\nbots: [random]\nschedule: self_play\ndeals: 2\n"


@pytest.mark.full
@needs_jit
@pytest.mark.parametrize("edits", [False, True])
def test_the_games_of_a_run_compile_at_once_and_it_is_said_when_they_do(
    command, tmp_path, edits
) -> None:
    (tmp_path / "cup.yaml").write_text(CUP)
    words = ("run", "cup.yaml", "--workers", "0")
    first = command(*words)
    assert first[0].startswith("compiling one and two for the first time, about ")
    assert sum(line.startswith("compiling") for line in first) == 1
    assert first[-1] == "processes 2 [0, 0]"
    again = command(*words, "--fresh")
    assert not any(line.startswith("compiling") for line in again)
    assert again[-1] == "processes 0 []"
    if not edits:
        return
    file = tmp_path / "one" / "__init__.py"
    file.write_text(file.read_text().replace("    return 3\n", "    n = 3\n    return n\n"))
    edited = command(*words, "--fresh")
    assert edited[0].startswith("compiling what is new in one, at most about ")
    assert edited[-1] == "processes 0 []"  # for a single game no other process is needed


def conditions_of_all(tournament):
    """What the line-ups of a tournament are played with."""
    left = what_remains(tournament, make_lineups(tournament), lambda lineup: (iter(()), 0))
    return [one.conditions for one in left]


def test_who_wants_to_go_waits_for_no_compiler(tournament, monkeypatch) -> None:
    monkeypatch.setattr(compiling, "is_compiled", lambda load: False)
    monkeypatch.setattr(compiling, "warm_up", lambda job: pytest.fail("compiled all the same"))
    compiling.compile_games(conditions_of_all(tournament()), False, lambda: True)


def test_quiet_says_nothing_of_it(tournament, monkeypatch) -> None:
    monkeypatch.setattr(compiling, "is_compiled", lambda load: False)
    monkeypatch.setattr(compiling, "said", lambda work: pytest.fail("said all the same"))
    warmed = []
    monkeypatch.setattr(compiling, "warm_up", warmed.append)
    compiling.compile_games(conditions_of_all(tournament()), progress=False)
    assert [job.game.name for job in warmed] == ["connect_four"]


def test_what_cannot_be_compiled_is_told_with_its_game(tournament, monkeypatch) -> None:
    def fails(job):
        raise BrokenGame("rules.py:37 in apply: no field 'droped'; did you mean dropped?")

    monkeypatch.setattr(compiling, "is_compiled", lambda load: False)
    monkeypatch.setattr(compiling, "warm_up", fails)
    with pytest.raises(BrokenGame, match=r"^game 'connect_four': rules\.py:37 in apply"):
        compiling.compile_games(conditions_of_all(tournament()), progress=False)
