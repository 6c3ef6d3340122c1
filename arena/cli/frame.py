"""The command line's frame: the app, the options that several commands share, how checks are shown."""

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="arena",
    help="Tournaments between bots that play tabletop games: Elo with error bars, win rates, tables.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
check = typer.Typer(
    help="Checks that authors of games and bots run on their own.", no_args_is_help=True
)
app.add_typer(check, name="check")

Workers = Annotated[
    int | None,
    typer.Option(
        min=0, max=4096, help="Worker processes; 0 = play in this one. Default: one a core."
    ),
]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed of the run: fixes every deal and every bot.")
]
Out = Annotated[
    Path | None, typer.Option(help="Folder of the results; an existing run in it goes on.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin anew; old results move into old-N.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")]
Address = Annotated[
    str | None, typer.Option(help="Ray cluster to use, e.g. ray://host:10001 or auto.")
]
Bucket = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where all workers may write, for those that do not see the folder: s3://name/prefix.",
    ),
]
Isolation = Annotated[
    str | None,
    typer.Option(
        help="sandbox, process (of their own, bots are trusted) or none. Default: the best that works here."
    ),
]
DebugBot = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Play in this process with this bot: breakpoints work."),
]


def variant_options(given: list[str] | None) -> dict[str, Any]:
    """The options that --variant names, each time one or several as in the label of a variant."""
    from arena.plan.identity import (
        read_label,  # not before a command needs it: arena should start fast
    )

    found: dict[str, Any] = {}
    for text in given or ():
        found |= read_label(text, "--variant")
    return found


Minutes = Annotated[
    float | None, typer.Option(help="Begin no more deals after so many minutes.", metavar="M")
]
Matches = Annotated[
    int | None, typer.Option(help="Play no more than so many matches in all.", min=1, metavar="N")
]


def tell_notes(tournament: Any) -> None:
    """Say what is worth knowing of a tournament before it is played."""
    from arena.plan.notes import notes  # not before a command needs them

    for note in notes(tournament):
        typer.echo(f"note: {note}", err=True)


def show_checks(outcomes: Iterable[tuple[bool | None, str]]) -> None:
    """Show what each check says, if anything, as it comes; exit code 1 if one has not passed.

    None instead of whether it passed: only a remark.
    """
    from arena.plan.columns import flowed

    failed = total = 0
    for passed, text in outcomes:
        total += passed is not None
        failed += passed is False
        announce("")
        if text:
            typer.echo(flowed(text))
    typer.echo(f"{total - failed} passed, {failed} failed")
    if failed:
        raise typer.Exit(1)


def announce(text: str) -> None:
    """Show on a terminal what is under way, in a line that the next one replaces; "" removes it."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns - 1
        typer.echo(f"\r\x1b[K{text[:width]}", err=True, nl=False)


def say_version(wanted: bool) -> None:
    """Print the package's version and leave, if it is wanted."""
    if wanted:
        from arena.store.provenance import package_version

        typer.echo(f"tabletop-arena {package_version()}")
        raise typer.Exit


@app.callback()
def frame(
    version: Annotated[
        bool,
        typer.Option("--version", callback=say_version, is_eager=True, help="Say which this is."),
    ] = False,
) -> None:
    """Tournaments between bots that play tabletop games: Elo with error bars, win rates, tables."""
