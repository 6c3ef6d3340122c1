"""Names and limits that no variant changes."""

from enum import IntEnum

MOST_ROWS = 9
MOST_COLUMNS = 9
BITS = 64  # a column takes rows + 1 bits of a 64-bit board


class Ending(IntEnum):
    """Why the game ended."""

    RUNNING = 0
    LINE = 1
    FULL_BOARD = 2
