"""Where one match is stored, by what people call it: its id, how that begins, or line-up, deal and seating."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arena.plan.identity import match_id
from arena.store.columns import is_void, match_ids
from arena.store.parts import ATTEMPTS, changing, key_tables, part_files
from arena.store.record import RunRecord
from engines.errors import UserError

FORM = "LINEUP/DEAL/SEATING, e.g. 0f3c/12/10"
ADDRESS = re.compile(r"([^/]+)/([0-9]{1,9})/([0-9]{1,32})")


@dataclass(frozen=True)
class Place:
    """A match, and the part, row group and row that hold it."""

    match_id: str
    path: Path
    group: int
    row: int


def located(folder: Path, record: RunRecord, name: str) -> Place:
    """The place of a match; one that was played, where it was void before.

    Raises:
        UserError: no match or several are called so.
    """
    chosen = by_address(record, name) if "/" in name else by_id(name)
    for _ in range(ATTEMPTS):
        try:
            found = dict(reversed(list(places(folder, chosen)))) if name else {}
        except FileNotFoundError:
            continue  # a run that goes on has merged its parts
        if len(found) != 1:
            nothing = "no such match" if "/" in name else "no match has this id"
            problem = f"{len(found)} matches begin like this" if found else nothing
            raise UserError(f"match {name!r}: {problem} in {folder}")
        return next(iter(found.values()))
    raise changing(folder)


Choice = Callable[[pa.Table], NDArray[np.bool_]]


def places(folder: Path, chosen: Choice) -> Iterator[tuple[str, Place]]:
    """The matches chosen with their places, those that were played first."""
    void = []
    for path in part_files(folder):
        for group, table in enumerate(key_tables(path)):
            rows = np.flatnonzero(chosen(table))
            if rows.size:
                own = table.take(pa.array(rows))
                ids = match_ids(own).to_pylist()
                for row, one, unplayed in zip(rows.tolist(), ids, is_void(own), strict=True):
                    place = Place(one, path, group, row)
                    if unplayed:
                        void.append((one, place))
                    else:
                        yield one, place
    yield from void


def by_id(beginning: str) -> Choice:
    """Matches whose id begins so: ids are not stored, so each is made."""
    return lambda table: np.asarray(pc.starts_with(match_ids(table), beginning))


def by_address(record: RunRecord, name: str) -> Choice:
    """The match of a line-up, deal and seating.

    Raises:
        UserError: it is not written so, or no line-up or several begin so.
    """
    written = ADDRESS.fullmatch(name)
    if not written:
        raise UserError(f"match {name!r}: expected an id or {FORM}")
    lineup, deal, seating = written.groups()
    known = [one for one in record.lineups if one.startswith(lineup)]
    if len(known) != 1:
        problem = f"{len(known)} line-ups begin" if known else "no line-up of this run begins"
        raise UserError(f"match {name!r}: {problem} with {lineup}")
    wanted = match_id(known[0], int(deal), [int(seat) for seat in seating])

    def chosen(table: pa.Table) -> NDArray[np.bool_]:
        near = pc.equal(table["deal"], int(deal)).to_numpy()
        found = np.zeros(table.num_rows, dtype=bool)
        rows = np.flatnonzero(near)
        ids = match_ids(table.take(pa.array(rows))).to_pylist()
        found[rows] = [one == wanted for one in ids]
        return found

    return chosen
