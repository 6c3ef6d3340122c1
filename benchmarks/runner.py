"""The runner's cost: matches a second end to end against what the referee alone would do, and the driver's memory.

    python benchmarks/runner.py [seconds]

1. Karmaka, mcts:simulations=100 against itself, 2 workers: share of 2 x the rate of the referee in this process.
2. Karmaka, random bots, actions stored: matches a second end to end.
3. 100 000 Connect Four matches of random bots, stored and put into tables (the start of Ray excluded).
4. Start-up: `arena --help`, and a warm short match without workers.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from arena.bench import referee_rate
from arena.execute import Feed, ray_started, run_on_ray
from arena.report import write_tables
from arena.run import compile_games, groups
from arena.schedule import make_lineups
from arena.spec import match_spec
from arena.store import open_run, table_from_columns
from arena.tournament import resolve
from engines.core import load_game

WORKERS = 2


def played(folder, game, bots, deals, seconds):
    """(matches, seconds from the first result to the last, seconds for the tables)."""
    tournament = resolve(match_spec(game, bots, None, deals, 1, {}))
    lineups = make_lineups(tournament)
    with open_run(folder, tournament) as run:
        stored, first = 0, None
        for outcome in run_on_ray(Feed(groups(tournament, lineups, run.missing_of)), WORKERS):
            if outcome is None:
                continue
            run.append(table_from_columns(outcome.columns))
            if first is None:
                first = time.perf_counter()  # workers have loaded their code
            else:
                stored += len(outcome.batch.matches)
            if time.perf_counter() - first > seconds:
                break
        spent = time.perf_counter() - first
    began = time.perf_counter()
    write_tables(folder)
    return stored, spent, time.perf_counter() - began


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
        compile_games(tournament, make_lineups(tournament))
    with tempfile.TemporaryDirectory() as folder, ray_started(WORKERS, None):
        root = Path(folder)
        alone = [referee_rate(karmaka, 2, "mcts:simulations=100", 5.0)]
        bot = ["mcts:simulations=100"]
        matches, spent, _ = played(root / "a", "karmaka", bot, 1_000_000, seconds)
        alone.append(referee_rate(karmaka, 2, "mcts:simulations=100", 5.0))
        rate, most = matches / spent, WORKERS * median(alone)
        print(
            f"karmaka mcts:100, {WORKERS} workers: {rate:.1f} matches/s = {rate / most:.0%} of {most:.1f}"
        )
        matches, spent, _ = played(root / "b", "karmaka", ["random"], 10_000_000, seconds / 3)
        print(f"karmaka random, actions stored: {matches / spent:,.0f} matches/s")
        matches, spent, tables = played(root / "c", "connect_four", ["random"], 100_000, 1e9)
        print(
            f"connect_four random: {matches:,} matches in {spent:.1f} s, tables in {tables:.1f} s"
        )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"driver memory: {memory:.0f} MB")
    start_up()


if __name__ == "__main__":
    main()
