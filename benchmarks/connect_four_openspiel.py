"""Connect Four against OpenSpiel's C++: random games, and MCTS with 1000 simulations from the start.

    pip install -e ".[bench]"
    python benchmarks/connect_four_openspiel.py [rounds]

The two sides take turns within one run and are timed in CPU seconds, so that other load on the machine meets both;
medians and their ratio are printed. Needs g++ for OpenSpiel's compiled loop.
"""

import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from statistics import median

import pyspiel

from arena.authoring.bench import first_decision
from bots.compiled import Mind
from bots.playouts import play_out
from bots.registry import parse_bot
from engines.core import load_game
from engines.rng import seeded

SIMULATIONS = 1000
SECONDS = 1.0
PARTS = ("abseil-cpp", "json/include")  # of the headers in the wheel


def cpu_rate(call, work, seconds=SECONDS):
    """Work done a CPU-second by repeated calls."""
    began = time.process_time()
    calls = 0
    while time.process_time() - began < seconds:
        call()
        calls += 1
    return calls * work / (time.process_time() - began)


def compiled_loop(folder):
    """OpenSpiel's random games in C++; returns a function that measures once."""
    packages = Path(sysconfig.get_paths()["platlib"])
    program = Path(folder) / "loop"
    source = Path(__file__).with_name("openspiel_loop.cc")
    includes = [packages, *(packages / "open_spiel" / part for part in PARTS)]
    command = ["g++", "-O3", "-std=c++17", "-o", program, source, Path(pyspiel.__file__)]
    command += [f"-I{path}" for path in includes] + [f"-Wl,-rpath,{packages}"]
    python, libraries = sysconfig.get_config_vars("LDVERSION", "LIBDIR")
    command += ["-Wl,--unresolved-symbols=ignore-in-shared-libs", f"-lpython{python}"]
    command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    subprocess.run([str(part) for part in command], check=True)
    return lambda: float(subprocess.check_output([str(program), str(SECONDS)]))


def ours():
    """Our two measurements."""
    game = load_game("connect_four")
    start, rng = game.new_state(2, game.Variant(), seeded(1)), seeded(2)
    spec = parse_bot(f"mcts:simulations={SIMULATIONS},rollout_depth=none,prior=0")
    mind = Mind(spec.kind.compiled, spec.parameters, game)
    views, legal = first_decision(game, 2)

    def search():
        mind.think(views, legal, len(legal), rng)

    play_out(game, start, 10, rng)
    search()
    return (
        lambda: cpu_rate(lambda: play_out(game, start, 10_000, rng), 10_000),
        lambda: cpu_rate(search, SIMULATIONS),
    )


def theirs():
    """OpenSpiel's C++ MCTSBot with random rollouts."""
    game = pyspiel.load_game("connect_four")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, SIMULATIONS, 1000, False, 7, False)
    state = game.new_initial_state()
    return lambda: cpu_rate(lambda: bot.step(state), SIMULATIONS)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    our_games, our_search = ours()
    their_search = theirs()
    with tempfile.TemporaryDirectory() as folder:
        their_games = compiled_loop(folder)
        pairs = {
            "random games": (our_games, their_games),
            "mcts simulations": (our_search, their_search),
        }
        for name, (our, their) in pairs.items():
            rates = [(our(), their()) for _ in range(rounds)]
            us, them = median(r[0] for r in rates), median(r[1] for r in rates)
            ratio = median(a / b for a, b in rates)
            print(f"{name}/CPU-s: ours {us:,.0f}, OpenSpiel C++ {them:,.0f}, ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
