"""Whether stored matches are what a run wrote: every row, where the checksum of a part does not vouch for it.

A part that somebody edited, or that was written before parts had checksums, is looked through row by row: types,
ranges, and ids made again from what they stand for. What is right is taken, what is not is told by file, row, column.
"""

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from arena.plan.identity import match_id
from arena.plan.keeping import keeps_actions
from arena.plan.schedule import LineUp, match_seatings
from arena.store.columns import ENDINGS, FAULTS, MOVES, RESULTS, SCHEMA, STARTS, VOID
from arena.store.encoding import FORMAT
from arena.store.files import DiskError, write_text
from arena.store.parts import (
    MATCHES,
    format_of,
    identity_of,
    is_sound,
    open_part,
    part_files,
    row_table,
)
from arena.store.record import RunRecord
from engines.errors import UserError
from engines.texts import brief

Hash = Callable[[Iterable[int]], int]
Flags = NDArray[np.bool_]
Finding = tuple[str, Flags, str]  # column, where it is wrong, what it should be
VOUCHED = "vouched.json"  # beside the parts
QUICKLY_READ = 64 << 20  # bytes: smaller runs are compared each time
REASON = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Flaw:
    """What is wrong in a row. row: counted from 1."""

    row: int
    column: str
    value: str
    wanted: str

    def __str__(self) -> str:
        """The flaw in words."""
        return f"row {self.row}, column {self.column}: {self.value}, expected {self.wanted}"


def check_parts(folder: Path, record: RunRecord) -> None:
    """Look through the parts of a run folder for which no checksum vouches.

    Raises:
        UserError: names file, row and column of the first value that is wrong.
    """
    looked_at, found = vouched(folder), {}
    for path in part_files(folder):
        try:
            mark = list(identity_of(path)[1:])
            sound = looked_at.get(path.name) == mark or is_sound(path)
            flaw = None if sound else first_flaw(path, identity_of(path), Known(record))
        except FileNotFoundError:
            continue  # a run that goes on has merged it
        if flaw is not None:
            raise UserError(f"{path}: {flaw}")
        if sound:
            found[path.name] = mark
    if found != looked_at and sum(size for size, _ in found.values()) > QUICKLY_READ:
        with suppress(DiskError):  # where nothing can be written parts are read whole each time
            write_text(folder / MATCHES / VOUCHED, json.dumps(found))


def vouched(folder: Path) -> dict[str, list[int]]:
    """Size and time of the parts whose checksum was compared before: reading 1 GB takes a second."""
    try:
        found = json.loads((folder / MATCHES / VOUCHED).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True, eq=False)
class Known:
    """A record as a key of what was found under it: equal where its line-ups are."""

    record: RunRecord

    def __hash__(self) -> int:
        """By the ids of the line-ups."""
        return hash(tuple(self.record.lineups))

    def __eq__(self, other: object) -> bool:
        """Whether the same line-ups play as many deals."""
        return isinstance(other, Known) and self.deals == other.deals

    @property
    def deals(self) -> dict[str, int]:
        """The deals of each line-up."""
        return {one: lineup.deals for one, lineup in self.record.lineups.items()}


@functools.lru_cache(maxsize=256)
def first_flaw(path: Path, identity: tuple[int, ...], known: Known) -> Flaw | None:
    """The first flaw of a part as it is now, remembered while neither the file nor the run changes."""
    return next(part_flaws(path, known.record), None)


def part_flaws(path: Path, record: RunRecord, hash_of: Hash | None = None) -> Iterator[Flaw]:
    """Every flaw of a part, row group by row group.

    Args:
        hash_of: makes the digest of a match's actions, if that is to be compared too.
    """
    first = 1
    with open_part(path) as part:
        for number in range(part.num_row_groups):
            table = row_table(path, part, number, audited(part))
            found = [
                Flaw(first + row, column, value, wanted)
                for row, column, value, wanted in table_flaws(table, record, hash_of)
            ]
            yield from sorted(found, key=lambda flaw: flaw.row)
            first += table.num_rows


def audited(part: pq.ParquetFile) -> list[str]:
    """The columns of results that a part holds: ids too in format 2, in the oldest no times of starts."""
    if format_of(part) == FORMAT:
        return list(RESULTS.names)
    return [name for name in SCHEMA.names if name in part.schema_arrow.names]


def table_flaws(
    table: pa.Table, record: RunRecord, hash_of: Hash | None = None
) -> Iterator[tuple[int, str, str, str]]:
    """(row from 0, column, value, what it should be) of every flaw of a table with all columns."""
    table = table.combine_chunks()
    rows = np.arange(table.num_rows)
    findings = list(missing_values(table))
    if not any(flags.any() for _, flags, _ in findings):
        known = np.isin(table["lineup_id"].to_numpy(), list(record.lineups))
        findings.append(("lineup_id", ~known, "a line-up of this run"))
        ids = table["lineup_id"].to_numpy()
        for lineup in record.lineups.values():
            own = np.flatnonzero(ids == lineup.id)
            if len(own):
                part = table.take(pa.array(own)).combine_chunks()
                rule = record.spec.store_actions
                for column, flags, wanted in lineup_flaws(part, lineup, hash_of, rule):
                    for row in np.flatnonzero(flags):
                        value = brief(part[column][int(row)].as_py())
                        yield int(own[row]), column, value, wanted
    for column, flags, wanted in findings:
        for row in rows[flags]:
            yield int(row), column, brief(table[column][int(row)].as_py()), wanted


def missing_values(table: pa.Table) -> Iterator[Finding]:
    """Where a value, or one of a list, is missing."""
    for name in table.column_names:
        column = table[name]
        flags = column.is_null().to_numpy()
        if pa.types.is_list(column.type) and column.combine_chunks().flatten().null_count:
            flags = flags | np.array([None in (row or ()) for row in column.to_pylist()])
        yield name, flags, "a value"


def lineup_flaws(
    table: pa.Table, lineup: LineUp, hash_of: Hash | None, rule: str
) -> Iterator[Finding]:
    """What is wrong in matches of one line-up; what stands in lists only where the lists are whole."""
    yield from fact_flaws(table, lineup)
    lengths = list(length_flaws(table, lineup.players, rule))
    yield from lengths
    if not any(flags.any() for _, flags, _ in lengths):
        yield from seat_flaws(table, lineup)
        yield from identity_flaws(table, lineup)
        if hash_of is not None:
            made = [hash_of(row) for row in table["actions"].to_pylist()]
            odd = numbers(table, "actions_hash") != np.array(made, np.uint64)
            odd &= keeps_actions(rule, numbers(table, "deal"))
            yield "actions_hash", odd, "the digest of the actions"


def fact_flaws(table: pa.Table, lineup: LineUp) -> Iterator[Finding]:
    """Single values: those that the line-up fixes, and ranges."""
    for name, wanted in (
        ("game", lineup.game),
        ("variant_id", lineup.variant_id),
        ("players", lineup.players),
    ):
        yield name, numbers(table, name) != wanted, repr(wanted)
    deals = numbers(table, "deal")
    yield "deal", np.asarray((deals < 0) | (deals >= lineup.deals)), f"0 to {lineup.deals - 1}"
    for name in ("turns", "decisions", "forced"):
        yield name, np.asarray(numbers(table, name) < 0), "at least 0"
    yield "worker_seconds", unreal(numbers(table, "worker_seconds")), "at least 0"
    endings = numbers(table, "ending")
    yield "ending", ~np.isin(endings, ENDINGS), f"one of {', '.join(ENDINGS)}"
    reasons = [REASON.fullmatch(reason) is None for reason in table["reason"].to_pylist()]
    yield "reason", np.array(reasons, bool), "the name of an ending of the game"
    seats = numbers(table, "fault_seat")
    wrong = (seats < -1) | (seats >= lineup.players) | (np.isin(endings, FAULTS) & (seats < 0))
    wrong |= np.isin(endings, ("finished", VOID)) & (seats >= 0)
    yield "fault_seat", np.asarray(wrong), "a seat where a bot failed, else -1"


def length_flaws(table: pa.Table, players: int, rule: str) -> Iterator[Finding]:
    """Lists of another length than they must have."""
    for name in ("seating", "decisions_by_seat", "points", "ranks", *times(table)):
        yield name, lengths(table, name) != players, f"{players} values"
    actions = lengths(table, "actions")
    total = numbers(table, "decisions").astype(np.int64) + numbers(table, "forced")
    total = np.where(keeps_actions(rule, numbers(table, "deal")), total, 0)
    yield "actions", actions != total, "as many as decisions and forced actions"
    yield "actors", lengths(table, "actors") != actions, "as many as actions"
    if MOVES in table.column_names:
        moves = lengths(table, MOVES)
        yield MOVES, (moves != actions) & (moves != 0), "as many as actions, or none"


def seat_flaws(table: pa.Table, lineup: LineUp) -> Iterator[Finding]:
    """What stands in lists by seat."""
    players = lineup.players
    ranks = matrix(table, "ranks", players)
    wrong = (ranks < 1).any(axis=1) | (ranks > max(players, 2)).any(axis=1)
    if players > 1:
        wrong |= ranks.min(axis=1) != 1
    yield "ranks", np.asarray(wrong, bool), "1 for the best, ties share"
    for name in times(table):
        odd = unreal(matrix(table, name, players)).any(axis=1)
        yield name, np.asarray(odd, bool), "at least 0"
    decided = matrix(table, "decisions_by_seat", players)
    odd = (decided < 0).any(axis=1) | (decided.sum(axis=1) != numbers(table, "decisions"))
    yield "decisions_by_seat", np.asarray(odd, bool), "numbers that add up to decisions"
    actors = table["actors"].combine_chunks()
    flat = actors.flatten().to_numpy()
    owner = np.repeat(np.arange(table.num_rows), lengths(table, "actors"))
    outside = np.zeros(table.num_rows, bool)
    outside[owner[(flat < 0) | (flat >= players)]] = True
    yield "actors", outside, f"players 0 to {players - 1}"


def identity_flaws(table: pa.Table, lineup: LineUp) -> Iterator[Finding]:
    """Seatings that the block of a deal does not have, and ids that are not those of their match."""
    deals = table["deal"].to_pylist()
    seatings = [tuple(seating) for seating in table["seating"].to_pylist()]
    pairs = list(zip(deals, seatings, strict=True))
    odd = [deal < 0 or seating not in match_seatings(lineup, deal) for deal, seating in pairs]
    yield "seating", np.array(odd, bool), "a seating of this deal"
    if "match_id" not in table.column_names:
        return
    made = [match_id(lineup.id, deal, seating) for deal, seating in pairs]
    other = [one != two for one, two in zip(table["match_id"].to_pylist(), made, strict=True)]
    yield (
        "match_id",
        np.array(other, bool) & ~np.array(odd, bool),
        "what line-up, deal and seating give",
    )


def times(table: pa.Table) -> list[str]:
    """The columns of seconds by seat."""
    return [name for name in ("seconds", STARTS) if name in table.column_names]


def numbers(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of single values."""
    found: NDArray[Any] = table[name].to_numpy()
    return found


def lengths(table: pa.Table, name: str) -> NDArray[Any]:
    """The lengths of the lists of a column."""
    found: NDArray[Any] = pc.list_value_length(table[name]).to_numpy()
    return found


def matrix(table: pa.Table, name: str, players: int) -> NDArray[Any]:
    """A column of lists by seat (matches, players)."""
    flat = table[name].combine_chunks().flatten().to_numpy()
    return np.asarray(flat.reshape(-1, players))


def unreal(seconds: NDArray[Any]) -> Flags:
    """Where a time is none."""
    return np.asarray(~(np.isfinite(seconds) & (seconds >= 0)))
