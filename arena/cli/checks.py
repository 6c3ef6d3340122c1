"""`arena check`: what authors of games and bots run on their own."""

import os
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.frame import DebugBot, Isolation, announce, check, show_checks


@check.command("scenarios", epilog="Example:  arena check scenarios engines/karmaka/scenarios")
def check_scenarios(
    paths: Annotated[list[Path], typer.Argument(help="Scenario files or folders of them.")],
) -> None:
    """Run scenario files: positions with right answers."""
    from arena.authoring.scenarios import run_files

    show_checks((one.passed, "" if one.passed else f"FAILED {one}") for one in run_files(paths))


@check.command("run", epilog="Example:  arena check run results/quickstart")
def check_run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
) -> None:
    """Look through a stored run: every row's types, ranges, ids and actions."""
    from arena.results.soundness import check_run as check_one

    show_checks(check_one(folder))


@check.command(
    "game",
    epilog="Examples:  arena check game connect_four   ·   arena check game ./my_game   ·   "
    "arena check game ./my_game --fast   ·   arena check game sacrifice --perft 3",
)
def check_game(
    name: Annotated[str, typer.Argument(help="A game's name or its folder.")],
    perft: Annotated[
        int | None,
        typer.Option(min=1, help="Only count sequences of 1 to N actions from the start."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Only this check; may be repeated.")
    ] = None,
    fast: Annotated[
        bool,
        typer.Option("--fast", help="A glance in 15 seconds: nothing is compiled."),
    ] = False,
) -> None:
    """Run the conformance suite on one game."""
    if fast:
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # read when numba is first imported, below
    if perft is not None:
        from arena.authoring.checks.perft import perft as count

        for plies, sequences in enumerate(count(name, perft), 1):
            typer.echo(f"perft {plies}: {sequences}")
        return
    from arena.authoring.conformance import check_game as check_one

    outcomes = check_one(name, only or (), fast, announce)
    show_checks((None if one.left_out else not one.problems, str(one)) for one in outcomes)


@check.command(
    "bot", epilog="Example:  arena check bot examples/ten_lines.py:TenLines --game connect_four"
)
def check_bot(
    bot: Annotated[str, typer.Argument(help="The bot, as for arena match.")],
    game: Annotated[str, typer.Option(help="The game it is tried in.")] = "connect_four",
    matches: Annotated[int, typer.Option(min=1, help="Matches against random.")] = 4,
    isolation: Isolation = None,
    debug_bot: DebugBot = None,
) -> None:
    """Try a bot step by step: loads, starts, answers legally, plays, repeats itself."""
    from arena.authoring.compliance import check_bot as check_one

    steps = check_one(bot, game, matches, isolation, debug_bot or "")
    for number, (step, problem) in enumerate(steps, 1):
        typer.echo(f"{number}. {'FAILED' if problem else 'ok'}: {step}")
        if problem:
            typer.echo("\n".join(f"   {line}" for line in problem.splitlines()))
            raise typer.Exit(1)


@check.command("sandbox", epilog="Example:  arena check sandbox")
def check_sandbox() -> None:
    """Say whether bots of others can be walled in on this machine, and what would help."""
    from arena.authoring.walls import check_sandbox as check_one

    show_checks(check_one())
