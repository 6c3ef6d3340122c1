"""Commands that play: `arena run` and `arena match`."""

from datetime import UTC
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.frame import (
    Address,
    Bucket,
    DebugBot,
    Fresh,
    Isolation,
    Matches,
    Minutes,
    Out,
    Quiet,
    Seed,
    Workers,
    app,
    tell_notes,
    variant_options,
)


@app.command(
    epilog="Examples:  arena run quickstart   ·   arena run my.yaml --workers 4 --set deals=50 "
    "--set bots[1].simulations=200   ·   arena run quickstart --dry-run"
)
def run(
    config: Annotated[str, typer.Argument(help="A YAML file, or the name of one in configs/.")],
    out: Out = None,
    workers: Workers = None,
    address: Address = None,
    bucket: Bucket = None,
    seed: Seed = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the config."),
    ] = None,
    fresh: Fresh = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only say what would be played, and how long it takes."),
    ] = False,
    minutes: Minutes = None,
    matches: Matches = None,
    quiet: Quiet = False,
) -> None:
    """Play the tournament of a config file and rate it."""
    from arena.plan.question import limit_of
    from arena.plan.spec import read_spec

    changes = [*(settings or []), *([f"seed={seed}"] if seed is not None else [])]
    spec = read_spec(config, changes)
    folder = out or Path("results") / spec.name
    if dry_run:
        from arena.execution.batches import default_workers
        from arena.execution.changes import changes_on, check_going_on
        from arena.execution.forecast import forecast, power
        from arena.execution.settling import callers
        from arena.plan.columns import flowed
        from arena.store.defaults import resolved

        tournament = resolved(spec, folder, fresh)
        if not fresh:
            check_going_on(folder, tournament)
        tell_notes(tournament)
        for line in (*callers(tournament), *(() if fresh else changes_on(folder, tournament))):
            typer.echo(flowed(line))
        cores = default_workers() if workers is None else workers
        for line in (*forecast(tournament, folder, cores), *power(tournament)):
            typer.echo(flowed(line))
        return
    limit = limit_of(minutes, matches)
    play_and_tell(spec, folder, workers, address, fresh, quiet, limit=limit, bucket=bucket or "")


@app.command(
    epilog="Examples:  arena match connect_four random greedy   ·   "
    "arena match karmaka greedy mcts:simulations=200 examples/ten_lines.py:TenLines --players 3 --deals 50"
    "   ·   arena match karmaka mcts:simulations=64 greedy --until 95"
)
def match(
    game: Annotated[str, typer.Argument(help="A game's name (arena games) or its folder.")],
    bots: Annotated[
        list[str], typer.Argument(help="Two bots or more: name, name:key=value, file.py:Class.")
    ],
    players: Annotated[int | None, typer.Option(min=1, max=4, help="Players at a table.")] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Deals of each line-up; a deal is played in every seating. Default: 100.",
            show_default=False,
        ),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(
            metavar="PERCENT",
            help="Play until it is so sure which of two is stronger, or in which order more stand.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="K", help="With --until and more than two: only who the first K are."
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Play until a ratio test has chosen one for the first bot; may go on "
            ",normalised,alpha=0.05,beta=0.05.",
        ),
    ] = None,
    max_deals: Annotated[
        int | None, typer.Option(min=1, help="With these: deals at most. Default: 10000.")
    ] = None,
    opening: Annotated[
        int, typer.Option(min=0, max=1000, help="Decisions played at random first, by the deal.")
    ] = 0,
    seed: Seed = 0,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Options of the game (arena games NAME): rows=5,connect=3 as tables name a variant.",
        ),
    ] = None,
    isolation: Isolation = None,
    debug_bot: DebugBot = None,
    workers: Workers = None,
    address: Address = None,
    out: Out = None,
    minutes: Minutes = None,
    matches: Matches = None,
    fresh: Fresh = False,
    quiet: Quiet = False,
) -> None:
    """Let bots meet without a config file: a round robin at tables of N."""
    from arena.plan.question import limit_of
    from arena.plan.spec import match_spec
    from arena.results.tournaments import match_folder, question_of

    question, count = question_of(until, sprt, deals, max_deals, top)
    options = variant_options(variant)
    more = {"isolation": isolation} if isolation else {}
    spec = match_spec(game, bots, players, count, seed or 0, options, opening, **more)
    folder = out or Path("results") / match_folder(spec)
    limit = limit_of(minutes, matches)
    play_and_tell(
        spec, folder, workers, address, fresh, quiet, question, debug_bot or "", limit=limit
    )


def play_and_tell(
    spec: Any,
    folder: Path,
    workers: int | None,
    address: str | None,
    fresh: bool,
    quiet: bool,
    question: Any = None,
    debug: str = "",
    limit: Any = None,
    bucket: str = "",
) -> None:
    """Carry out a tournament, then say what came out and how to go on."""
    from datetime import datetime

    from arena.plan.columns import flowed
    from arena.plan.wording import quoted as shell_quoted
    from arena.results.decisions import decided_lines
    from arena.results.league import remember
    from arena.results.report import write_tables
    from arena.results.tournaments import play
    from arena.store.defaults import resolved
    from arena.store.provenance import match_command

    tell_notes(resolved(spec, folder, fresh))
    summary, duel = play(
        spec, folder, workers, address, fresh, not quiet, question, debug, limit, bucket
    )
    if summary.stored:
        made = write_tables(folder)
        remember(folder, made.everybody, made.stored, datetime.now(UTC))
        typer.echo(flowed(made.text()))
        for line in decided_lines(made) if limit or spec.schedule == "adaptive" else ():
            typer.echo(flowed(line))
    typer.echo(f"{summary.stored} of {summary.planned} matches in {folder} ({summary.played} new)")
    if limit and not summary.over and not summary.interrupted:
        how = (
            "the same command"
            if limit.matches is None
            else "the same command with more, or without,"
        )
        typer.echo(f"stopped by {limit.text}: more is to be played, {how} goes on")
    if summary.played:
        typer.echo(f"any of them again: {match_command(str(folder))}")
    if summary.stored:
        typer.echo(f"as a page: arena report {shell_quoted(folder)}")
    for note in summary.notes:
        typer.echo(flowed(note))
    if duel is not None:
        typer.echo(flowed(duel.text()))
    if summary.interrupted:
        typer.echo("stopped; the same command goes on where it stopped")
        raise typer.Exit(130)
