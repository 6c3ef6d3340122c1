"""A spec whose games, variants and bots exist: entrants with ids, and the tables they meet at."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.plan.formats.courses import FORMATS, IN_ROUNDS, check_course
from arena.plan.hosts import callable_hosts
from arena.plan.identity import entrant_id, options_text, variant_label
from arena.plan.places import portable_bot, portable_game, readable
from arena.plan.spec import BotEntry, GameEntry, Limits, TournamentSpec, default_players
from arena.plan.wording import counts_text
from bots.compiled import play_digest
from bots.contract import BotSpec
from bots.readers import granting
from bots.registry import DOTTED, SHIPPED, find_bot, parse_bot
from bots.sources import Parcel
from engines.core import Game, changes, load_game, parse_options
from engines.errors import UserError, nearest
from engines.texts import brief, clean, folded

PACKAGES = ("arena", "bots", "engines")
HUMAN = "human"  # who sits where a bot may sit
PROGRAM = "process"  # the bot that is a program in any language
Defaults = Mapping[str, Mapping[str, Any]]  # kind of bot -> options
LONGEST_NAME = 200  # letters; the default name of a longer bot is cut


@dataclass(frozen=True)
class Entrant:
    """A named, configured bot.

    bot: its text without parameters. params: all parameters, defaults too. source_hash: digest of
    its code, "" for a bot shipped here. files: what belongs to a bot in a file besides, relative to that file.
    restart: when its process ends, with a "match" or the "run". mount: what it may read in a sandbox.
    network: the hosts that it may call from there.
    """

    id: str
    name: str
    bot: str
    params: Mapping[str, Any] = field(hash=False)
    source_hash: str = ""
    files: tuple[str, ...] = ()
    restart: str = "match"
    mount: tuple[str, ...] = ()
    network: tuple[str, ...] = ()

    @property
    def foreign(self) -> bool:
        """Whether its code is not from here, so that it plays in a process of its own."""
        return self.bot == PROGRAM or (self.source_hash != "" and self.bot not in SHIPPED)

    def load(self) -> BotSpec:
        """The bot itself; UserError where it is missing or no longer the code that played."""
        spec = parse_bot(self.bot, self.params, self.files, self.source_hash)
        if spec.kind.source_hash != self.source_hash:
            raise UserError(f"bot {self.name!r}: {self.bot} has changed since this run was started")
        return spec

    def parcel(self) -> Parcel | None:
        """The files it consists of, for another machine."""
        spec = self.load() if self.source_hash else None
        if spec is not None and spec.source is not None:
            return Parcel(self.source_hash, spec.source.entry, spec.source.files)
        return Parcel(self.source_hash, "", spec.files) if spec is not None and spec.files else None

    @property
    def shipped(self) -> bool:
        """Whether it is code of this package: it looks for no secrets."""
        ours = self.bot.split(".")[0] in PACKAGES and DOTTED.match(self.bot)
        return bool(ours) or not self.foreign

    @property
    def waits(self) -> bool:
        """Whether its decisions take time and no core."""
        return self.bot in SHIPPED and SHIPPED[self.bot].waits

    @property
    def reproducible(self) -> bool:
        """Whether it has no budget in seconds."""
        return self.params.get("seconds") is None


@dataclass(frozen=True)
class Table:
    """A game, variant and number of players to schedule.

    changes: the variant without its defaults. sides: the side of each seat, numbered as they first
    sit. deals: blocks of each line-up. opening: decisions that are played at random first.
    """

    game: str
    changes: Mapping[str, Any] = field(hash=False)
    players: int
    sides: tuple[int, ...]
    deals: int
    opening: int = 0

    @property
    def label(self) -> str:
        """The table in words."""
        return f"{self.game} ({variant_label(self.changes)}) with {counts_text([self.players])}"


@dataclass(frozen=True)
class Tournament:
    """A spec that has been loaded and checked.

    games: by `Game.name`. game_texts: what `load_game` finds each of them by. fields: by game, who plays it,
    in the order of the spec; a bot that has other options in another game is another entrant there, of the same
    name. defaults: by game, the options that kinds of bots have there. rules: the digest of each game's rules.
    """

    spec: TournamentSpec
    games: Mapping[str, Game] = field(compare=False)
    game_texts: Mapping[str, str]
    fields: Mapping[str, tuple[Entrant, ...]]
    tables: tuple[Table, ...]
    defaults: Mapping[str, Defaults] = field(compare=False)

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """All who play, in the order of the spec."""
        turns = zip(*self.fields.values(), strict=True)
        return tuple({entrant.id: entrant for turn in turns for entrant in turn}.values())

    @property
    def names(self) -> tuple[str, ...]:
        """What the bots of the spec are called, in its order."""
        return tuple(entrant.name for entrant in next(iter(self.fields.values())))

    def ids(self, game: str) -> list[str]:
        """The ids of those who play a game, in the order of the spec."""
        return [entrant.id for entrant in self.fields[game]]

    @property
    def reproducible(self) -> bool:
        """Whether the same spec gives the same matches again."""
        return self.spec.clock is None and all(one.reproducible for one in self.entrants)

    @property
    def strangers(self) -> tuple[str, ...]:
        """The names of contained entrants: the deals of a run that they play must not be guessed."""
        if self.spec.isolation == "none":
            return ()
        names = (entrant.name for entrant in self.entrants if not entrant.shipped)
        return tuple(dict.fromkeys(names))

    @property
    def rules(self) -> dict[str, str]:
        """The digest of each game's rules."""
        return {name: game.rules_digest for name, game in self.games.items()}

    @property
    def plays(self) -> dict[str, dict[str, str]]:
        """For each game and the id of each who plays it the digest of what the entrant plays by."""
        kinds = {entrant.id: entrant.load().kind for entrant in self.entrants}
        return {
            name: {id: play_digest(kinds[id], game) for id in self.ids(name)}
            for name, game in self.games.items()
        }


def resolve(spec: TournamentSpec, kept: Mapping[str, Defaults] | None = None) -> Tournament:
    """Load and check everything a spec names.

    Paths of bots and games below the working folder become relative, so that a run can move.

    Args:
        kept: by game, the options that kinds of bots have there, where not those that the game has now.

    Raises:
        UserError: one line with the path of the value.
    """
    if not playing(spec):
        raise UserError("bots: all of them are retired")
    games: dict[str, Game] = {}
    texts: dict[str, str] = {}
    tables: dict[str, Table] = {}
    for i, entry in enumerate(spec.games):
        game = find_game(entry.game, f"games[{i}].game")
        if games.setdefault(game.name, game).rules_digest != game.rules_digest:
            raise UserError(f"games[{i}].game: {entry.game!r}, two games are named {game.name}")
        for other in games:
            if other != game.name and folded(other) == folded(game.name):
                raise UserError(f"games[{i}].game: {game.name!r} and {other!r} differ in case only")
        texts.setdefault(game.name, portable_game(entry.game))
        for table in make_tables(game, entry, spec.deals, f"games[{i}]"):
            if tables.setdefault(table.label, table) is not table:
                raise UserError(f"games[{i}]: {table.label} stands twice")
    defaults = {name: plain_defaults(game.defaults) for name, game in games.items()}
    defaults |= {name: own for name, own in (kept or {}).items() if name in games}
    fields: dict[str, tuple[Entrant, ...]] = {}
    for name, own in defaults.items():
        alike = next((other for other in fields if defaults[other] == own), None)
        fields[name] = fields[alike] if alike else field_of(spec, own)
    check_schedule(spec, len(playing(spec)), list(tables.values()))
    check_suiting(fields, tables.values(), games)
    return Tournament(portable(spec), games, texts, fields, tuple(tables.values()), defaults)


def field_of(spec: TournamentSpec, defaults: Defaults) -> tuple[Entrant, ...]:
    """The entrants of a game in which kinds of bots have these options."""
    seconds = spec.limits.start_seconds
    entrants = tuple(
        make_entrant(spec.bots[i], f"bots[{i}]", spec.mount, seconds, defaults)
        for i in playing(spec)
    )
    check_entrants(spec, entrants)
    return entrants


def plain_defaults(defaults: Defaults) -> Defaults:
    """Options by kind of bot, as plain data."""
    return {kind: dict(options) for kind, options in defaults.items() if options}


# --- entrants -------------------------------------------------------------------------------------


def make_entrant(
    entry: BotEntry,
    where: str,
    mount: Sequence[str] = (),
    seconds: float = Limits().start_seconds,
    defaults: Defaults | None = None,
) -> Entrant:
    """The entrant of a config's bot.

    Args:
        mount: what all bots may read.
        seconds: for the import of its file.
        defaults: the options that kinds of bots have in a game, unless the config says otherwise.
    """
    places = readable(dict.fromkeys([*mount, *entry.mount]), where)
    try:
        entry.bot.encode()
    except UnicodeEncodeError:
        raise UserError(f"{where}.bot: {brief(entry.bot)}, a path in Unicode is needed") from None
    try:
        with granting(seconds, places):
            _, options, _ = find_bot(entry.bot, entry.files)
            spec = parse_bot(entry.bot, entry.parameters, entry.files)
            told = changes(spec.parameters)
            if defaults and spec.kind.name in defaults:
                spec = parse_bot(entry.bot, entry.parameters, entry.files, defaults=defaults)
    except UserError as error:
        raise UserError(located(error, where)) from None
    kind = spec.kind
    text = portable_bot(entry.bot.removesuffix(options).rstrip(":"))
    if entry.parameters:
        options = options_text(told)
    name = entry.name
    if name is None:
        name = clean(f"{kind.name}:{options}".rstrip(":"), LONGEST_NAME)
    elif not folded(name):
        raise UserError(f"{where}.name: {brief(name)}, expected a name that can be seen")
    elif len(name) > LONGEST_NAME:
        raise UserError(f"{where}.name: {brief(name)}, expected at most {LONGEST_NAME} letters")
    params = asdict(spec.parameters)
    apart = kind.program is not None or kind.outside
    hosts = callable_hosts(entry.network, where, "" if apart else kind.name)
    return Entrant(
        entrant_id(kind.name, spec.settings, kind.source_hash),
        name,
        text,
        params,
        kind.source_hash,
        entry.files,
        entry.restart,
        places,
        hosts,
    )


def playing(spec: TournamentSpec) -> list[int]:
    """The numbers of the bots that are not retired."""
    return [i for i, entry in enumerate(spec.bots) if entry.retired is None]


def retired_names(spec: TournamentSpec) -> set[str]:
    """What retired bots are called; an anchor stays one."""
    return {entry.name or entry.bot for entry in spec.bots if entry.retired is not None}


def located(error: UserError, where: str) -> str:
    """The message of a bot's error with the path of the value in the config."""
    subject, colon, rest = str(error).partition(": ")
    option = subject.rpartition(".")[2]
    if subject.startswith("bot ") or not colon or not option.isidentifier():
        return f"{where}: {error}"
    return f"{where}.{option}: {rest}"


def check_entrants(spec: TournamentSpec, entrants: Sequence[Entrant]) -> None:
    """No two entrants with one name or playing alike; focus and anchor name entrants."""
    numbered = list(zip(playing(spec), entrants, strict=True))
    for own, (i, entrant) in enumerate(numbered):
        for j, other in numbered[:own]:
            if entrant.id == other.id:
                hint = "give it once; schedule: self_play lets a bot meet itself"
                raise UserError(f"bots[{i}]: plays exactly like bots[{j}] ({other.name}), {hint}")
            if entrant.name == other.name:
                raise UserError(f"bots[{i}].name: {entrant.name!r}, bots[{j}] has this name too")
            if folded(entrant.name) == folded(other.name):
                alike = (
                    f"bots[{j}] is {other.name!r}: names must differ in more than case or blanks"
                )
                raise UserError(f"bots[{i}].name: {entrant.name!r}, {alike}")
    names = [entrant.name for entrant in entrants]
    wanted = [(f"focus[{i}]", name) for i, name in enumerate(spec.focus)]
    if spec.anchor is not None and spec.anchor.bot not in retired_names(spec):
        wanted.append(("anchor.bot", spec.anchor.bot))
    if spec.goal is not None and spec.goal.versus is not None:
        wanted.append(("goal.versus", spec.goal.versus))
    for where, name in wanted:
        if name not in names:
            hint = nearest(name, names) or f", known are {', '.join(names)}"
            raise UserError(f"{where}: {name!r}, no entrant has this name{hint}")


# --- tables ---------------------------------------------------------------------------------------


def find_game(text: str, where: str) -> Game:
    """A game, or an error with the path of the value in the config."""
    try:
        return load_game(text)
    except UserError as error:
        raise UserError(f"{where}: {str(error).removeprefix('game ')}") from None


def make_tables(game: Game, entry: GameEntry, deals: int, where: str) -> Iterator[Table]:
    """Every variant of a config's game at every number of players."""
    counts = entry.players or (default_players(game),)
    for path, given in entry.options(where):
        variant: Any = parse_options(game.Variant, given, path)
        for players in counts:
            if players not in game.players:
                allowed = f"{game.title} is for {counts_text(game.players)}"
                raise UserError(f"{where}.players: {players}, {allowed}")
            sides = sides_of(game, players, variant, path)
            yield Table(
                game.name, changes(variant), players, sides, entry.deals or deals, entry.opening
            )


def sides_of(game: Game, players: int, variant: Any, path: str) -> tuple[int, ...]:
    """The side of each seat, numbered in the order in which they first sit."""
    start = game.blank_at(players, variant, path)
    teams = [int(team) for team in start["team"][0][:players]]
    first = list(dict.fromkeys(teams))
    return tuple(first.index(team) for team in teams)


def check_schedule(spec: TournamentSpec, count: int, tables: Sequence[Table]) -> None:
    """Whether there are entrants enough to fill every table."""
    if spec.schedule in IN_ROUNDS:
        for table in tables:
            check_course(spec.rules, count, len(set(table.sides)), table.label)
    if spec.schedule in FORMATS:
        return
    if spec.goal is not None and not (spec.goal.top or 1) < count:
        problem = f"expected 1 to {count - 1}, fewer than there are bots"
        raise UserError(f"goal.top: {spec.goal.top}, {problem}")
    if spec.schedule in ("self_play", "ladder") or all(
        len(set(table.sides)) == 1 for table in tables
    ):
        return
    if count < 2:
        hint = "schedule: self_play lets a bot meet itself"
        raise UserError(f"bots: 1, a {spec.schedule.replace('_', ' ')} needs two at least ({hint})")
    if len(set(spec.focus)) == count:
        raise UserError("focus: every entrant, a gauntlet needs others to play against")


def check_suiting(
    fields: Mapping[str, tuple[Entrant, ...]], tables: Iterable[Table], games: Mapping[str, Game]
) -> None:
    """Whether bots that are for some tables only can play at all of these."""
    loaded = {one.id: one.load().kind.suits for own in fields.values() for one in own}
    for table in tables:
        for entrant in fields[table.game]:
            if (suits := loaded[entrant.id]) is None:
                continue
            game = games[table.game]
            variant: Any = parse_options(game.Variant, table.changes, "variant")
            rules = game.blank(table.players, variant)["rules"].tobytes()
            try:
                suits(game, table.players, rules)
            except UserError as error:
                raise UserError(f"bots: {entrant.name!r}, {error}") from None


def portable(spec: TournamentSpec) -> TournamentSpec:
    """The spec with paths relative to the working folder where they are below it."""
    bots = [entry.model_copy(update={"bot": portable_bot(entry.bot)}) for entry in spec.bots]
    games = [entry.model_copy(update={"game": portable_game(entry.game)}) for entry in spec.games]
    return spec.model_copy(update={"bots": tuple(bots), "games": tuple(games)})
