"""Which line of a game is at fault: the same calls once more, interpreted, in a process of its own.

Compiled code names no line where it divides by zero, and reads past the end of an array without a word.
`python -m arena.playing.rerun` plays again what stands as JSON on its standard input and prints where it fails.
"""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bots.compiled import Mind
from bots.contract import BotSpec
from bots.registry import SHIPPED
from engines.actions import Secrecy
from engines.core import Game, changes, load_game, parse_options
from engines.errors import blame, own_place
from engines.kernel import INTERPRETED
from engines.records import State
from engines.rng import seeded

PATIENCE = 60.0  # seconds: interpreted searches are slow


@dataclass(frozen=True)
class Course:
    """How a match went until something failed.

    Args:
        game: what `load_game` finds it by.
        options: of the variant that differ from the printed rules.
        seed: what all its chance follows from.
        actions: as they were played; more may follow, up to the first that is not legal.
        bot: the kind of a shipped bot that was thinking then, with its parameters and its chance.
    """

    game: str
    players: int
    options: Mapping[str, Any]
    seed: int
    actions: Sequence[int]
    bot: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    chance: int = 0


def course_of(
    game: str, players: int, variant: Any, seed: int, actions: Sequence[int], *thinking: Any
) -> Course:
    """The course of a match of a variant. thinking: the BotSpec that thought at the end and its chance."""
    course = Course(game, players, changes(variant), seed, [int(action) for action in actions])
    if not thinking:
        return course
    bot, chance = thinking
    parameters = dataclasses.asdict(bot.parameters)
    return dataclasses.replace(course, bot=bot.kind.name, parameters=parameters, chance=chance)


def told_of(error: BaseException, game: Game, course: Course) -> str:
    """What is wrong with a game whose code raised an error, with file and line wherever they can be found."""
    if own_place(error, game.folder):
        return blame(error, game.folder)
    return line_at_fault(course) or blame(error, game.folder)


def line_at_fault(course: Course) -> str:
    """'rules.py:137 in apply: division by zero' if a match fails when it is interpreted, else nothing."""
    if INTERPRETED:  # it would have failed at once
        return ""
    return interpreted("arena.playing.rerun", json.dumps(dataclasses.asdict(course)).encode())


def interpreted(module: str, given: bytes, *arguments: str) -> str:
    """What a module prints that is run without a compiler; nothing if it takes too long.

    Args:
        given: on its standard input.
    """
    paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=PATIENCE,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError):
        return ""
    return done.stdout.decode(errors="replace").strip()


# --- in the other process ---------------------------------------------------------------------------------


def play_again(game: Game, course: Course) -> None:
    """Carry out a course and ask all that the referee asks; what fails, fails again."""
    variant: Any = parse_options(game.Variant, course.options, "variant")
    rng = seeded(course.seed)
    states = game.new_state(course.players, variant, rng)
    for action in course.actions:
        legal = game.legal(states).tolist()
        if action not in legal:
            break
        game.view(states, int(states["to_act"][0]))
        if game.actions.secrecy[action] != Secrecy.OPEN:
            game.witnesses(states, action)
        game.apply(states, action, rng)
    if len(game.legal(states)) == 0:
        game.turns(states), game.ending(states), game.rank_list(states), game.point_list(states)
    elif course.bot:
        think_again(game, states, course)
    else:
        game.view(states, int(states["to_act"][0]))


def think_again(game: Game, states: State, course: Course) -> None:
    """Let a bot decide once more."""
    kind = SHIPPED[course.bot]
    assert kind.compiled is not None
    spec = BotSpec(kind, kind.Parameters(**course.parameters), course.bot)
    legal = game.legal(states)
    mind = Mind(kind.compiled, spec.parameters, game)
    views = game.view(states, int(states["to_act"][0]))
    mind.think(views, legal, len(legal), seeded(course.chance))


def main() -> None:
    """Print where the course on standard input fails."""
    course = Course(**json.load(sys.stdin))
    game = load_game(course.game)
    try:
        play_again(game, course)
    except Exception as error:  # the code of a game: whatever it raises is what is looked for
        print(blame(error, game.folder))


if __name__ == "__main__":
    main()
