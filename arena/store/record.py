"""The record of a run, `spec.yaml` in its folder: what is played, by whom, under which rules."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from arena.plan.config import load_yaml
from arena.plan.question import Question
from arena.plan.schedule import LineUp, make_lineups
from arena.plan.spec import TournamentSpec, parse_spec, plain
from arena.plan.tournament import Entrant, Tournament
from arena.store.files import written_whole
from arena.store.parts import FRESH
from arena.store.provenance import (
    Machine,
    code_hash,
    match_command,
    package_version,
    run_command,
    this_machine,
)
from engines.errors import UserError
from engines.texts import folded

RECORD = "spec.yaml"
FORMAT = 2

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
    """How `load_game` finds a game, and the hash of its rules when the run was started."""

    load: str
    rules: str


@dataclass(frozen=True)
class RunRecord:
    """All that a run folder knows besides its matches.

    spec: as last started. games: by name. entrants, lineups: by id, all that ever took part, so
    that every stored match can be read. reproducible: no entrant had a budget in seconds. code,
    machines: the packages' digests and the machines of all drivers, oldest first. question: what
    the run was last to decide, and ended early when it was; None for all of the schedule.
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


def make_record(tournament: Tournament, question: Question | None = None) -> RunRecord:
    """The record of a run that begins."""
    games = {
        name: GameRecord(tournament.game_texts[name], rules)
        for name, rules in tournament.rules.items()
    }
    return RunRecord(
        package_version(),
        tournament.reproducible,
        tournament.spec,
        games,
        {entrant.id: entrant for entrant in tournament.entrants},
        {lineup.id: lineup for lineup in make_lineups(tournament)},
        (code_hash(),),
        (this_machine(),),
        question,
    )


# --- resuming -------------------------------------------------------------------------------------


def extended(stored: RunRecord, new: RunRecord, folder: Path) -> RunRecord:
    """The record of a run that goes on: new entrants, tables and deals join what is stored.

    Raises:
        UserError: stored and new matches would not belong together; one line.
    """
    for problem in conflicts(stored, new):
        raise UserError(f"{folder}: {problem} ({FRESH})")
    lineups = dict(stored.lineups)
    for lineup in new.lineups.values():
        old = lineups.get(lineup.id, lineup)
        lineups[lineup.id] = replace(lineup, deals=max(old.deals, lineup.deals))
    return replace(
        new,
        reproducible=stored.reproducible and new.reproducible,
        games={**stored.games, **new.games},
        entrants={**stored.entrants, **new.entrants},
        lineups=lineups,
        code=tuple(dict.fromkeys([*stored.code, *new.code])),
        machines=tuple(dict.fromkeys([*stored.machines, *new.machines])),
        question=new.question or stored.question,
    )


def conflicts(stored: RunRecord, new: RunRecord) -> list[str]:
    """Why a stored run cannot go on as the new one."""
    found = []
    facts = [
        ("seed", stored.spec.seed, new.spec.seed),
        ("tabletop-arena", stored.version, new.version),
        ("limits.decisions", stored.spec.limits.decisions, new.spec.limits.decisions),
    ]
    if stored.spec.isolation and new.spec.isolation:
        facts.append(("isolation", stored.spec.isolation, new.spec.isolation))
    found += [f"started with {what} {a}, now {b}" for what, a, b in facts if a != b]
    for name, game in new.games.items():
        if name in stored.games and stored.games[name].rules != game.rules:
            found.append(f"the rules of {name} have changed since this run was started")
    for lineup in new.lineups.values():
        old = stored.lineups.get(lineup.id, lineup)
        if old.opening != lineup.opening:
            found.append(f"started with opening {old.opening} in {old.game}, now {lineup.opening}")
            break
    names = {folded(entrant.name): entrant for entrant in stored.entrants.values()}
    for entrant in new.entrants.values():
        known = names.get(folded(entrant.name), entrant)
        if known.id != entrant.id:
            what = "with other parameters or code"
            if known.name != entrant.name:
                what = f"as {known.name!r}, {what}"
            found.append(f"entrant {entrant.name!r} played here {what}, give it another name")
    return found


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
        **({"question": asdict(record.question)} if record.question else {}),
        "tournament": plain(record.spec),
        "games": {name: asdict(game) for name, game in record.games.items()},
        "entrants": [plain_entrant(entrant) for entrant in record.entrants.values()],
        "lineups": [asdict(lineup) for lineup in record.lineups.values()],
    }
    text = yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1000)
    return HEAD + text


def plain_entrant(entrant: Entrant) -> dict[str, Any]:
    """An entrant as plain data; what it has not is left out."""
    data = asdict(entrant)
    if not entrant.files:
        del data["files"]
    return {**data, "files": list(entrant.files)} if entrant.files else data


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
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    if not isinstance(data, dict) or "format" not in data:
        raise UserError(f"{path}: not the record of a run")
    if data["format"] != FORMAT:
        problem = f"stored in format {data['format']}, this version reads {FORMAT}"
        raise UserError(f"{path}: {problem} ({FRESH})")
    try:
        return read_record(data)
    except (KeyError, TypeError, UserError) as error:
        raise UserError(f"{path}: damaged: {error}") from None


def read_record(data: Mapping[str, Any]) -> RunRecord:
    """The record from plain data."""
    entrants = [
        Entrant(**{**entry, **{key: tuple(entry.get(key, ())) for key in ("files", "mount")}})
        for entry in data["entrants"]
    ]
    lineups = [
        LineUp(**{**entry, "entrants": tuple(entry["entrants"]), "sides": tuple(entry["sides"])})
        for entry in data["lineups"]
    ]
    return RunRecord(
        data["version"],
        data["reproducible"],
        parse_spec(data["tournament"]),
        {name: GameRecord(**entry) for name, entry in data["games"].items()},
        {entrant.id: entrant for entrant in entrants},
        {lineup.id: lineup for lineup in lineups},
        tuple(data["code"]),
        tuple(Machine(**entry) for entry in data["machines"]),
        read_question(data["question"]) if "question" in data else None,
    )


def read_question(data: Mapping[str, Any]) -> Question:
    """What a run is to decide from plain data."""
    return Question(**{**data, "elo": tuple(data["elo"]) if data["elo"] else None})
