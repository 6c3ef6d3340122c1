"""Tries a bot step by step and says what failed: `arena check bot`."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.plan.spec import Limits, default_players
from arena.playing.compiling import said_if_compiling
from arena.playing.containment.children import close_children
from arena.playing.containment.isolation import chosen, ready
from arena.playing.containment.seats import contained_seat
from arena.playing.containment.starting import Terms, Wanted
from arena.playing.faults import Fault, trace_of
from arena.playing.match import Job, compile_job, kernels_of, play_matches, warm_up
from arena.playing.referee import Ending
from arena.playing.seats import Occupant, OpenSeat, checked
from bots.contract import BotSpec, View
from bots.registry import opened, parse_bot
from engines.core import Game, load_game
from engines.errors import UserError
from engines.rng import seeded

LAST_LINES = 10  # of what a bot said
ISOLATIONS = ("sandbox", "process", "none")


@dataclass(frozen=True)
class Trial:
    """What is tried. isolation, debugged: whether the bot plays in this process, perhaps under a debugger."""

    spec: BotSpec
    game: Game
    game_text: str
    matches: int
    isolation: str
    debugged: bool = False


def check_bot(
    bot: str, game_name: str, matches: int, isolation: str | None = None, debug: str = ""
) -> Iterator[tuple[str, str]]:
    """Numbered steps: (what was tried, '' or what went wrong); ends at the first failure.

    Args:
        isolation: as in a config; by default the best that works here. "none": in this process.
        debug: the bot once more, if it is to be debugged in this process without limits of time.

    Raises:
        UserError: the game is unknown; a bot that cannot be loaded is a failed step.
    """
    game = load_game(game_name)
    if isolation is not None and isolation not in ISOLATIONS:
        raise UserError(f"--isolation: {isolation!r}, expected {' or '.join(ISOLATIONS)}")
    try:
        spec = parse_bot(bot, defaults=game.defaults)
    except UserError as error:
        yield "loads", f"{error}\n{trace_of(error.__cause__)}" if error.__cause__ else str(error)
        return
    if spec.kind.problem:
        yield "loads", spec.kind.problem
        return
    if debug and debug not in (bot, spec.kind.name, spec.kind.member):
        raise UserError(f"--debug-bot: {debug!r}, the bot is {bot!r}")
    shipped = spec.kind.compiled is not None and not spec.kind.file
    kept = "none" if shipped else chosen(isolation)
    yield f"loads ({spec.kind.summary or spec.kind.name})", ""
    trial = Trial(spec, game, game_name, matches, kept, bool(debug))
    job = trial_job(trial)
    with said_if_compiling(game.name, lambda: kernels_of(job)):  # counts for no decision
        (warm_up if spec.kind.compiled else compile_job)(job)
    try:
        for step in (starts, answers, plays, repeats):
            for tried, problem in step(trial):
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


def new_seat(trial: Trial) -> Occupant:
    """A seat as it is in a tournament; compiled bots that are not from a file play in this process."""
    spec, game = trial.spec, trial.game
    shipped = spec.kind.compiled and not spec.kind.file
    open_here = shipped or trial.debugged or trial.isolation == "none"
    if open_here and not spec.kind.program:
        return OpenSeat(opened(spec), game, trial.debugged)
    ready(trial.isolation, (spec,), (Terms(),), trial.game_text)
    wanted = Wanted(spec, trial.game_text, 0, Limits().memory_mb)
    return contained_seat(wanted, game, game.Variant())


def starts(trial: Trial) -> Iterator[tuple[str, str]]:
    """Is made and reset, in a process of its own unless it is compiled."""
    view, began = opening_view(trial.game), time.perf_counter()
    seat = new_seat(trial)
    problem = failure(seat, lambda: seat.begin(view, 1, Limits().start_seconds))
    kept = f", isolation: {trial.isolation}" if trial.spec.kind.source_hash else ""
    yield f"starts ({time.perf_counter() - began:.2f} s{kept})", problem


def answers(trial: Trial) -> Iterator[tuple[str, str]]:
    """Chooses a legal action in the first position."""
    view, limits = opening_view(trial.game), Limits()
    seat = new_seat(trial)
    said: list[int] = []
    began = time.perf_counter()

    def ask() -> None:
        seat.begin(view, 1, limits.start_seconds)
        chosen = seat.decide(view, (), 1, limits.decision_seconds)
        said.append(checked(trial.game, chosen, view.legal()))

    problem = failure(seat, ask)
    answer = view.text(said[0]) if said else ""
    seconds = time.perf_counter() - began
    yield f"answers in the first position: {answer} ({seconds:.3f} s)", problem


def plays(trial: Trial) -> Iterator[tuple[str, str]]:
    """Whole matches against random."""
    results, faults = play_some(trial)
    endings = [Ending(int(e)).text for e in results["ending"]]
    tried = f"plays {trial.matches} matches against random without a fault"
    more = f"\nand in {len(faults) - 1} more matches" if len(faults) > 1 else ""
    yield tried, next(iter(faults.values()), "") + more
    if not faults and any(e != "finished" for e in endings):
        yield "every match ends by the rules", ", ".join(sorted(set(endings)))


def repeats(trial: Trial) -> Iterator[tuple[str, str]]:
    """The same seeds give the same matches."""
    first, _ = play_some(trial)
    again, _ = play_some(trial)
    same = np.array_equal(first["hash"], again["hash"])
    seconds = getattr(trial.spec.parameters, "seconds", None)
    problem = (
        "" if same or seconds else "other actions with the same seeds: use the seed given to reset"
    )
    yield "repeats itself with the same seeds", problem


def play_some(trial: Trial) -> tuple[Any, dict[int, str]]:
    """Matches against random, the bot in every seat in turn."""
    played = play_matches(trial_job(trial))
    assert played is not None
    told = {
        match: with_words(text, played.traces.get(match, ""), played.stderr.get(match, ""))
        for match, text in played.faults.items()
    }
    return played.results, told


def trial_job(trial: Trial) -> Job:
    """Matches against random, the bot in every seat in turn."""
    game, matches = trial.game, trial.matches
    players = default_players(game)
    seats = np.ones((matches, players), np.int64)
    seats[np.arange(matches), np.arange(matches) % players] = 0
    bots = (trial.spec, parse_bot("random"))
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
        isolation=trial.isolation,
        game_text=trial.game_text,
        debug="1" if trial.debugged else "",
    )


def failure(seat: Occupant, call: Callable[[], None]) -> str:
    """What a bot did wrong and what it said, or nothing; its process ends either way."""
    try:
        call()
    except Fault as fault:
        seat.abandon()
        return with_words(str(fault), fault.trace, seat.stderr)
    return seat.finish()


def with_words(problem: str, trace: str, stderr: str) -> str:
    """A problem with all of the bot's traceback, and the last lines that it wrote on stderr."""
    lines = [f"it said: {line[:200]}" for line in stderr.splitlines()[-LAST_LINES:]]
    return "\n".join([problem, *trace.splitlines(), *lines])
