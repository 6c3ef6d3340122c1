"""What every game must do: `arena check game NAME` and the tests run the same checks.

A fact takes the Game and needs no play; a check takes a Setting and looks at random games of it. Both yield one
line for each thing that is wrong. `compare_modes` runs the game compiled, interpreted and bounds-checked. No
exemptions: a property that a game cannot meet is dropped for all games, or the game is wrong.
"""

import itertools
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.authoring.checks import (
    citations,
    components,
    folder,
    knowledge,
    observations,
    pictures,
    play,
    positions,
    results,
    sources,
    texts,
    walks,
)
from arena.authoring.checks.modes import compare_modes
from arena.authoring.checks.walks import Setting, settings
from arena.authoring.scenarios import scenarios_hold
from arena.playing.compiling import said_if_compiling
from arena.playing.rerun import interpreted
from engines.contents import is_kernel
from engines.core import Game, load_game
from engines.errors import BrokenGame, UserError, blame, nearest, own_place
from engines.kernel import INTERPRETED

MOST_PROBLEMS = 5  # shown per check and setting
REPEATS = 2  # times that one error is shown: the checks that follow would all meet it
FAST_SECONDS = 9.0  # of work; after so many a fast run begins no further setting
LEFT_OUT = "left out, since --fast has no more time."
GLANCE = 0.1  # seconds of work for which each check of a fast run looks at a setting

Fact = Callable[[Game], Iterator[str]]
Check = Callable[[Setting], Iterator[str]]

FACTS: tuple[Fact, ...] = (*sources.CHECKS, *folder.FACTS, *citations.CHECKS, scenarios_hold)
CHECKS: tuple[Check, ...] = (
    *play.CHECKS,
    *knowledge.CHECKS,
    *observations.CHECKS,
    *components.CHECKS,
    *results.CHECKS,
    *texts.CHECKS,
    *pictures.CHECKS,
    *positions.CHECKS,
)


@dataclass(frozen=True)
class Step:
    """One check of the game or of one of its settings."""

    where: str  # the game or the setting
    check: Callable[[Any], Iterator[str]]
    subject: Any

    @property
    def name(self) -> str:
        """What --only calls the check."""
        return self.check.__name__

    @property
    def sentence(self) -> str:
        """The property that is checked."""
        return (self.check.__doc__ or self.check.__name__).strip().split("\n")[0]


@dataclass(frozen=True)
class Outcome:
    """What came of a step."""

    where: str
    check: str  # the property as a sentence
    problems: tuple[str, ...]
    seconds: float
    name: str = ""  # of the check, for --only
    error: str = ""  # that ended the check

    @property
    def left_out(self) -> bool:
        """Whether nothing of a setting was looked at."""
        return self.check == LEFT_OUT

    def __str__(self) -> str:
        """The check in a line, and one for each problem."""
        mark = "FAILED" if self.problems else "-     " if self.left_out else "ok    "
        lines = [f"{mark} {self.where}: {self.check} ({self.seconds:.1f} s)"]
        lines += [f"         {problem}" for problem in self.problems]
        if self.problems and self.name:
            lines.append(f"         (again: --only {self.name})")
        return "\n".join(lines)


def check_game(
    name: str,
    only: Sequence[str] = (),
    fast: bool = False,
    announce: Callable[[str], None] = lambda text: None,
) -> Iterator[Outcome]:
    """Run checks on a game, given by name or by its folder, one Outcome after the other.

    Args:
        name: the game.
        only: names of checks; none: all of them.
        fast: a glance at each setting for as long as the time lasts, in this process only.
        announce: called with what is about to be checked.

    Raises:
        UserError: there is no such game or check.
    """
    must_be_known(only)
    try:
        game = load_game(name)
    except BrokenGame as error:
        yield Outcome(name, "The game can be loaded.", (str(error),), 0.0)
        return
    steps = [s for s in plan(game, name, fast) if not only or s.name in only]
    kernels = [one for one in vars(game).values() if is_kernel(one)]
    with said_if_compiling(game.name, lambda: kernels, live=False):
        yield from outcomes(game, steps, fast, announce)


def outcomes(
    game: Game, steps: Sequence[Step], fast: bool, announce: Callable[[str], None]
) -> Iterator[Outcome]:
    """What comes of the steps, until the time of a fast run is over or an error meets them all."""
    errors: Counter[str] = Counter()
    began, number = time.process_time(), itertools.count(1)
    for where, group in itertools.groupby(steps, lambda step: step.where):
        if fast and time.process_time() - began > FAST_SECONDS:
            yield Outcome(where, LEFT_OUT, (), 0.0)
            continue
        for step in group:
            announce(f"{next(number)}/{len(steps)} {where}: {step.sentence}")
            done = outcome(where, step.check, step.subject)
            errors[done.error] += 1
            if done.error and errors[done.error] > REPEATS:
                left = f"{len(steps) - next(number) + 2} checks left out"
                yield Outcome(game.name, left, ("until the error above is mended",), 0.0)
                return
            yield done


def plan(game: Game, name: str, fast: bool) -> Iterator[Step]:
    """All that is to be checked, facts first."""
    yield from (Step(game.name, fact, game) for fact in FACTS)
    for setting in settings(game, GLANCE if fast else math.inf):
        yield from (Step(setting.name, check, setting) for check in CHECKS)
    if not fast:
        yield Step(game.name, compare_modes, name)


def must_be_known(only: Sequence[str]) -> None:
    """A UserError for names that no check has."""
    known = sorted(check.__name__ for check in (*FACTS, *CHECKS, compare_modes))
    for name in only:
        if name not in known:
            hint = nearest(name, known) or f", known are {', '.join(known)}"
            raise UserError(f"check {name!r}: unknown{hint}")


def outcome(where: str, check: Callable[[Any], Iterator[str]], subject: Any) -> Outcome:
    """Run one check; an exception is a problem like any other."""
    start = time.monotonic()
    problems: tuple[str, ...]
    error = ""
    try:
        problems = tuple(itertools.islice(check(subject), MOST_PROBLEMS))
    except Exception as fault:  # the code under test is not ours
        game = getattr(subject, "game", subject)
        here = game.folder if isinstance(game, Game) else Path.cwd()
        error = str(fault) if isinstance(fault, UserError) else blame(fault, here)
        if not (INTERPRETED or isinstance(fault, UserError) or own_place(fault, here)):
            error = again(here, where, check.__name__) or error
        problems = (error,)
    sentence = Step(where, check, subject).sentence
    seconds = time.monotonic() - start
    return Outcome(where, sentence, problems, seconds, check.__name__, error)


def again(folder: Path, where: str, check: str) -> str:
    """What a check says that is run once more interpreted, where code of the game names its line; or nothing."""
    return interpreted("arena.authoring.conformance", b"", str(folder), where, check)


def main(name: str, where: str, check: str) -> None:
    """Print the error of one check, which looks at as much as it does when it is compiled."""
    walks.POSITIONS = walks.MANY
    step = next(
        s for s in plan(load_game(name), name, False) if (s.where, s.name) == (where, check)
    )
    print(outcome(where, step.check, step.subject).error)


if __name__ == "__main__":
    main(*sys.argv[1:])
