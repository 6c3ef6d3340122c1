"""Looks through a stored run, row by row: `arena check run`."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from arena.playing.referee import hash_actions
from arena.store.audit import part_flaws
from arena.store.parts import is_sound, open_part, part_files
from arena.store.record import load_spec
from engines.errors import UserError

MOST_TOLD = 20  # flaws of a part


def check_run(folder: Path) -> Iterator[tuple[bool, str]]:
    """Whether the record and each part hold what a run writes, and what is wrong; never writes.

    Raises:
        UserError: no run here, or its record cannot be read.
    """
    record = load_spec(folder)
    yield True, f"spec.yaml: {len(record.entrants)} entrants, {len(record.lineups)} line-ups"
    for path in part_files(folder):
        name = path.relative_to(folder)
        try:
            flaws = [
                f"{name}: {flaw}"
                for flaw in islice(part_flaws(path, record, hash_actions), MOST_TOLD)
            ]
            sound = is_sound(path)
            with open_part(path) as part:
                rows = part.metadata.num_rows
        except UserError as error:
            yield False, str(error)
            continue
        writer = "as its writer left it" if sound else "no checksum vouches for it"
        yield not flaws, "\n".join(flaws) or f"{name}: {rows} matches, all in order, {writer}"
