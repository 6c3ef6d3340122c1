"""`arena play`: a person at the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.frame import app, variant_options


@app.command(
    epilog="Examples:  arena play connect_four --seats human,mcts:simulations=500   ·   "
    "arena play karmaka --seats human,greedy,greedy --seed 7   ·   arena play --resume FILE"
)
def play(
    game: Annotated[str | None, typer.Argument(help="A game's name or its folder.")] = None,
    seats: Annotated[
        str | None,
        typer.Option(help="Who sits where, in order of play: human or a bot, e.g. human,greedy."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Fixes the deal and the bots; default: a new one.")
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Options of the game (arena games NAME): rows=5,connect=3 as tables name a variant.",
        ),
    ] = None,
    hint: Annotated[
        str, typer.Option(metavar="BOT", help="Whom `hint` asks.")
    ] = "mcts:simulations=1000",
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS[+MORE]",
            help="Time of each player for the match, and more after each decision: 300+5.",
        ),
    ] = None,
    stored: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Go on with a stored match.")
    ] = None,
) -> None:
    """Sit down at a game in the terminal, against bots or other people."""
    import contextlib

    from arena.plan.shapes import read_clock
    from arena.playing.play import play as play_on
    from arena.playing.play import sit_down

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  editing and history of what is typed
    options = variant_options(variant)
    try:
        play_on(sit_down(game, seats, seed, options, hint, stored, read_clock(clock)))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
