"""A bot's process as its worker has it: written to, read from, put to sleep between its turns."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.playing.faults import Stopped

AWAKE_SECONDS = 40e-6
LOOK_SECONDS = 0.2  # between two looks at the wish to stop
CHUNK = 1 << 16


class Key(NamedTuple):
    """What a process that is kept can be used for: whose, where, and with what."""

    bot: str  # canonical
    game_text: str
    seat: int
    memory_mb: int
    network: tuple[str, ...]


class Gone(Exception):
    """The bot's process has ended or closed its pipe."""


class Late(Exception):
    """The time for an answer is over."""


@dataclass
class Child:
    """A bot's process: what is written to it and read from it."""

    number: int
    key: Key
    pid: int  # of its process; it leads a group
    reading: int
    writing: int
    deals: set[int]  # that it has played
    once: bool = True  # it ends after a match
    asleep: bool = False
    asked: int = 0  # questions so far
    waiting: bytearray = field(default_factory=bytearray)  # read but not yet understood
    stop: Callable[[], bool] = lambda: False
    _readable: select.poll = field(default_factory=select.poll)
    _writable: select.poll = field(default_factory=select.poll)

    def __post_init__(self) -> None:
        """Watch both pipes."""
        self._readable.register(self.reading, select.POLLIN)
        self._writable.register(self.writing, select.POLLOUT)

    def send(self, data: bytes, until: float) -> None:
        """Write all of it; Gone, Late or Stopped if that is not possible."""
        try:
            sent = os.write(self.writing, data)
        except BlockingIOError:
            sent = 0
        except BrokenPipeError:
            raise Gone from None
        if sent < len(data):
            self._wait(self._writable, until)
            self.send(data[sent:], until)

    def receive(self, until: float) -> None:
        """Wait for more and add it to `waiting`; Gone, Late or Stopped if nothing comes."""
        chunk = self._soon()
        if chunk is None:
            self._wait(self._readable, until)
            chunk = os.read(self.reading, CHUNK)
        if not chunk:
            raise Gone
        self.waiting += chunk

    def _soon(self) -> bytes | None:
        """What comes while this process stays awake: to sleep and be woken costs as much as a quick bot's answer."""
        until = time.perf_counter() + AWAKE_SECONDS
        while True:
            try:
                return os.read(self.reading, CHUNK)
            except BlockingIOError:
                if time.perf_counter() >= until:
                    return None

    def _wait(self, poller: select.poll, until: float) -> None:
        while not poller.poll(1000 * min(LOOK_SECONDS, max(0.0, until - time.perf_counter()))):
            if time.perf_counter() >= until:
                raise Late
            if self.stop():
                raise Stopped

    @property
    def quiet(self) -> bool:
        """Whether it runs and has said nothing unasked."""
        return not self.waiting and not self._readable.poll(0)

    def sleep(self) -> None:
        """Stop all its processes: it is not its turn."""
        self._signal(signal.SIGSTOP)
        self.asleep = True

    def wake(self) -> None:
        """Let its processes go on."""
        if self.asleep:
            self.asleep = False
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        # Its number is not given to others before the keeper has waited for it, in `Children.end`.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def close(self) -> None:
        """Let the pipes go."""
        self.wake()
        os.close(self.reading)
        os.close(self.writing)
