"""The folder of a run: matches are added by one driver, and read as tables.

    spec.yaml            the record of the run (see `record`)
    matches/*.parquet    the stored matches (see `parts`)
    talks.jsonl          what language models were asked and answered, if any played (see `talks`)
    .lock                held by the driver while it writes; says who that is (see `driver`)

The driver works in matches: what is stored is never played or stored again, what is missing is
played even where other matches of its block are stored. What is stored is a bitmap (see `bitmap`);
a void match counts as missing.
"""

import fcntl
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from arena.plan.question import Question
from arena.plan.schedule import LineUp, count_matches
from arena.plan.tournament import Tournament
from arena.store.audit import check_parts, table_flaws
from arena.store.bitmap import Missing, Stored
from arena.store.columns import RESULTS, SCHEMA, seat_matrix, table_from_columns
from arena.store.driver import BEAT, LOCK, announce, beat, withdraw
from arena.store.extending import extended
from arena.store.files import DiskError, move, move_aside
from arena.store.finding import located
from arena.store.handing import (
    Handed,
    Place,
    brought,
    bucket_of,
    is_whole,
    let_go,
    run_key,
    waiting,
)
from arena.store.keys import add_part, known_kept
from arena.store.locking import lock_folder, unusable
from arena.store.merging import Weighed, alike, clear_replaced, merge_parts, small, weighed
from arena.store.parts import (
    ATTEMPTS,
    MATCHES,
    changing,
    key_tables,
    next_number,
    open_part,
    part_files,
    part_path,
    read_part,
    read_table,
    row_table,
    row_tables,
    write_part,
)
from arena.store.record import (
    RECORD,
    RunRecord,
    joined,
    load_spec,
    make_record,
    salted,
    write_record,
)
from arena.store.talks import TALKS
from engines.errors import UserError

__all__ = [
    "RECORD",
    "RESULTS",
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
PART_BYTES = 32 << 20
FOLDER_ROWS, FOLDER_SECONDS = 1 << 14, 5.0  # see `handing.Place`
BUCKET_ROWS, BUCKET_SECONDS = 1 << 10, 30.0  # many workers: few and large parts
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
        self._written = self._beaten = time.monotonic()
        announce(lock)
        check_parts(folder, record)
        clear_replaced(folder)
        self._number = next_number(folder)
        self._parts = [weighed(path) for path in part_files(folder)]
        self._stored = stored_in(folder, record)

    def __enter__(self) -> "Run":
        """The run itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Keep what has been played; at a clean end small parts become one."""
        self.close(merge=error is None)

    def missing_of(self, lineup: LineUp) -> tuple[Missing, int]:
        """The matches of a line-up that are not stored, made as they are taken, and how many they are."""
        left = count_matches([lineup]) - self._stored.count(lineup)
        return self._stored.missing(lineup), left

    def extend(self, lineups: Iterable[LineUp]) -> None:
        """Let line-ups join the run, or have more deals; its record says so before they are played.

        What they follow from is on the disk before that.
        """
        self.flush()
        self.record = joined(self.record, lineups)
        self._stored.join(self.record.lineups)
        write_record(self.folder, self.record)

    def append(self, table: pa.Table) -> int:
        """Store matches, those already stored left out; how many were new.

        They reach the disk within 5 s or 32 MB of results, if the driver calls `flush_if_due` when
        no results come. ValueError where the columns are not those of RESULTS.
        """
        if not table.schema.equals(RESULTS):
            raise ValueError("the table's columns are not those of RESULTS")
        # Many small tables may come as one: every later step would pay for each of them.
        table = table.combine_chunks()
        new = self._stored.add(table)
        if not new.all():
            table = table.filter(pa.array(new))
        if table.num_rows:
            self._waiting.append(table)
            self._bytes += table.nbytes
        self.flush_if_due()
        return int(table.num_rows)

    def place(self, bucket: str = "") -> Place:
        """Where workers may write parts of this run, for `take_in`."""
        token, key = (self.folder / LOCK).read_text(), run_key(self.record)
        least = (BUCKET_ROWS, BUCKET_SECONDS) if bucket else (FOLDER_ROWS, FOLDER_SECONDS)
        return Place(self.folder.resolve(), token, key, bucket_of(bucket), *least)

    def take_in(self, place: Place, handed: Handed) -> int:
        """Store a part that a worker has written, what is stored already left out; how many matches were new."""
        file = brought(place, handed)
        new = np.concatenate([self._stored.add(table) for table in key_tables(file)])
        count = int(np.count_nonzero(new))
        if new.all():
            path = part_path(self.folder, self._number)
            move(file, path)
            self._taken_in(path)
        elif count:
            self._waiting.append(read_part(file, RESULTS.names).filter(pa.array(new)))
            self.flush()
        let_go(place, handed)
        return count

    def take_in_waiting(self, place: Place) -> int:
        """Store what workers have handed to a driver that was killed; how many matches that were."""
        found = 0
        for handed in waiting(place):
            file = brought(place, handed)
            if not is_whole(file):
                let_go(place, handed)
            elif set(lineups_of(file)) <= set(self.record.lineups):
                found += self.take_in(place, handed)
            else:
                file.unlink()  # of another run that uses the bucket too
        return found

    def flush_if_due(self) -> None:
        """Write a part if the last one is 5 s old or 32 MB are waiting; give signs of life."""
        now = time.monotonic()
        if now - self._beaten >= BEAT:
            self._beaten = now
            beat(self._lock)
        late = now - self._written >= PART_SECONDS
        if late or self._bytes >= PART_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting as one part; eight of a size become one."""
        if self._waiting:
            table = pa.concat_tables(self._waiting).combine_chunks()
            self._waiting, self._bytes = [table], table.nbytes
            path = part_path(self.folder, self._number)
            try:
                write_part(path, table)
            except DiskError as error:
                raise DiskError(f"{error} ({RESUME})") from None
            self._waiting, self._bytes = [], 0
            self._taken_in(path)
        self._written = time.monotonic()

    def _taken_in(self, path: Path) -> None:
        """Count a part that is there now; eight of a size become one."""
        self._number += 1
        self._parts.append(weighed(path))
        while chosen := alike(self._parts):
            if not self._merge(chosen):
                break
        pa.default_memory_pool().release_unused()  # it would keep what the largest merge took

    def close(self, merge: bool = True) -> None:
        """Write the rest, make small parts one and let the folder go; again does nothing."""
        if self._lock.closed:
            return
        try:
            self.flush()
            if merge and (chosen := small(self._parts)):
                self._merge(chosen)
        finally:
            withdraw(self._lock)
            fcntl.flock(self._lock, fcntl.LOCK_UN)
            self._lock.close()

    def _merge(self, chosen: Sequence[Weighed]) -> bool:
        """Make one part of some; where there is no room they stay, which is as good."""
        path = part_path(self.folder, self._number)
        try:
            merge_parts(path, [part.path for part in chosen])
        except DiskError:
            return False
        self._number += 1
        self._parts = [part for part in self._parts if part not in chosen]
        self._parts.append(weighed(path))
        return True


def stored_in(folder: Path, record: RunRecord, others: Sequence[Path] = ()) -> Stored:
    """Which matches a run folder, and others with the same deals, hold; begins anew if parts are merged meanwhile."""
    for _ in range(ATTEMPTS):
        stored = Stored(record.lineups)
        try:
            for path in (path for run in (folder, *others) for path in part_files(run)):
                add_part(path, stored)
        except FileNotFoundError:
            continue
        return stored
    raise changing(folder)


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
    return open_record(
        Path(folder), make_record(tournament, question), fresh, bool(tournament.strangers)
    )


def open_record(folder: Path, record: RunRecord, fresh: bool = False, secret: bool = False) -> Run:
    """The same for a run that its record describes; secret: one that begins gets a salt.

    Raises:
        UserError: as above.
    """
    lock = lock_folder(folder)
    try:
        if fresh:
            move_aside(folder, (RECORD, MATCHES, TALKS))
        if (folder / RECORD).exists():
            record = extended(load_spec(folder), record, folder)
        elif part_files(folder):
            raise UserError(f"{folder}: holds matches but no {RECORD}, choose another folder")
        elif secret and not record.spec.salt:
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
    for one in sorted(lineups_in(folder, record.lineups)):
        if one not in record.lineups:
            raise UserError(
                f"{folder / RECORD}: line-up {one} is missing, matches of it are stored"
            )


def lineups_in(folder: Path, known: Mapping[str, LineUp]) -> set[str]:
    """The ids of the line-ups of which matches are stored; parts whose bits name only known ones are not read."""
    for _ in range(ATTEMPTS):
        try:
            parts = [(path, known_kept(path, known)) for path in part_files(folder)]
            read = {one for path, kept in parts if kept is None for one in lineups_of(path)}
            return read | {one.lineup for _, kept in parts for one in kept or ()}
        except FileNotFoundError:
            continue
    raise changing(folder)


def lineups_of(path: Path) -> Iterator[str]:
    """The ids of the line-ups in a part, some of them several times."""
    for table in row_tables(path, ["lineup_id"]):
        yield from pc.unique(table["lineup_id"]).to_pylist()


def stored_matches(
    folder: Path, record: RunRecord, lineups: Iterable[LineUp] = ()
) -> dict[str, int]:
    """How many matches a run folder holds of the line-ups of its record, or of others, by id.

    Raises:
        UserError: a file is no part.
    """
    check_parts(folder, record)
    stored = stored_in(folder, record)
    return {lineup.id: stored.count(lineup) for lineup in lineups or record.lineups.values()}


def read_match(folder: Path | str, name: str) -> dict[str, Any]:
    """One stored match with its actions, by its id or how it begins, or as `lineup/deal/seating`.

    Raises:
        UserError: no match or several are called so.
    """
    record = load_spec(folder)
    check_stored(Path(folder), record)
    place = located(Path(folder), record, name)
    with open_part(place.path) as part:
        rows = row_table(place.path, part, place.group, SCHEMA.names).slice(place.row, 1)
    for _, column, value, wanted in table_flaws(rows, record):
        raise UserError(f"match {place.match_id}: column {column}: {value}, expected {wanted}")
    row: dict[str, Any] = rows.to_pylist()[0]
    return row
