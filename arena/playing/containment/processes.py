"""What the system knows of processes: children, descendants, memory."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


def children_of(pid: int) -> list[int]:
    """The processes that a process has started or adopted; those that have ended too."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        texts = [Path(f"/proc/{pid}/task/{task}/children").read_text() for task in tasks]
    except (FileNotFoundError, ProcessLookupError):
        return scanned_children(pid)
    return [int(word) for text in texts for word in text.split()]


def scanned_children(pid: int) -> list[int]:
    """The same for kernels that do not list the children of a process."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            after_name = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(after_name.split()[1]) == pid:
            found.append(int(name))
    return found


def descendants_of(pid: int, most: int) -> list[int]:
    """A process and all below it; stops counting beyond `most`."""
    found = [pid]
    for one in found:
        if len(found) > most:
            break
        found += children_of(one)
    return found


@dataclass(frozen=True)
class Memory:
    """What a process occupies, in bytes. own: private pages. shared: of shared memory and files in
    memory. mapped: of other files.
    """

    own: int = 0
    shared: int = 0
    mapped: int = 0


def memory_of(pid: int | str) -> Memory:
    """What a process occupies; nothing if it has ended."""
    names = ("RssAnon:", "RssShmem:", "RssFile:")
    return Memory(*(_status(pid, names).get(name, 0) for name in names))


def used_bytes(pids: Iterable[int], inherited: Memory) -> int:
    """What processes occupy together beyond what each has inherited.

    They map the same files of programs, so the largest share of these counts, once.
    """
    found = [memory_of(pid) for pid in pids]
    own = sum(max(0, one.own - inherited.own) for one in found)
    shared = sum(max(0, one.shared - inherited.shared) for one in found)
    return own + shared + max((max(0, one.mapped - inherited.mapped) for one in found), default=0)


def held_bytes(pids: Iterable[int]) -> int:
    """Bytes of files without a name on a disk that these processes hold open: memfd, /dev/shm."""
    sizes = {}
    for pid in pids:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                path = f"/proc/{pid}/fd/{name}"
                if os.readlink(path).startswith(("/memfd:", "/dev/shm/", "/dev/zero")):
                    facts = os.stat(path)
                    sizes[facts.st_dev, facts.st_ino] = 512 * facts.st_blocks
        except OSError:
            continue
    return sum(sizes.values())


def data_bytes(pid: int | str) -> int:
    """Memory that counts against RLIMIT_DATA; of this process with "self"."""
    return _status(pid, ("VmData:",)).get("VmData:", 0)


def _status(pid: int | str, names: tuple[str, ...]) -> dict[str, int]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    words = [line.split() for line in lines if line.startswith(names)]
    return {word[0]: 1024 * int(word[1]) for word in words}
