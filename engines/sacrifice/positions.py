"""Which positions of Sacrifice can be: pieces, walls, and what a phase needs besides."""

from typing import Any

import numpy as np

from engines.errors import PositionError
from engines.records import OVER

from .rules.minerals import can_carry_on
from .tables import (
    CELL_NAMES,
    CELLS,
    CHARACTERS,
    DEAD,
    MOST_POINTS,
    MOST_TALLY,
    MOST_WIDTH,
    NONE,
    ON_A_CELL,
    SLOT_CARRIES,
    SLOT_KIND,
    SLOTS,
    Kind,
    Phase,
)
from .words import CHARACTER_OR_NONE, PHASES, SIDES, WALL_NAMES, cell_name, read_mask


def check_pieces(state: Any) -> None:
    """Every piece of a position stands on the board, and on no cell too many of them."""
    cells = [*state.cell.ravel().tolist(), *state.mineral.ravel().tolist()]
    check_on_board(state, [cell for cell in cells if cell != NONE])
    check_company(state)


def check_walls(state: Any) -> None:
    """R37 Walls stand between cells of the board; there is room for those standing and those left."""
    width, height = int(state.rules.width), int(state.rules.height)
    length = int(state.rules.wall_length)
    walls = [int(wall) for wall in state.wall[: int(state.standing)]]
    for number, wall in enumerate(walls):
        y, x = divmod(wall % CELLS, MOST_WIDTH)
        level = wall < CELLS
        ends = (x + length, y + 2) if level else (x + 2, y + length)
        if ends[0] > width or ends[1] > height or walls.index(wall) != number:
            raise PositionError(
                f"position.wall[{number}]: {WALL_NAMES[wall]}, not within the {width} x {height} "
                "board, or there twice"
            )
    built = len(walls) + int(state.walls_left.sum())
    if built > len(state.wall):
        raise PositionError(
            f"position.walls_left: {built} walls with those standing, at most {len(state.wall)}"
        )


def check_counts(state: Any) -> None:
    """R48, R49 What is counted leaves room for the turns to come."""
    turn, whole = int(state.turn), int(state.rules.most_turns)
    counts = [("quiet", int(state.quiet), whole + turn)]
    most = MOST_TALLY - MOST_POINTS * (whole - turn)
    for name in state.tally.dtype.names:
        for player, count in enumerate(state.tally[name].tolist()):
            counts.append((f"tally.{name}[{player}]", count, most))
    for name, count, most in counts:
        if count > most:
            raise PositionError(
                f"position.{name}: {count}, expected at most {most} in turn {turn} of {whole}"
            )


def check_question(state: Any) -> None:
    """R20-R26 Whoever decides, and who dies for what, as the phase says."""
    phase, mover = Phase(int(state.phase)), int(state.mover)
    if state.to_act == OVER:
        return
    if phase == Phase.OVER:
        raise PositionError("position.phase: over, which is for games that are over")
    if state.turn >= state.rules.most_turns:
        raise PositionError(
            f"position.turn: {int(state.turn)}, the game is stopped after {int(state.rules.most_turns)}"
        )
    check_counts(state)
    if phase in (Phase.IMMORTAL, Phase.COST) and state.to_act == mover:
        raise PositionError(
            f"position.to_act: {mover}, phase {PHASES[phase]} asks the player who does not move"
        )
    pair = (int(state.attacker), int(state.victim))
    if phase == Phase.IMMORTAL:
        check_attack(state, *pair)
    elif state.victim != NONE or (phase != Phase.SACRIFICE and state.attacker != NONE):
        raise PositionError(
            f"position.victim: {CHARACTER_OR_NONE[pair[1] + 1]}, attacked by "
            f"{CHARACTER_OR_NONE[pair[0] + 1]}, but the phase is {PHASES[phase]}"
        )
    owner = mover if phase == Phase.SACRIFICE else 1 - mover
    asked = phase in (Phase.SACRIFICE, Phase.COST)
    living = sum(1 << slot for slot in range(SLOTS) if state.cell[owner, slot] != DEAD)
    if (state.candidates != 0) != asked or int(state.candidates) & ~living:
        raise PositionError(
            f"position.candidates: {read_mask(state.candidates)}, phase {PHASES[phase]} "
            f"asks for {f'living characters of {SIDES[owner]}' if asked else 'none'}"
        )


def check_attack(state: Any, attacker: int, victim: int) -> None:
    """R21 An immortal is asked about the attacker that stands on its cell and has just moved there."""
    mover = int(state.mover)
    if attacker == NONE or victim == NONE or SLOT_KIND[victim] != Kind.IMMORTAL:
        raise PositionError(
            f"position.victim: {CHARACTER_OR_NONE[victim + 1]}, attacked by "
            f"{CHARACTER_OR_NONE[attacker + 1]}; phase immortal needs an attacker and an immortal"
        )
    cell = int(state.cell[mover, attacker])
    if cell == DEAD or cell != state.cell[1 - mover, victim]:
        raise PositionError(
            f"position.attacker: {CHARACTERS[attacker]} does not stand on the cell of {CHARACTERS[victim]}"
        )
    if state.movement.slot != attacker:
        raise PositionError(
            f"position.movement.slot: {CHARACTER_OR_NONE[int(state.movement.slot) + 1]}, "
            f"expected {CHARACTERS[attacker]}, whose attack may be cancelled"
        )


def check_movement(state: Any) -> None:
    """R7 Each displacement has cost a point. R22, R23 One that may be taken back goes back to cells of the board."""
    movement, mover = state.movement, int(state.mover)
    for name, counts in (("", state), ("movement.", movement)):
        made, left = int(counts.displacements), int(counts.points)
        if made + left > MOST_POINTS:
            raise PositionError(
                f"position.{name}displacements: {made}, expected at most {MOST_POINTS - left} with "
                f"{left} points left"
            )
    cells = [int(cell) for cell in (movement.cell, *movement.mineral)]
    if movement.slot == NONE:
        if any(cell != NONE for cell in cells):
            raise PositionError("position.movement.slot: none, but cells are given to go back to")
        return
    name = CHARACTERS[int(movement.slot)]
    if cells[0] == NONE or state.cell[mover, int(movement.slot)] == DEAD:
        raise PositionError(f"position.movement.cell: none, expected where {name} comes from")
    check_on_board(state, [cell for cell in cells if cell != NONE])
    if [cell != NONE for cell in cells[1:]] != [cell != NONE for cell in state.mineral[mover]]:
        raise PositionError("position.movement.mineral: expected a cell for each of the minerals")
    if cells[0] in state.cell[1 - mover].tolist():
        raise PositionError(
            f"position.movement.cell: {CELL_NAMES[cells[0]]}, {name} cannot come from an enemy's cell"
        )


def check_on_board(state: Any, cells: list[int]) -> None:
    """Cells within the board of the variant."""
    width, height = int(state.rules.width), int(state.rules.height)
    for cell in cells:
        if cell % MOST_WIDTH >= width or cell // MOST_WIDTH >= height:
            raise PositionError(
                f"position: {CELL_NAMES[cell]} is not on the {width} x {height} board"
            )


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
