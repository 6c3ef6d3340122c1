"""The config of `arena balance`: a game, variants, a ladder of bots; and the tournament it stands for."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BeforeValidator, Field, ValidationError

from arena.plan.config import find_config, override, read_yaml
from arena.plan.identity import variant_label
from arena.plan.shapes import Number, Part, Whole, as_list, explained
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
from arena.plan.wording import counts_text
from arena.store.files import write_text
from engines.core import changes, load_game, parse_options
from engines.errors import OptionError, UserError

PLAN = "balance.yaml"  # in the run folder
FLAGGED = "flagged"

Deals = Annotated[Whole, Field(ge=1, le=1_000_000)]
Margin = Annotated[Number, Field(gt=0)]
Values = Annotated[tuple[Any, ...], Field(min_length=1), BeforeValidator(as_list)]
Words = Annotated[tuple[str, ...], Field(min_length=1), BeforeValidator(as_list)]


class TableEntry(Part):
    """A number of players; `2` is short for `{players: 2}`."""

    players: Annotated[Whole, Field(ge=1, le=4)]
    deals: Deals | None = None  # instead of the config's
    seat_deals: Deals | None = None  # the same
    pair_deals: Deals | None = None  # the same

    @classmethod
    def expand(cls, data: Any) -> Any:
        """A number alone is a number of players."""
        return {"players": data} if isinstance(data, int) else data


class Margins(Part):
    """Differences from the baseline that do not matter, for the tests of equivalence."""

    share: Annotated[Number, Field(gt=0, lt=1)] = 0.03  # of shares: 3 percentage points
    elo: Margin = 20.0
    relative: Margin = 0.05  # of all else: 5 % of the baseline's value


class Intervention(Part):
    """Which subjects one side may not use, to see what that costs it."""

    subjects: Words = (FLAGGED,)  # names, or `flagged`: those out of line in the baseline
    most: Annotated[Whole, Field(ge=1, le=100)] = 4  # of the flagged ones, the clearest first
    bot: str | None = None  # name of who plays; by default the last of the ladder
    deals: Deals | None = None  # by default as many as the baseline's


class BalanceSpec(Part):
    """A balance analysis as its config says it."""

    name: Annotated[str, Field(pattern=r"^\w[\w .,+=-]*$", max_length=100)]
    seed: Annotated[Whole, Field(ge=0, lt=1 << 63)] = 0
    salt: Salt | None = None  # as in a tournament
    game: str
    players: Annotated[tuple[TableEntry, ...], Field(min_length=1), BeforeValidator(as_list)]
    baseline: Annotated[Options, Field(default_factory=dict)]
    variants: tuple[Options, ...] = ()  # changes of the baseline
    sweep: Annotated[dict[str, Values], Field(default_factory=dict)]  # several: a grid
    bots: Annotated[tuple[BotEntry, ...], Field(min_length=1)]  # the ladder, weakest first
    deals: Deals = 200
    null_sets: Annotated[Whole, Field(ge=0, le=20)] = 1  # how often the baseline is played again
    # more of the baseline (see `more_deals`):
    seat_deals: Deals | None = None  # each bot against itself, for seats alone
    pair_deals: Deals | None = None  # the two strongest, for what rests on this pair
    opening: Annotated[Whole, Field(ge=0, le=1000)] = 0
    replays: Annotated[Whole, Field(ge=0)] = 1000  # matches of each variant re-played
    margins: Margins = Margins()
    intervene: Intervention | None = None
    limits: Limits = Limits()


def read_balance(name: str, settings: Sequence[str] = ()) -> BalanceSpec:
    """The analysis of a config (a path or a name in configs/) with `--set` overrides.

    Raises:
        UserError: one line with the path of the value, or with file and line of invalid YAML.
    """
    path = find_config(name)
    data = {"name": path.stem, **override(read_yaml(path), settings)}
    if "targets" in data and "search" in data:
        raise UserError(f"{path}: says what to look for, add --search")
    spec = parse_balance(data)
    variants = [
        read_variant(spec.game, given, f"variants[{i}]", path.parent)
        for i, given in enumerate(spec.variants)
    ]
    baseline = read_variant(spec.game, spec.baseline, "baseline", path.parent)
    bots = found_bots(spec.bots, path.parent)
    changed = {"baseline": baseline, "variants": tuple(variants), "bots": bots}
    return spec.model_copy(update=changed)


def parse_balance(data: Mapping[str, Any]) -> BalanceSpec:
    """The analysis that plain data describes; UserError with the path of the value."""
    try:
        return BalanceSpec.model_validate(data)
    except ValidationError as error:
        raise OptionError(explained(error.errors()[0])) from None


# --- what it plays --------------------------------------------------------------------------------


def tournament_spec(spec: BalanceSpec) -> TournamentSpec:
    """The tournament of an analysis.

    The baseline plays 1 + null_sets times the deals of the others: its null variant is itself on further deals.
    """
    games = []
    for table in spec.players:
        given = [dict(variant) for variant in variants_at(spec, table.players)]
        deals = table.deals or spec.deals
        shared = {"game": spec.game, "players": table.players, "opening": spec.opening}
        games.append({**shared, "variant": given[0], "deals": deals * (1 + spec.null_sets)})
        if given[1:]:
            games.append({**shared, "variants": given[1:], "deals": deals})
    return parse_spec(
        {
            "name": spec.name,
            "seed": spec.seed,
            "salt": spec.salt,
            "games": games,
            "bots": [entry.model_dump() for entry in spec.bots],
            "schedule": "ladder",
            "limits": spec.limits.model_dump(),
        }
    )


def all_variants(spec: BalanceSpec) -> tuple[Mapping[str, Any], ...]:
    """The options of the baseline, then of every other variant that is one of its own at some table, each once.

    Raises:
        UserError: names the option and what would be right.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for table in spec.players:
        for given in variants_at(spec, table.players):
            found.setdefault(label_of(spec, given), given)
    return tuple(found.values())


def variants_at(spec: BalanceSpec, players: int) -> tuple[Mapping[str, Any], ...]:
    """The variants that differ from all before them at a table: those whose options cannot act here are left out."""
    game = load_game(spec.game)
    found: dict[Any, Mapping[str, Any]] = {}
    for where, given in variants_with_paths(spec):
        variant: Any = parse_options(game.Variant, given, where)
        table = game.blank_at(players, variant, where).tobytes()
        found.setdefault((table, game.places(variant)), given)
    return tuple(found.values())


def same_variants(spec: BalanceSpec) -> Iterator[str]:
    """A line for each variant that is no variant of its own at a table."""
    for table in spec.players:
        own = {label_of(spec, given) for given in variants_at(spec, table.players)}
        labels = dict.fromkeys(label_of(spec, given) for _, given in variants_with_paths(spec))
        yield from (
            f"{label} with {counts_text([table.players])}: plays like a variant before it, "
            "so it is not analysed there"
            for label in labels
            if label not in own
        )


def label_of(spec: BalanceSpec, given: Mapping[str, Any]) -> str:
    """The label of a variant as tables show it."""
    variant: Any = parse_options(load_game(spec.game).Variant, given, "variant")
    return variant_label(changes(variant))


def variants_with_paths(spec: BalanceSpec) -> Iterator[tuple[str, dict[str, Any]]]:
    """The baseline, the listed variants and every point of the grid."""
    yield "baseline", dict(spec.baseline)
    for number, given in enumerate(spec.variants):
        yield f"variants[{number}]", {**spec.baseline, **given}
    if spec.sweep:
        for values in product(*spec.sweep.values()):
            point = dict(zip(spec.sweep, values, strict=True))
            yield "sweep", {**spec.baseline, **point}


def variant_labels(spec: BalanceSpec) -> tuple[str, ...]:
    """The labels of all variants as tables show them, the baseline first."""
    return tuple(label_of(spec, given) for given in all_variants(spec))


# --- in the run folder ----------------------------------------------------------------------------


def write_plan(folder: Path, spec: BalanceSpec) -> None:
    """Keep an analysis in its run folder."""
    data = spec.model_dump(mode="json", exclude_none=True)
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    write_text(folder / PLAN, f"# What arena balance makes of this run.\n{text}")


def deals_of(spec: BalanceSpec | None) -> dict[int, int]:
    """For each number of players the deals of the baseline; those behind them are the null variant's."""
    if spec is None:
        return {}
    return {table.players: table.deals or spec.deals for table in spec.players}


def read_plan(folder: Path) -> BalanceSpec | None:
    """The analysis kept in a run folder; None in a run that `arena run` has made.

    Raises:
        UserError: the file is damaged.
    """
    path = folder / PLAN
    if not path.is_file():
        return None
    try:
        return parse_balance(read_yaml(path))
    except OptionError as error:
        raise UserError(f"{path}: {error}") from None
