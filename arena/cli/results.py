"""Commands about stored runs: `arena report`, `leaderboard`, `replay`, and `arena balance`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.frame import Address, Fresh, Out, Quiet, Workers, app
from engines.errors import UserError

Elsewhere = Annotated[
    Path | None, typer.Option(help="Folder to write to, where RUN may only be read.")
]


@contextmanager
def elsewhere(folder: Path, out: Path | None) -> Iterator[Path]:
    """Where to write what is made of a run; a run that may only be read leads to `--out`."""
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        yield out or folder
    except (UserError, OSError) as error:
        if out is None and not os.access(folder, os.W_OK):
            raise UserError(f"{folder}: may only be read, --out FOLDER writes elsewhere") from error
        raise


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
    out: Elsewhere = None,
) -> None:
    """A stored run as a page (report.html), tables (terminal, CSV) and a leaderboard to publish."""
    from arena.pages.board import write_board_pages
    from arena.pages.report import PAGE, write_report
    from arena.plan.columns import flowed
    from arena.results.findings import write_findings
    from arena.results.report import make_tables, write_board, write_csv
    from arena.store.provenance import match_command

    tables = make_tables(folder)
    typer.echo(flowed(tables.text()))
    with elsewhere(folder, out) as place:
        write_csv(tables, place)
        findings = write_findings(tables, place)
        write_report(tables, findings, place / PAGE)
    typer.echo(f"written: {place / PAGE}")
    if tables.answer:
        typer.echo(flowed(tables.answer))
    if tables.unfinished:
        how = "the run is not finished"
        if tables.progress.round is not None:
            how = f"{tables.progress.text}, the run is not finished"
        typer.echo(f"{tables.stored} of {tables.planned} matches: {how}")
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
    "   ·   arena leaderboard games.pgn"
)
def leaderboard(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="Folders of runs; or results of other tools: CSV, PGN."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for leaderboard.html, leaderboard.md and CSV.")
    ] = None,
) -> None:
    """Several runs as one: a board for each game, one over all, and who beats whom against it."""
    from arena.pages.leaderboards import boards_text, write_boards
    from arena.plan.columns import flowed
    from arena.results.leaderboards import make_boards

    if any(path.is_file() for path in folders):
        rate_foreign(folders, out)
        return
    boards = make_boards(folders)
    typer.echo(flowed(boards_text(boards)))
    if out is not None:
        write_boards(boards, out)
        typer.echo(f"written: {out / 'leaderboard.html'}")


def rate_foreign(files: list[Path], out: Path | None) -> None:
    """A board of other tools' results, and with `out` leaderboard.csv there."""
    from arena.interop.foreign import foreign_standings, foreign_text
    from arena.results.cells import write_table

    standings = foreign_standings(files)
    typer.echo(foreign_text(standings))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_table(out / "leaderboard.csv", standings)
        typer.echo(f"written: {out / 'leaderboard.csv'}")


@app.command(
    epilog="Examples:  arena balance balance-karmaka   ·   arena balance results/leaderboard-karmaka"
    "   ·   arena balance results/before results/after --page changes.md   ·   arena balance search-nakum --search"
)
def balance(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG|RUN",
            help="A balance config (YAML file or name in configs/), or the folder of a stored run.",
        ),
    ],
    other: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN]", help="A second stored run, to hold against the first."),
    ] = None,
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
    searching: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Look for the variant nearest to the rules that meets the config's targets.",
        ),
    ] = False,
    fresh: Fresh = False,
    quiet: Quiet = False,
) -> None:
    """Is this variant fair, deep and in line? Plays a ladder of bots on each and says so in words."""
    if searching:
        if other is not None or baseline is not None:
            raise UserError("--search: needs a config alone, which names its own baseline")
        search(source, out, workers, address, settings or [], page, fresh, quiet)
        return
    if other is not None:
        refuse_beside_two_runs(source, out, settings, baseline, fresh)
        versus(Path(source), other, page)
        return
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


def search(source: str, out: Path | None, *given: Any) -> None:
    """Look for a variant that meets targets."""
    from arena.tune.variants.command import search_command
    from arena.tune.variants.page import write_search_page

    code = search_command(write_search_page, source, out, *given)
    if code:
        raise typer.Exit(code)


def refuse_beside_two_runs(source: str, *given: object) -> None:
    """Say which options two stored runs have no use for."""
    if any(given):
        raise UserError(
            f"{source}: two stored runs are only read: --out, --set, --baseline, --fresh need a config or one run"
        )


def versus(first: Path, second: Path, page: Path | None) -> None:
    """Two stored runs side by side, on the terminal and, where asked for, as pages."""
    from arena.balance.versus import compare_runs, versus_markdown, versus_text
    from arena.pages.versus import write_versus_page
    from arena.plan.columns import flowed
    from arena.store.files import write_text

    made = compare_runs(first, second)
    typer.echo(flowed(versus_text(made)))
    if page is not None:
        page.parent.mkdir(parents=True, exist_ok=True)
        html = page.with_suffix(".html")
        write_text(page, versus_markdown(made))
        write_versus_page(made, html)
        typer.echo(f"written: {page}\nwritten: {html}")


@app.command(
    epilog="Examples:  arena replay results/quickstart 3f2a   ·   arena replay RUN MATCH --html"
    "   ·   arena replay RUN MATCH --rerun"
)
def replay(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    match_id: Annotated[
        str, typer.Argument(metavar="MATCH", help="Its id or how it begins, LINEUP/DEAL/SEATING.")
    ],
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
    estimates: Annotated[
        bool,
        typer.Option("--estimates", help="On the page: what searches thought; they think again."),
    ] = False,
    out: Elsewhere = None,
) -> None:
    """Show a stored match move by move; it is re-played and must end as stored."""
    if estimates and not page:
        raise UserError("--estimates: shown on the page only, add --html")
    if page:
        from arena.pages.replay import write_replay

        with elsewhere(folder, out):
            file = write_replay(folder, match_id, out, estimates)
        typer.echo(f"written: {file}")
        return
    from arena.results.replay import replay_match

    for block in replay_match(folder, match_id, not moves_only, rerun):
        typer.echo(block)
