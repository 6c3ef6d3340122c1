"""What a decision costs more if the bot plays in a process of its own: microseconds, medians.

    python benchmarks/containment.py [game] [decisions]

A Python bot that takes the first legal action is asked in the worker itself, then in its own process; a
program (the bot `random` of bots.serve) by lines of JSON. Also: how long a new process takes to its first answer.
"""

import sys
import time
from statistics import median

from arena.authoring.compliance import opening_view
from arena.playing.containment.children import children, close_children
from arena.playing.containment.seats import contained_seat
from arena.playing.seats import OpenSeat
from bots.registry import parse_bot
from engines.core import load_game

FIRST = """
class First:
    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass
"""
LIMIT = 60.0


def decisions(seat, view, count):
    """Microseconds of each decision."""
    record, legal, times = view.record, view.legal(), []
    for number in range(count):
        if number % 50 == 0:  # another match
            seat.begin(record, legal, 1, LIMIT)
        began = time.perf_counter()
        seat.decide(record, legal, [(0, legal[0])] if number % 2 else [], number, LIMIT)
        times.append(1e6 * (time.perf_counter() - began))
    return times


def started(spec, game, view):
    """A seat in a new process, and the seconds to its first answer."""
    began = time.perf_counter()
    seat = contained_seat(spec, game, game.Variant(), game.name, 0, 2048)
    seat.begin(view.record, view.legal(), 1, LIMIT)
    return seat, time.perf_counter() - began


def main():
    import tempfile
    from pathlib import Path

    game = load_game(sys.argv[1] if len(sys.argv) > 1 else "karmaka")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    view = opening_view(game)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "first.py"
        file.write_text(FIRST)
        python = parse_bot(f"{file}:First")
        program = parse_bot(f'process:command="{sys.executable} -m bots.serve random"')
        here = OpenSeat(python, game)
        here.begin(view.record, view.legal(), 1, LIMIT)
        began = time.perf_counter()
        children().load(game.name)
        print(f"{game.name}: keeper with the game loaded in {time.perf_counter() - began:.2f} s")
        there, first = started(python, game, view)
        there.finish()
        there, again = started(python, game, view)
        there.abandon()
        there, new = started(python, game, view)
        print(f"Python bot ready in {1000 * first:.0f} and {1000 * new:.0f} ms (new process)")
        print(f"Python bot ready in {1000 * again:.1f} ms (process of the match before)")
        rounds = [(decisions(here, view, count), decisions(there, view, count)) for _ in range(5)]
        own = median(median(a) for a, _ in rounds)
        contained = median(median(b) for _, b in rounds)
        print(f"a decision: {own:.1f} us in the worker, {contained:.1f} us in a process of its own")
        print(f"containment: {contained - own:.1f} us a decision")
        other, ready = started(program, game, view)
        spoken = median(decisions(other, view, max(1, count // 20)))
        print(f"a program: ready in {ready:.2f} s, {spoken:.0f} us a decision")
    close_children()


if __name__ == "__main__":
    main()
