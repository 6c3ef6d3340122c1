"""What a game is: a frozen record of kernels and facts. And where games are found."""

import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines import digests, records
from engines.actions import ActionTable
from engines.cache import hash_folder
from engines.contents import FOLDER_GAME
from engines.errors import BrokenGame, OptionError, PositionError, UserError, blame, nearest
from engines.observations import Observation, nothing_more
from engines.options import (
    Option,
    OptionInfo,
    changes,
    describe_options,
    idle_options,
    listed,
    parse_options,
    parse_value,
    type_name,
)
from engines.pictures import Picture
from engines.records import Layout, Rng, State, View
from engines.texts import brief, clean, folded

__all__ = [  # what games, bots and arena take from here
    "BUILT_IN",
    "Game",
    "Option",
    "OptionInfo",
    "Preset",
    "Subjects",
    "changes",
    "describe_options",
    "game_names",
    "listed",
    "load_game",
    "parse_options",
    "parse_value",
    "plugins",
    "type_name",
]

BUILT_IN = ("connect_four", "karmaka", "sagrada", "sacrifice", "nakum", "sacrificio")
ENTRY_POINTS = "arena.games"
LONGEST_NAME = 100


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
    kind: str = "cards"  # what they are in the words of the rules, several of them


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
        observation: blank State of a variant -> what the fields mean to learners that the layout does not tell (see
            engines.observations); `engines.encoding.Encoder` turns Views into vectors by both.
        components: what a components file holds -> the options of the Variant that say the same, as plain JSON;
            an OptionError names the path in the file. None: the game has no such files.
        picture: a View (or State) in the shapes of `engines.pictures`, which pages and terminals draw: every component
            of the position once, as far as the viewer knows it. None: the game is shown as text.
        sources: State -> for each player where his points come from, in the words of the rules; the parts add up to
            `points`. None: the points of this game have no parts.
        costs: (View, legal action) -> what the action costs in a few words, e.g. 'costs 2 tokens', and what it brings
            where its own words do not say it; '' for nothing. None: no action costs what its words leave out.
        defaults: kind of bot -> options that it has in this game unless somebody says otherwise.
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
    observation: Observation = nothing_more
    components: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    picture: Callable[[View], Picture] | None = None
    sources: Callable[[State], Sequence[Mapping[str, int]]] | None = None
    costs: Callable[[View, int], str] | None = None
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Callable[[str], "Game"], tuple[str]]:
        """A game travels by its name, or by the path of its folder: kernels and codecs stay at home."""
        known = self.name in game_names() and load_game(self.name) is self
        return load_game, (self.name if known else str(self.folder),)

    def new_state(self, players: int, variant: Any, rng: Rng) -> State:
        """A game set up for its first decision; `rng` is all its chance."""
        states = self.blank(players, variant)
        self.deal(states, rng)
        return states

    def blank_at(self, players: int, variant: Any, where: str) -> State:
        """`blank`, with errors that carry the path of the variant, e.g. games[0].variant."""
        try:
            return self.blank(players, variant)
        except OptionError as error:
            if str(error).startswith("players:"):
                raise OptionError(f"{where.rpartition('.')[0]}.{error}".lstrip(".")) from None
            raise OptionError(
                f"{where}.{error} (with {players} player{'s' * (players != 1)})"
            ) from None

    def idle_options(self, players: int, variant: Any) -> tuple[str, ...]:
        """The changed options that cannot act with so many players: the table is the same without them."""
        return idle_options(
            lambda other: (self.blank(players, other).tobytes(), self.places(other)), variant
        )

    def legal(self, states: State) -> NDArray[np.int32]:
        """The legal actions of the player to act, ascending: int32[n]."""
        out = np.empty(self.max_legal, np.int32)
        return out[: int(self.legal_actions(states, out))]

    def action_text(self, states: State, action: int) -> str:
        """An action in words, as it reads in a position."""
        if self.phrase is None:
            return self.actions.text(action)
        return self.phrase(states, action)

    def told(self, states: State, action: int) -> str:
        """An action in words for people who read a page: players are numbered from 1."""
        if self.phrase is None:
            return self.actions.told(action)
        return self.phrase(states, action)

    def cost_texts(self, view: View, actions: Sequence[int]) -> list[str]:
        """What each of these legal actions costs; '' where nothing is to be said."""
        return [self.costs(view, action) if self.costs else "" for action in actions]

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
        """A State or View from plain JSON; what is missing takes its start value (see records.from_dict).

        Raises:
            PositionError: a value is out of its range, values contradict each other, or a game that is not over
                stands still.
        """
        states = records.from_dict(self.blank(players, variant), data, self.layout)
        if states["viewer"][0] == records.NOBODY:
            self.check_playable(states)
        return states

    def check_playable(self, states: State) -> None:
        """Refuse a position in which nobody can go on although the game is not over, or the other way round."""
        player, over = int(states["to_act"][0]), self.ending(states) != 0
        if over != (player == records.OVER):
            word = self.Ending(int(self.ending(states))).name.lower()
            raise PositionError(
                f"position.to_act: {player}, but the ending is {word}; "
                "a game that is over has to_act -1 and an ending"
            )
        out = np.empty(2 * self.max_legal, np.int32)
        count = int(self.legal_actions(states, out))
        if over != (count == 0):
            raise PositionError(
                f"position.to_act: {player}, this player has no legal action here; "
                "a game that is not over needs one"
            )
        if count > self.max_legal:
            raise PositionError(
                f"position: {count} legal actions, no position of play has more than {self.max_legal}"
            )

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

    @functools.cached_property
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
