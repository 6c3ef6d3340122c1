"""What the fields of a position mean to learners, besides what the Layout says."""

from collections.abc import Sequence

import numpy as np

from engines.observations import Bits, Declared, Facts, PerPlayer, Skip
from engines.records import State

from .tables import CELL_NAMES, CELLS, CHARACTERS, DEAD, MOST_WIDTH, NONE


def observation(states: State) -> Declared:
    """Row and column of each piece of the variant, the walls, and what is being asked.

    Cells keep their names for both players, as in the actions. The positions that are remembered for repetition are
    left out: their hashes mean nothing to learners.
    """
    rules = states["rules"][0]
    width, height = int(rules["width"]), int(rules["height"])
    fighting = np.flatnonzero(rules["start"] != DEAD).tolist()
    carried = np.flatnonzero(rules["mineral_start"] != NONE).tolist()
    slots = tuple(CHARACTERS[slot] for slot in fighting)
    walls = range(2 * int(rules["walls"]))
    level = Facts(("level", "upright"), [wall // CELLS for wall in range(2 * CELLS)], walls)
    return {
        "jumped": Bits(slots, fighting),
        "candidates": Bits(slots, fighting),
        "movement.cell": place(1, width, height, (0,)),
        "movement.mineral": place(1, width, height, carried),
        "cell": PerPlayer(place(1, width, height, fighting)),
        "mineral": PerPlayer(place(1, width, height, carried)),
        "walls_left": PerPlayer(),
        "wall": (level, *place(2, width, height, walls)),
        "tally": Skip(),  # no rule asks for it
        "past": Skip(),
        "ending": Skip(),
    }


def place(times: int, width: int, height: int, only: Sequence[int]) -> tuple[Facts, Facts]:
    """Column and row of cells, numbered once or, for walls, twice."""
    cells = [cell % CELLS for cell in range(times * CELLS)]
    columns = [min(cell % MOST_WIDTH, width - 1) for cell in cells]
    rows = [min(cell // MOST_WIDTH, height - 1) for cell in cells]
    names = [CELL_NAMES[column][0] for column in range(width)]
    return Facts(names, columns, only), Facts([str(row + 1) for row in range(height)], rows, only)
