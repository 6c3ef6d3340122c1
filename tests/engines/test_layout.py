"""Where things lie: games in the registry, packages in the distribution, layers."""

import ast
import sys
import tomllib
from pathlib import Path

from arena.authoring.checks.folder import folder
from engines.core import BUILT_IN, Game, game_names

ROOT = Path(__file__).resolve().parent.parent.parent
LAYERS = ("engines", "bots", "arena")
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


def imported(file: Path) -> list[str]:
    """The modules that a file imports."""
    names = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.append(node.module)
    return names
