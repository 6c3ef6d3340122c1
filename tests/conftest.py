"""Fixtures for all tests: every game and setting, fresh processes with a cache of their own."""

import fcntl
import functools
import gc
import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
os.environ.setdefault("NO_COLOR", "1")  # texts drawn for a terminal are compared as plain text
os.environ.pop("COLUMNS", None)  # and are as wide as they like, also where xdist has set a width
# Where Python keeps no byte code, each of the many processes that tests start would read all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")  # looking for some takes as long as the rest
gc.disable()  # what is collected stays: looking for garbage in it takes a third of the time

from arena.authoring.checks.modes import trace_position  # noqa: E402
from arena.authoring.checks.walks import Setting, settings  # noqa: E402
from engines.cache import cache_root  # noqa: E402
from engines.contents import weight  # noqa: E402
from engines.core import Game, game_names, load_game  # noqa: E402
from engines.kernel import INTERPRETED, Cache  # noqa: E402

GAMES = game_names()
AT_LENGTH = [setting for name in GAMES for setting in settings(load_game(name))]
SHORT = AT_LENGTH if INTERPRETED else [replace(setting, share=0.1) for setting in AT_LENGTH]
MANY_TESTS = 20  # of a game in a run, for which it is worth to compile all that a match needs
COLLECTED = pytest.StashKey[list[str]]()
SETTINGS = {"any_setting": SHORT, "any_setting_at_length": AT_LENGTH}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`any_game` and `any_setting` stand for every game and every setting, looked at on short walks.

    `any_setting_at_length` is for tests of the full run.
    """
    if "any_game" in metafunc.fixturenames:
        metafunc.parametrize("any_game", GAMES, indirect=True, scope="session")
    for name, found in SETTINGS.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found, ids=lambda s: s.name, scope="session")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Spread the tests over processes: a file stays together, the conformance of each game, and who shares runs or Ray.

    Those of other processes that misbehave or are killed come first, the many short ones of the games last.
    """
    first = {"misbehaving", "execution", "store"}
    items.sort(key=lambda item: first.isdisjoint(parts(item.path)))
    for item in items:
        group = item.path.stem
        if "one_ray" in getattr(item, "fixturenames", ()):
            group = "ray"
        elif "analysed" in getattr(item, "fixturenames", ()):
            group = "analysed"  # runs of the toy game that several files look at
        elif hasattr(item, "callspec"):
            for name in (*SETTINGS, "any_game"):
                if name in item.callspec.params:
                    setting = item.callspec.params[name]
                    group += f" {getattr(setting, 'name', setting).partition('-')[0]}"
        item.add_marker(pytest.mark.xdist_group(group))
    yield
    if "PYTEST_XDIST_WORKER" in os.environ:
        for item in items:
            keep_in_its_group(item)


@functools.cache
def parts(path: Path) -> tuple[str, ...]:
    """A file's folders below the tests, and its name; asked for each of thousands of tests."""
    return path.relative_to(TESTS).parts


def keep_in_its_group(item: pytest.Item) -> None:
    """Name the group behind the id, as xdist's scheduler wants it, where xdist's own way has no effect.

    xdist 3.8 writes to `_nodeid`, which pytest 9.2 no longer reads: each test would go to any process, and every
    process would make the runs of every file anew. `test_tests_of_a_group_stay_in_one_process` tells if this fails too.
    """
    for mark in item.iter_markers("xdist_group"):
        name = f"{item.nodeid}@{mark.args[0]}"
        if hasattr(item, "_id") and "@" not in item.nodeid.rpartition("]")[2]:
            item._id = type(item._id).parse(name)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note what collecting has compiled or loaded: every process would do so before games are shared out."""
    # What has been collected is not looked through again, here and by pytest at the end. Hypothesis must be there
    # before: when it is imported it asks for referrers, and frozen ones are not seen.
    if "hypothesis" in sys.modules:
        gc.freeze()
    gc.enable()
    gc.set_threshold(50_000)  # as the command line does
    session.config.stash[COLLECTED] = sorted({name for name, *_ in Cache.emitted})


@pytest.fixture(scope="session")
def at_length(request: pytest.FixtureRequest) -> bool:
    """Whether tests marked full are not left out."""
    return "not full" not in request.config.option.markexpr


@pytest.fixture
def compiled_by_collecting(request: pytest.FixtureRequest) -> list[str]:
    """The kernels that were compiled or loaded while tests were collected."""
    return request.config.stash[COLLECTED]


@pytest.fixture(scope="session", autouse=True)
def compiled_once(request: pytest.FixtureRequest, worker_id: str) -> None:
    """Where several processes test, each game is compiled by one of them, several at once.

    What is in the cache already is loaded in a moment. The largest game comes first, so that all are done at about
    the same time; at the end a process waits for those that others are at.
    """
    if INTERPRETED or worker_id == "master":
        return
    found = Counter(name for item in request.session.items for name in games_of(item))
    wanted = [name for name, count in found.items() if count >= MANY_TESTS]
    wanted.sort(key=size, reverse=True)
    rooms = {parts(item.path)[0] for item in request.session.items}
    for name in [name for name in wanted if not compile_alone(name, rooms != {"engines"}, False)]:
        compile_alone(name, rooms != {"engines"}, True)


def size(name: str) -> int:
    """How much byte code the largest kernels of a game have, by which the time to compile it goes."""
    game = load_game(name)
    return sum(map(weight, (game.legal_actions, game.apply, game.determinize, game.evaluate)))


def games_of(item: pytest.Item) -> set[str]:
    """The games that a test calls compiled, as far as its folder and its parameters tell."""
    room, *rest = parts(item.path)
    found = {"connect_four", "karmaka"} if room in ("arena", "bots", "misbehaving") else set()
    if room == "engines" and rest[0] in GAMES:
        found.add(rest[0])
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    for value in (parameters.get(name) for name in (*SETTINGS, "any_game")):
        if value is not None:
            found.add(value if isinstance(value, str) else value.game.name)
    return found


def compile_alone(name: str, plays: bool, wait: bool) -> bool:
    """Compile or load what the checks of a game call, and what its matches need; False if another process is at it."""
    game = load_game(name)
    with (cache_root() / f"testing-{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        setting = settings(game)[0]
        trace_position(setting, setting.new_state(0), "", 0)
        if plays:
            compile_match(setting)
    return True


def compile_match(setting: Setting) -> None:
    """Compile or load what a match with our own bots needs."""
    from arena.plan.spec import Limits
    from arena.playing.match import Job, compile_job
    from bots.registry import parse_bot

    players = max(2, setting.players)
    bots = tuple(map(parse_bot, ("random", "greedy", "mcts")))
    seats = np.zeros((0, players), np.int64)
    deals = np.arange(0)
    compile_job(
        Job(
            setting.game, setting.variant, players, bots, ("1", "2", "3"), 0, seats, deals, Limits()
        )
    )


@pytest.fixture(scope="session")
def any_game(request: pytest.FixtureRequest) -> Game:
    return load_game(request.param)


@pytest.fixture
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture
def arena(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Call the command line in this process: (exit code, what it printed, what it printed on stderr)."""
    from arena.cli import main

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture(scope="session")
def nursery(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str, dict[str, str]], Any]]:
    """Run a script in a copy of a process that has imported numba: exit code, output and what came on stderr."""
    path = tmp_path_factory.mktemp("nursery") / "socket"
    command = [sys.executable, "-W", "error", str(TESTS / "nursery.py"), str(path)]
    plain = {name: text for name, text in os.environ.items() if not name.startswith("NUMBA_")}
    started: list[subprocess.Popen[bytes]] = []

    def ask(script: str, environment: dict[str, str]) -> Any:
        if not started:
            started.append(subprocess.Popen(command, env=plain))
        until = time.monotonic() + 60
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.01)
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(300)
            asking.connect(str(path))
            asking.sendall(
                json.dumps({"script": script, "environment": environment}).encode() + b"\n"
            )
            with asking.makefile() as answer:
                return json.loads(answer.readline())

    yield ask
    for process in started:
        process.terminate()
        process.wait()


@pytest.fixture
def run_python(tmp_path: Path, nursery: Callable[[str, dict[str, str]], Any]) -> Callable[..., str]:
    """Run a script in a fresh process with a kernel cache in tmp_path; returns what it prints.

    `anew`: in a new interpreter, whose hashes have another seed.
    """

    def run(script: str, anew: bool = False, **environment: str) -> str:
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ARENA_CACHE": str(tmp_path / "cache"),
            "NUMBA_DISABLE_JIT": "0",
            "NUMBA_BOUNDSCHECK": "0",
            **environment,
        }
        if not anew and variables["NUMBA_DISABLE_JIT"] == "0":
            code, out, err = nursery(script, variables)
            assert code == 0, err
            return str(out).strip()
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            capture_output=True,
            text=True,
            env=variables,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


__all__ = ["Setting"]
