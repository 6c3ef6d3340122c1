"""Variants that were played, and which are better than which: nearer to the targets and to the printed rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.tune.space import Point, key_of
from arena.tune.variants.near import Nearness
from arena.tune.variants.readings import Reading
from arena.tune.variants.targets import Target
from arena.tune.variants.wanted import Rung


@dataclass(frozen=True)
class Tried:
    """A variant with what its matches say.

    near: to the printed rules. readings: at each number of players, of the targets that the bots can show. off: how far
    off each target it is, in margins, in the order of the targets; FAR where nothing could be read. possible: whether
    these options go together.
    """

    point: Point
    near: Nearness
    readings: tuple[Reading, ...]
    off: tuple[float, ...]
    possible: bool = True

    @property
    def total(self) -> float:
        """How far off all targets together."""
        return sum(self.off)

    @property
    def rank(self) -> tuple[float, Nearness, str]:
        """What sorts variants: the nearest to all targets first, of equals the nearest to the printed rules."""
        return round(self.total, 9), self.near, key_of(self.point)


@dataclass(frozen=True)
class Step:
    """Variants that were played by the same bots on common deals; targets: those that these bots can show."""

    rung: Rung
    targets: tuple[Target, ...]
    tried: tuple[Tried, ...]


def order(tried: Sequence[Tried]) -> list[Tried]:
    """The variants, best first."""
    return sorted(tried, key=lambda one: one.rank)


def front(tried: Sequence[Tried]) -> list[Tried]:
    """The variants of which no other is as near to all targets and to the printed rules, and nearer to one."""
    return [
        one
        for one in order([each for each in tried if each.possible])
        if not any(better(other, one) for other in tried if other.possible)
    ]


def better(other: Tried, one: Tried) -> bool:
    """Whether another variant is at least as good in all, and better in something."""
    mine, theirs = (*one.off, *one.near), (*other.off, *other.near)
    return all(a <= b for a, b in zip(theirs, mine, strict=True)) and theirs != mine
