"""Fixtures for all tests: every game and setting, fresh processes with a cache of their own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
os.environ.setdefault("NO_COLOR", "1")  # texts drawn for a terminal are compared as plain text

from arena.authoring.checks.walks import Setting, settings  # noqa: E402
from engines.core import Game, game_names, load_game  # noqa: E402
from engines.kernel import INTERPRETED  # noqa: E402

GAMES = game_names()
AT_LENGTH = [setting for name in GAMES for setting in settings(load_game(name))]
SHORT = AT_LENGTH if INTERPRETED else [replace(setting, share=0.2) for setting in AT_LENGTH]
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the tests over processes: a file stays together, the conformance of each game too, and Ray's one user."""
    for item in items:
        group = item.path.stem
        if "one_ray" in getattr(item, "fixturenames", ()):
            group = "ray"
        elif hasattr(item, "callspec"):
            for name in (*SETTINGS, "any_game"):
                if name in item.callspec.params:
                    setting = item.callspec.params[name]
                    group += f" {getattr(setting, 'name', setting).partition('-')[0]}"
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def any_game(request: pytest.FixtureRequest) -> Game:
    return load_game(request.param)


@pytest.fixture
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., str]:
    """Run a script in a fresh process with a kernel cache in tmp_path; returns what it prints."""

    def run(script: str, **environment: str) -> str:
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ARENA_CACHE": str(tmp_path / "cache"),
            "NUMBA_DISABLE_JIT": "0",
            "NUMBA_BOUNDSCHECK": "0",
            **environment,
        }
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
