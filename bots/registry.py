"""Where bots are found: by the name of a kind, in a file, in an installed package."""

import functools
import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from bots import chat, greedy, mcts, policy, program, uniform
from bots.compiled import CompiledBot
from bots.contract import Bot, BotKind, BotSpec, NoParameters, View
from bots.describing import CHECKED, described_kind, reader
from bots.sources import (
    Source,
    at_home,
    check_size,
    digest_of,
    homed,
    is_folder,
    load_module,
    program_file,
    read_source,
)
from engines.core import Game, listed, parse_options, plugins
from engines.errors import UserError, nearest

ENTRY_POINTS = "arena.bots"
METHODS = ("reset", "act", "close")
SHIPPED = {
    kind.name: kind
    for kind in (uniform.KIND, greedy.KIND, mcts.KIND, policy.KIND, chat.KIND, program.KIND)
}
ELSEWHERE = {"openspiel:mcts": "arena.interop.spielbots:MCTS"}  # adapters, by what stands for them
FILE = re.compile(r"^(?P<file>.+\.py)(?::(?P<name>[A-Za-z_]\w*)(?=:|$))?(?::(?P<options>.*))?$")
FOLDER = re.compile(r"^(?P<file>[^:]+)(?::(?P<name>[A-Za-z_]\w*)(?=:|$))?(?::(?P<options>.*))?$")
OPTION = re.compile(r'(?:[^,"]|"[^"]*")+')
DOTTED = re.compile(r"^(?P<module>[A-Za-z_]\w*(?:\.\w+)*):(?P<name>[A-Z]\w*)(?::(?P<options>.*))?$")


def bot_kinds() -> dict[str, BotKind]:
    """The bots that can be named without a path: those shipped here, then installed plug-ins."""
    kinds = {**SHIPPED, **{name: adapter(name) for name in ELSEWHERE}}
    for name, point in plugins(ENTRY_POINTS).items():
        if name not in kinds:
            kinds[name] = plugin_kind(name, point)
    return kinds


@functools.cache
def adapter(name: str) -> BotKind:
    """A kind that stands in another package of this house, loaded when it is asked for."""
    module, _, member = ELSEWHERE[name].partition(":")
    found: BotKind = getattr(importlib.import_module(module), member)
    return found


def plugin_kind(name: str, point: EntryPoint) -> BotKind:
    """An installed plug-in; a broken one keeps its name, so that it spoils nobody else's list."""
    try:
        found = point.load()
        return kind_of(name, found, file_digest(point.module))
    except (Exception, SystemExit) as error:
        problem = f"cannot be loaded: {' '.join(str(error).split()) or repr(error)}"
        return BotKind(name, problem, NoParameters, None, problem=problem)


def parse_bot(
    text: str,
    parameters: Mapping[str, Any] | None = None,
    files: Sequence[str] = (),
    wanted: str = "",
    defaults: Mapping[str, Mapping[str, Any]] | None = None,
) -> BotSpec:
    """A bot from `kind`, `kind:key=value,key=value`, `file.py:Class`, `folder:Class` or `package.module:Class`.

    Args:
        text: the bot, perhaps with parameters behind a colon.
        parameters: more of them, e.g. from a config file.
        files: what belongs to a bot in a file besides that file.
        wanted: the digest of the bot that is meant, if its files may have changed since.
        defaults: of a game: kind of bot -> options that it has unless the text or the parameters say otherwise.

    Raises:
        UserError: names the bot or the option, its value and the nearest right one.
    """
    kind, options, source = find_bot(text, files, wanted)
    usual = (defaults or {}).get(kind.name, {})
    given = {**usual, **split_options(options, text), **(parameters or {})}
    try:
        parsed: Any = parse_options(kind.Parameters, given, kind.name)
    except ValueError as error:  # a check in a plug-in's __post_init__
        raise UserError(f"bot {text!r}: {error}") from None
    if source is not None:
        return settled(BotSpec(kind, parsed, text, source.placed(), source))
    files_of = kind.program or kind.reads
    own: tuple[tuple[str, bytes], ...] = ()
    if files_of is not None:
        own = tuple((path, program_file(path)) for path in files_of(parsed))
        check_size(sum(len(content) for _, content in own), text)
        kind = replace(kind, source_hash=digest_of(*(content for _, content in own)))
    if kind.bound is not None:
        kind = kind.bound(kind, parsed, own[0][1] if own else b"")
    return BotSpec(kind, parsed, text, own)


def settled(spec: BotSpec) -> BotSpec:
    """The bot with its parameters as its own class leaves them, where that is not run here."""
    other = reader()
    if other is None or not getattr(spec.parameters, CHECKED, False):
        return spec
    try:
        values = other.check(spec)
        return replace(spec, parameters=type(spec.parameters)(**values))
    except (ValueError, TypeError) as error:
        raise UserError(f"bot {spec.text!r}: {error}") from None


def find_kind(text: str) -> tuple[BotKind, str]:
    """The kind of bot a text names, and the options that follow it."""
    kind, options, _ = find_bot(text)
    return kind, options


def path_in(text: str, base: Path = Path()) -> tuple[str, str] | None:
    """The file or folder that the text of a bot begins with, and the rest behind it; None if it names none."""
    match = path_match(text, base)
    return (match["file"], text[match.end("file") :]) if match else None


def path_match(text: str, base: Path = Path()) -> re.Match[str] | None:
    """The parts of a text that begins with a file or a folder: file, name, options. base: where it may lie."""
    if match := FILE.match(text):
        return match
    match = FOLDER.match(text)
    if match is None or match["file"] in SHIPPED or elsewhere(text):
        return None
    file = match["file"]
    return match if os.sep in file or file in (".", "..") or is_folder(base / file) else None


def elsewhere(text: str) -> str:
    """The adapter that the text of a bot names, if any."""
    return next((one for one in ELSEWHERE if text == one or text.startswith(f"{one}:")), "")


def find_bot(
    text: str, files: Sequence[str] = (), wanted: str = ""
) -> tuple[BotKind, str, Source | None]:
    """The kind of bot a text names, the options that follow it, and its files if it has any."""
    if match := path_match(text):
        source = read_source(match["file"], files, wanted)
        return file_kind(source, match["name"] or ""), match["options"] or "", source
    if files:
        raise UserError(f"bot {text!r}: files: only a bot in a file of its own has some")
    if match := DOTTED.match(text):
        return module_kind(match["module"], match["name"]), match["options"] or "", None
    if name := elsewhere(text):
        return adapter(name), text[len(name) + 1 :], None
    name, _, options = text.partition(":")
    kinds = SHIPPED if name in SHIPPED else bot_kinds()
    if name not in kinds:
        hint = nearest(name, kinds) or listed(kinds)
        raise UserError(f"bot {name!r}: unknown{hint} (or give file.py:Class)")
    if kinds[name].problem:
        raise UserError(f"bot {name!r}: {kinds[name].problem}")
    return kinds[name], options, None


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


def file_kind(source: Source, name: str) -> BotKind:
    """The kind of bot in a file or folder; its file is run here only where nobody else reads it."""
    if reader() is not None:
        return described_kind(source, name)
    return opened_kind(source, name)


@functools.lru_cache(maxsize=256)
def opened_kind(source: Source, name: str) -> BotKind:
    """The kind of bot in a file or folder, which is run: the only place where one is."""
    module = load_module(source)
    name = name or only_bot(module, source.path)
    found = member(module, name, source.path)
    title = source.place.name
    kind = kind_of(f"{title}:{name}", found, source.digest)
    return replace(at_its_home(kind, source), file=str(source.place), member=name)


def opened(spec: BotSpec) -> BotSpec:
    """The same bot with its file run in this process, for a debugger and for those that are trusted."""
    if spec.source is None:
        return spec
    kind = opened_kind(spec.source, spec.kind.member)
    return replace(spec, kind=kind, parameters=kind.Parameters(**asdict(spec.parameters)))


def at_its_home(kind: BotKind, source: Source) -> BotKind:
    """The kind with all that it calls run at its home."""
    if kind.compiled is not None:
        memory, link = homed(source, kind.compiled.memory), homed(source, kind.compiled.link)
        compiled = replace(kind.compiled, memory=memory, link=link)
        return replace(kind, compiled=compiled, make=lambda values: CompiledBot(compiled, values))
    make = kind.make
    assert make is not None
    return replace(kind, make=lambda values: AtHome(source, make, values))


class AtHome:
    """A bot from files: its own paths and modules are there whenever it runs."""

    def __init__(self, source: Source, make: Callable[[Any], Bot], values: Any) -> None:
        """Make the bot."""
        self.source = source
        with at_home(source):
            self.bot = make(values)

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins."""
        with at_home(self.source):
            self.bot.reset(game, view, seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """What the bot chooses."""
        with at_home(self.source):
            return self.bot.act(view, legal)

    def close(self) -> None:
        """The match is over."""
        with at_home(self.source):
            self.bot.close()


def only_bot(module: ModuleType, where: str) -> str:
    """The name of the one bot that a module holds."""
    found = [
        name
        for name, value in vars(module).items()
        if isinstance(value, BotKind)
        or (
            isinstance(value, type)
            and value.__module__ == module.__name__
            and all(callable(getattr(value, method, None)) for method in METHODS)
        )
    ]
    if len(found) != 1:
        told = (
            f"it has {', '.join(found)}" if found else "it has no class with reset, act and close"
        )
        raise UserError(f"bot {where!r}: {told}, expected {where}:CLASS")
    return found[0]


def module_kind(module: str, name: str) -> BotKind:
    """A bot class in an importable module."""
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:
        raise UserError(f"bot {module}:{name}: cannot be imported: {error}") from None
    except (Exception, SystemExit) as error:
        raise UserError(f"bot {module}:{name}: cannot be imported: {error!r}") from error
    return kind_of(f"{module}:{name}", member(loaded, name, module), file_digest(module))


def member(module: ModuleType, name: str, where: str) -> type | BotKind:
    """A class or a kind of bot in a module, or an error with the nearest name."""
    found = getattr(module, name, None)
    if not isinstance(found, type | BotKind):
        known = [n for n, v in vars(module).items() if isinstance(v, type | BotKind)]
        raise UserError(f"bot {where}:{name}: no such class{nearest(name, known) or ''}")
    return found


def file_digest(module: str) -> str:
    """Digest of the file of a loaded module."""
    origin = getattr(sys.modules.get(module), "__file__", None)
    return digest_of(Path(origin).read_bytes()) if origin and Path(origin).is_file() else ""


def kind_of(name: str, found: Any, source: str) -> BotKind:
    """The kind of bot that stands in a module under some name: a compiled one as it is, a class."""
    if isinstance(found, BotKind):
        return replace(found, name=name, source_hash=source)
    return class_kind(name, found, source)


def class_kind(name: str, bot_class: Any, source: str) -> BotKind:
    """The kind of bot that a class makes; its inner `Parameters` dataclass, if any, declares its options."""
    for method in METHODS:
        if not callable(getattr(bot_class, method, None)):
            raise UserError(f"bot {name!r}: the class has no method {method}")
    parameters = getattr(bot_class, "Parameters", NoParameters)

    def make(values: Any) -> Bot:
        return bot_class(**asdict(values))  # type: ignore[no-any-return]

    summary = (bot_class.__doc__ or "").strip().split("\n")[0]
    return BotKind(name, summary, parameters, make, source_hash=source)
