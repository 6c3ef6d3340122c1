"""What it costs that a bot plays in a sandbox, or in a process: side by side, taking turns.

    python benchmarks/containment.py [game] [matches] [decisions] [--clock]

Columns: microseconds of a decision over the bot's own time (round trip, with its stop and go); milliseconds of CPU
of a match and bot (keeper, bot's process and worker); the bot's own imports in a column of their own; milliseconds
until a new process has been reset; with --clock, microseconds more a decision where the worker keeps a clock and shows
it to the bot: the same seat with and without it, taking turns, and in the worker's own process too. A match here is
one decision, so that nothing else is counted.
"""

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path
from statistics import median

from arena.authoring.compliance import opening_view
from arena.plan.shapes import ClockEntry
from arena.playing.clocks import Clocks
from arena.playing.containment.children import close_children, living
from arena.playing.containment.isolation import ready
from arena.playing.containment.seats import contained_seat
from arena.playing.containment.starting import Terms, Wanted
from arena.playing.seats import OpenSeat
from bots.contract import View
from bots.registry import parse_bot
from engines.core import load_game
from engines.kernel import now

FIRST = """
class First:
    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass
"""
IMPORTS = (
    "import asyncio, email, hashlib, json, logging, sqlite3, subprocess, unittest, urllib.request\n"
)
LIMIT = 60.0
ROUNDS = 5
TURNS = 10  # of decisions with a clock and without
RULE = ClockEntry(bank_seconds=60, increment_seconds=1)


def decisions(seat, view, count):
    """Microseconds of each decision."""
    legal, times = view.legal(), []
    for number in range(count):
        began = time.perf_counter()
        seat.decide(view, [(0, legal[0])] if number % 2 else [], number, LIMIT)
        times.append(1e6 * (time.perf_counter() - began))
    return times


def clocked(seat, view, count, clocks):
    """Microseconds of each decision with what the worker does for a clock before, in and after the question."""
    legal, times = view.legal(), []
    for number in range(count):
        began = now()
        clocks.begin(0)
        clocks.left(0)
        shown = View(view.game, view.record, legal, (), number, clocks.seen())
        seat.decide(shown, [(0, legal[0])] if number % 2 else [], number, LIMIT)
        clocks.press(0, now() - began)
        times.append((now() - began) / 1e3)
    return times


def of_clock(seat, view, count):
    """Microseconds that a clock adds to a decision: medians of turns with and without."""
    more, clocks = [], Clocks(RULE, view.players)
    for _ in range(TURNS):
        plain = median(decisions(seat, view, count // TURNS))
        more.append(median(clocked(seat, view, count // TURNS, clocks)) - plain)
    return median(more)


def new_seat(isolation, spec, game):
    ready(isolation, (spec,), (Terms(),), game.name)
    return contained_seat(Wanted(spec, game.name, 0, 2048), game, game.Variant())


def used():
    """Seconds of CPU of this process, and of its keeper with all that it has waited for."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + sum(map(with_children, keepers()))


def keepers():
    """The keeper of this worker, found by what only its own has: its bubblewrap, or its folder."""
    ours = living()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{name}/cmdline").read_bytes()
            told = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"containment.keeper" not in command or command.startswith(b"bwrap"):
            continue
        if ours.process is None:
            own = f"TMPDIR={ours.folder}".encode() in told
        else:
            own = ours.process.pid in parents(int(name))
        if own:
            yield int(name)


def parents(pid):
    """The processes above one."""
    while pid > 1:
        fields = stat_of(pid)
        pid = int(fields[1]) if fields else 0
        yield pid


def with_children(pid):
    """The seconds of CPU of a process and of the children it has waited for."""
    return sum(map(int, stat_of(pid)[11:15])) / os.sysconf("SC_CLK_TCK")


def stat_of(pid):
    """What the kernel tells of a process, from its state on; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def matches(isolation, spec, game, view, count):
    """Milliseconds of CPU of a match, and milliseconds until each new process has been reset."""
    times, before = [], used()
    for _ in range(count):
        began = time.perf_counter()
        seat = new_seat(isolation, spec, game)
        seat.begin(view, 1, LIMIT)
        times.append(1e3 * (time.perf_counter() - began))
        seat.decide(view, (), 1, LIMIT)
        seat.finish()
    return 1e3 * (used() - before) / count, times


def measured(isolation, bots, game, view, count, asked, clock):
    """One row: decision, CPU of a match, CPU of imports, start, and the clock where it is asked for."""
    seat = new_seat(isolation, bots[0], game)
    seat.begin(view, 1, LIMIT)
    each = median(decisions(seat, view, asked))
    more = [of_clock(seat, view, asked)] if clock else []
    seat.abandon()
    plain, times = matches(isolation, bots[0], game, view, count)
    loaded, _ = matches(isolation, bots[1], game, view, count)
    return each, plain, loaded - plain, median(times), *more


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", default="karmaka")
    parser.add_argument("matches", nargs="?", type=int, default=40)
    parser.add_argument("decisions", nargs="?", type=int, default=5_000)
    parser.add_argument("--clock", action="store_true", help="measure what a clock adds, too")
    options = parser.parse_args()
    if options.matches < 1 or options.decisions < TURNS:
        parser.error(f"at least 1 match and {TURNS} decisions")
    game, count, asked = load_game(options.game), options.matches, options.decisions
    view = opening_view(game)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        bots = []
        for name, text in (("first.py", FIRST), ("imports.py", IMPORTS + FIRST)):
            file = Path(folder, name)
            file.write_text(text)
            bots.append(parse_bot(f"{file}:First"))
        here = OpenSeat(bots[0], game)
        here.begin(view, 1, LIMIT)
        own = median(decisions(here, view, asked))
        within = of_clock(here, view, asked) if options.clock else 0.0
        rows = {name: [] for name in ("process", "sandbox")}
        for _ in range(ROUNDS):
            for name, found in rows.items():
                close_children()
                ready(name, (bots[0],), (Terms(),), game.name)
                new_seat(name, bots[0], game).abandon()  # the game is loaded now
                found.append(measured(name, bots, game, view, count, asked, options.clock))
        close_children()
    print(f"{game.name}, {ROUNDS} rounds of {count} matches and {asked} decisions, medians")
    last = " | us of the clock" if options.clock else ""
    print(f"isolation | us/decision | ms CPU/match | ms CPU own imports | ms to a reset bot{last}")
    for name, found in rows.items():
        each, plain, imports, start, *more = (median(column) for column in zip(*found, strict=True))
        last = "".join(f" | {one:15.1f}" for one in more)
        print(
            f"{name:9} | {each - own:11.1f} | {plain:12.1f} | {imports:18.1f} | {start:17.1f}{last}"
        )
    if options.clock:
        print(f"in the worker's own process the clock adds {within:.1f} us a decision")


if __name__ == "__main__":
    main()
