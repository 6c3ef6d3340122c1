"""What a bot's process may not do: limits of the system, and Landlock where the kernel has it.

Walls against accidents and clumsy cheats. A bot still runs as the same user and may read what that
user may read: code that is not trusted at all belongs into a container or a virtual machine.
"""

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Iterable
from pathlib import Path

MOST_FILES = 256
DIE_WITH_PARENT, SUBREAPER, NO_NEW_PRIVILEGES = 1, 36, 38  # of prctl
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same on all machines
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
# Remove folders and files; make devices, folders, files, sockets, pipes and links.
CHANGES = WRITE_FILE | sum(1 << bit for bit in range(4, 13))
REFER = 1 << 13  # move between folders
SCOPES = 0b11  # abstract sockets and signals reach processes behind the same wall only
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Let the kernel kill this process when the one that started it is gone."""
    parent = os.getppid()
    _libc.prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Make this process the parent of all its descendants whose parents are gone."""
    _libc.prctl(SUBREAPER, 1, 0, 0, 0)


def limit_resources(memory: int, inherited: int) -> None:
    """Bound memory (bytes beyond what is there), open files and the size of files; no core dumps.

    RLIMIT_DATA instead of RLIMIT_AS: V8 and the JVM reserve far more address space than they use.
    """
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, MOST_FILES),
        (resource.RLIMIT_FSIZE, memory),
        (resource.RLIMIT_DATA, memory + inherited),
    ):
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
    try:
        Path("/proc/self/oom_score_adj").write_text("900")  # rather this process than the worker
    except OSError:
        return


def writable_only(folders: Iterable[Path]) -> bool:
    """Deny this process for good to write anywhere but below these folders; False: no Landlock here.

    It can then also neither trace, nor signal (Linux 6.12), processes that are not behind the wall.
    """
    version = _libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    handled = CHANGES | (REFER if version > 1 else 0) | (TRUNCATE if version > 2 else 0)
    attributes = struct.pack("QQQ", handled, 0, SCOPES if version > 5 else 0)
    size = 24 if version > 5 else 8
    rules = _libc.syscall(CREATE_RULESET, attributes, size, 0)
    if rules < 0:
        return False
    places = [(folder, handled) for folder in folders if folder.is_dir()]
    places.append((Path("/dev/null"), handled & (WRITE_FILE | TRUNCATE)))
    for place, allowed in places:
        handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
        _libc.syscall(ADD_RULE, rules, 1, struct.pack("=Qi", allowed, handle), 0)
        os.close(handle)
    _libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    done = _libc.syscall(RESTRICT_SELF, rules, 0)
    os.close(rules)
    return bool(done == 0)
