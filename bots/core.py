"""What a bot is, what it is shown, and where bots are found."""

import functools
import hashlib
import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
    make: Callable[[Any], Bot] | None  # None: compiled only
    compiled: bool = False
    source_hash: str = ""  # of a file or plug-in: other code is another entrant
    file: str = ""  # the file it was loaded from


@dataclass(frozen=True)
class BotSpec:
    """A kind of bot with its parameters: all that decides how it plays."""

    kind: BotKind
    parameters: Any
    text: str = field(compare=False)  # as the user wrote it: the usual name of the entrant

    @property
    def canonical(self) -> str:
        """Kind, all parameters and source in one line; equal lines play equally."""
        values = json.dumps(asdict(self.parameters), sort_keys=True)
        return f"{self.kind.name} {values} {self.kind.source_hash}"

    def make(self) -> Bot:
        """A fresh bot."""
        if self.kind.make is None:
            raise UserError(f"bot {self.text!r}: plays inside the referee only")
        return self.kind.make(self.parameters)


# --- where bots are found ---------------------------------------------------------------------------------

FILE = re.compile(r"^(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)(?::(?P<options>.*))?$")
DOTTED = re.compile(r"^(?P<module>[A-Za-z_]\w*(?:\.\w+)*):(?P<name>[A-Z]\w*)(?::(?P<options>.*))?$")


def bot_kinds() -> dict[str, BotKind]:
    """The bots that can be named without a path: those shipped here, then installed plug-ins."""
    from bots import greedy, mcts, uniform

    kinds = {kind.name: kind for kind in (uniform.KIND, greedy.KIND, mcts.KIND)}
    for name, point in plugins(ENTRY_POINTS).items():
        kinds.setdefault(name, class_kind(name, point.load()))
    return kinds


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
    return BotSpec(kind, parsed, text)


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
    return kinds[name], options


def split_options(options: str, text: str) -> dict[str, str]:
    """'a=1,b=2' as a dict."""
    found = {}
    for part in filter(None, options.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise UserError(f"bot {text!r}: {part!r} has no value, expected name=value")
        found[name.strip()] = value.strip()
    return found


@functools.lru_cache(maxsize=256)
def file_kind(file: Path, name: str) -> BotKind:
    """A bot class in a file, loaded by path and never via sys.path."""
    if not file.is_file():
        raise UserError(f"bot {str(file)!r}: no such file")
    source = hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest()
    module_name = f"arena_bot_{file.stem}_{source}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[module_name]
            raise UserError(f"bot {str(file)!r}: cannot be loaded: {error!r}") from error
    bot_class = member(sys.modules[module_name], name, str(file))
    return class_kind(f"{file.name}:{name}", bot_class, source, str(file.resolve()))


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
            source = hashlib.blake2b(Path(origin).read_bytes(), digest_size=8).hexdigest()
    parameters = getattr(bot_class, "Parameters", NoParameters)

    def make(values: Any) -> Bot:
        return bot_class(**asdict(values))  # type: ignore[no-any-return]

    summary = (bot_class.__doc__ or "").strip().split("\n")[0]
    return BotKind(name, summary, parameters, make, source_hash=source, file=file)
