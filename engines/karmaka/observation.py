"""What the fields of a position mean to learners, besides what the Layout says."""

from engines.observations import Bits, Cards, Declared, Skip
from engines.records import Number, Player, State, Words

from .positions import MOST_TIMES, PHASES


def observation(states: State) -> Declared:
    """Copy cards that were resolved, decisions that wait, and the tops of open piles."""
    return {
        "chain": Bits(("embody", "mimic")),
        "pending.phase": Words(PHASES),
        "pending.player": Player(),
        "pending.left": Number(0, MOST_TIMES),
        "well": Cards(top=2),
        "ruins": Cards(top=3),
        "seat.deck": Cards(top=2),
        "seat.future": Cards(),  # its order means nothing: it becomes a hand
        "ending": Skip(),
    }
