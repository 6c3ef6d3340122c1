"""The position of a game of Sacrifice, its options and its setup."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from engines.core import Option
from engines.errors import OptionError
from engines.records import HEADER, NOBODY, State

from .tables import (
    CARRIES,
    CELL_NAMES,
    CELLS,
    CONTACTS,
    DEAD,
    FORMATION_ELEVATION,
    FORMATIONS,
    KIND_RACE,
    KINDS,
    LETTERS,
    MINERAL,
    MOST_HEIGHT,
    MOST_MINERALS,
    MOST_OF_A_KIND,
    MOST_POINTS,
    MOST_TURNS,
    MOST_WALLS,
    MOST_WIDTH,
    NONE,
    POSTS,
    SLOTS,
    Race,
)

LETTERS_OF_PIECES = LETTERS + MINERAL


@dataclass(frozen=True)
class Variant:
    """The options of Sacrifice; RULES.md says which rule each one changes."""

    width: Annotated[int, Option("columns of the board", choices=tuple(FORMATIONS))] = 10
    elevation: Annotated[int, Option("rows of each elevation zone", choices=(2, 4))] = 2
    deployment: Annotated[int, Option("rows of each deployment zone", 4, 6)] = 4
    free: Annotated[int, Option("rows of the free zone", choices=(2, 4, 6, 8))] = 4
    setup: Annotated[
        tuple[str, ...],
        Option("South's pieces, e.g. Pd4+Ie4; none = the formation of this width"),
    ] = ()
    counts: Annotated[
        tuple[int, ...], Option("pieces of each side: P E I F B M S G V O", 0, MOST_OF_A_KIND)
    ] = (1, 1, 1, 2, 2, 2, 2, 2, 2, 2)
    points: Annotated[int, Option("movement points of a turn", 1, MOST_POINTS)] = 4
    first_points: Annotated[
        tuple[int, ...], Option("movement points of each side's first turn", 1, MOST_POINTS)
    ] = (2, 3)
    walls: Annotated[int, Option("walls of each side", 0, MOST_WALLS)] = 3
    wall_length: Annotated[int, Option("cell sides that a wall covers", 1, 3)] = 2
    wall_contacts: Annotated[
        tuple[str, ...],
        Option("how a wall may touch its builder's cell", choices=tuple(CONTACTS)),
    ] = ("side", "end_h", "end_v")
    wall_contact_rule: Annotated[
        str,
        Option("never three walls in a group, or at a point", choices=("component", "vertex")),
    ] = "component"
    build_while_shared: Annotated[bool, Option("walls also while two friends share a cell")] = True
    falcon_cost: Annotated[
        str,
        Option("price of a flight: one point, or one a character", choices=("single", "per_mount")),
    ] = "single"
    mineral_limit: Annotated[
        str,
        Option(
            "when no third mineral may lie on a cell: when a turn ends, or ever",
            choices=("end_of_turn", "always"),
        ),
    ] = "end_of_turn"
    god_diagonal: Annotated[bool, Option("gods also jump to hyper-cells at a corner")] = False
    takeback: Annotated[
        str,
        Option(
            "what cancelling takes back: the whole movement, or the attack",
            choices=("movement", "attack"),
        ),
    ] = "movement"
    immortal_can_cancel: Annotated[bool, Option("the immortal may cancel attacks")] = True
    emissary_can_revive: Annotated[bool, Option("the emissary may bring back a dead one")] = True
    preneuse_free_choice: Annotated[bool, Option("the preneuse's sacrifice is free")] = True
    martyr_substitutes: Annotated[bool, Option("a martyr may replace any sacrifice")] = True
    fanatic_self: Annotated[bool, Option("a fanatic that kills is itself the sacrifice")] = True
    cheetah_factor: Annotated[int, Option("cells of a run, 1 = no run", 1, 3)] = 2
    kill_cost: Annotated[int, Option("points of a kill besides the step", 0, 2)] = 1
    elevated_sacrificable: Annotated[bool, Option("elevated characters may be given")] = True
    races_needed: Annotated[int, Option("races to elevate", 1, 3)] = 3
    material_draw: Annotated[bool, Option("a draw when neither side can win any more")] = True
    repetition: Annotated[
        int, Option("occurrence of a position that draws, 0 = off", choices=(0, 2, 3))
    ] = 3
    max_turns: Annotated[int, Option("turns of both until the game is stopped", 1, MOST_TURNS)] = (
        240
    )
    no_progress: Annotated[
        int,
        Option(
            "turns without a kill, wall, resurrection or entry that draw, 0 = off", 0, MOST_TURNS
        ),
    ] = 0


RULES = np.dtype(
    [
        ("width", np.int8),
        ("height", np.int8),
        ("elevation", np.int8),  # rows of each elevation zone
        ("deployment", np.int8),  # rows of each deployment zone
        ("points", np.int8),  # of a turn
        ("first_points", np.int8, (2,)),  # of each player's first turn
        ("walls", np.int8),  # of each player
        ("wall_length", np.int8),  # cell sides
        ("wall_contacts", np.int8),  # mask of SIDE, END_LEVEL, END_UPRIGHT
        ("walls_by_post", np.int8),  # 1: at most two walls at a lattice point
        ("build_while_shared", np.int8),
        ("heaps", np.int8),  # 1: a third mineral may lie on a cell within a turn
        ("pay_per_mount", np.int8),  # 1: a flight costs a point for each character passed
        ("god_diagonal", np.int8),
        ("takeback_attack", np.int8),  # 1: cancelling takes back the attack only
        ("can_cancel", np.int8),
        ("can_revive", np.int8),
        ("free_choice", np.int8),
        ("martyrs", np.int8),  # 1: a martyr may replace any sacrifice
        ("fanatic_self", np.int8),
        ("run_length", np.int8),  # cells; 1: cheetahs do not run
        ("kill_cost", np.int8),
        ("elevated_die", np.int8),  # 1: elevated characters may be sacrificed
        ("races_needed", np.int8),
        ("material_draw", np.int8),
        ("repetition", np.int8),
        ("most_turns", np.int16),
        ("no_progress", np.int16),
        ("start", np.int16, (SLOTS,)),  # South's cell of each character, DEAD where there is none
        ("mineral_start", np.int16, (MOST_MINERALS,)),
    ]
)

MOVEMENT = np.dtype(
    [
        ("slot", np.int8),  # who is moving, or NONE
        # What to restore if an attack of the movement is cancelled:
        ("cell", np.int16),
        ("points", np.int8),
        ("displacements", np.int8),
        ("gait", np.int8),
        ("mineral", np.int16, (MOST_MINERALS,)),  # cells of the player's minerals
    ]
)

TALLY = np.dtype(
    [
        ("kills", np.int16, (2,)),  # by each player
        ("cancels", np.int16, (2,)),
        ("resurrections", np.int16, (2,)),
    ]
)

RING = 256  # positions at ends of turns that are remembered

STATE = np.dtype(
    [
        *HEADER,
        ("rules", RULES),  # the variant
        ("ending", np.int8),  # an Ending
        ("phase", np.int8),  # a Phase: what to_act decides
        ("mover", np.int8),  # whose turn it is; 0 = South
        ("turn", np.int16),  # turns completed by both
        ("points", np.int8),  # movement points left
        ("displacements", np.int8),  # made in this turn
        ("idle", np.int8),  # 1: the last turn had no displacement
        ("progress", np.int8),  # 1: this turn had a kill, wall, resurrection or entry
        ("quiet", np.int16),  # completed turns since one with progress
        ("jumped", np.int16),  # mask of the gods that have jumped in this turn
        ("gait", np.int8, (MOST_OF_A_KIND,)),  # a Gait of each cheetah of the player to move
        ("attacker", np.int8),  # slot of the attack being resolved, or NONE
        ("victim", np.int8),  # slot of the immortal that is asked, or NONE
        ("candidates", np.int32),  # mask of the slots of which one dies
        ("movement", MOVEMENT),
        ("cell", np.int16, (2, SLOTS)),  # of each character, or DEAD
        ("mineral", np.int16, (2, MOST_MINERALS)),  # cell of each mineral, or NONE
        ("walls_left", np.int8, (2,)),
        ("standing", np.int8),  # walls on the board
        ("wall", np.int16, (2 * MOST_WALLS,)),  # orientation * CELLS + anchor, in building order
        ("tally", TALLY),  # no rule asks for it
        # Worked out from the above, for speed:
        ("shared", np.int16),  # the cell that two of the mover's characters stand on, or NONE
        ("heap", np.int16),  # the cell with three minerals, of which one must go on, or NONE
        ("board", np.int8, (CELLS,)),  # 0, or 1 + player * SLOTS + slot; of two the lower slot
        ("load", np.int8, (CELLS,)),  # South's minerals + 4 * North's
        ("exits", np.uint8, (CELLS,)),  # bit d: no wall or rim in direction d; bit 4 + d: no rim
        ("posts", np.int16, (POSTS,)),  # mask of the walls that touch each lattice point
        # The same by rows, a bit for each column, to ask about many cells at once:
        ("men", np.int16, (2, MOST_HEIGHT)),  # whose character the board shows
        ("open_north", np.int16, (MOST_HEIGHT,)),  # no wall or rim on the north side
        ("open_east", np.int16, (MOST_HEIGHT,)),  # nor on the east side
        # Positions at the ends of turns since the last progress:
        ("remembered", np.int16),
        ("past", np.uint64, (RING,)),  # hashes, the oldest first
        ("history", np.uint64),  # their sum
    ]
)


def blank(players: int, variant: Variant) -> State:
    """An empty board of the variant: no piece placed, South about to move with the points of a later turn.

    Raises:
        OptionError: the options contradict each other.
    """
    if players != 2:
        raise OptionError(f"players: {players}, Sacrifice has 2")
    height = 2 * variant.elevation + 2 * variant.deployment + variant.free
    if height > MOST_HEIGHT:
        raise OptionError(
            f"elevation, deployment, free: {height} rows in all, there are at most {MOST_HEIGHT}"
        )
    for name, length in (("counts", len(LETTERS_OF_PIECES)), ("first_points", 2)):
        if len(getattr(variant, name)) != length:
            raise OptionError(f"{name}: {len(getattr(variant, name))} numbers, expected {length}")
    check_races(variant)
    if variant.repetition and variant.max_turns >= RING and not 0 < variant.no_progress < RING:
        raise OptionError(
            f"max_turns: {variant.max_turns}, positions of at most {RING - 1} turns are remembered "
            "for repetition; set no_progress or repetition=0"
        )
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    states["team"] = np.arange(4)
    states["phase"] = 1
    states["points"] = variant.points
    states["walls_left"] = variant.walls
    states["cell"] = DEAD
    for name in ("attacker", "victim", "mineral", "shared", "heap"):
        states[name] = NONE
    for name in ("slot", "cell", "mineral"):
        states["movement"][name] = NONE
    write_rules(states["rules"][0], variant, height)
    return states


def check_races(variant: Variant) -> None:
    """Refuse pieces with which nobody could ever elevate enough races."""
    numbers = dict(zip(LETTERS_OF_PIECES, variant.counts, strict=True))
    kinds = [kind for kind in KINDS if numbers[LETTERS[kind]]]
    races = {int(KIND_RACE[kind]) for kind in kinds} - {int(Race.GOD)}
    if numbers[MINERAL] and any(CARRIES[kind] for kind in kinds):
        races.add(int(Race.MINERAL))
    if len(races) < variant.races_needed:
        raise OptionError(
            f"counts: {'+'.join(map(str, variant.counts))}, pieces of {len(races)} races, "
            f"races_needed is {variant.races_needed}"
        )


def write_rules(rules: np.void, variant: Variant, height: int) -> None:
    """Put a variant into the record that the rules read."""
    for name in ("width", "elevation", "deployment", "points", "first_points", "walls"):
        rules[name] = getattr(variant, name)
    for name in ("wall_length", "god_diagonal", "fanatic_self", "kill_cost", "races_needed"):
        rules[name] = getattr(variant, name)
    for name in ("material_draw", "repetition", "no_progress", "build_while_shared"):
        rules[name] = getattr(variant, name)
    rules["height"] = height
    rules["wall_contacts"] = sum(CONTACTS[name] for name in set(variant.wall_contacts))
    rules["walls_by_post"] = variant.wall_contact_rule == "vertex"
    rules["heaps"] = variant.mineral_limit == "end_of_turn"
    rules["pay_per_mount"] = variant.falcon_cost == "per_mount"
    rules["takeback_attack"] = variant.takeback == "attack"
    rules["can_cancel"] = variant.immortal_can_cancel
    rules["can_revive"] = variant.emissary_can_revive
    rules["free_choice"] = variant.preneuse_free_choice
    rules["martyrs"] = variant.martyr_substitutes
    rules["run_length"] = variant.cheetah_factor
    rules["elevated_die"] = variant.elevated_sacrificable
    rules["most_turns"] = variant.max_turns
    cells = place_pieces(variant, height)
    rules["start"] = DEAD
    rules["mineral_start"] = NONE
    for kind in range(len(KINDS)):
        for number, cell in enumerate(cells[kind]):
            rules["start"][kind * MOST_OF_A_KIND + number] = cell
    rules["mineral_start"][: len(cells[-1])] = cells[-1]


# --- setup ------------------------------------------------------------------------------------------------


def place_pieces(variant: Variant, height: int) -> list[list[int]]:
    """South's cells by piece (kinds, then minerals), each list in the order of the pieces' numbers.

    Raises:
        OptionError: names the piece that cannot stand there, or the kind of which there are not so many.
    """
    found: list[list[int]] = [[] for _ in LETTERS_OF_PIECES]
    for entry in variant.setup or formation(variant):
        piece = LETTERS_OF_PIECES.find(entry[:1]) if entry else -1
        if piece < 0 or entry[1:] not in CELL_NAMES:
            raise OptionError(
                f"setup: {entry!r}, expected a piece of {LETTERS_OF_PIECES} and a cell"
            )
        found[piece].append(CELL_NAMES.index(entry[1:]))
    if not variant.setup:
        for piece, cells in enumerate(found):
            del cells[variant.counts[piece] :]  # fewer than printed: the western ones stand
    for piece, cells in enumerate(found):
        if len(cells) != variant.counts[piece]:
            letter = LETTERS_OF_PIECES[piece]
            raise OptionError(
                f"counts: {variant.counts[piece]} {letter}, but {len(cells)} are placed"
                + ("" if variant.setup else "; setup says where more of them stand")
            )
    check_cells(variant, height, found)
    return found


def formation(variant: Variant) -> Sequence[str]:
    """The printed placement of a width, moved up with a deeper elevation zone."""
    moved = variant.elevation - FORMATION_ELEVATION
    return [f"{entry[:2]}{int(entry[2:]) + moved}" for entry in FORMATIONS[variant.width].split()]


def check_cells(variant: Variant, height: int, found: Sequence[Sequence[int]]) -> None:
    """Every piece on the board and outside the elevation zones, one character a cell, none on an enemy's."""
    taken: dict[int, str] = {}
    loads: dict[int, int] = {}
    for piece, cells in enumerate(found):
        for cell in cells:
            y, x = divmod(cell, MOST_WIDTH)
            name = f"{LETTERS_OF_PIECES[piece]}{CELL_NAMES[cell]}"
            if x >= variant.width or not variant.elevation <= y < height - variant.elevation:
                raise OptionError(f"setup: {name} stands off the board or in an elevation zone")
            turned = turned_cell(cell, variant.width, height)
            if piece == len(KINDS):
                for other in (cell, turned):
                    loads[other] = loads.get(other, 0) + 1
                if max(loads.values()) > 2:
                    raise OptionError(f"setup: {name} would be the third mineral on its cell")
            elif cell in taken or turned in taken or turned == cell:
                raise OptionError(f"setup: {name} and another character stand on one cell")
            else:
                taken[cell] = name


def turned_cell(cell: int, width: int, height: int) -> int:
    """The cell that a cell becomes when the board is turned by 180 degrees."""
    y, x = divmod(cell, MOST_WIDTH)
    return (height - 1 - y) * MOST_WIDTH + width - 1 - x
