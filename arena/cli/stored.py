"""Matches of a stored run, listed and written for other programs: `arena matches` and `arena export`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.frame import app

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]


@app.command(
    epilog="Examples:  arena matches results/quickstart   ·   "
    "arena matches RUN --bot greedy --opponent mcts:simulations=200 --deal 3"
)
def matches(
    folder: Folder,
    bot: Annotated[str | None, typer.Option(help="Only where this bot played.")] = None,
    opponent: Annotated[str | None, typer.Option(help="And this one too.")] = None,
    ending: Annotated[
        str | None, typer.Option(help="Only those that ended so, in the rules' or referee's word.")
    ] = None,
    deal: Annotated[int | None, typer.Option(min=0, help="Only those of a deal.")] = None,
    most: Annotated[int, typer.Option(min=1, help="Lines at most.")] = 20,
) -> None:
    """List stored matches, so that `arena replay` has something to be given."""
    from arena.results.stored import Wanted, first_chosen, listing, load

    frame, count = first_chosen(load(folder), Wanted(bot, opponent, ending, deal), most)
    for line in listing(frame, folder, count):
        typer.echo(line)


@app.command(epilog="Examples:  arena runs   ·   arena runs /data/leagues")
def runs(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to look for runs.")
    ] = Path("results"),
) -> None:
    """List the runs below a folder with their state, matches and size."""
    from arena.results.runs import list_runs

    typer.echo(list_runs(folder))


@app.command(epilog="Example:  arena export results/quickstart --to matches.csv")
def export(
    folder: Folder,
    to: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="A .csv, .parquet or .jsonl (with all actions in words)."
        ),
    ],
) -> None:
    """Write the matches of a run with names instead of numbers, one row a match."""
    from arena.results.stored import load

    typer.echo(f"written: {load(folder).export(to)}")
