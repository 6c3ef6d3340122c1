"""A game whose answers are known: in turn everybody plays one of three cards; the most points win.

Options rig it: points for the second player, the worth of each card, points dealt at random, teams.
"""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

import numpy as np

from engines.actions import ActionTable, Field, Kind
from engines.core import Game, Option, Subjects
from engines.errors import OptionError
from engines.kernel import kernel
from engines.records import HEADER, NOBODY, OVER, Layout
from engines.rng import below

CARDS = ("ace", "king", "two")


class Ending(IntEnum):
    RUNNING = 0
    ALL_PLAYED = 1


@dataclass(frozen=True)
class Variant:
    rounds: Annotated[int, Option("cards of each player", 1, 50)] = 1
    ace: Annotated[int, Option("points of an ace", -9, 99)] = 3
    king: Annotated[int, Option("points of a king", -9, 99)] = 2
    two: Annotated[int, Option("points of a two", -9, 99)] = 1
    bonus: Annotated[int, Option("points for the second player", -99, 99)] = 0
    luck: Annotated[int, Option("most points dealt at random", 0, 999)] = 0
    teams: Annotated[bool, Option("4 players: partners sit opposite")] = False


RULES = np.dtype(
    [("rounds", np.int8), ("worth", np.int16, (3,)), ("bonus", np.int16), ("luck", np.int16)]
)
STATE = np.dtype([*HEADER, ("rules", RULES), ("played", np.int16), ("points", np.int16, (4,))])


def blank(players, variant):
    if variant.teams and players != 4:
        raise OptionError(f"players: {players}, teams are for 4")
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    states["team"] = [0, 1, 0, 1] if variant.teams else range(4)
    states["rules"]["rounds"] = variant.rounds
    states["rules"]["worth"] = (variant.ace, variant.king, variant.two)
    states["rules"]["bonus"] = variant.bonus
    states["rules"]["luck"] = variant.luck
    return states


@kernel
def deal(states, rng):
    state = states[0]
    for player in range(int(state.players)):
        state.points[player] = below(rng, int(state.rules.luck) + 1)
    state.points[1] += state.rules.bonus
    state.to_act = 0


@kernel
def legal_actions(states, out):
    if states[0].to_act == OVER:
        return 0
    for card in range(3):
        out[card] = card
    return 3


@kernel
def apply(states, action, rng):
    state = states[0]
    state.points[state.to_act] += state.rules.worth[action]
    state.played += 1
    players = int(state.players)
    over = int(state.played) == players * int(state.rules.rounds)
    state.to_act = OVER if over else int(state.played) % players


@kernel
def observe(states, player, views):
    views[0] = states[0]
    views[0].viewer = player


@kernel
def determinize(views, rng, states):
    states[0] = views[0]
    states[0].viewer = NOBODY


@kernel
def witnesses(states, action):
    return 15


@kernel
def points(states, out):
    for player in range(int(states[0].players)):
        out[player] = states[0].points[player]


@kernel
def total(state, player):
    sum_ = 0
    for other in range(int(state.players)):
        if state.team[other] == state.team[player]:
            sum_ += int(state.points[other])
    return sum_


@kernel
def ranks(states, out):
    state = states[0]
    for player in range(int(state.players)):
        better = 0
        for other in range(int(state.players)):
            leads = True
            for earlier in range(other):
                leads = leads and state.team[earlier] != state.team[other]
            better += leads and total(state, other) > total(state, player)
        out[player] = 1 + better


@kernel
def ending(states):
    return 1 if states[0].to_act == OVER else 0


@kernel
def turns(states):
    return int(states[0].played)


@kernel
def key(states):
    return np.uint64(states[0].played)


@kernel
def evaluate(states, player):
    state = states[0]
    best = -9999
    for other in range(int(state.players)):
        if state.team[other] != state.team[player]:
            best = max(best, total(state, other))
    return 1.0 / (1.0 + math.exp(-(total(state, player) - best) / 10.0))


def features(states):
    state = states[0]
    dealt = [int(p) for p in state["points"][: int(state["players"])]]
    dealt[1] -= int(state["rules"]["bonus"])
    half = int(state["rules"]["luck"]) / 2
    return [
        {"dealt": "much" if own > half else "little", "weather": "fine" if dealt[0] % 2 else "rain"}
        for own in dealt
    ]


GAME = Game(
    name="toy",
    title="Toy",
    players=(2, 3, 4),
    Variant=Variant,
    dtype=STATE,
    actions=ActionTable([Kind("play {card}", (Field("card", CARDS),))]),
    max_legal=3,
    Ending=Ending,
    blank=blank,
    deal=deal,
    legal_actions=legal_actions,
    apply=apply,
    witnesses=witnesses,
    observe=observe,
    determinize=determinize,
    points=points,
    ranks=ranks,
    ending=ending,
    turns=turns,
    key=key,
    evaluate=evaluate,
    layout=Layout(fields={}),
    render=str,
    subjects=Subjects(names=CARDS, of_action=lambda action: (action,)),
    features=features,
)
