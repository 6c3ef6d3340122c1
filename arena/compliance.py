"""Tries a bot step by step and says what failed: `arena check bot`."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from arena.faults import shown
from arena.match import Job, play_matches
from arena.referee import Ending
from arena.spec import Limits, default_players
from bots.core import BotSpec, View, parse_bot
from engines.core import Game, load_game
from engines.errors import UserError
from engines.rng import seeded


def check_bot(bot: str, game_name: str, matches: int) -> Iterator[tuple[str, str]]:
    """Numbered steps: (what was tried, '' or what went wrong); ends at the first failure.

    Raises:
        UserError: the game is unknown; a bot that cannot be loaded is a failed step.
    """
    game = load_game(game_name)
    try:
        spec = parse_bot(bot)
    except UserError as error:
        yield "loads", str(error)
        return
    yield f"loads ({spec.kind.summary or spec.kind.name})", ""
    for step in (starts, answers, plays, repeats):
        for tried, problem in step(spec, game, matches):
            yield tried, problem
            if problem:
                return


def opening_view(game: Game) -> View:
    """The first position with a choice."""
    rng = seeded(1)
    states = game.new_state(default_players(game), game.Variant(), rng)
    legal = game.legal(states)
    while len(legal) == 1:
        game.apply(states, int(legal[0]), rng)
        legal = game.legal(states)
    player = int(states["to_act"][0])
    return View(game, game.view(states, player), [int(a) for a in legal], (), 1)


def starts(spec: BotSpec, game: Game, matches: int) -> Iterator[tuple[str, str]]:
    """Is made and reset."""
    began = time.perf_counter()
    problem = failure(lambda: spec.make().reset(game, opening_view(game), 1))
    yield f"starts ({time.perf_counter() - began:.2f} s)", problem


def answers(spec: BotSpec, game: Game, matches: int) -> Iterator[tuple[str, str]]:
    """Chooses a legal action in the first position."""
    view = opening_view(game)
    said: list[Any] = []

    def ask() -> None:
        bot = spec.make()
        bot.reset(game, view, 1)
        said.append(bot.act(view, view.legal()))
        bot.close()

    began = time.perf_counter()
    problem = failure(ask)
    seconds = time.perf_counter() - began
    if not problem and said[0] not in view.legal():
        problem = f"act returned {shown(said[0])}, legal are {view.legal()}"
    answer = view.text(said[0]) if said and not problem else ""
    yield f"answers in the first position: {answer} ({seconds:.3f} s)", problem


def plays(spec: BotSpec, game: Game, matches: int) -> Iterator[tuple[str, str]]:
    """Whole matches against random."""
    results, faults = play_some(spec, game, matches)
    endings = [Ending(int(e)).text for e in results["ending"]]
    yield f"plays {matches} matches against random without a fault", "; ".join(faults.values())
    if not faults and any(e != "finished" for e in endings):
        yield "every match ends by the rules", ", ".join(sorted(set(endings)))


def repeats(spec: BotSpec, game: Game, matches: int) -> Iterator[tuple[str, str]]:
    """The same seeds give the same matches."""
    first, _ = play_some(spec, game, matches)
    again, _ = play_some(spec, game, matches)
    same = np.array_equal(first["hash"], again["hash"])
    seconds = getattr(spec.parameters, "seconds", None)
    problem = (
        "" if same or seconds else "other actions with the same seeds: use the seed given to reset"
    )
    yield "repeats itself with the same seeds", problem


def play_some(spec: BotSpec, game: Game, matches: int) -> tuple[Any, dict[int, str]]:
    """Matches against random, the bot in every seat in turn."""
    players = default_players(game)
    seats = np.ones((matches, players), np.int64)
    seats[np.arange(matches), np.arange(matches) % players] = 0
    bots = (spec, parse_bot("random"))
    job = Job(
        game, game.Variant(), players, bots, ("1", "2"), 1, seats, np.arange(matches), Limits()
    )
    played = play_matches(job)
    assert played is not None
    return played.results, played.faults


def failure(call: Any) -> str:
    """What a bot's code raised, or nothing."""
    try:
        call()
    except (Exception, SystemExit) as error:
        return f"raised {shown(error)}"
    return ""
