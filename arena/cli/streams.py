"""Standard input, output and error as the commands use them: trouble there is no traceback."""

import codecs
import errno
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from engines.errors import UserError

PLAIN = {
    "–": "-",
    "—": "-",
    "−": "-",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "…": "...",
    "·": "-",
    "→": "->",
}
ERRORS = "arena.plain"  # how letters are written that a terminal does not have


def plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Letters that an encoding lacks as the nearest that every one has."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(PLAIN.get(letter) or nearest_letters(letter) for letter in lacking), error.end


def nearest_letters(letter: str) -> str:
    """A letter without its accents, or a question mark."""
    apart = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return apart or "?"


codecs.register_error(ERRORS, plain_letters)


class Output:
    """Standard output or error; what cannot be written goes nowhere from then on.

    Output says so once: by ending the program without a word where the reader has gone (`| head`), by a UserError
    where there is no room. Nothing depends on what standard error shows, so it never does.
    """

    def __init__(self, stream: TextIO, handle: int, told: bool) -> None:
        """Write to a stream, whose file is `handle`."""
        self._stream, self._handle, self._told = stream, handle, told

    def __getattr__(self, name: str) -> Any:
        """All else is the stream's, but not the bytes below it, where nobody would look for trouble."""
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text; typer tries with an empty one and asks nothing about trouble."""
        if text == "":
            return 0
        try:
            return self._stream.write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        """Write what is waiting."""
        try:
            self._stream.flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._handle)
        os.close(nowhere)
        if self._told and error.errno == errno.EPIPE:
            sys.exit(0)
        if self._told:
            reason = os.strerror(error.errno or errno.EIO).lower()
            raise UserError(f"standard output: cannot be written: {reason}") from None


@contextmanager
def own_streams() -> Iterator[None]:
    """Inside, all three streams are there, and no letter and no full disk ends a command with a traceback."""
    for handle in range(3):
        open_if_closed(handle)
    old = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = old[0] or open(os.devnull, encoding="utf-8")  # noqa: SIM115  as long as the process
    sys.stdout = own_output(old[1], 1)
    sys.stderr = own_output(old[2], 2)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = old


def own_output(stream: TextIO | None, handle: int) -> Any:
    """One of the two outputs."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors=ERRORS)
    return Output(stream, handle, told=handle == 1)


def open_if_closed(handle: int) -> None:
    """Let a standard stream that was closed (`0<&-`) lead nowhere, before another file takes its number."""
    try:
        os.fstat(handle)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != handle:
            os.dup2(nowhere, handle)
            os.close(nowhere)
