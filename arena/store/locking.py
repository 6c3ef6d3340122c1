"""Taking the lock of a run folder: one driver writes. What the lock says is in `driver`."""

import fcntl
from pathlib import Path
from typing import IO

from arena.store.driver import LOCK
from arena.store.files import reason_of
from engines.errors import UserError


def lock_folder(folder: Path) -> IO[str]:
    """Make a folder and take its lock, which ends with the process at the latest."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a")
    except OSError as error:
        raise unusable(folder, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise UserError(
            f"{folder}: another run is writing here, wait or choose another folder"
        ) from None
    return lock


def unusable(folder: Path, error: OSError) -> UserError:
    """The error for a folder that cannot be made, read or written."""
    return UserError(f"{folder}: cannot be used as a run folder: {reason_of(error)}")
