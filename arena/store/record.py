"""The record of a run, `spec.yaml` in its folder: what is played, by whom, under which rules."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import yaml

from arena.plan.config import load_yaml
from arena.plan.formats.courses import FORMATS, IN_ROUNDS
from arena.plan.identity import lineup_id, new_salt, salt_digest
from arena.plan.question import Question
from arena.plan.schedule import LineUp, make_lineups
from arena.plan.spec import MOST_DEALS, TournamentSpec, parse_spec, plain
from arena.plan.tournament import Entrant, Tournament
from arena.store.files import reason_of, written_whole
from arena.store.parts import FRESH
from arena.store.provenance import (
    Machine,
    code_hash,
    match_command,
    package_version,
    run_command,
    this_machine,
)
from engines.core import load_game
from engines.errors import UserError
from engines.texts import brief, folded

RECORD = "spec.yaml"
FORMAT = 2
KINDS: dict[str, Any] = {
    "str": (str, "a word"),
    "int": (int, "a whole number"),
    "bool": (bool, "true or false"),
}

T = TypeVar("T")

APART = "matches of people and matches of bots alone are runs apart"
PEOPLES_HEAD = "# The record of matches that people have played, kept by tabletop-arena.\n"
HEAD = f"""\
# The record of a run, kept by tabletop-arena. With RUN for this folder, and where it was started:
#   all of it again:    {run_command("RUN")}
#   one match again:    {match_command("RUN")}
"""

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Plain YAML without anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal values out each time."""
        return True


@dataclass(frozen=True)
class GameRecord:
    """How `load_game` finds a game, and the digests of its rules and of what each entrant plays by.

    plays: by id of those who play it; empty in runs that were stored before it was kept. defaults: the options that
    kinds of bots have in it; none in runs that were stored before games had some.
    """

    load: str
    rules: str
    plays: Mapping[str, str] = field(default_factory=dict, hash=False)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)

    def has_rules_of(self, other: "GameRecord") -> bool:
        """Whether matches of both were played by the same rules."""
        try:
            game = load_game(other.load)
        except UserError:
            return self.rules == other.rules
        same = game.has_rules(self.rules) and game.has_rules(other.rules)
        return same or self.rules == other.rules

    def changed(self, other: "GameRecord") -> list[str]:
        """The ids of the entrants of both that do not play by the same code."""
        return [
            one for one in self.plays if other.plays.get(one, self.plays[one]) != self.plays[one]
        ]

    def joined(self, other: "GameRecord") -> "GameRecord":
        """The later record with the entrants of both."""
        return replace(other, plays={**self.plays, **other.plays})


@dataclass(frozen=True)
class RunRecord:
    """All that a run folder knows besides its matches.

    spec: as last started. games: by name. entrants, lineups: by id, all that ever took part, so
    that every stored match can be read. reproducible: no entrant had a budget in seconds. code,
    machines: the packages' digests and the machines of all drivers, oldest first. question: what
    the run was last to decide, and ended early when it was; None for all of the schedule. seeds: the
    entrants of a format, in the order of the config; of any run those that play on where some do not.
    people: its matches were played at tables, some seats by people: nobody can play them again.
    """

    version: str
    reproducible: bool
    spec: TournamentSpec
    games: Mapping[str, GameRecord]
    entrants: Mapping[str, Entrant]
    lineups: Mapping[str, LineUp]
    code: tuple[str, ...] = ()
    machines: tuple[Machine, ...] = ()
    question: Question | None = None
    seeds: tuple[str, ...] = ()
    people: bool = False

    def seeds_of(self, game: str) -> tuple[str, ...]:
        """Those of the seeds that play a game."""
        return tuple(one for one in self.seeds if self.plays(one, game))

    def plays(self, entrant: str, game: str) -> bool:
        """Whether an entrant is one of those that play a game."""
        plays = self.games[game].plays
        return not plays or entrant in plays

    def namesakes(self, name: str, games: Iterable[str]) -> set[str]:
        """The ids of those of this name, up to case and blanks, that play one of the games."""
        wanted = folded(name)
        alike = [one.id for one in self.entrants.values() if folded(one.name) == wanted]
        return {one for game in games for one in alike if self.plays(one, game)}


def make_record(tournament: Tournament, question: Question | None = None) -> RunRecord:
    """The record of a run that begins."""
    plays = tournament.plays
    games = {
        name: GameRecord(tournament.game_texts[name], rules, plays[name], tournament.defaults[name])
        for name, rules in tournament.rules.items()
    }
    return RunRecord(
        package_version(),
        tournament.reproducible,
        tournament.spec,
        games,
        {entrant.id: entrant for entrant in tournament.entrants},
        {}
        if tournament.spec.schedule in IN_ROUNDS  # they join when they are due
        else {lineup.id: lineup for lineup in make_lineups(tournament)},
        (code_hash(),),
        (this_machine(),),
        question,
        tuple(entrant.id for entrant in tournament.entrants)
        if tournament.spec.schedule in FORMATS
        else (),
    )


def joined(record: RunRecord, lineups: Iterable[LineUp]) -> RunRecord:
    """A record with these line-ups besides; one that is there keeps its deals if it has more."""
    found = dict(record.lineups)
    for lineup in lineups:
        old = found.get(lineup.id, lineup)
        found[lineup.id] = replace(lineup, deals=max(old.deals, lineup.deals))
    return replace(record, lineups=found)


def salt_text(spec: TournamentSpec) -> str:
    """The salt of a run in words that do not tell it."""
    return f"salt {salt_digest(spec.salt)}" if spec.salt else "no salt"


def chance_text(spec: TournamentSpec) -> str:
    """What all chance of a run follows from: its seed, and the digest of its salt."""
    return f"seed {spec.seed}{f', secret {salt_text(spec)}' if spec.salt else ''}"


def salted(record: RunRecord) -> RunRecord:
    """The record of a run that begins, with a salt of its own."""
    return replace(record, spec=record.spec.model_copy(update={"salt": new_salt()}))


# --- the file -------------------------------------------------------------------------------------


def write_record(folder: Path, record: RunRecord) -> None:
    """Write spec.yaml in one step, if it changes."""
    path, content = folder / RECORD, record_text(record).encode()
    if path.exists() and path.read_bytes() == content:
        return
    with written_whole(path) as file:
        file.write(content)


def record_text(record: RunRecord) -> str:
    """The record as YAML."""
    data = {
        "format": FORMAT,
        "version": record.version,
        "code": list(record.code),
        "machines": [asdict(machine) for machine in record.machines],
        "reproducible": record.reproducible,
        **({"salt_digest": salt_digest(record.spec.salt)} if record.spec.salt else {}),
        **({"question": plain_question(record.question)} if record.question else {}),
        **({"seeds": list(record.seeds)} if record.seeds else {}),
        **({"people": True} if record.people else {}),
        "tournament": plain(record.spec),
        "games": {name: asdict(game) for name, game in record.games.items()},
        "entrants": [plain_entrant(entrant) for entrant in record.entrants.values()],
        "lineups": [asdict(lineup) for lineup in record.lineups.values()],
    }
    text = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1000)
    return (PEOPLES_HEAD if record.people else HEAD) + text


def plain_question(question: Question) -> dict[str, Any]:
    """What a run is to decide as plain data."""
    return {name: value for name, value in asdict(question).items() if name != "top" or value}


def plain_entrant(entrant: Entrant) -> dict[str, Any]:
    """An entrant as plain data; what it has not is left out."""
    data = asdict(entrant)
    for key in ("files", "network"):
        own = list(data.pop(key))
        data |= {key: own} if own else {}
    return data


def load_spec(folder: Path | str) -> RunRecord:
    """The record of a run folder.

    Raises:
        UserError: the folder holds no run, or one of another format.
    """
    path = Path(folder) / RECORD
    try:
        data = load_yaml(path.read_text(encoding="utf-8"), Loader)
    except FileNotFoundError:
        raise UserError(f"{folder}: no run here (it has no {RECORD})") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {reason_of(error)}") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    if not isinstance(data, dict) or "format" not in data:
        raise UserError(f"{path}: not the record of a run")
    if data["format"] != FORMAT:
        problem = f"stored in format {data['format']}, this version reads {FORMAT}"
        raise UserError(f"{path}: {problem} ({FRESH})")
    try:
        return read_record(data)
    except KeyError as error:
        raise UserError(f"{path}: damaged: {error} is missing") from None
    except (AttributeError, TypeError, ValueError, UserError) as error:
        raise UserError(f"{path}: damaged: {error}") from None


def read_record(data: Mapping[str, Any]) -> RunRecord:
    """The record from plain data."""
    spec = parse_spec(data["tournament"])
    if data.get("salt_digest") != (salt_digest(spec.salt) if spec.salt else None):
        raise UserError("its salt is not the one that its matches were played with")
    entrants = [
        made(
            Entrant,
            {**entry, **{key: tuple(entry.get(key, ())) for key in ("files", "mount", "network")}},
        )
        for entry in data["entrants"]
    ]
    lineups = [
        made(LineUp, {**entry, **{key: tuple(entry[key]) for key in ("entrants", "sides")}})
        for entry in data["lineups"]
    ]
    record = RunRecord(
        str(data["version"]),
        bool(data["reproducible"]),
        spec,
        {str(name): made(GameRecord, entry) for name, entry in data["games"].items()},
        {entrant.id: entrant for entrant in entrants},
        {lineup.id: lineup for lineup in lineups},
        tuple(map(str, data["code"])),
        tuple(made(Machine, entry) for entry in data["machines"]),
        read_question(data["question"]) if "question" in data else None,
        tuple(map(str, data.get("seeds", ()))),
        data.get("people") is True,
    )
    if odd := [one for one in record.seeds if one not in record.entrants]:
        raise ValueError(f"seeds: {brief(odd[0])}, not an entrant of this run")
    check_lineups(record)
    return record


def made(cls: type[T], entry: Any) -> T:
    """A piece of the record whose words are words and whose numbers are numbers."""
    if not isinstance(entry, Mapping):
        raise TypeError(f"{brief(entry)}, expected a mapping")
    piece = cls(**entry)
    for one in fields(piece):  # type: ignore[arg-type]
        kind, wanted = KINDS.get(getattr(one.type, "__name__", ""), ((Mapping, tuple), "a mapping"))
        value = getattr(piece, one.name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError(f"{one.name}: {brief(value)}, expected {wanted}")
    return piece


def check_lineups(record: RunRecord) -> None:
    """Whether line-ups are of games and entrants of the record, and have the ids of their content.

    Raises:
        ValueError: names the line-up and what is wrong with it.
    """
    for number, lineup in enumerate(record.lineups.values()):
        strangers = [one for one in lineup.entrants if one not in record.entrants]
        problem = ""
        if lineup.game not in record.games:
            problem = f"game: {brief(lineup.game)}, not a game of this run"
        elif strangers:
            problem = f"entrants: {brief(strangers[0])}, not an entrant of this run"
        elif not 1 <= lineup.deals <= MOST_DEALS or lineup.opening < 0:
            problem = f"deals: {lineup.deals}, opening: {lineup.opening}, out of range"
        elif len(lineup.sides) != lineup.players or len(set(lineup.sides)) != len(lineup.entrants):
            problem = (
                f"sides: {brief(lineup.sides)}, expected one for each of {lineup.players} seats"
            )
        elif lineup.id != lineup_id(lineup.game, lineup.variant, lineup.players, lineup.entrants):
            problem = f"id: {brief(lineup.id)}, not the id of what it holds"
        if problem:
            raise ValueError(f"lineups[{number}].{problem}")


def read_question(data: Mapping[str, Any]) -> Question:
    """What a run is to decide from plain data."""
    return Question(**{**data, "elo": tuple(data["elo"]) if data["elo"] else None})
