"""The bot named `process`: a program in any language that speaks the protocol of PROTOCOL.md."""

import os
import shlex
import shutil
from dataclasses import dataclass
from typing import Annotated

from bots.contract import BotKind
from bots.sources import has_file
from engines.core import Option


@dataclass(frozen=True)
class Parameters:
    """How the program is started."""

    command: Annotated[str, Option('e.g. "node examples/bot.js"; no shell is involved')] = ""

    def __post_init__(self) -> None:
        """A command that can be started."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise ValueError(f"process.command: {self.command!r}: {error}".lower()) from None
        if not words:
            raise ValueError("process.command: missing, expected a command as in a shell")
        if not has_file(words[0]) and shutil.which(words[0]) is None:
            raise ValueError(f"process.command: {self.command!r}, there is no program {words[0]!r}")


def files_of(parameters: Parameters) -> tuple[str, ...]:
    """The files that the command names, as written; a program that the system finds is none of them."""
    first, *rest = shlex.split(parameters.command)
    own = [] if shutil.which(os.path.basename(first)) == first else [first]
    return tuple(word for word in [*own, *rest] if has_file(word))


KIND = BotKind(
    "process",
    "a program in any language that answers lines of JSON (PROTOCOL.md)",
    Parameters,
    None,
    program=files_of,
)
