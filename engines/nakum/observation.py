"""What the fields of a position mean to learners, besides what the Layout says."""

from engines.observations import Bits, Cards, Declared, Skip
from engines.records import Number, State

from .tables import MOST_TILES, MOST_TOKENS, PYRAMID_SPACES, SPACE_NAMES


def observation(states: State) -> Declared:
    """The spaces that are open and where workers stand, the tiles that are face up, and what cards are worth."""
    spaces = [int(mask) for mask in states["rules"]["tile_spaces"][0]]
    used = PYRAMID_SPACES | sum(spaces)
    bits = [space for space in range(len(SPACE_NAMES)) if used >> space & 1]
    places = Bits([SPACE_NAMES[space] for space in bits], bits)
    return {
        "board": Cards(top=MOST_TILES),
        "tile_box": Skip(),  # hidden
        "open_spaces": places,
        "unexplored": Number(0, MOST_TILES),
        "market_deck": Cards(),
        "offering_deck": Cards(),
        "heritage_removed": Skip(),  # hidden
        "seat.stands_on": places,
        "seat.card_points": Number(0, MOST_TOKENS),
        "ending": Skip(),
    }
