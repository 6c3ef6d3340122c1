"""The bot named `process`: a program in any language that speaks the protocol of PROTOCOL.md."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

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
    own = [] if of_the_system(first) else [first]
    return tuple(word for word in [*own, *rest] if has_file(word))


def placed(options: Mapping[str, Any], find: Callable[[str], str]) -> dict[str, Any]:
    """The options with every word of the command where `find` says that it lies, a program of the system as it is."""
    command = options.get("command")
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:  # the check of the options tells better
        words = []
    found = [word if of_the_system(word) and not i else find(word) for i, word in enumerate(words)]
    return dict(options) if found == words else {**options, "command": shlex.join(found)}


def of_the_system(program: str) -> bool:
    """Whether a path is the program that the system finds by its name."""
    return shutil.which(os.path.basename(program)) == program


KIND = BotKind(
    "process",
    "a program in any language that answers lines of JSON (PROTOCOL.md)",
    Parameters,
    None,
    program=files_of,
    placed=placed,
)
