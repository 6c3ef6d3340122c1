"""Random games of every setting, recorded position by position: what the checks look at."""

import functools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from engines.core import Game
from engines.kernel import INTERPRETED
from engines.records import OVER, Rng, State, copy
from engines.rng import below, mix, seeded

MOST_ACTIONS = 20_000  # the stated bound: every game is over after so many actions, whoever plays
MANY = 800
POSITIONS = 60 if INTERPRETED else MANY  # recorded for a setting, give or take the last game
MOST_WALKS = 40
DEFAULT = "default"
SAMPLE = 10 if INTERPRETED else 80  # positions for checks that cost more than a kernel call or two
GUARD = 64  # spare room behind a legal list that shows writing past `max_legal`
UNTOUCHED = -7


@dataclass(frozen=True, eq=False)
class Setting:
    """A game with its number of players and variant: what every check is run on."""

    game: Game
    players: int
    variant: Any
    preset: str = DEFAULT
    patience: float = (
        math.inf
    )  # seconds of work for which a check looks at positions; it always sees a few
    share: float = 1.0  # of the positions that checks would look at otherwise

    @property
    def name(self) -> str:
        """The setting in a word, e.g. connect_four-2p or connect_four-2p-small."""
        short = f"{self.game.name}-{self.players}p"
        return short if self.preset == DEFAULT else f"{short}-{self.preset.replace(' ', '-')}"

    def new_state(self, seed: int) -> State:
        """The setting dealt from a seed."""
        return self.game.new_state(self.players, self.variant, seeded(mix(seed)))


def settings(game: Game, patience: float = math.inf) -> list[Setting]:
    """Every number of players with the default variant, then every preset."""
    found = [Setting(game, players, game.Variant()) for players in game.players]
    for preset in game.presets:
        found += [Setting(game, players, preset.variant, preset.name) for players in preset.players]
    return [replace(setting, patience=patience) for setting in found]


@dataclass(frozen=True)
class Position:
    """One position of a walk."""

    states: State
    rng: int  # what the generator holds before the next action
    legal: tuple[int, ...]
    action: int | None  # carried out next; None where the walk ends
    where: str  # for messages: "seed 3, action 17"

    @property
    def to_act(self) -> int:
        """The player who decides, or OVER."""
        return int(self.states["to_act"][0])


Walk = tuple[Position, ...]


@functools.lru_cache(maxsize=4)
def walks(setting: Setting) -> tuple[Walk, ...]:
    """Random games of a setting until enough positions are recorded."""
    found: list[Walk] = []
    until = time.process_time() + setting.patience
    while sum(map(len, found)) < POSITIONS * setting.share and len(found) < MOST_WALKS:
        found.append(record_walk(setting, len(found)))
        if time.process_time() > until:
            break
    return tuple(found)


def record_walk(setting: Setting, seed: int) -> Walk:
    """One random game; it breaks off at the bound or where no action can be carried out."""
    game = setting.game
    states, rng, chooser = setting.new_state(seed), seeded(mix(seed, 1)), seeded(mix(seed, 2))
    found: list[Position] = []
    for number in range(MOST_ACTIONS + 1):
        legal = legal_list(game, states)
        usable = len(legal) > 0 and int(states["to_act"][0]) != OVER and number < MOST_ACTIONS
        action = legal[int(below(chooser, len(legal)))] if usable else None
        where = f"seed {seed}, action {number}"
        found.append(Position(copy(states), int(rng[0]), legal, action, where))
        if action is None or not 0 <= action < game.actions.size:
            break
        game.apply(states, action, rng)
    return tuple(found)


def play_out(
    setting: Setting, seed: int, choose: Callable[[tuple[int, ...]], int]
) -> tuple[State, int]:
    """Play a game with `choose(legal)`; the last State and the number of actions."""
    game = setting.game
    states, rng = setting.new_state(seed), seeded(mix(seed, 1))
    for number in range(MOST_ACTIONS):
        legal = legal_list(game, states)
        if int(states["to_act"][0]) == OVER or not legal:
            return states, number
        game.apply(states, choose(legal), rng)
    return states, MOST_ACTIONS


def legal_list(game: Game, states: State) -> tuple[int, ...]:
    """The legal actions as the kernel lists them.

    Raises:
        AssertionError: if it writes past `max_legal`; compiled code would do so silently.
    """
    out = np.full(game.max_legal + GUARD, UNTOUCHED, np.int32)
    count = int(game.legal_actions(states, out))
    written = max(count, int(np.max(np.flatnonzero(out != UNTOUCHED), initial=-1)) + 1)
    assert written <= game.max_legal, f"{written} legal actions, but max_legal is {game.max_legal}"
    return tuple(out[:count].tolist())


def positions(setting: Setting, most: int | None = None) -> Iterator[Position]:
    """The recorded positions; with `most` about so many, spread, and the last of every walk.

    Where patience is short the last ones come first, and then as many others as there is time for.
    """
    if most is None and (INTERPRETED or setting.share < 1):
        most = POSITIONS
    if most is not None:
        most = math.ceil(most * setting.share)
    until = time.process_time() + setting.patience
    everything = [(p, p is walk[-1]) for walk in walks(setting) for p in walk]
    stride = 1 if most is None else max(1, len(everything) // most)
    chosen = [(p, last) for n, (p, last) in enumerate(everything) if last or n % stride == 0]
    if setting.patience < math.inf:
        chosen.sort(key=itemgetter(1), reverse=True)
    for position, is_last in chosen:
        yield position
        if not is_last and time.process_time() > until:
            return


def after(game: Game, position: Position, action: int) -> State:
    """The State after one action in a position, with the chance it had there."""
    states, rng = copy(position.states), generator(position)
    game.apply(states, action, rng)
    return states


def generator(position: Position) -> Rng:
    """A generator as it was in a position."""
    return seeded(position.rng)


def imagined(game: Game, view: State, seed: int) -> State:
    """A State that the viewer holds for possible, written over a dirty record."""
    states = np.frombuffer(bytearray(b"\x55" * game.dtype.itemsize), game.dtype)
    game.determinize(view, seeded(mix(seed)), states)
    return states


def seen(game: Game, states: State, player: int) -> State:
    """The player's View, written over a dirty record."""
    views = np.frombuffer(bytearray(b"\x55" * game.dtype.itemsize), game.dtype)
    game.observe(states, player, views)
    return views


def event(game: Game, states: State, action: int, player: int) -> int | None:
    """The action as a player learns of it: itself, its public form, None if he notices nothing."""
    secrecy = int(game.actions.secrecy[action])
    if secrecy == 0 or int(game.witnesses(states, action)) >> player & 1:
        return action
    return int(game.actions.public[action]) if secrecy == 1 else None


def guesses(setting: Setting, twice: bool = False) -> Iterator[tuple[Position, int, State, State]]:
    """Position, player, his View and one or two States he holds for possible, over all walks."""
    for position in positions(setting, SAMPLE * 2):
        for player in range(setting.players):
            view = seen(setting.game, position.states, player)
            for seed in range(1 + twice):
                yield position, player, view, imagined(setting.game, view, seed)
