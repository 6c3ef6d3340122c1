"""What is kept beside a part that stays as it is: facts and arrays, good as long as the part is the same file.

A checksum stands before them: what a damaged archive makes a reader raise is anybody's guess, or it raises nothing.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.store.files import written_whole
from arena.store.parts import identity_of

T = TypeVar("T")
SUM_BYTES = 16


def checksum(content: bytes | memoryview) -> bytes:
    """What content is known by."""
    return hashlib.blake2b(content, digest_size=SUM_BYTES).digest()


def write_beside(
    path: Path, suffix: str, version: Sequence[int], facts: Any, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Keep facts, as JSON, and arrays beside a part; version: others are made anew.

    Raises:
        DiskError: it cannot be written.
    """
    head = json.dumps({"made": [*version, *identity_of(path)[1:]], "facts": facts}).encode()
    everything: dict[str, Any] = {**arrays, "head": np.frombuffer(head, np.uint8)}
    held = io.BytesIO()
    np.savez_compressed(held, **everything)
    with written_whole(path.with_suffix(suffix), lasting=False) as file:
        file.write(checksum(held.getbuffer()))
        file.write(held.getbuffer())


def read_beside(
    path: Path, suffix: str, version: Sequence[int], make: Callable[[Any, Mapping[str, Any]], T]
) -> T | None:
    """What is made of the facts and arrays beside a part; None where they are missing, damaged, or of another file."""
    try:
        content = path.with_suffix(suffix).read_bytes()
    except OSError:
        return None
    kept = memoryview(content)[SUM_BYTES:]
    if checksum(kept) != content[:SUM_BYTES]:
        return None
    try:
        with np.load(io.BytesIO(kept), allow_pickle=False) as held:
            head = json.loads(held["head"].tobytes())
            if head["made"] != [*version, *identity_of(path)[1:]]:
                return None
            return make(head["facts"], held)
    except (OSError, ValueError, KeyError, TypeError):  # of another version
        return None
