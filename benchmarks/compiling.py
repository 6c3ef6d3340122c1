"""What compiling costs, game by game, and how fast the compiled code plays: CPU seconds and rates on one core.

    python benchmarks/compiling.py                                     # all games, this checkout
    python benchmarks/compiling.py karmaka --other ../before --rounds 5

For each game all that a match with random, greedy and mcts needs is compiled in fresh processes, with play left out:
*cold* (empty cache), *load* (everything in the cache) and *edit* (a number in heuristic.py was changed; in per cent of
cold). The game is a copy of its folder, which compiles as the game itself. With `--other` the same is done in another
checkout, and random decisions and full-playout simulations a second are measured in turns, so that other load on the
machine meets both; their ratio is that of the medians. Goals: cold at most 10 s for Karmaka and 12 s for any other
rulebook game, load 0.3 s, edit 40 %, rates not below the other's.

It also prints the bytes of byte code, from which `arena.playing.compiling` tells how long a game takes.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent.parent
COMPILE = """
import json, sys, time
import numpy as np
try:
    from arena.plan.spec import Limits, default_players
    from arena.playing.match import Job, warm_up
    from bots.registry import parse_bot
except ImportError:  # an older checkout, as below
    from arena.match import Job, warm_up
    from arena.spec import Limits, default_players
    from bots.core import parse_bot
from engines.core import load_game
game = load_game(sys.argv[1])
players, bots = default_players(game), tuple(map(parse_bot, ("random", "greedy", "mcts")))
nothing = np.zeros((0, players), np.int64)
job = Job(game, game.Variant(), players, bots, ("1", "2", "3"), 1, nothing, np.arange(0), Limits())
began = time.process_time()
warm_up(job)
seconds = time.process_time() - began
try:
    from arena.playing.compiling import byte_code
    from arena.playing.match import kernels_of
    size = byte_code(kernels_of(job))
except ImportError:
    size = 0
print(json.dumps([seconds, size]))
"""
RATES = """
import json, sys
try:
    from arena.authoring.bench import playout_rates, simulation_rate
    from arena.plan.spec import default_players
except ImportError:
    from arena.bench import playout_rates, simulation_rate
    from arena.spec import default_players
from engines.core import load_game
game = load_game(sys.argv[1])
players = default_players(game)
decisions = playout_rates(game, players, 1.0)["decisions"]
print(json.dumps([decisions, simulation_rate(game, players, 1.0)]))
"""


def run(script, checkout, game, cache):
    """What a script prints in a fresh process of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "ARENA_CACHE": str(cache)}
    environment |= {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", script, str(game)]
    done = subprocess.run(
        command, env=environment, cwd=cache.parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{checkout}, {game}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def change_number(file):
    """Make the first number of a module's constants a little larger."""
    text = file.read_text()
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for one in ast.walk(node.value):
            if isinstance(one, ast.Constant) and type(one.value) is float:
                lines = text.splitlines(keepends=True)
                line = lines[one.lineno - 1]
                new = repr(one.value * 1.01)
                lines[one.lineno - 1] = line[: one.col_offset] + new + line[one.end_col_offset :]
                file.write_text("".join(lines))
                return
    sys.exit(f"{file}: no number among its constants")


def compile_times(checkout, name, folder):
    """CPU seconds cold, from the cache and after an edit, and bytes of byte code."""
    place = folder / f"bench_{name}"
    shutil.copytree(
        checkout / "engines" / name, place, ignore=shutil.ignore_patterns("__pycache__")
    )
    cold, size = run(COMPILE, checkout, place, folder / "cache")
    load, _ = run(COMPILE, checkout, place, folder / "cache")
    change_number(place / "heuristic.py")
    edit, _ = run(COMPILE, checkout, place, folder / "cache")
    return cold, load, edit, size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", help="default: all")
    parser.add_argument("--other", type=Path, help="another checkout to compare with")
    parser.add_argument("--rounds", type=int, default=5, help="of the rates")
    chosen = parser.parse_args()
    everything = ("connect_four", "karmaka", "sagrada", "sacrifice", "nakum", "sacrificio")
    checkouts = [HERE, *([chosen.other.resolve()] if chosen.other else [])]
    print(f"{'':14}{'':>8}{'cold':>8}{'load':>8}{'edit':>8}{'of cold':>9}{'bytes':>9}")
    for name in chosen.games or everything:
        with tempfile.TemporaryDirectory() as top:
            folders = [Path(top) / str(number) for number in range(len(checkouts))]
            for number, (checkout, folder) in enumerate(zip(checkouts, folders, strict=True)):
                (folder / "cache").mkdir(parents=True)
                cold, load, edit, size = compile_times(checkout, name, folder)
                which = ("this", "other")[number]
                rate = f"{size:9.0f}" if size else ""
                print(
                    f"{name:14}{which:>8}{cold:8.1f}{load:8.2f}{edit:8.1f}{edit / cold:9.0%}{rate}",
                    flush=True,
                )
            if len(checkouts) == 1:
                continue
            rounds = [
                [
                    run(RATES, checkout, name, folder / "cache")
                    for checkout, folder in zip(checkouts, folders, strict=True)
                ]
                for _ in range(chosen.rounds)
            ]
            for kind, what in enumerate(("decisions/s", "simulations/s")):
                this, other = (median(one[which][kind] for one in rounds) for which in (0, 1))
                print(f"{name:14}{what}: {this:,.0f}, other {other:,.0f}: {this / other:.3f}")


if __name__ == "__main__":
    main()
