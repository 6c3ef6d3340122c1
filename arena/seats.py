"""Python bots in their seats: what they are shown, how their answers and faults are taken."""

import operator
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.referee import Ending, Log
from arena.spec import Limits
from bots.core import Bot, BotSpec, Event, View
from engines.actions import Secrecy
from engines.core import Game
from engines.records import View as ViewRecord
from engines.records import copy
from engines.rng import mix

MOST_LETTERS = 200  # of a fault in the words of a bot
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Fault(Exception):
    """A bot failed instead of answering; `ending` says how."""

    def __init__(self, ending: Ending, text: str) -> None:
        """Keep the ending beside the text."""
        super().__init__(text)
        self.ending = ending


@dataclass(frozen=True)
class Past:
    """The actions of the match so far: log[first..used-1]."""

    log: Log
    first: int
    used: int


@dataclass
class Seat:
    """A Python bot in its seat of one match."""

    bot: Bot
    player: int
    events: list[Event] = field(default_factory=list)
    heard: int = 0  # actions of the match already turned into events

    def hear(self, game: Game, past: Past) -> None:
        """Turn the actions since the last decision into events, as far as this player saw them."""
        log = past.log
        for i in range(past.first + self.heard, past.used):
            event = seen_event(
                game, int(log.actions[i]), int(log.actors[i]), int(log.witnesses[i]), self.player
            )
            if event is not None:
                self.events.append(event)
        self.heard = past.used - past.first


def seen_event(game: Game, action: int, actor: int, witnesses: int, player: int) -> Event | None:
    """An action as one player saw it: whole, without its hidden fields, or not at all."""
    table = game.actions
    if actor == player or witnesses & (1 << player):
        return Event(actor, table.text(action))
    if table.secrecy[action] == Secrecy.SILENT:
        return None
    return Event(actor, table.text(int(table.public[action])))


@dataclass
class Bench:
    """The Python bots of the match being played; a bot is made at its first decision of a match."""

    game: Game
    bots: tuple[BotSpec, ...]
    limits: Limits
    faults: dict[int, str] = field(default_factory=dict)  # match -> what went wrong
    _seats: dict[int, Seat] = field(default_factory=dict)
    _match: int = -1
    _began: float = 0.0

    def ask(
        self,
        number: int,
        player: int,
        position: int,
        seed: int,
        views: ViewRecord,
        legal: NDArray[np.int32],
        past: Past,
    ) -> int:
        """The action of the bot of a player, one of `legal`.

        Args:
            number: of the match in its job.
            position: which bot of the line-up sits there.

        Raises:
            Fault: it failed; the text is kept in `faults`.
        """
        if number != self._match:
            self.clear()
            self._match, self._began = number, time.perf_counter()
        try:
            if time.perf_counter() - self._began > self.limits.match_seconds:
                raise Fault(Ending.TIMEOUT, f"match took over {self.limits.match_seconds:g} s")
            choices = [int(action) for action in legal]
            seat = self._seat(player, position, seed, views, choices)
            seat.hear(self.game, past)
            view = self._view(views, choices, seat.events, mix(seed, past.used - past.first))
            chosen = _timed(
                lambda: seat.bot.act(view, choices), self.limits.decision_seconds, "act"
            )
            return _checked(self.game, chosen, choices)
        except Fault as fault:
            text = f"player {player}: {fault}"
            self.faults[number] = "; ".join(filter(None, [self.faults.get(number), text]))
            raise

    def _seat(
        self, player: int, position: int, seed: int, views: ViewRecord, legal: list[int]
    ) -> Seat:
        if player not in self._seats:
            limit = self.limits.start_seconds
            bot = _timed(self.bots[position].make, limit, "start")
            self._seats[player] = Seat(bot, player)
            view = self._view(views, legal, [], seed)
            _timed(lambda: bot.reset(self.game, view, seed), limit, "reset")
        return self._seats[player]

    def _view(self, views: ViewRecord, legal: list[int], events: list[Event], seed: int) -> View:
        return View(self.game, copy(views), tuple(legal), tuple(events), seed)

    def clear(self) -> None:
        """The match is over: close its bots. A failing close changes no result."""
        for seat in self._seats.values():
            try:
                seat.bot.close()
            except (Exception, SystemExit):
                continue
        self._seats.clear()


def _timed(call: Callable[[], Any], limit: float, what: str) -> Any:
    """Run a bot's code; what it raises, or too long a time, is its fault."""
    began = time.perf_counter()
    try:
        value = call()
    except MemoryError as error:
        raise Fault(Ending.MEMORY, f"{what} raised {shown(error)}") from None
    except (Exception, SystemExit) as error:
        raise Fault(Ending.CRASH, f"{what} raised {shown(error)}") from None
    if time.perf_counter() - began > limit:
        raise Fault(Ending.TIMEOUT, f"{what} took over {limit:g} s")
    return value


def _checked(game: Game, chosen: Any, legal: list[int]) -> int:
    """An answer as an action, or the fault that it is."""
    try:
        action = operator.index(chosen)
    except Exception:
        text = f"act returned {shown(chosen)}, expected an action"
        raise Fault(Ending.PROTOCOL_ERROR, text) from None
    if action not in legal:
        known = 0 <= action < game.actions.size
        name = repr(game.actions.text(action)) if known else shown(action)
        raise Fault(Ending.ILLEGAL_ACTION, f"{name} is not legal now")
    return action


def shown(value: Any) -> str:
    """What a bot returned or raised in one short line, the same in every process."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = type(value).__name__
    text = ADDRESS.sub("", text)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."
