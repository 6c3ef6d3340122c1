"""Games that do what no game may do: their matches are void, said once, and what is good is stored."""

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arena.execution.batches import batch_of
from arena.execution.interrupt import interruptible
from arena.execution.run import what_remains
from arena.execution.working import lost_outcome
from arena.plan.schedule import make_blocks, make_lineups
from arena.plan.spec import Limits, parse_spec
from arena.plan.tournament import resolve
from arena.playing import match
from arena.playing.referee import Ending
from arena.store.run_folder import read_matches
from bots.registry import parse_bot
from engines.core import load_game
from engines.errors import BrokenGame
from engines.kernel import INTERPRETED

# Each is (file, what stands there, what stands there instead, what the run says).
BREAKS = {
    "no ending": (
        "rules.py",
        "state.ending = Ending.FULL_BOARD",
        "state.ending = Ending.RUNNING",
        "it is over with ending 0",
    ),
    "no actions": (
        "rules.py",
        "    return n\n",
        "    return 0 if n < columns_left else n\n",
        "it lists no legal actions, but to_act is not OVER",
    ),
    "no places": ("scoring.py", "out[player] = 2 if", "out[player] = 3 if", "are no places"),
    "no such ending": (
        "rules.py",
        "state.ending = Ending.FULL_BOARD",
        "state.ending = 9",
        "ending 9, expected one of [1, 2]",
    ),
}


FAILS = {  # the code of these fails: the place is part of what is said
    "division by zero in a rule": (
        "rules.py",
        "    state.dropped += 1\n",
        "    state.dropped += 1\n    state.dropped += 0 // (5 - int(state.dropped))\n",
        "apply: division by zero",
    ),
    "division by zero in a thought": (
        "heuristic.py",
        "    found = 0.0\n",
        "    found = 0.0 // (5 - int(state.dropped))\n",
        "strength: division by zero",
    ),
    "index out of range": (
        "scoring.py",
        "    return int(states[0].ending)\n",
        "    return int(states[0].height[int(states[0].ending) + 9])\n",
        "ending: IndexError: index 10 is out of bounds for axis 0 with size 9",
    ),
}


@pytest.fixture
def broken(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Breaks a copy of Connect Four; returns how it is named."""
    monkeypatch.chdir(tmp_path)

    def make(file: str, old: str, new: str) -> str:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / "engines" / "connect_four", "four", ignore=ignored)
        text = Path("four", file).read_text()
        assert old in text
        Path("four", file).write_text(text.replace(old, new.replace("columns_left", "2")))
        return "./four"

    return make


def arena(*arguments: str) -> tuple[int, str]:
    """Run a command, its games interpreted: the referee is the same."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.full
@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_game_ends_the_run_with_one_line(broken, name: str) -> None:
    *change, told = BREAKS[name]
    game = broken(*change)
    small = ("rows=2", "columns=3", "connect=3")
    variant = [word for option in small for word in ("--variant", option)]
    bots = ("random", "greedy", "--deals", "40", "--workers", "0", "--out", "run", "-q")
    code, out = arena("match", game, *bots, *variant)
    assert code == 1, out
    assert out.count("the game is broken") == 1
    (line,) = out.splitlines()
    assert line.startswith("error: connect_four, 2 players, deal ")
    assert ", seed 0: void, the game is broken: " in line
    assert told in line
    assert line.endswith("what is good is stored in run")


def test_what_is_good_is_stored_and_rated_what_is_void_is_neither_a_win_nor_played(
    broken, arena_command: Callable[..., tuple[int, str, str]]
) -> None:
    *change, told = BREAKS["no ending"]
    game = broken(*change)
    small = ("--variant", "rows=2", "--variant", "columns=3", "--variant", "connect=3")
    bots = (
        "random",
        "greedy",
        "--deals",
        "8",
        "--seed",
        "4",
        "--workers",
        "0",
        "--out",
        "run",
        "-q",
    )
    code, out = arena("match", game, *bots, *small)
    assert code == 1
    (line,) = out.splitlines()
    assert ": void, the game is broken: " in line
    assert told in line
    matches = read_matches(Path("run"), ["ending", "fault_text", "ranks"])
    void = matches[matches["ending"] == "void"]
    assert 0 < len(void) < len(matches)
    assert void["fault_text"].str.startswith("void, the game is broken: ").all()
    assert all(set(ranks) == {1} for ranks in void["ranks"])
    code, _, err = arena_command("report", "run")
    assert code == 0, err


@pytest.mark.full
@pytest.mark.ray
def test_a_broken_game_that_a_worker_of_ray_plays_is_told_too(broken) -> None:
    *change, told = BREAKS["no places"]
    game = broken(*change)
    code, out = arena(
        "match", game, "random", "random", "--deals", "4", "--workers", "1", "--out", "run", "-q"
    )
    assert code == 1, out
    assert out.count("the game is broken") == 1
    assert told in out


# --- the line of an error ---------------------------------------------------------------------------


def place(change: tuple[str, ...]) -> str:
    """Where a change is made that fails, as it is told."""
    file, _, new, told = change
    text = Path("four", file).read_text()
    line = text[: text.index(new)].count("\n") + new.rstrip("\n").count("\n") + 1
    return f"{file}:{line} in {told}"


@pytest.mark.parametrize(
    ("name", "compiled"),
    [
        ("division by zero in a thought", True),
        *(
            pytest.param(name, compiled, marks=pytest.mark.full)
            for name, compiled in [
                ("division by zero in a rule", False),
                ("division by zero in a rule", True),
                ("index out of range", True),
                ("division by zero in a thought", False),
                ("index out of range", False),
            ]
        ),
    ],
)
def test_an_error_in_play_names_the_authors_line_with_game_deal_and_seed(
    broken, arena_command: Callable[..., tuple[int, str, str]], name: str, compiled: bool
) -> None:
    if compiled and INTERPRETED:
        pytest.skip("nothing is compiled")
    change = FAILS[name]
    game = broken(*change[:3])
    bots = ("random", "greedy", "--deals", "3", "--workers", "0", "--out", "run", "-q")
    call = ("match", game, *bots, "--seed", "7")
    if compiled:  # as all is here, where it takes a second less
        code, out, said = arena_command(*call)
        out += said
    else:
        code, out = arena(*call)
    assert code == 1, out
    (line,) = out.splitlines()
    assert line.startswith("error: connect_four, 2 players, deal 0, seed 7: void, the game is ")
    assert place(change) in line
    assert arena_command("check", "run", "run")[0] == 0  # what is stored is sound


def test_a_match_goes_on_after_one_whose_code_failed(broken) -> None:
    game = broken(*FAILS["division by zero in a rule"][:2], "    state.dropped += 1\n" + ODD)
    job = match.Job(
        load_game(game),
        load_game(game).Variant(),
        2,
        (parse_bot("random"), parse_bot("greedy")),
        ("1", "2"),
        1,
        np.array([[0, 1]] * 8),
        np.arange(8),
        Limits(),
        isolation="none",
    )
    played = match.play_matches(job)
    ended = played.results["ending"]
    assert 0 < (ended == Ending.VOID).sum() < 8
    assert set(np.flatnonzero(ended == Ending.VOID)) == set(played.faults)
    good = dataclasses.replace(job, seats=job.seats[ended == 0], deals=job.deals[ended == 0])
    alone = match.play_matches(good)
    assert alone.results["hash"].tolist() == played.results["hash"][ended == 0].tolist()
    assert alone.actions.tolist() == played.actions.tolist()  # of void ones none are kept
    assert sum("division by zero" in text for text in played.faults.values()) == len(played.faults)


# A game that lasts exactly so long cannot be played to its end.
ODD = "    if state.dropped == 20:\n        state.dropped //= int(state.dropped) - 20\n"


def test_a_match_that_cost_its_workers_is_played_interpreted_to_name_the_line(broken) -> None:
    change = FAILS["index out of range"]
    game = broken(*change[:3])
    cup = resolve(parse_spec({"name": "cup", "seed": 7, "games": [game], "bots": BOTS, "deals": 1}))
    lineup, *_ = make_lineups(cup)
    left, *_ = what_remains(cup, (lineup,), lambda one: (iter(()), 0))
    block = next(iter(make_blocks([lineup])))
    batch = batch_of(left.conditions, tuple(block.matches())[:1])
    with pytest.raises(BrokenGame) as told:
        lost_outcome(batch)
    assert str(told.value).startswith("connect_four, 2 players, deal 0, seed 7: void, the game is")
    assert place(change) in str(told.value)


BOTS = ["random", "greedy"]

# --- games without end ------------------------------------------------------------------------------

DEAF = """
import sys
from arena.execution import interrupt
interrupt.PATIENCE = 0.2
with interrupt.interruptible(alone=True):
    print("playing", flush=True)
    sum(range(10**15))  # like a kernel without end: no signal is heard
"""


def test_ctrl_c_ends_a_process_whose_game_never_comes_back() -> None:
    playing = subprocess.Popen(
        [sys.executable, "-c", DEAF], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert playing.stdout is not None
    assert playing.stdout.readline() == "playing\n"
    time.sleep(0.1)  # until it is deaf
    playing.send_signal(signal.SIGINT)
    _, said = playing.communicate(timeout=60)
    assert playing.returncode == -signal.SIGKILL
    assert (
        said == "stopped: the rules of a game have not come back for 0.2 s; what was stored stays\n"
    )


def test_a_process_that_has_noticed_goes_on_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.execution.interrupt.PATIENCE", 0.05)
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text()  # Ray, or a keeper of bots that other tests have started
    with interruptible(alone=True) as wished:
        assert not wished()
        os.kill(os.getpid(), signal.SIGINT)
        assert wished()
        time.sleep(0.15)  # else it would be gone
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert children.read_text() == before
