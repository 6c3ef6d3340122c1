"""How the game ends and who has won."""

from engines.kernel import kernel
from engines.sides import leads

from .tables import CapResult, Ending, Mode

RUNG_WEIGHT = 10_000  # more than anybody has rings


@kernel
def points(states, out):
    """R57 The rules know no points across lives: a player's rung is what tables compare."""
    state = states[0]
    for player in range(int(state.players)):
        out[player] = int(state.seat[player].rung)


@kernel
def ranks(states, out):
    """R57 The winning side is first; the others share the next place or are ranked by rung."""
    state = states[0]
    players = int(state.players)
    best = 0
    for player in range(players):
        best = max(best, strength(state, player))
    for player in range(players):
        own = strength(state, player)
        rank = 1
        for other in range(players):
            if leads(state, other):
                above = strength(state, other)
                if above > own and (state.rules.rank_losers or above == best):
                    rank += 1
        out[player] = rank


@kernel
def strength(state, player):
    """R57, R58 What a side is compared by: its higher rung; at the cap perhaps rings, or nothing."""
    team = int(state.team[player])
    highest = 0
    for other in range(int(state.players)):
        if state.team[other] == team:
            highest = max(highest, int(state.seat[other].rung))
    if state.ending == Ending.TRANSCENDENCE:
        return highest * RUNG_WEIGHT
    if state.rules.mode == Mode.BIG_BAD_WOLF or state.rules.cap_result == CapResult.DRAW:
        return 0
    if state.rules.mode == Mode.FREE_FOR_ALL and state.rules.cap_result == CapResult.LADDER_RINGS:
        return highest * RUNG_WEIGHT + int(state.seat[player].rings)
    return highest * RUNG_WEIGHT


@kernel
def ending(states):
    """An Ending."""
    return int(states[0].ending)


@kernel
def turns(states):
    """R60 Turns completed by all players; the turn that transcends is not counted."""
    return int(states[0].turn)


def places(variant):
    """Whether ranks below the first mean anything."""
    return "all" if variant.placement == "ladder" and variant.mode == "free-for-all" else "winner"
