"""Who writes to a run: its lock tells it, on this machine and on others that share the folder."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from arena.store.provenance import machine_name
from engines.texts import clean

LOCK = ".lock"
BEAT = 5.0  # seconds between two signs of life
HEARD = 60.0  # seconds without one after which a driver of another machine counts as gone


@dataclass(frozen=True)
class Driver:
    """The process that writes to a run, or wrote to it and was killed. silent: seconds since its last sign of life."""

    machine: str
    process: int
    silent: float = 0.0

    @property
    def here(self) -> bool:
        """Whether it is one of this machine."""
        return self.machine == machine_name()


def announce(lock: IO[str]) -> None:
    """Write into a lock who holds it; where nothing can be written it holds all the same.

    Past the file's buffer: what that cannot get rid of it tries again when the lock is closed, and fails there.
    """
    with suppress(OSError):
        lock.truncate(0)
        os.write(lock.fileno(), f"{os.getpid()} {machine_name()}\n".encode())


def beat(lock: IO[str]) -> None:
    """Give a sign of life."""
    with suppress(OSError):
        os.utime(lock.fileno())


def withdraw(lock: IO[str]) -> None:
    """Let a lock say that nobody holds it any more."""
    with suppress(OSError):
        lock.truncate(0)


def read_driver(folder: Path) -> Driver | None:
    """Who holds the lock of a run as it says itself; None where nobody does, or a run of old did."""
    file = folder / LOCK
    try:
        process, _, machine = file.read_text(encoding="utf-8").strip()[:200].partition(" ")
        silent = max(0.0, time.time() - file.stat().st_mtime)
    except (OSError, UnicodeDecodeError):
        return None
    return Driver(clean(machine), int(process), silent) if process.isdecimal() else None
