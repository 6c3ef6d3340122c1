"""How a bot fails: the ending, and what is said about it."""

import functools
import re
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import bots
import engines
from arena.playing.referee import Ending
from engines.errors import UserError
from engines.texts import clean

MOST_LETTERS = 200  # of a fault in the words of a bot
MOST_FAULT = 1000  # letters of a fault with all that is said around them
MOST_TRACE = 12_000  # letters of a traceback
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Fault(Exception):
    """A bot failed instead of answering; `ending` says how, `trace` where in its code."""

    def __init__(self, ending: Ending, text: str, trace: str = "") -> None:
        """Keep the ending beside the text, which comes from a bot's side of the border."""
        super().__init__(clean(text, MOST_FAULT))
        self.ending = ending
        self.trace = clean(trace, 2 * MOST_TRACE, lines=True)


class Reported(Exception):
    """An error in a bot's file as the process tells of it that ran the file: its traceback."""


class Stopped(Exception):
    """The run was asked to stop while a bot was thinking."""


def shown(value: Any) -> str:
    """What a bot returned or raised in one short line, the same in every process."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = type(value).__name__
    return clean(ADDRESS.sub("", text), MOST_LETTERS)


# --- where in the code of a bot ---------------------------------------------------------------------------


@functools.cache
def foreign_code() -> tuple[Path, Path, tuple[Path, ...]]:
    """Folders of code that is no bot's: of this package's parts, of Python and what is installed."""
    ours = tuple(Path(str(one.__file__)).parent for one in (bots, engines))
    return Path(__file__).parents[1], Path(sysconfig.get_paths()["stdlib"]), ours


def is_ours(file: str) -> bool:
    """Whether a file is part of arena, bots or engines."""
    arena, _, ours = foreign_code()
    return any(Path(file).is_relative_to(folder) for folder in (arena, *ours))


def is_installed(file: str) -> bool:
    """Whether a file comes with Python or from an installed package."""
    _, library, _ = foreign_code()
    return Path(file).is_relative_to(library) or "site-packages" in file or file.startswith("<")


def own_trace(error: BaseException) -> TracebackType | None:
    """The traceback of an error from the first frame that is a bot's; None if it never was in its code."""
    trace = error.__traceback__
    while trace is not None and is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def trace_of(error: BaseException) -> str:
    """The traceback of a bot's error from its own first frame, as Python prints it."""
    if isinstance(error, Reported):
        return str(error)
    lines = traceback.format_exception(type(error), error, own_trace(error), chain=False)
    text = ADDRESS.sub("", "".join(lines))
    if len(text) > MOST_TRACE:
        text = f"{text[: MOST_TRACE // 2]}\n  ...\n{text[-MOST_TRACE // 2 :]}"
    return text


def place_of(error: BaseException) -> str:
    """The last frame of a bot in an error: ' (bot.py:3 in helper)', or nothing."""
    frames = list(frames_of(own_trace(error)))
    own = [one for one in frames if not is_ours(one[0]) and not is_installed(one[0])]
    if not frames:
        return ""
    file, line, function = (own or frames)[-1]
    return f" ({Path(file).name}:{line} in {function})"


def frames_of(trace: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    """File, line and function of each frame, outermost first."""
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno, trace.tb_frame.f_code.co_name
        trace = trace.tb_next


def fault_of(what: str, error: BaseException) -> Fault:
    """The fault that an error in a bot's code is; `what` it was asked for."""
    ending = Ending.MEMORY if isinstance(error, MemoryError) else Ending.CRASH
    if isinstance(error, UserError):
        cause = error.__cause__ or error
        return Fault(ending, f"{what}: {error}{place_of(cause)}", trace_of(cause))
    return Fault(ending, f"{what} raised {shown(error)}{place_of(error)}", trace_of(error))
