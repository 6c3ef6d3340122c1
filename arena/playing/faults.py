"""How a bot fails: the ending, and what is said about it."""

import re
from typing import Any

from arena.playing.referee import Ending
from engines.texts import clean

MOST_LETTERS = 200  # of a fault in the words of a bot
MOST_FAULT = 1000  # letters of a fault with all that is said around them
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Fault(Exception):
    """A bot failed instead of answering; `ending` says how."""

    def __init__(self, ending: Ending, text: str) -> None:
        """Keep the ending beside the text, which comes from a bot's side of the border."""
        super().__init__(clean(text, MOST_FAULT))
        self.ending = ending


class Stopped(Exception):
    """The run was asked to stop while a bot was thinking."""


def shown(value: Any) -> str:
    """What a bot returned or raised in one short line, the same in every process."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = type(value).__name__
    return clean(ADDRESS.sub("", text), MOST_LETTERS)
