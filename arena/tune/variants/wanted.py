"""The config of `arena balance --search`: a game, what a good one is, what may change, and how hard to look."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from arena.balance.config import BalanceSpec, Deals, Margins, parse_balance, tournament_spec
from arena.balance.skill import budgets_of
from arena.plan.config import find_config, located, override, read_yaml
from arena.plan.shapes import Part, Whole, as_list, explained
from arena.plan.spec import BotEntry, Limits, Options, Salt, found_bots, read_variant
from arena.plan.tournament import make_entrant, resolve
from arena.tune.space import Point, Space, plain_point, read_space
from arena.tune.variants.targets import CARDS, DEPTH, LUCK, Target, read_targets
from engines.core import Game, describe_options, load_game, parse_options
from engines.errors import OptionError, UserError
from engines.rng import mix

EXPECTED = "name, game, bots, targets and search"
MOST_TRIALS = 10_000

Players = Annotated[Whole, Field(ge=1, le=4)]
Bots = Annotated[tuple[BotEntry, ...], Field(min_length=1), BeforeValidator(as_list)]


class Rung(Part):
    """What a variant plays before it may go on: bots, weakest first, and deals. keep: how many go on to the next."""

    bots: Bots
    deals: Deals
    keep: Annotated[Whole, Field(ge=1, le=1000)] = 6


class Confirm(Part):
    """On how many fresh deals the best few are played again, by all bots."""

    deals: Deals = 400
    best: Annotated[Whole, Field(ge=1, le=20)] = 3


class SearchSpec(Part):
    """A search as its config says it."""

    name: Annotated[str, Field(pattern=r"^\w[\w .,+=-]*$", max_length=100)]
    seed: Annotated[Whole, Field(ge=0, lt=1 << 63)] = 0
    salt: Salt | None = None
    game: str
    players: Annotated[tuple[Players, ...], Field(min_length=1), BeforeValidator(as_list)]
    baseline: Annotated[Options, Field(default_factory=dict)]  # the printed rules, and what to keep
    targets: Annotated[dict[str, Any], Field(min_length=1)]
    search: Annotated[dict[str, Any], Field(min_length=1)]
    bots: Bots  # the ladder, weakest first: who plays in the end
    trials: Annotated[Whole, Field(ge=2, le=MOST_TRIALS)] = 48
    batch: Annotated[Whole, Field(ge=1, le=1000)] = 8
    rungs: tuple[Rung, ...] = ()
    confirm: Confirm = Confirm()
    opening: Annotated[Whole, Field(ge=0, le=1000)] = 0
    replays: Annotated[Whole, Field(ge=1)] = 1000  # matches of each variant re-played
    margins: Margins = Margins()
    limits: Limits = Limits()


@dataclass(frozen=True)
class Wanted:
    """A search that can be played: its config, and what that means for its game.

    space: what may change. targets: in the order of the config. rungs: from cheap to dear, at least one. printed: the
    point of the printed rules, which need not lie in the space.
    """

    spec: SearchSpec
    game: Game
    space: Space
    targets: tuple[Target, ...]
    rungs: tuple[Rung, ...]
    printed: Point


def read_search(name: str, settings: Sequence[str] = ()) -> Wanted:
    """The search of a config (a path or a name in configs/) with `--set` overrides.

    Raises:
        UserError: one line with file, line and path of the value, and what would be right.
    """
    path = find_config(name)
    data = {"name": path.stem, **override(read_yaml(path, expected=EXPECTED), settings)}
    try:
        return parse_search(data, path.parent)
    except UserError as error:
        problem = str(error)
        elsewhere = any(problem.startswith(one.partition("=")[0].strip()) for one in settings)
        if elsewhere or re.split(r"\W", problem)[0] not in SearchSpec.model_fields:
            raise
        raise UserError(located(path, problem)) from None


def parse_search(data: Mapping[str, Any], folder: Path = Path()) -> Wanted:
    """The search that plain data describes; OptionError with the path of the value."""
    for section in ("targets", "search"):
        if not data.get(section):
            example = "turns: [40, 60]" if section == "targets" else "hand_size: 3..6"
            raise OptionError(f"{section}: missing, expected e.g. {{{example}}}")
    try:
        spec = SearchSpec.model_validate(data)
    except ValidationError as error:
        raise OptionError(explained(error.errors()[0])) from None
    baseline = read_variant(spec.game, spec.baseline, "baseline", folder)
    bots = found_bots(spec.bots, folder)
    rungs = tuple(
        rung.model_copy(update={"bots": found_bots(rung.bots, folder)}) for rung in spec.rungs
    )
    spec = spec.model_copy(update={"baseline": baseline, "bots": bots, "rungs": rungs})
    return checked(spec)


def checked(spec: SearchSpec) -> Wanted:
    """A search whose targets, options, bots and printed rules all exist."""
    game = load_game(spec.game)
    targets = read_targets(spec.targets, spec.players, "targets")
    space = read_space(spec.search, describe_options(game.Variant), "search")
    printed: Any = parse_options(game.Variant, spec.baseline, "baseline")
    for count in spec.players:
        game.blank_at(count, printed, "baseline")
    point = {one.name: getattr(printed, one.name) for one in space.dimensions}
    wanted = Wanted(spec, game, space, targets, spec.rungs or default_rungs(spec), point)
    for place, rung in enumerate(spec.rungs):
        for number, entry in enumerate(rung.bots):
            make_entrant(entry, f"rungs[{place}].bots[{number}]")
    for rung in (*wanted.rungs, final(spec)):  # refuses bots that cannot play this game
        resolve(tournament_spec(balance_spec(wanted, [point], rung, 0)))
    for target in targets:
        check_shown(target, game, spec.bots)
    return wanted


def default_rungs(spec: SearchSpec) -> tuple[Rung, ...]:
    """Cheap bots first: the ladder without its strongest bot where three or more stand on it, then all of it."""
    fewer = spec.bots[:-1] if len(spec.bots) > 2 else spec.bots
    return Rung(bots=fewer, deals=40, keep=8), Rung(bots=spec.bots, deals=100)


def check_shown(target: Target, game: Game, bots: Sequence[BotEntry]) -> None:
    """Whether these bots, and this game, can show what a target asks for; OptionError otherwise."""
    path = f"targets.{target.name}"
    if target.name == CARDS and not game.subjects.names:
        raise OptionError(f"{path}: {game.title} names no cards, leave it out")
    if target.name == LUCK and len(bots) < 2:
        raise OptionError(f"{path}: needs two bots, bots has one")
    if target.name == DEPTH:
        entrants = {str(i): make_entrant(entry, f"bots[{i}]") for i, entry in enumerate(bots)}
        if len(budgets_of(entrants)) < 2:
            raise OptionError(
                f"{path}: needs two bots that differ in their simulations only, "
                f"e.g. bots: ['mcts:simulations=16', 'mcts:simulations=64']"
            )


# --- what it plays --------------------------------------------------------------------------------


def balance_spec(
    wanted: Wanted, points: Sequence[Point], rung: Rung, step: int, salt: str | None = None
) -> BalanceSpec:
    """The balance analysis in which some points are played on common deals, the first as its baseline.

    step: whose deals are played: those of each are its own, so that what was chosen on some is looked at on others.
    """
    spec = wanted.spec
    variants = [{**spec.baseline, **point} for point in points]
    return parse_balance(
        {
            "name": spec.name,
            "seed": mix(spec.seed, step) >> 1,
            "salt": salt or spec.salt,
            "game": spec.game,
            "players": list(spec.players),
            "baseline": plain_point(variants[0]),
            "variants": [plain_point(variant) for variant in variants[1:]],
            "bots": [entry.model_dump() for entry in rung.bots],
            "deals": rung.deals,
            "null_sets": 0,
            "opening": spec.opening,
            "replays": spec.replays,
            "margins": spec.margins.model_dump(),
            "limits": spec.limits.model_dump(),
        }
    )


def final(spec: SearchSpec) -> Rung:
    """The confirmation as a last rung."""
    return Rung(bots=spec.bots, deals=spec.confirm.deals, keep=spec.confirm.best)
