"""The config of `arena tune`: a bot, what may become of its options, whom it meets; and the runs it stands for."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from arena.plan.config import find_config, override, read_yaml
from arena.plan.identity import new_salt
from arena.plan.places import portable_bot, portable_game
from arena.plan.shapes import ClockEntry, Number, Part, Whole, as_list, explained
from arena.plan.spec import (
    BotEntry,
    Limits,
    Options,
    Salt,
    TournamentSpec,
    found_bots,
    parse_spec,
    read_variant,
)
from arena.plan.tournament import Tournament, find_game, make_entrant, resolve
from arena.store.files import write_text
from arena.tune.space import Point, Space, read_space
from bots.registry import find_kind, parse_bot, split_options
from engines.core import Game
from engines.errors import OptionError, UserError
from engines.options import describe_options
from engines.rng import mix

PLAN = "tune.yaml"  # in the folder of a tuning
START = "start"  # the bot as it is
SELF = "self"
SEARCHED, CONFIRMED = (
    1,
    2,
)  # what seeds are for: deals of the search are never those of the confirmation

Deals = Annotated[Whole, Field(ge=1, le=1_000_000)]
Opponents = Annotated[
    tuple[BotEntry, ...],
    BeforeValidator(lambda value: () if value == SELF else as_list(value)),
]


class TuneSpec(Part):
    """A tuning as its config says it."""

    name: Annotated[str, Field(pattern=r"^\w[\w .,+=-]*$", max_length=100)]
    seed: Annotated[Whole, Field(ge=0, lt=1 << 63)] = 0
    salt: Salt | None = None  # as in a tournament; one for all runs, so that deals are common
    game: str
    players: Annotated[Whole, Field(ge=1, le=4)] | None = None
    variant: Annotated[Options, Field(default_factory=dict)]
    opening: Annotated[Whole, Field(ge=0, le=1000)] = 0
    bot: BotEntry  # where it starts
    options: dict[str, Any]  # what is searched; see `space`
    against: Opponents = ()  # who it meets; none: the bot as it is at the start
    trials: Annotated[Whole, Field(ge=1, le=10_000)] = 24
    batch: Annotated[Whole, Field(ge=1, le=100)] = 6  # trials that are asked together
    deals: Annotated[tuple[Deals, ...], Field(min_length=1), BeforeValidator(as_list)] = (
        *(10, 30, 90),
    )  # of a trial, in all, after each rung
    keep: Annotated[Number, Field(gt=0, le=1)] = (
        0.5  # the part of a batch that goes on to the next rung
    )
    confirm: Annotated[Whole, Field(ge=10, le=1_000_000)] = 200  # fresh deals for the best
    best: Annotated[Whole, Field(ge=1, le=20)] = 3  # how many those are
    limits: Limits = Limits()
    clock: ClockEntry | None = None
    isolation: Literal["sandbox", "process", "none"] | None = None
    mount: Annotated[tuple[str, ...], BeforeValidator(as_list)] = ()

    @field_validator("deals")
    @classmethod
    def check_rungs(cls, deals: tuple[int, ...]) -> tuple[int, ...]:
        """Each rung has more deals than the one before."""
        if any(more <= fewer for fewer, more in pairwise(deals)):
            given = {"given": ", ".join(map(str, deals))}
            raise PydanticCustomError("rule", "{given}, expected more deals in each rung", given)
        return deals


@dataclass(frozen=True)
class Tuning:
    """A spec that has been loaded and checked.

    start: the bot's own options, of those that are searched.
    """

    spec: TuneSpec
    game: Game
    space: Space
    start: Point

    @property
    def against_itself(self) -> bool:
        """Whether candidates meet the bot as it is at the start."""
        return not self.spec.against

    @property
    def rungs(self) -> tuple[int, ...]:
        """How many deals each rung adds."""
        deals = self.spec.deals
        return tuple(more - fewer for fewer, more in pairwise((0, *deals)))


def read_tuning(name: str, settings: Sequence[str] = ()) -> TuneSpec:
    """The tuning of a config (a path or a name in configs/) with `--set` overrides.

    Raises:
        UserError: one line with the path of the value, or with file and line of invalid YAML.
    """
    path = find_config(name)
    data = read_yaml(path, expected="game, bot and options")
    spec = parse_tuning({"name": path.stem, **override(data, settings)})
    (bot,) = found_bots([spec.bot], path.parent)
    against = found_bots(spec.against, path.parent)
    variant = read_variant(spec.game, spec.variant, "variant", path.parent)
    return spec.model_copy(update={"bot": bot, "against": against, "variant": variant})


def parse_tuning(data: Mapping[str, Any]) -> TuneSpec:
    """The tuning that plain data describes; UserError with the path of the value."""
    try:
        return TuneSpec.model_validate(data)
    except ValidationError as error:
        raise OptionError(explained(error.errors()[0])) from None


def load(spec: TuneSpec) -> Tuning:
    """A tuning with game, bots and options checked.

    Raises:
        UserError: one line with the path of the value.
    """
    game = find_game(spec.game, "game")
    spec = portable(spec)
    make_entrant(spec.bot, "bot", spec.mount, spec.limits.start_seconds)
    for number, entry in enumerate(spec.against):
        make_entrant(entry, f"against[{number}]", spec.mount, spec.limits.start_seconds)
    kind, _ = find_kind(spec.bot.bot)
    space = read_space(spec.options, describe_options(kind.Parameters), "options")
    own = parse_bot(spec.bot.bot, spec.bot.parameters, spec.bot.files, defaults=game.defaults)
    values = asdict(own.parameters)
    start = {one.name: values[one.name] for one in space.dimensions}
    tuning = Tuning(spec, game, space, start)
    for number, twin in enumerate(ids_of(tuning, spec.against)):
        if twin == ids_of(tuning, [spec.bot])[0]:
            raise UserError(f"against[{number}]: the bot as it starts; against: self says that")
    try:
        (table,) = tournament_of(tuning, [], 0, 1, check=True).tables
    except UserError as error:  # by the path in its own config
        raise type(error)(str(error).removeprefix("games[0].")) from None
    if len(set(table.sides)) < 2:
        raise UserError(f"players: {table.players}, a tuning needs somebody to play against")
    return tuning


# --- what it plays --------------------------------------------------------------------------------


def tournament_of(
    tuning: Tuning,
    candidates: Sequence[tuple[str, Point]],
    seed: int,
    deals: int,
    with_start: bool = False,
    check: bool = False,
) -> Tournament:
    """The run in which candidates, by name, meet whom the config says.

    Args:
        with_start: the start plays the same opponents; it is the opponent of a tuning against itself.
        check: only the start and its opponents, to see whether all is right.
    """
    return resolve(run_spec(tuning, candidates, seed, deals, with_start, check))


def run_spec(
    tuning: Tuning,
    candidates: Sequence[tuple[str, Point]],
    seed: int,
    deals: int,
    with_start: bool = False,
    check: bool = False,
) -> TournamentSpec:
    """The config of `tournament_of`."""
    spec = tuning.spec
    focus = [name for name, _ in candidates]
    bots = [candidate(tuning, name, point) for name, point in candidates]
    if tuning.against_itself or with_start or check:
        bots.append(spec.bot.model_copy(update={"name": START}))
    if with_start and not tuning.against_itself:
        focus.append(START)
    bots += [
        entry.model_copy(update={"name": entry.name or f"field {number}"})
        for number, entry in enumerate(spec.against, 1)
    ]
    table = {"game": spec.game, "variant": spec.variant, "opening": spec.opening}
    if spec.players is not None:
        table["players"] = [spec.players]
    return parse_spec(
        {
            "name": spec.name,
            "seed": seed,
            "salt": spec.salt,
            "games": [table],
            "bots": [entry.model_dump() for entry in bots],
            **({"schedule": "self_play"} if check else {"schedule": "gauntlet", "focus": focus}),
            "deals": deals,
            "limits": spec.limits.model_dump(),
            "clock": spec.clock.model_dump() if spec.clock else None,
            "isolation": spec.isolation,
            "mount": spec.mount,
        }
    )


def candidate(tuning: Tuning, name: str, point: Point) -> BotEntry:
    """The bot with the options of a point."""
    entry = tuning.spec.bot
    given = {key: list(one) if isinstance(one, tuple) else one for key, one in point.items()}
    return entry.model_copy(update={"name": name, "parameters": {**entry.parameters, **given}})


def portable(spec: TuneSpec) -> TuneSpec:
    """The spec with paths relative to the working folder where they are below it: it is kept and shown."""
    bot, *against = (
        one.model_copy(update={"bot": portable_bot(one.bot)}) for one in (spec.bot, *spec.against)
    )
    changed = {"game": portable_game(spec.game), "bot": bot, "against": tuple(against)}
    return spec.model_copy(update=changed)


def ids_of(tuning: Tuning, entries: Sequence[BotEntry]) -> list[str]:
    """The ids of bots in the game: equal ones play alike."""
    spec, usual = tuning.spec, tuning.game.defaults
    seconds = spec.limits.start_seconds
    return [make_entrant(one, "bot", spec.mount, seconds, usual).id for one in entries]


def given_options(tuning: Tuning) -> dict[str, Any]:
    """The options that the config itself gives its bot, in its text and beside it."""
    entry = tuning.spec.bot
    _, options = find_kind(entry.bot)
    return {**split_options(options, entry.bot), **entry.parameters}


def seed_of(tuning: Tuning, *purpose: int) -> int:
    """The seed of a run of a tuning: the same for every batch of a rung, another for the confirmation."""
    return mix(tuning.spec.seed, *purpose) >> 1


# --- in its folder --------------------------------------------------------------------------------


def keep_plan(folder: Path, tuning: Tuning) -> Tuning:
    """Write what a tuning is into its folder, or compare it with what stands there.

    Raises:
        UserError: the folder holds another tuning.
    """
    path = folder / PLAN
    spec = tuning.spec
    if not path.is_file():
        strangers = tournament_of(tuning, [], 0, 1, check=True).strangers
        if strangers and spec.salt is None:
            spec = spec.model_copy(update={"salt": new_salt()})
        text = yaml.safe_dump(plain(spec), sort_keys=False, allow_unicode=True, width=100)
        write_text(path, f"# What arena tune searches here.\n{text}")
        return Tuning(spec, tuning.game, tuning.space, tuning.start)
    kept = read_plan(folder)
    spec = spec.model_copy(update={"salt": spec.salt or kept.salt})
    for name, value in plain(spec).items():
        if (stored := plain(kept).get(name)) != value:
            raise UserError(
                f"{folder}: a tuning with other {name} ({stored}); --fresh begins anew, "
                "--out takes another folder"
            )
    return Tuning(spec, tuning.game, tuning.space, tuning.start)


def read_plan(folder: Path) -> TuneSpec:
    """The tuning that a folder holds; UserError where it is damaged."""
    try:
        return parse_tuning(read_yaml(folder / PLAN))
    except OptionError as error:
        raise UserError(f"{folder / PLAN}: {error}") from None


def plain(spec: TuneSpec) -> dict[str, Any]:
    """A tuning as plain data."""
    data: dict[str, Any] = spec.model_dump(mode="json")
    return data
