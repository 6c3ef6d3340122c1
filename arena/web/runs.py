"""The runs below a folder at a glance: what is in each, how far it is, and whether somebody plays it now."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet as pq

from arena.results.progress import Progress, stored_progress
from arena.store.driver import HEARD, LOCK, Driver, read_driver
from arena.store.parts import part_files
from arena.store.provenance import machine_name
from arena.store.record import RECORD, RunRecord, load_spec
from arena.store.run_folder import stored_matches
from arena.web.inside import all_in, leads_out
from engines.core import game_names
from engines.errors import UserError

DEEPEST = 4  # folders below the one that is shown
MOST_RUNS = 1000
STALE = 30.0  # seconds for which a running run keeps its number of planned matches: reading it takes long
HERE = "~"  # the folder itself in an address: browsers take /./ out of one
LOCKS = Path("/proc/locks")


@dataclass(frozen=True)
class Entry:
    """A run in the list; a damaged one has a `trouble` and no more."""

    path: str  # below the folder
    name: str
    games: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    tables: tuple[tuple[str, str, int], ...] = ()  # game, label of the variant, players
    stored: int = 0
    planned: int = 0
    state: str = ""
    changed: float = 0.0  # seconds since the epoch
    trouble: str = ""
    driver: str = ""  # who plays it or played it last, where that is another machine

    @property
    def doing(self) -> str:
        """What its page offers to do with it: stop, continue, or nothing."""
        if self.state == "running":
            return "" if self.driver else "stop"
        return "continue" if self.state == "stopped" else ""

    @property
    def later(self) -> tuple[str, ...]:
        """What its page may come to offer while it is open."""
        here = not self.driver and not self.trouble and self.state != "people"
        return ("stop", "continue") if here else ()


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
    # no name that a file can have: too long, with a NUL, or links in a circle
    with suppress(OSError, ValueError, RuntimeError):
        place = (root / ("." if path == HERE else path)).resolve()
        if place.is_relative_to(root) and (place / RECORD).is_file():
            return place
    raise UserError(f"{path[:200]}: no run below {folder}")


def opened_place(folder: Path, path: str) -> Path:
    """The folder of a run whose matches may be looked at.

    Raises:
        UserError: there is none, its record is damaged, or its game lies outside of the folder.
    """
    place = place_of(folder, path)
    record_of(folder, place, identity(place / RECORD))
    return place


def entry_of(folder: Path, place: Path) -> Entry:
    """What the list says of a run."""
    path = place.relative_to(folder).as_posix()
    try:
        seen = identity(place / RECORD)
        record = record_of(folder, place, seen)
        stored, changed = stored_in(place)
        driver = driver_of(place)
        running = driver is not None and driver.silent < HEARD
        when = (time.monotonic() // STALE,) if running else (stored, changed)
        progress = progress_of(folder, place, seen, when)
    except FileNotFoundError:
        return Entry(path, place.name, trouble="no run here any more")
    except OSError as error:
        return Entry(path, place.name, trouble=f"cannot be read: {error.strerror}")
    except UserError as error:
        return Entry(path, place.name, trouble=str(error))
    games = tuple(dict.fromkeys(lineup.game for lineup in record.lineups.values()))
    bots = tuple(entrant.name for entrant in record.entrants.values())
    state = "running" if running else "people" if record.people else state_of(progress)
    tables = tuple(
        dict.fromkeys((o.game, o.variant_label, o.players) for o in record.lineups.values())
    )
    facts = games, bots, tables, stored, max(progress.planned, stored), state, changed
    return Entry(path, record.spec.name, *facts, driver=told_of(driver))


@lru_cache(maxsize=MOST_RUNS)
def record_of(folder: Path, place: Path, seen: tuple[int, ...]) -> RunRecord:
    """The record of a run, read again when its file has changed (`seen`): a large one takes long.

    Raises:
        UserError: there is none, or its game lies outside of the folder: whoever looks at a run runs its game.
    """
    record = load_spec(place)
    named = {game.load for game in record.games.values()}
    named |= {entry.game for entry in record.spec.games}
    for game in named.difference(game_names()):
        if any(leads_out(folder.resolve(), one) for one in all_in(Path(game))):
            raise UserError(f"{place.name}: its game lies outside of {folder}")
    return record


def state_of(progress: Progress) -> str:
    """The state of a run that nobody plays now."""
    if progress.decided:
        return "decided"
    return "finished" if progress.over and progress.stored >= progress.planned else "stopped"


@lru_cache(maxsize=MOST_RUNS)
def progress_of(
    folder: Path, place: Path, seen: tuple[int, ...], when: tuple[float, ...]
) -> Progress:
    """How far a run is, as `arena runs` says it; read again when its files have changed (`seen`, `when`)."""
    record = record_of(folder, place, seen)
    return stored_progress(place, record, stored_matches(place, record))


@lru_cache(maxsize=10 * MOST_RUNS)
def rows_in(part: Path, seen: tuple[int, ...]) -> int:
    """How many matches a part holds."""
    return int(pq.read_metadata(part).num_rows)


def identity(file: Path) -> tuple[int, ...]:
    """What changes when a file does."""
    stat = file.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def address(path: str, rest: str = "") -> str:
    """The address of a run's page."""
    return f"/run/{quote(HERE if path == '.' else path)}/{rest}"


def stored_in(place: Path) -> tuple[int, float]:
    """How many matches a run has stored by its parts' footers, and when one was written last."""
    count, changed = 0, (place / RECORD).stat().st_mtime
    for part in part_files(place):
        try:
            count += rows_in(part, identity(part))
            changed = max(changed, part.stat().st_mtime)
        except FileNotFoundError:
            continue  # merged meanwhile
        except (OSError, ValueError) as error:
            raise UserError(f"{part.name}: cannot be read: {error}") from None
    return count, changed


def driver_of(place: Path) -> Driver | None:
    """Who plays a run, here or on a machine that shares the folder; or who did there and was not heard to stop."""
    if process := writer_of(place):
        return Driver(machine_name(), process)
    said = read_driver(place)
    return None if said is None or said.here else said


def told_of(driver: Driver | None) -> str:
    """A driver of another machine in words: what can be known of it."""
    if driver is None or driver.here:
        return ""
    if driver.silent < HEARD:
        return f"driven from machine {driver.machine}, heard of within the last minute"
    return f"machine {driver.machine} drove it and was not heard of for {span(driver.silent)}"


def span(seconds: float) -> str:
    """A time in its largest unit."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'' if number == 1 else 's'}"
    return "less than a minute"


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
