"""Two digests of a game: of its rules, and of all that bots play by. Neither changes with a comment or a version.

The *rules* digest covers what can change a position, its reading as data and its actions. Stored matches can be read,
played again and merged as long as it stays. The *play* digest covers what bots are shown and compute with besides: what
they choose depends on it.

Digests follow what functions do, not where they stand: a function that moves to another module, or a table that is
written differently, changes nothing. What a mere rewriting changes is listed: `same_rules.txt` in the folder of a game
holds, in each line, digests that mean the same rules.
"""

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.contents import Reading, contents

if TYPE_CHECKING:
    from engines.core import Game

SAME_RULES = "same_rules.txt"
RULES = ("blank", "deal", "legal_actions", "apply", "points", "ranks", "ending", "turns")
SHAPE = ("players", "Variant", "dtype", "max_legal", "Ending", "layout", "caps")
SHOWN = ("witnesses", "observe", "determinize", "key", "evaluate", "phrase", "render")


def rules_digest(game: "Game") -> str:
    """Digest of what can change a position, its reading as data and its actions: 16 letters."""
    kinds = [
        (kind.secrecy, [(len(field.words), field.hidden) for field in kind.fields])
        for kind in game.actions.kinds
    ]
    parts = [getattr(game, name) for name in (*RULES, *SHAPE)]
    return digest_of([*parts, kinds])


@functools.cache
def play_digest(game: "Game") -> str:
    """Digest of the rules, and of all that a bot may be shown or ask for: 16 letters."""
    words = [(kind.text, [field.words for field in kind.fields]) for kind in game.actions.kinds]
    return digest_of([rules_digest(game), words, *(getattr(game, name) for name in SHOWN)])


def kernel_digest(game: "Game", kernel: Callable[..., Any]) -> str:
    """Digest of the rules, of a bot's kernel linked to the game, and of the View it is given: 16 letters."""
    return digest_of([rules_digest(game), game.observe, kernel])


def digest_of(parts: list[Any]) -> str:
    """Digest of functions and values by what they say."""
    told = b"".join(contents(part, Reading.SOURCE) for part in parts)
    return hashlib.blake2b(told, digest_size=8).hexdigest()


def mean_the_same(folder: Path, one: str, other: str) -> bool:
    """Whether two digests stand for the same rules: equal, or listed so in the folder of the game."""
    if one == other:
        return True
    try:
        lines = (folder / SAME_RULES).read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any({one, other} <= set(line.partition("#")[0].split()) for line in lines)
