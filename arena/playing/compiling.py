"""Says while games are compiled that they are, and about how long that takes."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.cache import told_of_misses
from engines.contents import python_function, reached
from engines.errors import BrokenGame

# On a core of 2024, give or take a third (benchmarks/compiling.py measures it):
FIRST_SECONDS = 2.0  # until Numba is ready and the first kernel is there
BYTES_A_SECOND = 5000  # of byte code from then on
CALM = 0.5  # seconds between two looks at the clock


class Missing(BaseException):
    """Something must be compiled. No error: nothing on the way may take it for one."""


@dataclass(frozen=True)
class Work:
    """What is to be compiled.

    Args:
        games: their names.
        seconds: about how long it takes.
        is_first: nothing of them is in the cache.
    """

    games: tuple[str, ...]
    seconds: float
    is_first: bool

    def __str__(self) -> str:
        """In one line, e.g. 'compiling karmaka for the first time, about 10 s'."""
        names, about = " and ".join(self.games), f"about {rounded(self.seconds)} s"
        if self.is_first:
            return f"compiling {names} for the first time, {about}"
        return f"compiling what is new in {names}, at most {about}"


def rounded(seconds: float) -> int:
    """Seconds as nobody takes for more exact than they are."""
    return max(1, round(seconds)) if seconds < 10 else 5 * round(seconds / 5)


def seconds_for(kernels: Iterable[Any]) -> float:
    """About how long these kernels with all that they call take to compile on one core.

    It goes by their byte code, so it holds for games that nobody has measured.
    """
    return FIRST_SECONDS + byte_code(kernels) / BYTES_A_SECOND


def byte_code(kernels: Iterable[Any]) -> int:
    """The bytes of byte code of kernels with all that they call, what several call once."""
    functions = {python_function(one) for kernel in kernels for one in reached(kernel)}
    return sum(len(one.__code__.co_code) for one in functions if one)


def is_compiled(load: Callable[[], object]) -> bool:
    """Whether `load` finds all machine code in the cache; it is ended where something must be compiled."""

    def give_up(kernel: Any) -> None:
        raise Missing

    try:
        with told_of_misses(give_up):
            load()
    except Missing:
        return False
    return True


@contextmanager
def naming(game: str) -> Iterator[None]:
    """Inside, what cannot be compiled is told of with the game that it belongs to."""
    try:
        yield
    except BrokenGame as error:
        raise BrokenGame(f"game {game!r}: {error}") from None


def has_code(kernel: Any) -> bool:
    """Whether anything is in the cache of the game that a kernel belongs to."""
    folder = Path(kernel._cache.cache_path)
    return folder.is_dir() and any(folder.iterdir())


@contextmanager
def said(work: Work, live: bool = True) -> Iterator[None]:
    """Tell on stderr of what is compiled inside: in one line, with the seconds so far on a terminal.

    Args:
        live: the line may move on a terminal: nothing else is written there meanwhile.
    """
    if not (live and sys.stderr.isatty()):
        mark = "\r\x1b[K" if sys.stderr.isatty() else ""  # in the place of what stands there
        print(f"{mark}{work}", file=sys.stderr, flush=True)
        yield
        return
    done, began = threading.Event(), time.monotonic()

    def tick() -> None:
        while not done.wait(CALM):
            print(f"\r\x1b[K{work}: {time.monotonic() - began:.0f} s", end="", file=sys.stderr)
            sys.stderr.flush()

    print(f"\r\x1b[K{work}", end="", file=sys.stderr, flush=True)
    ticking = threading.Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield
    finally:
        done.set()
        ticking.join()
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def said_if_compiling(
    game: str, kernels: Callable[[], Sequence[Any]], live: bool = True
) -> Iterator[None]:
    """Inside, tell that a game is compiled, from the first of its kernels on that is not in the cache.

    Args:
        game: its name.
        kernels: all that may be compiled inside, to say how long it takes.
        live: as for `said`.
    """
    telling: list[Any] = []

    def tell(kernel: Any) -> None:
        if not telling:
            telling.append(said(Work((game,), seconds_for(kernels()), not has_code(kernel)), live))
            telling[0].__enter__()

    try:
        with told_of_misses(tell):
            yield
    finally:
        for one in telling:
            one.__exit__(None, None, None)
