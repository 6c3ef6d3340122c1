"""The keeper of a worker's bots: a process that starts them, watches them and ends them with all they started.

It forks Python bots from itself, with game and kernels loaded, which takes milliseconds; it knows no deal,
no position and no seed. It adopts orphans, so that no descendant of a bot escapes it, and when the worker
is gone, however that happened, it ends everything and itself.
"""

import contextlib
import os
import pickle
import select
import shutil
import signal
import socket
import struct
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from arena.playing.containment.becoming import Start, become
from arena.playing.containment.processes import children_of, descendants_of, resident_bytes
from arena.playing.containment.walls import adopt_orphans
from arena.playing.warming import warm_simulator
from engines.core import load_game

WATCH_SECONDS = 0.25  # between two looks at the memory of bots
GRACE_SECONDS = 0.2  # from the request to end to the end
IDLE_SECONDS = 60.0  # a worker without matches keeps its bots so long
MOST_PROCESSES = 64  # of one bot
TAIL = 4096  # bytes of stderr that are kept
HEAD = struct.Struct("<Q")


@dataclass(frozen=True)
class Ended:
    """How a bot's process ended. memory: because it used too much. stderr: the last of what it wrote."""

    text: str
    memory: bool
    stderr: bytes


@dataclass
class Kept:
    """A bot's process."""

    pid: int
    folder: str
    stderr: int  # where it can be read
    start: Start
    inherited: int  # resident memory that each of its processes shares with the keeper
    most_bytes: int  # of all its processes, without that
    tail: bytes = b""
    how: str = ""  # it ended, or why it is being ended
    memory: bool = False
    alive: bool = True


class Keeper:
    """Everything the keeper knows."""

    def __init__(self, control: socket.socket) -> None:
        """Adopt orphans, and be woken when a child ends."""
        self.control = control
        self.kept: dict[int, Kept] = {}
        self.poller = select.poll()
        self.poller.register(control, select.POLLIN)
        adopt_orphans()
        self.wake, wake = socket.socketpair()
        self.wake.setblocking(False)
        wake.setblocking(False)
        self.waker = wake  # kept open
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        self.poller.register(self.wake, select.POLLIN)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # the end of the worker is the end of the keeper
        self.watched = time.monotonic()
        self.idle_since = float("inf")

    def run(self) -> None:
        """Serve until the worker is gone or has had no use for the bots for long."""
        while time.monotonic() - self.idle_since < IDLE_SECONDS:
            if self.pump(WATCH_SECONDS if self.kept else 5.0):
                message = self.receive()
                if message is None:
                    break
                self.serve(*message)
        for number in list(self.kept):
            self.end(number, 0.0)

    def pump(self, seconds: float) -> bool:
        """Wait for something to happen and deal with it; True if the worker wants something."""
        wanted = False
        for handle, _ in self.poller.poll(max(0, int(1000 * seconds))):
            if handle == self.control.fileno():
                wanted = True
            elif handle == self.wake.fileno():
                with contextlib.suppress(BlockingIOError):
                    self.wake.recv(4096)
            else:
                self.listen(handle)
        self.reap()
        if time.monotonic() - self.watched >= WATCH_SECONDS:
            self.watched = time.monotonic()
            self.watch()
        return wanted

    # --- the worker's wishes

    def receive(self) -> tuple[Any, list[int]] | None:
        """A message and what files came with it; None if the worker is gone."""
        head, handles, _, _ = socket.recv_fds(self.control, HEAD.size, 4)
        if len(head) < HEAD.size:
            return None
        body = received(self.control, HEAD.unpack(head)[0])
        return None if body is None else (pickle.loads(body), handles)

    def serve(self, message: tuple[Any, ...], handles: list[int]) -> None:
        """Do what the worker asks and answer it."""
        match message:
            case ("start", start):
                self.reply(self.start(start, handles))
            case ("end", number, grace):
                self.reply(self.end(number, grace))
            case ("load", game_text):
                self.reply(load(game_text))
            case ("idle", idle):
                self.idle_since = time.monotonic() if idle else float("inf")

    def reply(self, answer: Any) -> None:
        """Answer the worker."""
        body = pickle.dumps(answer)
        with contextlib.suppress(BrokenPipeError):
            self.control.sendall(HEAD.pack(len(body)) + body)

    # --- bots

    def start(self, start: Start, handles: list[int]) -> int:
        """Start a bot that reads from one file and writes to the other; its process id."""
        folder = tempfile.mkdtemp(prefix="arena-bot-")
        reading, writing = os.pipe()
        inherited = 0 if start.command else resident_bytes(os.getpid())
        pid = os.fork()
        if pid == 0:
            become(start, handles, writing, folder)
        for handle in (*handles, writing):
            os.close(handle)
        os.set_blocking(reading, False)
        self.poller.register(reading, select.POLLIN)
        most = start.memory_mb << 20
        self.kept[start.number] = Kept(pid, folder, reading, start, inherited, most)
        return pid

    def listen(self, handle: int) -> None:
        """Take what a bot wrote on stderr; only the end of it is kept."""
        for kept in self.kept.values():
            if kept.stderr == handle:
                try:
                    chunk = os.read(handle, 1 << 16)
                except BlockingIOError:
                    return
                if not chunk:
                    with contextlib.suppress(KeyError):
                        self.poller.unregister(handle)
                kept.tail = (kept.tail + chunk)[-TAIL:]

    def reap(self) -> None:
        """Note which processes have ended; whatever a bot has started ends with it."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for kept in self.kept.values():
                if kept.pid == pid:
                    kept.alive = False
                    note_end(kept, status, usage.ru_maxrss * 1024)
                    self.sweep(pid)

    def watch(self) -> None:
        """End bots that use too much memory or start too many processes."""
        for kept in [one for one in self.kept.values() if not one.how]:
            family = descendants_of(kept.pid, MOST_PROCESSES)
            own = [max(0, resident_bytes(pid) - kept.inherited) for pid in family]
            if len(family) > MOST_PROCESSES:
                kept.how = f"started more than {MOST_PROCESSES} processes"
            elif sum(own) > kept.most_bytes:
                kept.how = f"used more than {kept.start.memory_mb} MB of memory"
                kept.memory = True
            if kept.how:
                signal_group(kept.pid, signal.SIGKILL)

    def end(self, number: int, grace: float) -> Ended:
        """End a bot with all its descendants: in `grace` seconds by itself, else asked, else killed."""
        kept = self.kept.get(number)
        if kept is None:
            return Ended("was lost with its keeper", False, b"")
        self.wait(kept, grace)
        if kept.alive:
            kept.how = kept.how or "had to be ended"
            signal_group(kept.pid, signal.SIGTERM)
            self.wait(kept, GRACE_SECONDS)
        signal_group(kept.pid, signal.SIGKILL)
        self.wait(kept, 5.0)
        self.sweep(kept.pid)
        self.listen(kept.stderr)
        del self.kept[number]
        with contextlib.suppress(KeyError):
            self.poller.unregister(kept.stderr)
        os.close(kept.stderr)
        shutil.rmtree(kept.folder, ignore_errors=True)
        return Ended(kept.how, kept.memory, kept.tail)

    def wait(self, kept: Kept, seconds: float) -> None:
        """Until a bot's process has ended, or so long; the worker's next wish waits too."""
        until = time.monotonic() + seconds
        self.poller.unregister(self.control)
        while kept.alive and (left := until - time.monotonic()) > 0:
            self.pump(min(left, WATCH_SECONDS))
        self.poller.register(self.control, select.POLLIN)
        self.reap()

    def sweep(self, pid: int) -> None:
        """Kill what is left of the group of a bot, and every orphan: no bot may outlive its process."""
        signal_group(pid, signal.SIGKILL)
        until = time.monotonic() + 2.0
        bots = {kept.pid for kept in self.kept.values()}
        while strays := [one for one in children_of(os.getpid()) if one not in bots]:
            for stray in strays:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(stray, signal.SIGKILL)
            for stray in strays:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(stray, 0)
            if time.monotonic() > until:
                return


def note_end(kept: Kept, status: int, peak: int) -> None:
    """How a process ended; if a program had nearly used up its memory, that was the reason."""
    code = os.waitstatus_to_exitcode(status)
    if not kept.how:
        if code < 0:
            kept.how = f"was killed by {signal.Signals(-code).name}"
        else:
            kept.how = f"ended with exit code {code}"
        kept.memory = bool(kept.start.command) and code != 0 and peak > 0.9 * kept.most_bytes


def signal_group(pid: int, number: signal.Signals) -> None:
    """Send a signal to the group that a bot leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def received(source: socket.socket, size: int) -> bytes | None:
    """So many bytes; None if the other side is gone."""
    found = bytearray()
    while len(found) < size:
        chunk = source.recv(min(size - len(found), 1 << 20))
        if not chunk:
            return None
        found += chunk
    return bytes(found)


def load(game_text: str) -> str:
    """Load a game with the kernels that bots call; what went wrong, or nothing."""
    try:
        warm_simulator(load_game(game_text))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main(handle: int) -> None:
    """Serve the worker at the other end of a socket."""
    Keeper(socket.socket(fileno=handle)).run()
