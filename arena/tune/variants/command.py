"""`arena balance CONFIG --search`: a search is played, or goes on, and what it found is told and written."""

from collections.abc import Callable, Sequence
from pathlib import Path

import typer
import yaml

from arena.execution.batches import default_workers
from arena.plan.columns import flowed
from arena.plan.config import read_yaml
from arena.store.files import move_aside, write_text
from arena.store.locking import lock_folder
from arena.store.record import RECORD
from arena.tune.variants.search import BATCHES, CONFIRM, RUNGS, TRIALS, Playing, Stopped, search
from arena.tune.variants.sought import Sought, summary, write_search
from arena.tune.variants.wanted import SearchSpec, Wanted, read_search
from engines.errors import UserError

INTERRUPTED = 130
PLAN = "search.yaml"  # in the folder of a search
MAY_GROW = ("trials", "confirm", "name", "replays")  # of a search that goes on
Draw = Callable[[Sought, Path], None]


def search_command(
    draw: Draw,
    source: str,
    out: Path | None,
    workers: int | None,
    address: str | None,
    settings: Sequence[str],
    page: Path | None,
    fresh: bool,
    quiet: bool,
) -> int:
    """Carry out the command; returns the exit code. draw: writes what was found as HTML.

    Raises:
        UserError: one line that says what to correct.
    """
    if (Path(source) / RECORD).is_file() or (Path(source) / PLAN).is_file():
        raise UserError(f"{source}: a stored run; --search needs the config it was made from")
    wanted = read_search(source, settings)
    folder = out or Path("results") / wanted.spec.name
    with lock_folder(folder):
        begin(wanted, folder, fresh)
        count = default_workers() if workers is None else workers
        playing = Playing(wanted, folder, count, address, not quiet, say(quiet))
        try:
            found = search(playing)
        except Stopped:
            typer.echo(f"{playing.matches} matches in {folder} ({playing.played} new)")
            typer.echo("stopped; the same command goes on where it stopped")
            return INTERRUPTED
        typer.echo(f"{found.matches} matches in {folder} ({found.played} new)")
        publish(Sought(found), page, draw)
    return 0


def say(quiet: bool) -> Callable[[str], None]:
    """Where lines about the progress go."""
    return (lambda text: None) if quiet else (lambda text: typer.echo(text, err=True))


def publish(sought: Sought, page: Path | None, draw: Draw) -> None:
    """Write tables and pages into the folder, and the pages where the user wants them; say it."""
    folder = sought.found.folder
    write_search(sought)
    draw(sought, folder / "search.html")
    typer.echo(flowed(summary(sought)))
    if page is not None:
        page.parent.mkdir(parents=True, exist_ok=True)
        html = page.with_suffix(".html")
        for own, there in (("search.md", page), ("search.html", html)):
            write_text(there, (folder / own).read_text(encoding="utf-8"))
        typer.echo(f"written: {page}\nwritten: {html}")


# --- whose folder it is ---------------------------------------------------------------------------


def begin(wanted: Wanted, folder: Path, fresh: bool) -> None:
    """Keep the config in the folder; UserError if another search is there, or a run."""
    if fresh:
        move_aside(folder, (PLAN, TRIALS, BATCHES, RUNGS, CONFIRM))
    if (folder / RECORD).exists():
        raise UserError(f"{folder}: holds a run, --out takes another folder")
    file, spec = folder / PLAN, plain(wanted.spec)
    if file.is_file():
        stored = read_yaml(file)
        for name in sorted({*stored, *spec} - set(MAY_GROW)):
            if stored.get(name) != spec.get(name):
                raise UserError(
                    f"{folder}: holds a search with other {name}; --fresh begins anew, "
                    "--out takes another folder"
                )
    text = yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=100)
    write_text(file, f"# What arena balance --search makes of this folder.\n{text}")


def plain(spec: SearchSpec) -> dict[str, object]:
    """A config as YAML keeps it."""
    kept: dict[str, object] = spec.model_dump(mode="json", exclude_none=True)
    return kept
