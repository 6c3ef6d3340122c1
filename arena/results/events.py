"""A tournament in rounds while it is played: each game, variant and number of players is an event.

What is due next follows from the seed and the stored matches alone, so an event that was killed in
any round goes on as if nothing had been.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from arena.execution.watch import Offences
from arena.plan.formats.courses import FORMATS, course_of
from arena.plan.formats.meetings import lineups_of
from arena.plan.formats.rounds import Crosstable, Place, Round
from arena.plan.schedule import LineUp
from arena.plan.spec import TournamentSpec
from arena.plan.tournament import Table, Tournament
from arena.results.meetings import COLUMNS, Meeting, Sheet
from engines.core import parse_options


@dataclass(frozen=True)
class Played:
    """A round with its meetings, in the order of its tables."""

    round: Round
    meetings: tuple[Meeting, ...]

    @property
    def over(self) -> bool:
        """Whether all its tables are over."""
        return all(meeting.over for meeting in self.meetings)


class Event:
    """The course of a format at one table of a tournament; it changes as results come."""

    def __init__(
        self, table: Table, spec: TournamentSpec, seeds: Sequence[str], sheet: Sheet
    ) -> None:
        """Take the entrants by id, in the order of the config."""
        self.table = table
        self.rounds: list[Played] = []
        self.places: list[Place] = []  # when it is over
        self.seeds = tuple(seeds)
        self._spec = spec
        self._sheet = sheet
        self._deals: Counter[str] = Counter()  # of each line-up, in meetings that are over
        self._offences = Offences(spec.max_fault_share)  # in rounds that are over
        seats = len(set(table.sides))
        self._course = course_of(spec.rules, len(self.seeds), seats, spec.seed)
        self._open(next(self._course))

    @property
    def over(self) -> bool:
        """Whether everything has been played."""
        return bool(self.places)

    @property
    def aside(self) -> set[str]:
        """Entrants that failed too often in rounds that are over."""
        return self._offences.aside

    def due(self) -> list[LineUp]:
        """The line-ups that have more deals to play now; none while others are under way."""
        found: list[LineUp] = []
        while not self.over:
            meetings = self.rounds[-1].meetings
            for meeting in meetings:
                found += meeting.due(self._sheet)
            if not self.rounds[-1].over:
                break
            self._close(meetings)
        return found

    def table_now(self) -> list[Place]:
        """The places; before the end those by the points of the rounds that are over, finals left out after others."""
        if self.over:
            return self.places
        standing = Crosstable(range(len(self.seeds)))
        finals = not self.rounds[0].round.decisive
        for played in self.rounds:
            if played.over and not (finals and played.round.decisive):
                standing.add(played.round, [meeting.means for meeting in played.meetings])
        return standing.places()

    @property
    def asked(self) -> Iterator[LineUp]:
        """The line-ups of all meetings so far, with the deals that each has needed."""
        for played in self.rounds:
            for meeting in played.meetings:
                for lineup, begin in zip(meeting.lineups, meeting.begins, strict=True):
                    yield replace(lineup, deals=begin + meeting.asked)

    def _open(self, played: Round) -> None:
        confidence = (self._spec.until or 0) / 100
        meetings = []
        for group in played.tables:
            entrants = tuple(self.seeds[number] for number in group)
            there = tuple(one for one in entrants if one not in self.aside)
            lineups = lineups_of(self.table, there) if len(there) > 1 else ()
            begins = tuple(self._deals[lineup.id] for lineup in lineups)
            meeting = Meeting(
                entrants, lineups, begins, self.table.deals, played.decisive, confidence
            )
            meeting.absent, meeting.over = frozenset(entrants) - set(there), len(there) < 2
            meetings.append(meeting)
        self.rounds.append(Played(played, tuple(meetings)))

    def _close(self, meetings: Sequence[Meeting]) -> None:
        for meeting in meetings:
            for lineup, begin in zip(meeting.lineups, meeting.begins, strict=True):
                self._deals[lineup.id] += len(meeting.scores)
                deals = range(begin, begin + len(meeting.scores))
                self._offences.add(lineup.entrants, *self._sheet.offences(lineup, deals))
        self._offences.judge()
        try:
            following = self._course.send([meeting.means for meeting in meetings])
        except StopIteration as end:
            self.places = end.value
            return
        self._open(following)


class Events:
    """All events of a tournament: what `carry_out` asks for the line-ups that play next."""

    def __init__(self, tournament: Tournament, places: Callable[[LineUp], str]) -> None:
        """Take the tournament before its first result."""
        spec = tournament.spec
        self.schedule = spec.schedule
        self._sheet = Sheet(places)
        self.events = tuple(
            Event(table, spec, tournament.ids(table.game), self._sheet)
            for table in tournament.tables
        )

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""
        return COLUMNS

    @property
    def over(self) -> bool:
        """Whether everything has been played."""
        return all(event.over for event in self.events)

    def take_stored(self, table: pa.Table) -> None:
        """Take stored matches, with `columns`."""
        self._sheet.take_stored(table)

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take new matches of one line-up, as its columns of results."""
        self._sheet.take(lineup, columns)

    def due(self) -> tuple[LineUp, ...]:
        """The line-ups that have more deals to play now, with all their deals."""
        return tuple(lineup for event in self.events for lineup in event.due())

    @property
    def aside(self) -> set[str]:
        """The entrants that were set aside somewhere."""
        return {one for event in self.events for one in event.aside}

    @property
    def round(self) -> int:
        """The number of rounds that are over, of the event that is farthest behind."""
        return min(sum(played.over for played in event.rounds) for event in self.events)

    @property
    def asked(self) -> tuple[LineUp, ...]:
        """All line-ups that have been due, with all their deals."""
        found = {lineup.id: lineup for event in self.events for lineup in event.asked}
        return tuple(found.values())


def events_of(tournament: Tournament) -> Events | None:
    """The events of a tournament before their first result; None where its schedule is fixed."""
    if tournament.spec.schedule not in FORMATS:
        return None
    return Events(tournament, places_of(tournament))


def places_of(tournament: Tournament) -> Callable[[LineUp], str]:
    """What says whether ranks below the first mean anything in a line-up of a tournament."""

    def places(lineup: LineUp) -> str:
        game = tournament.games[lineup.game]
        return str(game.places(parse_options(game.Variant, dict(lineup.variant), "variant")))

    return places
