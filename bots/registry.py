"""Where bots are found: by the name of a kind, in a file, in an installed package."""

import functools
import importlib
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from bots import greedy, mcts, program, uniform
from bots.contract import Bot, BotKind, BotSpec, NoParameters
from bots.sources import content_of, digest_of, has_file
from bots.thinking import with_make
from engines.core import listed, parse_options, plugins
from engines.errors import UserError, nearest

ENTRY_POINTS = "arena.bots"
SHIPPED = (*map(with_make, (uniform.KIND, greedy.KIND, mcts.KIND)), program.KIND)
FILE = re.compile(r"^(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)(?::(?P<options>.*))?$")
OPTION = re.compile(r'(?:[^,"]|"[^"]*")+')
DOTTED = re.compile(r"^(?P<module>[A-Za-z_]\w*(?:\.\w+)*):(?P<name>[A-Z]\w*)(?::(?P<options>.*))?$")


def bot_kinds() -> dict[str, BotKind]:
    """The bots that can be named without a path: those shipped here, then installed plug-ins."""
    kinds = {kind.name: kind for kind in SHIPPED}
    for name, point in plugins(ENTRY_POINTS).items():
        if name not in kinds:
            kinds[name] = plugin_kind(name, point)
    return kinds


def plugin_kind(name: str, point: EntryPoint) -> BotKind:
    """An installed plug-in; a broken one keeps its name, so that it spoils nobody else's list."""
    try:
        return class_kind(name, point.load())
    except (Exception, SystemExit) as error:
        problem = f"cannot be loaded: {' '.join(str(error).split()) or repr(error)}"
        return BotKind(name, problem, NoParameters, None, problem=problem)


def parse_bot(text: str, parameters: Mapping[str, Any] | None = None) -> BotSpec:
    """A bot from `kind`, `kind:key=value,key=value`, `file.py:Class` or `package.module:Class`.

    Args:
        text: the bot, perhaps with parameters behind a colon.
        parameters: more of them, e.g. from a config file.

    Raises:
        UserError: names the bot or the option, its value and the nearest right one.
    """
    kind, options = find_kind(text)
    given = {**split_options(options, text), **(parameters or {})}
    try:
        parsed: Any = parse_options(kind.Parameters, given, kind.name)
    except ValueError as error:  # a check in a plug-in's __post_init__
        raise UserError(f"bot {text!r}: {error}") from None
    paths = kind.program(parsed) if kind.program else (kind.file,) if kind.file else ()
    files = tuple((path, content_of(Path(path))) for path in paths)
    if kind.program:
        kind = replace(kind, source_hash=digest_of(*(content for _, content in files)))
    return BotSpec(kind, parsed, text, files)


def find_kind(text: str) -> tuple[BotKind, str]:
    """The kind of bot a text names, and the options that follow it."""
    if match := FILE.match(text):
        return file_kind(Path(match["file"]), match["name"]), match["options"] or ""
    if match := DOTTED.match(text):
        return module_kind(match["module"], match["name"]), match["options"] or ""
    name, _, options = text.partition(":")
    kinds = bot_kinds()
    if name not in kinds:
        hint = nearest(name, kinds) or listed(kinds)
        raise UserError(f"bot {name!r}: unknown{hint} (or give file.py:Class)")
    if kinds[name].problem:
        raise UserError(f"bot {name!r}: {kinds[name].problem}")
    return kinds[name], options


def split_options(options: str, text: str) -> dict[str, str]:
    """'a=1,b="two, three"' as a dict; a comma inside double quotes belongs to the value."""
    found = {}
    for part in filter(None, OPTION.findall(options)):
        name, equals, value = part.partition("=")
        if not equals:
            raise UserError(f"bot {text!r}: {part!r} has no value, expected name=value")
        value = value.strip()
        quoted = len(value) > 1 and value[0] == value[-1] == '"'
        found[name.strip()] = value[1:-1] if quoted else value
    return found


def file_kind(file: Path, name: str) -> BotKind:
    """A bot class in a file, loaded by path and never via sys.path."""
    if not has_file(file):
        raise UserError(f"bot {str(file)!r}: no such file")
    return _file_kind(file, name, content_of(file))


@functools.lru_cache(maxsize=256)
def _file_kind(file: Path, name: str, content: bytes) -> BotKind:
    source = digest_of(content)
    place = digest_of(str(file.resolve()).encode())  # equal files in two folders are two modules
    module_name = f"arena_bot_{file.stem}_{source}_{place}"
    if module_name not in sys.modules:
        module = ModuleType(module_name)
        module.__file__ = str(file.resolve())
        sys.modules[module_name] = module
        try:
            exec(compile(content, module.__file__, "exec"), vars(module))
        except (Exception, SystemExit) as error:
            del sys.modules[module_name]
            raise UserError(f"bot {str(file)!r}: cannot be loaded: {error!r}") from error
    bot_class = member(sys.modules[module_name], name, str(file))
    return class_kind(f"{file.name}:{name}", bot_class, source, str(file))


def module_kind(module: str, name: str) -> BotKind:
    """A bot class in an importable module."""
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:
        raise UserError(f"bot {module}:{name}: cannot be imported: {error}") from None
    except (Exception, SystemExit) as error:
        raise UserError(f"bot {module}:{name}: cannot be imported: {error!r}") from error
    return class_kind(f"{module}:{name}", member(loaded, name, module))


def member(module: ModuleType, name: str, where: str) -> type:
    """A class of a module, or an error with the nearest name."""
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = [n for n, v in vars(module).items() if isinstance(v, type)]
        raise UserError(f"bot {where}:{name}: no such class{nearest(name, classes) or ''}")
    return found


def class_kind(name: str, bot_class: type, source: str = "", file: str = "") -> BotKind:
    """The kind of bot that a class makes; its inner `Parameters` dataclass, if any, declares its options."""
    for method in ("reset", "act", "close"):
        if not callable(getattr(bot_class, method, None)):
            raise UserError(f"bot {name!r}: the class has no method {method}")
    if not source:
        origin = getattr(sys.modules.get(bot_class.__module__), "__file__", None)
        if origin and Path(origin).is_file():
            source = digest_of(Path(origin).read_bytes())
    parameters = getattr(bot_class, "Parameters", NoParameters)

    def make(values: Any) -> Bot:
        return bot_class(**asdict(values))  # type: ignore[no-any-return]

    summary = (bot_class.__doc__ or "").strip().split("\n")[0]
    return BotKind(name, summary, parameters, make, source_hash=source, file=file)
