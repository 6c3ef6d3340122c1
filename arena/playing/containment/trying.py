"""Tries inside a sandbox whether a match could be enclosed, and looks whether it really is.

The keeper of every worker does this before the first bot comes, and the probe of `bubblewrap` does little else.
"""

import contextlib
import errno
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from arena.playing.containment import seccomp
from arena.playing.containment.namespaces import (
    View,
    clear,
    enclose,
    fork_apart,
    furnish,
    lonely_network,
)

PLACE, PROC = "/arena/trial", "/arena/proc"
ELSEWHERE = ("192.0.2.1", 9)  # an address that is nobody's (RFC 5737)
KEPT = 0x20_11E4  # SYS_ADMIN, NET_ADMIN, SETPCAP, SETUID, SETGID, KILL, DAC_READ_SEARCH
TASKS = 16
UIDS = 1 << 30  # users of matches where the keeper is root: from here on
ENCLOSED = "enclosed"


def capabilities() -> int:
    """The capabilities that this process has, as a mask."""
    return int(status("CapEff:"), 16)


def status(name: str) -> str:
    """A line of /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(name))


def try_enclosing() -> None:
    """Say whether a process of no bot can be enclosed."""
    print(enclosed((), "", os.getuid() or UIDS), flush=True)


def enclosed(binds: tuple[str, ...], cache: str, uid: int, calling: bool = False) -> str:
    """ENCLOSED if a process of no bot could be, with all walls standing; else what is wrong, in one line.

    calling: of one that may call hosts.
    """
    if capabilities() & ~KEPT:
        return f"bubblewrap left capabilities {capabilities():x}"
    code = seccomp.program(calling=calling)
    reading, writing = os.pipe()

    def live() -> NoReturn:
        try:
            enclose(PLACE, binds, uid, TASKS, code, calling)
            found = "; ".join(holes(cache, calling)) or ENCLOSED
        except OSError as error:
            found = f"{error.filename or error.strerror}: {error.strerror}"
        os.write(writing, found.encode())
        os._exit(0)

    os.makedirs(PLACE, exist_ok=True)
    try:
        furnish(PLACE, View(binds, (), ()), 1 << 20, uid)
        with handle("pid") as own, handle("net") as network:
            lonely = lonely_network(network, PROC) if calling else contextlib.nullcontext()
            with lonely as calls:
                first, tried = fork_apart(own, live)
            os.waitpid(tried, 0)
            os.kill(first, signal.SIGKILL)
            os.waitpid(first, 0)
            if calls is not None:
                calls.close()
        clear(PLACE)
    except OSError as error:
        return f"{error.filename or 'namespaces'}: {error.strerror}"
    os.set_blocking(reading, False)
    with contextlib.suppress(BlockingIOError):
        return os.read(reading, 4096).decode()
    return "a process ended while it was being enclosed"


@contextlib.contextmanager
def handle(kind: str) -> Iterator[int]:
    """A handle of this process's namespace of a kind."""
    own = os.open(f"/proc/self/ns/{kind}", os.O_RDONLY)
    try:
        yield own
    finally:
        os.close(own)


def holes(cache: str, calling: bool) -> list[str]:
    """What is open to this process that should not be."""
    found = []
    if capabilities() or int(status("CapBnd:"), 16):
        found.append("capabilities are left")
    if status("Seccomp:") != "2" or status("NoNewPrivs:") != "1":
        found.append("system calls are not filtered")
    with contextlib.suppress(OSError), socket.socket() as sent:
        sent.setblocking(False)
        if not calling or sent.connect_ex(ELSEWHERE) != errno.ENETUNREACH:
            found.append("the network is open")
    for path in ("/", "/dev", "/etc", *filter(None, [cache])):
        if os.path.isdir(path):
            with contextlib.suppress(OSError):
                os.close(os.open(f"{path}/written", os.O_WRONLY | os.O_CREAT))
                found.append(f"{path} can be written")
    if os.getpid() != 2 or len([name for name in os.listdir("/proc") if name.isdigit()]) != 2:
        found.append("other processes can be seen")
    return found
