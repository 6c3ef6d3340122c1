"""What is kept of a match: the columns of stored matches, as tables that hold them while they are worked on.

How a part writes them is another matter (`encoding`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.plan.identity import match_id
from arena.plan.keeping import kept_lists
from engines.texts import clean

FORMAT_KEY = b"tabletop-arena matches"
VOID = "void"
BY_TIME = ("timeout", "out of time")  # another time such a match may end otherwise
FAULTS = ("illegal action", "timeout", "memory", "crash", "protocol error", "out of time")
# The referee's words for how matches end, by its numbers: kept sums hold those.
ENDINGS = ("finished", *FAULTS[:-1], "too long", VOID, FAULTS[-1])

SCHEMA = pa.schema(
    [
        ("match_id", pa.string()),  # follows from line-up, deal and seating
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
        ("worker_machine", pa.string()),  # who played it, see `provenance.machine_name`
        ("move_seconds", pa.list_(pa.float32())),  # per action, 0 where it was forced; see MOVES
    ],
    metadata={FORMAT_KEY: b"2"},
)
STARTS, MACHINE = "start_seconds", "worker_machine"
MOVES = "move_seconds"  # no values where a match took less thinking than LONG_THOUGHT, or its actions are left out
LONG_THOUGHT = 0.1  # seconds of all seats: a byte an action is little beside them
LATER = (MOVES, MACHINE, STARTS)  # not in parts of runs from before, the newest first
MOST_SEATS = 32  # a seating as one number has so many values a seat
RESULTS = SCHEMA.remove(
    0
).remove_metadata()  # what is handed in: ids are made where people see them
KEYS = ("lineup_id", "deal", "seating", "ending")  # which match it is, and whether it was played
TOLD = (*KEYS, "ranks", "fault_seat", "actions_hash")  # what a run that goes on looks at
LONG = ("actions", "actors")
WORDS = ("fault_text", "worker_stderr", MACHINE)  # what others had a hand in
FREE = ("seconds", "worker")  # columns with these in their name may differ between two equal runs
PLAIN = tuple(name for name in SCHEMA.names if name not in (*LONG, MOVES))


def with_earlier(schema: pa.Schema) -> tuple[pa.Schema, ...]:
    """A schema, and what it was before each of LATER came."""
    found = [schema]
    for name in LATER:
        found.append(found[-1].remove(found[-1].get_field_index(name)))
    return tuple(found)


Column: TypeAlias = Sequence[Any] | NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]


def table_from_columns(columns: Mapping[str, Column]) -> pa.Table:
    """A table of matches from columns; a list column is given as (flat values, m + 1 offsets).

    Raises:
        ValueError: a column is missing, unknown or of another length.
    """
    if set(columns) != set(RESULTS.names):
        odd = sorted(set(columns) ^ set(RESULTS.names))
        raise ValueError(f"columns missing or unknown: {', '.join(odd)}")
    arrays = [arrow_column(field, columns[field.name]) for field in RESULTS]
    if len({len(array) for array in arrays}) > 1:
        lengths = ", ".join(f"{f.name} {len(a)}" for f, a in zip(RESULTS, arrays, strict=True))
        raise ValueError(f"columns of different lengths: {lengths}")
    return pa.Table.from_arrays(arrays, schema=RESULTS)


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


class Columns(Mapping[str, Any]):
    """Columns of a table as `table_from_columns` takes them, each made when it is first asked for."""

    def __init__(self, table: pa.Table, names: Sequence[str]) -> None:
        """Take a table and the names of the columns that there are."""
        self._table, self._names = table, tuple(names)
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """A column as an array; one of lists as (flat values, offsets)."""
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = as_results(self._table[name].combine_chunks())
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._names)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._names)


def as_results(column: pa.Array) -> Any:
    """A stored column as results have it; lists as (flat values, offsets)."""
    if pa.types.is_list(column.type):
        ends = np.cumsum(np.asarray(column.value_lengths()), dtype=np.int64)
        return np.asarray(column.flatten()), np.concatenate([[0], ends])
    return column.to_numpy(zero_copy_only=False)


def seat_matrix(table: pa.Table, column: str, players: int) -> NDArray[Any]:
    """A per-seat column as an array (matches, players); all rows have `players` seats."""
    flat = table[column].combine_chunks().flatten()
    return np.asarray(flat.to_numpy(zero_copy_only=False).reshape(table.num_rows, players))


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


def match_ids(table: pa.Table) -> pa.Array:
    """The ids of matches, from a table with `lineup_id`, `deal` and `seating`."""
    names = (table[name].to_pylist() for name in ("lineup_id", "deal", "seating"))
    return pa.array([match_id(*one) for one in zip(*names, strict=True)], pa.string())


def key_order(table: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The order of rows by line-up, deal and seating, void ones last; and which of them are new there.

    Args:
        table: has KEYS.
    """
    ids = table["lineup_id"].combine_chunks().dictionary_encode()
    rank = np.argsort(np.argsort(np.array(ids.dictionary.to_pylist(), dtype=str)))
    lineup = rank[ids.indices.to_numpy()] if table.num_rows else np.zeros(0, np.int64)
    deal, seat = table["deal"].to_numpy(), seat_codes(table)
    order = np.lexsort((is_void(table), seat, deal, lineup))
    new = np.ones(len(order), dtype=bool)
    same = [each[order][1:] == each[order][:-1] for each in (lineup, deal, seat)]
    new[1:] = ~np.logical_and.reduce(same)
    return order, new


def seat_codes(table: pa.Table) -> NDArray[np.int64]:
    """A number for each row's seating, in the order of the lists."""
    seating = table["seating"].combine_chunks()
    lengths = np.asarray(seating.value_lengths()).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    flat = np.asarray(seating.flatten()).astype(np.int64)
    code = np.zeros(len(lengths), dtype=np.int64)
    for place in range(int(lengths.max(initial=0))):
        there = place < lengths
        digit = np.zeros(len(lengths), dtype=np.int64)
        digit[there] = flat[starts[:-1][there] + place] + 1
        code = code * MOST_SEATS + digit
    return code


def is_void(table: pa.Table) -> NDArray[np.bool_]:
    """Which matches were not played after all."""
    endings = table["ending"].combine_chunks().dictionary_encode()
    words = np.array([word == VOID for word in endings.dictionary.to_pylist()], dtype=bool)
    codes = endings.indices.to_numpy(zero_copy_only=False)
    return np.asarray(words[codes] if len(words) else np.zeros(len(codes), dtype=bool))


# --- what was not always kept ---------------------------------------------------------------------


def not_kept(table: pa.Table, name: str) -> pa.Array:
    """One of LATER for matches from before it was kept."""
    if name == MOVES:
        return arrow_column(SCHEMA.field(MOVES), (np.zeros(0), np.zeros(table.num_rows + 1)))
    if name != STARTS:
        return pa.array([""] * table.num_rows, SCHEMA.field(name).type)
    offsets = np.concatenate([[0], np.cumsum(np.asarray(table["players"]))])
    return arrow_column(SCHEMA.field(STARTS), (np.zeros(offsets[-1]), offsets))


def moves_kept(
    thought: NDArray[np.int64], spent: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """MOVES of some matches, as (flat values, offsets).

    Args:
        thought: (m, seats) nanoseconds. spent: of each action of all matches, in turn. counts: (m,) how many.
    """
    offsets = np.concatenate([[0], np.cumsum(counts)])
    values, ends = kept_lists((spent, offsets), thought.sum(axis=1) >= 1e9 * LONG_THOUGHT)
    return values / 1e9, ends
