"""Parts merge in steps: eight of a size become one, up to about 130 000 rows; large ones stay.

So a match is rewritten a few times at most, a merge needs room for its own eight parts and never for the run, and the
driver holds no more than one merge. The merged part is written whole and names those that it replaces; only then are
they removed. A driver killed between leaves both: readers skip what is replaced, the next driver removes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from arena.store.columns import RESULTS
from arena.store.parts import is_sound, open_part, read_part, split_parts, write_part

FAN = 8  # parts of a size become one
FAN_BITS = 3
LARGE_ROWS = 1 << 14  # such parts stay: eight would have 130 000 rows, which take the driver 100 MB
LARGE_BYTES = 6 << 20  # before compression; what is held while eight are merged has its limit too


@dataclass(frozen=True)
class Weighed:
    """A part with its rows, and its bytes before compression."""

    path: Path
    rows: int
    bytes: int

    @property
    def size(self) -> int:
        """Its class: of rows within a factor of eight."""
        return self.rows.bit_length() // FAN_BITS

    @property
    def large(self) -> bool:
        """Whether it stays."""
        return self.rows >= LARGE_ROWS or self.bytes >= LARGE_BYTES


def weighed(path: Path) -> Weighed:
    """A part with what decides whether it is merged."""
    with open_part(path) as part:
        facts = part.metadata
        groups = range(facts.num_row_groups)
        room = sum(facts.row_group(number).total_byte_size for number in groups)
        return Weighed(path, facts.num_rows, room)


def alike(parts: Sequence[Weighed]) -> list[Weighed]:
    """The oldest eight parts of a size that are not large; none where no size has so many."""
    found: dict[int, list[Weighed]] = {}
    for part in parts:
        if not part.large:
            own = found.setdefault(part.size, [])
            own.append(part)
            if len(own) == FAN:
                return own
    return []


def small(parts: Sequence[Weighed]) -> list[Weighed]:
    """The parts that become one at the end of a run: the smallest, as many as a merge may hold."""
    chosen: list[Weighed] = []
    for part in sorted((part for part in parts if not part.large), key=lambda part: part.bytes):
        with_it = [*chosen, part]
        fits = sum(one.bytes for one in with_it) <= FAN * LARGE_BYTES
        if fits and sum(one.rows for one in with_it) <= FAN * LARGE_ROWS:
            chosen = with_it
    return chosen if len(chosen) > 1 else []


def merge_parts(path: Path, parts: Sequence[Path]) -> None:
    """Write the matches of some parts as one, then remove them; DiskError where it cannot be written."""
    table = pa.concat_tables([read_part(part, RESULTS.names) for part in parts])
    write_part(path, table, [part.name for part in parts])
    for part in parts:
        part.unlink()


def clear_replaced(folder: Path) -> None:
    """Remove the parts that a merge has replaced and a killed driver has left."""
    kept, left = split_parts(folder)
    if left and all(is_sound(path) for path in kept):
        for path in left:
            path.unlink()
