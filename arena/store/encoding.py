"""How a part keeps its columns (format 3): what was measured to take the least room that is read as quickly.

Actions and their actors are one stream of bytes: the 255 pairs most frequent in the part by their rank, all others as
RARE with three bytes beside the stream. Where few actions exist (Connect Four) Parquet's own bit-packed lists are
smaller and stay. Times are whole microseconds, those of single actions a byte each: seven or eight steps a doubling.
Dictionaries are for words only. The id of a match is not kept.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.store.columns import FORMAT_KEY, LONG, MACHINE, MOVES, RESULTS, with_earlier

FORMAT = b"3"
BOOK_KEY = b"tabletop-arena moves"  # pairs of action and actor by rank, as hex of uint16 and int8
RARE = 255
RARE_BYTES = 3
TOGETHER = 1 << 16  # actions that are looked up together
FEW_ACTIONS = 16  # different ones: bit-packed lists are smaller than bytes
TIMES = ("seconds", "start_seconds", "worker_seconds")
MICRO = 1e6
STEPS = 7.5  # of a byte for a doubling of a time: right to 5 %, from a microsecond to four hours
WORDS = (
    *("lineup_id", "game", "variant_id", "ending", "reason", "fault_text", "worker_stderr"),
    MACHINE,
)
SMALL = ("players", "capped", "fault_seat")  # numbers of which few values occur
SMALL_LISTS = ("seating", "decisions_by_seat", "points", "ranks")
STREAM = (pa.field("moves", pa.binary()), pa.field("rare_moves", pa.binary()))


def file_schema(stream: bool) -> pa.Schema:
    """The columns of a part, with actions and actors as a stream or as lists."""
    fields = []
    for field in RESULTS:
        if field.name in TIMES:
            kind = pa.list_(pa.int64()) if pa.types.is_list(field.type) else pa.int64()
            fields.append(pa.field(field.name, kind))
        elif field.name == MOVES:
            fields.append(pa.field(MOVES, pa.binary()))
        elif field.name not in LONG or not stream:
            fields.append(field)
        elif field.name == LONG[0]:
            fields += STREAM
    return pa.schema(fields, metadata={FORMAT_KEY: FORMAT})


SCHEMAS = tuple(
    one for stream in (False, True) for one in with_earlier(file_schema(stream))[:3]
)  # starts were measured from the first day of this format


def writing_options(schema: pa.Schema) -> dict[str, object]:
    """What ParquetWriter is told of a part's columns."""
    lists = [f"{name}.list.element" for name in SMALL_LISTS]
    plain = [] if STREAM[0].name in schema.names else [f"{name}.list.element" for name in LONG]
    packed = [
        f"{name}.list.element" if pa.types.is_list(schema.field(name).type) else name
        for name in TIMES
    ]
    encodings = dict.fromkeys(
        [*packed, "deal", "turns", "decisions", "forced"], "DELTA_BINARY_PACKED"
    )
    if not plain:
        encodings |= dict.fromkeys([field.name for field in STREAM], "DELTA_LENGTH_BYTE_ARRAY")
    return {
        "compression": "zstd",
        "compression_level": 3,
        "use_dictionary": [*WORDS, *SMALL, *lists, *plain],
        "column_encoding": encodings,
    }


# --- actions ------------------------------------------------------------------------------------------


def book_of(table: pa.Table) -> NDArray[np.int32] | None:
    """The most frequent pairs of action and actor, as numbers; None where lists are smaller."""
    actions, actors = (flat(table, name) for name in LONG)
    if not actions.size:
        return None
    places = Places(actions, actors)
    counts = np.zeros(places.count, np.int64)
    for _, own in places.walk():
        counts += np.bincount(own, minlength=places.count)
    there = np.flatnonzero(counts)
    if np.unique(there // places.actors).size <= FEW_ACTIONS:
        return None
    frequent = there[np.argsort(-counts[there], kind="stable")[:RARE]]
    pairs = frequent // places.actors << 8 | frequent % places.actors
    return np.asarray(pairs, dtype=np.int32)


class Places:
    """Pairs of action and actor as places in a table, side by side and in the order of their numbers.

    A table is counted and looked up in a fraction of the time that sorting millions of pairs takes.
    """

    def __init__(self, actions: NDArray[np.uint16], actors: NDArray[np.int8]) -> None:
        """Places for all of these pairs."""
        self._actions, self._actors = actions, actors.view(np.uint8)
        self.actors = int(self._actors.max(initial=0)) + 1
        self.count = (int(actions.max(initial=0)) + 1) * self.actors

    def walk(self) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """The place of each pair, some at a time: eight bytes for each of a merge's would be too many."""
        for first in range(0, len(self._actions), TOGETHER):
            some = slice(first, first + TOGETHER)
            places = self._actions[some].astype(np.int64)
            places *= self.actors
            places += self._actors[some]
            yield some, places

    def ranks(self, book: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Of each place its rank in a book, or RARE."""
        table = np.full(self.count, RARE, np.uint8)
        places = (book >> 8) * self.actors + (book & 255)
        inside = ((book & 255) < self.actors) & (places < self.count)
        table[places[inside]] = np.flatnonzero(inside)
        return table


def flat(table: pa.Table, name: str) -> NDArray[Any]:
    """All values of a column of lists."""
    values: NDArray[Any] = table[name].combine_chunks().flatten().to_numpy()
    return values


def encoded(table: pa.Table, book: NDArray[np.int32] | None) -> pa.Table:
    """A table of results as a part keeps it."""
    schema = file_schema(book is not None)
    made = dict(streamed(table, book)) if book is not None else {}
    for name in TIMES:
        made[name] = in_microseconds(table[name].combine_chunks())
    made[MOVES] = in_steps(table[MOVES].combine_chunks())
    arrays = [made[name] if name in made else table[name] for name in schema.names]
    return pa.Table.from_arrays(arrays, schema=schema)


def in_microseconds(column: pa.Array) -> pa.Array:
    """Seconds as whole microseconds."""
    if pa.types.is_list(column.type):
        return relisted(column, in_microseconds(column.flatten()))
    return pa.array(np.rint(column.to_numpy().astype(np.float64) * MICRO).astype(np.int64))


def in_seconds(column: pa.Array) -> pa.Array:
    """Whole microseconds as seconds."""
    if pa.types.is_list(column.type):
        return relisted(column, in_seconds(column.flatten()))
    return pa.array((column.to_numpy() / MICRO).astype(np.float32))


def in_steps(column: pa.ListArray) -> pa.Array:
    """Seconds of single actions as bytes: 0 for none, 1 for a microsecond or less."""
    seconds = column.flatten().to_numpy().astype(np.float64)
    steps = 1 + np.rint(STEPS * np.log2(np.maximum(seconds * MICRO, 1.0)))
    codes = np.where(seconds > 0, np.minimum(steps, 255), 0).astype(np.uint8)
    return binary(starts(np.asarray(column.value_lengths())), codes)


def from_steps(column: pa.Array) -> pa.ListArray:
    """The seconds of single actions again."""
    lengths, codes = bytes_of(column)
    seconds = np.where(codes > 0, np.exp2((codes - 1.0) / STEPS) / MICRO, 0.0)
    return pa.ListArray.from_arrays(
        pa.array(starts(lengths), pa.int32()), pa.array(seconds.astype(np.float32))
    )


def relisted(column: pa.ListArray, values: pa.Array) -> pa.ListArray:
    """Lists as long as those of a column, of other values."""
    offsets = starts(np.asarray(column.value_lengths()))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def starts(lengths: NDArray[np.generic]) -> NDArray[np.int64]:
    """Where each of some lists begins, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def streamed(table: pa.Table, book: NDArray[np.int32]) -> Iterator[tuple[str, pa.Array]]:
    """The two columns of the stream of actions and actors."""
    actions, actors = (flat(table, name) for name in LONG)
    places = Places(actions, actors)
    ranks, codes = places.ranks(book), np.empty(len(actions), np.uint8)
    for some, own in places.walk():
        codes[some] = ranks[own]
    lengths = np.asarray(table["actions"].combine_chunks().value_lengths())
    begins = starts(lengths)
    yield STREAM[0].name, binary(begins, codes)
    rare = np.flatnonzero(codes == RARE)
    kept = actions[rare]
    parts = np.stack([kept >> 8, kept & 255, actors.view(np.uint8)[rare]], axis=1).astype(np.uint8)
    rare_starts = np.searchsorted(rare, begins)
    yield STREAM[1].name, binary(RARE_BYTES * rare_starts, parts.ravel())


def binary(offsets: NDArray[np.int64], values: NDArray[np.uint8]) -> pa.Array:
    """Bytes cut into values."""
    buffers = [
        None,
        pa.py_buffer(offsets.astype(np.int32)),
        pa.py_buffer(np.ascontiguousarray(values)),
    ]
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)


def bytes_of(column: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Lengths of binary values, and all their bytes."""
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset :][: len(column) + 1]
    data = column.buffers()[2]
    values = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    first, last = (int(offsets[0]), int(offsets[-1])) if len(offsets) else (0, 0)
    return np.diff(offsets).astype(np.int64), values[first:last]


def moves_of(table: pa.Table, book: NDArray[np.int32]) -> dict[str, pa.Array]:
    """Actions and actors as lists again.

    Raises:
        ValueError: the stream and what lies beside it do not fit.
    """
    lengths, codes = bytes_of(table[STREAM[0].name].combine_chunks())
    _, beside = bytes_of(table[STREAM[1].name].combine_chunks())
    rare = codes == RARE
    if RARE_BYTES * int(rare.sum()) != beside.size or (codes[~rare] >= len(book)).any():
        raise ValueError("the stream of actions is cut")
    pairs = np.append(book, np.zeros(RARE + 1 - len(book), np.int32))[codes]
    parts = beside.reshape(-1, RARE_BYTES).astype(np.int32)
    pairs[rare] = parts[:, 0] << 16 | parts[:, 1] << 8 | parts[:, 2]
    offsets = pa.array(starts(lengths), pa.int32())
    values = (pairs >> 8).astype(np.uint16), (pairs & 255).astype(np.uint8).view(np.int8)
    return {
        name: pa.ListArray.from_arrays(offsets, pa.array(each))
        for name, each in zip(LONG, values, strict=True)
    }


def book_text(book: NDArray[np.int32]) -> bytes:
    """A book for the footer of a part."""
    return book.astype("<i4").tobytes().hex().encode()


def read_book(text: bytes) -> NDArray[np.int32]:
    """A book from the footer of a part."""
    return np.frombuffer(bytes.fromhex(text.decode("ascii")), "<i4").astype(np.int32)


def stored_names(names: list[str], schema: pa.Schema) -> list[str]:
    """The columns of a part of this schema that these columns of results are made from."""
    stream = [field.name for field in STREAM] if STREAM[0].name in schema.names else []
    found = [name for name in names if not stream or name not in LONG]
    return [*found, *(stream if len(found) < len(names) else ())]


def decoded(table: pa.Table, names: list[str], book: NDArray[np.int32] | None) -> pa.Table:
    """Columns of results from what a part keeps."""
    made = (
        moves_of(table, book) if book is not None and STREAM[0].name in table.column_names else {}
    )
    for name in TIMES:
        if name in names:
            made[name] = in_seconds(table[name].combine_chunks())
    if MOVES in names:
        made[MOVES] = from_steps(table[MOVES].combine_chunks())
    fields = [RESULTS.field(name) for name in names]
    return pa.Table.from_arrays(
        [made[name] if name in made else table[name] for name in names], schema=pa.schema(fields)
    )
