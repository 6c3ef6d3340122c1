"""The runner's cost: matches a second end to end against what the referee alone would do, and the driver's memory.

    python benchmarks/runner.py [seconds]

1. Karmaka, mcts:simulations=100 against itself, 2 workers: share of what two bare referee processes reach at the same
   time, measured before and after (two processes that share a physical core do not make twice the rate of one).
2. Karmaka, random bots, actions stored: matches a second end to end.
3. 100 000 Connect Four matches of random bots, stored and put into tables (the start of Ray excluded).
4. Start-up: `arena --help`, and a warm short match without workers.
"""

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from arena.authoring.bench import referee_rate
from arena.execution.batches import Feed
from arena.execution.compiling import compile_games
from arena.execution.execute import ray_started, run_on_ray
from arena.execution.run import what_remains
from arena.plan.schedule import make_lineups
from arena.plan.spec import match_spec
from arena.plan.tournament import resolve
from arena.results.report import write_tables
from arena.store.run_folder import open_run, table_from_columns
from engines.core import load_game

WORKERS = 2


def played(folder, game, bots, deals, seconds):
    """(matches, seconds from the first result to the last, seconds for the tables)."""
    tournament = resolve(match_spec(game, bots, None, deals, 1, {}))
    lineups = make_lineups(tournament)
    with open_run(folder, tournament) as run:
        stored, first = 0, None
        for outcome in run_on_ray(Feed(what_remains(tournament, lineups, run.missing_of)), WORKERS):
            if outcome is None:
                continue
            run.append(table_from_columns(outcome.columns))
            if first is None:
                first = time.perf_counter()  # workers have loaded their code
            else:
                stored += len(outcome.batch)
            if time.perf_counter() - first > seconds:
                break
        spent = time.perf_counter() - first
    began = time.perf_counter()
    write_tables(folder)
    return stored, spent, time.perf_counter() - began


def one_rate(name):
    """Matches a second of the referee in this process."""
    return referee_rate(load_game(name), 2, "mcts:simulations=100", 5.0)


def bare_rate(name):
    """What WORKERS bare processes make together."""
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        return sum(pool.map(one_rate, [name] * WORKERS))


def private_memory():
    """Megabytes of this process that no other shares."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) / 1024


def start_up():
    """Seconds of two commands, medians of five."""
    program = str(Path(sys.executable).with_name("arena"))
    short = ["match", "connect_four", "random", "random", "--deals", "10", "--workers", "0"]
    for name, arguments in (("arena --help", ["--help"]), ("arena " + " ".join(short), short)):
        times = []
        for number in range(6):
            with tempfile.TemporaryDirectory() as folder:
                out = [] if arguments == ["--help"] else ["--out", folder]
                began = time.perf_counter()
                subprocess.run([program, *arguments, *out], check=True, capture_output=True)
                if number:  # the first one fills the cache
                    times.append(time.perf_counter() - began)
        print(f"{name}: {median(times):.2f} s")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    karmaka = load_game("karmaka")
    for game in ("karmaka", "connect_four"):
        tournament = resolve(match_spec(game, ["random"], None, 1, 1, {}))
        left = what_remains(tournament, make_lineups(tournament), lambda lineup: (iter(()), 0))
        compile_games([group.conditions for group in left])
    with tempfile.TemporaryDirectory() as folder, ray_started(WORKERS, None):
        root = Path(folder)
        alone = [bare_rate(karmaka.name)]
        bot = ["mcts:simulations=100"]
        matches, spent, _ = played(root / "a", "karmaka", bot, 1_000_000, seconds)
        alone.append(bare_rate(karmaka.name))
        rate, most = matches / spent, median(alone)
        print(
            f"karmaka mcts:100, {WORKERS} workers: {rate:.1f} matches/s = {rate / most:.0%} of {most:.1f}"
        )
        matches, spent, _ = played(root / "b", "karmaka", ["random"], 1_000_000, seconds)
        print(f"karmaka random, actions stored: {matches / spent:,.0f} matches/s")
        matches, spent, tables = played(root / "c", "connect_four", ["random"], 100_000, 1e9)
        print(
            f"connect_four random: {matches:,} matches in {spent:.1f} s, tables in {tables:.1f} s"
        )
    print(
        f"driver memory at the end: {private_memory():.0f} MB (shared pages of Ray's object store excluded)"
    )
    start_up()


if __name__ == "__main__":
    main()
