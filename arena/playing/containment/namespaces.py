"""Namespaces of a match: a root of its own with what it may read, no rights, no network, no neighbours.

The keeper prepares a root (`furnish`) and forks into a new namespace of processes (`fork_apart`); the
bot's process then calls `enclose`, before its own code runs. Both need CAP_SYS_ADMIN in the keeper's user
namespace, which `bubblewrap` leaves it; the bot has no capability afterwards.
"""

import contextlib
import ctypes
import errno
import fcntl
import functools
import os
import resource
import shutil
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from arena.playing.containment import seccomp

NEW_MOUNTS, NEW_IPC, NEW_USER = 0x0002_0000, 0x0800_0000, 0x1000_0000
NEW_PROCESSES, NEW_NETWORK = 0x2000_0000, 0x4000_0000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND, RECURSIVE = 1, 2, 4, 8, 32, 4096, 16384
DETACH = 2  # of umount2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
CAPABILITIES_VERSION = 0x2008_0522
LAST_CAPABILITY = 63
DUMPABLE, DROP_BOUNDING, NO_NEW_PRIVILEGES, AMBIENT, CLEAR_ALL = 4, 24, 38, 47, 4  # of prctl
ROOT_BYTES = 1 << 20  # of a root itself; files of bots come on top
MOST_INODES = 10_000  # files and folders below SCRATCH
SCRATCH = "/scratch"  # where a bot may write; /tmp and /dev/shm are the same
CALLS = ("127.0.0.1", 3128)  # where a bot that may call hosts finds the gate
MOST_WAITING = 16  # calls that nobody has taken
SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x41  # of an interface
# What a connection holds of memory, less than sockets of one machine do; no limit counts either.
NARROW = {
    "net/ipv4/tcp_rmem": "4096 65536 65536",
    "net/ipv4/tcp_wmem": "4096 16384 65536",
    "net/core/somaxconn": str(MOST_WAITING),
}

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class View:
    """What the file system of a match holds besides its scratch folder.

    binds: paths of the keeper's own root. links: symbolic links, where and to what. files: path and
    content of the bot's own files.
    """

    binds: Sequence[str]
    links: Sequence[tuple[str, str]]
    files: Sequence[tuple[str, bytes]]


def checked(result: int, what: str) -> None:
    """Raise the OSError that a system call's result stands for."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def unshare(flags: int) -> None:
    """New namespaces for this process (of processes: for its children)."""
    checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount something."""
    names = [name.encode() for name in (source, target, kind)]
    checked(_libc.mount(*names, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def unmount(target: str) -> None:
    """Unmount something, in use or not."""
    checked(_libc.umount2(target.encode(), DETACH), f"unmount {target}")


def fork_apart(own: int, live: Callable[[], NoReturn]) -> tuple[int, int]:
    """A child in a new namespace of processes, beside its process 1; their ids here, process 1 first.

    Process 1 is no fork of this process, which is large: that would cost as much as the bot's own.

    Args:
        own: handle of this process's namespace.
    """
    program = idle_program()
    nothing = [(os.POSIX_SPAWN_OPEN, handle, os.devnull, os.O_RDWR, 0) for handle in range(3)]
    unshare(NEW_PROCESSES)
    try:
        first = os.posix_spawn(program[0], program, {}, file_actions=nothing)
        pid = os.fork()
        if pid == 0:
            try:
                live()
            finally:
                os._exit(70)
    finally:
        checked(_libc.setns(own, NEW_PROCESSES), "setns")
    return first, pid


@functools.cache
def idle_program() -> list[str]:
    """A program that does nothing for long: what process 1 of a match is, so that signals that a bot
    sends to itself mean what they always mean.
    """
    found = shutil.which("sleep")
    if found is None:
        raise OSError(errno.ENOENT, "there is no program sleep", "sleep")
    return [found, str(1 << 30)]


@contextlib.contextmanager
def lonely_network(own: int, folder: str) -> Iterator[socket.socket]:
    """Inside, this process is in a new network that has its own 127.0.0.1 and nothing else.

    Args:
        own: handle of this process's network.
        folder: to mount on for a moment; new.

    Yields:
        What listens at CALLS there; it can be taken elsewhere.
    """
    unshare(NEW_NETWORK)
    try:
        listener = socket.socket()
        try:
            narrow(folder)
            request = struct.pack("16sh14x", b"lo", UP_AND_RUNNING)
            fcntl.ioctl(listener, SET_FLAGS, request)
            listener.bind(CALLS)
            listener.listen(MOST_WAITING)
            yield listener
        except BaseException:
            listener.close()
            raise
    finally:
        checked(_libc.setns(own, NEW_NETWORK), "setns")


def narrow(folder: str) -> None:
    """Let connections in this process's network hold little."""
    os.mkdir(folder)
    mount("proc", folder, "proc", NO_SUID | NO_DEVICES | NO_EXEC)  # /proc/sys cannot be written
    try:
        for name, value in NARROW.items():
            Path(folder, "sys", name).write_text(value)
    finally:
        unmount(folder)
        os.rmdir(folder)


# --- the file system ------------------------------------------------------------------------------


def furnish(place: str, view: View, scratch_bytes: int, uid: int) -> None:
    """A root for a match, with its files and folders to mount on; `enclose` does the rest.

    Args:
        scratch_bytes: room below SCRATCH.
        uid: whose the scratch folder is.
    """
    size = ROOT_BYTES + sum(len(content) + 4096 for _, content in view.files)
    mount("tmpfs", place, "tmpfs", NO_SUID | NO_DEVICES, f"size={size},mode=755")
    for path in view.binds:
        target = Path(place + path)
        if os.path.isdir(path):
            target.mkdir(0o755, parents=True, exist_ok=True)
        else:
            target.parent.mkdir(0o755, parents=True, exist_ok=True)
            target.touch(0o444)
    for folder in ("/proc", "/dev", "/etc", SCRATCH):
        os.makedirs(place + folder, exist_ok=True)
    for path, content in view.files:
        target = Path(place + path)
        if not target.exists() and not any(is_below(path, bound) for bound in view.binds):
            target.parent.mkdir(0o755, parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o555)
    for path, meant in view.links:
        if not os.path.lexists(place + path):
            os.symlink(meant, place + path)
    Path(place, "etc/passwd").write_text(f"bot:x:{uid}:{uid}:bot:{SCRATCH}:/bin/sh\n")
    options = f"size={scratch_bytes},nr_inodes={MOST_INODES},mode=700,uid={uid},gid={uid}"
    mount("tmpfs", place + SCRATCH, "tmpfs", NO_SUID | NO_DEVICES, options)


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def clear(place: str) -> None:
    """Give up the root of a match that is over."""
    unmount(place + SCRATCH)
    unmount(place)


def move_into(place: str, binds: Sequence[str]) -> None:
    """Make a furnished root this process's own; nothing else can be reached from it."""
    for path in (*binds, "/dev"):
        mount(path, place + path, "", BIND | RECURSIVE)
    flags = NO_SUID | NO_DEVICES | NO_EXEC
    mount("proc", place + "/proc", "proc", flags, "subset=pid")
    mount("", place, "", REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES)
    os.chdir(place)
    checked(_libc.syscall(PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    unmount(".")
    os.chdir("/")


# --- rights ---------------------------------------------------------------------------------------


def enclose(
    place: str, binds: Sequence[str], uid: int, most_tasks: int, code: bytes, lonely: bool = False
) -> None:
    """Put this process, for good, into its root and namespaces, without rights.

    Args:
        lonely: it is in a `lonely_network` already.
        uid: what it runs as from now on; the keeper's own where that is not root.
        most_tasks: processes and threads of the match.
        code: the filter of system calls.

    Raises:
        OSError: the system refuses it; the process must end then.
    """
    unshare(NEW_MOUNTS | NEW_IPC | (0 if lonely else NEW_NETWORK))
    move_into(place, binds)
    if os.getuid() == 0:
        drop_bounding()
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    else:
        _libc.prctl(DUMPABLE, 1, 0, 0, 0)  # else its own maps in /proc are root's
        gid = os.getgid()
        unshare(NEW_USER)  # limits count by user and namespace
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        drop_bounding()  # full again in a new namespace
    resource.setrlimit(resource.RLIMIT_NPROC, (most_tasks, most_tasks))
    _libc.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    head = struct.pack("Ii", CAPABILITIES_VERSION, 0)
    checked(_libc.capset(head, bytes(24)), "capset")
    checked(_libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    _libc.prctl(DUMPABLE, 1, 0, 0, 0)
    os.chdir(SCRATCH)
    seccomp.install(code)


def drop_bounding() -> None:
    """Give up every capability that a program could bring back."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(DROP_BOUNDING, capability, 0, 0, 0)
