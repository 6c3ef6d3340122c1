"""`arena new`: beginnings for authors of games and bots."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.frame import app

new = typer.Typer(
    help="Write a small working game or bot to change into yours.", no_args_is_help=True
)
app.add_typer(new, name="new")

Folder = Annotated[
    Path, typer.Argument(metavar="NAME", help="The name, which is that of the new folder too.")
]


@new.command(
    "game", epilog="Example:  arena new game my_game   ·   then: arena check game ./my_game --fast"
)
def game(name: Folder) -> None:
    """Write a game of hidden hands and chance for 2-4 players, with rules, scenarios and a README."""
    from arena.authoring.new import new_game, shown

    folder = shown(new_game(name))
    typer.echo(f"written: {folder} (its README.md says what to change)")
    typer.echo(f"check it: arena check game {folder} --fast")


@new.command(
    "bot",
    epilog="Examples:  arena new bot my_bot   ·   arena new bot my_bot --kind program",
)
def bot(
    name: Folder,
    kind: Annotated[
        str, typer.Option(help="python; compiled, as fast as mcts; program: any language.")
    ] = "python",
) -> None:
    """Write a bot that plays every game, with a README."""
    from arena.authoring.new import new_bot, shown

    folder = shown(new_bot(name, kind))
    typer.echo(f"written: {folder} (its README.md says how to check it and what to change)")
