"""A spec whose games, variants and bots exist: entrants with ids, and the tables they meet at."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.plan.formats.courses import FORMATS, check_course
from arena.plan.identity import entrant_id, options_text, variant_label
from arena.plan.spec import BotEntry, GameEntry, Limits, TournamentSpec, default_players
from arena.plan.wording import counts_text
from bots.compiled import play_digest
from bots.contract import BotSpec
from bots.readers import granting
from bots.registry import DOTTED, find_bot, parse_bot, path_in
from bots.sources import Parcel
from engines.core import Game, changes, game_names, load_game, parse_options
from engines.errors import UserError, nearest
from engines.texts import brief, clean, folded

PACKAGES = ("arena", "bots", "engines")
HUMAN = "human"  # who sits where a bot may sit
PROGRAM = "process"  # the bot that is a program in any language
LONGEST_NAME = 200  # letters; the default name of a longer bot is cut


@dataclass(frozen=True)
class Entrant:
    """A named, configured bot.

    bot: its text without parameters. params: all parameters, defaults too. source_hash: digest of
    its code, "" for a bot shipped here. files: what belongs to a bot in a file besides, relative to that file.
    restart: when its process ends, with a "match" or the "run". mount: what it may read in a sandbox.
    """

    id: str
    name: str
    bot: str
    params: Mapping[str, Any] = field(hash=False)
    source_hash: str = ""
    files: tuple[str, ...] = ()
    restart: str = "match"
    mount: tuple[str, ...] = ()

    @property
    def foreign(self) -> bool:
        """Whether its code is not from here, so that it plays in a process of its own."""
        return self.source_hash != "" or self.bot == PROGRAM

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

    games: by `Game.name`. game_texts: what `load_game` finds each of them by. entrants: in the
    order of the spec. rules: the digest of each game's rules.
    """

    spec: TournamentSpec
    games: Mapping[str, Game] = field(compare=False)
    game_texts: Mapping[str, str]
    entrants: tuple[Entrant, ...]
    tables: tuple[Table, ...]

    @property
    def reproducible(self) -> bool:
        """Whether the same spec gives the same matches again."""
        return all(entrant.reproducible for entrant in self.entrants)

    @property
    def strangers(self) -> tuple[str, ...]:
        """The names of contained entrants: the deals of a run that they play must not be guessed."""
        if self.spec.isolation == "none":
            return ()
        return tuple(entrant.name for entrant in self.entrants if not entrant.shipped)

    @property
    def rules(self) -> dict[str, str]:
        """The digest of each game's rules."""
        return {name: game.rules_digest for name, game in self.games.items()}

    @property
    def plays(self) -> dict[str, dict[str, str]]:
        """For each game and each entrant's id the digest of what the entrant plays by."""
        kinds = {entrant.id: entrant.load().kind for entrant in self.entrants}
        return {
            name: {id: play_digest(kind, game) for id, kind in kinds.items()}
            for name, game in self.games.items()
        }


def resolve(spec: TournamentSpec) -> Tournament:
    """Load and check everything a spec names.

    Paths of bots and games below the working folder become relative, so that a run can move.

    Raises:
        UserError: one line with the path of the value.
    """
    entrants = tuple(
        make_entrant(entry, f"bots[{i}]", spec.mount, spec.limits.start_seconds)
        for i, entry in enumerate(spec.bots)
        if entry.retired is None
    )
    if not entrants:
        raise UserError("bots: all of them are retired")
    check_entrants(spec, entrants)
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
    check_schedule(spec, entrants, list(tables.values()))
    return Tournament(portable(spec), games, texts, entrants, tuple(tables.values()))


# --- entrants -------------------------------------------------------------------------------------


def make_entrant(
    entry: BotEntry, where: str, mount: Sequence[str] = (), seconds: float = Limits().start_seconds
) -> Entrant:
    """The entrant of a config's bot; `mount`: what all bots may read, `seconds`: for the import of its file."""
    places = readable(dict.fromkeys([*mount, *entry.mount]), where)
    try:
        entry.bot.encode()
    except UnicodeEncodeError:
        raise UserError(f"{where}.bot: {brief(entry.bot)}, a path in Unicode is needed") from None
    try:
        with granting(seconds, places):
            _, options, _ = find_bot(entry.bot, entry.files)
            spec = parse_bot(entry.bot, entry.parameters, entry.files)
    except UserError as error:
        raise UserError(located(error, where)) from None
    kind = spec.kind
    text = portable_bot(entry.bot.removesuffix(options).rstrip(":"))
    if entry.parameters:
        options = options_text(changes(spec.parameters))
    name = entry.name
    if name is None:
        name = clean(f"{kind.name}:{options}".rstrip(":"), LONGEST_NAME)
    elif not folded(name):
        raise UserError(f"{where}.name: {brief(name)}, expected a name that can be seen")
    elif len(name) > LONGEST_NAME:
        raise UserError(f"{where}.name: {brief(name)}, expected at most {LONGEST_NAME} letters")
    params = asdict(spec.parameters)
    return Entrant(
        entrant_id(kind.name, params, kind.source_hash),
        name,
        text,
        params,
        kind.source_hash,
        entry.files,
        entry.restart,
        places,
    )


def playing(spec: TournamentSpec) -> list[int]:
    """The numbers of the bots that are not retired."""
    return [i for i, entry in enumerate(spec.bots) if entry.retired is None]


def retired_names(spec: TournamentSpec) -> set[str]:
    """What retired bots are called; an anchor stays one."""
    return {entry.name or entry.bot for entry in spec.bots if entry.retired is not None}


def readable(paths: Iterable[str], where: str) -> tuple[str, ...]:
    """Paths that a sandbox is to show, all of them there."""
    for path in paths:
        if not Path(path).exists():
            raise UserError(f"{where}.mount: {path!r}, no such file or folder")
    return tuple(portable_path(path) for path in paths)


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


def check_schedule(
    spec: TournamentSpec, entrants: Sequence[Entrant], tables: Sequence[Table]
) -> None:
    """Whether there are entrants enough to fill every table."""
    if spec.schedule in FORMATS:
        for table in tables:
            check_course(spec.rules, len(entrants), len(set(table.sides)), table.label)
        return
    if spec.goal is not None and not (spec.goal.top or 1) < len(entrants):
        problem = f"expected 1 to {len(entrants) - 1}, fewer than there are bots"
        raise UserError(f"goal.top: {spec.goal.top}, {problem}")
    if spec.schedule in ("self_play", "ladder") or all(
        len(set(table.sides)) == 1 for table in tables
    ):
        return
    if len(entrants) < 2:
        hint = "schedule: self_play lets a bot meet itself"
        raise UserError(f"bots: 1, a {spec.schedule.replace('_', ' ')} needs two at least ({hint})")
    if len(set(spec.focus)) == len(entrants):
        raise UserError("focus: every entrant, a gauntlet needs others to play against")


# --- paths that travel ----------------------------------------------------------------------------


def portable(spec: TournamentSpec) -> TournamentSpec:
    """The spec with paths relative to the working folder where they are below it."""
    bots = [entry.model_copy(update={"bot": portable_bot(entry.bot)}) for entry in spec.bots]
    games = [entry.model_copy(update={"game": portable_game(entry.game)}) for entry in spec.games]
    return spec.model_copy(update={"bots": tuple(bots), "games": tuple(games)})


def portable_bot(text: str) -> str:
    """The text of a bot, its file as `portable_path`."""
    found = path_in(text)
    return portable_path(found[0]) + found[1] if found else text


def portable_game(text: str) -> str:
    """The text of a game, its folder as `portable_path`."""
    return text if text in game_names() else portable_path(text)


def portable_path(text: str) -> str:
    """A path relative to the working folder if it is below it, else absolute."""
    path = Path(text).resolve()
    here = Path.cwd()
    if not path.is_relative_to(here):
        return str(path)
    relative = str(path.relative_to(here))
    return relative if os.sep in relative or relative.endswith(".py") else f".{os.sep}{relative}"
