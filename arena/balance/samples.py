"""The matches of one variant at one number of players that count, and what pairs them with another's.

Whole blocks only (all seatings of a deal), without faults and, where nobody drew any chance, without repeats: how
many others there are is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.balance.inference import Statistic, added_up, ratio
from arena.results.groups import Flags, Group
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.placements import numbered

NULL = "null"
RANDOM = "random"  # a bot that chooses nothing: its matches say little about the game


@dataclass(frozen=True)
class LeftOut:
    """Matches stored; of them those with a fault, and those that repeat another where nobody drew chance."""

    matches: int
    faults: int
    repeated: int


@dataclass(frozen=True)
class Sample:
    """Matches of one variant, number of players and set of deals.

    group: the matches that count, in arrays (m, n), entrants numbered by its names. stored: all stored matches,
    `group.rows` are theirs. ladder: the bots' names, weakest first. part: "" or "null" (the baseline on other deals).
    block (m,): numbers of the blocks. left_out: how many matches do not count.
    """

    group: Group
    stored: pd.DataFrame
    ladder: tuple[str, ...]
    part: str
    block: Integers
    left_out: LeftOut

    @property
    def label(self) -> str:
        """The variant, or what stands for it."""
        return NULL if self.part == NULL else self.group.variant

    @property
    def key(self) -> dict[str, Any]:
        """The columns that every table begins with."""
        return {"game": self.group.game, "variant": self.label, "players": self.group.players}

    @property
    def sides(self) -> int:
        """How many sides play."""
        return len(self.group.leaders)

    @property
    def size(self) -> int:
        """How many matches count."""
        return len(self.group.rows)

    @cached_property
    def rungs(self) -> Integers:
        """For each entrant of the group its place on the ladder, -1 for none."""
        places = {name: place for place, name in enumerate(self.ladder)}
        return np.array([places.get(name, -1) for name in self.group.names], dtype=np.int64)

    @cached_property
    def alone(self) -> Flags:
        """(m,): whether one entrant plays all sides."""
        return np.asarray((self.group.sides == self.group.sides[:, :1]).all(axis=1))

    @cached_property
    def chosen(self) -> "Sample":
        """The matches without random bots, where there are others: all measures but those of skill."""
        random = np.array([name == RANDOM for name in self.group.names])
        sits = np.asarray(random[self.group.sides].any(axis=1))
        return self if sits.all() or not sits.any() else self.kept(~sits)

    @cached_property
    def shares(self) -> Floats:
        """(m, sides): first place of each side, shared by those that share it."""
        return self.group.win_shares[:, self.group.leaders]

    @cached_property
    def entrants(self) -> Integers:
        """(m, sides): the entrant of each side."""
        return self.group.sides[:, self.group.leaders]

    @cached_property
    def tables(self) -> NDArray[np.object_]:
        """(m,): who meets, in words: comparable between variants."""
        codes, which = numbered(self.group.line_up)
        first = np.zeros(codes.size, dtype=np.int64)
        first[which[::-1]] = np.arange(self.size)[::-1]
        names = [
            " + ".join(sorted(self.group.names[e] for e in self.entrants[row])) for row in first
        ]
        return np.array(names, dtype=object)[which]

    def column(self, name: str) -> Floats:
        """Return a stored number of each match (m,)."""
        return self.stored[name].to_numpy()[self.group.rows].astype(np.float64)

    def words(self, name: str) -> NDArray[np.object_]:
        """Return a stored word of each match (m,)."""
        return self.stored[name].to_numpy(dtype=object)[self.group.rows]

    def kept(self, flags: Flags) -> "Sample":
        """Return the sample with the matches (m,) flagged only."""
        return replace(self, group=self.group.kept(flags), block=self.block[flags])

    def statistic(
        self,
        contributions: Sequence[Floats] | Floats,
        value: Any = ratio,
        *,
        rows: Flags | None = None,
        **kind: Any,
    ) -> Statistic:
        """Return a measure from contributions of each match: q columns (m,), or (m, q); kind: see `Statistic`."""
        given = (
            contributions if isinstance(contributions, np.ndarray) else np.stack(contributions, 1)
        )
        deals = self.group.deals
        if rows is not None:
            given, deals = given[rows], deals[rows]
        sums, count = added_up(np.asarray(given, dtype=np.float64), deals)
        return Statistic(sums, value, count, **kind)


def make_sample(
    group: Group,
    stored: pd.DataFrame,
    ladder: Sequence[str],
    part: str = "",
    *,
    chance: bool,
) -> Sample:
    """Return the matches of a group that count.

    chance: whether the game has any, or hidden parts. Then every match counts; without, `Group.counted` says which
    only repeat others.
    """
    if chance:
        group = replace(group, distinct=np.ones(len(group.rows), dtype=bool))
    _, block = numbered(group.deals * (group.line_up.max(initial=0) + 1) + group.line_up)
    good = group.balanced & group.counted & (group.faults < 0)
    whole = np.bincount(block, weights=~good, minlength=1)[block] == 0
    seen = LeftOut(len(group.rows), int((group.faults >= 0).sum()), int((~group.counted).sum()))
    return Sample(group.kept(whole), stored, tuple(ladder), part, block[whole], seen)


def matched(one: Sample, other: Sample, shift: int = 0) -> tuple[Sample, Sample]:
    """Return the matches of both samples at tables and deals that both have.

    shift: deal d of the first stands beside deal d - shift of the other (the null variant). The deals of the first
    are numbered like the other's, so that sums over deals stand in one order.
    """
    moved = replace(one, group=replace(one.group, deals=one.group.deals - shift))
    keys = [pd.MultiIndex.from_arrays([s.tables, s.group.deals]) for s in (moved, other)]
    common = keys[0].unique().intersection(keys[1].unique())
    return moved.kept(keys[0].isin(common)), other.kept(keys[1].isin(common))
