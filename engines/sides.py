"""Players by the side they are on: whom to count once, and what a finished game brought."""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

from engines.kernel import kernel


@kernel
def leads(state, player):
    """Whether nobody before this player is on his side: so each side is counted once."""
    for other in range(player):
        if state.team[other] == state.team[player]:
            return False
    return True


@kernel
def share_won(state, ranks, player):
    """What these ranks bring a player's side: 1 for the only winning side, a part of it for several."""
    if ranks[player] != 1:
        return 0.0
    winners = 0
    for other in range(int(state.players)):
        if ranks[other] == 1 and leads(state, other):
            winners += 1
    return 1.0 / winners
