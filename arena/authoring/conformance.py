"""What every game must do: `arena check game NAME` and the tests run the same checks.

A check of a setting (arena/checks/) takes a Setting, looks at random games of it, and yields one
line for each thing that is wrong. FACTS need no play; compare_modes runs the game compiled,
interpreted and bounds-checked. No exemptions: a property that a game cannot meet is dropped
for all games, or the game is wrong.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from arena.authoring.checks import components, knowledge, play, positions, results, texts
from arena.authoring.checks.folder import FACTS
from arena.authoring.checks.modes import compare_modes
from arena.authoring.checks.walks import Setting, settings
from engines.core import load_game

MOST_PROBLEMS = 5  # shown per check and setting

Check = Callable[[Setting], Iterator[str]]

CHECKS: tuple[Check, ...] = (
    *play.CHECKS,
    *knowledge.CHECKS,
    *components.CHECKS,
    *results.CHECKS,
    *texts.CHECKS,
    *positions.CHECKS,
)


@dataclass(frozen=True)
class Outcome:
    """One check of one setting."""

    where: str  # the setting, or the game
    check: str  # the property as a sentence
    problems: tuple[str, ...]
    seconds: float

    def __str__(self) -> str:
        """The check in a line, and one for each problem."""
        mark = "FAILED" if self.problems else "ok    "
        first = f"{mark} {self.where}: {self.check} ({self.seconds:.1f} s)"
        return "\n".join([first, *(f"         {problem}" for problem in self.problems)])


def check_game(name: str, modes: bool = True) -> Iterator[Outcome]:
    """Run every check on a game, given by name or by its folder, one Outcome after the other.

    Without `modes` the interpreted and bounds-checked runs, half of the time, are left out.
    """
    game = load_game(name)
    for fact in FACTS:
        yield outcome(game.name, fact, game)
    for setting in settings(game):
        for check in CHECKS:
            yield outcome(setting.name, check, setting)
    if modes:
        yield outcome(game.name, compare_modes, name)


def outcome(where: str, check: Callable[[Any], Iterator[str]], subject: Any) -> Outcome:
    """Run one check; an exception is a problem like any other."""
    start = time.monotonic()
    problems: tuple[str, ...]
    try:
        problems = tuple(itertools.islice(check(subject), MOST_PROBLEMS))
    except Exception as error:  # the code under test is not ours
        problems = (f"{type(error).__name__}: {error}",)
    sentence = (check.__doc__ or check.__name__).strip().split("\n")[0]
    return Outcome(where, sentence, problems, time.monotonic() - start)
