"""Carries out a tournament: matches to the workers, results to the store, progress to people."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from arena.execution.batches import Conditions, Feed, Outcome, Remaining
from arena.execution.changes import changes_on, move_history
from arena.execution.compiling import compile_games
from arena.execution.execute import execute
from arena.execution.interrupt import interruptible
from arena.execution.progress import Progress
from arena.execution.settling import settled
from arena.execution.watch import Watch
from arena.plan.identity import salt_digest
from arena.plan.question import Question
from arena.plan.schedule import LineUp, Match, count_matches, make_lineups
from arena.plan.tournament import Tournament
from arena.store.bitmap import Missing
from arena.store.columns import Columns
from arena.store.handing import Place, check_bucket
from arena.store.ledger import stored_tables
from arena.store.provenance import run_command
from arena.store.run_folder import RECORD, Run, open_run
from arena.store.talks import keep_talks
from bots.sources import Parcel
from engines.errors import BrokenGame, UserError, nearest

TOGETHER_SECONDS = 0.1  # of results are stored together


class Judge(Protocol):
    """What decides that a run has played enough; it is handed in, for results lie above this room."""

    @property
    def question(self) -> Question:
        """What is to be decided, for the run's record."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""

    @property
    def decided(self) -> bool:
        """Whether no more matches are needed."""

    def take_stored(self, table: pa.Table) -> None:
        """Take some of the matches that were stored before, with `columns`."""

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take new matches of one line-up, as its columns of results."""


class Rounds(Protocol):
    """What says who plays next by the results so far; it is handed in like a `Judge`."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""

    @property
    def over(self) -> bool:
        """Whether everything has been played."""

    def take_stored(self, table: pa.Table) -> None:
        """Take some of the matches that were stored before, with `columns`."""

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take new matches of one line-up, as its columns of results."""

    def due(self) -> tuple[LineUp, ...]:
        """The line-ups that have more deals to play now, with all their deals, each once."""

    @property
    def asked(self) -> tuple[LineUp, ...]:
        """All line-ups that have been due, with all their deals."""


@dataclass(frozen=True)
class Summary:
    """What a call of `carry_out` did."""

    folder: Path
    planned: int  # matches of the tournament, of bots set aside those stored; of a format those of the rounds so far
    played: int  # now
    stored: int  # in all
    interrupted: bool
    notes: tuple[str, ...] = ()  # what a user should know about how it was played
    over: bool = True  # nothing is left to play, as rounds have it


def carry_out(
    tournament: Tournament,
    folder: Path,
    workers: int,
    address: str | None = None,
    fresh: bool = False,
    progress: bool = True,
    judge: Judge | None = None,
    debug: str = "",
    rounds: Rounds | None = None,
    watch: Watch | None = None,
    bucket: str = "",
) -> Summary:
    """Play what is missing of a tournament and store it; Ctrl-C ends it cleanly.

    Args:
        workers: processes that play; 0 = this one, without Ray.
        address: of a Ray cluster to use instead.
        judge: is told of all results, and ends the run when it is decided.
        debug: the name of an entrant that plays in this process, for a debugger; so does everything then.
        rounds: is told of all results and says who plays next; None for the whole of a fixed schedule.
        watch: is told of all results; line-ups with bots that it sets aside are not played on.
        bucket: a URL that all workers can write, for those that do not see the folder (see `handing`).

    Raises:
        UserError: the folder cannot be used, or holds another run.
        BrokenGame: a game did what no game may do; the matches before that are stored.
    """
    question = judge.question if judge else None
    for line in () if fresh else changes_on(folder, tournament):
        print(line, file=sys.stderr)
    tournament = settled(tournament, folder, fresh)
    begins = fresh or not (folder / RECORD).exists()
    debugged = find_debugged(tournament, debug) if debug else ""
    if debugged:
        workers, address, progress = 0, None, False
    alone = workers == 0 and address is None
    flaws: list[str] = []
    with (
        open_run(folder, tournament, fresh, question) as run,
        interruptible(alone) as interrupted,
    ):
        if fresh:
            move_history(folder)
        notes = secrecy(tournament, run.record.spec.salt, begins, folder)
        tournament = replace(tournament, spec=run.record.spec)
        place = None if alone else place_of(run, bucket)
        listeners = [one for one in (judge, rounds, watch) if one is not None]
        for listener in listeners:
            for table in stored_tables(folder, run.record.lineups, listener.columns):
                listener.take_stored(table)

        def more() -> list[Remaining]:
            due = rounds.due() if rounds else ()
            if due:
                run.extend(due)
            return what_remains(tournament, due, run.missing_of, debugged, place)

        fixed = () if rounds else make_lineups(tournament)

        def asked() -> tuple[LineUp, ...]:
            return rounds.asked if rounds else fixed

        def stop() -> bool:
            return interrupted() or bool(flaws) or (judge is not None and judge.decided)

        left = (
            more() if rounds else what_remains(tournament, asked(), run.missing_of, debugged, place)
        )
        played = 0
        if any(group.left for group in left) and not (judge and judge.decided):
            compile_games([group.conditions for group in left], progress, interrupted)
            outcomes = told(
                execute(
                    Feed(left, more, watch.leaves_out if watch else never), workers, address, stop
                ),
                listeners,
                flaws,
            )
            together = 0.0 if rounds else TOGETHER_SECONDS
            played = store_all(outcomes, run, tournament, asked, stop, progress, place, together)
        out, missing = watch.leaves_out if watch else never, {}
        for lineup in asked():
            missing[lineup] = run.missing_of(lineup)[1]
        stored = count_matches(missing) - sum(missing.values())
        planned = stored + sum(count for lineup, count in missing.items() if not out(lineup))
    if flaws:
        raise BrokenGame(f"{flaws[0]}; what is good is stored in {folder}")
    over = rounds.over if rounds else planned == stored
    return Summary(folder, planned, played, stored, interrupted(), notes, over)


def place_of(run: Run, bucket: str) -> Place:
    """Where the workers of a run may write parts; what was written for a driver that is gone is taken in first."""
    place = run.place(bucket)
    if bucket:
        check_bucket(place)
        run.take_in_waiting(run.place())
    run.take_in_waiting(place)
    return place


def never(lineup: LineUp) -> bool:
    """No line-up is left out."""
    return False


def secrecy(
    tournament: Tournament, salt: str | None, begins: bool, folder: Path
) -> tuple[str, ...]:
    """What there is to say about who could know the deals of a run, and who can have the same ones."""
    if tournament.strangers and not salt:
        names = ", ".join(tournament.strangers)
        return (
            f"this run has no salt: its deals can be guessed by {names} "
            "(--fresh begins anew with a secret salt)",
        )
    if salt and begins and not tournament.spec.salt:
        again = run_command(str(folder))
        return (
            f"its deals follow from a secret salt, made for this run (digest {salt_digest(salt)}): "
            f"the same config begun anew has others; {again} plays these again, "
            "`salt: SECRET` in a config shares them",
        )
    return ()


def told(
    outcomes: Iterator[Outcome | None],
    listeners: Iterable[Judge | Rounds | Watch],
    flaws: list[str],
) -> Iterator[Outcome | None]:
    """The outcomes as they come, listeners told of each; what is wrong with a game is added to the flaws."""
    for outcome in outcomes:
        if outcome is not None and outcome.flaw:
            flaws.append(outcome.flaw)
        if outcome is not None:
            for listener in listeners:
                listener.take(outcome.batch.lineup, outcome.columns)
        yield outcome


def what_remains(
    tournament: Tournament,
    lineups: tuple[LineUp, ...],
    missing_of: Callable[[LineUp], tuple[Missing | Iterator[Match], int]],
    debug: str = "",
    place: Place | None = None,
) -> list[Remaining]:
    """What is left to play, by line-up."""
    if not lineups:
        return []
    parcels = {entrant.id: entrant.parcel() for entrant in tournament.entrants}
    return [
        Remaining(conditions_of(tournament, one, parcels, debug, place), *missing_of(one))
        for one in lineups
    ]


def find_debugged(tournament: Tournament, name: str) -> str:
    """The id of the entrant that is to be debugged, by its name or the text of its bot."""
    entrants = tournament.entrants
    found = next((one for one in entrants if name in (one.name, one.bot)), None)
    if found is None:
        names = [one.name for one in entrants]
        hint = nearest(name, names) or f", known are {', '.join(names)}"
        raise UserError(f"--debug-bot: {name!r}, no entrant has this name{hint}")
    if found.load().kind.program:
        raise UserError(f"--debug-bot: {name!r}, a program plays in a process of its own only")
    return found.id


def conditions_of(
    tournament: Tournament,
    lineup: LineUp,
    parcels: Mapping[str, Parcel | None],
    debug: str = "",
    place: Place | None = None,
) -> Conditions:
    """What the matches of a line-up are played with; files of bots by entrant."""
    entrants = {entrant.id: entrant for entrant in tournament.entrants}
    return Conditions(
        lineup,
        tournament.game_texts[lineup.game],
        tournament.rules[lineup.game],
        tuple(entrants[name] for name in lineup.entrants),
        tuple(parcel for name in lineup.entrants if (parcel := parcels[name]) is not None),
        tournament.spec.seed,
        tournament.spec.salt,
        tournament.spec.limits,
        tournament.spec.isolation or "none",
        tournament.spec.ponder,
        debug,
        store_actions=tournament.spec.store_actions,
        place=place,
        waiting=tournament.spec.waiting if any(entrants[e].waits for e in lineup.entrants) else 0,
        clock=tournament.spec.clock,
    )


def store_all(
    outcomes: Iterator[Outcome | None],
    run: Run,
    tournament: Tournament,
    asked: Callable[[], Iterable[LineUp]],
    stop: Callable[[], bool],
    progress: bool,
    place: Place | None = None,
    together: float = TOGETHER_SECONDS,
) -> int:
    """Store results as they come and show how far it is; returns how many matches that were.

    Args:
        asked: what is to be played by now; more where it is played in rounds.
        place: where workers write parts.
        together: seconds for which results may wait to be stored together; 0 where the next ones follow from them.
    """
    names = {entrant.id: entrant.name for entrant in tournament.entrants}
    waiting: list[Outcome] = []  # taken together: a thousand may come in a second
    since = time.monotonic()
    played = 0
    lineups = tuple(asked())
    planned = count_matches(lineups)
    stored = planned - sum(run.missing_of(lineup)[1] for lineup in lineups)
    with Progress(names, stored, planned, progress) as shown:

        def store() -> int:
            new = store_some(waiting, run, place)
            if progress:
                for one in waiting:
                    shown.take(one.batch.lineup.entrants, Columns(one.table, Progress.COLUMNS))
                shown.show(new, max(planned, count_matches(asked())))
            waiting.clear()
            return new

        try:
            for outcome in outcomes:
                if outcome is not None:
                    waiting.append(outcome)
                if outcome is None or time.monotonic() - since >= together:
                    played += store()
                    since = time.monotonic()
                if stop():
                    break
        finally:
            played += store()
    return played


def store_some(outcomes: Sequence[Outcome], run: Run, place: Place | None) -> int:
    """Store the results of some batches; how many matches are new."""
    keep_talks(run.folder, (said for one in outcomes for said in one.talks))
    tables = [one.table for one in outcomes if one.handed is None]
    new = run.append(pa.concat_tables(tables)) if tables else 0
    if place is not None:
        new += sum(run.take_in(place, one.handed) for one in outcomes if one.handed is not None)
    run.flush_if_due()
    return new
