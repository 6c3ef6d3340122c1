"""Matches on their way to workers: batches of about a second's work, made when they are asked for."""

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.plan.identity import match_id
from arena.plan.keeping import ALL
from arena.plan.schedule import LineUp, Match
from arena.plan.shapes import ClockEntry
from arena.plan.spec import Limits
from arena.plan.tournament import Entrant
from arena.store.bitmap import Missing
from arena.store.columns import TOLD, Columns
from arena.store.handing import Handed, Place
from arena.store.provenance import package_version
from bots.sources import Parcel

BATCH_SECONDS = 1.0  # of work in one task: dispatch then costs about 2 %
LEAST_SECONDS = 0.05  # of work in the last tasks: less is not worth sending
FIRST_MATCHES = 2  # in the first batch of a line-up, whose pace is not known yet
MOST_MATCHES = 20_000  # in one batch: keeps results small enough to travel
MOST_HANDED = 1 << 18  # in one whose worker writes them itself: a part that stays as it is
LOSSES = (
    2  # a match whose worker is lost so often is the crash of a bot that plays in the worker itself
)
MOST_LOSSES = 5  # where none does, the run ends with a word


@dataclass(frozen=True)
class Conditions:
    """What the matches of a line-up are played with, on whatever machine."""

    lineup: LineUp
    game_text: str  # what load_game finds the game by
    rules: str  # hash of the game's rules: a worker must have the same
    entrants: tuple[Entrant, ...]  # in the order of the line-up
    parcels: tuple[Parcel, ...]  # files of the bots: another machine may not have them
    run_seed: int
    salt: str | None = field(repr=False)  # of the run
    limits: Limits
    isolation: str
    ponder: bool = False
    debug: str = ""  # the entrant that plays in this process, for a debugger
    version: str = field(default_factory=package_version)  # of the driver's package
    store_actions: str = ALL
    place: Place | None = None  # where workers may write parts
    clock: ClockEntry | None = None
    waiting: int = (
        0  # of its matches so many may be in flight beside the workers; 0: they use cores
    )


@dataclass(frozen=True, eq=False)
class Batch:
    """Matches of one line-up to be played by one worker, as arrays: they travel.

    deals (m,). seats (m, players): who sits where, as a position in the line-up's entrants. losses:
    how many workers were lost on it.
    """

    conditions: Conditions
    deals: NDArray[np.int32]
    seats: NDArray[np.int8]
    losses: int = 0

    def __len__(self) -> int:
        """How many matches there are."""
        return len(self.deals)

    @property
    def lineup(self) -> LineUp:
        """The line-up that plays."""
        return self.conditions.lineup

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the matches, made anew each time: nothing but words for people needs them."""
        pairs = zip(self.deals.tolist(), self.seats.tolist(), strict=True)
        return tuple(match_id(self.lineup.id, deal, seating) for deal, seating in pairs)

    @property
    def matches(self) -> bytes:
        """Deals and seats as they travel: bytes cost a tenth of what two arrays do."""
        return self.deals.tobytes() + self.seats.tobytes()

    def only(self, number: int) -> "Batch":
        """One of its matches as a batch of its own."""
        one = slice(number, number + 1)
        return replace(self, deals=self.deals[one], seats=self.seats[one])


def arrived(conditions: Conditions, matches: bytes) -> Batch:
    """The batch with these conditions whose `matches` have travelled."""
    players = conditions.lineup.players
    size = len(matches) // (4 + players)
    seats = np.frombuffer(matches, np.int8, offset=4 * size).reshape(size, players)
    return Batch(conditions, np.frombuffer(matches, np.int32, size), seats)


def batch_of(conditions: Conditions, matches: Sequence[Match]) -> Batch:
    """A batch of these matches."""
    seats = np.array([match.seating for match in matches], np.int8)
    return Batch(
        conditions,
        np.array([match.deal for match in matches], np.int32),
        seats.reshape(-1, conditions.lineup.players),
    )


@dataclass(frozen=True)
class Outcome:
    """A batch that was played.

    table: with the columns of RESULTS; of what the worker has handed over as a part only those of TOLD.
    """

    batch: Batch
    table: pa.Table = field(repr=False)
    seconds: float  # of the worker
    flaw: str = ""  # of the game: why a match is void
    talks: tuple[dict[str, Any], ...] = ()  # with language models
    handed: Handed | None = None

    @cached_property
    def columns(self) -> Columns:
        """The columns that whoever follows the run looks at, as arrays; lists as (flat values, offsets)."""
        return Columns(self.table, TOLD)


@dataclass
class Pace:
    """How fast each line-up's matches are played, for batches of about a second."""

    seconds: dict[str, float] = field(default_factory=dict)  # per match

    def learn(self, outcome: Outcome) -> None:
        """Take over what a batch needed."""
        each = outcome.seconds / max(len(outcome.batch), 1)
        name = outcome.batch.lineup.id
        known = self.seconds.get(name, each)
        self.seconds[name] = 0.5 * known + 0.5 * each

    def matches(self, lineup: LineUp, left: int, workers: int, place: Place | None = None) -> int:
        """How many matches the next batch should have; fewer towards the end: nobody waits long.

        place: where workers may write parts; a batch that is worth one takes longer.
        """
        each = self.seconds.get(lineup.id)
        if each is None:
            return min(FIRST_MATCHES, left)
        fair = -(-left // (2 * max(workers, 1)))
        wanted, most = int(BATCH_SECONDS / max(each, 1e-6)), MOST_MATCHES
        if place is not None and (longer := int(place.seconds / max(each, 1e-6))) >= place.rows:
            wanted, most = longer, MOST_HANDED
        least = min(left, int(LEAST_SECONDS / max(each, 1e-6)))
        return max(1, min(max(least, min(wanted, fair)), most))


@dataclass
class Remaining:
    """What is left to play of one line-up; matches are made only when they are handed out."""

    conditions: Conditions
    matches: Missing | Iterator[Match]
    left: int  # how many matches there are

    def take(self, most: int) -> Batch:
        """The next matches as a batch; fewer than `most` where no more are left."""
        if isinstance(self.matches, Missing):
            batch = Batch(self.conditions, *self.matches.take(most))
        else:
            batch = batch_of(self.conditions, tuple(itertools.islice(self.matches, most)))
        self.left -= len(batch)
        return batch


class Feed:
    """Hands out batches of fitting size, one line-up after the other, so that all advance together."""

    def __init__(
        self,
        remaining: Iterable[Remaining],
        more: Callable[[], Iterable[Remaining]] = tuple,
        skip: Callable[[LineUp], bool] = lambda lineup: False,
    ) -> None:
        """Take what is left of each line-up.

        more: is asked when all has been handed out, so it has been told of every result by then
            that has come; it has nothing to give while others it waits for are under way.
        skip: says which line-ups are not played any more.
        """
        left = tuple(one for one in remaining if one.left > 0)
        self._remaining: tuple[deque[Remaining], deque[Remaining]] = deque(), deque()  # may wait
        self._extend(left)
        self._more = more
        self._skip = skip
        self._again: deque[Batch] = deque()  # batches whose worker was lost
        self.pace = Pace()
        self.conditions = tuple(one.conditions for one in left)

    def _extend(self, remaining: Iterable[Remaining]) -> None:
        for one in remaining:
            if one.left > 0:
                self._remaining[one.conditions.waiting > 0].append(one)

    def next(self, workers: int) -> Batch | None:
        """The next batch that keeps a core busy, or None when all has been handed out."""
        return self._next(workers, waits=False)

    def next_waiting(self, flying: int) -> Batch | None:
        """The next match whose bots wait for answers from elsewhere, if more than `flying` may be in flight."""
        return self._next(flying, waits=True)

    def _next(self, workers: int, waits: bool) -> Batch | None:
        """The same for one of both kinds; of those that wait `workers` are in flight, and each is a batch."""
        for number, batch in enumerate(self._again):
            most = batch.conditions.waiting
            if waits == (most > 0) and (not waits or workers < most):
                del self._again[number]
                return batch
        if not any(self._remaining):
            self._extend(self._more())
        queue = self._remaining[waits]
        while queue and (not waits or workers < queue[0].conditions.waiting):
            one = queue.popleft()
            lineup, place = one.conditions.lineup, one.conditions.place
            if self._skip(lineup):
                continue
            size = 1 if waits else self.pace.matches(lineup, one.left, workers, place)
            batch = one.take(size)
            if len(batch) == size and one.left > 0:
                queue.append(one)
            if len(batch):
                return batch
        return None

    def back(self, batch: Batch) -> None:
        """Take back a batch that nobody is to blame for losing."""
        self._again.append(batch)

    def again(self, batch: Batch) -> Iterator[Batch]:
        """Replay a lost batch match by match, so that the guilty one shows; yields hopeless ones."""
        losses = batch.losses + 1
        most = LOSSES if batch.conditions.isolation == "none" else MOST_LOSSES
        if len(batch) == 1 and losses >= most:
            yield batch
            return
        for number in range(len(batch)):
            self._again.append(replace(batch.only(number), losses=min(losses, most - 1)))


def default_workers() -> int:
    """One worker for each core that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))
