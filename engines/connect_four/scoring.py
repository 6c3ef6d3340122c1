"""How the game ends and who has won."""

from engines.kernel import kernel

from .tables import Ending


@kernel
def points(states, out):
    """R5 The winner has 1 point, a drawn game gives none."""
    state = states[0]
    for player in range(2):
        out[player] = 1 if state.ending == Ending.LINE and player == last_mover(state) else 0


@kernel
def ranks(states, out):
    """R5 The player who made the line is first; otherwise both share the place."""
    state = states[0]
    for player in range(2):
        out[player] = 2 if state.ending == Ending.LINE and player != last_mover(state) else 1


@kernel
def last_mover(state):
    """The player who dropped the last disc."""
    return (int(state.dropped) + 1) % 2


@kernel
def ending(states):
    """An Ending."""
    return int(states[0].ending)


@kernel
def turns(states):
    """One turn is one disc."""
    return int(states[0].dropped)
