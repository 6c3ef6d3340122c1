"""The runs below a folder: what each is, how far it is, how much room it takes."""

import fcntl
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from arena.plan.columns import table
from arena.results.progress import stored_progress
from arena.store.driver import LOCK
from arena.store.record import RECORD, load_spec
from arena.store.run_folder import stored_matches
from engines.errors import UserError

DEEPEST = 3  # folders below the one that is named


def list_runs(folder: Path) -> str:
    """The runs in a folder as a table; UserError where there is no such folder."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    rows = [row_of(run) for run in sorted(runs_in(folder))]
    if not rows:
        return f"no runs in {folder}"
    cells = [tuple(row.values()) for row in rows]
    return table(cells, tuple(rows[0]), drop=("MB", "changed", "bots"), cut=("run", "state"))


def runs_in(folder: Path, depth: int = 0) -> Iterator[Path]:
    """The folders of runs; none inside another's, where old results lie."""
    if (folder / RECORD).exists():
        yield folder
        return
    for below in folder.iterdir() if depth < DEEPEST else ():
        if below.is_dir() and not below.is_symlink():
            yield from runs_in(below, depth + 1)


def row_of(run: Path) -> dict[str, str]:
    """A run in a line."""
    size = sum(map(bytes_of, run.rglob("*")))
    row = {"run": str(run), "state": "", "matches": "", "bots": "", "MB": f"{size / 1e6:.1f}"}
    changed = datetime.fromtimestamp((run / RECORD).stat().st_mtime, UTC)
    row["changed"] = f"{changed:%Y-%m-%d %H:%M}"
    try:
        record = load_spec(run)
        progress = stored_progress(run, record, stored_matches(run, record))
    except UserError as error:
        return {**row, "state": f"damaged: {str(error).removeprefix(f'{run}: ')}"}
    state = "human play" if record.people else progress.text
    return {
        **row,
        "state": "being played" if is_locked(run) else state,
        "matches": f"{progress.stored:,} of {progress.planned:,}",
        "bots": str(len(record.entrants)),
    }


def bytes_of(path: Path) -> int:
    """The size of a file; 0 of a folder, and of what a run that is being played has removed meanwhile."""
    try:
        facts = path.stat()
    except OSError:
        return 0
    return facts.st_size if stat.S_ISREG(facts.st_mode) else 0


def is_locked(run: Path) -> bool:
    """Whether a driver writes to a run."""
    try:
        with (run / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
