"""What every format is made of: rounds of tables, their scores, and the places at the end."""

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import TypeAlias

Tables: TypeAlias = tuple[tuple[int, ...], ...]
Scores: TypeAlias = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Round:
    """What is played next; entrants are numbers, in the order of the config.

    tables: who meets, the better seed first. byes: who rests. labels: of each table ("group A").
    decisive: every table needs one winner, so it ends when nobody can catch up, and a tie goes on.
    """

    name: str
    tables: Tables
    byes: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    decisive: bool = False


@dataclass(frozen=True)
class Place:
    """Where an entrant stands at the end.

    place: from 1, shared places are equal. points: of tables, a bye counts as won. buchholz: the
    points of all opponents. sonneborn_berger: those of opponents that were beaten, and half of
    those that were equal. note: how it went out.
    """

    place: int
    entrant: int
    points: float
    buchholz: float
    sonneborn_berger: float
    note: str = ""


# Yields rounds, is sent the scores of each table's entrants in [0, 1], returns the places.
Course: TypeAlias = Generator[Round, Scores, list[Place]]


def table_points(scores: Sequence[float]) -> list[float]:
    """The share of opponents at a table that each entrant has beaten; an equal one counts half."""
    others = max(len(scores) - 1, 1)
    return [
        (sum(own > score for score in scores) + (sum(own == score for score in scores) - 1) / 2)
        / others
        for own in scores
    ]


class Crosstable:
    """Who met whom with what outcome; it grows round by round."""

    def __init__(self, field: Sequence[int]) -> None:
        """Take the entrants, the best seed first."""
        self.field = list(field)
        self.points = dict.fromkeys(self.field, 0.0)
        self.byes: Counter[int] = Counter()
        self.tables: Counter[frozenset[int]] = Counter()
        self.met: Counter[frozenset[int]] = Counter()
        self._met_by: dict[int, list[tuple[int, float]]] = {one: [] for one in self.field}

    def add(self, played: Round, scores: Scores) -> None:
        """Take the results of a round."""
        for table, found in zip(played.tables, scores, strict=True):
            self.tables[frozenset(table)] += 1
            self.met.update(map(frozenset, combinations(table, 2)))
            for entrant, gained in zip(table, table_points(found), strict=True):
                self.points[entrant] += gained
            for own, other in permutations(range(len(table)), 2):
                outcome = (found[own] > found[other]) + (found[own] == found[other]) / 2
                self._met_by[table[own]].append((table[other], outcome))
        for entrant in played.byes:
            self.byes[entrant] += 1
            self.points[entrant] += 1.0

    def times_met(self, one: int, other: int) -> int:
        """How often two entrants sat at one table."""
        return self.met[frozenset((one, other))]

    def buchholz(self, entrant: int) -> float:
        """The points of its opponents; a bye counts as an opponent with its own points (FIDE C.07)."""
        own = self.points[entrant]
        return (
            sum(self.points[other] for other, _ in self._met_by[entrant]) + own * self.byes[entrant]
        )

    def sonneborn_berger(self, entrant: int) -> float:
        """The points of opponents beaten and half of those of equals; a bye as for `buchholz`."""
        own = self.points[entrant]
        return (
            sum(self.points[other] * outcome for other, outcome in self._met_by[entrant])
            + own * self.byes[entrant]
        )

    def order(self) -> list[int]:
        """The entrants, best first: by points, Buchholz, Sonneborn-Berger, then seed."""
        return sorted(self.field, key=self._rank)

    def places(self) -> list[Place]:
        """The table; who is equal in all three shares a place."""
        found: list[Place] = []
        for number, entrant in enumerate(self.order(), 1):
            equal = found and self._rank(entrant)[:3] == self._rank(found[-1].entrant)[:3]
            found.append(self.place(entrant, found[-1].place if equal else number))
        return found

    def place(self, entrant: int, number: int, note: str = "") -> Place:
        """An entrant at a place."""
        buchholz, berger = self.buchholz(entrant), self.sonneborn_berger(entrant)
        return Place(number, entrant, self.points[entrant], buchholz, berger, note)

    def _rank(self, entrant: int) -> tuple[float, float, float, int]:
        return (
            -round(self.points[entrant], 9),
            -round(self.buchholz(entrant), 9),
            -round(self.sonneborn_berger(entrant), 9),
            self.field.index(entrant),
        )


def after(ahead: Sequence[Place], behind: Iterable[Place]) -> list[Place]:
    """Two tables as one: those of a final, then those that did not reach it, in their order."""
    reached = {place.entrant for place in ahead}
    rest = [place for place in behind if place.entrant not in reached]
    found = list(ahead)
    last = 0
    for number, place in enumerate(rest, len(ahead) + 1):
        equal = number > len(ahead) + 1 and place.place == last
        found.append(replace(place, place=found[-1].place if equal else number))
        last = place.place
    return found


def snaked(entrants: Sequence[int], parts: int) -> list[list[int]]:
    """Entrants dealt out there and back: 1 4 5, 2 3 6 in two parts."""
    found: list[list[int]] = [[] for _ in range(parts)]
    for number, entrant in enumerate(entrants):
        turn, place = divmod(number, parts)
        found[parts - 1 - place if turn % 2 else place].append(entrant)
    return found
