"""How lists and counts are put into words, the same wherever people read them."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.plan.identity import DEFAULT, read_label, value_text
from engines.errors import OptionError
from engines.texts import clean


def counts_text(players: Sequence[int], last: str = "or") -> str:
    """'2, 3 or 4 players'."""
    numbers = [str(n) for n in players]
    return f"{listed(numbers, last)} player{'' if numbers[-1] == '1' else 's'}"


def time_text(seconds: float) -> str:
    """A time in the unit people would use."""
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 100 * 3600 else f"{seconds / 86400:.1f} days"


def listed(words: Sequence[str], last: str = "and") -> str:
    """'a', 'a and b', 'a, b and c'."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def variant_text(label: str) -> str:
    """A variant's label in the words of its options: 'hand size 3', 'quick game: yes'; as it is if it is none."""
    if label == DEFAULT:
        return "default rules"
    try:
        options = read_label(label, "variant")
    except OptionError:
        return label
    return ", ".join(option_text(name, value) for name, value in options.items())


def option_text(name: str, value: Any) -> str:
    """One option in words."""
    said = value_text(value)
    if said in ("true", "false"):
        return f"{name.replace('_', ' ')}: {'yes' if said == 'true' else 'no'}"
    return f"{name.replace('_', ' ')} {said.replace('+', ', ').replace('_', ' ')}"


def quoted(path: Path | str) -> str:
    """A path as it is typed in a shell."""
    text = clean(str(path))
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
