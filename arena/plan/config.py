"""Config files as plain data: where they are found, YAML with line numbers, `--set` overrides."""

import copy
import json
import re
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from engines.errors import UserError, nearest

KEY = re.compile(r"[A-Za-z_]\w*(\[\d+\])*(\.[A-Za-z_]\w*(\[\d+\])*)*")
STEP = re.compile(r"[A-Za-z_]\w*|\d+")


# --- where configs are ----------------------------------------------------------------------------


def find_config(name: str) -> Path:
    """The file of a config: a path, or a bare name looked up in ./configs, then in the package.

    Raises:
        UserError: names the nearest known config.
    """
    path = Path(name)
    if path.is_file():
        return path
    if path.suffix in (".yaml", ".yml") or path.name != name:
        raise UserError(f"config {name!r}: {'a folder' if path.is_dir() else 'no such file'}")
    for folder in config_folders():
        if (found := folder / f"{name}.yaml").is_file():
            return found
    known = sorted({file.stem for folder in config_folders() for file in folder.glob("*.yaml")})
    hint = nearest(name, known) or f", known are {', '.join(known) or 'none'}"
    raise UserError(f"config {name!r}: unknown{hint} (or give the path of a YAML file)")


def config_folders() -> list[Path]:
    """Where bare names are looked up: working folder, installed package, source checkout."""
    package = Path(__file__).resolve().parents[1]  # arena
    folders = [Path("configs"), package / "configs"]
    if (package.parent / "pyproject.toml").is_file():
        folders.append(package.parent / "configs")
    return [folder for folder in folders if folder.is_dir()]


# --- YAML -----------------------------------------------------------------------------------------


class StrictLoader(yaml.SafeLoader):
    """Plain YAML in which a key may stand only once in a mapping."""

    keys: tuple[type, ...] = (str,)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        """A mapping whose keys are distinct words."""
        seen: dict[Any, int] = {}
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, self.keys):
                raise yaml.MarkedYAMLError(
                    problem=f"key {key!r} is not a word", problem_mark=key_node.start_mark
                )
            if key in seen:
                problem = f"key {key!r} stands here and in line {seen[key]}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            seen[key] = line
        return super().construct_mapping(node, deep)


class ComponentsLoader(StrictLoader):
    """The same for files of components, where a number of players may be a key."""

    keys = (str, int)


def read_yaml(
    path: Path,
    loader: type[StrictLoader] = StrictLoader,
    expected: str = "name, games and bots",
) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises:
        UserError: one line with file and line number.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file in UTF-8") from None
    except OSError as error:
        raise UserError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    try:
        data = yaml.load(text, loader)
    except yaml.MarkedYAMLError as error:
        raise UserError(f"{path}:{marked_line(error)}: {marked_problem(error)}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise UserError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from None
    if data is None:
        raise UserError(f"{path}:1: empty, expected {expected}")
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else f"{data!r}"
        raise UserError(f"{path}:1: {kind}, expected a mapping with {expected}")
    return data


def marked_line(error: yaml.MarkedYAMLError) -> int:
    """The line of an error, from 1."""
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1


def marked_problem(error: yaml.MarkedYAMLError) -> str:
    """What is wrong, in one line."""
    problem = error.problem or error.context or "cannot be read"
    if "\\t" in problem:
        return "not valid YAML: a tab, indent with spaces"
    known = problem.startswith("key ")
    return problem if known else f"not valid YAML: {problem}"


# --- overrides ------------------------------------------------------------------------------------


def override(
    data: dict[str, Any], settings: Iterable[str], option: str = "--set"
) -> dict[str, Any]:
    """The data with `KEY=VALUE` texts applied: `games[0].players=3`, `bots[1].simulations=200`.

    Values are YAML. A game or bot given as text becomes a mapping where one of its keys is set.

    Args:
        option: of the command line that the settings were given with.

    Raises:
        UserError: names the setting.
    """
    changed = copy.deepcopy(data)
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals or not KEY.fullmatch(key):
            example = "deals=50 or games[0].players=3" if option == "--set" else "rows=5"
            raise UserError(f"{option} {setting}: expected KEY=VALUE, e.g. {example}")
        try:
            value = yaml.load(text, StrictLoader)
        except yaml.YAMLError:
            raise UserError(f"{option} {setting}: the value is not valid YAML") from None
        steps = [int(s) if s.isdigit() else s for s in STEP.findall(key)]
        place(changed, steps, value, f"{option} {setting}")
    return changed


def settings_of(changes: Mapping[str, Any]) -> list[str]:
    """Values by path, from Python, as `override` takes them."""
    return [f"{path}={json.dumps(value)}" for path, value in changes.items()]


def place(data: dict[str, Any], steps: list[str | int], value: Any, setting: str) -> None:
    """Put a value at a path, making mappings on the way."""
    node: Any = data
    for position, step in enumerate(steps):
        last = position == len(steps) - 1
        if isinstance(step, int):
            check_index(node, step, setting, path_text(steps[:position]))
            if not last and isinstance(node[step], str):
                node[step] = expanded(str(steps[0]), node[step])
        elif not isinstance(node, dict):
            raise UserError(f"{setting}: {path_text(steps[:position])} has no keys")
        elif not last and node.get(step) is None:
            node[step] = {}
        if last:
            node[step] = value
        else:
            node = node[step]


def check_index(node: Any, index: int, setting: str, where: str) -> None:
    """Whether a list has an element `index`."""
    if not isinstance(node, list):
        raise UserError(f"{setting}: {where} is not a list")
    if index >= len(node):
        raise UserError(f"{setting}: {where} has {len(node)} elements, numbered from 0")


def expanded(section: str, text: str) -> dict[str, Any]:
    """The mapping that a bot or game given as text stands for."""
    return {"bot" if section == "bots" else "game": text}


def path_text(steps: Iterable[str | int]) -> str:
    """A path as it is written: games[0].variant."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps]
    return "".join(parts).removeprefix(".")
