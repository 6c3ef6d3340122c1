"""How a bot fails: the ending, and what is said about it."""

import re
from typing import Any

from arena.playing.referee import Ending

MOST_LETTERS = 200  # of a fault in the words of a bot
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Fault(Exception):
    """A bot failed instead of answering; `ending` says how."""

    def __init__(self, ending: Ending, text: str) -> None:
        """Keep the ending beside the text."""
        super().__init__(text)
        self.ending = ending


class Stopped(Exception):
    """The run was asked to stop while a bot was thinking."""


def shown(value: Any) -> str:
    """What a bot returned or raised in one short line, the same in every process."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = type(value).__name__
    text = ADDRESS.sub("", text)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."
