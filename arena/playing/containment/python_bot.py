"""The life of a Python bot in a process of its own: it reads questions and writes answers.

This process never holds a State: what reaches it are Views and the seed of its own bot.
"""

import functools
import json
import operator
import os
from dataclasses import asdict
from typing import Any

import numpy as np

from arena.playing.containment.packets import (
    ACT,
    ACTED,
    CHECK,
    CHUNK,
    CLOSE,
    CRASHED,
    DESCRIBE,
    LARGEST,
    LENGTH,
    MAKE,
    NO_ACTION,
    OUT_OF_MEMORY,
    PREPARE,
    RESET,
    Request,
    pack_answer,
    read_request,
)
from arena.playing.faults import fault_of, shown, trace_of
from arena.playing.referee import Ending
from bots.compiled import compile_bot
from bots.contract import Bot, BotSpec, Event, View
from bots.describing import description_of
from bots.registry import find_bot, parse_bot, path_in
from bots.sources import move_in, read_source
from engines.core import Game, load_game
from engines.errors import UserError

NAMES = {PREPARE: "compile", MAKE: "start", RESET: "reset", ACT: "act", CLOSE: "close"}


class Life:
    """One bot, made anew for each match."""

    def __init__(
        self,
        bot: str,
        parameters: dict[str, Any],
        named: tuple[str, ...],
        digest: str,
        game_text: str,
        once: bool = False,
    ) -> None:
        """Nothing of the bot's code runs yet; `once`: its life ends with a match."""
        self.once = once
        self.text, self.parameters, self.named, self.digest = bot, parameters, named, digest
        self.game_text = game_text
        self.bot: Bot | None = None
        self.events: list[Event] = []
        self.words: dict[int, str] = {}

    def live(self, questions: int, answers: int) -> None:
        """Answer until the questions end."""
        waiting = b""
        while True:
            while len(waiting) < LENGTH.size or len(waiting) < length_of(waiting):
                chunk = os.read(questions, CHUNK)
                if not chunk:
                    return
                waiting += chunk
            end = length_of(waiting)
            request = read_request(waiting)
            answer = self.answer(request)
            if request.kind == CLOSE and self.once:
                return
            waiting = waiting[end:]
            if answer:
                os.write(answers, answer)

    def answer(self, question: Request) -> bytes:
        """Do what is asked; what the bot's code raises is its answer."""
        if question.kind in (DESCRIBE, CHECK):
            return pack_answer(
                question.number, NO_ACTION, text=json.dumps(self.told(question.kind))
            )
        try:
            action = self.carry_out(question)
        except BaseException as error:
            if question.kind == CLOSE:
                return b""
            fault = fault_of(NAMES[question.kind], error)
            came = OUT_OF_MEMORY if fault.ending == Ending.MEMORY else CRASHED
            return pack_answer(question.number, came, text=f"{fault}\n{fault.trace}")
        if question.kind == CLOSE:
            return b""
        if isinstance(action, str):
            return pack_answer(question.number, NO_ACTION, text=action)
        if not -LARGEST <= action <= LARGEST:
            return pack_answer(question.number, ACTED, -1, shown(action))
        return pack_answer(question.number, ACTED, action)

    def carry_out(self, question: Request) -> int | str:
        """Compile, make, reset, ask or close the bot; an answer that is no number comes as text."""
        if question.kind == PREPARE:
            compile_bot(self.spec, self.game)
            return 0
        if question.kind == MAKE:
            self.bot = self.spec.make()
            return 0
        assert self.bot is not None
        if question.kind == CLOSE:
            self.bot.close()
            return 0
        if question.kind == RESET:
            self.events = []
            self.bot.reset(self.game, self.view(question), question.seed)
            return 0
        self.events += [Event(actor, self.word(action)) for actor, action in question.events]
        chosen: Any = self.bot.act(self.view(question), list(question.legal))
        try:
            return operator.index(chosen)
        except Exception:
            return shown(chosen)

    def told(self, kind: int) -> dict[str, Any]:
        """What the class of the bot says of itself (DESCRIBE) or of its parameters (CHECK)."""
        try:
            if kind == CHECK:
                return {"values": asdict(self.spec.parameters)}
            self.move_in()
            kind_of_bot, _, _ = find_bot(self.text, self.named, self.digest)
            return description_of(kind_of_bot)
        except BaseException as error:
            cause = error.__cause__ if isinstance(error, UserError) else error
            return {"error": str(error), "trace": trace_of(cause) if cause else ""}

    def move_in(self) -> None:
        """Make this process the home of a bot from files."""
        found = path_in(self.text)
        if found is not None:
            move_in(read_source(found[0], self.named, self.digest))

    @functools.cached_property
    def spec(self) -> BotSpec:
        """The bot as the worker has it; its code runs here for the first time."""
        self.move_in()
        return parse_bot(self.text, self.parameters, self.named, self.digest)

    @functools.cached_property
    def game(self) -> Game:
        """The game that is played."""
        return load_game(self.game_text)

    def view(self, question: Request) -> View:
        """The View as the bot is shown it."""
        record = np.frombuffer(bytearray(question.record), self.game.dtype)
        events = tuple(self.events)
        return View(self.game, record, question.legal, events, question.seed, question.clock)

    def word(self, action: int) -> str:
        """An action in words."""
        if action not in self.words:
            self.words[action] = self.game.actions.text(action)
        return self.words[action]


def length_of(waiting: bytes) -> int:
    """How many bytes the first packet has."""
    return LENGTH.size + int(LENGTH.unpack_from(waiting)[0])
