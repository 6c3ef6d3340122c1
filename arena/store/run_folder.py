"""The folder of a run: matches are added by one driver, and read as tables.

    spec.yaml            the record of the run (see `record`)
    matches/*.parquet    the stored matches (see `parts`)
    .lock                held by the driver while it writes

The driver works in matches: what is stored is never played or stored again, what is missing is
played even where other matches of its block are stored. A block is done when all its matches are.
A void match counts as missing.
"""

import fcntl
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from arena.plan.question import Question
from arena.plan.schedule import (
    Block,
    LineUp,
    Match,
    apart,
    count_matches,
    make_blocks,
    match_seatings,
)
from arena.plan.tournament import Tournament
from arena.store.audit import check_parts, table_flaws
from arena.store.files import DiskError, reason_of
from arena.store.parts import (
    MATCHES,
    SCHEMA,
    VOID,
    distinct,
    next_number,
    part_files,
    part_path,
    read_parts,
    read_table,
    row_groups,
    seat_matrix,
    table_from_columns,
    unvoid,
    write_part,
)
from arena.store.record import (
    RECORD,
    RunRecord,
    extended,
    joined,
    load_spec,
    make_record,
    salted,
    write_record,
)
from engines.errors import UserError

__all__ = [
    "RECORD",
    "SCHEMA",
    "Run",
    "load_spec",
    "open_run",
    "read_match",
    "read_matches",
    "read_table",
    "seat_matrix",
    "table_from_columns",
]

PART_SECONDS = 5.0  # at most this much work is lost
PART_BYTES = 64 << 20
LOCK = ".lock"
RESUME = "what is stored stays; make room, then the same command goes on"


class Run:
    """A run folder opened for writing; made by `open_run`, used as a context."""

    def __init__(self, folder: Path, record: RunRecord, lock: IO[str]) -> None:
        """Take over a locked folder and read which matches it holds."""
        self.folder = folder
        self.record = record
        self._lock = lock
        self._waiting: list[pa.Table] = []
        self._bytes = 0  # of the tables that are waiting
        self._written = time.monotonic()
        self._number = next_number(folder)
        check_parts(folder, record)
        stored = read_table(folder, ["match_id", "lineup_id", "deal", "ending"])
        self._ids: set[str] = set()
        self._blocks: Counter[tuple[str, int]] = Counter()
        self._count(stored)

    def __enter__(self) -> "Run":
        """The run itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Keep what has been played; merge the parts at a clean end."""
        self.close(merge=error is None)

    @property
    def stored_ids(self) -> frozenset[str]:
        """The ids of the matches stored or about to be; void ones are not among them."""
        return frozenset(self._ids)

    def done_blocks(self) -> set[tuple[str, int]]:
        """(line-up id, deal) of the blocks whose matches are all stored."""
        lineups = self.record.lineups
        return {
            (lineup, deal)
            for (lineup, deal), count in self._blocks.items()
            if lineup in lineups and count == len(match_seatings(lineups[lineup], deal))
        }

    def missing(self, blocks: Iterable[Block]) -> Iterator[tuple[Block, tuple[Match, ...]]]:
        """The blocks that are not done, each with its matches that are not stored."""
        for block in blocks:
            left = tuple(match for match in block.matches() if match.match_id not in self._ids)
            if left:
                yield block, left

    def missing_of(self, lineup: LineUp) -> tuple[Iterator[Match], int]:
        """The matches of a line-up that are not stored, made one by one, and how many they are."""
        matches = apart(left for _, left in self.missing(make_blocks([lineup])))
        deals = range(lineup.deals)
        stored = sum(self._blocks[lineup.id, deal] for deal in deals) if self._blocks else 0
        return matches, count_matches([lineup]) - stored

    def extend(self, lineups: Iterable[LineUp]) -> None:
        """Let line-ups join the run, or have more deals; its record says so before they are played.

        What they follow from is on the disk before that.
        """
        self.flush()
        self.record = joined(self.record, lineups)
        write_record(self.folder, self.record)

    def append(self, table: pa.Table) -> int:
        """Store matches, those already stored left out; how many were new.

        They reach the disk within 5 s or 64 MB of results, if the driver calls `flush_if_due` when
        no results come. ValueError where the columns are not those of SCHEMA.
        """
        if not table.schema.equals(SCHEMA):
            raise ValueError("the table's columns are not those of SCHEMA")
        table = self._unseen(table)
        self._count(table)
        if table.num_rows:
            self._waiting.append(table)
            self._bytes += table.nbytes
        self.flush_if_due()
        return int(table.num_rows)

    def flush_if_due(self) -> None:
        """Write a part if the last one is 5 s old or 64 MB are waiting."""
        late = time.monotonic() - self._written >= PART_SECONDS
        if late or self._bytes >= PART_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting as one part."""
        if self._waiting:
            table = pa.concat_tables(self._waiting).combine_chunks()
            try:
                write_part(part_path(self.folder, self._number), [table])
            except DiskError as error:
                raise DiskError(f"{error} ({RESUME})") from None
            self._number += 1
            self._waiting, self._bytes = [], 0
        self._written = time.monotonic()

    def close(self, merge: bool = True) -> None:
        """Write the rest, merge the parts into one and let the folder go; again does nothing."""
        if self._lock.closed:
            return
        try:
            self.flush()
            if merge:
                with suppress(DiskError):  # merging needs room twice; the parts are as good
                    self._merge()
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)
            self._lock.close()

    def _merge(self) -> None:
        parts = part_files(self.folder)
        if len(parts) < 2:
            return
        # A run that dies between these steps leaves matches twice; readers keep each once.
        write_part(part_path(self.folder, self._number), row_groups(parts, PART_BYTES))
        self._number += 1
        for part in parts:
            part.unlink()

    def _unseen(self, table: pa.Table) -> pa.Table:
        ids = table["match_id"].to_pylist()
        if len(set(ids)) == len(ids) and self._ids.isdisjoint(ids):
            return table
        seen = set(self._ids)
        keep = []
        for one, ending in zip(ids, table["ending"].to_pylist(), strict=True):
            keep.append(one not in seen)
            if ending != VOID:
                seen.add(one)
        return table.filter(pa.array(keep, pa.bool_()))

    def _count(self, table: pa.Table) -> None:
        played = unvoid(table)
        self._ids.update(played["match_id"].to_pylist())
        lineups, deals = played["lineup_id"].to_pylist(), played["deal"].to_pylist()
        self._blocks.update(zip(lineups, deals, strict=True))


# --- opening --------------------------------------------------------------------------------------


def open_run(
    folder: Path | str,
    tournament: Tournament,
    fresh: bool = False,
    question: Question | None = None,
) -> Run:
    """Begin a run in a folder, or go on with the one it holds.

    A stored run may get more entrants, tables and deals; its seed, salt, package version and rules stay.

    Args:
        fresh: begin anew; its record and matches so far are moved into a folder `old-N` in it.
        question: what the run is to decide, for its record.

    Raises:
        UserError: one line: the folder is in use, holds another run or a file that is no part.
    """
    folder = Path(folder)
    lock = lock_folder(folder)
    try:
        if fresh:
            set_aside(folder)
        record = make_record(tournament, question)
        if (folder / RECORD).exists():
            record = extended(load_spec(folder), record, folder)
        elif part_files(folder):
            raise UserError(f"{folder}: holds matches but no {RECORD}, choose another folder")
        elif tournament.strangers and not record.spec.salt:
            record = salted(record)
        (folder / MATCHES).mkdir(exist_ok=True)
        run = Run(folder, record, lock)
        write_record(folder, record)
        return run
    except OSError as error:
        lock.close()
        raise unusable(folder, error) from None
    except BaseException:
        lock.close()
        raise


def lock_folder(folder: Path) -> IO[str]:
    """Make a folder and take its lock, which ends with the process at the latest."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a")
    except OSError as error:
        raise unusable(folder, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise UserError(
            f"{folder}: another run is writing here, wait or choose another folder"
        ) from None
    return lock


def unusable(folder: Path, error: OSError) -> UserError:
    """The error for a folder that cannot be made, read or written."""
    return UserError(f"{folder}: cannot be used as a run folder: {reason_of(error)}")


def set_aside(folder: Path) -> None:
    """Move the record and the matches of a run into the first free `old-N` of its folder."""
    present = [folder / name for name in (RECORD, MATCHES) if (folder / name).exists()]
    if not present:
        return
    number = 1
    while (folder / f"old-{number}").exists():
        number += 1
    aside = folder / f"old-{number}"
    aside.mkdir()
    for path in present:
        path.rename(aside / path.name)


# --- reading --------------------------------------------------------------------------------------


def read_matches(
    folder: Path | str, columns: Sequence[str] | None = None, actions: bool = False
) -> pd.DataFrame:
    """The stored matches of a run, each once, in an order that does not depend on the workers.

    Args:
        columns: names, by default all but `actions` and `actors`.
        actions: with these two as well.

    Raises:
        UserError: no run here, an unknown column, or a file that is no part.
    """
    check_stored(Path(folder), load_spec(folder))
    frame: pd.DataFrame = read_table(folder, columns, actions).to_pandas()
    return frame


def check_stored(folder: Path, record: RunRecord) -> None:
    """Whether the parts of a run are in order (see `audit`) and the record knows what they hold.

    Raises:
        UserError: one line that says what is wrong, and where.
    """
    check_parts(folder, record)
    found = pc.unique(read_parts(folder, ["lineup_id"])["lineup_id"]).to_pylist()
    for one in found:
        if one not in record.lineups:
            raise UserError(
                f"{folder / RECORD}: line-up {one} is missing, matches of it are stored"
            )


def stored_matches(folder: Path, lineups: Iterable[LineUp]) -> dict[str, int]:
    """How many matches of each line-up, by id, a run folder holds that its deals ask for.

    Raises:
        UserError: a file is no part.
    """
    check_parts(folder, load_spec(folder))
    table = unvoid(read_table(folder, ["lineup_id", "deal", "ending"]))
    deals = {lineup.id: lineup.deals for lineup in lineups}
    pairs = zip(table["lineup_id"].to_pylist(), table["deal"].to_pylist(), strict=True)
    return dict(Counter(name for name, deal in pairs if deal < deals.get(name, 0)))


def read_match(folder: Path | str, match_id: str) -> dict[str, Any]:
    """One stored match with its actions, by its id or the beginning of it.

    Raises:
        UserError: no match or several begin like this.
    """
    record = load_spec(folder)
    check_stored(Path(folder), record)
    ids = read_table(folder, ["match_id"])["match_id"]
    found = ids.filter(pc.starts_with(ids, match_id)).to_pylist() if match_id else []
    if len(found) != 1:
        problem = "no match has this id" if not found else f"{len(found)} matches begin like this"
        raise UserError(f"match {match_id!r}: {problem} in {folder}")
    rows = distinct(read_parts(Path(folder), SCHEMA.names, found[0]))
    for _, column, value, wanted in table_flaws(rows, record):
        raise UserError(f"match {found[0]}: column {column}: {value}, expected {wanted}")
    row: dict[str, Any] = rows.to_pylist()[0]
    return row
