"""Bots that think for a table, in a process of their own: it may crash or take too long, the page stays."""

import multiprocessing
import resource
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from arena.playing.hints import Considered, considered
from bots.contract import Bot, Event, View
from bots.registry import parse_bot
from engines.core import load_game
from engines.records import View as Record

DECISION_SECONDS = 60.0  # of a decision; the first of a process compiles the game besides
START_SECONDS = 240.0
MEMORY_BYTES = 4 << 30


class MindLost(Exception):
    """The bot's process crashed, was too slow or said something odd."""


@dataclass(frozen=True)
class Question:
    """What a bot is asked. seat: its own memory; events: what its player has seen so far."""

    seat: int
    bot: str
    record: Record
    legal: tuple[int, ...]
    events: tuple[Event, ...]
    seed: int
    hint: bool = False


@dataclass
class Minds:
    """The bots of one table. One process thinks for all its seats, as each sees only its own View."""

    game: str  # as load_game finds it
    _turn: threading.Lock = field(default_factory=threading.Lock, init=False)
    _process: BaseProcess | None = field(default=None, init=False)
    _pipe: "Connection[Any, Any] | None" = field(default=None, init=False)

    def ask(self, question: Question) -> int:
        """The action that a bot chooses; who asks meanwhile (a hint, the next bot) waits for it.

        Raises:
            MindLost: in a line, why there is none; the next question meets a new process.
        """
        return self.consider(question)[0].action

    def consider(self, question: Question) -> list[Considered]:
        """The same with what a search thinks of it and of the next best.

        Raises:
            MindLost: as `ask`.
        """
        with self._turn:
            return self._answer(question)

    def _answer(self, question: Question) -> list[Considered]:
        patience = DECISION_SECONDS
        if self._process is None or not self._process.is_alive():
            self._begin()
            patience = START_SECONDS
        assert self._pipe is not None
        try:
            self._pipe.send(question)
            if not self._pipe.poll(patience):
                raise MindLost(f"no answer in {patience:.0f} s")
            kind, told = self._pipe.recv()
        except (OSError, EOFError) as error:
            self.close()
            raise MindLost("its process has ended") from error
        except MindLost:
            self.close()
            raise
        if kind != "actions" or any(one.action not in question.legal for one in told):
            raise MindLost(str(told)[:200])
        found: list[Considered] = told
        return found

    def forget(self) -> None:
        """Bots begin afresh: the match went back."""
        if self._pipe is not None:
            try:
                self._pipe.send(None)
            except OSError:
                self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _begin(self) -> None:
        self.close()
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        self._process = context.Process(target=think, args=(there, self.game), daemon=True)
        self._process.start()
        there.close()
        self._pipe = here


def think(pipe: "Connection[Any, Any]", game_text: str) -> None:
    """The process of a table's bots: answers questions until the pipe ends."""
    limit_memory()
    game = load_game(game_text)
    bots: dict[int, Bot] = {}
    while True:
        try:
            question = pipe.recv()
        except (EOFError, OSError):
            return
        if question is None:
            bots.clear()
            continue
        try:
            pipe.send(("actions", decide(game, bots, question)))
        except Exception as error:  # a bot's own code: whatever it raises is its fault
            bots.pop(question.seat, None)
            pipe.send(("fault", f"{type(error).__name__}: {error}"))


def decide(game: Any, bots: dict[int, Bot], question: Question) -> list[Considered]:
    """What the bot of a seat does; it is made when it is first asked. A hint is by a bot that remembers nothing."""
    record = np.asarray(question.record)
    view = View(game, record, question.legal, question.events, question.seed)
    legal = list(question.legal)
    if question.hint:
        spec = parse_bot(question.bot, defaults=game.defaults)
        return considered(spec, game, view, legal, question.seed)
    if question.seat not in bots:
        bot = parse_bot(question.bot, defaults=game.defaults).make()
        bot.reset(game, view, question.seed)
        bots[question.seat] = bot
    return [Considered(int(bots[question.seat].act(view, legal)))]


def limit_memory() -> None:
    """Let a bot that takes more and more end its own process, not the machine."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
