"""Flat Monte Carlo as compiled code, for every game: random games after each legal action, the best mean wins.

    arena match connect_four ./my_bot/bot.py:MY_BOT:playouts=50 greedy

A compiled bot is a kind: its options, the same options as a record, its memory, and a kernel that `link` binds to the
kernels of the game that is played. It is compiled before its first match, which counts for nobody's clock.
"""

# ruff: noqa: F821 - `link` binds these names
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from bots.choice import best_of
from bots.compiled import BUSY, compiled_kind
from bots.rewards import reward_wins
from engines.core import Option
from engines.kernel import link, now
from engines.records import SEATS
from engines.rng import below


@dataclass(frozen=True)
class Parameters:
    playouts: Annotated[int, Option("random games after each legal action", 1, 100_000)] = 20


RECORD = np.dtype([("playouts", np.int64)])  # the fields of Parameters as the kernel reads them


class Memory(NamedTuple):  # new in every match, kept between its decisions
    done: Any  # int64[1]: rounds of this decision that are played
    scores: Any  # float64[max_legal]
    legal: Any  # int32[max_legal]
    states: Any  # State[1]
    ranks: Any  # int8[SEATS]
    reward: Any  # float64[SEATS]: of each side


def memory(game, parameters):
    legal = np.zeros(game.max_legal, np.int32)
    scores, states = np.zeros(game.max_legal), np.zeros(1, game.dtype)
    return Memory(
        np.zeros(1, np.int64), scores, legal, states, np.zeros(SEATS, np.int8), np.zeros(SEATS)
    )


def think(views, legal, n, parameters, memory, rng, until):
    """Template: what `apply` and the others are, `link` says."""
    done, scores, states = memory.done, memory.scores, memory.states
    side = views[0].team[views[0].viewer]
    if done[0] == 0:
        scores[:n] = 0.0
    while done[0] < parameters[0].playouts:
        if now() >= until:  # after 0.2 s: call me again
            return BUSY
        for i in range(n):
            determinize(views, rng, states)  # what this player holds for possible
            action = int(legal[i])
            left = 1
            while left > 0:
                apply(states, action, rng)
                left = legal_actions(states, memory.legal)
                if left > 0:
                    action = int(memory.legal[below(rng, left)])
            ranks(states, memory.ranks)
            reward_wins(memory.reward, states[0], memory.ranks)
            scores[i] += memory.reward[side]
        done[0] += 1
    done[0] = 0
    return int(legal[best_of(scores, n, rng)])


def link_to(names):
    used = ("determinize", "apply", "legal_actions", "ranks")
    return link(think, **{name: names[name] for name in used})


MY_BOT = compiled_kind("my_bot", "flat Monte Carlo", Parameters, RECORD, memory, link_to)
