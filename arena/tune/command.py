"""`arena tune`: a config is searched, its best are confirmed, and what came out is said."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import typer

from arena.execution.batches import default_workers
from arena.execution.forecast import duration_text, plural, probe
from arena.plan.columns import flowed
from arena.plan.notes import notes
from arena.plan.schedule import count_matches, make_lineups
from arena.tune.config import Tuning, load, read_tuning, tournament_of
from arena.tune.course import tune
from arena.tune.page import write_page
from arena.tune.racing import most_running
from arena.tune.space import Point, key_of
from arena.tune.words import NAME, text, write_tables

INTERRUPTED = 130
PROBED_DEALS = 10
MOST_POINTS = 1_000_000


def tune_command(
    config: str,
    out: Path | None,
    workers: int | None,
    address: str | None,
    settings: Sequence[str],
    fresh: bool,
    dry_run: bool,
    quiet: bool,
) -> int:
    """Carry out the command; returns the exit code.

    Raises:
        UserError: one line that says what to correct.
    """
    spec = read_tuning(config, settings)
    tuning = load(spec)
    folder = out or Path("results") / spec.name
    for note in notes(tournament_of(tuning, [], 0, 1, check=True)):
        typer.echo(f"note: {note}", err=True)
    if dry_run:
        cores = default_workers() if workers is None else workers
        for line in forecast(tuning, cores):
            typer.echo(line)
        return 0

    def tell(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    made = tune(tuning, folder, workers, address, fresh, not quiet, tell)
    write_tables(made)
    write_page(made)
    typer.echo(flowed(text(made)))
    typer.echo(f"as a page: {folder / f'{NAME}.html'}, all trials: {folder / f'{NAME}.csv'}")
    if made.interrupted:
        typer.echo("stopped; the same command goes on where it stopped")
        return INTERRUPTED
    return 0


def forecast(tuning: Tuning, workers: int) -> Iterator[str]:
    """How many matches it takes at most, and how long that is by a short probe."""
    spec, field = tuning.spec, not tuning.against_itself
    sample = tournament_of(tuning, [("candidate", other_point(tuning))], 0, 1)
    lineups = make_lineups(sample)
    each = count_matches(lineups)  # of one bot on one deal
    running = most_running(
        min(spec.trials, beside_start(tuning)), spec.batch, spec.keep, spec.deals
    )
    played = sum(n * added for n, added in zip(running, tuning.rungs, strict=True))
    search = each * (played + field * spec.deals[-1])
    last = each * spec.confirm * (spec.best + field)
    rungs = ", ".join(f"{n} on {deals} deals" for n, deals in zip(running, spec.deals, strict=True))
    yield f"search: at most {rungs}: {plural(search, 'match', 'es')}"
    yield f"confirmation: at most {spec.best} on {spec.confirm} fresh deals: {plural(last, 'match', 'es')}"
    yield f"{plural(search + last, 'match', 'es')} in all at most"
    longer = [replace(one, deals=PROBED_DEALS) for one in lineups]
    left = {one.id: -(-(search + last) // len(lineups)) for one in longer}
    yield duration_text(probe(sample, longer), longer, left, workers)


def other_point(tuning: Tuning) -> Point:
    """A point that is not the start."""
    rng = np.random.default_rng(tuning.spec.seed)
    points = (tuning.space.drawn(rng) for _ in range(1000))
    return next(point for point in points if key_of(point) != key_of(tuning.start))


def beside_start(tuning: Tuning) -> int:
    """How many points there are to try, as far as anybody would count."""
    space = tuning.space
    return int(min(space.size, MOST_POINTS)) - space.holds(tuning.start)
