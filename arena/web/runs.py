"""The runs below a folder at a glance: what is in each, how far it is, and whether somebody plays it now."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from arena.store.locking import LOCK
from arena.store.parts import part_files
from arena.store.record import RECORD, load_spec
from engines.errors import UserError

DEEPEST = 4  # folders below the one that is shown
MOST_RUNS = 1000
LOCKS = Path("/proc/locks")


@dataclass(frozen=True)
class Entry:
    """A run in the list; a damaged one has a `trouble` and no more."""

    path: str  # below the folder
    name: str
    games: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    stored: int = 0
    planned: int = 0
    state: str = ""
    changed: float = 0.0  # seconds since the epoch
    trouble: str = ""


def runs_below(folder: Path) -> list[Entry]:
    """All runs below a folder, those that changed last first."""
    found = [entry_of(folder, place) for place in places_below(folder)]
    return sorted(found, key=lambda entry: (entry.state != "running", -entry.changed))


def places_below(folder: Path) -> Iterator[Path]:
    """The folders of runs; links, hidden folders and runs inside of runs are left out."""
    count = 0
    for here, inner, files in os.walk(folder):
        place = Path(here)
        inner[:] = sorted(name for name in inner if not name.startswith((".", "old-")))
        if RECORD in files and "matches" in inner:
            inner.clear()
            count += 1
            yield place
        if count >= MOST_RUNS or len(place.relative_to(folder).parts) >= DEEPEST:
            inner.clear()


def place_of(folder: Path, path: str) -> Path:
    """The folder of a run named by its path below the folder.

    Raises:
        UserError: it lies elsewhere, or is no run.
    """
    root = folder.resolve()
    place = (root / path).resolve()
    if not place.is_relative_to(root) or not (place / RECORD).is_file():
        raise UserError(f"{path[:200]}: no run below {folder}")
    return place


def entry_of(folder: Path, place: Path) -> Entry:
    """What the list says of a run."""
    path = place.relative_to(folder).as_posix()
    try:
        record = load_spec(place)
        stored, changed = stored_in(place)
    except (UserError, OSError) as error:
        return Entry(path, place.name, trouble=str(error))
    planned = record.planned(stored)
    games = tuple(dict.fromkeys(lineup.game for lineup in record.lineups.values()))
    bots = tuple(entrant.name for entrant in record.entrants.values())
    state = "finished" if stored >= planned else "stopped"
    if writer_of(place):
        state = "running"
    elif record.people:
        state = "people"
    return Entry(path, record.spec.name, games, bots, stored, planned, state, changed)


def stored_in(place: Path) -> tuple[int, float]:
    """How many matches a run has stored by its parts' footers, and when one was written last."""
    count, changed = 0, (place / RECORD).stat().st_mtime
    for part in part_files(place):
        try:
            count += pq.read_metadata(part).num_rows
            changed = max(changed, part.stat().st_mtime)
        except FileNotFoundError:
            continue  # merged meanwhile
        except (OSError, ValueError) as error:
            raise UserError(f"{part.name}: cannot be read: {error}") from None
    return count, changed


def writer_of(place: Path) -> int:
    """The process that plays a run now; 0 if nobody does or this system does not tell."""
    try:
        known = (place / LOCK).stat()
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return 0
    wanted = f"{os.major(known.st_dev):02x}:{os.minor(known.st_dev):02x}:{known.st_ino}"
    for line in lines:
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5] == wanted:
            return max(int(words[4]), 0)
    return 0
