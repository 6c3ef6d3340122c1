"""What the fields of a position mean to learners, besides what the Layout says."""

from engines.observations import Cards, Declared, Skip
from engines.records import State


def observation(states: State) -> Declared:
    """Cards that were played or buried are counted; in which order does not matter any more."""
    return {"deck": Cards(), "played": Cards(), "seat.buried": Cards(), "ending": Skip()}
