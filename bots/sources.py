"""Files of bots: from the disk, or as they came with a task from another machine."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from engines.errors import UserError

_carried: dict[str, bytes] = {}


@contextmanager
def carried(files: Mapping[str, bytes]) -> Iterator[None]:
    """Inside, these files of bots (path as written, content) are there whatever the disk holds."""
    _carried.update(files)
    try:
        yield
    finally:
        for path in files:
            _carried.pop(path, None)


def has_file(path: Path) -> bool:
    """Whether a file of a bot can be read."""
    return str(path) in _carried or path.is_file()


def content_of(path: Path) -> bytes:
    """The bytes of a file of a bot."""
    found = _carried.get(str(path))
    if found is not None:
        return found
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"bot {str(path)!r}: {reason}") from None


def digest_of(*contents: bytes) -> str:
    """16 hex characters of the code of a bot; nothing if there is none."""
    return hashlib.blake2b(b"\0".join(contents), digest_size=8).hexdigest() if contents else ""
