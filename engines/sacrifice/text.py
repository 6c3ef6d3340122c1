"""Sacrifice for people and as JSON; actions as people write them."""

from typing import Any

import numpy as np

from engines.pictures import player_name
from engines.records import (
    FLAG,
    NOBODY,
    OVER,
    Custom,
    Derived,
    Layout,
    Number,
    Player,
    State,
    View,
    Words,
)

from .actions import ACTION_ACT, ACTION_FIRST, ACTION_SECOND, ACTIONS, CARRY, ENTER, JUMP, RUN, Act
from .positions import check_minerals, check_movement, check_pieces, check_question, check_walls
from .rules.board import rebuild
from .rules.ending import hash_position, remember
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
    MOST_POINTS,
    MOST_TALLY,
    MOST_TURNS,
    MOST_WALLS,
    MOST_WIDTH,
    NONE,
    SLOT_KIND,
    SLOTS,
    SOUTH,
    Ending,
    Phase,
)
from .words import (
    CELL_OR_NONE,
    CHARACTER_OR_NONE,
    GAITS,
    PHASES,
    SIDES,
    cell_name,
    read_cells,
    read_mask,
    read_minerals,
    read_past,
    read_walls,
    write_cells,
    write_mask,
    write_minerals,
    write_past,
    write_walls,
)

ENDINGS = tuple(ending.name.lower() for ending in Ending)

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


# --- JSON -------------------------------------------------------------------------------------------------


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
    check_walls(state)
    check_question(state)
    check_movement(state)
    rebuild(state)
    check_minerals(state)
    state.history = state.past.sum(dtype=np.uint64)
    fresh = state.phase == Phase.MAIN and state.displacements == 0
    if fresh and state.remembered == 0 and state.rules.repetition:
        remember(state, np.uint64(hash_position(state)))


LAYOUT = Layout(
    fields={
        "phase": Words(PHASES),
        "ending": Words(ENDINGS),
        "mover": Player(),
        "turn": Number(0, MOST_TURNS, lambda state: int(state["rules"]["most_turns"])),
        "points": Number(0, MOST_POINTS),
        "displacements": Number(0, MOST_POINTS),
        "idle": FLAG,
        "progress": FLAG,
        "quiet": Number(0, 2 * MOST_TURNS, lambda state: 2 * int(state["rules"]["most_turns"])),
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
        "movement.points": Number(0, MOST_POINTS),
        "movement.displacements": Number(0, MOST_POINTS),
        "movement.gait": Number(0, len(GAITS) - 1),
        "movement.cell": Words(CELL_OR_NONE, first=NONE),
        "movement.mineral": Words(CELL_OR_NONE, first=NONE),
        "cell": Custom(read_cells, write_cells, whole=True),
        "mineral": Custom(read_minerals, write_minerals, whole=True),
        "walls_left": Number(0, MOST_WALLS, lambda state: int(state["rules"]["walls"])),
        "tally.kills": Number(0, MOST_TALLY),
        "tally.cancels": Number(0, MOST_TALLY),
        "tally.resurrections": Number(0, MOST_TALLY),
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
        lines.append(
            f"{side}, {player_name(player)}: walls left {left}, graveyard {' '.join(dead) or 'empty'}"
        )
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
