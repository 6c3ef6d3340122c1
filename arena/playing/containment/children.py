"""The worker's side of its keeper: bots' processes to ask, kept from match to match."""

import atexit
import contextlib
import itertools
import json
import os
import pickle
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.playing.containment.becoming import Start
from arena.playing.containment.keeper import HEAD, Ended, received
from arena.playing.faults import Stopped
from bots.contract import BotSpec

MOST_IDLE = 8  # processes without a match that a worker keeps
AWAKE_SECONDS = 40e-6
LOOK_SECONDS = 0.2  # between two looks at the wish to stop
CHUNK = 1 << 16
PROGRAM = (  # not a child of the worker: Ray kills those with it, before they could tidy up
    "import json, os, sys; os.fork() and os._exit(0); sys.path[:] = json.loads(sys.argv[1]); "
    "from arena.playing.containment.keeper import main; main(int(sys.argv[2]))"
)
NUMBERS = itertools.count()  # of bots' processes, also across keepers
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Gone(Exception):
    """The bot's process has ended or closed its pipe."""


class Late(Exception):
    """The time for an answer is over."""


class KeeperLost(Exception):
    """The keeper itself has ended."""


@dataclass
class Child:
    """A bot's process: what is written to it and read from it."""

    number: int
    key: tuple[str, str, int]  # canonical bot, game, seat
    reading: int
    writing: int
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

    def close(self) -> None:
        """Let the pipes go."""
        os.close(self.reading)
        os.close(self.writing)


class Children:
    """The keeper of this process, and bots without a match."""

    def __init__(self) -> None:
        """Start the keeper."""
        mine, its = socket.socketpair()
        path = json.dumps([entry or os.getcwd() for entry in sys.path])
        environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
        with its:
            subprocess.run(
                [sys.executable, "-c", PROGRAM, path, str(its.fileno())],
                pass_fds=(its.fileno(),),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env=environment,
                check=True,
            )
        self.control = mine
        self.loaded: set[str] = set()
        self.idle: dict[tuple[str, str, int], Child] = {}  # the longest idle first

    def ask(self, *message: Any, handles: tuple[int, ...] = (), answered: bool = True) -> Any:
        """Tell the keeper something and hear its answer."""
        body = pickle.dumps(message)
        try:
            socket.send_fds(self.control, [HEAD.pack(len(body))], list(handles))
            self.control.sendall(body)
            if not answered:
                return None
            head = received(self.control, HEAD.size)
            answer = None if head is None else received(self.control, HEAD.unpack(head)[0])
        except OSError:
            answer = None
        if answer is None:
            raise KeeperLost
        return pickle.loads(answer)

    def load(self, game_text: str) -> None:
        """Load a game in the keeper, whose Python bots then have it from the start."""
        if game_text not in self.loaded:
            problem = self.ask("load", game_text)
            if problem:
                raise RuntimeError(f"game {game_text!r} in the keeper of bots: {problem}")
            self.loaded.add(game_text)

    def take(self, spec: BotSpec, game_text: str, seat: int, memory_mb: int) -> Child:
        """A process for a bot in a seat: one that has played there before, or a new one."""
        key = (f"{spec.canonical} {memory_mb}", game_text, seat)
        child = self.idle.pop(key, None)
        if child is not None:
            if child.quiet:
                return child
            self.end(child, 0.0)
        return self.start(spec, game_text, key, memory_mb)

    def start(
        self, spec: BotSpec, game_text: str, key: tuple[str, str, int], memory_mb: int
    ) -> Child:
        """A new process."""
        program = spec.kind.program is not None
        if not program:
            self.load(game_text)
        number = next(NUMBERS)
        start = Start(
            number,
            spec.place,
            {} if program else asdict(spec.parameters),
            spec.files if program else (),
            game_text,
            memory_mb,
            spec.parameters.command if program else "",
            {**os.environ, "PWD": os.getcwd()} if program else {},
            spec.source.named if spec.source else (),
            spec.kind.source_hash,
        )
        bot_reads, writing = os.pipe()
        reading, bot_writes = os.pipe()
        try:
            self.ask("start", start, handles=(bot_reads, bot_writes))
        except KeeperLost:
            os.close(reading)
            os.close(writing)
            raise
        finally:
            os.close(bot_reads)
            os.close(bot_writes)
        os.set_blocking(writing, False)
        os.set_blocking(reading, False)
        return Child(number, key, reading, writing)

    def give_back(self, child: Child) -> None:
        """A match is over: keep its bot for the next, but not too many."""
        self.idle[child.key] = child
        while len(self.idle) > MOST_IDLE:
            self.end(self.idle.pop(next(iter(self.idle))), 0.0)

    def end(self, child: Child, grace: float) -> Ended:
        """End a bot's process with all it has started; `grace` seconds to end by itself."""
        child.close()
        found: Ended = self.ask("end", child.number, grace)
        return found

    def close(self) -> None:
        """End every bot and the keeper; returns when they have ended."""
        for child in self.idle.values():
            child.close()
        self.idle.clear()
        with self.control, contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)
            while self.control.recv(CHUNK):
                pass


_children: Children | None = None


def children() -> Children:
    """The bots' processes of this worker; the keeper is started at the first call."""
    global _children
    if _children is None:
        _children = Children()
        atexit.register(close_children)
    return _children


def close_children() -> None:
    """End all bots of this process and their keeper."""
    global _children
    if _children is not None:
        ending, _children = _children, None
        ending.close()


def rest(idle: bool) -> None:
    """Tell the keeper that matches are over for now (after a minute it ends its bots), or begin."""
    if _children is not None:
        try:
            _children.ask("idle", idle, answered=False)
        except KeeperLost:
            close_children()
