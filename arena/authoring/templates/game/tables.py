"""Names and limits that no variant changes."""

from enum import IntEnum

MOST_PLAYERS = 4
MOST_ROUNDS = 12
HIGHEST = 9  # the highest card there may be
MOST_COPIES = 4
CARDS_IN_ALL = HIGHEST * MOST_COPIES
KINDS_OF_CARDS = HIGHEST + 1  # cards are numbered from 1
CARD_NAMES = ("?", *(str(card) for card in range(1, KINDS_OF_CARDS)))


class Ending(IntEnum):
    """Why the game ended."""

    RUNNING = 0
    PLAYED_OUT = 1
