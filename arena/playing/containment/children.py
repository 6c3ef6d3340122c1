"""The worker's side of its keeper: bots' processes to start, to end, and to keep where a bot asks for it."""

import atexit
import contextlib
import itertools
import json
import os
import pickle
import shutil
import socket
from collections.abc import Sequence
from typing import Any

from arena.playing.containment.child import CHUNK, Child, Key
from arena.playing.containment.doors import Doors
from arena.playing.containment.keeper import HEAD, Ended, received
from arena.playing.containment.starting import Wanted, pid_of, start_of, start_open, start_walled
from engines.errors import UserError

MOST_IDLE = 8  # processes without a match that a worker keeps
NUMBERS = itertools.count()  # of bots' processes, also across keepers


class KeeperLost(Exception):
    """The keeper itself has ended."""


class Children:
    """The keeper of this process, and bots without a match."""

    def __init__(self, walled: bool, places: Sequence[str] = (), calling: bool = False) -> None:
        """Start the keeper.

        Args:
            walled: in a sandbox.
            places: what the sandbox can show to bots besides the common places.
            calling: some of them may call hosts.

        Raises:
            UserError: the walls of the sandbox do not stand.
        """
        self.walled = walled
        self.places = frozenset(places)
        self.calling = calling
        self.doors = Doors()
        mine, its = socket.socketpair()
        with its:
            self.process = start_walled(its, places, calling) if walled else None
            self.folder = "" if walled else start_open(its)
        self.control = mine
        self.loaded: set[str] = set()
        self.idle: dict[Key, list[Child]] = {}
        problem, _ = self.hear()
        if problem:
            self.close()
            raise UserError(f"isolation: sandbox, {problem}")

    def ask(self, *message: Any, handles: tuple[int, ...] = ()) -> tuple[Any, list[int]]:
        """Tell the keeper something; its answer, and the handles that came with it."""
        self.tell(*message, handles=handles)
        return self.hear()

    def tell(self, *message: Any, handles: tuple[int, ...] = ()) -> None:
        """Tell the keeper something."""
        body = pickle.dumps(message)
        try:
            socket.send_fds(self.control, [HEAD.pack(len(body))], list(handles))
            self.control.sendall(body)
        except OSError:
            raise KeeperLost from None

    def hear(self) -> tuple[Any, list[int]]:
        """What the keeper says: plain data, and handles."""
        try:
            head, handles, _, _ = socket.recv_fds(self.control, HEAD.size, 2)
            body = received(self.control, HEAD.unpack(head)[0]) if len(head) == HEAD.size else None
        except OSError:
            body = None
        if body is None:
            raise KeeperLost
        return json.loads(body), handles

    def load(self, game_text: str) -> None:
        """Load a game in the keeper, whose Python bots then have it from the start."""
        if game_text not in self.loaded:
            problem, _ = self.ask("load", game_text)
            if problem:
                raise RuntimeError(f"game {game_text!r} in the keeper of bots: {problem}")
            self.loaded.add(game_text)

    def take(self, wanted: Wanted) -> Child:
        """A process for a bot in a seat: a new one, or one that `restart: run` has kept.

        That one has never played this deal: its other seating would be known to it.
        """
        for child in self.idle.get(wanted.key, []):
            if wanted.deal not in child.deals:
                self.idle[wanted.key].remove(child)
                if child.quiet:
                    child.deals.add(wanted.deal)
                    self.doors.match(child.number)
                    return child
                self.end(child, 0.0)
                break
        return self.start(wanted)

    def start(self, wanted: Wanted) -> Child:
        """A new process."""
        start = start_of(wanted, next(NUMBERS), self.walled)
        if start.game_text:
            self.load(start.game_text)
        bot_reads, writing = os.pipe()
        reading, bot_writes = os.pipe()
        try:
            _, (process, *calls) = self.ask("start", start, handles=(bot_reads, bot_writes))
        except KeeperLost:
            os.close(reading)
            os.close(writing)
            raise
        finally:
            os.close(bot_reads)
            os.close(bot_writes)
        os.set_blocking(writing, False)
        os.set_blocking(reading, False)
        pid = pid_of(process)
        os.close(process)
        for one in calls:
            self.doors.open(start.number, wanted.terms.network, one)
            os.close(one)
        return Child(start.number, wanted.key, pid, reading, writing, {wanted.deal}, start.once)

    def give_back(self, child: Child) -> None:
        """A match is over, its bot stays for others: not too many do."""
        self.idle.setdefault(child.key, []).append(child)
        while sum(map(len, self.idle.values())) > MOST_IDLE:
            key = next(key for key, waiting in self.idle.items() if waiting)
            self.end(self.idle[key].pop(0), 0.0)

    def end(self, child: Child, grace: float) -> Ended:
        """End a bot's process with all it has started; `grace` seconds to end by itself."""
        child.close()
        self.doors.shut(child.number)
        found, _ = self.ask("end", child.number, grace)
        return Ended(**found)

    def close(self) -> None:
        """End every bot and the keeper; returns when they have ended."""
        for child in [child for waiting in self.idle.values() for child in waiting]:
            child.close()
        self.idle.clear()
        self.doors.close()
        with self.control, contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)
            while self.control.recv(CHUNK):
                pass
        if self.process is not None:
            self.process.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


_children: Children | None = None


def children(walled: bool = False, places: Sequence[str] = (), calling: bool = False) -> Children:
    """The bots' processes of this worker; the keeper is started at the first call.

    It is started anew where it is of the other kind, or cannot show or let a bot do what it needs.
    """
    global _children
    if _children is not None:
        known, may_call = _children.places, _children.calling
        if _children.walled == walled and known.issuperset(places) and may_call >= calling:
            return _children
        places = tuple(known | set(places)) if walled else ()
        calling = walled and (calling or may_call)
        close_children()
    _children = Children(walled, places, calling)
    atexit.register(close_children)
    return _children


def isolation_of_keeper() -> str:
    """How the keeper of this worker isolates bots; nothing if there is none."""
    return "" if _children is None else "sandbox" if _children.walled else "process"


def living() -> Children:
    """The bots' processes of this worker as they are; KeeperLost if there is no keeper any more."""
    if _children is None:
        raise KeeperLost
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
            _children.tell("idle", idle)
        except KeeperLost:
            close_children()
