"""Where things lie: games in the registry, packages in the distribution, layers."""

import ast
import functools
import os
import sys
import tomllib
from pathlib import Path

import pytest

from arena.authoring.checks.folder import folder
from engines.core import BUILT_IN, Game, game_names

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("engines", "bots", "arena")
MOST_LINES = 400
SHARED = {"records"}  # a building block, not a game


def test_the_registry_names_exactly_the_folders_of_engines() -> None:
    folders = {path.parent.name for path in (ROOT / "engines").glob("*/__init__.py")} - SHARED
    assert folders <= set(BUILT_IN)
    assert {name for name in game_names() if name in BUILT_IN} == folders


def test_a_game_lives_where_its_name_says(any_game: Game) -> None:
    assert folder(any_game).name == any_game.name


def test_every_package_is_part_of_the_distribution() -> None:
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    if isinstance(named, dict):  # found by pattern
        return
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for layer in LAYERS
        for path in (ROOT / layer).rglob("__init__.py")
    }
    assert found <= set(named), "packages that pyproject.toml does not name"


def test_lower_layers_import_nothing_from_above() -> None:
    for number, layer in enumerate(LAYERS):
        above = LAYERS[number + 1 :]
        for file in (ROOT / layer).rglob("*.py"):
            names = imported(file)
            wrong = [name for name in names if name.split(".")[0] in above]
            assert not wrong, f"{file}: {wrong}"


def test_games_import_only_the_engine_and_numpy(any_game: Game) -> None:
    allowed = {"engines", "numpy", "numba", "yaml", *sys.stdlib_module_names}
    for file in folder(any_game).rglob("*.py"):
        wrong = [name for name in imported(file) if name.split(".")[0] not in allowed]
        assert not wrong, f"{file}: {wrong}"
        others = set(BUILT_IN) - {any_game.name}
        crossed = [
            n for n in imported(file) if n.startswith("engines.") and n.split(".")[1] in others
        ]
        assert not crossed, f"{file}: imports another game: {crossed}"


def test_nothing_but_the_door_stands_at_the_top_of_arena() -> None:
    names = {path.name for path in (ROOT / "arena").iterdir() if path.is_file()}
    assert names == {"__init__.py", "__main__.py", "py.typed"}


def test_no_module_is_too_long_to_read_in_one_go() -> None:
    files = [file for layer in LAYERS for file in (ROOT / layer).rglob("*.py")]
    long = {str(f.relative_to(ROOT)): n for f in files if (n := lines(f)) > MOST_LINES}
    assert not long, long


def lines(file: Path) -> int:
    """How many lines a file has."""
    return len(file.read_text(encoding="utf-8").splitlines())


def test_modules_import_at_their_top() -> None:
    """Inside functions only what start-up time forbids: commands of the command line, the API, Ray."""
    for layer in LAYERS:
        for file in (ROOT / layer).rglob("*.py"):
            place = file.relative_to(ROOT)
            if place.parts[:2] in (("arena", "cli"), ("arena", "__init__.py")):
                continue
            inner = {node.lineno for node, within in imports(file) if within and not late(node)}
            assert not inner, f"{place}: lines {sorted(inner)}"


LATE = {"ray", "llvmlite", "fsspec", "networkx", "scipy.optimize", "scipy.stats"}


def late(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import may wait until it is needed: Ray takes a second, parts of scipy a third, llvmlite a tenth."""
    names = (
        [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    )
    return all(name in LATE or name.split(".")[0] in LATE for name in names)


def test_nothing_is_compiled_while_tests_are_collected(compiled_by_collecting: list[str]) -> None:
    """All processes collect all tests: what a module deals or compiles at its top each of them would do at once."""
    assert compiled_by_collecting == []


def test_tests_of_a_group_stay_in_one_process(request: pytest.FixtureRequest) -> None:
    """Else each process makes the runs of each file anew, and starts a Ray of its own."""
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    assert alone or request.node.nodeid.endswith("@test_layout")


@functools.cache
def imports(file: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """A file's imports, and whether each stands inside a function; several tests look at each file."""
    found: list[tuple[ast.Import | ast.ImportFrom, bool]] = []
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(file.read_text(encoding="utf-8")), False)]
    while waiting:
        node, within = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, within))
        elif not isinstance(node, ast.expr):  # expressions hold no statements
            inner = within or isinstance(node, ast.FunctionDef)
            waiting += [(child, inner) for child in ast.iter_child_nodes(node)]
    return found


def imported(file: Path) -> list[str]:
    """The modules that a file imports."""
    names = []
    for node, _ in imports(file):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif node.module and node.level == 0:
            names.append(node.module)
    return names
