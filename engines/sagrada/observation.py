"""What the fields of a position mean to learners, besides what the Layout says."""

from engines.observations import Bits, Cards, Declared, Skip
from engines.records import State

from .tables import CELL_NAMES, COLOURS, DICE_OF_A_COLOUR, DIE_NAMES, PIPS

DICE = Cards(words=DIE_NAMES, most=DICE_OF_A_COLOUR, by=("value", PIPS))


def observation(states: State) -> Declared:
    """Dice by colour and value; of a window for each colour and each value where it lies."""
    return {
        "held": DICE,
        "pool": DICE,
        "spent": DICE,
        "track": DICE,
        "track.slot": Skip(),  # no rule asks for it
        "bag": Skip(),  # `bag_tally` tells it
        "rolls": Skip(),  # hidden
        "tool_box": Skip(),  # all that is not among `tools`
        "public_box": Skip(),
        "private_box": Skip(),  # hidden
        "window_box": Skip(),  # hidden
        "seat.window.die": Skip(),  # the masks tell it
        "seat.window.filled": Skip(),
        "seat.window.colour": Bits(CELL_NAMES, only=range(1, COLOURS + 1)),
        "seat.window.pips": Bits(CELL_NAMES, only=range(1, PIPS + 1)),
        "seat.window.tally": Skip(),
        "ending": Skip(),
    }
