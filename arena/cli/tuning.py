"""`arena tune`: better options for a bot, or weights for a heuristic, searched and confirmed."""

from typing import Annotated

import typer

from arena.cli.frame import Address, Fresh, Out, Quiet, Seed, Workers, app
from engines.errors import UserError


@app.command(
    epilog="Examples:  arena tune tune-connect_four   ·   arena tune my.yaml --set trials=48 --workers 4"
    "   ·   arena tune tune-connect_four --dry-run"
    "   ·   arena tune --evaluate karmaka"
)
def tune(
    config: Annotated[
        str | None, typer.Argument(help="A YAML file, or the name of one in configs/.")
    ] = None,
    evaluate: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Fit the weights of this game's heuristic instead."),
    ] = None,
    out: Out = None,
    workers: Workers = None,
    address: Address = None,
    seed: Seed = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the config."),
    ] = None,
    fresh: Fresh = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only say how much would be played, and how long it takes."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Search better options for a bot; what is best is confirmed on fresh deals."""
    if (config is None) == (evaluate is None):
        raise UserError("arena tune: expected a config, or --evaluate GAME")
    changes = [*(settings or []), *([f"seed={seed}"] if seed is not None else [])]
    if evaluate is not None:
        from arena.tune.fit_command import fit_command  # start-up time

        code = fit_command(evaluate, out, workers, address, changes, fresh, dry_run, quiet)
    else:
        from arena.tune.command import tune_command

        code = tune_command(config or "", out, workers, address, changes, fresh, dry_run, quiet)
    if code:
        raise typer.Exit(code)
