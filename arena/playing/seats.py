"""Bots outside the referee in their seats: what they are shown, how their answers and faults are taken."""

import math
import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.plan.spec import Limits
from arena.playing.clocks import Clocks
from arena.playing.containment.children import isolation_of_keeper
from arena.playing.containment.places import undeclared
from arena.playing.containment.seats import Seen, contained_seat, prepare_contained
from arena.playing.containment.starting import Terms, Wanted
from arena.playing.faults import Fault, fault_of, shown
from arena.playing.referee import Ending, Log
from bots.chat import ChatBot
from bots.contract import BotSpec, Event, View
from bots.registry import opened
from engines.actions import Secrecy
from engines.core import Game
from engines.pictures import player_name
from engines.records import View as ViewRecord
from engines.records import copy
from engines.rng import mix
from engines.texts import clean

MOST_STDERR = 4096  # letters of a match's faults that are stored


@dataclass(frozen=True)
class Past:
    """The actions of the match so far: log[first..used-1]."""

    log: Log
    first: int
    used: int


class Occupant(Protocol):
    """A bot in its seat of one match; what it does wrong is raised as a Fault."""

    stderr: str  # the last it wrote before its process ended

    def begin(self, view: View, seed: int, limit: float) -> None:
        """Make the bot and reset it, each within `limit` seconds."""

    def decide(self, view: View, seen: Seen, seed: int, limit: float) -> Any:
        """What the bot answers; `seen`: the actions since its last decision, as it saw them."""

    def finish(self) -> str:
        """The match is over; what the bot did wrong at the end, or nothing."""

    def abandon(self) -> None:
        """The match is not played to its end; nothing is raised."""


class OpenSeat:
    """A Python bot in the worker itself: limits are checked afterwards only (`isolation: none`)."""

    def __init__(self, spec: BotSpec, game: Game, debugged: bool = False) -> None:
        """Nothing of the bot's code runs yet; `debugged`: it has all the time of the world."""
        self.spec = spec
        self.game = game
        self.debugged = debugged
        self.stderr = ""
        self.bot: Any = None
        self.events: list[Event] = []

    def begin(self, view: View, seed: int, limit: float) -> None:
        """Make the bot and reset it."""
        self.bot, self.events = self.timed(self.spec.make, limit, "start"), []
        own = self.own(view, seed)
        self.timed(lambda: self.bot.reset(self.game, own, seed), limit, "reset")

    def decide(self, view: View, seen: Seen, seed: int, limit: float) -> Any:
        """What the bot answered."""
        self.events += [Event(actor, self.game.actions.text(action)) for actor, action in seen]
        own = self.own(view, seed)
        return self.timed(lambda: self.bot.act(own, own.legal()), limit, "act")

    def timed(self, call: Callable[[], Any], limit: float, what: str) -> Any:
        """Run the bot's code, within the limit unless somebody steps through it."""
        return timed(call, math.inf if self.debugged else limit, what)

    def own(self, view: View, seed: int) -> View:
        """The View as the bot is shown it, with all events: a copy that it may spoil."""
        legal, events = tuple(view.legal()), tuple(self.events)
        return View(self.game, copy(view.record), legal, events, seed, view.clock)

    def finish(self) -> str:
        """Close the bot; a failing close changes no result."""
        try:
            self.bot.close()
        except (Exception, SystemExit) as error:
            return f"close raised {shown(error)}"
        return ""

    def abandon(self) -> None:
        """Close the bot."""
        self.finish()


@dataclass
class Bench:
    """The outside bots of the match being played; one takes its seat at its first decision of a match."""

    game: Game
    bots: tuple[BotSpec, ...]
    limits: Limits
    terms: Sequence[Terms]  # of the bots
    deals: Sequence[int]  # of the matches
    variant: Any = None
    game_text: str = ""  # what load_game finds the game by
    isolated: bool = False  # Python bots play in processes of their own; programs always do
    debugged: tuple[int, ...] = ()  # bots that play in this process whatever the isolation
    ponder: bool = False  # bots in processes run on between their turns
    clocks: Clocks | None = None  # of the match being played
    stop: Callable[[], bool] = lambda: False
    faults: dict[int, str] = field(default_factory=dict)  # match -> what went wrong
    stderr: dict[int, str] = field(default_factory=dict)  # match -> the last its failed bots wrote
    traces: dict[int, str] = field(default_factory=dict)  # match -> where in the code of the bots
    talks: list[dict[str, Any]] = field(default_factory=list)  # with language models
    starting: int = 0  # nanoseconds from the wish for the bot last asked to its first question
    _seats: dict[int, Occupant] = field(default_factory=dict)
    _heard: dict[int, int] = field(default_factory=dict)  # player -> actions of the match told
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
            Fault: it failed.
            Stopped: the run is to stop.
        """
        if number != self._match:
            self.clear()
            self._match, self._began = number, time.perf_counter()
        choices: list[int] = legal.tolist()
        clock = self.clocks.seen() if self.clocks else None
        view = View(self.game, views, choices, (), seed, clock)
        if player not in self._seats:
            began = time.perf_counter_ns()
            try:
                self._seat(player, position, seed, view)
            finally:
                self.starting = time.perf_counter_ns() - began
        seen = self._hear(player, past)
        seed = mix(seed, past.used - past.first)
        try:
            chosen = self._decide(player, view, seen, seed)
        finally:
            self._listen(number, player, past.used - past.first + 1)
        return checked(self.game, chosen, choices)

    def note(self, number: int, player: int, fault: Fault) -> None:
        """Keep what went wrong in a match."""
        said = f"{fault.trace}{self.stderr.get(number, '')}"
        hint = undeclared(said) if isolation_of_keeper() == "sandbox" else ""
        text = f"{player_name(player)}: {fault}{clean(hint)}"
        self.faults[number] = "; ".join(filter(None, [self.faults.get(number), text]))
        if fault.trace:
            self.traces[number] = f"{self.traces.get(number, '')}{fault.trace}"

    def prepare(self) -> None:
        """Let compiled bots that play in processes of their own compile, on nobody's clock."""
        for position, spec in enumerate(self.bots):
            here = not self.isolated or position in self.debugged
            if not here and spec.kind.compiled and spec.kind.file:
                prepare_contained(self._wanted(position, 0, -1), self.game, self.variant)

    def _wanted(self, position: int, player: int, deal: int) -> Wanted:
        memory_mb, terms = self.limits.memory_mb, self.terms[position]
        return Wanted(self.bots[position], self.game_text, player, memory_mb, deal, terms)

    def _seat(self, player: int, position: int, seed: int, view: View) -> None:
        spec, occupant = self.bots[position], None
        if spec.kind.problem:
            raise Fault(Ending.CRASH, f"start: {spec.kind.problem}")
        walled = self.isolated and position not in self.debugged and spec.kind.outside
        if walled or spec.kind.program:
            wanted = self._wanted(position, player, int(self.deals[self._match]))
            seat = contained_seat(wanted, self.game, self.variant, self.ponder)
            seat.child.stop = self.stop
            occupant = seat
        self._seats[player] = occupant or OpenSeat(
            opened(spec), self.game, position in self.debugged
        )
        self._heard[player] = 0
        self._seats[player].begin(view, seed, self.limits.start_seconds)

    def _decide(self, player: int, view: View, seen: Seen, seed: int) -> Any:
        """The answer, within the time that the decision and the match have left."""
        limits = self.limits
        left = limits.match_seconds - (time.perf_counter() - self._began)
        if self.debugged:
            left = math.inf
        try:
            if left <= 0:
                raise Fault(Ending.TIMEOUT, "")
            limit = min(limits.decision_seconds, left)
            return self._seats[player].decide(view, seen, seed, limit)
        except Fault as fault:
            if fault.ending == Ending.TIMEOUT and left < limits.decision_seconds:
                text = f"match took over {limits.match_seconds:g} s"
                raise Fault(Ending.TIMEOUT, text) from None
            raise

    def _listen(self, number: int, player: int, step: int) -> None:
        """Keep what a language model said about its decision."""
        bot = getattr(self._seats[player], "bot", None)
        if isinstance(bot, ChatBot) and (said := bot.last_said()) is not None:
            self.talks.append({"number": number, "player": player, "step": step, **said})

    def _hear(self, player: int, past: Past) -> list[tuple[int, int]]:
        """The actions since the last decision of a player, as far as this player saw them."""
        log, seen = past.log, []
        for i in range(past.first + self._heard[player], past.used):
            actor, action = int(log.actors[i]), int(log.actions[i])
            known = seen_action(self.game, action, actor, int(log.witnesses[i]), player)
            if known is not None:
                seen.append((actor, known))
        self._heard[player] = past.used - past.first
        return seen

    def leave(self, player: int, number: int) -> None:
        """A bot that failed leaves its seat for good."""
        seat = self._seats.pop(player, None)
        if seat is not None:
            seat.abandon()
            self._keep(number, seat.stderr)

    def _keep(self, number: int, said: str) -> None:
        """Keep what a bot said beside its match."""
        if said:
            whole = f"{self.stderr.get(number, '')}{said}"[-MOST_STDERR:]
            self.stderr[number] = clean(whole, lines=True)

    def clear(self, abandon: bool = False) -> None:
        """The match is over, or is not to be played to its end."""
        while self._seats:
            player, seat = self._seats.popitem()
            if abandon:
                seat.abandon()
            elif wrong := seat.finish():
                self._keep(self._match, f"{player_name(player)}: {wrong}\n")


def seen_action(game: Game, action: int, actor: int, witnesses: int, player: int) -> int | None:
    """An action as one player saw it: whole, without its hidden fields, or not at all."""
    table = game.actions
    if actor == player or witnesses & (1 << player):
        return action
    if table.secrecy[action] == Secrecy.SILENT:
        return None
    return int(table.public[action])


def timed(call: Callable[[], Any], limit: float, what: str) -> Any:
    """Run a bot's code; what it raises, or too long a time, is its fault."""
    began = time.perf_counter()
    try:
        value = call()
    except (Exception, SystemExit) as error:
        raise fault_of(what, error) from None
    if time.perf_counter() - began > limit:
        raise Fault(Ending.TIMEOUT, f"{what} took over {limit:g} s")
    return value


def checked(game: Game, chosen: Any, legal: list[int]) -> int:
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
