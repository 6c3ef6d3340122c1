"""Sacrifice for people and as JSON; actions as people write them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.errors import PositionError, nearest
from engines.records import NOBODY, OVER, Custom, Derived, Layout, State, View, Words

from .actions import (
    ACTION_ACT,
    ACTION_FIRST,
    ACTION_SECOND,
    ACTIONS,
    CARRY,
    ENTER,
    JUMP,
    RUN,
    Act,
)
from .rules.board import rebuild
from .rules.ending import hash_position, remember
from .rules.minerals import can_carry_on
from .rules.moves import move_target
from .tables import (
    CELL_NAMES,
    CELLS,
    CHARACTERS,
    DEAD,
    DIRECTIONS,
    EAST,
    FIRST_FALCON,
    LETTERS,
    MINERAL,
    MOST_MINERALS,
    MOST_WIDTH,
    NONE,
    ON_A_CELL,
    SLOT_CARRIES,
    SLOT_KIND,
    SLOTS,
    SOUTH,
    Ending,
    Gait,
    Phase,
)

PHASES = tuple(phase.name.lower() for phase in Phase)
ENDINGS = tuple(ending.name.lower() for ending in Ending)
GAITS = tuple(gait.name.lower() for gait in Gait)
SIDES = ("South", "North")
CHARACTER_OR_NONE = ("none", *CHARACTERS)
CELL_OR_NONE = ("none", *CELL_NAMES)
WALL_NAMES = tuple(
    f"w{'HV'[wall // CELLS]}:{CELL_NAMES[wall % CELLS]}" for wall in range(2 * CELLS)
)

# --- actions ------------------------------------------------------------------------------------------------


def phrase(states: State, action: int) -> str:
    """An action as people write it in a position: "S1:c7-c8*", "B1:d8xd9", "k:S2@j5"."""
    state = states.view(np.dtype((np.record, states.dtype)))[0]
    act, first, second = (int(t[action]) for t in (ACTION_ACT, ACTION_FIRST, ACTION_SECOND))
    mover = int(state.mover)
    if act == Act.CHOOSE:
        return f"k:{CHARACTERS[second]}@{cell_name(state.cell[first, second])}"
    if act == Act.FLY:
        slot = FIRST_FALCON + first
        origin = cell_name(state.cell[mover, slot])
        return f"{CHARACTERS[slot]}:{origin}^{CELL_NAMES[second]}"
    if act == Act.MOVE and state.cell[mover, first] != DEAD:
        return phrase_of_move(state, mover, first, second)
    return ACTIONS.text(action)


def phrase_of_move(state: Any, mover: int, slot: int, move: int) -> str:
    """A step, run or jump with its cells."""
    target = move_target(state, mover, slot, move)
    sign, carried = "-", ""
    if move >= JUMP:
        sign = "~"
    elif move >= RUN:
        sign = ">"
    elif move >= ENTER:
        carried = f"*{DIRECTIONS[move - ENTER]}"
    elif move >= CARRY:
        carried = "*"
    there = int(state.board[target]) if 0 <= target < CELLS else 0
    if there != 0 and (there > SLOTS) != (mover == 1):
        sign = "x" if sign == "-" else f"{sign}x"
    return (
        f"{CHARACTERS[slot]}:{cell_name(state.cell[mover, slot])}{sign}{cell_name(target)}{carried}"
    )


def cell_name(cell: int) -> str:
    """A cell in words."""
    return CELL_NAMES[cell] if 0 <= cell < CELLS else "?"


# --- JSON -------------------------------------------------------------------------------------------------


def read_cells(cells: Any) -> list[dict[str, str]]:
    """For each player where the living characters stand."""
    return [
        {name: CELL_NAMES[cell] for name, cell in zip(CHARACTERS, own, strict=True) if cell != DEAD}
        for own in cells.tolist()
    ]


def write_cells(cells: Any, given: Any, path: str) -> None:
    """Place the characters of both players; those not named are dead."""
    if (
        not isinstance(given, list)
        or len(given) > 2
        or not all(isinstance(g, Mapping) for g in given)
    ):
        raise PositionError(f"position.{path}: {given!r}, expected [{{S1: c7}}, {{}}]")
    cells[:] = DEAD
    for player, own in enumerate(given):
        for name, cell in own.items():
            slot = numbered(name, CHARACTERS, path)
            cells[player, slot] = numbered(cell, CELL_NAMES, f"{path}[{player}].{name}")


def read_minerals(minerals: Any) -> list[list[str]]:
    """For each player the cells of the minerals."""
    return [[CELL_NAMES[cell] for cell in own if cell != NONE] for own in minerals.tolist()]


def write_minerals(minerals: Any, given: Any, path: str) -> None:
    """Place the minerals of both players; those not named are off the board."""
    minerals[:] = NONE
    if not isinstance(given, list) or len(given) > 2:
        raise PositionError(f"position.{path}: {given!r}, expected [[a3, j3], []]")
    for player, own in enumerate(given):
        if not isinstance(own, list) or len(own) > MOST_MINERALS:
            raise PositionError(f"position.{path}: {own!r}, expected at most {MOST_MINERALS} cells")
        for number, cell in enumerate(own):
            minerals[player, number] = numbered(cell, CELL_NAMES, path)


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
    state[name] = sum(1 << numbered(word, CHARACTERS, path) for word in set(given))


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
        state["past"][: len(given)] = np.array([int(mark, 16) for mark in given], np.uint64)
    except (TypeError, ValueError, OverflowError):
        raise PositionError(
            f"position.{path}: {given!r}, expected hashes like {'0' * 16}"
        ) from None


def numbered(word: Any, words: tuple[str, ...], path: str) -> int:
    """The number of a word."""
    if str(word) not in words:
        raise PositionError(f"position.{path}: {word!r} is unknown{nearest(str(word), words)}")
    return words.index(str(word))


def settle(states: State) -> None:
    """Work out the board and what else follows; the position given is the first to count for repetition."""
    state = states.view(np.dtype((np.record, states.dtype)))[0]
    if state.ending != Ending.RUNNING:
        state.to_act = OVER
    if state.to_act == OVER:
        state.phase = Phase.OVER
    elif state.phase == Phase.MAIN:
        state.mover = state.to_act
    check_pieces(state)
    rebuild(state)
    check_minerals(state)
    state.history = state.past.sum(dtype=np.uint64)
    fresh = state.phase == Phase.MAIN and state.displacements == 0
    if fresh and state.remembered == 0 and state.rules.repetition:
        remember(state, np.uint64(hash_position(state)))


def check_pieces(state: Any) -> None:
    """Every piece of a position stands on the board, and on no cell too many of them."""
    width, height = int(state.rules.width), int(state.rules.height)
    for cell in [*state.cell.ravel().tolist(), *state.mineral.ravel().tolist()]:
        if cell != NONE and (cell % MOST_WIDTH >= width or cell // MOST_WIDTH >= height):
            raise PositionError(
                f"position: {CELL_NAMES[cell]} is not on the {width} x {height} board"
            )
    check_company(state)


def check_minerals(state: Any) -> None:
    """Two minerals a cell, or in the middle of a turn three under a carrier who can take one of them on (R32)."""
    cells = [cell for cell in state.mineral.ravel().tolist() if cell != NONE]
    full = sorted(cell for cell in set(cells) if cells.count(cell) > ON_A_CELL)
    for cell in full:
        if len(full) > 1 or cells.count(cell) > ON_A_CELL + 1 or not can_take_on(state, cell):
            raise PositionError(
                f"position.mineral: more than two on {CELL_NAMES[cell]}, expected two at most, or three"
                " under a carrier of the mover's who can carry one on with the points left"
            )


def can_take_on(state: Any, cell: int) -> bool:
    """Whether the player whose turn it is has a carrier alone on a cell who can carry a mineral off it."""
    player = int(state.mover)
    slots = np.flatnonzero(state.cell[player] == cell).tolist()
    if (
        not state.rules.heaps
        or state.phase != Phase.MAIN
        or state.points < 1
        or state.shared != NONE
    ):
        return False
    if len(slots) != 1 or not SLOT_CARRIES[slots[0]] or cell not in state.mineral[player]:
        return False
    return bool(can_carry_on(state, player, NONE, cell, int(state.points)))


def check_company(state: Any) -> None:
    """One character a cell, but two of the mover while they share it, and an attacker on its victim."""
    for player in range(2):
        own = [cell for cell in state.cell[player].tolist() if cell != DEAD]
        doubled = {cell for cell in own if own.count(cell) > 1}
        if len(doubled) > (player == state.mover) or any(own.count(c) > 2 for c in doubled):
            raise PositionError(
                f"position.cell: two of {SIDES[player]} on {cell_name(min(doubled))}"
            )
    both = set(state.cell[0].tolist()) & set(state.cell[1].tolist()) - {DEAD}
    if len(both) > (state.phase == Phase.IMMORTAL):
        raise PositionError(f"position.cell: both sides on {cell_name(min(both))}")


LAYOUT = Layout(
    fields={
        "phase": Words(PHASES),
        "ending": Words(ENDINGS),
        "jumped": Custom(
            lambda state: read_mask(state["jumped"]),
            lambda state, given, path: write_mask(state, "jumped", given, path),
            whole=True,
        ),
        "gait": Words(GAITS),
        "attacker": Words(CHARACTER_OR_NONE, first=NONE),
        "victim": Words(CHARACTER_OR_NONE, first=NONE),
        "candidates": Custom(
            lambda state: read_mask(state["candidates"]),
            lambda state, given, path: write_mask(state, "candidates", given, path),
            whole=True,
        ),
        "movement.slot": Words(CHARACTER_OR_NONE, first=NONE),
        "movement.cell": Words(CELL_OR_NONE, first=NONE),
        "movement.mineral": Words(CELL_OR_NONE, first=NONE),
        "cell": Custom(read_cells, write_cells),
        "mineral": Custom(read_minerals, write_minerals),
        "standing": Derived(),
        "wall": Custom(read_walls, write_walls, whole=True),
        "shared": Derived(),
        "heap": Derived(),
        "board": Derived(),
        "load": Derived(),
        "exits": Derived(),
        "posts": Derived(),
        "men": Derived(),
        "open_north": Derived(),
        "open_east": Derived(),
        "remembered": Derived(),
        "past": Custom(read_past, write_past, whole=True),
        "history": Derived(),
    },
    settle=settle,
)

# --- for people -------------------------------------------------------------------------------------------


def render(view: View) -> str:
    """The board as the rulebook draws it, South below, with walls, minerals, points and graveyards."""
    state = view[0]
    lines = [headline(state), *draw(state)]
    for player, side in enumerate(SIDES):
        own = zip(CHARACTERS, state["cell"][player], state["rules"]["start"], strict=True)
        dead = [name for name, cell, start in own if cell == DEAD and start != DEAD]
        left = int(state["walls_left"][player])
        lines.append(f"{side}: walls left {left}, graveyard {' '.join(dead) or 'empty'}")
    return "\n".join(lines)


def headline(state: Any) -> str:
    """Whose turn it is, what is to be decided and with how many points, or how the game ended."""
    turn, mover = int(state["turn"]), SIDES[int(state["mover"])]
    if state["to_act"] == NOBODY:
        reason = ENDINGS[int(state["ending"])].replace("_", " ")
        result = f"{mover} wins" if state["ending"] == Ending.RACES else f"draw ({reason})"
        return f"over after {turn} turns: {result}"
    points = int(state["points"])
    text = f"turn {turn + 1}, {mover}, {points} point{'' if points == 1 else 's'} left"
    if state["phase"] != Phase.MAIN:
        text += f": {SIDES[int(state['to_act'])]} decides {PHASES[int(state['phase'])]}"
        asked = [int(state["attacker"]), int(state["victim"])]
        if state["phase"] == Phase.IMMORTAL:
            text += f", {CHARACTERS[asked[0]]} attacks {CHARACTERS[asked[1]]}"
        else:
            text += f" of {' '.join(read_mask(state['candidates']))}"
    return text


def draw(state: Any) -> list[str]:
    """The board: capitals for South, small letters for North, O and o minerals, walls between the cells."""
    width, height = int(state["rules"]["width"]), int(state["rules"]["height"])
    lines = ["    " + "".join(f" {name:3}" for name in "abcdefghijkl"[:width]).rstrip()]
    zones, pieces, exits = zone_borders(state), contents(state), state["exits"].tolist()
    for y in range(height - 1, -1, -1):
        cells = range(y * MOST_WIDTH, y * MOST_WIDTH + width)
        row = "".join(draw_cell(pieces.get(c, "."), is_walled(exits[c], EAST)) for c in cells)
        lines.append(f"{y + 1:3} {row.rstrip()}")
        level = "".join(" ---" if is_walled(exits[c], SOUTH) else "    " for c in cells)
        below = f"    {level}  {zones.get(y, '')}".rstrip()
        if below:
            lines.append(below)
    return lines


def draw_cell(content: str, walled: bool) -> str:
    """What is on a cell, four letters wide, with a wall on its east side."""
    cell = f" {content:3}" if len(content) < 4 else content
    if not walled:
        return cell
    return f"{cell[:3]}|" if len(content) < 3 else f"{cell}|"


def zone_borders(state: Any) -> dict[int, str]:
    """What lies below a row where a zone ends."""
    rules = state["rules"]
    names = ("elevation", "deployment", "height")
    elevation, deployment, height = (int(rules[name]) for name in names)
    return {
        height - elevation: "-- North's elevation zone above",
        height - elevation - deployment: "-- South's orange line",
        elevation + deployment: "-- North's orange line",
        elevation: "-- South's elevation zone below",
    }


def contents(state: Any) -> dict[int, str]:
    """What is on each cell that is not empty: a character, then minerals; of two characters both."""
    found: dict[int, str] = {}
    for player in range(2):
        for slot, cell in enumerate(state["cell"][player].tolist()):
            if cell != DEAD:
                letter = LETTERS[SLOT_KIND[slot]]
                found[cell] = found.get(cell, "") + (letter.lower() if player else letter)
    for player, letter in enumerate((MINERAL, MINERAL.lower())):
        for cell in state["mineral"][player].tolist():
            if cell != NONE:
                found[cell] = found.get(cell, ".") + letter
    return found


def is_walled(exits: int, direction: int) -> bool:
    """Whether a wall stands on a side of a cell with these exits; the rim is none."""
    return exits >> (4 + direction) & 1 == 1 and not exits >> direction & 1
