"""How lists and counts are put into words, the same wherever people read them."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from engines.texts import clean


def counts_text(players: Sequence[int]) -> str:
    """'2, 3 or 4 players'."""
    *first, last = [str(n) for n in players]
    return f"{', '.join(first)}{' or ' if first else ''}{last} player{'' if last == '1' else 's'}"


def columns(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows with aligned columns."""
    rows = list(rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join(lines)


def quoted(path: Path | str) -> str:
    """A path as it is typed in a shell."""
    text = clean(str(path))
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
