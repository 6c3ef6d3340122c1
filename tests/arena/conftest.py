"""Fixtures for the tests of the arena: jobs of the referee, runs, one Ray for all, the command line."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.plan.spec import Limits, parse_spec
from arena.plan.tournament import Tournament, resolve
from arena.playing.containment.children import close_children
from arena.playing.match import Job
from bots.registry import parse_bot
from engines.core import load_game

ODD = Path(__file__).resolve().parent / "odd_bots.py"
LAST_WITH_RAY = pytest.StashKey[pytest.Item]()


@pytest.fixture(scope="module", autouse=True)
def one_keeper() -> Iterator[None]:
    """Bots of all runs and checks of a file have one keeper; else one starts and ends with each: most of their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.execution.execute.close_children", lambda: None)
        patch.setattr("arena.authoring.compliance.close_children", lambda: None)
        yield
    close_children()


@pytest.fixture(scope="session")
def odd() -> Callable[[str], str]:
    """The text of a bot in odd_bots.py."""
    return lambda text: f"{ODD}:{text}"


@pytest.fixture(scope="session")
def make_job() -> Callable[..., Job]:
    """A job of the referee: in match m, seat s has bot (s + m) mod n unless seats are given."""

    def make(
        *bots: str,
        game: str = "connect_four",
        players: int | None = None,
        matches: int | None = None,
        seats: Any = None,
        deals: Any = None,
        variant: Any = None,
        seed: int = 1,
        opening: int = 0,
        isolation: str = "none",
        **limits: Any,
    ) -> Job:
        loaded = load_game(game)
        count = players or len(bots)
        if seats is None:
            turns = matches if matches is not None else count
            seats = [[(s + m) % len(bots) for s in range(count)] for m in range(turns)]
        return Job(
            loaded,
            variant or loaded.Variant(),
            count,
            tuple(parse_bot(text) for text in bots),
            tuple(f"{number:x}" for number in range(1, len(bots) + 1)),
            seed,
            np.array(seats, np.int64).reshape(-1, count),
            np.arange(len(seats)) if deals is None else np.array(deals),
            Limits(**limits),
            opening,
            isolation,
        )

    return make


@pytest.fixture
def four(tmp_path: Path, root: Path) -> Path:
    """A copy of Connect Four's folder, to be changed."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(
        shutil.copytree(root / "engines" / "connect_four", tmp_path / "four", ignore=ignored)
    )


@pytest.fixture
def failing_four(four: Path) -> Callable[[int], tuple[Path, str]]:
    """A copy of Connect Four whose heuristic fails with so many discs on the board, and how that is told."""

    def make(discs: int) -> tuple[Path, str]:
        file = four / "heuristic.py"
        before, sound, after = file.read_text().partition("    found = 0.0\n")
        assert sound
        file.write_text(f"{before}    found = 0.0 // (int(state.dropped) - {discs})\n{after}")
        number = before.count("\n") + 1
        return four, f"heuristic.py:{number} in strength: division by zero"

    return make


@pytest.fixture
def tournament() -> Callable[..., Tournament]:
    """A tournament from the keys of a config; by default random against greedy at Connect Four."""

    def make(**changes: Any) -> Tournament:
        plain = {
            "name": "cup",
            "seed": 3,
            "games": ["connect_four"],
            "bots": ["random", "greedy"],
            "deals": 4,
            "isolation": "none",
        }
        return resolve(parse_spec({**plain, **changes}))

    return make


@pytest.fixture(scope="session")
def one_ray() -> Iterator[None]:
    """Ray with two workers, the same for every test that needs one."""
    from arena.execution.execute import ray_started

    with ray_started(2, None):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Note the last test that needs Ray."""
    yield
    for item in items:
        if "one_ray" in getattr(item, "fixturenames", ()):
            config.stash[LAST_WITH_RAY] = item


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """End Ray with the last test that needs it: it takes a thirtieth of a core as long as it is there."""
    if item is item.config.stash.get(LAST_WITH_RAY, None):
        import ray

        ray.shutdown()


@pytest.fixture
def undrawn(at_length: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without their charts, for tests of what stands beside them; .ci/full draws all of them.

    A drawing takes 30 ms, a page has eight. tests/arena/pages/test_pages.py draws every kind in the default run.
    """
    if not at_length:
        nothing = '<svg class="marks"></svg>'
        monkeypatch.setattr("arena.pages.drawing.drawn_once", lambda spec: nothing)


@pytest.fixture
def arena_command(
    arena: Callable[..., tuple[int, str, str]],
) -> Callable[..., tuple[int, str, str]]:
    """The command line under a name that leaves `arena` to the module."""
    return arena
