"""What a bot is and what it is shown: the bottom of this package, on which every bot stands."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bots.playouts import rollout_for
from bots.sources import Source
from engines.core import Game
from engines.errors import UserError
from engines.records import OVER, Rng, State, copy
from engines.records import View as ViewRecord
from engines.rng import mix, seeded


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

    def rollout(self, decisions: int = -1) -> "Simulator":
        """Play on at random in compiled code, to the end or for so many decisions; returns itself."""
        legal = np.empty(self.game.max_legal, np.int32)
        rollout_for(self.game)(self.states, legal, decisions, self.rng)
        return self

    def view(self, player: int | None = None) -> "View":
        """What a player may know here, by default the one to act; the past is not told (`events` is empty)."""
        viewer = max(self.to_act, 0) if player is None else player
        legal = self.legal() if viewer == self.to_act else []
        seed = int(self.rng[0])
        return View(self.game, self.game.view(self.states, viewer), legal, (), seed)

    def text(self, action: int) -> str:
        """An action in words, as it reads here."""
        return self.game.action_text(self.states, int(action))

    def to_dict(self) -> dict[str, Any]:
        """The position as plain JSON in the rules' own words, nothing hidden."""
        return self.game.to_dict(self.states)

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


@dataclass(frozen=True)
class Clock:
    """What time a match still gives.

    Args:
        seconds: left to each player, in order of play, when the question was asked.
        increment: seconds that a player gets after each decision.
    """

    seconds: tuple[float, ...]
    increment: float


class View:
    """What a bot is shown when it must decide: only what its player may know."""

    def __init__(
        self,
        game: Game,
        record: ViewRecord,
        legal: Sequence[int],
        events: Sequence["Event"],
        seed: int,
        clock: Clock | None = None,
    ) -> None:
        """Wrap a View record; `seed` feeds `sample` when the bot names none; `clock`: None without one."""
        self.game = game
        self.record = record
        self.events = events
        self.clock = clock
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
class Compiled:
    """The compiled part of a kind: a kernel linked to a game, and what it is given.

    Args:
        record: the parameters as the kernel reads them.
        memory: (game, parameters: record[1]) -> a NamedTuple of arrays, made anew for every seat of every match.
        link: the game's kernels by name -> the kernel `think(views, legal, n, parameters, memory, rng, until)`.
            It returns one of legal[0..n-1], or BUSY when the clock has reached `until`, and is then called again
            with the same arguments.
        fields: parameters -> the values of the record.
        forgets: memory is room for one decision and means nothing to the next: many seats may share it.
    """

    record: np.dtype[Any]
    memory: Callable[[Game, NDArray[Any]], Any]
    link: Callable[[Mapping[str, Any]], Any]
    fields: Callable[[Any], Mapping[str, Any]] = asdict
    forgets: bool = False


@dataclass(frozen=True)
class BotKind:
    """One kind of bot: its parameters and how it is made."""

    name: str
    summary: str
    Parameters: type
    make: Callable[[Any], Bot] | None  # None: another program
    compiled: Compiled | None = None  # None: not compiled
    source_hash: str = ""  # of a file, plug-in or program: other code is another entrant
    file: str = ""  # the file or folder it was loaded from, absolute
    member: str = ""  # what it is called there
    problem: str = ""  # of a plug-in that cannot be loaded
    # Parameters -> the files that a bot in another language consists of; None: it is a Python class.
    program: Callable[[Any], tuple[str, ...]] | None = None
    # Parameters -> the files of data that it reads; they are part of its identity and travel with it.
    reads: Callable[[Any], tuple[str, ...]] | None = None
    # (options as they are written, find) -> the same with find(word) for every word that may be a path.
    placed: Callable[[Mapping[str, Any], Callable[[str], str]], dict[str, Any]] | None = None
    # (kind, Parameters, content of the first of them) -> the kind that these make of it.
    bound: Callable[["BotKind", Any, bytes], "BotKind"] | None = None
    # (game, players, rules of the variant): raises a UserError about a table that it cannot play at.
    suits: Callable[[Game, int, bytes], None] | None = None
    here: bool = False  # shipped Python code, which plays in the worker itself
    waits: bool = False  # its decisions take time and no core

    @property
    def outside(self) -> bool:
        """Whether it is Python code that is not played in the worker where bots are kept apart."""
        return not self.here and (self.compiled is None or self.file != "")

    @property
    def plain(self) -> bool:
        """Whether its options name no file, program, host or secret of this machine: anybody may choose it."""
        return self.program is None and self.reads is None and not self.waits and not self.file


@dataclass(frozen=True)
class BotSpec:
    """A kind of bot with its parameters: all that decides how it plays."""

    kind: BotKind
    parameters: Any
    text: str = field(compare=False)  # as the user wrote it: the usual name of the entrant
    # absolute path (of a program's as written), content
    files: tuple[tuple[str, bytes], ...] = field(default=(), compare=False)
    source: Source | None = field(default=None, compare=False)  # of a Python bot from files

    @property
    def place(self) -> str:
        """The text that finds the same bot from any working directory, without its parameters."""
        return f"{self.kind.file}:{self.kind.member}" if self.kind.file else self.text

    @property
    def settings(self) -> dict[str, Any]:
        """All parameters by name, but for names of files of data: their content stands in `source_hash`."""
        read = self.kind.reads(self.parameters) if self.kind.reads else ()
        return {key: value for key, value in asdict(self.parameters).items() if value not in read}

    @property
    def canonical(self) -> str:
        """Kind, all parameters and source in one line; equal lines play equally."""
        values = json.dumps(self.settings, sort_keys=True)
        return f"{self.kind.name} {values} {self.kind.source_hash}"

    def make(self) -> Bot:
        """A fresh bot."""
        if self.kind.make is None:
            raise UserError(f"bot {self.text!r}: a program, it plays in a process of its own only")
        return self.kind.make(self.parameters)
