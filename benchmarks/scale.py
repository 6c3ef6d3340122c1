"""What a very large run would cost its driver: sizes and rates measured on a smaller one.

    python benchmarks/scale.py [matches]

Results of real Karmaka and Connect Four matches between random bots, under new ids, go the way of a
run: as objects between processes, into tables, into parts, out of them again on resume and report.
"""

import pickle
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from arena.execution.batches import batch_of
from arena.execution.run import what_remains
from arena.execution.working import play_batch
from arena.plan.schedule import make_blocks, make_lineups
from arena.plan.spec import match_spec
from arena.plan.tournament import resolve
from arena.results.report import make_tables
from arena.store.parts import part_files
from arena.store.run_folder import open_run, table_from_columns

BATCH = 1000


def memory():
    """Megabytes that this process has used at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def matches_of(lineup):
    return (match for block in make_blocks([lineup]) for match in block.matches()), lineup.deals * 2


def measure(game, count, root):
    tournament = resolve(match_spec(game, ["random", "greedy"], None, count // 2, 1, {}))
    (lineup,) = make_lineups(tournament)
    (group,) = what_remains(tournament, (lineup,), matches_of)
    began = time.perf_counter()
    matches = list(matches_of(lineup)[0])
    print(f"{game}: {count / (time.perf_counter() - began):,.0f} matches/s scheduled")
    outcome = play_batch(batch_of(group.conditions, tuple(matches[:BATCH])))
    size = len(pickle.dumps((outcome.columns, outcome.seconds), protocol=5)) / BATCH
    print(f"{game}: {size:,.0f} bytes a match from worker to driver")
    began, folder = time.perf_counter(), root / game
    with open_run(folder, tournament) as run:
        for first in range(0, count, BATCH):
            own = matches[first : first + BATCH]
            columns = {**outcome.columns, "match_id": [match.match_id for match in own]}
            columns["deal"] = np.array([match.deal for match in own], np.int32)
            columns["actions_hash"] = np.arange(first, first + BATCH, dtype=np.uint64)
            run.append(table_from_columns(columns))
        run.flush()
        spent = time.perf_counter() - began
        stored = sum(path.stat().st_size for path in part_files(folder))
        began = time.perf_counter()
    merge = time.perf_counter() - began
    print(
        f"{game}: {count / spent:,.0f} matches/s taken in and written, {stored / count:.0f} bytes each"
    )
    print(f"{game}: merged in {merge:.1f} s")
    before, began = memory(), time.perf_counter()
    with open_run(folder, tournament) as run:
        assert run.missing_of(lineup)[1] == 0
        opened = time.perf_counter() - began
        assert not list(run.missing_of(lineup)[0])
    whole = time.perf_counter() - began
    print(f"{game}: resumed in {opened:.1f} s, all blocks compared after {whole:.1f} s")
    began = time.perf_counter()
    make_tables(folder)
    print(
        f"{game}: tables in {time.perf_counter() - began:.1f} s; memory at most {before:.0f} MB "
        f"before the resume, {memory():.0f} MB after the tables"
    )


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        for game in ("karmaka", "connect_four"):
            measure(game, count, Path(folder))


if __name__ == "__main__":
    main()
