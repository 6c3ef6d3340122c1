"""What the fields of a position mean to learners, besides what the Layout says."""

from engines.observations import Bits, Declared, PerPlayer, Skip
from engines.records import State


def observation(states: State) -> Declared:
    """The spaces with a player's discs; how the game ended shows on the board."""
    rules = states["rules"][0]
    rows, columns = int(rules["rows"]), int(rules["columns"])
    words = [f"{column + 1}.{row + 1}" for column in range(columns) for row in range(rows)]
    bits = [column * (rows + 1) + row for column in range(columns) for row in range(rows)]
    return {"discs": PerPlayer(Bits(words, bits)), "ending": Skip()}
