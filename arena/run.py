"""Carries out a tournament: matches to the workers, results to the store, progress to people."""

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tqdm import tqdm

from arena.batches import Batch, Feed, Group, Outcome, Setting, order_of
from arena.execute import execute, make_job
from arena.match import warm_up
from arena.schedule import LineUp, Match, count_matches, make_lineups
from arena.store import Run, open_run, read_table, table_from_columns
from arena.tally import Tally
from arena.tournament import Tournament
from arena.verdict import COLUMNS, Duel


@dataclass(frozen=True)
class Summary:
    """What a call of `carry_out` did."""

    folder: Path
    planned: int  # matches of the tournament
    played: int  # now
    stored: int  # in all
    interrupted: bool


def carry_out(
    tournament: Tournament,
    folder: Path,
    workers: int,
    address: str | None = None,
    fresh: bool = False,
    progress: bool = True,
    duel: Duel | None = None,
) -> Summary:
    """Play what is missing of a tournament and store it; Ctrl-C ends it cleanly.

    Args:
        workers: processes that play; 0 = this one, without Ray.
        address: of a Ray cluster to use instead.
        duel: is told of all results, and ends the run when it is decided.

    Raises:
        UserError: the folder cannot be used, or holds another run.
    """
    question = duel.question if duel else None
    with open_run(folder, tournament, fresh, question) as run, interruptible() as interrupted:
        lineups = make_lineups(tournament)
        planned = count_matches(lineups)
        left = groups(tournament, lineups, run.missing_of)
        missing = sum(group.left for group in left)
        played = 0
        if duel is not None:
            duel.take_stored(read_table(folder, COLUMNS))
        if missing and not (duel and duel.decided):
            compile_games(group.setting for group in left)

            def stop() -> bool:
                return interrupted() or (duel is not None and duel.decided)

            outcomes = told(execute(Feed(left), workers, address, stop), duel)
            played = store_all(outcomes, run, tournament, planned, stop, progress)
    return Summary(folder, planned, played, planned - missing + played, interrupted())


def told(outcomes: Iterator[Outcome | None], duel: Duel | None) -> Iterator[Outcome | None]:
    """The outcomes as they come, a duel told of each."""
    for outcome in outcomes:
        if duel is not None and outcome is not None:
            duel.take(outcome.batch.lineup, outcome.columns)
        yield outcome


def groups(
    tournament: Tournament,
    lineups: tuple[LineUp, ...],
    missing_of: Callable[[LineUp], tuple[Iterator[Match], int]],
) -> list[Group]:
    """What is left to play, by line-up."""
    files = {entrant.id: entrant.files() for entrant in tournament.entrants}
    return [Group(setting_of(tournament, one, files), *missing_of(one)) for one in lineups]


def setting_of(
    tournament: Tournament, lineup: LineUp, files: Mapping[str, Mapping[str, bytes]]
) -> Setting:
    """What the matches of a line-up are played with; files of bots by entrant."""
    entrants = {entrant.id: entrant for entrant in tournament.entrants}
    return Setting(
        lineup,
        tournament.game_texts[lineup.game],
        tournament.rules[lineup.game],
        tuple(entrants[name] for name in lineup.entrants),
        {path: content for name in lineup.entrants for path, content in files[name].items()},
        tournament.spec.seed,
        tournament.spec.limits,
        tournament.spec.isolation,
    )


def compile_games(settings: Iterable[Setting]) -> None:
    """Compile all that will be needed once before workers start, so that they find it in the cache."""
    for setting in settings:
        warm_up(make_job(order_of(Batch(setting, ()))))


def store_all(
    outcomes: Iterator[Outcome | None],
    run: Run,
    tournament: Tournament,
    planned: int,
    stop: Callable[[], bool],
    progress: bool,
) -> int:
    """Store results as they come and show how far it is; returns how many matches that were."""
    names = {entrant.id: entrant.name for entrant in tournament.entrants}
    tally = Tally(names)
    played = 0
    done = planned - sum(run.missing_of(lineup)[1] for lineup in make_lineups(tournament))
    with tqdm(
        total=planned,
        initial=done,
        unit=" matches",
        unit_scale=True,
        disable=not progress,
        file=sys.stderr,
        dynamic_ncols=True,
        smoothing=0.05,
        mininterval=0.5 if sys.stderr.isatty() else 30.0,
    ) as bar:
        for outcome in outcomes:
            if outcome is not None:
                new = run.append(table_from_columns(outcome.columns))
                played += new
                bar.update(new)
                tally.add(outcome.batch.lineup.entrants, outcome.columns)
                bar.set_postfix_str(tally.text(), refresh=False)
            else:
                run.flush_if_due()
                bar.update(0)
            if stop():
                break
    return played


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C (or SIGTERM) into a wish to stop; a second one ends at once."""
    wish = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield wish.is_set
        return

    def ask_to_stop(number: int, frame: FrameType | None) -> None:
        if wish.is_set():
            raise KeyboardInterrupt
        wish.set()

    old = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield wish.is_set
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
