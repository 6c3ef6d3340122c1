"""Balance tables from 100 000 stored matches: wanted in less than 60 s and 2 GB.

    python benchmarks/balance.py [matches] [folder] [bot ...]

Plays Karmaka on two variants and a null variant with a ladder of bots, by default random and greedy (some minutes on
two cores; random alone is done in half a minute; a folder given is kept and played on), then makes all tables, the
verdict and the page in a process of its own.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena.balance.config import parse_balance, tournament_spec, write_plan
from arena.execution.run import carry_out
from arena.plan.tournament import resolve

MATCHES = 100_000
BOTS = ("random", "greedy:samples=1")
VARIANTS, NULL = 2, 1
WORKERS = 2


def spec_of(matches, bots):
    per_deal = len(bots) + 2 * (len(bots) - 1)  # each by itself, neighbours in both seatings
    return parse_balance(
        {
            "name": "balance-benchmark",
            "game": "karmaka",
            "players": [2],
            "variants": [{"hand_size": 5}],
            "bots": list(bots),
            "deals": matches // (per_deal * (VARIANTS + NULL)) + 1,
            "null_sets": NULL,
            "seed": 1,
        }
    )


def analyse_here(folder):
    began = time.perf_counter()
    from arena.balance.analysis import analyse
    from arena.balance.page import write_balance

    balance = analyse(folder)
    write_balance(balance)
    spent = time.perf_counter() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{balance.stored} matches: tables, verdict and page in {spent:.1f} s, at most {most:.0f} MB"
    )


def main():
    if sys.argv[1:2] == ["analyse"]:
        analyse_here(Path(sys.argv[2]))
        return
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(scratch)
        spec = spec_of(matches, sys.argv[3:] or BOTS)
        carry_out(resolve(tournament_spec(spec)), folder, WORKERS)
        write_plan(folder, spec)
        command = [sys.executable, __file__, "analyse", str(folder)]
        subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "2"})


if __name__ == "__main__":
    main()
