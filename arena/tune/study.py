"""A search that goes on where it was stopped: trials asked in batches, told in order, kept in one readable file.

What a batch asks is a function of the space, the seed, the number of the batch and what was told before: Optuna's
sampler is made anew for each batch with a seed of its own. So a search that was killed asks what it would have asked,
and how many workers played a batch changes nothing. What was asked is stored before it is played, so that another
version of Optuna goes on from the same batch.
"""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from arena.store.files import write_text
from arena.tune.space import AnyOf, Choice, Dimension, Point, Space, Span, key_of, plain_point
from engines.errors import UserError
from engines.rng import mix

try:
    import optuna
    from optuna import distributions as kinds
except ImportError as error:
    raise UserError(
        f"searching for options needs {error.name}: pip install 'tabletop-arena[tune]'"
    ) from None

Direction = Literal["maximize", "minimize"]

FIRST_BY_CHANCE = 10  # points before the sampler follows what was told
TRIES = 30  # for a point that was not asked before


@dataclass(frozen=True)
class Trial:
    """A point that was asked.

    number: from 0. batch: from 0. values: what came out for each objective; None while it is not told, and of one that
    could not be judged. facts: what else is to be kept, as JSON knows it.
    """

    number: int
    batch: int
    point: Point
    values: tuple[float, ...] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    told: bool = False


# --- what to ask ----------------------------------------------------------------------------------


def ask(
    space: Space,
    told: Sequence[Trial],
    seed: int,
    batch: int,
    count: int,
    directions: Sequence[Direction] = ("maximize",),
    first: Sequence[Point] = (),
) -> list[dict[str, Any]]:
    """The points of a batch, none asked before; fewer where the space has no more.

    Args:
        told: all trials of the batches before.
        first: points to ask before others; those that are left fill up to half of a batch.
    """
    seen = {key_of(trial.point) for trial in told}
    found: list[dict[str, Any]] = []

    def take(point: Mapping[str, Any]) -> bool:
        if (key := key_of(point)) in seen:
            return False
        seen.add(key)
        found.append(dict(point))
        return True

    for point in first:
        if len(found) < max(1, count // 2) and space.holds(point):
            take(point)
    study = filled(space, told, mix(seed, batch), directions)
    by_kind = {name: kind for one in space.dimensions for name, kind in distributions(one)}
    for point in found:  # asked, not yet told: others keep away from it
        study.enqueue_trial(params_of(space, point))
        study.ask(by_kind)
    rng = np.random.default_rng(mix(seed, batch, 1))
    while len(found) < count:
        asked = (point_of(space, study.ask(by_kind).params) for _ in range(TRIES))
        if not any(take(point) for point in asked) and not take_new(space, seen, rng, take):
            break
    return found


def take_new(space: Space, seen: set[str], rng: np.random.Generator, take: Any) -> bool:
    """Take a point by chance that was not asked; False where there is none left."""
    if space.size <= len(seen) + 10_000:
        left = [point for point in space.points() if key_of(point) not in seen]
        return bool(left) and take(left[int(rng.integers(len(left)))])
    return any(take(space.drawn(rng)) for _ in range(1000))


def filled(
    space: Space, told: Iterable[Trial], seed: int, directions: Sequence[Direction]
) -> "optuna.Study":
    """An Optuna study in memory that knows what was told."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():  # of arguments that may change: what is asked is stored
        warnings.simplefilter("ignore")
        sampler = optuna.samplers.TPESampler(
            seed=seed & 0xFFFFFFFF,
            multivariate=True,
            constant_liar=True,
            n_startup_trials=FIRST_BY_CHANCE,
        )
    study = optuna.create_study(sampler=sampler, directions=list(directions))
    known = {name: kind for one in space.dimensions for name, kind in distributions(one)}
    for trial in told:
        if trial.values is not None and space.holds(trial.point):
            made = optuna.trial.create_trial(
                params=params_of(space, trial.point),
                distributions=known,
                values=[float(value) for value in trial.values],
            )
            study.add_trial(made)
    return study


def distributions(one: Dimension) -> Iterator[tuple[str, Any]]:
    """A dimension as Optuna has it: names and distributions."""
    if isinstance(one, Span) and one.whole:
        yield one.name, kinds.IntDistribution(int(one.low), int(one.high), log=one.log)
    elif isinstance(one, Span):
        yield one.name, kinds.FloatDistribution(one.low, one.high, log=one.log)
    elif isinstance(one, Choice):
        yield one.name, kinds.CategoricalDistribution(tuple(range(len(one.options))))
    else:
        for number in range(len(one.options)):
            yield f"{one.name}[{number}]", kinds.CategoricalDistribution((False, True))


def params_of(space: Space, point: Point) -> dict[str, Any]:
    """A point as Optuna has it."""
    found: dict[str, Any] = {}
    for one in space.dimensions:
        value = point[one.name]
        if isinstance(one, AnyOf):
            found |= {f"{one.name}[{n}]": item in value for n, item in enumerate(one.options)}
        else:
            found[one.name] = one.options.index(value) if isinstance(one, Choice) else value
    return found


def point_of(space: Space, params: Mapping[str, Any]) -> dict[str, Any]:
    """What Optuna chose as a point."""
    found: dict[str, Any] = {}
    for one in space.dimensions:
        if isinstance(one, AnyOf):
            flags = [bool(params[f"{one.name}[{n}]"]) for n in range(len(one.options))]
            found[one.name] = one.of(flags)
        elif isinstance(one, Choice):
            found[one.name] = one.options[int(params[one.name])]
        else:
            value = params[one.name]
            found[one.name] = int(value) if one.whole else one.readable(value)
    return found


# --- what is kept ---------------------------------------------------------------------------------


class Study:
    """The trials of a search in a file; it grows as batches are asked and told."""

    def __init__(
        self,
        file: Path,
        space: Space,
        seed: int,
        directions: Sequence[Direction] = ("maximize",),
        first: Sequence[Point] = (),
        known: Sequence[Trial] = (),
    ) -> None:
        """Open a search, or begin one.

        Args:
            file: JSON lines: what is searched, then a trial a line.
            first: points that are asked first, up to half of a batch, e.g. where the search starts.
            known: told trials of nobody's asking, e.g. where the search starts if its worth is known.

        Raises:
            UserError: the file is of another search, or damaged.
        """
        self.file, self.space, self.seed = file, space, seed
        self.directions, self.first, self.known = tuple(directions), tuple(first), tuple(known)
        self.trials: tuple[Trial, ...] = self._read() if file.is_file() else ()

    @property
    def told(self) -> tuple[Trial, ...]:
        """The trials of all batches that are over."""
        return tuple(trial for trial in self.trials if trial.told)

    @property
    def batches(self) -> int:
        """How many batches are over."""
        return len({trial.batch for trial in self.told})

    def batch(self, count: int) -> tuple[Trial, ...]:
        """The trials that are to be played next: those asked and not told, else new ones; none if there are no more."""
        waiting = tuple(trial for trial in self.trials if not trial.told)
        if waiting:
            return waiting
        number = self.batches
        told = (*self.known, *self.trials)
        points = ask(self.space, told, self.seed, number, count, self.directions, self.first)
        begin = len(self.trials)
        asked = tuple(Trial(begin + i, number, point) for i, point in enumerate(points))
        self.trials += asked
        if asked:
            self._write()
        return asked

    def tell(
        self,
        values: Sequence[Sequence[float] | None],
        facts: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """End the batch that was asked: what came out for each of its trials, in order."""
        waiting = [trial for trial in self.trials if not trial.told]
        known = list(facts) or [{} for _ in waiting]
        done = [
            replace(
                trial,
                values=None if value is None else tuple(float(one) for one in value),
                facts=fact,
                told=True,
            )
            for trial, value, fact in zip(waiting, values, known, strict=True)
        ]
        self.trials = (*self.told, *done)
        self._write()

    def _head(self) -> dict[str, Any]:
        return {
            "search": self.space.plain(),
            "seed": self.seed,
            "directions": list(self.directions),
        }

    def _write(self) -> None:
        lines = [json.dumps(self._head()), *(json.dumps(as_plain(one)) for one in self.trials)]
        write_text(self.file, "\n".join(lines) + "\n")

    def _read(self) -> tuple[Trial, ...]:
        try:
            head, *lines = self.file.read_text(encoding="utf-8").splitlines()
            kept = dict(json.loads(head))
            found = tuple(as_trial(json.loads(line), self.space) for line in lines)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise UserError(f"{self.file}: damaged, expected the trials of a search") from None
        for name, value in self._head().items():
            if kept.get(name) != value:
                raise UserError(
                    f"{self.file}: a search with other {name} ({kept.get(name)}); "
                    "--fresh begins anew, --out takes another folder"
                )
        return found


def as_plain(trial: Trial) -> dict[str, Any]:
    """A trial as JSON."""
    found = {"number": trial.number, "batch": trial.batch, "point": plain_point(trial.point)}
    return {**found, "told": trial.told, "values": trial.values, "facts": dict(trial.facts)}


def as_trial(data: Mapping[str, Any], space: Space) -> Trial:
    """A trial from JSON."""
    several = {one.name for one in space.dimensions if isinstance(one, AnyOf)}
    point = {
        name: tuple(value) if name in several or isinstance(value, list) else value
        for name, value in data["point"].items()
    }
    values = data["values"]
    return Trial(
        int(data["number"]),
        int(data["batch"]),
        point,
        None if values is None else tuple(float(one) for one in values),
        data["facts"],
        bool(data["told"]),
    )
