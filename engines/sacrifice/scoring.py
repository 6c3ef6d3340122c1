"""How the game ends and who has won."""

from engines.kernel import kernel

from .rules.ending import count_races, elevated_races
from .tables import Ending


@kernel
def points(states, out):
    """R50 The rules know no points: the number of races a side has elevated is what tables compare."""
    state = states[0]
    for player in range(2):
        out[player] = count_races(elevated_races(state, player))


@kernel
def ranks(states, out):
    """R36, R50 Whoever has elevated the last race needed wins, in his own turn; otherwise both share the place."""
    state = states[0]
    for player in range(2):
        out[player] = 2 if state.ending == Ending.RACES and player != state.mover else 1


@kernel
def ending(states):
    """An Ending."""
    return int(states[0].ending)


@kernel
def turns(states):
    """R48 Turns completed by both sides; the turn that wins is not counted."""
    return int(states[0].turn)
