"""`arena tune --evaluate GAME`: the command around a fit of weights."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from arena.execution.batches import default_workers
from arena.plan.columns import flowed
from arena.tune.evaluate import MIXTURES, Hands, Plan, check, evaluate
from arena.tune.fitted import DIFF, PAGE, is_better, summary, write_files
from engines.core import load_game, parse_options
from engines.errors import UserError
from engines.texts import brief

INTERRUPTED = 130


def fit_command(
    game: str,
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
    plan = read_plan(game, settings)
    loaded = load_game(plan.game)
    check(loaded, plan)
    folder = out or Path("results") / f"weights-{loaded.name}"
    if dry_run:
        for line in forecast(plan):
            typer.echo(line)
        return 0

    def tell(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    cores = default_workers() if workers is None else workers
    made = evaluate(plan, folder, Hands(cores, address, not quiet, fresh), tell)
    if made is not None:
        write_files(made, folder)
        typer.echo(flowed("\n".join(summary(made))))
        typer.echo(f"all weights: {folder / PAGE}")
        if is_better(made):
            typer.echo(f"to take them over: {folder / DIFF}")
    if made is None or made.interrupted:
        typer.echo("stopped; the same command goes on where it stopped")
        return INTERRUPTED
    return 0


def read_plan(game: str, settings: Sequence[str]) -> Plan:
    """The plan of a game with what `--set` says; UserError with the name and the value."""
    given = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"--set {brief(text)}: has no value, expected name=value")
        if name == "game":
            raise UserError("--set game: the game is what --evaluate names")
        given[name] = value
    return parse_options(Plan, {**given, "game": game}, "evaluate")


def forecast(plan: Plan) -> Iterator[str]:
    """How much is played at most."""
    if not plan.run:
        yield f"to fit to: {plan.matches} matches of mcts:simulations={plan.teacher}"
    tried = 2 * plan.deals * len(MIXTURES)
    yield f"to try: {tried} matches, {plan.deals} deals for each of {len(MIXTURES)} mixtures"
    yield f"confirmation: at most {2 * plan.confirm} matches on {plan.confirm} fresh deals"
