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


def seat_name(player: int) -> str:
    """A player in a message about a path of a position: as people number him, and the seat that data has."""
    return f"player {player + 1} (seat {player})"


def blame(error: BaseException, folder: Path) -> str:
    """An error raised while files below a folder were run, in one line that begins with their file and line."""
    text = error.msg if isinstance(error, SyntaxError) and error.filename else str(error)
    text = re.sub(rf"arena_game_{re.escape(folder.name)}_\w+", folder.name, text)
    place = own_place(error, folder)
    words = f"{type(error).__name__}: {' '.join(text.split())}"
    if isinstance(error, ZeroDivisionError | FloatingPointError):  # as NumPy has it, interpreted
        words = "division by zero"
    elif isinstance(error, AttributeError) and (fields := fields_of(error.obj)):
        words = (
            f"no field {error.name!r}{nearest(str(error.name), fields).replace(', did', '; did')}"
        )
    return f"{place}: {words}" if place else words


def fields_of(record: object) -> tuple[str, ...]:
    """The names of the fields of a record."""
    return getattr(getattr(record, "dtype", None), "names", None) or ()


def own_place(error: BaseException, folder: Path) -> str:
    """The last place below a folder where an error went through, 'rules.py:137 in apply'; nothing if it did not."""
    frames = [
        (Path(f.filename), f.lineno, "" if f.name == "<module>" else f" in {f.name}")
        for f in traceback.extract_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((Path(error.filename), error.lineno, ""))
    own = [frame for frame in frames if frame[0].is_relative_to(folder)]
    if not own:
        return ""
    path, line, function = own[-1]
    return f"{path.relative_to(folder)}:{line}{function}"
