"""Files that are either whole or not there: written aside, to the disk, then renamed."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from engines.errors import UserError


class DiskError(UserError):
    """A file could not be written: the disk is full, or the folder may only be read."""


@contextmanager
def naming(what: Path | str) -> Iterator[None]:
    """Inside, what the system refuses is a DiskError: what cannot be written, and the reason."""
    try:
        yield
    except OSError as error:
        raise DiskError(f"{what}: cannot be written: {reason_of(error)}") from None


@contextmanager
def written_whole(path: Path, lasting: bool = True) -> Iterator[IO[bytes]]:
    """A file to write in place of `path`; it takes its place at the end, in one step.

    Args:
        lasting: the bytes are on the disk before that, not only on their way.

    Raises:
        DiskError: the file and the reason. What stood at `path` stays as it was.
    """
    aside = path.with_name(path.name + ".tmp")
    with naming(path):
        try:
            with aside.open("wb") as file:
                yield file
                file.flush()
                if lasting:
                    os.fsync(file.fileno())
            aside.replace(path)
            if lasting:
                sync_folder(path.parent)
        except OSError:
            with suppress(OSError):  # half a file would keep the room that is missing
                aside.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Write a text in one step."""
    write_bytes(path, text.encode(errors="replace"))  # paths need not be Unicode


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes, as of a picture, in one step."""
    with written_whole(path) as file:
        file.write(content)


def move(file: Path, path: Path) -> None:
    """Give a file of the same folder another name, for good; DiskError where that is not possible."""
    with naming(path):
        file.replace(path)
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder as lasting as the files."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def reason_of(error: OSError) -> str:
    """Why the system refused, in its own words: 'no space left on device'."""
    return os.strerror(error.errno).lower() if error.errno else str(error).lower()


def move_aside(folder: Path, names: Iterable[str]) -> None:
    """Move what is there of a folder's own files and folders into its first free `old-N`."""
    present = [folder / name for name in names if (folder / name).exists()]
    if not present:
        return
    number = 1
    while (folder / f"old-{number}").exists():
        number += 1
    aside = folder / f"old-{number}"
    aside.mkdir()
    for path in present:
        move(path, aside / path.name)
