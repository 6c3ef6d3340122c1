"""What a game's files say before they are run: they are Python, in use, and take nothing from outside their folder."""

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import engines
from arena.authoring.checks.folder import folder, package
from engines.core import Game

TESTS = "tests"  # a folder of a game that no match needs
LIBRARIES = ("numpy", *sys.stdlib_module_names)
BLOCKS = Path(str(engines.__file__)).parent


def source_files(here: Path) -> list[Path]:
    """Every Python file of a game but its tests."""
    return [
        path for path in sorted(here.rglob("*.py")) if TESTS not in path.relative_to(here).parts
    ]


def sources_are_python(game: Game) -> Iterator[str]:
    """Every .py file in the folder is Python."""
    here = folder(game)
    for path in source_files(here):
        if isinstance(found := syntax(path), SyntaxError):
            yield f"{path.relative_to(here)}:{found.lineno}: {found.msg}"


def parts_are_in_the_folder(game: Game) -> Iterator[str]:
    """Kernels, Variant, tables and dtype come from the folder, from building blocks of `engines` or from numpy."""
    here, mine = folder(game), package(game)
    for path, line, name in imports_of_game(here, mine):
        if is_foreign(name, mine):
            yield f"{path.relative_to(here)}:{line}: takes parts from {name}"
    for field in fields(game):
        for part in parts_of(getattr(game, field.name)):
            module = home_of(part)
            if module and is_foreign(module, mine):
                yield f"GAME.{field.name}: comes from {module}"
    for name, module in own_modules(mine):
        for label, value in vars(module).items():
            source = home_of(value)
            if source and is_foreign(source, mine):
                yield f"{name.removeprefix(mine).lstrip('.') or '__init__'}.{label}: comes from {source}"


def every_file_is_used(game: Game) -> Iterator[str]:
    """`__init__.py` imports every .py file in the folder, directly or by way of another."""
    here, mine = folder(game), package(game)
    files = {module_name(here, path, mine): path for path in source_files(here)}
    wanted = {source: set[str]() for source in files.values()}
    for path, _, name in imports_of_game(here, mine):
        wanted[path].add(name)
    reached: set[Path] = set()
    waiting = [files[mine]]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for name in wanted[path]:
            parts = name.split(".")
            prefixes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
            waiting += [files[prefix] for prefix in prefixes if prefix in files]
    for path in files.values():
        if path not in reached:
            yield f"{path.relative_to(here)}: nothing imports it, so no match ever runs it"


# --- imports ----------------------------------------------------------------------------------------------


def syntax(path: Path) -> "ast.Module | SyntaxError":
    """A file as a tree, or why it is none."""
    try:
        return ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        return error
    except ValueError as error:  # null bytes
        return SyntaxError(str(error), (str(path), 1, None, None))


def imports_of_game(here: Path, mine: str) -> Iterator[tuple[Path, int, str]]:
    """Every import of the files of a game: (file, line, full name of the module or of what is taken from it)."""
    for path in source_files(here):
        tree = syntax(path)
        if isinstance(tree, SyntaxError):
            continue
        own = module_name(here, path, mine).split(".")
        parents = own if path.name == "__init__.py" else own[:-1]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from ((path, node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = parents[: len(parents) - node.level + 1] if node.level else []
                module = ".".join([*base, *filter(None, [node.module])]) or "a folder above"
                yield from ((path, node.lineno, f"{module}.{alias.name}") for alias in node.names)


def module_name(here: Path, path: Path, mine: str) -> str:
    """The full name under which a file of a game is imported."""
    parts = path.relative_to(here).with_suffix("").parts
    return ".".join([mine, *(part for part in parts if part != "__init__")])


def is_foreign(name: str, mine: str) -> bool:
    """Whether a module is neither part of a game's package nor something that games may build on."""
    top, *rest = name.split(".")
    if name == mine or name.startswith(f"{mine}."):
        return False
    if top == engines.__name__:
        return bool(rest) and is_game(rest[0])
    return top not in LIBRARIES


@cache
def is_game(name: str) -> bool:
    """Whether a part of `engines` is a game and no building block."""
    return (BLOCKS / name / "RULES.md").is_file()


# --- objects ----------------------------------------------------------------------------------------------


def own_modules(mine: str) -> list[tuple[str, Any]]:
    """The loaded modules of a game."""
    found = [(name, module) for name, module in sys.modules.items() if module is not None]
    return sorted((n, m) for n, m in found if n == mine or n.startswith(f"{mine}."))


def parts_of(value: Any) -> list[Any]:
    """What a field of GAME consists of that may come from somewhere."""
    if isinstance(value, tuple):
        return [part for item in value for part in parts_of(getattr(item, "variant", item))]
    return [value]


def home_of(value: Any) -> str | None:
    """The module in which a kernel, function, class, module or instance was written; None for plain data."""
    if inspect.ismodule(value):
        return value.__name__
    written = inspect.unwrap(getattr(value, "py_func", value)) if callable(value) else type(value)
    module = getattr(written, "__module__", None)
    return module if isinstance(module, str) else None


CHECKS = (sources_are_python, parts_are_in_the_folder, every_file_is_used)
