"""A stored run that goes on: what joins it, and what would not belong together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.store.parts import FRESH
from arena.store.record import APART, GameRecord, RunRecord, joined, salt_text
from engines.errors import UserError


def extended(stored: RunRecord, new: RunRecord, folder: Path) -> RunRecord:
    """The record of a run that goes on: new entrants, tables and deals join what is stored.

    Raises:
        UserError: stored and new matches would not belong together; one line.
    """
    for problem in conflicts(stored, new):
        raise UserError(f"{folder}: {problem} ({FRESH})")
    spec = new.spec.model_copy(update={"salt": stored.spec.salt})
    return replace(
        new,
        spec=spec,
        reproducible=stored.reproducible and new.reproducible,
        games=joined_games(stored.games, new.games),
        entrants={**stored.entrants, **new.entrants},
        lineups=joined(stored, new.lineups.values()).lineups,
        code=tuple(dict.fromkeys([*stored.code, *new.code])),
        machines=tuple(dict.fromkeys([*stored.machines, *new.machines])),
        question=new.question or stored.question,
        seeds=new.seeds
        or (tuple(new.entrants) if set(stored.entrants) - set(new.entrants) else ()),
    )


def conflicts(stored: RunRecord, new: RunRecord) -> list[str]:
    """Why a stored run cannot go on as the new one."""
    found = [] if stored.people == new.people else [APART]
    facts: list[tuple[str, Any, Any]] = [
        ("seed", stored.spec.seed, new.spec.seed),
        ("limits.decisions", stored.spec.limits.decisions, new.spec.limits.decisions),
        ("store_actions", stored.spec.store_actions, new.spec.store_actions),
    ]
    if stored.spec.isolation and new.spec.isolation:
        facts.append(("isolation", stored.spec.isolation, new.spec.isolation))
    found += [f"started with {what} {a}, now {b}" for what, a, b in facts if a != b]
    if new.spec.salt and new.spec.salt != stored.spec.salt:
        found.append(f"started with {salt_text(stored.spec)}, now {salt_text(new.spec)}")
    for name, game in new.games.items():
        old_game = stored.games.get(name, game)
        if not old_game.has_rules_of(game):
            found.append(f"the rules of {name} have changed since this run was started")
        changed = [stored.entrants[one].name for one in old_game.changed(game)]
        found += [f"{name}: {changed_text(changed)} since this run was started"] if changed else []
    for lineup in new.lineups.values():
        old = stored.lineups.get(lineup.id, lineup)
        if old.opening != lineup.opening:
            found.append(f"started with opening {old.opening} in {old.game}, now {lineup.opening}")
            break
    for entrant in new.entrants.values():
        games = [name for name in new.games if name in stored.games and new.plays(entrant.id, name)]
        known = stored.namesakes(entrant.name, games)
        if known and entrant.id not in known:
            what = "with other parameters or code"
            other = stored.entrants[min(known)].name
            if other != entrant.name:
                what = f"as {other!r}, {what}"
            found.append(f"entrant {entrant.name!r} played here {what}, give it another name")
    return found


def changed_text(names: Sequence[str]) -> str:
    """That entrants are others now although their names and parameters are not."""
    verb = "plays" if len(names) == 1 else "play"
    return (
        f"{' and '.join(map(repr, names))} {verb} otherwise (their code, the game's heuristic or "
        "what it shows them has changed): other entrants"
    )


def joined_games(
    old: Mapping[str, GameRecord], new: Mapping[str, GameRecord]
) -> dict[str, GameRecord]:
    """The games of two records, of those in both the later with the entrants of both."""
    both = {name: old[name].joined(game) for name, game in new.items() if name in old}
    return {**old, **new, **both}
