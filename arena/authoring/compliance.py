"""Tries a bot step by step and says what failed: `arena check bot`."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from arena.plan.spec import Limits, default_players
from arena.playing.containment.children import close_children
from arena.playing.containment.isolation import chosen, ready
from arena.playing.containment.seats import contained_seat
from arena.playing.containment.starting import Terms, Wanted
from arena.playing.faults import Fault
from arena.playing.match import Job, play_matches, warm_up
from arena.playing.referee import Ending
from arena.playing.seats import Occupant, OpenSeat, checked
from bots.core import BotSpec, View, parse_bot
from engines.core import Game, load_game
from engines.errors import UserError
from engines.rng import seeded

LAST_LINES = 10  # of what a bot said


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
    if spec.kind.compiled:  # compiling counts for no decision
        warm_up(trial_job(spec, game, game_name, 1))
    try:
        for step in (starts, answers, plays, repeats):
            for tried, problem in step(spec, game, game_name, matches):
                yield tried, problem
                if problem:
                    return
    finally:
        close_children()


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


def new_seat(spec: BotSpec, game: Game, game_name: str) -> Occupant:
    """A seat as it is in a tournament; compiled bots have none and play in this process."""
    if spec.kind.compiled:
        return OpenSeat(spec, game)
    ready(chosen(None), (spec,), (Terms(),), game_name)
    return contained_seat(Wanted(spec, game_name, 0, Limits().memory_mb), game, game.Variant())


def starts(spec: BotSpec, game: Game, game_name: str, matches: int) -> Iterator[tuple[str, str]]:
    """Is made and reset, in a process of its own unless it is compiled."""
    view, began = opening_view(game), time.perf_counter()
    seat = new_seat(spec, game, game_name)
    problem = failure(
        seat, lambda: seat.begin(view.record, view.legal(), 1, Limits().start_seconds)
    )
    yield f"starts ({time.perf_counter() - began:.2f} s)", problem


def answers(spec: BotSpec, game: Game, game_name: str, matches: int) -> Iterator[tuple[str, str]]:
    """Chooses a legal action in the first position."""
    view, limits = opening_view(game), Limits()
    seat = new_seat(spec, game, game_name)
    said: list[int] = []
    began = time.perf_counter()

    def ask() -> None:
        seat.begin(view.record, view.legal(), 1, limits.start_seconds)
        chosen = seat.decide(view.record, view.legal(), (), 1, limits.decision_seconds)
        said.append(checked(game, chosen, view.legal()))

    problem = failure(seat, ask)
    answer = view.text(said[0]) if said else ""
    seconds = time.perf_counter() - began
    yield f"answers in the first position: {answer} ({seconds:.3f} s)", problem


def plays(spec: BotSpec, game: Game, game_name: str, matches: int) -> Iterator[tuple[str, str]]:
    """Whole matches against random."""
    results, faults = play_some(spec, game, game_name, matches)
    endings = [Ending(int(e)).text for e in results["ending"]]
    yield f"plays {matches} matches against random without a fault", "; ".join(faults.values())
    if not faults and any(e != "finished" for e in endings):
        yield "every match ends by the rules", ", ".join(sorted(set(endings)))


def repeats(spec: BotSpec, game: Game, game_name: str, matches: int) -> Iterator[tuple[str, str]]:
    """The same seeds give the same matches."""
    first, _ = play_some(spec, game, game_name, matches)
    again, _ = play_some(spec, game, game_name, matches)
    same = np.array_equal(first["hash"], again["hash"])
    seconds = getattr(spec.parameters, "seconds", None)
    problem = (
        "" if same or seconds else "other actions with the same seeds: use the seed given to reset"
    )
    yield "repeats itself with the same seeds", problem


def play_some(
    spec: BotSpec, game: Game, game_name: str, matches: int
) -> tuple[Any, dict[int, str]]:
    """Matches against random, the bot in every seat in turn."""
    played = play_matches(trial_job(spec, game, game_name, matches))
    assert played is not None
    faults = {m: with_words(text, played.stderr.get(m, "")) for m, text in played.faults.items()}
    return played.results, faults


def trial_job(spec: BotSpec, game: Game, game_name: str, matches: int) -> Job:
    """Matches against random, the bot in every seat in turn."""
    players = default_players(game)
    seats = np.ones((matches, players), np.int64)
    seats[np.arange(matches), np.arange(matches) % players] = 0
    bots = (spec, parse_bot("random"))
    return Job(
        game,
        game.Variant(),
        players,
        bots,
        ("1", "2"),
        1,
        seats,
        np.arange(matches),
        Limits(),
        isolation="none" if spec.kind.compiled else chosen(None),
        game_text=game_name,
    )


def failure(seat: Occupant, call: Callable[[], None]) -> str:
    """What a bot did wrong and what it said, or nothing; its process ends either way."""
    try:
        call()
    except Fault as fault:
        seat.abandon()
        return with_words(str(fault), seat.stderr)
    seat.finish()
    return ""


def with_words(problem: str, stderr: str) -> str:
    """A problem with the last lines that the bot wrote on stderr."""
    lines = [f"it said: {line[:200]}" for line in stderr.splitlines()[-LAST_LINES:]]
    return "\n".join([problem, *lines])
