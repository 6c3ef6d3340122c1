"""What is kept beside a part that stays as it is: facts and arrays, good as long as the part is the same file.

A checksum of 16 bytes, then compressed: how long the head is (8 bytes), the head as JSON, and each array from a whole
number of 8 bytes on. One piece for all: a long run has thousands of such files with dozens of small arrays each.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.store.files import written_whole
from arena.store.parts import identity_of

T = TypeVar("T")
SUM_BYTES, WORD = 16, 8


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
    named = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
    made = [*version, *identity_of(path)[1:]]
    head = json.dumps({"made": made, "arrays": named, "facts": facts}).encode()
    parts = [len(head).to_bytes(WORD, "little"), head, *(one.tobytes() for one in arrays.values())]
    content = zlib.compress(b"".join(part + b"\0" * (-len(part) % WORD) for part in parts))
    with written_whole(path.with_suffix(suffix), lasting=False) as file:
        file.write(checksum(content))
        file.write(content)


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
        held = bytearray(zlib.decompress(kept))
        size = int.from_bytes(held[:WORD], "little")
        head = json.loads(held[WORD : WORD + size])
        if head["made"] != [*version, *identity_of(path)[1:]]:
            return None
        return make(head["facts"], arrays_in(held, WORD + size, head["arrays"]))
    except (OSError, ValueError, KeyError, TypeError, zlib.error):  # of another version
        return None


def arrays_in(
    held: bytearray, after: int, named: Sequence[tuple[str, str, Sequence[int]]]
) -> dict[str, NDArray[Any]]:
    """The arrays that lie behind the head, which ends at byte `after`."""
    found = {}
    for name, kind, shape in named:
        after += -after % WORD
        found[name] = np.frombuffer(held, kind, prod(shape), after).reshape(shape)
        after += found[name].nbytes
    return found
