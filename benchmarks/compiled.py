"""A compiled bot from a file in a process of its own against the same code in the worker: CPU milliseconds a decision.

    python benchmarks/compiled.py [game] [playouts] [rounds]

The two take turns, so that other load on the machine meets both; the ratio of their medians may be 1.2 at most.
Also: how long the file's bot takes to compile, or to load what it has compiled, before its first match.
"""

import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from arena.authoring.compliance import opening_view
from arena.playing.containment.children import close_children
from arena.playing.containment.isolation import ready
from arena.playing.containment.seats import contained_seat
from arena.playing.containment.starting import Terms, Wanted
from bots.compiled import Mind, compile_bot
from bots.registry import parse_bot
from engines.core import load_game
from engines.rng import seeded

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "compiled_bot.py"
LIMIT = 600.0
MOST = 1.2


def bots_processes():
    """The keepers of bots on this machine and what they have started."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"arena.playing.containment.keeper" in path.read_bytes():
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


def spent(pids):
    """CPU milliseconds of this process and of others so far."""
    total = 1000 * time.process_time()
    for pid in pids:
        total += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
    return total


def main():
    game = load_game(sys.argv[1] if len(sys.argv) > 1 else "karmaka")
    playouts = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    spec, view = parse_bot(f"{EXAMPLE}:FLAT:playouts={playouts}"), opening_view(game)
    compile_bot(spec, game)
    mind = Mind(spec.kind.compiled, spec.parameters, game)
    legal = np.array(view.legal(), np.int32)
    others = bots_processes()
    ready("process", (spec,), (Terms(),), game.name)
    seat = contained_seat(Wanted(spec, game.name, 0, 2048), game, game.Variant())
    began = time.perf_counter()
    seat.prepare()
    print(f"{game.name}: compiled or loaded in {time.perf_counter() - began:.1f} s")
    seat.begin(view, 1, LIMIT)
    ours = bots_processes() - others

    def here(number):
        mind.think(view.record, legal, len(legal), seeded(number))

    def there(number):
        seat.decide(view, (), number, LIMIT)

    def milliseconds(call, number):
        before = spent(ours)
        call(number)
        return spent(ours) - before

    pairs = [(milliseconds(here, n), milliseconds(there, n)) for n in range(rounds)]
    inside, outside = (median(column) for column in zip(*pairs, strict=True))
    print(f"a decision: {inside:.2f} ms in the worker, {outside:.2f} ms in a process of its own")
    print(f"ratio {outside / inside:.2f}, at most {MOST}")
    close_children()
    sys.exit(outside > MOST * inside)


if __name__ == "__main__":
    main()
