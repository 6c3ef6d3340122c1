"""Parts that workers write themselves: into the run folder where they see it, or into a bucket that all share.

Only the driver commits: it gives a handed part its number among the others (from a bucket it is fetched first), then
its matches are stored. A part that a killed driver or a lost node has left is committed by the next driver, or dropped
where its matches have been played again. What is too small to be a part travels to the driver as rows.
"""

import io
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from arena.plan.identity import digest
from arena.store.driver import LOCK
from arena.store.files import DiskError, naming
from arena.store.parts import MATCHES, is_sound, write_part, write_rows
from arena.store.record import RunRecord
from engines.errors import UserError
from engines.texts import clean

SUFFIX = ".handed"
EXTRA = "pip install 'tabletop-arena[bucket]'"
SHARED = "a folder that all see or an object store will do"


@dataclass(frozen=True)
class Place:
    """Where the workers of a run may write parts.

    folder: of the run, absolute. token: what its lock says as long as this driver runs (see `driver`). key: of all
    runs in which the same matches come out. bucket: a URL of fsspec, such as s3://name/prefix; "" for the folder. rows:
    of the smallest part that is worth a file; seconds: of work in a batch that comes to so many.
    """

    folder: Path
    token: str
    key: str
    bucket: str
    rows: int
    seconds: float


@dataclass(frozen=True)
class Handed:
    """A part that a worker has written; its name in the place."""

    name: str


def run_key(record: RunRecord) -> str:
    """What two runs share exactly if every match that both have comes out the same."""
    rules = sorted((name, game.rules) for name, game in record.games.items())
    return digest(record.version, rules, record.spec.seed, record.spec.salt)


def bucket_of(text: str) -> str:
    """A bucket as all workers understand it: a path of a folder does not depend on where one stands."""
    return text if not text or "://" in text else str(Path(text).expanduser().absolute())


# --- in the worker --------------------------------------------------------------------------------


def hand_over(table: pa.Table, place: Place) -> Handed | None:
    """Write results as a part, if they are worth one and the place is seen from here; None if not."""
    if table.num_rows < place.rows:
        return None
    name = f"{place.key}-{uuid.uuid4().hex}{SUFFIX}"
    if place.bucket:
        held = io.BytesIO()
        write_rows(held, table)
        files, root = opened(place)
        with reaching(place):
            files.pipe_file(f"{root}/{name}", held.getvalue())
        return Handed(name)
    if not sees(place):
        return None
    try:
        write_part(place.folder / MATCHES / name, table)
    except DiskError:
        return None  # the driver will say what is wrong
    return Handed(name)


def sees(place: Place) -> bool:
    """Whether this process sees the folder of the run, and not another one of that name."""
    try:
        return (place.folder / LOCK).read_text() == place.token != ""
    except (OSError, UnicodeDecodeError):
        return False


# --- in the driver --------------------------------------------------------------------------------


def waiting(place: Place) -> Iterator[Handed]:
    """The parts of the place that nobody has committed; what is half written is removed."""
    form = re.compile(rf"{place.key}-[0-9a-f]{{32}}{re.escape(SUFFIX)}")
    if place.bucket:
        files, root = opened(place)
        names = []
        with reaching(place), suppress(FileNotFoundError):
            names = sorted(str(path).rpartition("/")[2] for path in files.ls(root, detail=False))
    else:
        folder = place.folder / MATCHES
        for half in folder.glob(f"*{SUFFIX}.tmp"):
            half.unlink(missing_ok=True)
        names = sorted(path.name for path in folder.glob(f"*{SUFFIX}"))
    yield from (Handed(name) for name in names if form.fullmatch(name))


def brought(place: Place, handed: Handed) -> Path:
    """A handed part as a file in the run folder, on the disk.

    Raises:
        UserError: it is gone, or cannot be fetched.
    """
    path = place.folder / MATCHES / handed.name
    if place.bucket:
        files, root = opened(place)
        with naming(path), reaching(place, but_of_disks=True):
            files.get_file(f"{root}/{handed.name}", str(path))
            with path.open("rb") as file:
                os.fsync(file.fileno())
    if not path.exists():
        raise UserError(f"{path}: is gone before it was taken in; the same command goes on")
    return path


def is_whole(path: Path) -> bool:
    """Whether a handed part was written to its end."""
    try:
        return is_sound(path)
    except UserError:
        return False


def let_go(place: Place, handed: Handed) -> None:
    """Remove what has been committed from the place; what cannot be removed is found again, and known."""
    (place.folder / MATCHES / handed.name).unlink(missing_ok=True)
    if place.bucket:
        files, root = opened(place)
        with suppress(Exception):  # of whatever library serves the bucket
            files.rm_file(f"{root}/{handed.name}")


def check_bucket(place: Place) -> None:
    """Whether the bucket can be written, by writing; UserError, one line."""
    files, root = opened(place)
    if "memory" in files.protocol:
        raise UserError(f"--bucket {place.bucket}: every worker has a memory of its own; {SHARED}")
    name = f"{root}/{place.key}-{uuid.uuid4().hex}"
    with reaching(place):
        files.pipe_file(name, b"tabletop-arena")
        files.rm_file(name)


def opened(place: Place) -> tuple[Any, str]:
    """The file system of a bucket, and the path in it."""
    try:
        import fsspec  # an extra: most runs need none
    except ImportError:
        raise UserError(f"--bucket {place.bucket}: needs fsspec: {EXTRA}") from None
    try:
        files, root = fsspec.core.url_to_fs(place.bucket, use_listings_cache=False)
        if "local" in str(files.protocol) or "file" in files.protocol:
            files.makedirs(root, exist_ok=True)
    except (ImportError, ValueError) as error:
        raise UserError(f"--bucket {place.bucket}: {brief_reason(error)} ({EXTRA})") from None
    except OSError as error:
        raise unreachable(place, error) from None
    return files, root.rstrip("/")


@contextmanager
def reaching(place: Place, but_of_disks: bool = False) -> Iterator[None]:
    """Inside, what a bucket does not do is a UserError, whatever library serves it.

    but_of_disks: an error with a number comes from this machine's disk, and stays what it is.
    """
    try:
        yield
    except Exception as error:
        if but_of_disks and isinstance(error, OSError) and error.errno:
            raise
        raise unreachable(place, error) from None


def unreachable(place: Place, error: Exception) -> UserError:
    """The error for a bucket that does not answer, or refuses."""
    return UserError(f"--bucket {place.bucket}: {brief_reason(error)}")


def brief_reason(error: Exception) -> str:
    """The first line of what a library says."""
    if isinstance(error, FileNotFoundError) and not error.errno:
        return clean(f"no such file: {error}", 200)  # some libraries say the path only
    lines = str(error).strip().splitlines()
    return clean(lines[0], 200) if lines else type(error).__name__
