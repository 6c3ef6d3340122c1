"""`arena balance`: a config is played and analysed, a stored run only analysed."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import typer

from arena.balance.analysis import Balance, analyse
from arena.balance.config import read_balance, same_variants, tournament_spec
from arena.balance.page import summary, write_balance
from arena.balance.run import play
from arena.execution.batches import default_workers
from arena.plan.columns import flowed
from arena.plan.notes import notes
from arena.plan.tournament import resolve
from arena.store.files import write_text
from arena.store.record import RECORD
from engines.errors import UserError

INTERRUPTED = 130
Draw = Callable[[Balance, pd.DataFrame, Path], None]


def balance_command(
    source: str,
    out: Path | None,
    workers: int | None,
    address: str | None,
    settings: Sequence[str],
    baseline: str | None,
    page: Path | None,
    fresh: bool,
    quiet: bool,
    draw: Draw,
) -> int:
    """Carry out the command; returns the exit code. draw: writes analysis and verdict as HTML.

    Raises:
        UserError: one line that says what to correct.
    """
    if (Path(source) / RECORD).is_file():
        if out is not None or settings or fresh:
            raise UserError(
                f"{source}: a stored run is only read: --out, --set, --fresh need a config"
            )
        made, code = analyse(Path(source), baseline), 0
    else:
        if baseline is not None:
            raise UserError("--baseline: a config names its own, give the folder of a run")
        spec = read_balance(source, settings)
        folder = out or Path("results") / spec.name
        for note in (*same_variants(spec), *notes(resolve(tournament_spec(spec)))):
            typer.echo(f"note: {note}", err=True)
        count = default_workers() if workers is None else workers
        done, found = play(spec, folder, count, address, fresh, not quiet)
        code = INTERRUPTED if done.interrupted else 0
        typer.echo(f"{done.stored} of {done.planned} matches in {folder} ({done.played} new)")
        for note in done.notes:
            typer.echo(note)
        if found is None:
            return code
        made = found
    publish(made, page, draw)
    if code:
        typer.echo("stopped; the same command goes on where it stopped")
    return code


def publish(made: Balance, page: Path | None, draw: Draw) -> None:
    """Write tables and pages into the run folder, and the pages where the user wants them; say it."""
    said = write_balance(made)
    draw(made, said, made.folder / "balance.html")
    typer.echo(flowed(summary(made, said)))
    if page is not None:
        page.parent.mkdir(parents=True, exist_ok=True)
        html = page.with_suffix(".html")
        for own, there in (("balance.md", page), ("balance.html", html)):
            write_text(there, (made.folder / own).read_text(encoding="utf-8"))
        typer.echo(f"written: {page}\nwritten: {html}")
