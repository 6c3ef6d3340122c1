"""`arena web`: runs, reports, replays and tables in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.frame import app
from engines.errors import UserError


@app.command(epilog="Examples:  arena web   ·   arena web results --port 8000 --no-open")
def web(
    folder: Annotated[Path, typer.Argument(help="Runs below this folder are shown.")] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    host: Annotated[
        str, typer.Option(help="Where to listen; others than this machine need --password.")
    ] = "127.0.0.1",
    password: Annotated[
        str, typer.Option(envvar="ARENA_PASSWORD", help="What others are asked for.")
    ] = "",
) -> None:
    """Watch runs, read reports, replay matches and sit down to play, in a browser."""
    try:
        from arena.web.server import (
            serve,  # not before the command needs it: arena should start fast
        )
    except ModuleNotFoundError as error:
        raise UserError(
            f"arena web needs {error.name}: pip install 'tabletop-arena[web]'"
        ) from None

    serve(folder, host, port, password, not no_open, typer.echo)
