"""How many results a second one driver takes: 1 000 fake workers against the real driver.

    python benchmarks/many_workers.py [workers] [--seconds 30] [--matches 20] [--game karmaka]

The fake workers are coroutines in two processes: each waits as long as its batch would take to play, then answers with
rows of matches that were really played, under its own deals. All else is real: the feed of batches, Ray's tasks and
objects, the driver's bookkeeping, parts on the disk and their merging. Results a second are of the clock; the driver's
processor seconds (all threads, Ray's too) say what one core could do.
"""

import argparse
import asyncio
import functools
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import ray

from arena.execution import execute as executing
from arena.execution.batches import arrived, batch_of
from arena.execution.run import carry_out, what_remains
from arena.execution.working import play_batch
from arena.plan.schedule import make_blocks, make_lineups
from arena.plan.spec import match_spec
from arena.plan.tournament import resolve

PROCESSES = 2
REPORT = 5.0  # seconds between two lines


@ray.remote(num_cpus=0)
class Players:
    """Many workers that do not play."""

    def __init__(self, conditions, rows, seconds):
        self.conditions, self.rows, self.seconds = conditions, rows, seconds
        self.chance = np.random.default_rng(1)

    async def results_from(self, packed, matches):
        """What `execute.results_from` returns; seconds (of a match) are slept, a third more or less."""
        batch = arrived(self.conditions, matches)
        deals, seats = batch.deals, batch.seats
        spent = self.seconds * len(deals)
        await asyncio.sleep(spent * (0.67 + 0.66 * self.chance.random()))
        take = np.arange(len(deals)) % self.rows.num_rows
        table = self.rows.take(pa.array(take))
        offsets = pa.array(np.arange(len(deals) + 1) * seats.shape[1], pa.int32())
        changed = {
            "deal": pa.array(deals, pa.int32()),
            "seating": pa.ListArray.from_arrays(offsets, pa.array(seats.ravel(), pa.int8())),
        }
        for name, column in changed.items():
            place = table.column_names.index(name)
            table = table.set_column(place, table.schema.field(name), column)
        return executing.streamed(table), spent, "", (), None


def really_played(resolved):
    """A few dozen matches of the line-up, and its conditions."""
    (lineup,) = make_lineups(resolved)
    (left,) = what_remains(resolved, (lineup,), lambda one: (iter(()), 0))
    blocks = make_blocks([lineup])
    matches = [match for _ in range(30) for match in next(blocks).matches()]
    return left.conditions, play_batch(batch_of(left.conditions, matches)).table


def main():
    options = argparse.ArgumentParser()
    options.add_argument("workers", type=int, nargs="?", default=1000)
    options.add_argument("--seconds", type=float, default=30.0)
    options.add_argument("--matches", type=int, default=20, help="that a worker plays in a second")
    options.add_argument("--game", default="karmaka")
    given = options.parse_args()
    resolved = resolve(match_spec(given.game, ["random", "greedy"], 2, 50_000_000, 1, {}))
    conditions, rows = really_played(resolved)
    ray.init(num_cpus=PROCESSES, include_dashboard=False, log_to_driver=False)
    made = [
        Players.options(max_concurrency=2 * given.workers).remote(
            conditions, rows, 1 / given.matches
        )
        for _ in range(PROCESSES)
    ]
    calls = [one.results_from.remote for one in made]
    turn = iter(range(1 << 60))

    def play(*arguments):
        return calls[next(turn) % PROCESSES](*arguments)

    seen = Watched(given.seconds)
    executing.run_on_ray = functools.partial(executing.run_on_ray, play=play)
    folder = Path(tempfile.mkdtemp())
    try:
        done = carry_out(resolved, folder, given.workers, progress=False, judge=seen)
        parts = len(list((folder / "matches").glob("*.parquet")))
        print(
            f"{done.stored:,} matches stored in {parts} parts, none twice: {done.stored == done.played}"
        )
    finally:
        shutil.rmtree(folder)
        ray.shutdown()
    print(f"at the best {seen.best:,.0f} results a second of one core")


class Watched:
    """Counts results, says now and then how many there were, and ends the run."""

    question, columns = None, ("lineup_id",)

    def __init__(self, seconds):
        self.results, self.best = 0, 0.0
        self.left = seconds
        self.began, self.spent = time.monotonic(), time.process_time()
        self.first = 0.0

    @property
    def decided(self):
        return bool(self.first) and time.monotonic() - self.first >= self.left

    def take_stored(self, table):
        """Nothing is stored yet."""

    def take(self, lineup, columns):
        self.results += 1
        self.first = self.first or time.monotonic()
        passed = time.monotonic() - self.began
        if passed >= REPORT:
            spent = time.process_time() - self.spent
            a_core = self.results / spent
            self.best = max(self.best, a_core)
            print(
                f"{self.results / passed:7,.0f} results/s, driver {spent / passed:4.0%} of a core: "
                f"{a_core:,.0f} results/s a core",
                flush=True,
            )
            self.results, self.began, self.spent = 0, time.monotonic(), time.process_time()


if __name__ == "__main__":
    main()
