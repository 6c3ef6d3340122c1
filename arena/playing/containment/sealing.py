"""Machine code that compiled bots from files have made of themselves: kept apart for each, named by digest.

A bot compiles once, in its sandbox, before its first match; what it wrote is kept below the cache under a
digest of all of it, and its matches read that and can change nothing. No other process ever loads it.
"""

import base64
import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from arena.playing.containment.starting import SEALED
from arena.store.files import naming
from bots.contract import BotSpec
from engines.cache import cache_root, remove_unused
from engines.core import Game

MOST_FILES = 1000
MOST_BYTES = 64 << 20
_whole: dict[
    str, str
] = {}  # folders that this process has looked through, by what names bot and game


def harvested(folder: Path) -> dict[str, str]:
    """The files that a bot has compiled, as text that travels; none if they are too many."""
    found: dict[str, str] = {}
    left = MOST_BYTES
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            if path.is_symlink() or not path.is_file() or len(found) == MOST_FILES:
                return {}
            with path.open("rb") as file:
                content = file.read(left + 1)
            left -= len(content)
            if left < 0:
                return {}
            found[path.relative_to(folder).as_posix()] = base64.b64encode(content).decode()
    return found


def seal(spec: BotSpec, game: Game, code: Mapping[str, str]) -> None:
    """Keep what a bot has compiled; DiskError where there is no room."""
    files = {name: base64.b64decode(text) for name, text in code.items() if is_inside(name)}
    if not files:
        return
    root = cache_root().resolve() / SEALED
    root.mkdir(parents=True, exist_ok=True)
    remove_unused(root)
    new = Path(tempfile.mkdtemp(dir=root, prefix=".new-"))
    with naming(root):
        try:
            for name, content in files.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            new.chmod(0o755)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)  # half of it would keep the room that is missing
            raise
    try:
        os.replace(new, root / f"{name_of(spec, game)}-{digest_of(new)}")
    except OSError:  # another worker was faster
        shutil.rmtree(new, ignore_errors=True)


def sealed_for(spec: BotSpec, game: Game) -> str:
    """The folder of what a bot has compiled for a game; nothing if it has not, or the folder is not whole."""
    root, name = cache_root().resolve() / SEALED, name_of(spec, game)
    if name not in _whole:
        for folder in sorted(root.glob(f"{name}-*")):
            if folder.name.rpartition("-")[2] == digest_of(folder):
                _whole[name] = str(folder)
    found = _whole.get(name, "")
    if found:
        with contextlib.suppress(OSError):
            os.utime(found)  # what nobody uses for long is removed
    return found


def name_of(spec: BotSpec, game: Game) -> str:
    """What names a bot and a game."""
    facts = f"{spec.kind.source_hash} {spec.place} {game.name} {game.rules_digest}"
    return hashlib.blake2b(facts.encode(), digest_size=8).hexdigest()


def digest_of(folder: Path) -> str:
    """Digest of all names and contents below a folder."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(hashlib.blake2b(path.read_bytes()).digest())
    return digest.hexdigest()


def is_inside(name: str) -> bool:
    """Whether a relative path stays inside its folder."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and bool(path.parts)
