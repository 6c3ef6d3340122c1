"""What a bot is, what it is shown, and where bots are found."""

import functools
import hashlib
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from engines.core import Game, listed, parse_options, plugins
from engines.errors import UserError, nearest
from engines.records import OVER, Rng, State, copy
from engines.records import View as ViewRecord
from engines.rng import mix, seeded

ENTRY_POINTS = "arena.bots"


@dataclass(frozen=True)
class NoParameters:
    """For bots without options."""


class Simulator:
    """A position that a bot holds for possible and may play forward; its chance is its own."""

    def __init__(self, game: Game, states: State, rng: Rng) -> None:
        """Own a State; `rng` drives the chance of what is played from here."""
        self.game = game
        self.states = states
        self.rng = rng

    @property
    def to_act(self) -> int:
        """The player who decides, or OVER (-1)."""
        return int(self.states["to_act"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.to_act == OVER

    def legal(self) -> list[int]:
        """The legal actions of the player to act, ascending."""
        return [int(a) for a in self.game.legal(self.states)]

    def play(self, action: int) -> "Simulator":
        """Carry out one legal action here; returns itself."""
        self.game.apply(self.states, int(action), self.rng)
        return self

    def copy(self) -> "Simulator":
        """An independent simulator in the same position with the same chance to come."""
        return Simulator(self.game, copy(self.states), self.rng.copy())

    def win_share(self, player: int) -> float:
        """1 for a sole first place of the player's side, 1/k if k sides share it, 0 otherwise."""
        ranks = self.game.rank_list(self.states)
        teams = [int(t) for t in self.states["team"][0]]
        if ranks[player] != 1:
            return 0.0
        return 1.0 / len({teams[p] for p, rank in enumerate(ranks) if rank == 1})

    def evaluate(self, player: int) -> float:
        """The game's own estimate of the win share of the player's side, 0..1."""
        return float(self.game.evaluate(self.states, player))


class View:
    """What a bot is shown when it must decide: only what its player may know."""

    def __init__(
        self,
        game: Game,
        record: ViewRecord,
        legal: Sequence[int],
        events: Sequence["Event"],
        seed: int,
    ) -> None:
        """Wrap a View record; `seed` feeds `sample` when the bot names none."""
        self.game = game
        self.record = record
        self.events = events
        self._legal = legal
        self._seed = seed

    @property
    def player(self) -> int:
        """Whose view this is."""
        return int(self.record["viewer"][0])

    @property
    def players(self) -> int:
        """How many play."""
        return int(self.record["players"][0])

    def legal(self) -> list[int]:
        """The legal actions, ascending."""
        return [int(a) for a in self._legal]

    def text(self, action: int) -> str:
        """An action in words, as it reads in this position."""
        return self.game.action_text(self.record, int(action))

    def to_dict(self) -> dict[str, Any]:
        """The position as plain JSON in the rules' own words; what is hidden reads '?'."""
        return self.game.to_dict(self.record)

    def sample(self, seed: int | None = None) -> Simulator:
        """A random position that this player holds for possible, to play forward."""
        if seed is None:
            self._seed = mix(self._seed, 1)
        rng = seeded(self._seed if seed is None else mix(seed))
        states = np.zeros(1, self.game.dtype)
        self.game.determinize(self.record, rng, states)
        return Simulator(self.game, states, rng)

    def __str__(self) -> str:
        """The position as people read it."""
        return self.game.render(self.record)


@dataclass(frozen=True)
class Event:
    """A past action as one player saw it."""

    player: int  # who acted
    text: str  # hidden fields read "?"


class Bot(Protocol):
    """Code that decides. Any class with these methods will do; parameters arrive as keyword arguments."""

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins; `seed` is all the randomness a reproducible bot uses."""

    def act(self, view: View, legal: Sequence[int]) -> int:
        """Choose one of the legal actions (at least two)."""

    def close(self) -> None:
        """The match is over."""


@dataclass(frozen=True)
class BotKind:
    """One kind of bot: its parameters and how it is made."""

    name: str
    summary: str
    Parameters: type
    make: Callable[[Any], Bot] | None  # None: another program
    compiled: bool = False
    source_hash: str = ""  # of a file, plug-in or program: other code is another entrant
    file: str = ""  # the file it was loaded from
    problem: str = ""  # of a plug-in that cannot be loaded
    # Parameters -> the files that a bot in another language consists of; None: it is a Python class.
    program: Callable[[Any], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class BotSpec:
    """A kind of bot with its parameters: all that decides how it plays."""

    kind: BotKind
    parameters: Any
    text: str = field(compare=False)  # as the user wrote it: the usual name of the entrant
    files: tuple[tuple[str, bytes], ...] = field(default=(), compare=False)  # path, content

    @property
    def canonical(self) -> str:
        """Kind, all parameters and source in one line; equal lines play equally."""
        values = json.dumps(asdict(self.parameters), sort_keys=True)
        return f"{self.kind.name} {values} {self.kind.source_hash}"

    def make(self) -> Bot:
        """A fresh bot."""
        if self.kind.make is None:
            raise UserError(f"bot {self.text!r}: a program, it plays in a process of its own only")
        return self.kind.make(self.parameters)


# --- where bots are found ---------------------------------------------------------------------------------

FILE = re.compile(r"^(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)(?::(?P<options>.*))?$")
OPTION = re.compile(r'(?:[^,"]|"[^"]*")+')
DOTTED = re.compile(r"^(?P<module>[A-Za-z_]\w*(?:\.\w+)*):(?P<name>[A-Z]\w*)(?::(?P<options>.*))?$")


def bot_kinds() -> dict[str, BotKind]:
    """The bots that can be named without a path: those shipped here, then installed plug-ins."""
    from bots import greedy, mcts, program, uniform

    kinds = {kind.name: kind for kind in (uniform.KIND, greedy.KIND, mcts.KIND, program.KIND)}
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


# --- files of bots: from the disk, or as they came with a task from another machine -------------------------

_carried: dict[str, bytes] = {}


@contextmanager
def carried(files: Mapping[str, bytes]) -> Iterator[None]:
    """Inside, these files of bots (path as written, content) are there whatever the disk holds."""
    _carried.update(files)
    try:
        yield
    finally:
        for path in files:
            _carried.pop(path, None)


def has_file(path: Path) -> bool:
    """Whether a file of a bot can be read."""
    return str(path) in _carried or path.is_file()


def content_of(path: Path) -> bytes:
    """The bytes of a file of a bot."""
    found = _carried.get(str(path))
    if found is not None:
        return found
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"bot {str(path)!r}: {reason}") from None


def digest_of(*contents: bytes) -> str:
    """16 hex characters of the code of a bot; nothing if there is none."""
    return hashlib.blake2b(b"\0".join(contents), digest_size=8).hexdigest() if contents else ""


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
