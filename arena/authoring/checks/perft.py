"""Perft: how many sequences of actions there are from the start, to compare two sets of move rules.

Forced actions count like any other; a finished game has no continuation.
"""

from collections.abc import Iterator

from engines.core import Game, load_game
from engines.errors import UserError
from engines.records import State, copy
from engines.rng import seeded


def perft(name: str, depth: int) -> Iterator[int]:
    """Sequences of 1, 2, ... `depth` actions from the start of a game in its default variant.

    Raises:
        UserError: the game has chance or hidden parts, so that its sequences cannot be counted.
    """
    game = load_game(name)
    if not game.perfect_information:
        raise UserError(
            f"perft of {game.name}: only games without chance and hidden parts have one"
        )
    states = game.new_state(game.players[0], game.Variant(), seeded(0))
    for plies in range(1, depth + 1):
        yield count_sequences(game, states, plies)


def count_sequences(game: Game, states: State, plies: int) -> int:
    """Sequences of so many actions from a position; the last ones are counted, not carried out."""
    legal = game.legal(states)
    if plies == 1 or len(legal) == 0:
        return len(legal)
    total, rng = 0, seeded(0)
    for action in legal:
        after = copy(states)
        game.apply(after, int(action), rng)
        total += count_sequences(game, after, plies - 1)
    return total
