"""What a run settles before it plays, once and for all its matches: how its bots are kept apart."""

import sys
from dataclasses import replace
from pathlib import Path

from arena.plan.tournament import Tournament
from arena.playing.containment.isolation import chosen, warning
from arena.store.record import RECORD, load_spec
from bots.endpoint import told_of_endpoint


def settled(tournament: Tournament, folder: Path, fresh: bool) -> Tournament:
    """The tournament with its isolation: as its config says, as its run began, or the best that works.

    Where bots are trusted, or ask other hosts, one line on stderr says so.

    Raises:
        UserError: the isolation cannot be had here.
    """
    spec = tournament.spec
    for entrant in tournament.entrants:
        if entrant.waits:
            print(f"{entrant.name}: {told_of_endpoint(entrant.params)}", file=sys.stderr)
    if not any(entrant.foreign for entrant in tournament.entrants):
        return tournament
    stored = load_spec(folder) if not fresh and (folder / RECORD).exists() else None
    wanted = spec.isolation or (stored.spec.isolation if stored else None)
    isolation = chosen(wanted)
    if line := warning(isolation, spec.isolation):
        print(line, file=sys.stderr)
    return replace(tournament, spec=spec.model_copy(update={"isolation": isolation}))
