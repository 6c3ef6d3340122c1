"""The Parquet parts that hold stored matches: written once, read column by column, told from other files.

A part of format 3 keeps its columns as `encoding` says, sorted by line-up, deal and seating, and names in its footer
the parts that it replaces. Parts of format 2 are read as they are.
"""

import functools
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from arena.store.columns import (
    ENDINGS,
    FORMAT_KEY,
    FREE,
    KEYS,
    LATER,
    LONG,
    PLAIN,
    SCHEMA,
    VOID,
    cleaned,
    key_order,
    match_ids,
    not_kept,
    table_from_columns,
    with_earlier,
)
from arena.store.encoding import (
    BOOK_KEY,
    FORMAT,
    SCHEMAS,
    book_of,
    book_text,
    decoded,
    encoded,
    file_schema,
    read_book,
    stored_names,
    writing_options,
)
from arena.store.files import reason_of, written_whole
from engines.errors import UserError

__all__ = [
    "ENDINGS",
    "FREE",
    "SCHEMA",
    "VOID",
    "Summed",
    "is_sound",
    "open_part",
    "part_files",
    "part_path",
    "read_part",
    "read_parts",
    "read_table",
    "table_from_columns",
    "write_part",
]

MATCHES = "matches"
FORMATS = {b"2": with_earlier(SCHEMA), FORMAT: SCHEMAS}
CHECKSUM_KEY = b"tabletop-arena checksum"  # of all bytes before the footer
REPLACED_KEY = b"tabletop-arena replaces"  # names of the parts that this one was merged from
FOOTER_END = 8  # bytes: the length of the footer, and the mark of Parquet
GROUP_ROWS = 128 * 1024  # of a row group
FRESH = "--fresh starts anew and moves the old results aside"
ATTEMPTS = 5  # at reading while a run merges its parts


# --- writing --------------------------------------------------------------------------------------


def write_part(path: Path, table: pa.Table, replaced: Iterable[str] = ()) -> None:
    """Write results beside their place, sorted and each match once, to the disk, then rename the file.

    Args:
        table: with the columns of RESULTS.
        replaced: names of the parts that this one stands for from now on.
    """
    with written_whole(path) as file:
        write_rows(file, table, replaced)


def write_rows(file: IO[bytes], table: pa.Table, replaced: Iterable[str] = ()) -> None:
    """Write results as a part into an open file; see `write_part`."""
    order, new = key_order(table)
    book, rows = book_of(table), order[new]
    schema = file_schema(book is not None)
    summed = Summed(file)
    writer = pq.ParquetWriter(summed, schema, **writing_options(schema))
    try:
        for first in range(0, len(rows), GROUP_ROWS):
            own = table.take(pa.array(rows[first : first + GROUP_ROWS])).combine_chunks()
            writer.write_table(encoded(own, book), row_group_size=GROUP_ROWS)
        footer: dict[bytes, str | bytes] = {CHECKSUM_KEY: summed.sum.hexdigest()}
        if book is not None:
            footer[BOOK_KEY] = book_text(book)
        if names := list(replaced):
            footer[REPLACED_KEY] = json.dumps(names)
        writer.add_key_value_metadata(footer)
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
    names = [path.stem.removeprefix("part-") for path in all_files(folder)]
    return 1 + max((int(name) for name in names if name.isdigit()), default=0)


# --- which parts there are --------------------------------------------------------------------------


def all_files(folder: Path) -> list[Path]:
    """The files of parts in order; leftovers of a run that died while writing are none."""
    try:
        return sorted(path for path in (folder / MATCHES).iterdir() if path.suffix == ".parquet")
    except (FileNotFoundError, NotADirectoryError):
        return []


def part_files(folder: Path) -> list[Path]:
    """The parts of a run folder in order, without those that another one replaces."""
    return split_parts(folder)[0]


def split_parts(folder: Path) -> tuple[list[Path], list[Path]]:
    """The parts that count, and those that a run which died while merging has left."""
    for _ in range(ATTEMPTS):
        paths = all_files(folder)
        try:
            gone = (
                {name for path in paths for name in replaced_by(path)} if len(paths) > 1 else set()
            )
        except FileNotFoundError:
            continue
        left = [path for path in paths if path.name not in gone]
        return left, [path for path in paths if path.name in gone]
    raise changing(folder)


def replaced_by(path: Path) -> tuple[str, ...]:
    """The names of the parts that a part replaces; none where it is no part."""
    try:
        return _replaced_by(path, identity_of(path))
    except FileNotFoundError:
        raise
    except OSError:
        return ()  # whoever reads it will say what is wrong


@functools.lru_cache(maxsize=4096)
def _replaced_by(path: Path, identity: tuple[int, ...]) -> tuple[str, ...]:
    try:
        stored = (pq.read_metadata(path).metadata or {}).get(REPLACED_KEY)
    except pa.ArrowException:
        return ()
    return tuple(json.loads(stored)) if stored else ()


def changing(folder: Path) -> UserError:
    """The error for a folder in which somebody merges faster than it can be read."""
    return UserError(f"{folder}: its parts keep changing, try again")


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


# --- reading --------------------------------------------------------------------------------------


def open_part(path: Path) -> pq.ParquetFile:
    """A part whose columns have been checked."""
    try:
        part = pq.ParquetFile(path)
        schema = part.schema_arrow
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, error) from None
    stored = (schema.metadata or {}).get(FORMAT_KEY, b"")
    problem = ""
    if not stored:
        problem = "not written by tabletop-arena, move it away"
    elif stored not in FORMATS:
        known = " and ".join(sorted(name.decode() for name in FORMATS))
        problem = f"stored in format {stored.decode()}, this version reads {known} ({FRESH})"
    elif not any(schema.equals(one) for one in FORMATS[stored]):
        problem = f"{odd_column(schema, FORMATS[stored][0])}, move it away"
    if problem:
        part.close()
        raise UserError(f"{path}: {problem}")
    return part


def odd_column(schema: pa.Schema, wanted: pa.Schema) -> str:
    """What is wrong with the columns of a part."""
    for field in wanted:
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


def format_of(part: pq.ParquetFile) -> bytes:
    """The format of an opened part."""
    stored: bytes = part.schema_arrow.metadata[FORMAT_KEY]
    return stored


def row_tables(path: Path, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of a part, one table a row group; ids are made where they are asked for.

    Raises:
        UserError: the file is damaged or not a part of a run; FileNotFoundError: it is gone.
    """
    with open_part(path) as part:
        for number in range(part.num_row_groups):
            yield row_table(path, part, number, columns)


def key_tables(path: Path) -> Iterator[pa.Table]:
    """Which matches a part holds: KEYS, one table a row group, words as dictionaries."""
    open_part(path).close()
    with pq.ParquetFile(path, read_dictionary=["lineup_id", "ending"]) as part:
        for number in range(part.num_row_groups):
            try:
                yield part.read_row_group(number, columns=list(KEYS))
            except (pa.ArrowException, OSError) as error:
                raise damaged(path, error) from None


def row_table(path: Path, part: pq.ParquetFile, number: int, columns: Sequence[str]) -> pa.Table:
    """Some columns of one row group of an opened part."""
    makes_ids = "match_id" in columns and "match_id" not in part.schema_arrow.names
    wanted = [name for name in columns if name != "match_id" or not makes_ids]
    if makes_ids:
        wanted += [name for name in KEYS if name not in wanted]
    try:
        table = cleaned(read_group(part, number, wanted))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(path, error) from None
    if makes_ids:
        table = table.append_column(SCHEMA.field("match_id"), match_ids(table))
    return table.select(list(columns))


def read_group(part: pq.ParquetFile, number: int, names: list[str]) -> pa.Table:
    """Columns of results of one row group, whatever the format; what was not kept then is 0 or no text."""
    absent = [name for name in LATER if name in names and name not in part.schema_arrow.names]
    there = [name for name in names if name not in absent]
    if absent and "players" not in there:
        there.append("players")
    if format_of(part) == FORMAT:
        book = (part.metadata.metadata or {}).get(BOOK_KEY)
        stored = part.read_row_group(number, columns=stored_names(there, part.schema_arrow))
        table = decoded(stored, there, read_book(book) if book else None)
    else:
        table = part.read_row_group(number, columns=there)
    for name in absent:
        table = table.append_column(SCHEMA.field(name), not_kept(table, name))
    return table.select(names)


def read_part(path: Path, columns: Sequence[str]) -> pa.Table:
    """Some columns of one part; see `row_tables`."""
    empty = SCHEMA.empty_table().select(list(columns)).replace_schema_metadata(None)
    return pa.concat_tables([empty, *row_tables(path, columns)])


def read_parts(folder: Path, columns: Sequence[str]) -> pa.Table:
    """The rows of all parts; begins anew if a run merges its parts meanwhile."""
    empty = SCHEMA.empty_table().select(list(columns)).replace_schema_metadata(None)
    for _ in range(ATTEMPTS):
        try:
            tables = [read_part(path, columns) for path in part_files(folder)]
        except FileNotFoundError:
            continue
        return pa.concat_tables([empty, *tables]).combine_chunks()
    raise changing(folder)


def read_table(
    folder: Path | str, columns: Sequence[str] | None = None, actions: bool = False
) -> pa.Table:
    """The stored matches, each once, by line-up, deal and seating: the same whatever order they came in.

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
    plain = [name for name in wanted if name != "match_id"]
    table = read_parts(Path(folder), [*plain, *(name for name in KEYS if name not in plain)])
    return ordered(table, wanted)


def ordered(table: pa.Table, wanted: Sequence[str]) -> pa.Table:
    """Columns of matches, each once, in the order in which they are always read."""
    order, new = key_order(table)
    table = table.take(pa.array(order[new]))
    if "match_id" in wanted:
        table = table.append_column(SCHEMA.field("match_id"), match_ids(table))
    return table.select(list(wanted))
