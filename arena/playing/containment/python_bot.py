"""The life of a Python bot in a process of its own: it reads questions and writes answers.

This process never holds a State: what reaches it are Views and the seed of its own bot.
"""

import operator
import os
from typing import Any

import numpy as np

from arena.playing.containment.packets import (
    ACT,
    ACTED,
    CHUNK,
    CLOSE,
    CRASHED,
    LARGEST,
    LENGTH,
    MAKE,
    NO_ACTION,
    OUT_OF_MEMORY,
    RESET,
    Request,
    pack_answer,
    read_request,
)
from arena.playing.faults import shown
from bots.core import Bot, Event, View, carried, parse_bot
from engines.core import Game, load_game
from engines.errors import UserError

NAMES = {MAKE: "start", RESET: "reset", ACT: "act", CLOSE: "close"}


class Life:
    """One bot, made anew for each match."""

    def __init__(
        self,
        bot: str,
        parameters: dict[str, Any],
        files: dict[str, bytes],
        game_text: str,
        once: bool,
    ) -> None:
        """Nothing of the bot's code runs yet; `once`: its life ends with a match."""
        self.once = once
        self.text, self.parameters, self.files = bot, parameters, files
        self.game: Game = load_game(game_text)
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
        try:
            action = self.carry_out(question)
        except MemoryError as error:
            text = f"{NAMES[question.kind]} raised {shown(error)}"
            return pack_answer(question.number, OUT_OF_MEMORY, text=text)
        except BaseException as error:
            if question.kind == CLOSE:
                return b""
            told = f": {error}" if isinstance(error, UserError) else f" raised {shown(error)}"
            return pack_answer(question.number, CRASHED, text=f"{NAMES[question.kind]}{told}")
        if question.kind == CLOSE:
            return b""
        if isinstance(action, str):
            return pack_answer(question.number, NO_ACTION, text=action)
        if not -LARGEST <= action <= LARGEST:
            return pack_answer(question.number, ACTED, -1, shown(action))
        return pack_answer(question.number, ACTED, action)

    def carry_out(self, question: Request) -> int | str:
        """Make, reset, ask or close the bot; an answer that is no number comes as text."""
        if question.kind == MAKE:
            with carried(self.files):
                self.bot = parse_bot(self.text, self.parameters).make()
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

    def view(self, question: Request) -> View:
        """The View as the bot is shown it."""
        record = np.frombuffer(bytearray(question.record), self.game.dtype)
        return View(self.game, record, question.legal, tuple(self.events), question.seed)

    def word(self, action: int) -> str:
        """An action in words."""
        if action not in self.words:
            self.words[action] = self.game.actions.text(action)
        return self.words[action]


def length_of(waiting: bytes) -> int:
    """How many bytes the first packet has."""
    return LENGTH.size + int(LENGTH.unpack_from(waiting)[0])
