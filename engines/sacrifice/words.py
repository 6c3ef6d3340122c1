"""How parts of a position of Sacrifice read and are written."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.errors import PositionError, nearest

from .tables import CELL_NAMES, CELLS, CHARACTERS, DEAD, NONE, Gait, Phase

PHASES = tuple(phase.name.lower() for phase in Phase)
GAITS = tuple(gait.name.lower() for gait in Gait)
SIDES = ("South", "North")
GRAVEYARD = "dead"
CHARACTER_OR_NONE = ("none", *CHARACTERS)
CELL_OR_NONE = ("none", *CELL_NAMES)
WALL_NAMES = tuple(
    f"w{'HV'[wall // CELLS]}:{CELL_NAMES[wall % CELLS]}" for wall in range(2 * CELLS)
)


def cell_name(cell: int) -> str:
    """A cell in words."""
    return CELL_NAMES[cell] if 0 <= cell < CELLS else "?"


def read_cells(state: Any) -> list[dict[str, str]]:
    """For each player where the living characters stand."""
    return [
        {name: CELL_NAMES[cell] for name, cell in zip(CHARACTERS, own, strict=True) if cell != DEAD}
        for own in state["cell"].tolist()
    ]


def write_cells(state: Any, given: Any, path: str) -> None:
    """Place the characters of both players; those not named, or named `dead`, are dead."""
    if (
        not isinstance(given, list)
        or len(given) > 2
        or not all(isinstance(g, Mapping) for g in given)
    ):
        raise PositionError(f"position.{path}: {given!r}, expected [{{S1: c7}}, {{}}]")
    cells = state["cell"]
    cells[:] = DEAD
    for player, own in enumerate(given):
        for name, cell in own.items():
            slot = numbered(name, CHARACTERS, f"{path}[{player}]")
            if cell != GRAVEYARD:
                cells[player, slot] = numbered(cell, CELL_NAMES, f"{path}[{player}].{name}")


def read_minerals(state: Any) -> list[list[str]]:
    """For each player the cells of the minerals."""
    return [[CELL_NAMES[cell] for cell in own if cell != NONE] for own in state["mineral"].tolist()]


def write_minerals(state: Any, given: Any, path: str) -> None:
    """Place the minerals of both players; those not named are off the board."""
    minerals = state["mineral"]
    minerals[:] = NONE
    most = minerals.shape[1]
    if not isinstance(given, list) or len(given) > 2:
        raise PositionError(f"position.{path}: {given!r}, expected [[a3, j3], []]")
    for player, own in enumerate(given):
        where = f"{path}[{player}]"
        if not isinstance(own, list) or len(own) > most:
            raise PositionError(f"position.{where}: {own!r}, expected at most {most} cells")
        for number, cell in enumerate(own):
            minerals[player, number] = numbered(cell, CELL_NAMES, where)


def read_walls(state: Any) -> list[str]:
    """The walls on the board in building order."""
    return [WALL_NAMES[wall] for wall in state["wall"][: int(state["standing"])].tolist()]


def write_walls(state: Any, given: Any, path: str) -> None:
    """Put up walls; whether the rules would have allowed them is not asked."""
    if not isinstance(given, list) or len(given) > len(state["wall"]):
        most = len(state["wall"])
        raise PositionError(f"position.{path}: {given!r}, expected at most {most} like wH:e8")
    state["wall"][:] = 0
    state["standing"] = len(given)
    for number, wall in enumerate(given):
        state["wall"][number] = numbered(wall, WALL_NAMES, path)


def read_mask(mask: Any) -> list[str]:
    """The characters of a mask."""
    return [name for slot, name in enumerate(CHARACTERS) if int(mask) >> slot & 1]


def write_mask(state: Any, name: str, given: Any, path: str) -> None:
    """A mask from a list of characters."""
    if not isinstance(given, list):
        raise PositionError(f"position.{path}: {given!r}, expected a list of characters")
    state[name] = sum({1 << numbered(word, CHARACTERS, path) for word in given})


def read_past(state: Any) -> list[str]:
    """Hashes of the positions at the ends of turns since the last kill, wall, resurrection or entry."""
    return [f"{mark:016x}" for mark in state["past"][: int(state["remembered"])].tolist()]


def write_past(state: Any, given: Any, path: str) -> None:
    """Earlier positions by their hashes."""
    if not isinstance(given, list) or len(given) > len(state["past"]):
        raise PositionError(f"position.{path}: expected at most {len(state['past'])} hashes")
    state["past"][:] = 0
    state["remembered"] = len(given)
    try:
        marks = [int(mark, 16) for mark in given]
        if any(not 0 <= mark < 1 << 64 for mark in marks):
            raise OverflowError
        state["past"][: len(given)] = np.array(marks, np.uint64)
    except (TypeError, ValueError, OverflowError):
        raise PositionError(
            f"position.{path}: {given!r}, expected hashes like {'0' * 16}"
        ) from None


def numbered(word: Any, words: tuple[str, ...], path: str) -> int:
    """The number of a word."""
    if str(word) not in words:
        raise PositionError(f"position.{path}: {word!r} is unknown{nearest(str(word), words)}")
    return words.index(str(word))
