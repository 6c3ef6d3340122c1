"""What a run settles before it plays, once and for all its matches: how its bots are kept apart."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arena.plan.hosts import calls_text
from arena.plan.tournament import Tournament
from arena.playing.containment.isolation import CALLS_NEED, chosen, warning
from arena.store.record import RECORD, load_spec
from bots.endpoint import told_of_endpoint
from engines.errors import UserError


def settled(tournament: Tournament, folder: Path, fresh: bool) -> Tournament:
    """The tournament with its isolation: as its config says, as its run began, or the best that works.

    Where bots are trusted, or ask other hosts, one line on stderr says so.

    Raises:
        UserError: the isolation cannot be had here.
    """
    spec = tournament.spec
    for line in callers(tournament):
        print(line, file=sys.stderr)
    if not any(entrant.foreign for entrant in tournament.entrants):
        return tournament
    stored = load_spec(folder) if not fresh and (folder / RECORD).exists() else None
    wanted = spec.isolation or (stored.spec.isolation if stored else None)
    isolation = chosen(wanted)
    line = warning(isolation, spec.isolation)
    if isolation != "sandbox":
        for entrant in tournament.entrants:
            if entrant.network:
                raise UserError(f"bot {entrant.name!r}: {CALLS_NEED}; {line}")
    if line:
        print(line, file=sys.stderr)
    return replace(tournament, spec=spec.model_copy(update={"isolation": isolation}))


def callers(tournament: Tournament) -> Iterator[str]:
    """A line for each entrant that asks other hosts, or may."""
    for entrant in tournament.entrants:
        if entrant.waits:
            yield f"{entrant.name}: {told_of_endpoint(entrant.params)}"
        if entrant.network:
            yield f"{entrant.name}: {calls_text(entrant.network)}"
