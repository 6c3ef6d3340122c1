"""Plays a search for a variant: batches of trials, rungs for the best of them, and a confirmation on fresh deals.

Every step is an ordinary balance run in a folder below the search's, on deals of its own that all its variants share.
What is asked next follows from what is stored, so that a search goes on where it was stopped, and how many workers
play changes nothing.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from arena.balance.analysis import Part, open_run
from arena.balance.config import tournament_spec, write_plan
from arena.execution.execute import ray_started
from arena.execution.run import Summary, carry_out
from arena.store.defaults import resolved
from arena.store.record import RECORD, load_spec
from arena.tune.space import Point, key_of
from arena.tune.study import Study
from arena.tune.variants.front import Step, Tried, order
from arena.tune.variants.near import nearness, single_changes
from arena.tune.variants.readings import FAR, Reading, read
from arena.tune.variants.targets import Target
from arena.tune.variants.wanted import Rung, Wanted, balance_spec, final
from engines.core import parse_options
from engines.errors import OptionError, UserError

TRIALS = "trials.jsonl"
BATCHES, RUNGS, CONFIRM = "batches", "rungs", "confirm"
Table: TypeAlias = tuple[
    int, bytes, str
]  # players, blank table, what places mean: equal where variants play alike


@dataclass(frozen=True)
class Found:
    """A search that is over: its trials, what each rung said of those that got there, and the confirmation."""

    wanted: Wanted
    folder: Path
    steps: tuple[Step, ...]
    confirmed: Step
    matches: int
    played: int


class Stopped(Exception):
    """Somebody asked to stop; what was played is stored."""


@dataclass
class Playing:
    """How steps are played; it adds up their matches."""

    wanted: Wanted
    folder: Path
    workers: int
    address: str | None
    progress: bool
    say: Callable[[str], None]
    matches: int = 0
    played: int = 0
    salt: str | None = None
    notes: list[str] = field(default_factory=list)

    def step(self, folder: Path, points: Sequence[Point], rung: Rung, step: int) -> None:
        """Play what is missing of some variants; Stopped where it was asked for."""
        spec = balance_spec(self.wanted, points, rung, step, self.salt)
        summary: Summary = carry_out(
            resolved(tournament_spec(spec), folder),
            folder,
            self.workers,
            self.address,
            progress=self.progress,
        )
        write_plan(folder, spec)
        self.matches += summary.stored
        self.played += summary.played
        self.salt = (
            self.salt or load_spec(folder).spec.salt
        )  # all steps keep the first one's secret
        for note in summary.notes:
            if note not in self.notes:
                self.notes.append(note)
                self.say(note)
        if summary.interrupted:
            raise Stopped


def search(playing: Playing) -> Found:
    """Carry a search out, or go on with it.

    Raises:
        Stopped: it was interrupted.
        UserError: the folder holds another search.
    """
    with ray_at(playing):
        return carry_on(playing)


def ray_at(playing: Playing) -> AbstractContextManager[Any]:
    """One Ray for all steps, where there is any, and more to play than what is confirmed already."""
    alone = playing.workers == 0 and playing.address is None
    if alone or (playing.folder / CONFIRM / RECORD).exists():
        return nullcontext()
    return ray_started(playing.workers, playing.address)


def carry_on(playing: Playing) -> Found:
    """Play what is missing of each step, one after the other."""
    wanted = playing.wanted
    first = explore(playing)
    steps = [first]
    for number, rung in enumerate(wanted.rungs[1:], 2):
        points = chosen(steps[-1], steps[-1].rung.keep, wanted)
        playing.say(
            f"rung {number} of {len(wanted.rungs)}: {counted(points)}, {rung.deals} deals each"
        )
        steps.append(climb(playing, playing.folder / RUNGS / str(number), points, rung, number))
    last = final(wanted.spec)
    points = chosen(steps[-1], last.keep, wanted)
    playing.say(f"confirmation: {counted(points)}, {last.deals} fresh deals each")
    confirmed = climb(playing, playing.folder / CONFIRM, points, last, 0)
    return Found(wanted, playing.folder, tuple(steps), confirmed, playing.matches, playing.played)


def counted(points: Sequence[Point]) -> str:
    """How many variants there are, with the printed rules."""
    return f"{len(points)} variant{'s' * (len(points) != 1)}"


def chosen(step: Step, most: int, wanted: Wanted) -> list[Point]:
    """The best variants of a step, and the printed rules."""
    best = [one.point for one in order(step.tried) if one.possible][:most]
    printed = key_of(wanted.printed)
    return best if printed in map(key_of, best) else [*best, wanted.printed]


# --- the first rung: trials -----------------------------------------------------------------------


def explore(playing: Playing) -> Step:
    """Ask, play and tell batches of trials until there are enough; the printed rules and single changes come first."""
    wanted, rung = playing.wanted, playing.wanted.rungs[0]
    spec, memory = wanted.spec, dict[Table, tuple[Reading, ...]]()
    targets = None
    study = None
    batches = -(-spec.trials // spec.batch)
    tried: list[Tried] = []
    play(playing, [wanted.printed], rung, 1, playing.folder / BATCHES / "000", memory)
    printed = judged(wanted, wanted.printed, memory)
    targets = shown_targets(wanted, printed)
    study = Study(
        playing.folder / TRIALS,
        wanted.space,
        spec.seed,
        ["minimize"] * len(targets),
        first=[wanted.printed, *single_changes(wanted.space, wanted.printed)],
    )
    for number in range(batches):
        asked = [trial for trial in study.trials if trial.batch == number] or list(
            study.batch(spec.batch)
        )
        if not asked:
            break  # the space has no more
        points = [trial.point for trial in asked]
        folder = playing.folder / BATCHES / f"{number + 1:03d}"
        playing.say(f"batch {number + 1} of {batches}: {counted(points)}, {rung.deals} deals each")
        play(playing, points, rung, 1, folder, memory)
        found = [judged(wanted, point, memory) for point in points]
        if not all(trial.told for trial in asked):
            study.tell([kept(one, wanted, targets) for one in found], [facts(one) for one in found])
        tried += found
    if key_of(wanted.printed) not in {key_of(one.point) for one in tried}:
        tried.insert(0, printed)
    return Step(rung, targets, tuple(tried))


def shown_targets(wanted: Wanted, printed: Tried) -> tuple[Target, ...]:
    """The targets that the bots of the first rung can show.

    Raises:
        UserError: they show none.
    """
    names = {reading.target.name for reading in printed.readings}
    found = tuple(target for target in wanted.targets if target.name in names)
    if not found:
        raise UserError(
            f"rungs[0].bots: show none of {', '.join(t.name for t in wanted.targets)}, "
            "expected bots that show one target or more"
        )
    return found


def kept(one: Tried, wanted: Wanted, targets: Sequence[Target]) -> tuple[float, ...]:
    """What the sampler is told of a variant: how far off each target it is."""
    places = [wanted.targets.index(target) for target in targets]
    return tuple(one.off[place] for place in places)


def facts(one: Tried) -> dict[str, Any]:
    """What is kept of a trial for people who read the file."""
    if not one.possible:
        return {"impossible": True}
    known = (r for r in one.readings if math.isfinite(r.value))
    return {f"{r.what}, {r.players} players": round(r.value, 4) for r in known}


# --- any step -------------------------------------------------------------------------------------


def climb(playing: Playing, folder: Path, points: Sequence[Point], rung: Rung, step: int) -> Step:
    """Play the variants that got so far, by the bots of a rung."""
    wanted, memory = playing.wanted, dict[Table, tuple[Reading, ...]]()
    play(playing, points, rung, step, folder, memory)
    tried = tuple(judged(wanted, point, memory) for point in points)
    names = {reading.target.name for one in tried for reading in one.readings}
    return Step(rung, tuple(t for t in wanted.targets if t.name in names), tried)


def play(
    playing: Playing,
    points: Sequence[Point],
    rung: Rung,
    step: int,
    folder: Path,
    memory: dict[Table, tuple[Reading, ...]],
) -> None:
    """Play the variants that are not like one in memory, and remember what their matches say."""
    wanted, new, seen = playing.wanted, list[Point](), set(memory)
    for point in points:
        tables = tables_of(wanted, point)
        if tables is not None and not seen.issuperset(tables):
            new.append(point)
            seen.update(tables)
    if not new:
        return
    playing.step(folder, new, rung, step)
    for part in parts_of(folder, rung.deals):
        variant: Any = parse_options(wanted.game.Variant, dict(part.lineup.variant), "variant")
        table = (part.sample.group.players, part.start.tobytes(), wanted.game.places(variant))
        memory[table] = read(part, wanted.targets)


def parts_of(folder: Path, deals: int) -> Iterator[Part]:
    """The variants of a step, with its deals: a run may hold more, played when the config asked for more."""
    run = open_run(folder)
    for part in run.parts:
        if not part.sample.part:
            kept = part.sample.kept(part.sample.group.deals < deals)
            yield Part(kept, run.record, part.replays)


def tables_of(wanted: Wanted, point: Point) -> tuple[Table, ...] | None:
    """What tells a variant apart at each number of players; None where its options do not go together."""
    try:
        options = {**wanted.spec.baseline, **point}
        variant: Any = parse_options(wanted.game.Variant, options, "search")
        return tuple(
            (n, wanted.game.blank(n, variant).tobytes(), wanted.game.places(variant))
            for n in wanted.spec.players
        )
    except OptionError:
        return None


def judged(wanted: Wanted, point: Point, memory: Mapping[Table, tuple[Reading, ...]]) -> Tried:
    """A variant with what was read of it."""
    near = nearness(wanted.space, wanted.printed, point)
    tables = tables_of(wanted, point)
    if tables is None:
        return Tried(point, near, (), (FAR,) * len(wanted.targets), possible=False)
    readings = tuple(reading for table in tables for reading in memory.get(table, ()))
    return Tried(point, near, readings, tuple(distances(wanted, readings)))


def distances(wanted: Wanted, readings: Sequence[Reading]) -> Iterator[float]:
    """How far off each target: the farthest of its seats and numbers of players; 0 where its bots do not show it."""
    for target in wanted.targets:
        own = [r.off(wanted.spec.margins) for r in readings if r.target == target]
        yield max(own, default=0.0)
