"""Who runs files of bots to learn what they are: this process, or another one that tells of them."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Grant:
    """What the file of a bot has while it is read. seconds: for its import. mount: what it may read besides."""

    seconds: float = 30.0
    mount: tuple[str, ...] = ()


_grants: list[Grant] = []  # the last counts
_readers: list[str] = []  # "module:name" of a Reader, the last counts; empty: this process


@contextmanager
def reading_with(name: str) -> Iterator[None]:
    """Inside, files of bots are run by a `bots.describing.Reader` ("module:name"), never by this process."""
    _readers.append(name)
    try:
        yield
    finally:
        _readers.remove(name)


@contextmanager
def granting(seconds: float, mount: tuple[str, ...]) -> Iterator[None]:
    """Inside, files of bots are read with the seconds and the places that their config grants them."""
    _grants.append(Grant(seconds, mount))
    try:
        yield
    finally:
        _grants.pop()


def granted() -> Grant:
    """What files of bots are read with."""
    return _grants[-1] if _grants else Grant()


def read_by(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A function that calls another inside `reading_with`."""

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def call(*args: P.args, **named: P.kwargs) -> T:
            with reading_with(name):
                return function(*args, **named)

        return call

    return wrap


def reader_name() -> str:
    """Who runs them; "" for this process."""
    return _readers[-1] if _readers else ""
