"""Matches on their way to workers: batches of about a second's work, made when they are asked for."""

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.plan.schedule import LineUp, Match
from arena.plan.spec import Limits
from arena.plan.tournament import Entrant
from arena.store.provenance import package_version

BATCH_SECONDS = 1.0  # of work in one task: dispatch then costs about 2 %
LEAST_SECONDS = 0.05  # of work in the last tasks: less is not worth sending
FIRST_MATCHES = 2  # in the first batch of a line-up, whose pace is not known yet
MOST_MATCHES = 20_000  # in one batch: keeps results small enough to travel
LOSSES = 2  # a match whose worker is lost so often is the crash of its bot


@dataclass(frozen=True)
class Setting:
    """What the matches of a line-up are played with, on whatever machine."""

    lineup: LineUp
    game_text: str  # what load_game finds the game by
    rules: str  # hash of the game's rules: a worker must have the same
    entrants: tuple[Entrant, ...]  # in the order of the line-up
    files: Mapping[str, bytes]  # of the bots: another machine may not have them
    run_seed: int
    limits: Limits
    isolation: str
    version: str = field(default_factory=package_version)  # of the driver's package


@dataclass(frozen=True)
class Batch:
    """Matches of one line-up to be played by one worker."""

    setting: Setting
    matches: tuple[Match, ...]
    losses: int = 0  # how many workers were lost on it

    @property
    def lineup(self) -> LineUp:
        """The line-up that plays."""
        return self.setting.lineup


@dataclass(frozen=True)
class Order:
    """A batch as it travels to a worker: arrays instead of an object per match."""

    setting: Setting
    ids: list[str]
    deals: NDArray[np.int32]
    seats: NDArray[np.int8]  # [matches, players]


def order_of(batch: Batch) -> Order:
    """The order to play a batch."""
    lineup = batch.lineup
    seats = np.array([match.seating for match in batch.matches], np.int8)
    return Order(
        batch.setting,
        [match.match_id for match in batch.matches],
        np.array([match.deal for match in batch.matches], np.int32),
        seats.reshape(-1, lineup.players),
    )


@dataclass(frozen=True)
class Outcome:
    """A batch that was played: columns as `store.table_from_columns` wants them."""

    batch: Batch
    columns: dict[str, Any]
    seconds: float  # of the worker


@dataclass
class Pace:
    """How fast each line-up's matches are played, for batches of about a second."""

    seconds: dict[str, float] = field(default_factory=dict)  # per match

    def learn(self, outcome: Outcome) -> None:
        """Take over what a batch needed."""
        each = outcome.seconds / max(len(outcome.batch.matches), 1)
        name = outcome.batch.lineup.id
        known = self.seconds.get(name, each)
        self.seconds[name] = 0.5 * known + 0.5 * each

    def matches(self, lineup: LineUp, left: int, workers: int) -> int:
        """How many matches the next batch should have; fewer towards the end: nobody waits long."""
        each = self.seconds.get(lineup.id)
        if each is None:
            return min(FIRST_MATCHES, left)
        fair = -(-left // (2 * max(workers, 1)))
        wanted = int(BATCH_SECONDS / max(each, 1e-6))
        least = min(left, int(LEAST_SECONDS / max(each, 1e-6)))
        return max(1, min(max(least, min(wanted, fair)), MOST_MATCHES))


@dataclass
class Group:
    """What is left to play of one line-up; matches are made only when they are handed out."""

    setting: Setting
    matches: Iterator[Match]
    left: int  # how many matches there are


class Feed:
    """Hands out batches of fitting size, one line-up after the other, so that all advance together."""

    def __init__(self, groups: Iterable[Group]) -> None:
        """Take what is left of each line-up."""
        self._groups = deque(group for group in groups if group.left > 0)
        self._again: deque[Batch] = deque()  # batches whose worker was lost
        self.pace = Pace()
        self.settings = tuple(group.setting for group in self._groups)

    def next(self, workers: int) -> Batch | None:
        """The next batch, or None when all has been handed out."""
        if self._again:
            return self._again.popleft()
        while self._groups:
            group = self._groups[0]
            size = self.pace.matches(group.setting.lineup, group.left, workers)
            matches = tuple(itertools.islice(group.matches, size))
            group.left -= len(matches)
            self._groups.rotate(-1)
            if len(matches) < size or group.left == 0:
                self._groups.remove(group)
            if matches:
                return Batch(group.setting, matches)
        return None

    def back(self, batch: Batch) -> None:
        """Take back a batch that nobody is to blame for losing."""
        self._again.append(batch)

    def again(self, batch: Batch) -> Iterator[Batch]:
        """Replay a lost batch match by match, so that the guilty one shows; yields hopeless ones."""
        losses = batch.losses + 1
        if len(batch.matches) == 1 and losses >= LOSSES:
            yield batch
            return
        for match in batch.matches:
            self._again.append(replace(batch, matches=(match,), losses=min(losses, LOSSES - 1)))
