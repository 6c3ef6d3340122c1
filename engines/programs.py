"""Programs for the kernel of `engines.vectors`: lists of instructions, with every place worked out for each viewer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engines import vectors

LONG = 8  # bytes side by side from which a loop over all of them is quicker than an instruction for each


@dataclass(frozen=True)
class Place:
    """Where a View has an element.

    Args:
        at: byte of the element; with a seat: of the first player's.
        seat: how many seats after the viewer its player sits; None: it is of no player.
        step: bytes from player to player.
    """

    at: int
    seat: int | None = None
    step: int = 0

    def seen_by(self, viewer: int, players: int) -> int:
        """The byte for one viewer."""
        return (
            self.at if self.seat is None else self.at + (self.seat + viewer) % players * self.step
        )

    def on(self, distance: int) -> "Place":
        """So many bytes further."""
        return replace(self, at=self.at + distance)


Field = int | Place


@dataclass
class Assembly:
    """Instructions as they are declared, and the tables that the kernel reads.

    Args:
        players: how many play.
        header: the first numbers of every program, as `engines.vectors` says.
    """

    players: int
    header: list[int]
    lists: dict[int, list[tuple[Field, ...]]] = field(
        default_factory=lambda: {one: [] for one in vectors.LISTS}
    )
    factors: dict[int, list[list[float]]] = field(
        default_factory=lambda: {one: [] for one in vectors.LISTS}
    )
    tables: list[int] = field(default_factory=list)
    known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, kind: int, *fields: Field, factors: Sequence[float] = ()) -> None:
        """One instruction; `factors`: what the values are worth that are told as 1."""
        self.lists[kind].append(fields)
        self.factors[kind].append(list(factors))

    def add_numbers(
        self, places: Sequence[Place], kind: int, low: int, span: int, most: float, log: bool,
        apart: int, into: int,
    ) -> None:  # fmt: skip
        """Numbers with one meaning, `apart` bytes from each other; the span, worth `most`, is scaled to 1."""
        if kind != 1 or log:
            for i, place in enumerate(places):
                self.add(vectors.WIDE, place, kind, low, span, int(log), into + i, factors=(most,))
        elif len(places) >= LONG and apart == 1:
            self.add(vectors.RUN, places[0], len(places), low, span, into, factors=(most,))
        else:
            for i, place in enumerate(places):
                self.add(vectors.SMALL, place, low, span, into + i, factors=(most,))

    def table(self, numbers: Sequence[int]) -> int:
        """Where a table lies; equal ones are kept once."""
        wanted = tuple(numbers)
        if wanted not in self.known:
            self.known[wanted] = len(self.tables)
            self.tables += wanted
        return self.known[wanted]

    def programs(self) -> NDArray[np.int32]:
        """int32[players, length], a row for each viewer."""
        return np.array([self._program(viewer) for viewer in range(self.players)], np.int32)

    def _program(self, viewer: int) -> list[int]:
        program = [*self.header, *(0 for _ in range(vectors.HEADER - len(self.header)))]
        for kind in vectors.LISTS:
            program[kind : kind + 2] = len(program), len(self.lists[kind])
            for fields in self.lists[kind]:
                program += [
                    one.seen_by(viewer, self.players) if isinstance(one, Place) else one
                    for one in fields
                ]
        return program

    def scales(self, whole: float | None = None) -> NDArray[np.float64]:
        """What values are multiplied with, in the order of the lists; with `whole` only logarithms, scaled to that."""
        scales: list[float] = []
        for kind in vectors.LISTS:
            for fields, worth in zip(self.lists[kind], self.factors[kind], strict=True):
                if whole is None:
                    scales += [1 / one for one in worth]
                else:
                    log = kind == vectors.WIDE and fields[4]
                    scales += [whole / one if log else 1.0 for one in worth]
        return np.array(scales or [1.0])
