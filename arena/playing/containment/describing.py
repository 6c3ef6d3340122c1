"""Bots in files as other processes tell of them: no file of a bot is run in the driver, a worker or a person's
terminal.
"""

import json
from collections.abc import Sequence
from typing import Any

from arena.plan.spec import Limits
from arena.playing.containment.children import KeeperLost, close_children, isolation_of_keeper
from arena.playing.containment.isolation import at_hand, ready
from arena.playing.containment.packets import CHECK, DESCRIBE
from arena.playing.containment.places import undeclared
from arena.playing.containment.seats import contained_seat, reading_seat
from arena.playing.containment.starting import Terms, Wanted
from arena.playing.faults import Fault, Reported
from bots.contract import BotKind, BotSpec, NoParameters, View
from bots.describing import Description, read_description
from bots.readers import granted
from bots.sources import Source
from engines.core import Game
from engines.errors import UserError
from engines.texts import clean

LIMITS = Limits()
TRIES = 3


class Reader:
    """Reads files of bots in processes of their own."""

    def describe(self, source: Source, name: str) -> Description:
        """Describe a bot; where its file ends the process or takes too long, that is all there is to tell.

        Raises:
            UserError: the file says what is wrong with it.
        """
        file = source.place
        kind = BotKind(name, "", NoParameters, None, None, source.digest, str(file), name)
        spec = BotSpec(kind, NoParameters(), source.path, source.placed(), source)
        try:
            told = answer_of(spec, DESCRIBE)
        except Fault as fault:
            return Description(name or "bot", problem=str(fault))
        if "error" in told:
            trace = clean_trace(told)
            raise UserError(error_text(told, source)) from (Reported(trace) if trace else None)
        try:
            return read_description(told)
        except ValueError as error:
            return Description(name or "bot", problem=f"describe: {error}")

    def check(self, spec: BotSpec) -> dict[str, Any]:
        """The parameters of a bot as its class leaves them.

        Raises:
            ValueError: it refuses them.
        """
        assert spec.source is not None
        try:
            told = answer_of(spec, CHECK)
        except Fault as fault:
            raise ValueError(str(fault)) from None
        if "error" in told:
            raise ValueError(error_text(told, spec.source))
        plain = dict(told["values"])
        return {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items()}

    def make(self, spec: BotSpec) -> "ContainedBot":
        """A bot that decides in its own process."""
        return ContainedBot(spec)


READER = Reader()


def answer_of(spec: BotSpec, kind: int) -> dict[str, Any]:
    """What a bot's process answers to one question, as plain data.

    Raises:
        Fault: it ended, took too long, or answered nonsense.
        UserError: no such process can be had.
    """
    grant = granted()
    terms = Terms(mount=grant.mount)
    for _ in range(TRIES):
        try:
            ready(at_hand(), (spec,), (terms,), "")
            seat = reading_seat(Wanted(spec, "", 0, LIMITS.memory_mb, terms=terms))
            text = seat.tell(kind, grant.seconds)
            seat.abandon()
            found = json.loads(text)
            return found if isinstance(found, dict) else {}
        except KeeperLost:
            close_children()
        except (json.JSONDecodeError, RecursionError):
            return {}
    raise UserError(f"bot {spec.text!r}: the process that reads bots was lost {TRIES} times")


def error_text(told: dict[str, Any], source: Source) -> str:
    """What a file of a bot says is wrong with it, named as the user named it."""
    file = source.place
    text = str(told["error"]).replace(repr(str(file)), repr(source.path))
    walled = isolation_of_keeper() == "sandbox"
    return clean(text + (undeclared(str(told.get("trace", ""))) if walled else ""), 1000)


def clean_trace(told: dict[str, Any]) -> str:
    """The traceback that came with it."""
    return clean(str(told.get("trace", "")), 20_000, lines=True)


class ContainedBot:
    """A bot in a process of its own behind the Bot protocol: for people's tables."""

    def __init__(self, spec: BotSpec) -> None:
        """Nothing has been started."""
        self.spec = spec
        self.seat: Any = None

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins."""
        ready(at_hand(), (self.spec,), (Terms(),), game.name)
        wanted = Wanted(self.spec, game.name, view.player, LIMITS.memory_mb)
        self.seat = contained_seat(wanted, game, None)
        self.game, self.told = game, 0
        self.seat.begin(view, seed, LIMITS.start_seconds)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """What the bot chooses."""
        new = view.events[self.told :]
        self.told = len(view.events)
        seen = [(event.player, self.game.actions.number(event.text)) for event in new]
        chosen = self.seat.decide(view, seen, view._seed, LIMITS.decision_seconds)
        return int(chosen)

    def close(self) -> None:
        """The match is over."""
        if self.seat is not None:
            self.seat.finish()
