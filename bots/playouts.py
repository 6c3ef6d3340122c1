"""Uniformly random games in compiled code: the yardstick of an engine's speed."""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core import Game
from engines.kernel import link
from engines.records import Rng, State
from engines.rng import below


def playouts(start, states, legal, counts, games, rng):
    """Template: play `games` random games from a position; adds [actions, decisions] to counts."""
    actions = 0
    decisions = 0
    for _ in range(games):
        states[0] = start[0]
        n = legal_actions(states, legal)
        while n > 0:
            if n == 1:
                action = int(legal[0])
            else:
                action = int(legal[below(rng, n)])
                decisions += 1
            apply(states, action, rng)
            actions += 1
            n = legal_actions(states, legal)
    counts[0] += actions
    counts[1] += decisions


@functools.cache
def playouts_for(game: Game) -> Any:
    """The template linked to one game's kernels."""
    return link(playouts, apply=game.apply, legal_actions=game.legal_actions)


def roll_out(states, legal, most, rng):
    """Template: play a position on at random, to the end or for `most` decisions (-1: no bound)."""
    left = most
    n = legal_actions(states, legal)
    while n > 0 and left != 0:
        action = int(legal[0])
        if n > 1:
            action = int(legal[below(rng, n)])
            left -= 1
        apply(states, action, rng)
        n = legal_actions(states, legal)


@functools.cache
def rollout_for(game: Game) -> Any:
    """The template linked to one game's kernels."""
    return link(roll_out, apply=game.apply, legal_actions=game.legal_actions)


def play_out(game: Game, start: State, games: int, rng: Rng) -> NDArray[np.int64]:
    """Random games from one position: how many actions and decisions they took, int64[2]."""
    counts = np.zeros(2, np.int64)
    states = np.zeros(1, game.dtype)
    playouts_for(game)(start, states, np.zeros(game.max_legal, np.int32), counts, games, rng)
    return counts
