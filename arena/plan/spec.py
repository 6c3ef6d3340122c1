"""What a tournament is: YAML to a typed, frozen TournamentSpec and back.

Reading checks shapes only and loads no game and no bot, so that a run can be read where its bots
are missing; `arena.plan.tournament.resolve` loads them and checks every name and option.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from arena.plan.config import ComponentsLoader, find_config, override, read_yaml
from arena.plan.formats.courses import KEYS, Rules
from arena.plan.identity import read_label, salt_digest
from arena.plan.keeping import ALL, FORM
from arena.plan.places import find_bot
from arena.plan.shapes import (
    ClockEntry,
    FormatKeys,
    Number,
    Part,
    Seconds,
    Whole,
    as_list,
    explained,
)
from arena.plan.wording import counts_text
from bots.registry import parse_bot
from engines.core import Game, load_game, parse_options
from engines.errors import OptionError, UserError
from engines.texts import brief

__all__ = ["TournamentSpec", "dump", "find_config", "match_spec", "parse_spec", "read_spec"]

# --- the shape of a config ------------------------------------------------------------------------

Players = Annotated[
    tuple[Annotated[Whole, Field(ge=1, le=4)], ...], Field(min_length=1), BeforeValidator(as_list)
]
Texts = Annotated[tuple[str, ...], BeforeValidator(as_list)]
Retired = Annotated[
    Literal["kept", "dropped"] | None,
    BeforeValidator(lambda value: {True: "kept", False: None}.get(value, value)),
]
Schedule = Literal[
    "round_robin",
    "gauntlet",
    "self_play",
    "ladder",
    "swiss",
    "knockout",
    "double_elimination",
    "groups",
    "king_of_the_hill",
    "adaptive",
]
Salt = Annotated[str, Field(min_length=1, max_length=1000)]


def as_options(value: Any) -> Any:
    """The label of a variant, rows=5,connect=3, as its options."""
    if not isinstance(value, str):
        return value
    try:
        return read_label(value, "")
    except OptionError as error:
        raise PydanticCustomError("label", "{problem}", {"problem": str(error)}) from None


Options = Annotated[dict[str, Any], BeforeValidator(as_options)]


class GameEntry(Part):
    """A game with its table sizes and variants; `karmaka` is short for `{game: karmaka}`."""

    game: str
    players: Players = ()  # by default the fewest, from two, that the game allows
    variant: Options | None = None
    variants: Annotated[tuple[Options, ...], Field(min_length=1)] | None = None
    deals: Annotated[Whole, Field(ge=1, le=1_000_000)] | None = None  # instead of the tournament's
    opening: Annotated[Whole, Field(ge=0, le=1000)] = 0  # decisions played at random first

    @classmethod
    def expand(cls, data: Any) -> Any:
        """A name alone is a game."""
        return {"game": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def check_variants(self) -> "GameEntry":
        """One of `variant` and `variants`."""
        if self.variant is not None and self.variants is not None:
            raise PydanticCustomError("both", "variant and variants: give one of them")
        return self

    def options(self, where: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Every variant with its path."""
        if self.variants is None:
            return [(f"{where}.variant", self.variant or {})]
        return [(f"{where}.variants[{i}]", given) for i, given in enumerate(self.variants)]


class BotEntry(Part):
    """A bot with parameters; `mcts:simulations=64` is short for `{bot: mcts, simulations: 64}`."""

    name: str | None = None
    bot: str
    files: Texts = ()  # of a bot in a file, besides
    restart: Literal["match", "run"] = "match"  # when its process, if it has one, ends
    mount: Texts = ()  # what it may read in a sandbox
    network: Texts = ()  # the hosts that it may call from there
    retired: Retired = None  # plays no more; the board keeps it, or drops it
    parameters: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def expand(cls, data: Any) -> Any:
        """A text alone is a bot; keys that are of no bot entry are its parameters."""
        if isinstance(data, str):
            return {"bot": data}
        if not isinstance(data, Mapping):
            return data
        own = {key: data[key] for key in cls.model_fields if key in data and key != "parameters"}
        nested = data.get("parameters") or {}
        if not isinstance(nested, Mapping):
            return {**own, "parameters": nested}
        rest = {key: value for key, value in data.items() if key not in (*own, "parameters")}
        return {**own, "parameters": {**nested, **rest}}


class Anchor(Part):
    """The entrant whose rating is given."""

    bot: str
    elo: Number


class Limits(Part):
    """What every match is bound by; all but `decisions` bind bots that run in child processes."""

    start_seconds: Seconds = 30.0
    decision_seconds: Seconds = 10.0
    match_seconds: Seconds = 600.0
    memory_mb: Annotated[Whole, Field(ge=64)] = 2048
    decisions: Annotated[Whole, Field(ge=1, le=10_000_000)] = (
        20_000  # of a match, forced ones included
    )


MOST_DEALS = 100_000_000


def check_keeping(rule: str) -> str:
    """Say of which matches actions are stored."""
    if not FORM.fullmatch(rule):
        expected = "expected all, none or every N, e.g. every 100"
        raise PydanticCustomError("rule", "{given}, " + expected, {"given": brief(rule)})
    return rule


class TournamentSpec(FormatKeys):
    """A tournament as its config says it."""

    name: Annotated[str, Field(pattern=r"^\w[\w .,+=-]*$", max_length=100)]
    seed: Annotated[Whole, Field(ge=0, lt=1 << 63)] = 0
    salt: Salt | None = (
        None  # a secret that deals follow from too; one is made where bots are contained
    )
    games: Annotated[tuple[GameEntry, ...], Field(min_length=1)]
    bots: Annotated[tuple[BotEntry, ...], Field(min_length=1)]
    schedule: Schedule = "round_robin"
    focus: Texts = ()  # gauntlet: names of entrants
    deals: Annotated[Whole, Field(ge=1, le=MOST_DEALS)] = 100  # blocks of each line-up, or meeting
    anchor: Anchor | None = None
    limits: Limits = Limits()
    clock: ClockEntry | None = None
    # None: the best that works here. none: Python bots play in the worker itself.
    isolation: Literal["sandbox", "process", "none"] | None = None
    mount: Texts = ()  # what all bots may read in a sandbox
    ponder: bool = False  # bots run on between their turns
    # matches in flight beside the workers, whose bots wait for answers from elsewhere
    waiting: Annotated[Whole, Field(ge=1, le=1000)] = 8
    store_actions: Annotated[str, AfterValidator(check_keeping)] = ALL  # of which matches

    @model_validator(mode="after")
    def check_focus(self) -> "TournamentSpec":
        """A gauntlet has a focus, other schedules have none."""
        if self.schedule == "gauntlet" and not self.focus:
            raise PydanticCustomError(
                "focus", "focus: missing, a gauntlet needs the names of its entrants"
            )
        if self.schedule != "gauntlet" and self.focus:
            problem = "focus: only a gauntlet has one, the schedule is {schedule}"
            raise PydanticCustomError("focus", problem, {"schedule": self.schedule})
        return self

    @model_validator(mode="after")
    def check_format(self) -> "TournamentSpec":
        """Keys of formats are of the formats that know them."""
        for key, schedules in KEYS.items():
            if self.schedule not in schedules and key in self.model_fields_set:
                given = {"key": key, "known": ", ".join(schedules), "schedule": self.schedule}
                problem = "{key}: only of {known}, the schedule is {schedule}"
                raise PydanticCustomError("focus", problem, given)
        if self.schedule == "swiss" and self.until and not self.cut:
            problem = "until: in a swiss only of the knockout after it, so only with cut"
            raise PydanticCustomError("focus", problem)
        if self.schedule == "groups" and not self.groups:
            raise PydanticCustomError("focus", "groups: missing, how many there are")
        return self

    @model_validator(mode="after")
    def check_clock(self) -> "TournamentSpec":
        """With a clock no match can be played again as it was, so all must be stored."""
        if self.clock is not None and self.store_actions != ALL:
            problem = (
                "store_actions: {rule}, with a clock expected all: time cannot be played again"
            )
            raise PydanticCustomError("focus", problem, {"rule": self.store_actions})
        return self

    @property
    def rules(self) -> Rules:
        """What the format of a tournament goes by."""
        drawn = self.seeding == "drawn"
        numbers = (self.rounds or 0, self.cut or 0, self.groups or 0, self.advance or 0)
        return Rules(self.schedule, *numbers, drawn)


def read_spec(name: str, settings: Sequence[str] = ()) -> TournamentSpec:
    """The tournament of a config (see `find_config`), or of a run's spec.yaml, with `--set` overrides.

    Raises:
        UserError: one line with the path of the value, or with file and line of invalid YAML.
    """
    path = find_config(name)
    data = read_yaml(path)
    if "tournament" in data and "lineups" in data:  # the record of a run holds its config
        if data.get("people"):
            raise UserError(f"{path}: people played these matches: arena web and no run goes on")
        data = data["tournament"]
    spec = parse_spec({"name": path.stem, **override(data, settings)})
    games = [
        with_components(entry, f"games[{i}]", path.parent) for i, entry in enumerate(spec.games)
    ]
    bots = found_bots(spec.bots, path.parent)
    return spec.model_copy(update={"games": tuple(games), "bots": bots})


def found_bots(entries: Sequence[BotEntry], folder: Path) -> tuple[BotEntry, ...]:
    """The bots of a config in `folder`, their paths as they are found from here."""
    found = []
    for i, entry in enumerate(entries):
        if entry.retired is not None:  # it need not be there any more
            found.append(entry)
            continue
        bot, files, parameters = find_bot(
            entry.bot, entry.files, entry.parameters, folder, f"bots[{i}]"
        )
        changed = {"bot": bot, "files": files, "parameters": parameters}
        found.append(entry.model_copy(update=changed))
    return tuple(found)


def parse_spec(data: Mapping[str, Any]) -> TournamentSpec:
    """The tournament that plain data describes; raises UserError with the path of the value."""
    try:
        return TournamentSpec.model_validate(data)
    except ValidationError as error:
        raise OptionError(explained(error.errors()[0])) from None


def dump(spec: TournamentSpec) -> str:
    """The canonical YAML of a tournament; `parse_spec` reads it back to an equal one."""
    return yaml.safe_dump(plain(spec), sort_keys=False, allow_unicode=True, width=100)


def plain(spec: TournamentSpec) -> dict[str, Any]:
    """A tournament as plain data, defaults filled in."""
    data: dict[str, Any] = {
        "name": spec.name,
        **spec.model_dump(mode="json", exclude_none=True),
    }
    if data["seeding"] == "listed":
        del data["seeding"]
    if data["store_actions"] == ALL:
        del data["store_actions"]
    for part in (data, *data["games"], *data["bots"]):
        for key in ("players", "focus", "parameters", "files", "mount", "network", "ponder"):
            if key in part and not part[key]:
                del part[key]
        if part.get("restart") == "match":
            del part["restart"]
    return data


def public(spec: TournamentSpec) -> dict[str, Any]:
    """A tournament as plain data that may be published: its salt stays in the run folder."""
    data = plain(spec)
    if spec.salt:
        data["salt"] = f"secret, digest {salt_digest(spec.salt)}"
    return data


# --- files of components --------------------------------------------------------------------------


def with_components(entry: GameEntry, where: str, folder: Path) -> GameEntry:
    """A game's entry in which the content of components files stands instead of their names."""
    found = [read_variant(entry.game, given, path, folder) for path, given in entry.options(where)]
    if entry.variants is not None:
        return entry.model_copy(update={"variants": tuple(found)})
    return entry.model_copy(update={"variant": found[0]}) if entry.variant else entry


def read_variant(game: str, given: Mapping[str, Any], where: str, folder: Path) -> dict[str, Any]:
    """Options in which `components: FILE` is replaced by what the file says; other options go before it.

    From here on only the content travels: a stored run, its replay and its workers need no file.

    Raises:
        UserError: with the path of the option, the file, and the path in it.
    """
    if "components" not in given:
        return dict(given)
    read = load_game(game).components
    if read is None:
        raise OptionError(f"{where}.components: {game} has no components files")
    if not isinstance(given["components"], str):
        raise OptionError(f"{where}.components: {given['components']!r}, expected a file")
    file = folder / given["components"]
    try:
        found = read(read_yaml(file, ComponentsLoader, "components"))
    except OptionError as error:
        raise OptionError(f"{where}.components: {file}: {error}") from None
    return {**found, **{name: value for name, value in given.items() if name != "components"}}


# --- a spec without a file ------------------------------------------------------------------------


def match_spec(
    game: str,
    bots: Sequence[str],
    players: int | None = None,
    deals: int = 100,
    seed: int = 0,
    variant: Mapping[str, Any] | None = None,
    opening: int = 0,
    **more: Any,
) -> TournamentSpec:
    """The tournament of `arena match`: a round robin, or self-play where only one bot is given.

    Args:
        players: seats at a table; by default the fewest, from two, that the game allows.
        opening: decisions played at random first.
        more: other fields of a TournamentSpec, e.g. `limits` or `isolation`.

    Raises:
        UserError: names the argument.
    """
    loaded = load_game(game)
    seats = default_players(loaded) if players is None else players
    if seats not in loaded.players:
        raise OptionError(f"players: {seats}, {loaded.title} is for {counts_text(loaded.players)}")
    variant = read_variant(game, variant or {}, "variant", Path())
    loaded.blank_at(seats, parse_options(loaded.Variant, variant, "variant"), "variant")
    distinct = {parse_bot(text).canonical for text in bots}
    single = len(distinct) == 1
    data = {
        "name": "match",
        "seed": seed,
        "games": [{"game": game, "players": [seats], "variant": variant, "opening": opening}],
        "bots": list(bots[:1] if single else bots),
        "schedule": "self_play" if single and seats > 1 else "round_robin",
        "deals": deals,
        **more,
    }
    return parse_spec(data)


def default_players(game: Game) -> int:
    """The fewest players, from two, that a game allows; one where it is for one only."""
    return min((n for n in game.players if n >= 2), default=1)
