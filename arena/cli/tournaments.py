"""Commands that play: `arena run` and `arena match`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.frame import Address, Fresh, Out, Quiet, Seed, Workers, app, count


@app.command(
    epilog="Examples:  arena run quickstart   ·   arena run my.yaml --workers 4 --set deals=50 "
    "--set bots[1].simulations=200   ·   arena run quickstart --dry-run"
)
def run(
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
        typer.Option("--dry-run", help="Only say what would be played, and how long it takes."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Play the tournament of a config file and rate it."""
    from arena.plan.spec import read_spec

    changes = [*(settings or []), *([f"seed={seed}"] if seed is not None else [])]
    spec = read_spec(config, changes)
    folder = out or Path("results") / spec.name
    if dry_run:
        from arena.execution.forecast import forecast, power
        from arena.plan.tournament import resolve

        tournament = resolve(spec)
        for line in (*forecast(tournament, folder, count(workers)), *power(tournament)):
            typer.echo(line)
        return
    play_and_tell(spec, folder, workers, address, fresh, quiet)


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
        typer.Option(metavar="PERCENT", help="Play until it is so sure which of two is stronger."),
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
        typer.Option(metavar="KEY=VALUE", help="An option of the game (arena games NAME)."),
    ] = None,
    workers: Workers = None,
    address: Address = None,
    out: Out = None,
    fresh: Fresh = False,
    quiet: Quiet = False,
) -> None:
    """Let bots meet without a config file: a round robin at tables of N."""
    from arena.plan.config import override
    from arena.plan.spec import match_spec

    question, count = question_of(until, sprt, deals, max_deals)
    options = override({}, variant or [], "--variant")
    spec = match_spec(game, bots, players, count, seed or 0, options, opening)
    folder = out or Path("results") / match_folder(spec)
    play_and_tell(spec, folder, workers, address, fresh, quiet, question)


def question_of(
    until: float | None, sprt: str | None, deals: int | None, most: int | None
) -> tuple[Any, int]:
    """What a match is to decide, if anything, and the number of its deals."""
    from arena.plan import question
    from engines.errors import UserError

    if until is None and sprt is None:
        if most is not None:
            raise UserError("--max-deals: only with --until or --sprt, else --deals says how many")
        return None, deals or 100
    if until is not None and sprt is not None:
        raise UserError("--until and --sprt: give one of them")
    if deals is not None:
        raise UserError(f"--deals: give --max-deals {deals} with --until or --sprt")
    asked = question.until(until) if until is not None else question.sprt(str(sprt))
    return asked, most or question.MOST_DEALS


def match_folder(spec: Any) -> str:
    """A folder name that stays the same for the same match and differs for another."""
    from arena.plan.identity import digest
    from arena.plan.spec import plain

    facts = {k: v for k, v in plain(spec).items() if k != "deals"}
    return f"match-{Path(spec.games[0].game).name}-{digest(facts)[:8]}"


def play_and_tell(
    spec: Any,
    folder: Path,
    workers: int | None,
    address: str | None,
    fresh: bool,
    quiet: bool,
    question: Any = None,
) -> None:
    """Carry out a tournament, then say what came out and how to go on."""
    from arena.execution.run import carry_out
    from arena.plan.tournament import resolve
    from arena.results.report import write_tables
    from arena.results.verdict import duel_of
    from arena.store.provenance import match_command

    tournament = resolve(spec)
    duel = duel_of(tournament, question) if question else None
    summary = carry_out(tournament, folder, count(workers), address, fresh, not quiet, duel)
    if summary.stored:
        typer.echo(write_tables(folder).text())
    typer.echo(f"{summary.stored} of {summary.planned} matches in {folder} ({summary.played} new)")
    if summary.played:
        typer.echo(f"any of them again: {match_command(str(folder))}")
    if duel is not None:
        typer.echo(duel.text())
    if summary.interrupted:
        typer.echo("stopped; the same command goes on where it stopped")
        raise typer.Exit(130)
