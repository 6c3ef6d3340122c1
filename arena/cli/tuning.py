"""`arena tune`: better options for a bot, searched and confirmed."""

from typing import Annotated

import typer

from arena.cli.frame import Address, Fresh, Out, Quiet, Seed, Workers, app


@app.command(
    epilog="Examples:  arena tune tune-connect_four   ·   arena tune my.yaml --set trials=48 --workers 4"
    "   ·   arena tune tune-connect_four --dry-run"
)
def tune(
    config: Annotated[str, typer.Argument(help="A YAML file, or the name of one in configs/.")],
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
    from arena.tune.command import tune_command  # start-up time

    changes = [*(settings or []), *([f"seed={seed}"] if seed is not None else [])]
    code = tune_command(config, out, workers, address, changes, fresh, dry_run, quiet)
    if code:
        raise typer.Exit(code)
