"""Where the keeper lets bots live: in the open with limits, or each match behind walls of its own.

Both kinds of rooms start a bot's process, say which processes belong to it and what they use, and clear
up behind it, so that nothing of a match outlives it.
"""

import contextlib
import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, Protocol

from arena.playing.containment import seccomp
from arena.playing.containment.becoming import Start, become, with_files_here
from arena.playing.containment.namespaces import (
    SCRATCH,
    View,
    clear,
    enclose,
    fork_apart,
    furnish,
    lonely_network,
)
from arena.playing.containment.places import outermost
from arena.playing.containment.processes import (
    Memory,
    children_of,
    descendants_of,
    held_bytes,
    memory_of,
    used_bytes,
)
from arena.playing.containment.trying import UIDS
from arena.playing.containment.walls import adopt_orphans, die_with_parent, writable_only

MOST_PROCESSES = 64  # of one bot
MOST_TASKS = 128  # processes and threads of one match, where the system counts them
MOST_SCRATCH = 64 << 20  # bytes that a bot may write where they are memory
UIDS_A_KEEPER = 64


@dataclass
class Room:
    """Where a bot lives. pid: its process. folder: what is its own. inherited: the memory it began with.

    first: process 1 of its namespace, 0 where it has none. calls: where its calls to hosts come in.
    """

    pid: int
    folder: str
    inherited: Memory
    first: int = 0
    calls: socket.socket | None = None


class Rooms(Protocol):
    """What the keeper needs of either kind."""

    def start(self, start: Start, handles: Sequence[int], stderr: int) -> Room:
        """Start a bot."""

    def family(self, room: Room) -> list[int]:
        """The processes of a bot; a few more than MOST_PROCESSES at most."""

    def used_bytes(self, room: Room, family: Sequence[int]) -> int:
        """The memory that they use beyond what they began with."""

    def ask_to_end(self, room: Room) -> bool:
        """Ask a bot's processes to end; False where there is nothing they could tidy up."""

    def kill(self, room: Room) -> None:
        """Kill all processes of a bot."""

    def own_folder(self, room: Room) -> Path:
        """Where a bot may write."""

    def clear(self, room: Room) -> None:
        """Free all that a bot, which has ended and was waited for, had."""

    def close(self) -> None:
        """Leave nothing behind."""


# --- in the open ----------------------------------------------------------------------------------


class OpenRooms:
    """Bots in sessions and folders of their own, as the user that all belongs to."""

    def __init__(self, folder: str) -> None:
        """Adopt orphans, so that no descendant of a bot escapes; `folder`: where the bots' folders lie."""
        self.folder = folder
        adopt_orphans()
        self.pids: set[int] = set()

    def start(self, start: Start, handles: Sequence[int], stderr: int) -> Room:
        """Fork a bot."""
        folder = tempfile.mkdtemp(prefix="arena-bot-", dir=self.folder)
        inherited = Memory() if start.command else memory_of("self")
        pid = os.fork()
        if pid == 0:
            die_with_parent()
            adopt_orphans()  # its daemons stay below it, and count
            here = with_files_here(start, folder) if start.command else start
            become(here, handles, stderr, folder, lambda: writable_only([Path(folder)]))
        self.pids.add(pid)
        return Room(pid, folder, inherited)

    def family(self, room: Room) -> list[int]:
        """A bot's process and all below it; who has got out of that is killed on the way."""
        self.kill_strays()
        return descendants_of(room.pid, MOST_PROCESSES)

    def used_bytes(self, room: Room, family: Sequence[int]) -> int:
        """Private and shared memory, and files that are only in memory."""
        return used_bytes(family, room.inherited) + held_bytes(family)

    def ask_to_end(self, room: Room) -> bool:
        """SIGTERM to the group, which may be asleep."""
        signal_group(room.pid, signal.SIGTERM)
        signal_group(room.pid, signal.SIGCONT)
        return True

    def kill(self, room: Room) -> None:
        """SIGKILL to the group, and to orphans: they would hold the pipes of a bot that has ended."""
        signal_group(room.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(room.pid, signal.SIGKILL)
        self.kill_all_strays()

    def own_folder(self, room: Room) -> Path:
        """Its temporary folder."""
        return Path(room.folder)

    def clear(self, room: Room) -> None:
        """Kill every orphan, remove the folder."""
        self.pids.discard(room.pid)
        self.kill_all_strays()
        shutil.rmtree(room.folder, ignore_errors=True)

    def close(self) -> None:
        """Remove the folder that held all others."""
        with contextlib.suppress(OSError):
            os.rmdir(self.folder)

    def kill_all_strays(self) -> None:
        """Kill orphans until no more come up, for two seconds at most."""
        until = time.monotonic() + 2.0
        while self.kill_strays() and time.monotonic() < until:
            continue

    def kill_strays(self) -> bool:
        """Kill the children of the keeper that are no bots; whether there were any."""
        strays = [one for one in children_of(os.getpid()) if one not in self.pids]
        for stray in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(stray, signal.SIGKILL)
        for stray in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(stray, 0)
        return bool(strays)


def signal_group(pid: int, number: signal.Signals) -> None:
    """Send a signal to the group that a bot leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


# --- behind walls ---------------------------------------------------------------------------------


class WalledRooms:
    """Every bot in namespaces of its own; the keeper runs in bubblewrap."""

    def __init__(
        self, root: str, binds: Sequence[str], links: Sequence[tuple[str, str]], number: int
    ) -> None:
        """Nothing is made yet.

        Args:
            root: a folder for the roots of matches.
            binds, links: what all matches see of the keeper's own root.
            number: of this keeper, unlike those of others on this machine.
        """
        self.root, self.binds, self.links, self.number = root, binds, links, number
        self.own = os.open("/proc/self/ns/pid", os.O_RDONLY)
        self.network = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.started = 0

    def start(self, start: Start, handles: Sequence[int], stderr: int) -> Room:
        """Fork a bot into new namespaces, beside a process 1 that only waits."""
        place, uid = f"{self.root}/{start.number}", self.uid()
        binds = outermost([*self.binds, *start.places])
        os.mkdir(place)
        size = min(MOST_SCRATCH, start.memory_mb << 19)
        furnish(place, View(binds, self.links, start.files), size, uid)
        inherited = Memory() if start.command else memory_of("self")
        code = seccomp.program(calling=start.calling)

        def live() -> NoReturn:
            become(
                start,
                handles,
                stderr,
                SCRATCH,
                lambda: enclose(place, binds, uid, MOST_TASKS, code, start.calling),
            )

        lonely = lonely_network(self.network, f"{self.root}/proc")
        with lonely if start.calling else contextlib.nullcontext() as calls:
            first, pid = fork_apart(self.own, live)
        return Room(pid, place, inherited, first, calls)

    def uid(self) -> int:
        """Whom the next match runs as: unlike all that play now, where the keeper may choose."""
        self.started += 1
        if os.getuid() != 0:
            return os.getuid()
        return UIDS + UIDS_A_KEEPER * self.number + self.started % UIDS_A_KEEPER

    def family(self, room: Room) -> list[int]:
        """A bot's process, what process 1 has adopted, and all below them."""
        found = descendants_of(room.pid, MOST_PROCESSES)
        return found + descendants_of(room.first, MOST_PROCESSES)[1:]

    def used_bytes(self, room: Room, family: Sequence[int]) -> int:
        """Private memory, mapped files, and what stands in the scratch folder, which is memory too."""
        # What is shared stands in the scratch folder: the filter lets no other shared memory be made.
        return used_bytes(family, replace(room.inherited, shared=1 << 62)) + scratch_bytes(room)

    def ask_to_end(self, room: Room) -> bool:
        """Nothing of it will be left anyway."""
        return False

    def kill(self, room: Room) -> None:
        """The end of process 1 is the end of all in its namespace."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(room.first, signal.SIGKILL)

    def own_folder(self, room: Room) -> Path:
        """Its scratch folder."""
        return Path(room.folder + SCRATCH)

    def clear(self, room: Room) -> None:
        """Wait for process 1, and let the root go."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(room.first, 0)
        clear(room.folder)
        os.rmdir(room.folder)

    def close(self) -> None:
        """The end of the keeper is the end of all it has made."""


def scratch_bytes(room: Room) -> int:
    """What a bot has written."""
    facts = os.statvfs(room.folder + SCRATCH)
    return (facts.f_blocks - facts.f_bfree) * facts.f_frsize
