"""How lists and counts are put into words, the same wherever people read them."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from engines.texts import clean


def counts_text(players: Sequence[int]) -> str:
    """'2, 3 or 4 players'."""
    *first, last = [str(n) for n in players]
    return f"{', '.join(first)}{' or ' if first else ''}{last} player{'' if last == '1' else 's'}"


def time_text(seconds: float) -> str:
    """A time in the unit people would use."""
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 100 * 3600 else f"{seconds / 86400:.1f} days"


def quoted(path: Path | str) -> str:
    """A path as it is typed in a shell."""
    text = clean(str(path))
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
