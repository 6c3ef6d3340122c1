"""What the system knows of processes: children, descendants, memory."""

import os
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


def resident_bytes(pid: int) -> int:
    """Memory that a process occupies, mapped files left out; 0 if it has ended."""
    return _status(pid, ("RssAnon:", "RssShmem:"))


def data_bytes(pid: int) -> int:
    """Memory that counts against RLIMIT_DATA."""
    return _status(pid, ("VmData:",))


def _status(pid: int, names: tuple[str, ...]) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(names))
