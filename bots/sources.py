"""What bots from files consist of: a Python file or a folder, read once, with a digest that names it.

A run plays a bot as it was when the run began: where its files have changed since, or are not on this machine, they
are unpacked into the cache under their digest, and the bot plays from there.
"""

import ast
import fcntl
import fnmatch
import functools
import hashlib
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

from engines.cache import cache_root, remove_unused
from engines.errors import UserError

ENTRIES = ("bot.py", "__init__.py")  # what a folder is begun with
IGNORE = ".arenaignore"  # names and patterns, one a line
MOST_BYTES = 256 << 20  # of all files of a bot: they are kept in memory and travel
UNPACKED = "bots"  # folder of the cache
LOCK = ".lock"  # in it: held while files are put there
MODULE = "arena_bot_"  # begins the names of modules that are files of bots


@dataclass(frozen=True)
class Source:
    """The files of a bot.

    home: where they lie. entry: the file that is run first. folder: whether all of `home` is the bot. path: of the
    file or folder, as it was named. files: content by path, as `entry` relative to `home`.
    """

    home: Path
    entry: str
    folder: bool
    path: str
    digest: str
    files: tuple[tuple[str, bytes], ...] = field(compare=False)

    @property
    def module(self) -> Path:
        """The file that is run first."""
        return self.home / self.entry

    @property
    def place(self) -> Path:
        """The file or folder itself."""
        return self.home if self.folder else self.module

    @property
    def named(self) -> tuple[str, ...]:
        """What belongs to a bot in a file besides that file; nothing for a folder."""
        if self.folder:
            return ()
        return tuple(name for name, _ in self.files if name != self.entry)

    def placed(self) -> tuple[tuple[str, bytes], ...]:
        """The files with their absolute paths."""
        return tuple((str(self.home / name), content) for name, content in self.files)


def digest_of(*contents: bytes) -> str:
    """16 hex characters of the code of a bot; nothing if there is none."""
    return hashlib.blake2b(b"\0".join(contents), digest_size=8).hexdigest() if contents else ""


def is_folder(path: Path) -> bool:
    """Whether a bot can be a folder at this path."""
    return any((path / entry).is_file() for entry in ENTRIES)


def read_source(path: str, files: Iterable[str] = (), wanted: str = "") -> Source:
    """The files of a bot.

    Args:
        path: of its Python file or folder.
        files: what belongs to it besides, absolute or relative to where the bot lies; a folder needs none.
        wanted: the digest of the bot that is meant; what this machine has unpacked under it is as good.

    Raises:
        UserError: a file is missing or too much; one line.
    """
    problem: UserError | None = None
    try:
        found = _read(path, tuple(files))
        if not wanted or found.digest == wanted:
            return found
    except UserError as error:
        problem = error
    if wanted and (stored := unpacked(path, wanted)):
        return stored
    if problem is not None:
        raise problem
    return found


def _read(path: str, named: tuple[str, ...]) -> Source:
    home, entry, names = files_at(path, named)
    check_size(sum((home / name).stat().st_size for name in names), path)
    files = tuple((name, content_of(home / name, path)) for name in dict.fromkeys(names))
    folder = Path(path).is_dir()
    return Source(home, entry, folder, path, source_digest(files, folder), files)


def files_at(path: str, named: Iterable[str] = ()) -> tuple[Path, str, list[str]]:
    """Where the files of a bot lie, the one that is run first, and all of them: names below that place.

    Raises:
        UserError: there is none, or what it names is missing.
    """
    place = Path(path)
    if place.is_dir():
        entry = next((one for one in ENTRIES if (place / one).is_file()), "")
        if not entry:
            raise UserError(f"bot {path!r}: a folder without {' or '.join(ENTRIES)}")
        return place.resolve(), entry, list(names_below(place.resolve(), path))
    if not place.is_file():
        raise UserError(f"bot {path!r}: no such file")
    home, entry = place.resolve().parent, place.resolve().name
    content = content_of(place, path)
    return home, entry, [entry, *named_files(home, [*literal_files(content, path), *named], path)]


def check_size(size: int, bot: str) -> None:
    """Refuse a bot whose files are too many bytes."""
    if size > MOST_BYTES:
        most = f"{MOST_BYTES >> 20} MB is the limit ({IGNORE} leaves files out)"
        raise UserError(f"bot {bot!r}: its files have {size >> 20} MB, {most}")


def source_digest(files: Sequence[tuple[str, bytes]], folder: bool) -> str:
    """What names a bot: the content of a single file; of more, all names and contents."""
    if len(files) == 1 and not folder:
        return digest_of(files[0][1])
    return digest_of(
        *(part for name, content in sorted(files) for part in (name.encode(), content))
    )


def content_of(path: Path, bot: str) -> bytes:
    """The bytes of a file of a bot."""
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"bot {bot!r}: {path.name}: {reason}") from None


# --- which files ------------------------------------------------------------------------------------------


def names_below(home: Path, bot: str) -> Iterator[str]:
    """The files of a folder, by relative path: without byte code, hidden files and what IGNORE names."""
    ignored = []
    if (home / IGNORE).is_file():
        lines = content_of(home / IGNORE, bot).decode("utf-8", "replace").splitlines()
        ignored = [line.strip().rstrip("/") for line in lines]
        ignored = [line for line in ignored if line and not line.startswith("#")]
    for parent, folders, names in os.walk(home):
        inside = PurePosixPath(Path(parent).relative_to(home).as_posix())
        kept = [name for name in sorted(folders) if is_kept(inside / name, ignored)]
        folders[:] = [name for name in kept if name != "__pycache__"]
        yield from (str(inside / name) for name in sorted(names) if is_kept(inside / name, ignored))


def is_kept(path: PurePosixPath, ignored: Iterable[str]) -> bool:
    """Whether a file or folder belongs to a bot."""
    if path.name.startswith(".") or path.suffix in (".pyc", ".pyo"):
        return False
    return not any(
        fnmatch.fnmatch(one, pattern) for pattern in ignored for one in (path.name, str(path))
    )


def literal_files(content: bytes, bot: str) -> list[str]:
    """What the line `files = [...]` at the top of a Python file names; it is read and never run."""
    try:
        body = ast.parse(content).body
    except (SyntaxError, ValueError):
        return []  # running it tells better
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "files" for target in targets):
            try:
                found = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            except ValueError:
                return []
            if isinstance(found, list | tuple) and all(isinstance(one, str) for one in found):
                return list(found)
    return []


def named_files(home: Path, names: Iterable[str], bot: str) -> Iterator[str]:
    """Files and all files of folders, named by path, as paths relative to `home`."""
    for name in names:
        path = Path(os.path.normpath(home / name))
        if not path.is_relative_to(home):
            raise UserError(f"bot {bot!r}: files: {name!r}, does not lie below {home}")
        if path.is_dir():
            inside = path.relative_to(home)
            yield from (
                str(PurePosixPath(inside.as_posix()) / one) for one in names_below(path, bot)
            )
        elif path.is_file():
            yield path.relative_to(home).as_posix()
        else:
            raise UserError(f"bot {bot!r}: files: {name!r}, no such file in {home}")


# --- files that came from another machine -----------------------------------------------------------------


@dataclass(frozen=True)
class Parcel:
    """The files of a bot as they travel. entry: the file that is run first, "" for a program's files."""

    digest: str
    entry: str
    files: tuple[tuple[str, bytes], ...]

    @property
    def key(self) -> str:
        """What tells it from others; a program's digest knows no names."""
        return " ".join([self.digest, *(name for name, _ in self.files)])


def unpack(parcel: Parcel) -> None:
    """Keep the files of a bot in the cache, once on a machine."""
    home = home_of(parcel.digest, parcel.entry)
    if all((home / name).is_file() for name, _ in parcel.files):
        for name, _ in parcel.files:
            os.utime(home / name)  # what nobody uses for long is removed
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    remove_unused(cache_root() / UNPACKED)
    with (home.parent / LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # what another worker has just unpacked is in use already
        if not all((home / name).is_file() for name, _ in parcel.files):
            write_home(home, parcel)


def home_of(digest: str, entry: str) -> Path:
    """Where the files of a bot are unpacked. A single file's digest knows no name: equal files under two names
    have two places, so that nobody puts one in the place of the other, which may be playing.
    """
    return cache_root() / UNPACKED / digest / entry


def write_home(home: Path, parcel: Parcel) -> None:
    """Write the files of a bot aside and put them in their place at once."""
    new = Path(tempfile.mkdtemp(dir=home.parent, prefix=".new-"))
    for name, content in parcel.files:
        path = new / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    shutil.rmtree(home, ignore_errors=True)
    os.replace(new, home)


def unpacked(path: str, digest: str) -> Source | None:
    """The files that `unpack` has stored, if they are whole."""
    given = Path(path).name
    folder = not given.endswith(".py")
    others = sorted(one.name for one in home_of(digest, given).parent.glob("*"))
    entries = ENTRIES if folder else (given, *others)  # a link's own name is nowhere in its bot
    entry = next((one for one in entries if (home_of(digest, one) / one).is_file()), "")
    if not entry:
        return None
    home = home_of(digest, entry)
    found = sorted(one for one in home.rglob("*") if one.is_file())
    files = tuple((one.relative_to(home).as_posix(), content_of(one, path)) for one in found)
    if source_digest(files, folder) != digest:
        return None
    return Source(home, entry, folder, str(home if folder else home / entry), digest, files)


_carried: dict[str, bytes] = {}


@contextmanager
def carried(files: Iterable[tuple[str, bytes]]) -> Iterator[None]:
    """Inside, these files of programs (path as written, content) are there whatever the disk holds."""
    here = dict(files)
    _carried.update(here)
    try:
        yield
    finally:
        for path in here:
            _carried.pop(path, None)


def has_file(path: str) -> bool:
    """Whether a file of a program can be read."""
    return path in _carried or Path(path).is_file()


def program_file(path: str) -> bytes:
    """The bytes of a file of a program."""
    return _carried[path] if path in _carried else content_of(Path(path), path)


# --- running what stands in them --------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def load_module(source: Source) -> ModuleType:
    """Run the first file of a bot, never via sys.path; its siblings can be imported from it.

    Raises:
        UserError: it cannot be loaded.
    """
    place = digest_of(str(source.home).encode())  # equal files in two folders are two modules
    name = f"{MODULE}{Path(source.entry).stem.strip('_')}_{source.digest}_{place}"
    module = ModuleType(name)
    module.__file__ = str(source.module)
    module.__path__ = [str(source.home)]
    module.__package__ = name
    sys.modules[name] = module
    content = dict(source.files)[source.entry]
    try:
        importlib.invalidate_caches()
        with at_home(source):
            exec(compile(content, module.__file__, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UserError(f"bot {source.path!r}: cannot be loaded: {error!r}") from error
    return module


_siblings: dict[Source, dict[str, ModuleType]] = {}  # what bots have imported from their homes
_inside: list[Source] = []  # whose homes are entered


@contextmanager
def at_home(source: Source) -> Iterator[None]:
    """Inside, relative paths and imports are those of a bot, and its modules are nobody else's."""
    if _inside and _inside[-1] == source:
        yield
        return
    before, writes = os.getcwd(), sys.dont_write_bytecode
    own = _siblings.setdefault(source, {})
    shadowed = {name: sys.modules[name] for name in own if name in sys.modules}
    sys.modules.update(own)
    known = len(sys.modules)
    sys.path.insert(0, str(source.home))
    sys.dont_write_bytecode = True
    _inside.append(source)
    os.chdir(source.home)
    try:
        yield
    finally:
        os.chdir(before)
        _inside.pop()
        sys.dont_write_bytecode = writes
        sys.path.remove(str(source.home))
        if len(sys.modules) != known:
            own.update({name: one for name, one in list(sys.modules.items()) if is_of(one, source)})
        for name in own:
            sys.modules.pop(name, None)
        sys.modules.update(shadowed)


def move_in(source: Source) -> None:
    """Make this process a bot's alone: imports are the bot's, its files stand in the working folder too."""
    sys.path.insert(0, str(source.home))
    sys.dont_write_bytecode = True
    _inside.append(source)
    for name in dict.fromkeys(PurePosixPath(path).parts[0] for path, _ in source.files):
        with suppress(OSError):
            os.symlink(source.home / name, name)


def is_of(module: Any, source: Source) -> bool:
    """Whether a module was imported from a bot's home by a name of its own."""
    file = getattr(module, "__file__", None)
    named = getattr(module, "__name__", "").startswith(MODULE)
    return isinstance(file, str) and not named and Path(file).is_relative_to(source.home)


def homed(source: Source, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a bot that always runs at its home."""

    @functools.wraps(call)
    def run(*args: Any, **named: Any) -> Any:
        with at_home(source):
            return call(*args, **named)

    return run
