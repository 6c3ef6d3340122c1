"""Offers any bot of this package over the protocol of PROTOCOL.md, on standard input and output.

    python -m bots.serve greedy            python -m bots.serve mcts:simulations=200 --game path/to/my_game

It plays as the bot itself does under equal seeds: the reference for authors of bots, and their test partner.
"""

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from bots import protocol
from bots.contract import Bot, Event
from bots.registry import parse_bot
from engines.core import Game, load_game
from engines.errors import UserError


class Served:
    """One bot behind the protocol."""

    def __init__(self, bot: str | Bot, game: str | None = None) -> None:
        """A bot, or the text of one; `game`: the folder of a game that has no name."""
        self.name, self.make = named(bot)
        self.game_text = game
        self.bot: Bot | None = None
        self.game: Game | None = None
        self.variant: Any = None
        self.players = 0
        self.events: list[Event] = []

    def reply(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to a message, None where nothing is answered."""
        kind = message.get("type")
        found = {"type": kind, "id": message.get("id")}
        if kind == "hello":
            return {**found, "protocol": protocol.PROTOCOL, "name": self.name}
        if kind == "reset":
            self.reset(message)
            return found
        if kind == "act":
            return {**found, "action": self.act(message)}
        if kind == "close" and self.bot is not None:
            self.bot.close()
            self.bot = None
        return None

    def reset(self, message: dict[str, Any]) -> None:
        """A match begins."""
        self.game = load_game(self.game_text or message["game"])
        self.variant = protocol.read_variant(self.game, message["variant"])
        self.players, self.events = int(message["players"]), []
        bot = self.bot = self.make()
        view = protocol.read_view(self.game, self.variant, self.players, message, [])
        bot.reset(self.game, view, int(message["seed"]))

    def act(self, message: dict[str, Any]) -> str:
        """A decision."""
        assert self.game is not None, "act before reset"
        assert self.bot is not None, "act before reset"
        self.events += [Event(e["player"], e["action"]) for e in message.get("events", [])]
        view = protocol.read_view(self.game, self.variant, self.players, message, self.events)
        return view.text(self.bot.act(view, view.legal()))


def named(bot: str | Bot) -> tuple[str, Callable[[], Bot]]:
    """The name of a bot, and what makes it."""
    if isinstance(bot, str):
        spec = parse_bot(bot)
        return spec.text, spec.make
    return type(bot).__name__, lambda: bot


def serve(served: Served, lines: BinaryIO, answers: BinaryIO) -> None:
    """Answer line by line until the input ends."""
    for text in lines:
        try:
            found = served.reply(protocol.parse(text))
        except UserError as error:
            found = {"type": "error", "message": str(error)}
        if found is not None:
            answers.write(protocol.line(found))
            answers.flush()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bots.serve", description=__doc__)
    parser.add_argument("bot", help="as for arena match: name, name:key=value, file.py:Class")
    parser.add_argument("--game", help="folder of a game that is not found by its name")
    given = parser.parse_args()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the bot prints must not get between the answers
    try:
        serve(Served(given.bot, given.game), sys.stdin.buffer, answers)
    except UserError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
