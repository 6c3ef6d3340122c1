"""What there is and how fast: `arena games`, `bots`, `bench`."""

from typing import Annotated

import typer

from arena.cli.frame import app


@app.command(epilog="Examples:  arena games   ·   arena games karmaka")
def games(
    name: Annotated[str | None, typer.Argument(help="One game, for its options.")] = None,
) -> None:
    """The games: players, options with defaults, ranges and meaning."""
    from arena.authoring.catalogue import describe_game, list_games
    from arena.plan.columns import flowed

    typer.echo(flowed(list_games() if name is None else describe_game(name)))


@app.command(epilog="Examples:  arena bots   ·   arena bots mcts")
def bots(
    name: Annotated[str | None, typer.Argument(help="One bot, for its parameters.")] = None,
) -> None:
    """The bots: parameters with defaults, ranges and meaning."""
    from arena.authoring.catalogue import describe_bot, list_bots
    from arena.plan.columns import flowed

    typer.echo(flowed(list_bots() if name is None else describe_bot(name)))


@app.command(epilog="Examples:  arena bench   ·   arena bench karmaka --seconds 2 --json")
def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Games; default all.")] = None,
    seconds: Annotated[float, typer.Option(min=0.05, help="Time for each figure.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Measure: playouts, decisions and simulations a second, compile and load time, the runner's rate."""
    from arena.authoring.bench import measure_all, table_text

    figures = measure_all(names or [], seconds)
    if as_json:
        import json

        typer.echo(json.dumps(figures, indent=2))
    else:
        typer.echo(table_text(figures))
