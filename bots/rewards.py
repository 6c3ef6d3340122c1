"""What a finished game is worth to each side of a search."""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

from engines.kernel import kernel
from engines.records import SEATS

WIN, PLACE, MARGIN = 0, 1, 2
REWARDS = ("win", "place", "margin")
MARGIN_SHARE = 0.25  # of the margin reward that the margin decides; the rest is the win share
MARGIN_SCALE = 10.0  # points of margin worth half of what any margin can be worth


@kernel
def reward_end(reward, state, ranked, scored, kind):
    """What the finished game is worth to each side."""
    if kind == PLACE:
        reward_places(reward, state, ranked)
    else:
        reward_wins(reward, state, ranked)
    if kind == MARGIN:
        blend_margin(reward, state, scored)


@kernel
def reward_wins(reward, state, ranked):
    """1 for the winning side, 1/k for each of k sides that share the first place."""
    team = state.team
    players = int(state.players)
    winners = 0
    for player in range(players):
        reward[team[player]] = 0.0
    for player in range(players):
        if ranked[player] == 1 and reward[team[player]] == 0.0:
            reward[team[player]] = 1.0
            winners += 1
    for player in range(players):
        if ranked[player] == 1:
            reward[team[player]] = 1.0 / winners


@kernel
def reward_places(reward, state, ranked):
    """From 1 for the first to 0 for the last, ties in the middle; for a side alone 1 if its target is beaten."""
    team = state.team
    players = int(state.players)
    if players == 1:
        reward[team[0]] = 1.0 if ranked[0] == 1 else 0.0
    for player in range(players):
        beaten = 0.0
        others = 0.0
        for other in range(players):
            if team[other] != team[player]:
                others += 1.0
                if ranked[other] > ranked[player]:
                    beaten += 1.0
                elif ranked[other] == ranked[player]:
                    beaten += 0.5
        if others > 0.0:
            reward[team[player]] = beaten / others


@kernel
def blend_margin(reward, state, scored):
    """Mix into each side's win share how far its best points lie ahead of, or behind, the best of the others."""
    team = state.team
    for side in range(SEATS):
        own = 0
        rival = 0
        seen_own = False
        seen_rival = False
        for player in range(int(state.players)):
            score = int(scored[player])
            if team[player] == side:
                own = max(own, score) if seen_own else score
                seen_own = True
            else:
                rival = max(rival, score) if seen_rival else score
                seen_rival = True
        if seen_own and seen_rival:
            margin = float(own - rival)
            share = 0.5 + 0.5 * margin / (abs(margin) + MARGIN_SCALE)
            reward[side] += MARGIN_SHARE * (share - reward[side])
