"""What a very large run costs: opening, what is missing, tables, report, bytes, on matches that were really played.

    python benchmarks/scale.py FOLDER [matches] [--game karmaka] [--players 2] [--copies N]

Plays so many matches of random and greedy bots into FOLDER/run, where they are not there yet, and measures each step in
a process of its own: seconds, seconds of the processor, and the memory that the process took at most. With --copies the
parts are there N times under later deals, as a run N times as long would have them. FOLDER stays, remove it yourself.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from arena.execution.run import carry_out
from arena.pages.report import write_report
from arena.plan.schedule import count_matches, make_lineups
from arena.plan.spec import match_spec
from arena.plan.tournament import resolve
from arena.results.findings import write_findings
from arena.results.pooling import SUMS
from arena.results.report import make_tables, write_csv
from arena.store.columns import LONG, RESULTS
from arena.store.parts import next_number, part_files, part_path, read_part, write_part
from arena.store.record import load_spec, write_record
from arena.store.run_folder import stored_in

BOTS = ("random", "greedy")
STEPS = ("open", "tables", "again", "one more part", "report")


def peak():
    """Megabytes that this process has held at most; `getrusage` would count its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def tournament_of(game, players, deals):
    return resolve(match_spec(game, list(BOTS), players, deals, 1, {}))


def per_deal(lineups):
    """Matches of a deal, of all line-ups together."""
    return sum(count_matches([replace(one, deals=60)]) for one in lineups) / 60


def play(folder, game, players, matches):
    """Play what is missing."""
    deals = round(matches / per_deal(make_lineups(tournament_of(game, players, 1))))
    tournament = tournament_of(game, players, deals)
    return carry_out(tournament, folder, 2, progress=False)


def copied(source, folder, times):
    """The parts of a run several times, under later deals."""
    record = load_spec(source)
    (folder / "matches").mkdir(parents=True)
    deals = max(lineup.deals for lineup in record.lineups.values())
    step = deals + -deals % 60  # a whole number of all circular orders
    for time_ in range(times):
        for path in part_files(source):
            table = read_part(path, RESULTS.names)
            later = pa.array(table["deal"].to_numpy() + np.int32(time_ * step))
            table = table.set_column(RESULTS.names.index("deal"), RESULTS.field("deal"), later)
            write_part(part_path(folder, next_number(folder)), table)
    last = (times - 1) * step + deals
    lineups = {one: replace(lineup, deals=last) for one, lineup in record.lineups.items()}
    write_record(folder, replace(record, lineups=lineups))


def bytes_a_match(folder):
    """With all columns, and without actions and actors."""
    paths = part_files(folder)
    table = read_part(paths[0], RESULTS.names).slice(0, 100_000)
    rows = sum(read_part(path, ["deal"]).num_rows for path in paths)
    short = [
        pa.ListArray.from_arrays(
            pa.array(np.zeros(table.num_rows + 1, np.int32)),
            pa.array([], RESULTS.field(name).type.value_type),
        )
        for name in LONG
    ]
    for name, column in zip(LONG, short, strict=True):
        table = table.set_column(RESULTS.names.index(name), RESULTS.field(name), column)
    aside = folder / "short"
    write_part(aside, table)
    without = aside.stat().st_size / table.num_rows
    aside.unlink()
    return sum(path.stat().st_size for path in paths) / rows, without


def open_and_find(folder):
    """Open a run for writing and take all that is missing, here nothing."""
    record = load_spec(folder)
    stored = stored_in(folder, record)
    for lineup in record.lineups.values():
        taken = stored.missing(lineup)
        while len(taken.take(20_000)[0]):
            pass
    return stored.matches


def grow(folder):
    """Take the last part away and give it back, so that its sums are made anew."""
    path = part_files(folder)[-1]
    path.with_suffix(SUMS).unlink(missing_ok=True)
    return make_tables(folder).stored


def step(folder, name):
    """One step in this process: what it took."""
    began, spent = time.perf_counter(), time.process_time()
    if name == "open":
        matches = open_and_find(folder)
    elif name == "one more part":
        matches = grow(folder)
    elif name == "report":
        made = make_tables(folder)
        began, spent = time.perf_counter(), time.process_time()
        write_csv(made)
        write_report(made, write_findings(made), folder / "report.html")
        matches = made.stored
    else:
        matches = make_tables(folder).stored
    return {
        "matches": matches,
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - spent,
        "MB": peak(),
    }


def measured(folder, name):
    """One step in a process of its own."""
    call = [sys.executable, __file__, str(folder), "--step", name]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("matches", type=int, nargs="?", default=1_000_000)
    options.add_argument("--game", default="connect_four")
    options.add_argument("--players", type=int)
    options.add_argument("--copies", type=int, default=1)
    options.add_argument("--step")
    given = options.parse_args()
    if given.step:
        print(json.dumps(step(given.folder, given.step)))
        return
    run = given.folder / "run"
    began, spent = time.perf_counter(), time.process_time()
    played = play(run, given.game, given.players, given.matches).played
    wall, processor = time.perf_counter() - began, time.process_time() - spent
    print(
        f"played {played:,}: {wall:.1f} s, driver {processor:.1f} s of the processor, {peak():.0f} MB"
    )
    if given.copies > 1:
        long = given.folder / f"run-{given.copies}"
        if not long.exists():
            copied(run, long, given.copies)
        run = long
    whole, short = bytes_a_match(run)
    print(f"{whole:.1f} bytes a match, {short:.1f} without actions")
    for path in (run / "matches").glob(f"*{SUMS}"):
        path.unlink()
    for name in STEPS:
        found = measured(run, name)
        print(
            f"{name:14s} {found['matches']:>12,} matches {found['seconds']:7.1f} s "
            f"{found['processor']:7.1f} s of the processor {found['MB']:6.0f} MB"
        )


if __name__ == "__main__":
    main()
