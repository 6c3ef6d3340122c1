"""Config files as plain data: where they are found, YAML with line numbers, `--set` overrides."""

import copy
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from engines.errors import UserError, nearest
from engines.texts import brief, clean

KEY = re.compile(r"[A-Za-z_]\w*(\[\d{1,9}\])*(\.[A-Za-z_]\w*(\[\d{1,9}\])*)*")
OCTAL = re.compile(r"[-+]?0[0-9_]+")
MOST_WORDS = 1 << 20  # letters of one text
MOST_VALUES = 1_000_000  # of a file, with what its aliases stand for
PATH = re.compile(r"[\w.\[\]]+")
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
    """Plain YAML in which a key may stand only once in a mapping, and nothing reads as what few would guess."""

    keys: tuple[type, ...] = (str,)

    def compose_mapping_node(self, anchor: Any) -> Any:
        """A mapping whose keys are distinct words; keys merged by `<<` give way to those that stand there."""
        node = super().compose_mapping_node(anchor)
        seen: dict[Any, int] = {}
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, self.keys):
                raise told(key_node, f"key {brief(key)} is not a word")
            if key in seen:
                raise told(key_node, f"key {brief(key)} stands here and in line {seen[key]}")
            seen[key] = line
        return node


class Told(yaml.MarkedYAMLError):
    """Valid YAML that is not taken; its problem is the whole message."""


def told(node: Any, problem: str) -> Told:
    """The error for a node that is not taken as YAML would."""
    return Told(problem=problem, problem_mark=node.start_mark)


def read_number(loader: Any, node: Any) -> int | float:
    """A number as people read it: YAML takes 010 for 8 and 1:30 for 90."""
    text = str(node.value)
    is_float = node.tag.endswith("float")
    value = loader.construct_yaml_float(node) if is_float else loader.construct_yaml_int(node)
    if ":" in text:
        raise told(node, f'{brief(text)} reads as {value} in YAML, write {value} or "{text}"')
    if OCTAL.fullmatch(text):
        plain = text.replace("_", "").lstrip("+-0") or "0"
        raise told(node, f'{brief(text)} reads as {value} in YAML, write {plain} or "{text}"')
    return value  # type: ignore[no-any-return]


def read_truth(loader: Any, node: Any) -> bool:
    """True or false: YAML takes `no` for false and `on` for true."""
    value = bool(loader.construct_yaml_bool(node))
    word = str(value).lower()
    if node.value.lower() != word:
        told_word = f'{node.value} reads as {word} in YAML, write {word} or "{node.value}"'
        raise told(node, told_word)
    return value


def read_word(loader: Any, node: Any) -> str:
    """A date as the word that it is."""
    return str(loader.construct_yaml_str(node))


StrictLoader.add_constructor("tag:yaml.org,2002:int", read_number)
StrictLoader.add_constructor("tag:yaml.org,2002:float", read_number)
StrictLoader.add_constructor("tag:yaml.org,2002:bool", read_truth)
StrictLoader.add_constructor("tag:yaml.org,2002:timestamp", read_word)


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
        data = load_yaml(text, loader)
    except yaml.MarkedYAMLError as error:
        raise UserError(f"{path}:{marked_line(error)}: {marked_problem(error)}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from None
    if data is None:
        raise UserError(f"{path}:1: empty, expected {expected}")
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else brief(data)
        raise UserError(f"{path}:1: {kind}, expected a mapping with {expected}")
    return data


def load_yaml(text: str, loader: Any) -> Any:
    """What a YAML text says, its words fit to be stored and shown.

    Raises:
        yaml.YAMLError: it is no YAML, too deep, too large, or holds itself.
    """
    try:
        return fit(yaml.load(text, loader), {})[0]
    except RecursionError:
        raise yaml.YAMLError("nested too deeply") from None
    except (
        ValueError,
        OverflowError,
    ) as error:  # what YAML's own readers of numbers and dates raise
        raise yaml.YAMLError(str(error)) from None


def fit(data: Any, known: dict[int, tuple[Any, int] | None]) -> tuple[Any, int]:
    """Data with cleaned words, and how many values they are with all that aliases repeat."""
    if isinstance(data, str):
        return clean(data, MOST_WORDS, lines=True), 1
    if not isinstance(data, dict | list):
        return data, 1
    if id(data) not in known:
        known[id(data)] = None
        if isinstance(data, dict):
            pairs = {fit(key, known)[0]: fit(value, known) for key, value in data.items()}
            made: Any = {key: value for key, (value, _) in pairs.items()}
            size = 1 + sum(count for _, count in pairs.values())
        else:
            items = [fit(value, known) for value in data]
            made, size = [value for value, _ in items], 1 + sum(count for _, count in items)
        if size > MOST_VALUES:
            raise yaml.YAMLError(f"more than {MOST_VALUES} values, with what aliases repeat")
        known[id(data)] = made, size
    found = known[id(data)]
    if found is None:
        raise yaml.YAMLError("a value that holds itself")
    return found


def marked_line(error: yaml.MarkedYAMLError) -> int:
    """The line of an error, from 1."""
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1


def marked_problem(error: yaml.MarkedYAMLError) -> str:
    """What is wrong, in one line."""
    problem = error.problem or error.context or "cannot be read"
    if "\\t" in problem:
        return "not valid YAML: a tab, indent with spaces"
    return problem if isinstance(error, Told) else f"not valid YAML: {problem}"


def located(path: Path, problem: str) -> str:
    """A problem that begins with the path of a value, behind the file and the line where that stands.

    The line is that of the deepest key on the path that the file has; 1 if it has none.
    """
    node, line = yaml.compose(path.read_text(encoding="utf-8-sig"), yaml.SafeLoader), 1
    match = PATH.match(problem)
    for step in STEP.findall(match[0]) if match else ():
        if isinstance(node, yaml.MappingNode):
            found = {key.value: (key, value) for key, value in node.value}.get(step)
        elif isinstance(node, yaml.SequenceNode) and step.isdigit():
            found = (node.value[int(step)],) * 2 if int(step) < len(node.value) else None
        else:
            found = None
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return f"{path}:{line}: {problem}"


# --- overrides ------------------------------------------------------------------------------------


def override(data: dict[str, Any], settings: Iterable[str]) -> dict[str, Any]:
    """The data with `KEY=VALUE` texts applied: `games[0].players=3`, `bots[1].simulations=200`.

    Values are YAML. A game or bot given as text becomes a mapping where one of its keys is set.

    Raises:
        UserError: names the setting.
    """
    changed = copy.deepcopy(data)
    for setting in settings:
        shown = f"--set {clean(setting, 80)}"
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals or not KEY.fullmatch(key):
            example = "deals=50 or games[0].players=3"
            raise UserError(f"{shown}: expected KEY=VALUE, e.g. {example}")
        try:
            value = load_yaml(text, StrictLoader)
        except Told as error:
            raise UserError(f"{shown}: {error.problem}") from None
        except yaml.YAMLError:
            raise UserError(f"{shown}: the value is not valid YAML") from None
        steps = [int(s) if s.isdigit() else s for s in STEP.findall(key)]
        place(changed, steps, value, shown)
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
