"""A bot that may not use some cards, tools or kinds of actions: another bot behind a mask.

It is asked whenever the other bot would be, and hands on only the legal actions that use nothing forbidden; where
nothing else is legal, the rules win and the action is played. A search behind the mask still looks ahead as if it
might use the thing later: what it loses is the value of the thing plus the price of that error, so a small loss is
an upper bound and a small gain a lower bound of what the thing is worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from bots.contract import Bot, View
from bots.registry import parse_bot
from engines.core import Game, Option
from engines.errors import OptionError, nearest

ENTRANT = f"{__name__}:Without"


@dataclass(frozen=True)
class Parameters:
    """Who plays, and what that player may not use."""

    of: Annotated[str, Option("the bot behind the mask, as for arena match")] = "greedy"
    subjects: Annotated[
        tuple[str, ...], Option("what must not be used: names of the game's subjects")
    ] = ()


class Without:
    """Another bot that may not use some of the game's subjects (cards, tools, ...)."""

    Parameters = Parameters

    def __init__(self, of: str, subjects: Sequence[str]) -> None:
        """Make the bot behind the mask; subjects are checked when the game is known."""
        self.bot: Bot = parse_bot(of).make()
        self.subjects = tuple(subjects)
        self.forbidden: frozenset[int] = frozenset()

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins."""
        self.forbidden = actions_using(game, self.subjects)
        self.bot.reset(game, view, seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """What the bot chooses among the actions left to it."""
        left = [action for action in legal if action not in self.forbidden] or list(legal)
        if len(left) == 1:
            return left[0]
        masked = View(view.game, view.record, left, view.events, view._seed, view.clock)
        return self.bot.act(masked, left)

    def close(self) -> None:
        """The match is over."""
        self.bot.close()


def actions_using(game: Game, subjects: Sequence[str]) -> frozenset[int]:
    """The actions that use one of these subjects.

    Raises:
        OptionError: names the subject and the nearest one of the game.
    """
    names = game.subjects.names
    for name in subjects:
        if name not in names:
            hint = nearest(name, names) or f", {game.title} names {len(names)}"
            raise OptionError(f"subjects: {name!r}, no subject of {game.name}{hint}")
    numbers = {names.index(name) for name in subjects}
    of_action = game.subjects.of_action
    return frozenset(a for a in range(game.actions.size) if not numbers.isdisjoint(of_action(a)))
