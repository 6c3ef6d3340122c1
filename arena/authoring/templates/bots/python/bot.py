"""A beginning: tries every legal action in positions that it holds for possible, and takes the best on average."""

from dataclasses import dataclass
from typing import Annotated

from engines.core import Option


class MyBot:
    """One step ahead, over sampled positions."""

    @dataclass(frozen=True)
    class Parameters:
        """What a config may set, e.g. `bot.py:MyBot:samples=20`."""

        samples: Annotated[int, Option("positions to look at for each decision", 1, 1000)] = 5

    def __init__(self, samples):
        """Parameters arrive by name."""
        self.samples = samples

    def reset(self, game, view, seed):
        """A match begins. Take all chance from `seed`, so that a match can be played again."""
        self.seed = seed

    def act(self, view, legal):
        """Choose one of `legal` (at least two); `view` holds what your player may know and nothing else."""
        totals = dict.fromkeys(legal, 0.0)
        for _ in range(self.samples):
            self.seed += 1
            position = view.sample(self.seed)  # hidden parts dealt at random
            for action in legal:
                totals[action] += position.copy().play(action).evaluate(view.player)
        return max(legal, key=totals.__getitem__)

    def close(self):
        """The match is over."""
