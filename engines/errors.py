"""What a user did wrong: one line that names the thing, the value and what would be right.

UserError           exit code 2
  OptionError       an option of a variant or a bot
  PositionError     a position given as text
  IllegalAction     an action that the rules do not allow now
"""

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Bad input; its text is the whole message."""


class OptionError(UserError):
    """An option of a variant or a bot is unknown or out of range."""


class PositionError(UserError):
    """A position given as text cannot be."""


class IllegalAction(UserError):
    """An action that the rules do not allow in this position."""


def nearest(word: str, known: Iterable[str]) -> str:
    """', did you mean x?' for the nearest known words, or nothing."""
    close = difflib.get_close_matches(word[:100], list(known), n=3, cutoff=0.6)
    return f", did you mean {' or '.join(close)}?" if close else ""
