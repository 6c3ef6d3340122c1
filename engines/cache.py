"""Where machine code is kept: small files that say themselves whether they are whole."""

import atexit
import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engines.contents import FOLDER_GAME, reached

SHARED = ("engines", "bots", "arena")  # packages whose kernels belong to no single game
BUILD = re.compile("[0-9a-f]{16}")  # the name of a folder of machine code
SHARED_CACHE = "ARENA_SHARED_CACHE"
KEEP_SECONDS = 14 * 24 * 3600
MAGIC = b"tabletop-arena machine code 1\n"
DIGEST_SIZE = 16
_listeners: list[Callable[[Any], None]] = []  # of kernels that must be compiled


# --- folders ----------------------------------------------------------------------------------------------


def cache_root() -> Path:
    """The folder that holds all machine code; `ARENA_CACHE` overrides it."""
    chosen = os.environ.get("ARENA_CACHE")
    if chosen:
        return writable(Path(chosen))
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return writable(Path(home) / "tabletop-arena")


def shared_roots() -> list[Path]:
    """Further folders of machine code that are only read: bots find there what they may use and never change."""
    return [Path(one) for one in os.environ.get(SHARED_CACHE, "").split(os.pathsep) if one]


@functools.cache
def writable(folder: Path) -> Path:
    """The folder itself, or where it cannot be written to a temporary one for this process and those it starts."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        temporary = tempfile.mkdtemp(prefix="tabletop-arena-")
        atexit.register(remove_own, temporary, os.getpid())
        os.environ["ARENA_CACHE"] = temporary
        reason = error.strerror or str(error)
        print(
            f"{folder}: no place for compiled games ({reason}): they are kept until this program ends; "
            "ARENA_CACHE names another folder",
            file=sys.stderr,
        )
        return Path(temporary)
    return folder


def remove_own(folder: str, process: int) -> None:
    """Remove a temporary cache, in the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def build_folder(root: Path, facts: tuple[str, ...]) -> Path:
    """The folder of all machine code of one compiler on one kind of machine, told by facts about both."""
    prune(root)
    return root / hashlib.blake2b("\n".join(facts).encode(), digest_size=8).hexdigest()


def unit_of(kernel: Any) -> str:
    """The game that a kernel belongs to, for a template the one it is linked to; 'shared' for what all games use."""
    modules = dict.fromkeys(getattr(one, "py_func", one).__module__ for one in reached(kernel))
    units = [unit for module in reversed(modules) if (unit := unit_of_module(module))]
    return units[0] if units else "shared"  # what a template calls comes after it


def unit_of_module(module: str) -> str:
    """The game or the installed package that a module belongs to, nothing for what is shared."""
    first, second, *_ = [*module.split("."), ""]
    if first == "engines" and hasattr(sys.modules.get(f"engines.{second}"), "GAME"):
        return second
    if first.startswith(FOLDER_GAME):
        return first.removeprefix(FOLDER_GAME).rpartition("_")[0]
    return "" if first in SHARED else first


# --- misses -----------------------------------------------------------------------------------------------


@contextmanager
def told_of_misses(tell: Callable[[Any], None]) -> Iterator[None]:
    """Inside, `tell(kernel)` is called before a kernel is compiled whose machine code is not in the cache.

    What it raises ends the compiling; it should be no Exception, which would be taken for a fault of the kernel.
    """
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


def tell_miss(kernel: Any) -> None:
    """Tell all who want to know that a kernel must be compiled."""
    for tell in tuple(_listeners):
        tell(kernel)


# --- files ------------------------------------------------------------------------------------------------


def read_whole(path: Path) -> bytes | None:
    """What `write_whole` has stored there; None if there is no such file, or an empty, cut or foreign one."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # only to be read
        os.utime(path)
    head = len(MAGIC) + DIGEST_SIZE
    content = data[head:]
    return content if data[:head] == MAGIC + digest_of(content) else None


def read_stored(path: Path) -> bytes | None:
    """The same of a file of the cache, else of the file like it in a folder that is only read."""
    data = read_whole(path)
    for root in shared_roots() if data is None else ():
        data = data or read_whole(root / path.relative_to(cache_root()))
    return data


def write_whole(path: Path, content: bytes) -> None:
    """Store bytes so that other processes see all of them or nothing.

    Raises:
        OSError: the folder cannot be written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(MAGIC + digest_of(content) + content)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def digest_of(content: bytes) -> bytes:
    """Digest of a file's content."""
    return hashlib.blake2b(content, digest_size=DIGEST_SIZE).digest()


def prune(root: Path) -> None:
    """Remove machine code that no process has opened for 14 days."""
    oldest = time.time() - KEEP_SECONDS
    for build in root.iterdir() if root.is_dir() else ():
        if BUILD.fullmatch(build.name):
            for folder, _, names in os.walk(build, topdown=False):
                prune_folder(Path(folder), names, oldest)


def remove_unused(root: Path) -> None:
    """Remove what lies in a folder below the cache, each with all that it holds, of which nothing is 14 days young."""
    oldest = time.time() - KEEP_SECONDS
    for place in root.iterdir():
        with contextlib.suppress(OSError):  # another process was faster
            if all(one.stat().st_mtime < oldest for one in (place, *place.rglob("*"))):
                shutil.rmtree(place, ignore_errors=True)


def prune_folder(folder: Path, names: list[str], oldest: float) -> None:
    """Remove the old files of one folder, and the folder if nothing is left."""
    try:
        for path in (folder / name for name in names):
            if path.stat().st_mtime < oldest:
                path.unlink()
        if not any(folder.iterdir()) and folder.stat().st_mtime < oldest:
            folder.rmdir()
    except OSError:
        return  # another process was faster, or it is not ours to remove


def files_below(folder: Path) -> Iterator[Path]:
    """Every source or data file below `folder`, byte code left out."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(parent) / name for name in names if not name.endswith(".pyc"))


def hash_folder(folder: Path) -> str:
    """Digest of the names and bytes of every file below `folder`, whatever its suffix."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(files_below(folder)):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()
