"""What a user did wrong: one line that names the thing, the value and what would be right.

UserError           exit code 2
  OptionError       an option of a variant or a bot
  PositionError     a position given as text
  IllegalAction     an action that the rules do not allow now
  BrokenGame        the code of a game
"""

import difflib
import re
import traceback
from collections.abc import Iterable
from pathlib import Path


class UserError(Exception):
    """Bad input; its text is the whole message."""


class OptionError(UserError):
    """An option of a variant or a bot is unknown or out of range."""


class PositionError(UserError):
    """A position given as text cannot be."""


class IllegalAction(UserError):
    """An action that the rules do not allow in this position."""


class BrokenGame(UserError):
    """A game's own code is at fault: it cannot be loaded, or does what no game may do."""


def nearest(word: str, known: Iterable[str]) -> str:
    """', did you mean x?' for the nearest known words, or nothing."""
    close = difflib.get_close_matches(word[:100], list(known), n=3, cutoff=0.6)
    return f", did you mean {' or '.join(close)}?" if close else ""


def blame(error: BaseException, folder: Path) -> str:
    """An error raised while files below a folder were run, in one line that begins with their file and line."""
    frames = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    text = str(error)
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((Path(error.filename), error.lineno))
        text = error.msg
    own = [(path, line) for path, line in frames if path.is_relative_to(folder)]
    place = f"{own[-1][0].relative_to(folder)}:{own[-1][1]}: " if own else ""
    text = re.sub(rf"arena_game_{re.escape(folder.name)}_\w+", folder.name, text)
    return f"{place}{type(error).__name__}: {' '.join(text.split())}"
