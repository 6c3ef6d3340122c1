"""The tournament of a spec as a stored run goes on with it: by the options that bots had there when it began."""

from pathlib import Path

from arena.plan.spec import TournamentSpec
from arena.plan.tournament import Tournament, resolve
from arena.store.record import RECORD, load_spec


def resolved(spec: TournamentSpec, folder: Path, fresh: bool = False) -> Tournament:
    """The tournament of a spec, to be played in a folder.

    A run that the folder holds keeps the options that its games gave to bots, so that its bots stay who they are.

    Raises:
        UserError: one line with the path of the value, or why the run cannot be read.
    """
    if fresh or not (folder / RECORD).exists():
        return resolve(spec)
    return resolve(spec, {name: game.defaults for name, game in load_spec(folder).games.items()})
