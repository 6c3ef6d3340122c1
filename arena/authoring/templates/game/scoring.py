"""How the game ends and who has won."""

from engines.kernel import kernel


@kernel
def points(states, out):
    """R5 A point for each round won."""
    state = states[0]
    for player in range(int(state.players)):
        out[player] = int(state.seat[player].won)


@kernel
def ranks(states, out):
    """R5 1 + the number of players with more points."""
    state = states[0]
    for player in range(int(state.players)):
        rank = 1
        for other in range(int(state.players)):
            if state.seat[other].won > state.seat[player].won:
                rank += 1
        out[player] = rank


@kernel
def ending(states):
    """An Ending."""
    return int(states[0].ending)


@kernel
def turns(states):
    """R2 One turn is one card."""
    state = states[0]
    return int(state.completed) * int(state.players) + int(state.acted)
