"""The keeper of a worker's bots: a process that starts them, watches them and ends them with all they started.

It forks Python bots from itself, with game and kernels loaded, which takes milliseconds; it knows no deal,
no position and no seed, and runs no code of a bot. When the worker is gone, however that happened, it ends
everything and itself. In a sandbox it is process 1 there, so its end is the end of all.
"""

import contextlib
import gc
import json
import os
import pickle
import select
import signal
import socket
import struct
import tempfile
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.playing.containment.becoming import CACHE, Start
from arena.playing.containment.rooms import (
    MOST_PROCESSES,
    OpenRooms,
    Room,
    Rooms,
    WalledRooms,
)
from arena.playing.containment.sealing import harvested
from arena.playing.containment.trying import ENCLOSED, UIDS, enclosed
from arena.playing.warming import warm_simulator
from engines.core import load_game

WATCH_SECONDS = 0.25  # between two looks at the memory of bots
GRACE_SECONDS = 0.2  # from the request to end to the end
IDLE_SECONDS = 60.0  # a worker without matches keeps its bots so long
TAIL = 4096  # bytes of stderr that are kept
HEAD = struct.Struct("<Q")


@dataclass(frozen=True)
class Ended:
    """How a bot's process ended. memory: because it used too much. stderr: the last of what it wrote.

    asked: it had to be ended. code: the machine code it has written, see `sealing.harvested`.
    """

    text: str
    memory: bool
    stderr: str
    asked: bool = False
    code: dict[str, str] = field(default_factory=dict)


@dataclass
class Kept:
    """A bot's process."""

    room: Room
    ending: int  # a handle that can be read when it has ended
    stderr: int  # where it can be read
    start: Start
    tail: bytes = b""
    how: str = ""  # it ended, or why it is being ended
    memory: bool = False
    alive: bool = True

    @property
    def most_bytes(self) -> int:
        """What all its processes may use together."""
        return self.start.memory_mb << 20


class Keeper:
    """Everything the keeper knows."""

    def __init__(self, control: socket.socket, rooms: Rooms) -> None:
        """Serve the worker at the other end of `control`."""
        self.control = control
        self.rooms = rooms
        self.kept: dict[int, Kept] = {}
        self.poller = select.poll()
        self.poller.register(control, select.POLLIN)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # the end of the worker is the end of the keeper
        self.watched = time.monotonic()
        self.idle_since = float("inf")

    def run(self) -> None:
        """Serve until the worker is gone or has had no use for the bots for long."""
        try:
            while time.monotonic() - self.idle_since < IDLE_SECONDS:
                if self.pump(WATCH_SECONDS if self.kept else 5.0):
                    message = self.receive()
                    if message is None:
                        break
                    self.serve(*message)
        finally:
            for number in list(self.kept):
                self.end(number, 0.0)
            self.rooms.close()

    def pump(self, seconds: float) -> bool:
        """Wait for something to happen and deal with it; True if the worker wants something."""
        wanted = False
        for handle, _ in self.poller.poll(max(0, int(1000 * seconds))):
            if handle == self.control.fileno():
                wanted = True
                continue
            for kept in list(self.kept.values()):
                if handle == kept.stderr:
                    self.listen(kept)
                elif handle == kept.ending:
                    self.note_end(kept)
        if time.monotonic() - self.watched >= WATCH_SECONDS:
            self.watched = time.monotonic()
            self.watch()
        return wanted

    # --- the worker's wishes

    def receive(self) -> tuple[Any, list[int]] | None:
        """A message and what files came with it; None if the worker is gone."""
        try:
            head, handles, _, _ = socket.recv_fds(
                self.control, HEAD.size, 4, socket.MSG_CMSG_CLOEXEC
            )
            whole = len(head) == HEAD.size
            body = received(self.control, HEAD.unpack(head)[0]) if whole else None
        except OSError:  # its end was in the middle of a word
            return None
        return None if body is None else (pickle.loads(body), handles)

    def serve(self, message: tuple[Any, ...], handles: list[int]) -> None:
        """Do what the worker asks and answer it."""
        match message:
            case ("start", start):
                self.reply("", self.start(start, handles))
                self.let_go(start.number)
            case ("end", number, grace):
                self.reply(asdict(self.end(number, grace)))
            case ("load", game_text):
                self.reply(load(game_text))
            case ("idle", idle):
                self.idle_since = time.monotonic() if idle else float("inf")

    def reply(self, answer: Any, handles: list[int] | None = None) -> None:
        """Answer the worker: plain data only, for it unpickles nothing that comes from here."""
        body = json.dumps(answer).encode()
        with contextlib.suppress(OSError):  # the worker is gone
            socket.send_fds(self.control, [HEAD.pack(len(body))], handles or [])
            self.control.sendall(body)

    # --- bots

    def start(self, start: Start, handles: list[int]) -> list[int]:
        """Start a bot that reads from one file and writes to the other; a handle of its process, and one
        of where its calls come in, if it may call.
        """
        reading, writing = os.pipe()
        room = self.rooms.start(start, handles, writing)
        for handle in (*handles, writing):
            os.close(handle)
        os.set_blocking(reading, False)
        ending = os.pidfd_open(room.pid)
        self.poller.register(reading, select.POLLIN)
        self.poller.register(ending, select.POLLIN)
        self.kept[start.number] = Kept(room, ending, reading, start)
        return [ending, *([room.calls.fileno()] if room.calls else [])]

    def let_go(self, number: int) -> None:
        """The worker has what it was handed of a bot."""
        room = self.kept[number].room
        if room.calls is not None:
            room.calls.close()
            room.calls = None

    def listen(self, kept: Kept) -> None:
        """Take what a bot wrote on stderr; only the end of it is kept."""
        try:
            chunk = os.read(kept.stderr, 1 << 16)
        except BlockingIOError:
            return
        if not chunk:
            self.ignore(kept.stderr)
        kept.tail = (kept.tail + chunk)[-TAIL:]

    def ignore(self, handle: int) -> None:
        """Wait for nothing more there."""
        with contextlib.suppress(KeyError):
            self.poller.unregister(handle)

    def note_end(self, kept: Kept) -> None:
        """A process has ended; whatever it has started ends with it. It is waited for in `end` only, so
        that its number belongs to nobody else while the worker may send it signals.
        """
        kept.alive = False
        self.ignore(kept.ending)
        self.rooms.kill(kept.room)

    def watch(self) -> None:
        """End bots that use too much memory or start too many processes."""
        for kept in [one for one in self.kept.values() if one.alive and not one.how]:
            family = self.rooms.family(kept.room)
            if len(family) > MOST_PROCESSES:
                kept.how = f"started more than {MOST_PROCESSES} processes"
            elif self.rooms.used_bytes(kept.room, family) > kept.most_bytes:
                kept.how = f"used more than {kept.start.memory_mb} MB of memory"
                kept.memory = True
            if kept.how:
                self.rooms.kill(kept.room)

    def end(self, number: int, grace: float) -> Ended:
        """End a bot with all its descendants: in `grace` seconds by itself, else asked, else killed."""
        kept = self.kept[number]
        self.wait(kept, grace)
        asked = kept.alive
        if kept.alive:
            kept.how = kept.how or "had to be ended"
            if self.rooms.ask_to_end(kept.room):
                self.wait(kept, GRACE_SECONDS)
        self.rooms.kill(kept.room)
        _, status, usage = os.wait4(kept.room.pid, 0)
        self.listen(kept)
        folder = self.rooms.own_folder(kept.room)
        code = harvested(folder / CACHE) if kept.start.harvest else {}
        self.rooms.clear(kept.room)
        del self.kept[number]
        for handle in (kept.stderr, kept.ending):
            self.ignore(handle)
            os.close(handle)
        if not kept.how:
            kept.how, kept.memory = ending_of(kept, status, usage.ru_maxrss * 1024)
        return Ended(kept.how, kept.memory, kept.tail.decode("utf-8", "replace"), asked, code)

    def wait(self, kept: Kept, seconds: float) -> None:
        """Until a bot's process has ended, or so long; the worker's next wish waits too."""
        until = time.monotonic() + seconds
        self.poller.unregister(self.control)
        while kept.alive and (left := until - time.monotonic()) > 0:
            self.pump(min(left, WATCH_SECONDS))
        self.poller.register(self.control, select.POLLIN)


def ending_of(kept: Kept, status: int, peak: int) -> tuple[str, bool]:
    """How a process ended; if a program had nearly used up its memory, that was the reason."""
    code = os.waitstatus_to_exitcode(status)
    memory = bool(kept.start.command) and code != 0 and peak > 0.9 * kept.most_bytes
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}", memory
    return f"ended with exit code {code}", memory


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
    gc.collect()
    gc.freeze()  # else the first collection in each bot would copy every page
    return ""


def main(handle: int, walls: dict[str, Any] | None) -> None:
    """Serve the worker at the other end of a socket.

    Args:
        walls: what a sandbox shows (the arguments of WalledRooms), None without one.
    """
    control = socket.socket(fileno=handle)
    control.set_inheritable(False)
    calling = walls.pop("calling") if walls else False
    rooms = OpenRooms(tempfile.gettempdir()) if walls is None else WalledRooms(**walls)
    keeper = Keeper(control, rooms)
    problem = "" if walls is None else problem_of(tuple(walls["binds"]), calling)
    keeper.reply(problem)
    if not problem:
        keeper.run()


def problem_of(binds: tuple[str, ...], calling: bool) -> str:
    """What is wrong with the walls of matches, as seen from inside; also of those that may call hosts."""
    uid = UIDS if os.getuid() == 0 else os.getuid()
    for one in (False, True) if calling else (False,):
        found = enclosed(binds, os.environ["ARENA_CACHE"], uid, one)
        if found != ENCLOSED:
            return f"network: {found}" if one else found
    return ""
