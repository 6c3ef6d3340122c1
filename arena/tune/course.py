"""Plays a tuning: batches of trials as ordinary runs on common deals, then the best of them on fresh ones.

    FOLDER/tune.yaml             what is searched
    FOLDER/trials.jsonl          what was asked and told (`study`)
    FOLDER/batches/001/rung-1    a run: the trials of a batch on the deals of a rung
    FOLDER/confirm               a run: the best few and the start on deals that nothing was chosen by

Every step follows from what is stored, so a tuning goes on after a kill at any point, and the number of workers
changes nothing: all batches play a rung with one seed, so that trials of different batches meet the same deals.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from arena.execution.batches import default_workers
from arena.execution.execute import ray_started
from arena.plan.schedule import make_lineups
from arena.results.events import places_of
from arena.results.meetings import COLUMNS, Sheet
from arena.results.progress import places
from arena.results.reading import stored_results
from arena.results.tournaments import play
from arena.statistics.claims import Claim
from arena.statistics.ratings import Ratings, rate
from arena.store.files import move_aside
from arena.store.locking import lock_folder
from arena.store.record import load_spec
from arena.store.run_folder import read_table
from arena.tune import racing
from arena.tune.config import (
    CONFIRMED,
    PLAN,
    SEARCHED,
    START,
    Tuning,
    candidate,
    ids_of,
    keep_plan,
    run_spec,
    seed_of,
    tournament_of,
)
from arena.tune.racing import Rungs, Runner
from arena.tune.space import Point
from arena.tune.study import Study, Trial
from arena.tune.verdict import compared

TRIALS = "trials.jsonl"
BATCHES, CONFIRM = "batches", "confirm"
EVEN = 0.5  # what the start scores against itself

Tell = Callable[[str], None]


class Stopped(Exception):
    """Ctrl-C: what was played is stored."""


@dataclass(frozen=True)
class Player:
    """How runs are played: see `arena.results.tournaments.play`."""

    workers: int
    address: str | None = None
    progress: bool = False
    tell: Tell = field(default=lambda line: None)

    def play(self, spec: Any, folder: Path) -> None:
        """Play what is missing of a run; Stopped where it was interrupted."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        done, _ = play(spec, folder, self.workers, self.address, False, self.progress)
        if done.interrupted:
            raise Stopped


@dataclass(frozen=True)
class Tuned:
    """A tuning that was played.

    start: its scores by rung, where it met the field; of a tuning against itself none. finalists: the best few trials
    with what may be said of them, the clearest first.
    """

    tuning: Tuning
    folder: Path
    trials: tuple[Trial, ...]
    start: Rungs
    finalists: tuple[tuple[Trial, Claim], ...]
    interrupted: bool = False


def tune(
    tuning: Tuning,
    folder: Path,
    workers: int | None,
    address: str | None = None,
    fresh: bool = False,
    progress: bool = False,
    tell: Tell = lambda line: None,
) -> Tuned:
    """Play what is missing of a tuning.

    Args:
        workers: processes that play; 0 = this one, None = one a core.
        tell: is told what is under way, a line each.

    Raises:
        UserError: a wrong config, or a folder that holds another tuning.
    """
    count = default_workers() if workers is None else workers
    with lock_folder(folder):
        if fresh:
            move_aside(folder, (PLAN, TRIALS, BATCHES, CONFIRM, "tune.csv", "tune.md", "tune.html"))
        tuning = keep_plan(folder, tuning)
        study = study_of(tuning, folder)
        start: Rungs = ()
        finalists: tuple[tuple[Trial, Claim], ...] = ()
        interrupted = False
        player = Player(count, address, progress, tell)
        try:
            with ray_at(player):
                start = start_scores(tuning, folder, player)
                search(tuning, folder, study, start, player)
                finalists = confirm(tuning, folder, study.told, player)
        except (Stopped, KeyboardInterrupt):
            interrupted = True
    return Tuned(tuning, folder, study.told, start, finalists, interrupted)


def ray_at(player: Player) -> AbstractContextManager[Any]:
    """One Ray for all runs of a tuning, where there is any."""
    if player.workers == 0 and player.address is None:
        return nullcontext()
    return ray_started(player.workers, player.address)


def study_of(tuning: Tuning, folder: Path) -> Study:
    """The search of a tuning, which knows that the start is no better than the start."""
    spec = tuning.spec
    known = [Trial(-1, -1, tuning.start, (0.0,), told=True)]
    return Study(folder / TRIALS, tuning.space, spec.seed, known=known)


# --- the search -----------------------------------------------------------------------------------


def search(tuning: Tuning, folder: Path, study: Study, start: Rungs, player: Player) -> None:
    """Play batch after batch until all trials are told. start: its scores by rung."""
    spec = tuning.spec
    while (left := spec.trials - len(study.told)) > 0:
        trials = study.batch(min(spec.batch, left))
        if not trials:
            player.tell(f"the space has no more than {len(study.told)} points beside the start")
            break
        number = trials[0].batch
        twins = twins_of(tuning, study.told, trials)
        running = [trial for trial in trials if trial.number not in twins]
        scores = race(tuning, folder, study.told, running, start, player)
        study.tell(
            [gain_of(scores.get(trial.number), start) for trial in trials],
            [
                {"scores": scores[trial.number]}
                if trial.number in scores
                else {"like": twins[trial.number]}
                for trial in trials
            ],
        )
        player.tell(batch_line(tuning, study, number))


def gain_of(scores: Rungs | None, start: Rungs) -> tuple[float, ...] | None:
    """What a trial is worth to the search; None of one that was not played."""
    return None if scores is None else (racing.gain(scores, start),)


def batch_line(tuning: Tuning, study: Study, number: int) -> str:
    """What a batch has come to."""
    best = max((t.values[0] for t in study.told if t.values), default=0.0)
    done = f"batch {number + 1}: {len(study.told)} of {tuning.spec.trials} trials"
    return f"{done}, the best so far {100 * best:+.1f} points of score beside the start"


def twins_of(tuning: Tuning, told: Sequence[Trial], trials: Sequence[Trial]) -> dict[int, str]:
    """The numbers of trials that play exactly like others, with whom they are like."""
    spec = tuning.spec
    fixed = [(START, spec.bot), *((one.name or one.bot, one) for one in spec.against)]
    earlier = [(f"trial {t.number}", candidate(tuning, "", t.point)) for t in told]
    seen = dict(
        zip(
            ids_of(tuning, [unnamed(entry) for _, entry in (*fixed, *earlier)]),
            [name for name, _ in (*fixed, *earlier)],
            strict=True,
        )
    )
    found = {}
    for trial in trials:
        (own,) = ids_of(tuning, [unnamed(candidate(tuning, "", trial.point))])
        if own in seen:
            found[trial.number] = seen[own]
        seen.setdefault(own, f"trial {trial.number}")
    return found


def unnamed(entry: Any) -> Any:
    """A bot without a name of its own."""
    return entry.model_copy(update={"name": None})


def race(
    tuning: Tuning,
    folder: Path,
    told: Sequence[Trial],
    trials: Sequence[Trial],
    start: Rungs,
    player: Player,
) -> dict[int, list[list[float]]]:
    """Play the rungs of a batch; the scores of each trial by rung, as far as it went."""
    points = {trial.number: trial.point for trial in trials}
    scores: dict[int, list[list[float]]] = {number: [] for number in points}
    others = [Runner(-1, racing.joined(start)), *runners({t.number: rungs_of(t) for t in told})]
    alive = list(points)
    for rung, deals in enumerate(tuning.rungs):
        if not alive:
            break
        place = folder / BATCHES / f"{trials[0].batch + 1:03d}" / f"rung-{rung + 1}"
        named = [(name_of(number), points[number]) for number in alive]
        spec = run_spec(tuning, named, seed_of(tuning, SEARCHED, rung), deals)
        player.play(spec, place)
        found = deal_scores(tuning, named, spec.seed, deals, place)
        for number in alive:
            scores[number].append(found[name_of(number)])
        batch = runners({number: scores[number] for number in alive})
        alive = racing.going_on(batch, others, tuning.spec.keep)
    return scores


def start_scores(tuning: Tuning, folder: Path, player: Player) -> list[list[float]]:
    """The scores of the start by rung: even against itself, else as it meets the field."""
    if tuning.against_itself:
        return [[EVEN] * deals for deals in tuning.rungs]
    found = []
    for rung, deals in enumerate(tuning.rungs):
        place = folder / BATCHES / START / f"rung-{rung + 1}"
        spec = run_spec(tuning, [], seed_of(tuning, SEARCHED, rung), deals, with_start=True)
        player.play(spec, place)
        scores = deal_scores(tuning, [], spec.seed, deals, place, with_start=True)
        found.append(scores[START])
    return found


def deal_scores(
    tuning: Tuning,
    named: Sequence[tuple[str, Point]],
    seed: int,
    deals: int,
    folder: Path,
    with_start: bool = False,
) -> dict[str, list[float]]:
    """The score of each candidate on each deal of a run: its mean over the line-ups it sits in."""
    tournament = tournament_of(tuning, named, seed, deals, with_start)
    sheet = Sheet(places_of(tournament))
    sheet.take_stored(read_table(folder, COLUMNS))
    names = {entrant.id: entrant.name for entrant in tournament.entrants}
    found: dict[str, list[list[float]]] = {
        name: [[] for _ in range(deals)] for name in names.values()
    }
    for lineup in make_lineups(tournament):
        for deal in range(deals):
            for one, score in (sheet.deal_scores(lineup, deal) or {}).items():
                found[names[one]][deal].append(score)
    return {
        name: [float(np.mean(each)) if each else EVEN for each in by_deal]
        for name, by_deal in found.items()
    }


def rungs_of(trial: Trial) -> Rungs:
    """The scores of a trial by rung; none of one that was not played."""
    found: Rungs = trial.facts.get("scores", [])
    return found


def runners(scores: Mapping[int, Rungs]) -> list[Runner]:
    """Those that have scores, in the race."""
    return [Runner(number, racing.joined(rungs)) for number, rungs in scores.items() if rungs]


def name_of(number: int) -> str:
    """What a trial is called in runs."""
    return f"trial {number}"


# --- the confirmation -----------------------------------------------------------------------------


def confirm(
    tuning: Tuning, folder: Path, trials: Sequence[Trial], player: Player
) -> tuple[tuple[Trial, Claim], ...]:
    """Play the best few and the start on fresh deals; what may be said of each, the clearest first."""
    last = len(tuning.rungs)
    gains = {t.number: t.values[0] for t in trials if t.values and len(rungs_of(t)) == last}
    chosen = [trials[number] for number in racing.finalists(gains, tuning.spec.best)]
    if not chosen:
        return ()
    player.tell(f"confirming {len(chosen)} on {tuning.spec.confirm} fresh deals")
    named = [(name_of(one.number), one.point) for one in chosen]
    seed = seed_of(tuning, CONFIRMED)
    player.play(run_spec(tuning, named, seed, tuning.spec.confirm, True), folder / CONFIRM)
    claims = compared(confirmed_ratings(folder), START, [name for name, _ in named])
    pairs = zip(chosen, claims, strict=True)
    return tuple(sorted(pairs, key=lambda pair: (-rank(pair[1]), -pair[1].estimate)))


def rank(made: Claim) -> int:
    """How much a claim says for a candidate: 2 better, 1 open, 0 nothing."""
    if made.outcome == "differs":
        return 2 if made.above else 0
    return 1


def confirmed_ratings(folder: Path) -> Ratings:
    """The ratings of the confirmation."""
    place = folder / CONFIRM
    record = load_spec(place)
    results, _ = stored_results(place, record, functools.partial(places, record))
    (group,) = results.groups
    return rate(group.placements, resamples=1)  # differences rest on the covariance by deals alone
