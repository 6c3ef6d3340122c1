"""Which matches a large part holds, kept beside it as bits: opening a long run reads what is new.

Such a part stays as it is (`merging.Weighed.large`), so its bits hold until the file is another one; a damaged or older
file of bits is as good as none. Parts with rows that no line-up of the record has are read each time.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from arena.plan.schedule import LineUp
from arena.store.bitmap import Stored
from arena.store.files import DiskError, written_whole
from arena.store.merging import weighed
from arena.store.parts import identity_of, key_tables

KEPT = ".keys"  # the suffix of the bits of a part, beside it
VERSION = 1  # of the bits: others are made anew
MOST_BYTES = 1 << 28  # of a bitmap: two thousand million matches of a line-up


@dataclass(frozen=True, eq=False)
class Kept:
    """The matches of one line-up in one part.

    lineup: its id. first: the byte of its bitmap where bits (b,) begin, bit n of the bitmap being match n. rows: how
    many rows they stand for, those that repeat another too.
    """

    lineup: str
    first: int
    bits: NDArray[np.uint8]
    rows: int


def keys_path(path: Path) -> Path:
    """Where the bits of a part are."""
    return path.with_suffix(KEPT)


def add_part(path: Path, stored: Stored) -> None:
    """Take in the matches of a part, from beside it or from its rows, which leaves its bits beside it if it is large.

    Raises:
        UserError: the file is damaged; FileNotFoundError: it is gone.
    """
    kept = read_kept(path)
    if kept is not None and all(one.lineup in stored.lineups for one in kept):
        for one in kept:
            stored.add_bits(one.lineup, one.first, one.bits, one.rows)
        return
    own, known = Stored(stored.lineups), True
    for table in key_tables(path):
        own.add(table)
        known = known and set(pc.unique(table["lineup_id"]).to_pylist()) <= stored.lineups.keys()
    kept = kept_of(own)
    for one in kept:
        stored.add_bits(one.lineup, one.first, one.bits, one.rows)
    if known and not own.unknown and weighed(path).large:
        with suppress(DiskError):  # where nothing can be written the part is read each time
            write_kept(path, kept)


def kept_of(stored: Stored) -> list[Kept]:
    """What is stored, line-up by line-up, without the zeros around it."""
    found = []
    for name, bitmap in stored.bitmaps.items():
        used = np.flatnonzero(bitmap.bits)
        first, last = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
        if rows := stored.rows[name]:
            found.append(Kept(name, first, bitmap.bits[first:last], rows))
    return found


def write_kept(path: Path, kept: list[Kept]) -> None:
    """Keep the bits of a part beside it."""
    facts = [[one.lineup, one.first, one.rows] for one in kept]
    head = json.dumps({"made": [VERSION, *identity_of(path)[1:]], "lineups": facts}).encode()
    arrays: dict[str, Any] = {str(number): one.bits for number, one in enumerate(kept)}
    held = io.BytesIO()
    np.savez_compressed(held, head=np.frombuffer(head, np.uint8), **arrays)
    with written_whole(keys_path(path), lasting=False) as file:
        file.write(held.getbuffer())


def read_kept(path: Path) -> list[Kept] | None:
    """The bits beside a part; None where there are none, or they are of another file."""
    try:
        with keys_path(path).open("rb") as file, np.load(file, allow_pickle=False) as held:
            head = json.loads(held["head"].tobytes())
            if head["made"] != [VERSION, *identity_of(path)[1:]]:
                return None
            kept = [
                Kept(str(name), int(first), held[str(number)], int(rows))
                for number, (name, first, rows) in enumerate(head["lineups"])
            ]
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    return kept if all(map(makes_sense, kept)) else None


def makes_sense(kept: Kept) -> bool:
    """Whether bits can be those of a part: of one byte each, no more than its rows, where matches can be."""
    fits = kept.bits.dtype == np.uint8 and kept.bits.ndim == 1 and 0 <= kept.first <= MOST_BYTES
    return fits and int(np.bitwise_count(kept.bits).sum(dtype=np.int64)) <= kept.rows


def lineups_beside(path: Path, lineups: Mapping[str, LineUp]) -> Iterator[str] | None:
    """The ids of the line-ups in a part as its bits name them, all of them known; None without bits."""
    kept = read_kept(path)
    if kept is None or any(one.lineup not in lineups for one in kept):
        return None
    return (one.lineup for one in kept)
