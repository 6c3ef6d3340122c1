"""Which matches a large part holds, kept beside it as bits: opening a long run reads what is new.

Such a part stays as it is (`merging.Weighed.large`), so its bits hold until the file is another one; a damaged or older
file of bits is as good as none. Parts with rows that no line-up of the record has are read each time.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.plan.numbering import UNKNOWN, Integers
from arena.plan.schedule import LineUp
from arena.store.beside import read_beside, write_beside
from arena.store.bitmap import Stored, numbers_of, rows_by_lineup
from arena.store.columns import is_void
from arena.store.files import DiskError
from arena.store.merging import weighed
from arena.store.parts import key_tables

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


def add_part(path: Path, stored: Stored) -> None:
    """Take in the matches of a part, from beside it or from its rows, which leaves its bits beside it if it is large.

    Raises:
        UserError: the file is damaged; FileNotFoundError: it is gone.
    """
    kept = known_kept(path, stored.lineups)
    if kept is None:
        kept, known = held_in(key_tables(path), stored.lineups)
        if known and weighed(path).large:
            with suppress(DiskError):  # where nothing can be written the part is read each time
                write_kept(path, kept)
    for one in kept:
        stored.add_bits(one.lineup, one.first, one.bits, one.rows)


def held_in(tables: Iterable[pa.Table], lineups: Mapping[str, LineUp]) -> tuple[list[Kept], bool]:
    """The matches of a part, line-up by line-up, and whether all its rows are such."""
    held, known = defaultdict[str, list[Integers]](list), True
    for table in tables:
        void = is_void(table)
        for name, rows in rows_by_lineup(table):
            if name not in lineups:
                known = False
                continue
            numbers = numbers_of(lineups[name], table, rows)
            known &= bool((numbers != UNKNOWN).all())
            held[name].append(numbers[(numbers != UNKNOWN) & ~void[rows]])
    found = ((name, np.concatenate(some)) for name, some in held.items())
    return [kept_of(name, numbers) for name, numbers in found if len(numbers)], known


def kept_of(lineup: str, numbers: Integers) -> Kept:
    """The matches (m,) of a line-up, some perhaps twice; no byte before the first or after the last of them.

    So a late part costs no more than an early one.
    """
    first, last = int(numbers.min()) >> 3, (int(numbers.max()) >> 3) + 1
    flags = np.zeros(8 * (last - first), dtype=bool)
    flags[numbers - 8 * first] = True
    return Kept(lineup, first, np.packbits(flags, bitorder="little"), len(numbers))


def write_kept(path: Path, kept: list[Kept]) -> None:
    """Keep the bits of a part beside it."""
    facts = [[one.lineup, one.first, one.rows] for one in kept]
    arrays = {str(number): one.bits for number, one in enumerate(kept)}
    write_beside(path, KEPT, [VERSION], facts, arrays)


def read_kept(path: Path) -> list[Kept] | None:
    """The bits beside a part; None where there are none, or they are of another file."""

    def made(facts: Any, arrays: Mapping[str, Any]) -> list[Kept]:
        return [
            Kept(str(name), int(first), arrays[str(number)], int(rows))
            for number, (name, first, rows) in enumerate(facts)
        ]

    kept = read_beside(path, KEPT, [VERSION], made)
    return kept if kept is not None and all(map(makes_sense, kept)) else None


def known_kept(path: Path, lineups: Mapping[str, LineUp]) -> list[Kept] | None:
    """The bits beside a part of which all line-ups are known; None without."""
    kept = read_kept(path)
    return kept if kept is not None and all(one.lineup in lineups for one in kept) else None


def makes_sense(kept: Kept) -> bool:
    """Whether bits can be those of a part: of one byte each, no more than its rows, where matches can be."""
    fits = kept.bits.dtype == np.uint8 and kept.bits.ndim == 1 and 0 <= kept.first <= MOST_BYTES
    return fits and int(np.bitwise_count(kept.bits).sum(dtype=np.int64)) <= kept.rows
