"""Flat Monte Carlo: plays random games after every legal action and takes the action that won most."""

import random
from dataclasses import dataclass
from typing import Annotated

from engines.core import Option


class FlatMonteCarlo:
    """Random playouts for every legal action, without a tree."""

    @dataclass(frozen=True)
    class Parameters:
        playouts: Annotated[int, Option("random games after each legal action", 1, 10_000)] = 5

    def __init__(self, playouts=5):
        self.playouts = playouts

    def reset(self, game, view, seed):
        self.random = random.Random(seed)

    def act(self, view, legal):
        return max(legal, key=lambda action: self.value(view, action))

    def value(self, view, action):
        total = 0.0
        for _ in range(self.playouts):
            position = view.sample(self.random.getrandbits(64)).play(action)
            while not position.over:
                position.play(self.random.choice(position.legal()))
            total += position.win_share(view.player)
        return total

    def close(self):
        pass
