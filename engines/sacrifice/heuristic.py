"""How good a position looks."""

from engines.kernel import kernel


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1."""
    return 0.5
