"""The command line; heavy modules are imported inside the commands, so `--help` answers at once."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

WRONG_INPUT = 2

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
    from arena.spec import read_spec

    changes = [*(settings or []), *([f"seed={seed}"] if seed is not None else [])]
    spec = read_spec(config, changes)
    folder = out or Path("results") / spec.name
    if dry_run:
        from arena.forecast import forecast
        from arena.tournament import resolve

        for line in forecast(resolve(spec), folder, _count(workers)):
            typer.echo(line)
        return
    _play(spec, folder, workers, address, fresh, quiet)


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
            metavar="ELO0,ELO1", help="Play until a ratio test has chosen one for the first bot."
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
    from arena.config import override
    from arena.spec import match_spec

    question, count = _question(until, sprt, deals, max_deals)
    options = override({}, variant or [], "--variant")
    spec = match_spec(game, bots, players, count, seed or 0, options, opening)
    folder = out or Path("results") / match_folder(spec)
    _play(spec, folder, workers, address, fresh, quiet, question)


def _question(
    until: float | None, sprt: str | None, deals: int | None, most: int | None
) -> tuple[Any, int]:
    """What a match is to decide, if anything, and the number of its deals."""
    from arena import verdict
    from engines.errors import UserError

    if until is None and sprt is None:
        if most is not None:
            raise UserError("--max-deals: only with --until or --sprt, else --deals says how many")
        return None, deals or 100
    if until is not None and sprt is not None:
        raise UserError("--until and --sprt: give one of them")
    if deals is not None:
        raise UserError(f"--deals: give --max-deals {deals} with --until or --sprt")
    question = verdict.until(until) if until is not None else verdict.sprt(str(sprt))
    return question, most or verdict.MOST_DEALS


def match_folder(spec: Any) -> str:
    """A folder name that stays the same for the same match and differs for another."""
    from arena.identity import digest
    from arena.spec import plain

    facts = {k: v for k, v in plain(spec).items() if k != "deals"}
    return f"match-{Path(spec.games[0].game).name}-{digest(facts)[:8]}"


@app.command(
    epilog="Examples:  arena report results/quickstart   ·   arena report results/quickstart --board b.md"
)
def report(
    folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run, finished or not.")
    ],
    board: Annotated[
        Path | None,
        typer.Option(metavar="FILE.md", help="Write a leaderboard: FILE.md, .html and .png."),
    ] = None,
) -> None:
    """A stored run as a page (report.html), tables (terminal, CSV) and a leaderboard to publish."""
    from arena.findings import write_findings
    from arena.pages.report import PAGE, write_board_pages, write_report
    from arena.provenance import match_command
    from arena.report import make_tables, write_board, write_csv

    tables = make_tables(folder)
    typer.echo(tables.text())
    write_csv(tables)
    findings = write_findings(tables)
    write_report(tables, findings, folder / PAGE)
    typer.echo(f"written: {folder / PAGE}")
    if tables.answer:
        typer.echo(tables.answer)
    if tables.unfinished:
        typer.echo(f"{tables.stored} of {tables.planned} matches: the run is not finished")
    elif tables.decided:
        typer.echo(f"the run ended with {tables.stored} matches, when this was decided")
    if tables.stored:
        typer.echo(f"any of them again: {match_command(str(folder))}")
    if board is not None:
        write_board(tables, board)
        for file in (board, *write_board_pages(tables, findings, board)):
            typer.echo(f"written: {file}")


@app.command(
    epilog="Examples:  arena leaderboard results/a results/b   ·   arena leaderboard results/* --out board"
)
def leaderboard(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for leaderboard.html, leaderboard.md and CSV.")
    ] = None,
) -> None:
    """Several runs as one: a board for each game, one over all, and who beats whom against it."""
    from arena.leaderboards import make_boards
    from arena.pages.leaderboards import boards_text, write_boards

    boards = make_boards(folders)
    typer.echo(boards_text(boards))
    if out is not None:
        write_boards(boards, out)
        typer.echo(f"written: {out / 'leaderboard.html'}")


@app.command(
    epilog="Examples:  arena balance balance-karmaka   ·   arena balance results/leaderboard-karmaka"
)
def balance(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG|RUN",
            help="A balance config (YAML file or name in configs/), or the folder of a stored run.",
        ),
    ],
    out: Out = None,
    workers: Workers = None,
    address: Address = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the config."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Of a stored run: the variant to compare with, as tables name it."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE.md", help="Write the page there too: FILE.md and .html."),
    ] = None,
    fresh: Fresh = False,
    quiet: Quiet = False,
) -> None:
    """Is this variant fair, deep and in line? Plays a ladder of bots on each and says so in words."""
    from arena.balance.command import balance_command
    from arena.pages.balance import write_balance_page

    code = balance_command(
        source,
        out,
        workers,
        address,
        settings or [],
        baseline,
        page,
        fresh,
        quiet,
        write_balance_page,
    )
    if code:
        raise typer.Exit(code)


@app.command(epilog="Examples:  arena games   ·   arena games karmaka")
def games(
    name: Annotated[str | None, typer.Argument(help="One game, for its options.")] = None,
) -> None:
    """The games: players, options with defaults, ranges and meaning."""
    from arena.catalogue import describe_game, list_games

    typer.echo(list_games() if name is None else describe_game(name))


@app.command(epilog="Examples:  arena bots   ·   arena bots mcts")
def bots(
    name: Annotated[str | None, typer.Argument(help="One bot, for its parameters.")] = None,
) -> None:
    """The bots: parameters with defaults, ranges and meaning."""
    from arena.catalogue import describe_bot, list_bots

    typer.echo(list_bots() if name is None else describe_bot(name))


@app.command(
    epilog="Examples:  arena replay results/quickstart 3f2a   ·   arena replay RUN MATCH --html"
    "   ·   arena replay RUN MATCH --rerun"
)
def replay(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    match_id: Annotated[str, typer.Argument(metavar="MATCH", help="A match id or how it begins.")],
    moves_only: Annotated[
        bool, typer.Option("--moves-only", help="Without the positions.")
    ] = False,
    rerun: Annotated[
        bool,
        typer.Option("--rerun", help="Let the bots play it again: all must come out as stored."),
    ] = False,
    page: Annotated[
        bool, typer.Option("--html", help="Write a page to step through into RUN/replays.")
    ] = False,
) -> None:
    """Show a stored match move by move; it is re-played and must end as stored."""
    if page:
        from arena.pages.replay import write_replay

        typer.echo(f"written: {write_replay(folder, match_id)}")
        return
    from arena.replay import replay_match

    for block in replay_match(folder, match_id, not moves_only, rerun):
        typer.echo(block)


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
        typer.Option(metavar="KEY=VALUE", help="An option of the game (arena games NAME)."),
    ] = None,
    hint: Annotated[
        str, typer.Option(metavar="BOT", help="Whom `hint` asks.")
    ] = "mcts:simulations=1000",
    stored: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Go on with a stored match.")
    ] = None,
) -> None:
    """Sit down at a game in the terminal, against bots or other people."""
    import contextlib

    from arena.config import override
    from arena.play import play as play_on
    from arena.play import sit_down

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  editing and history of what is typed
    options = override({}, variant or [], "--variant")
    typer.echo("loading (the first time a game is compiled: up to a minute) ...", err=True)
    try:
        play_on(sit_down(game, seats, seed, options, hint, stored))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


@app.command(epilog="Examples:  arena bench   ·   arena bench karmaka --seconds 2 --json")
def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Games; default all.")] = None,
    seconds: Annotated[float, typer.Option(min=0.05, help="Time for each figure.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Measure: playouts, decisions and simulations a second, compile and load time, the runner's rate."""
    from arena.bench import measure_all, table_text

    figures = measure_all(names or [], seconds)
    if as_json:
        import json

        typer.echo(json.dumps(figures, indent=2))
    else:
        typer.echo(table_text(figures))


@check.command("scenarios", epilog="Example:  arena check scenarios tests/scenarios/karmaka")
def check_scenarios(
    paths: Annotated[list[Path], typer.Argument(help="Scenario files or folders of them.")],
) -> None:
    """Run scenario files: positions with right answers."""
    from arena.scenarios import run_files

    _show_checks((one.passed, "" if one.passed else f"FAILED {one}") for one in run_files(paths))


@check.command(
    "game",
    epilog="Examples:  arena check game connect_four   ·   arena check game ./my_game   ·   "
    "arena check game sacrifice --perft 3",
)
def check_game(
    name: Annotated[str, typer.Argument(help="A game's name or its folder.")],
    perft: Annotated[
        int | None,
        typer.Option(min=1, help="Only count sequences of 1 to N actions from the start."),
    ] = None,
) -> None:
    """Run the conformance suite on one game."""
    if perft is not None:
        from arena.checks.perft import perft as count

        for plies, sequences in enumerate(count(name, perft), 1):
            typer.echo(f"perft {plies}: {sequences}")
        return
    from arena.conformance import check_game as check_one

    _show_checks((not one.problems, str(one)) for one in check_one(name))


@check.command(
    "bot", epilog="Example:  arena check bot examples/ten_lines.py:TenLines --game connect_four"
)
def check_bot(
    bot: Annotated[str, typer.Argument(help="The bot, as for arena match.")],
    game: Annotated[str, typer.Option(help="The game it is tried in.")] = "connect_four",
    matches: Annotated[int, typer.Option(min=1, help="Matches against random.")] = 4,
) -> None:
    """Try a bot step by step: loads, starts, answers legally, plays, repeats itself."""
    from arena.compliance import check_bot as check_one

    for number, (step, problem) in enumerate(check_one(bot, game, matches), 1):
        typer.echo(f"{number}. {'FAILED' if problem else 'ok'}: {step}")
        if problem:
            typer.echo("\n".join(f"   {line}" for line in problem.splitlines()))
            raise typer.Exit(1)


def _show_checks(outcomes: Iterable[tuple[bool, str]]) -> None:
    """Show what each check says, if anything, as it comes; exit code 1 if one has not passed."""
    failed = total = 0
    for passed, text in outcomes:
        total += 1
        failed += not passed
        if text:
            typer.echo(text)
    typer.echo(f"{total - failed} passed, {failed} failed")
    if failed:
        raise typer.Exit(1)


def _play(
    spec: Any,
    folder: Path,
    workers: int | None,
    address: str | None,
    fresh: bool,
    quiet: bool,
    question: Any = None,
) -> None:

    from arena.provenance import match_command
    from arena.report import write_tables
    from arena.run import carry_out
    from arena.tournament import resolve
    from arena.verdict import duel_of

    tournament = resolve(spec)
    duel = duel_of(tournament, question) if question else None
    summary = carry_out(tournament, folder, _count(workers), address, fresh, not quiet, duel)
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


def _count(workers: int | None) -> int:
    """The number of workers: as given, or one a core."""
    import os

    return workers if workers is not None else max(1, len(os.sched_getaffinity(0)))


def main() -> None:
    """Run the command line; what a user did wrong is one line and exit code 2."""
    from engines.errors import UserError

    try:
        app(prog_name="arena")
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(WRONG_INPUT)


if __name__ == "__main__":
    main()
