"""Facts about a game that need no play: its files, its record, its tables, its actions."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bots.registry import bot_kinds
from engines.contents import names_read, reached
from engines.core import Game, changes, describe_options, parse_options
from engines.errors import UserError, nearest
from engines.records import HEADER, TOLD
from engines.weights import declared

FILES = (
    "__init__.py",
    "RULES.md",
    "tables.py",
    "state.py",
    "actions.py",
    "rules.py",
    "scoring.py",
    "hidden.py",
    "heuristic.py",
    "text.py",
)
MOST_TABLE_BYTES = (
    1 << 20
)  # numba freezes smaller arrays into the code; a larger one stops the cache
INTEGERS = "iu"


def package(game: Game) -> str:
    """The dotted name of the package a game lives in."""
    return game.Variant.__module__.rpartition(".")[0] or game.Variant.__module__


def folder(game: Game) -> Path:
    """The folder of a game's files."""
    return Path(str(sys.modules[package(game)].__file__)).parent


def has_its_files(game: Game) -> Iterator[str]:
    """The folder has the files of every game, and RULES.md numbers its rules R1, R2, ..."""
    here = folder(game)
    for name in FILES:
        as_folder = name == "rules.py" and (here / "rules" / "__init__.py").is_file()
        if not (here / name).is_file() and not as_folder:
            yield f"{here}: no {name}"
    if (here / "RULES.md").is_file() and not rule_numbers(here / "RULES.md"):
        yield f"{here / 'RULES.md'}: no rule R1"


def rule_numbers(rules: Path) -> list[str]:
    """The numbers of the rules that a RULES.md states, ascending; there a number is bold."""
    found = re.findall(r"\*\*(R\d+)\b[^*\n]*\*\*", rules.read_text(encoding="utf-8"))
    return sorted(set(found), key=lambda name: int(name[1:]))


def record_is_flat_and_plain(game: Game) -> Iterator[str]:
    """STATE begins with the header, holds integers, no field is named as an np.record attribute."""
    names = game.dtype.names or ()
    header = tuple(entry[0] for entry in HEADER)
    if names[: len(header)] != header:
        yield f"STATE begins with {names[: len(header)]}, expected {header}"
    for path, dtype in plain_fields(game.dtype):
        if dtype.kind not in INTEGERS:
            yield f"STATE.{path}: {dtype}, expected an integer type"
    reserved = set(dir(np.record))
    for path in field_paths(game.dtype):
        if path.rpartition(".")[2] in reserved:
            yield f"STATE.{path}: np.record has an attribute of this name, which would be read"


def plain_fields(dtype: np.dtype[Any], path: str = "") -> Iterator[tuple[str, np.dtype[Any]]]:
    """The path and element type of every field that is no record."""
    base = dtype.base
    if base.fields is None:
        yield path, base
        return
    for name in base.names or ():
        yield from plain_fields(base.fields[name][0], f"{path}.{name}" if path else name)


def field_paths(dtype: np.dtype[Any], path: str = "") -> Iterator[str]:
    """The path of every field, records included."""
    for name, (inner, *_) in (dtype.base.fields or {}).items():
        full = f"{path}.{name}" if path else name
        yield full
        yield from field_paths(inner, full)


def layout_names_real_fields(game: Game) -> Iterator[str]:
    """Every path in the layout, and the rest zones among it, is a field of STATE."""
    known = set(field_paths(game.dtype))
    rest = [zone for rest in game.layout.rest for zone in (rest.zone, *rest.among)]
    for path in (*game.layout.fields, *game.layout.per_player, *rest):
        if path not in known:
            yield f"layout: no field {path}"
    yield from (
        f"layout: rest zone {r.zone} is not among {r.among}"
        for r in game.layout.rest
        if r.zone not in r.among
    )


def numbers_declare_their_ranges(game: Game) -> Iterator[str]:
    """Every number of the record but those of the header and the rules has a codec that says what it may be."""
    for path, _ in plain_fields(game.dtype):
        parts = path.split(".")
        above = [".".join(parts[: n + 1]) for n in range(len(parts))]
        known = parts[0] in (*TOLD, *(name for name, *_ in HEADER))
        if not known and not any(game.layout.codec(name) for name in above):
            yield f"layout: {path} has no codec, e.g. Number(0, 12), Player() or Derived()"


def tables_can_be_cached(game: Game) -> Iterator[str]:
    """Arrays in the game's modules are contiguous and below 1 MB, so that kernels can be cached."""
    mine = package(game)
    for name, module in sorted(sys.modules.items()):
        if module is None or not (name == mine or name.startswith(f"{mine}.")):
            continue
        for label, value in vars(module).items():
            if isinstance(value, np.ndarray) and value.nbytes >= MOST_TABLE_BYTES:
                yield f"{name}.{label}: {value.nbytes} bytes, expected < {MOST_TABLE_BYTES}"
            if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
                yield f"{name}.{label}: not contiguous"


def action_texts_read_back(game: Game) -> Iterator[str]:
    """Every action has its own text, and the text is read back as that action."""
    texts: dict[str, int] = {}
    for action in range(game.actions.size):
        text = game.actions.text(action)
        if texts.setdefault(text, action) != action:
            yield f"actions {texts[text]} and {action} both read {text!r}"
        elif game.actions.number(text) != action:
            yield f"{text!r} is read as {game.actions.number(text)}, not {action}"


def endings_start_with_running(game: Game) -> Iterator[str]:
    """Number 0 of Ending is RUNNING, and the caps are endings."""
    if game.Ending(0).name != "RUNNING":
        yield f"Ending 0 is {game.Ending(0).name}, expected RUNNING"
    yield from (f"caps: {cap!r} is no Ending" for cap in game.caps if cap not in list(game.Ending))


def options_are_explained(game: Game) -> Iterator[str]:
    """Every option of the Variant has a meaning, a default in its range, a line in RULES.md."""
    rules = folder(game) / "RULES.md"
    told = rules.read_text(encoding="utf-8") if rules.is_file() else ""
    for info in describe_options(game.Variant):
        if not info.option.meaning:
            yield f"variant.{info.name}: no meaning"
        if f"`{info.name}`" not in told:
            yield f"variant.{info.name}: not in RULES.md"
        try:
            parse_options(game.Variant, {info.name: info.default}, "variant")
        except UserError as error:
            yield f"default of {error}"


def presets_are_variants(game: Game) -> Iterator[str]:
    """Presets have names of their own, allowed numbers of players and differ from the default."""
    names = [preset.name for preset in game.presets]
    if len(set(names)) != len(names):
        yield f"presets: {names} are not unique"
    for preset in game.presets:
        if not preset.players or not set(preset.players) <= set(game.players):
            yield f"preset {preset.name}: players {preset.players}, the game has {game.players}"
        if not changes(preset.variant):
            yield f"preset {preset.name}: equals the default variant"


def subjects_are_numbered(game: Game) -> Iterator[str]:
    """`subjects.of_action` gives numbers of named subjects."""
    names = game.subjects.names
    if len(set(names)) != len(names):
        yield "subjects: two have one name"
    for action in range(game.actions.size):
        numbers = game.subjects.of_action(action)
        if any(not 0 <= number < len(names) for number in numbers):
            yield f"subjects of {game.actions.text(action)!r}: {numbers}, there are {len(names)}"


def defaults_are_options(game: Game) -> Iterator[str]:
    """What the game gives kinds of bots are options that those have."""
    kinds = bot_kinds()
    for name, options in game.defaults.items():
        if name not in kinds:
            yield f"defaults.{name}: no such kind of bot{nearest(name, kinds) or ''}"
            continue
        try:
            parse_options(kinds[name].Parameters, options, f"defaults.{name}")
        except UserError as error:
            yield str(error)


def weights_weigh(game: Game) -> Iterator[str]:
    """Each weight is a number in its range that `evaluate` reads."""
    names = {name for one in reached(game.evaluate) for name, _ in names_read(one.py_func)}
    for one in declared(game.evaluate):
        if not one.span.low <= one.value <= one.span.high:
            yield f"weight {one.name}: {one.value}, expected {one.span.low:g} to {one.span.high:g}"
        if one.constant not in names:
            yield f"weight {one.name}: evaluate does not read it"


FACTS = (
    has_its_files,
    record_is_flat_and_plain,
    layout_names_real_fields,
    numbers_declare_their_ranges,
    tables_can_be_cached,
    action_texts_read_back,
    endings_start_with_running,
    options_are_explained,
    presets_are_variants,
    subjects_are_numbered,
    defaults_are_options,
    weights_weigh,
)
