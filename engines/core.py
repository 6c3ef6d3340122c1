"""What a game is: a frozen record of kernels and facts. And where games are found."""

import functools
import importlib
import importlib.util
import os
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from enum import IntEnum
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines import digests, records
from engines.actions import ActionTable
from engines.cache import FOLDER_GAME, hash_folder
from engines.errors import BrokenGame, OptionError, UserError, blame, nearest
from engines.records import Layout, Rng, State, View
from engines.texts import brief, clean, folded

BUILT_IN = ("connect_four", "karmaka", "sagrada", "sacrifice", "nakum", "sacrificio")
ENTRY_POINTS = "arena.games"
LONGEST_NAME = 100

T = TypeVar("T")


# --- options of variants and bots -------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """Annotation of a field of a Variant or of a bot's parameters: what it means and what is allowed."""

    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.choices:
            return " | ".join(str(c) for c in self.choices)
        if self.low is not None and self.high is not None:
            return f"{self.low} to {self.high}"
        return f"at least {self.low}" if self.low is not None else "any"


@dataclass(frozen=True)
class OptionInfo:
    """One option as people read it."""

    name: str
    type: Any
    default: Any
    option: Option


def describe_options(cls: type) -> list[OptionInfo]:
    """The options of a Variant or of bot parameters, in order."""
    hints = typing.get_type_hints(cls, include_extras=True)
    found = []
    for f in fields(cls):
        hint = hints[f.name]
        option = Option("")
        if typing.get_origin(hint) is typing.Annotated:
            hint, *notes = typing.get_args(hint)
            option = next((n for n in notes if isinstance(n, Option)), option)
        default = f.default if f.default is not MISSING else None
        if f.default_factory is not MISSING:
            default = f.default_factory()
        found.append(OptionInfo(f.name, hint, default, option))
    return found


def parse_options(cls: type[T], given: Mapping[str, Any], where: str) -> T:
    """Build a Variant or bot parameters from names and values (numbers may come as text).

    Raises:
        OptionError: with the path, the value and what would be right.
    """
    known = {info.name: info for info in describe_options(cls)}
    values = {}
    for name, value in given.items():
        if name not in known:
            raise OptionError(f"{where}.{name}: unknown{nearest(name, known) or listed(known)}")
        values[name] = parse_value(value, known[name], f"{where}.{name}")
    return cls(**values)


def listed(known: Mapping[str, Any]) -> str:
    """', known are a, b' for a short list of names."""
    return f", known are {', '.join(known)}" if known else ", there are none"


def parse_value(value: Any, info: OptionInfo, where: str) -> Any:
    """One option's value in its declared type and range."""
    try:
        parsed = convert(value, info.type)
    except (TypeError, ValueError):
        raise OptionError(f"{where}: {brief(value)}, expected {type_name(info.type)}") from None
    option = info.option
    for item in parsed if isinstance(parsed, tuple) else (parsed,):
        if option.choices and item not in option.choices and item is not None:
            raise OptionError(f"{where}: {brief(value)}, expected {option.allowed}")
        too_low = option.low is not None and isinstance(item, int | float) and item < option.low
        too_high = option.high is not None and isinstance(item, int | float) and item > option.high
        if too_low or too_high:
            raise OptionError(f"{where}: {brief(value)}, expected {option.allowed}")
    return parsed


def convert(value: Any, target: Any) -> Any:
    """A plain value as int, float, bool, str, a tuple of these, or None where the type allows it."""
    origin = typing.get_origin(target)
    if origin is typing.Union or origin is types.UnionType:
        if value is None or value == "none":
            return None
        return convert(value, next(t for t in typing.get_args(target) if t is not type(None)))
    if origin is tuple:
        if value in ("", "none"):
            return ()
        parts = value.split("+") if isinstance(value, str) else value
        return tuple(convert(part, typing.get_args(target)[0]) for part in parts)
    if target is bool:
        words = {"true": True, "false": False, "yes": True, "no": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise ValueError
    if target is int:
        if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
            raise ValueError
        return int(value)
    if target is float:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
        if not np.isfinite(number):
            raise ValueError
        return number
    if target is str:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise ValueError
        return str(value)
    return value


def type_name(target: Any) -> str:
    """An option's type in words."""
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}
    if typing.get_origin(target) is tuple:
        return "a list"
    inner = [t for t in typing.get_args(target) if t is not type(None)]
    if len(inner) == 1 and type(None) in typing.get_args(target):
        return f"{type_name(inner[0])} or none"
    return names.get(target, str(target).replace("typing.", ""))


def changes(options: Any) -> dict[str, Any]:
    """The options that differ from their defaults, in declared order."""
    defaults = {info.name: info.default for info in describe_options(type(options))}
    return {k: v for k, v in asdict(options).items() if v != defaults[k]}


# --- games ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preset:
    """A named variant worth testing on its own; the conformance suite plays every one."""

    name: str
    players: tuple[int, ...]
    variant: Any


@dataclass(frozen=True)
class Subjects:
    """What balance tables speak of: cards, tools, tiles, ... and which of them an action uses."""

    names: tuple[str, ...] = ()
    of_action: Callable[[int], tuple[int, ...]] = lambda action: ()


@dataclass(frozen=True, eq=False)
class Game:
    """The rules of one game. The engine trusts its caller: the referee checks legality.

    Kernels take States of shape (1,). `rng` is `uint64[1]`. Players are numbered in order of play, 0 begins.

    Args:
        blank: (players, variant) -> State with header and `rules` filled in, nothing dealt; an OptionError says
            why this number of players cannot play this variant.
        deal: kernel (states, rng): sets up a blank State up to before the first decision.
        legal_actions: kernel (states, out) -> n: writes the legal actions of `to_act` to out[0..n-1], ascending;
            never 0 unless the game is over.
        apply: kernel (states, action, rng): carries out one legal action.
        witnesses: kernel (states, action) -> mask of the players who see all of this action, asked before it is
            applied and only for kinds that are not open.
        observe: kernel (states, player, views): writes the player's View.
        determinize: kernel (views, rng, states): writes a random State that the viewer holds for possible.
        points: kernel (states, out): int32 points per player if the game ended now.
        ranks: kernel (states, out): int8 rank per player, 1 = best, ties share, team-mates share;
            solo: 1 = target beaten, 2 = not.
        ending: kernel (states) -> number of `Ending` (0 while the game runs).
        turns: kernel (states) -> turns begun so far, as the game counts them.
        key: kernel (states) -> uint64, equal for positions with the same future.
        evaluate: kernel (states, player) -> float in 0..1, the estimated win share of the player's side.
        caps: the endings that only stop a game that would not end.
        perfect_information: nothing is hidden and no chance remains after `deal`.
        places: variant -> 'all' if ranks below the first mean something, else 'winner'.
        layout: how the record reads as JSON.
        render: a View (or State) as text for people.
        phrase: (States, action) -> an action of this position in words that the action table has no room for,
            e.g. with the cell a piece leaves; None: the table's own words. Different for each legal action.
        features: State after `deal` -> for each player the setup facts that balance tables compare.
        components: what a components file holds -> the options of the Variant that say the same, as plain JSON;
            an OptionError names the path in the file. None: the game has no such files.
    """

    name: str
    title: str
    players: tuple[int, ...]
    Variant: type
    dtype: np.dtype[Any]
    actions: ActionTable
    max_legal: int
    Ending: type[IntEnum]
    blank: Callable[[int, Any], State]
    deal: Callable[[State, Rng], None]
    legal_actions: Callable[[State, NDArray[Any]], int]
    apply: Callable[[State, int, Rng], None]
    witnesses: Callable[[State, int], int]
    observe: Callable[[State, int, View], None]
    determinize: Callable[[View, Rng, State], None]
    points: Callable[[State, NDArray[Any]], None]
    ranks: Callable[[State, NDArray[Any]], None]
    ending: Callable[[State], int]
    turns: Callable[[State], int]
    key: Callable[[State], int]
    evaluate: Callable[[State, int], float]
    layout: Layout
    render: Callable[[View], str]
    phrase: Callable[[State, int], str] | None = None
    caps: frozenset[IntEnum] = frozenset()
    perfect_information: bool = False
    places: Callable[[Any], str] = lambda variant: "all"
    presets: tuple[Preset, ...] = ()
    subjects: Subjects = field(default_factory=Subjects)
    features: Callable[[State], Sequence[Mapping[str, Any]]] = lambda states: [
        {} for _ in range(int(states["players"][0]))
    ]
    components: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None

    def new_state(self, players: int, variant: Any, rng: Rng) -> State:
        """A game set up for its first decision; `rng` is all its chance."""
        states = self.blank(players, variant)
        self.deal(states, rng)
        return states

    def legal(self, states: State) -> NDArray[np.int32]:
        """The legal actions of the player to act, ascending: int32[n]."""
        out = np.empty(self.max_legal, np.int32)
        return out[: int(self.legal_actions(states, out))]

    def action_text(self, states: State, action: int) -> str:
        """An action in words, as it reads in a position."""
        if self.phrase is None:
            return self.actions.text(action)
        return self.phrase(states, action)

    def find_action(self, states: State, text: str) -> int | None:
        """The legal action that reads `text` in a position, or None.

        Raises:
            UserError: the words are those of no action at all, where the action table can tell.
        """
        legal = [int(action) for action in self.legal(states)]
        if self.phrase is None:
            action = self.actions.number(text)
            return action if action in legal else None
        return next((a for a in legal if self.phrase(states, a) == text), None)

    def view(self, states: State, player: int) -> View:
        """What one player may know."""
        views = np.zeros(1, self.dtype)
        self.observe(states, player, views)
        return views

    def to_dict(self, states: State) -> dict[str, Any]:
        """A State or View as plain JSON."""
        return records.to_dict(states, self.layout)

    def from_dict(self, players: int, variant: Any, data: Mapping[str, Any]) -> State:
        """A State from plain JSON; what is missing takes its start value (see records.from_dict)."""
        return records.from_dict(self.blank(players, variant), data, self.layout)

    def rank_list(self, states: State) -> list[int]:
        """The ranks if the game ended now."""
        out = np.zeros(records.SEATS, np.int8)
        self.ranks(states, out)
        return [int(r) for r in out[: int(states["players"][0])]]

    def point_list(self, states: State) -> list[int]:
        """The points if the game ended now."""
        out = np.zeros(records.SEATS, np.int32)
        self.points(states, out)
        return [int(r) for r in out[: int(states["players"][0])]]

    @cached_property
    def rules_digest(self) -> str:
        """Digest of the rules: matches of different rules do not mix."""
        return digests.rules_digest(self)

    def has_rules(self, stored: str) -> bool:
        """Whether matches stored with this digest were played by the rules of this game."""
        return digests.mean_the_same(self.folder, stored, self.rules_digest)

    @property
    def folder(self) -> Path:
        """The folder of the game's own files."""
        module = sys.modules[self.Variant.__module__.rpartition(".")[0] or self.Variant.__module__]
        return Path(str(module.__file__)).parent


# --- where games are found --------------------------------------------------------------------------------


@functools.cache
def plugins(group: str) -> dict[str, EntryPoint]:
    """Installed plug-ins of a group by name; looking them up takes milliseconds, so once."""
    return {point.name: point for point in entry_points(group=group)}


def game_names() -> list[str]:
    """The games that can be loaded by name: those shipped here, then installed plug-ins."""
    here = Path(__file__).parent
    shipped = [name for name in BUILT_IN if (here / name / "__init__.py").is_file()]
    return shipped + sorted(plugins(ENTRY_POINTS))


def load_game(name: str) -> Game:
    """A game by name (shipped or installed) or by the path of its folder.

    Raises:
        UserError: names the nearest known game.
        BrokenGame: the files of a folder cannot be run.
    """
    if name in game_names() and name in BUILT_IN:
        return _checked(importlib.import_module(f"engines.{name}").GAME, name)
    if os.sep in name or Path(name).is_dir():
        folder = Path(name).resolve()
        shipped = folder.parent == Path(__file__).resolve().parent and folder.name in BUILT_IN
        return load_game(folder.name) if shipped else _load_folder(Path(name))
    if point := plugins(ENTRY_POINTS).get(name):
        return _checked(point.load(), name)
    raise UserError(
        f"game {name!r}: unknown{nearest(name, game_names()) or listed(dict.fromkeys(game_names()))}"
    )


def _load_folder(folder: Path) -> Game:
    entry = folder.resolve() / "__init__.py"
    if not entry.is_file():
        raise UserError(f"game {str(folder)!r}: no __init__.py in this folder")
    module_name = f"{FOLDER_GAME}{folder.resolve().name}_{hash_folder(folder.resolve())[:8]}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            module_name, entry, submodule_search_locations=[str(folder.resolve())]
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            for loaded in [m for m in sys.modules if m.split(".")[0] == module_name]:
                del sys.modules[loaded]
            raise BrokenGame(f"game {str(folder)!r}: {blame(error, folder.resolve())}") from error
    return _checked(getattr(sys.modules[module_name], "GAME", None), str(folder))


def _checked(game: Any, name: str) -> Game:
    if not isinstance(game, Game):
        raise BrokenGame(f"game {name!r}: its package has no GAME of type engines.core.Game")
    for what in (game.name, game.title):
        if not isinstance(what, str) or not folded(what) or clean(what, LONGEST_NAME) != what:
            wanted = f"a name that can be shown, of at most {LONGEST_NAME} letters"
            raise UserError(f"game {name!r}: is named {brief(what)}, expected {wanted}")
    return game
