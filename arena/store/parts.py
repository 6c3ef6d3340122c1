"""Stored matches: their columns, and the Parquet parts that hold them."""

import functools
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from arena.store.files import reason_of, written_whole
from engines.errors import UserError
from engines.texts import clean

MATCHES = "matches"
FORMAT_KEY = b"tabletop-arena matches"
FORMAT = b"2"
CHECKSUM_KEY = b"tabletop-arena checksum"  # of all bytes before the footer
FOOTER_END = 8  # bytes: the length of the footer, and the mark of Parquet
VOID = "void"
FAULTS = ("illegal action", "timeout", "memory", "crash", "protocol error")
ENDINGS = ("finished", *FAULTS, "too long", VOID)  # the referee's words for how matches end
FRESH = "--fresh starts anew and moves the old results aside"

SCHEMA = pa.schema(
    [
        ("match_id", pa.string()),
        ("lineup_id", pa.string()),
        ("game", pa.string()),
        ("variant_id", pa.string()),
        ("players", pa.int8()),
        ("deal", pa.int32()),
        ("seating", pa.list_(pa.int8())),  # per seat, a position in the line-up's sorted entrants
        ("ending", pa.string()),  # the referee's
        ("reason", pa.string()),  # the game's
        ("capped", pa.bool_()),
        ("turns", pa.int32()),
        ("decisions", pa.int32()),  # with at least two options
        ("decisions_by_seat", pa.list_(pa.int32())),  # per seat, they add up to decisions
        ("forced", pa.int32()),
        ("actions", pa.list_(pa.uint16())),  # forced ones included
        ("actors", pa.list_(pa.int8())),  # the player of each action
        ("actions_hash", pa.uint64()),
        ("points", pa.list_(pa.int32())),  # per seat
        ("ranks", pa.list_(pa.int8())),  # per seat, 1 = best, ties share
        ("seconds", pa.list_(pa.float32())),  # per seat
        ("fault_seat", pa.int8()),  # -1 = none
        ("fault_text", pa.string()),
        ("worker_seconds", pa.float32()),
        ("worker_stderr", pa.string()),  # the last that failed bots wrote
        (
            "start_seconds",
            pa.list_(pa.float32()),
        ),  # per seat, of a process before its first decision
    ],
    metadata={FORMAT_KEY: FORMAT},
)
STARTS = "start_seconds"
BEFORE = SCHEMA.remove(
    SCHEMA.get_field_index(STARTS)
)  # parts of runs from before that was measured
LONG = ("actions", "actors")
WORDS = ("fault_text", "worker_stderr")  # what bots had a hand in
FREE = ("seconds", "worker")  # columns with these in their name may differ between two equal runs
PLAIN = tuple(name for name in SCHEMA.names if name not in LONG)

Column: TypeAlias = Sequence[Any] | NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]


def table_from_columns(columns: Mapping[str, Column]) -> pa.Table:
    """A table of matches from columns; a list column is given as (flat values, m + 1 offsets).

    Raises:
        ValueError: a column is missing, unknown or of another length.
    """
    if set(columns) != set(SCHEMA.names):
        odd = sorted(set(columns) ^ set(SCHEMA.names))
        raise ValueError(f"columns missing or unknown: {', '.join(odd)}")
    arrays = [arrow_column(field, columns[field.name]) for field in SCHEMA]
    if len({len(array) for array in arrays}) > 1:
        lengths = ", ".join(f"{f.name} {len(a)}" for f, a in zip(SCHEMA, arrays, strict=True))
        raise ValueError(f"columns of different lengths: {lengths}")
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def arrow_column(field: pa.Field, column: Column) -> pa.Array:
    """One column in its declared type."""
    if field.name in WORDS:
        texts = [clean(str(text), lines=True) if text else "" for text in column]
        return pa.array(texts, field.type)
    if not pa.types.is_list(field.type):
        return pa.array(column, field.type)
    values, offsets = column
    if len(values) != int(offsets[-1]):
        raise ValueError(f"{field.name}: {len(values)} values, the last offset is {offsets[-1]}")
    flat = pa.array(np.asarray(values), field.type.value_type)
    return pa.ListArray.from_arrays(pa.array(np.asarray(offsets), pa.int32()), flat)


def seat_matrix(table: pa.Table, column: str, players: int) -> NDArray[Any]:
    """A per-seat column as an array (matches, players); all rows have `players` seats."""
    flat = table[column].combine_chunks().flatten()
    return np.asarray(flat.to_numpy(zero_copy_only=False).reshape(table.num_rows, players))


# --- writing --------------------------------------------------------------------------------------


def write_part(path: Path, tables: Iterable[pa.Table]) -> None:
    """Write a part beside its place, to the disk, then rename it; one row group a table."""
    with written_whole(path) as file:
        summed = Summed(file)
        writer = pq.ParquetWriter(summed, SCHEMA, compression="zstd")
        try:
            for table in tables:
                writer.write_table(table)
            writer.add_key_value_metadata({CHECKSUM_KEY: summed.sum.hexdigest()})
            writer.close()
        finally:
            writer.is_open = False  # else it tries again when it is collected, in vain


class Summed:
    """A file that is written, with the digest of what has been."""

    closed = False  # pyarrow asks

    def __init__(self, file: IO[bytes]) -> None:
        """Nothing has been written yet."""
        self.file = file
        self.sum = hashlib.blake2b(digest_size=16)
        self.written = 0

    def write(self, data: bytes) -> int:
        """Write and add up."""
        self.sum.update(data)
        self.written += len(data)
        return self.file.write(data)

    def tell(self) -> int:
        """How much has been written."""
        return self.written

    def flush(self) -> None:
        """Let it go on to the system."""
        self.file.flush()


def part_path(folder: Path, number: int) -> Path:
    """The file of a part in a run folder."""
    return folder / MATCHES / f"part-{number:06d}.parquet"


def next_number(folder: Path) -> int:
    """One more than the largest number of a part."""
    names = [path.stem.removeprefix("part-") for path in part_files(folder)]
    return 1 + max((int(name) for name in names if name.isdigit()), default=0)


# --- reading --------------------------------------------------------------------------------------


def part_files(folder: Path) -> list[Path]:
    """The parts of a run folder in order; leftovers of a run that died while writing are none."""
    try:
        return sorted(path for path in (folder / MATCHES).iterdir() if path.suffix == ".parquet")
    except (FileNotFoundError, NotADirectoryError):
        return []


def identity_of(path: Path) -> tuple[int, ...]:
    """What changes when a file does."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def is_sound(path: Path) -> bool:
    """Whether a part holds what its writer wrote; False too where it has no checksum."""
    try:
        return _is_sound(path, identity_of(path))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise damaged(path, error) from None


@functools.lru_cache(maxsize=4096)
def _is_sound(path: Path, identity: tuple[int, ...]) -> bool:
    with open_part(path) as part:
        stored = (part.metadata.metadata or {}).get(CHECKSUM_KEY)
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(size - FOOTER_END)
        left = size - FOOTER_END - int.from_bytes(file.read(4), "little")
        file.seek(0)
        found = hashlib.blake2b(digest_size=16)
        while stored and left > 0 and (chunk := file.read(min(left, 1 << 20))):
            found.update(chunk)
            left -= len(chunk)
    return stored is not None and found.hexdigest() == stored.decode("ascii", "replace")


def read_part(path: Path, columns: Sequence[str], match_id: str | None = None) -> pa.Table:
    """Some columns of one part, of all matches or of one.

    Raises:
        UserError: the file is damaged or not a part of a run; FileNotFoundError: it is gone.
    """
    with open_part(path) as part:
        try:
            if match_id is None:
                return cleaned(read_columns(part, columns))
            ids = part.read(columns=["match_id"])["match_id"]
            if pc.index(ids, match_id).as_py() < 0:
                return SCHEMA.empty_table().select(list(columns))
            table = read_columns(part, columns)
            return cleaned(table.filter(pc.equal(ids, match_id)))
        except (pa.ArrowException, OSError) as error:
            raise damaged(path, error) from None


def read_columns(part: pq.ParquetFile, columns: Sequence[str]) -> pa.Table:
    """Some columns of a part; of one from before, no time of starts."""
    if STARTS not in columns or STARTS in part.schema_arrow.names:
        return part.read(columns=list(columns)).select(list(columns))
    there = [name for name in dict.fromkeys([*columns, "players"]) if name != STARTS]
    table = part.read(columns=there)
    players = np.asarray(table["players"])
    offsets = np.concatenate([[0], np.cumsum(players)])
    starts = arrow_column(SCHEMA.field(STARTS), (np.zeros(offsets[-1]), offsets))
    return table.append_column(SCHEMA.field(STARTS), starts).select(list(columns))


def cleaned(table: pa.Table) -> pa.Table:
    """The table with texts that may be shown, whoever wrote them; each distinct text is looked at once."""
    for name in WORDS:
        if name in table.column_names and table.num_rows:
            column = table[name].combine_chunks().dictionary_encode()
            texts = column.dictionary.to_pylist()
            fit = [text and clean(text, lines=True) for text in texts]
            if fit != texts:
                made = pa.array(fit, pa.string()).take(column.indices)
                table = table.set_column(table.column_names.index(name), SCHEMA.field(name), made)
    return table


def open_part(path: Path) -> pq.ParquetFile:
    """A part whose columns have been checked."""
    try:
        part = pq.ParquetFile(path)
        schema = part.schema_arrow
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, error) from None
    stored = (schema.metadata or {}).get(FORMAT_KEY, b"").decode()
    problem = ""
    if not stored:
        problem = "not written by tabletop-arena, move it away"
    elif stored != FORMAT.decode():
        problem = f"stored in format {stored}, this version reads {FORMAT.decode()} ({FRESH})"
    elif not schema.equals(SCHEMA) and not schema.equals(BEFORE):
        problem = f"{odd_column(schema)}, move it away"
    if problem:
        part.close()
        raise UserError(f"{path}: {problem}")
    return part


def odd_column(schema: pa.Schema) -> str:
    """What is wrong with the columns of a part."""
    for field in SCHEMA:
        here = schema.field(field.name).type if field.name in schema.names else "missing"
        if here != field.type:
            return f"column {field.name}: {here}, expected {field.type}"
    return "its columns are not those of matches"


def damaged(path: Path, error: Exception) -> UserError:
    """The error for a file that is cut off or no Parquet at all, or that may not be read."""
    if isinstance(error, OSError) and error.errno:
        return UserError(f"{path}: cannot be read: {reason_of(error)}")
    reason = str(error).splitlines()[0].rstrip(".")
    return UserError(
        f"{path}: damaged, move it away and run again to replay its matches ({reason})"
    )


def read_table(
    folder: Path | str, columns: Sequence[str] | None = None, actions: bool = False
) -> pa.Table:
    """The stored matches, each once, by line-up, deal and id: the same whatever order they came in.

    Args:
        columns: names, by default all but the actions and their actors.
        actions: with these two as well.

    Raises:
        UserError: names a column or a file.
    """
    wanted = list(PLAIN if columns is None else columns)
    wanted += [name for name in LONG if actions and name not in wanted]
    for name in wanted:
        if name not in SCHEMA.names:
            raise UserError(f"column {name!r}: unknown, known are {', '.join(SCHEMA.names)}")
    keys = [name for name in ("match_id", "lineup_id", "deal", "ending") if name not in wanted]
    table = read_parts(Path(folder), [*wanted, *keys])
    order = [(name, "ascending") for name in ("lineup_id", "deal", "match_id")]
    return distinct(table).sort_by(order).select(wanted)


def read_parts(folder: Path, columns: Sequence[str], match_id: str | None = None) -> pa.Table:
    """The rows of all parts, or one match; begins anew if a run merges its parts meanwhile."""
    empty = SCHEMA.empty_table().select(list(columns))
    for _ in range(5):
        try:
            tables = [read_part(path, columns, match_id) for path in part_files(folder)]
        except FileNotFoundError:
            continue
        return pa.concat_tables([empty, *tables]).combine_chunks()
    raise UserError(f"{folder}: its parts keep changing, try again")


def unvoid(table: pa.Table) -> pa.Table:
    """The matches that were played."""
    return table.filter(pc.not_equal(table["ending"], VOID))


def distinct(table: pa.Table) -> pa.Table:
    """Each match once; one that was played beats one that was void."""
    ids = table["match_id"]
    if pc.count_distinct(ids).as_py() == table.num_rows:
        return table
    void = pc.equal(table["ending"], VOID).to_numpy()
    order = np.argsort(void, kind="stable")
    _, first = np.unique(ids.to_numpy()[order].astype(str), return_index=True)
    return table.take(pa.array(np.sort(order[first])))


def row_groups(paths: Iterable[Path], largest: int) -> Iterator[pa.Table]:
    """The matches of several parts, each once, in tables of about `largest` bytes."""
    paths = list(paths)
    brief = [read_part(path, ["match_id", "ending"]) for path in paths]
    played = {one for table in brief for one in unvoid(table)["match_id"].to_pylist()}
    seen: set[str] = set()
    held: list[pa.Table] = []
    for path in paths:
        table = distinct(read_part(path, SCHEMA.names))
        keep = []
        for one, ending in zip(
            *[table[c].to_pylist() for c in ("match_id", "ending")], strict=True
        ):
            keep.append(one not in seen and (ending != VOID or one not in played))
            if keep[-1]:
                seen.add(one)
        held.append(table.filter(pa.array(keep, pa.bool_())))
        if sum(one.nbytes for one in held) >= largest:
            yield pa.concat_tables(held).combine_chunks()
            held = []
    if held:
        yield pa.concat_tables(held).combine_chunks()
