"""What a very large run costs, step by step, on matches that were really played: the table of issue 23.

    python benchmarks/scale.py FOLDER [matches] [--game karmaka] [--players 2] [--copies 1,10] [--drive 10000000]
    python benchmarks/scale.py FOLDER --small TREE
    python benchmarks/scale.py FOLDER --page results/scale.md

Plays so many matches of random and greedy bots into FOLDER/run, where they are not there yet, and measures each step
in a process of its own: seconds, seconds of the processor, and the memory that the process took at most. For each
number of --copies the parts are there so often under later deals, as a run so much longer would have them; from the two
longest the last column follows, by the straight line through both (memory: the larger), unless a run has so many
matches. "First" has no sums beside the parts and the last part held back; "one more part" is the same run when that
part has come. "Board" is that of the run and of one with the same matches under another seed. --drive plays so many
matches of `random` with itself and measures the driver. --small plays the quickstart and a match of ten deals by turns
with this tree and with another one, say a git worktree from before any of this. FOLDER stays, with what was measured:
the same command goes on from there, also after --minutes, when no more is begun. --page makes a page of that, of all
such folders in FOLDER. For a quiet machine:

    python benchmarks/scale.py /tmp/scale/four 1000000 --copies 1,10,100 --drive 10000000
    python benchmarks/scale.py /tmp/scale/karmaka 100000 --game karmaka
    python benchmarks/scale.py /tmp/scale/four --small ../before
    python benchmarks/scale.py /tmp/scale --page results/scale.md
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa

from arena.execution.run import carry_out
from arena.plan.schedule import count_matches, make_lineups
from arena.plan.spec import match_spec
from arena.plan.tournament import resolve
from arena.results.pooling import SUMS
from arena.store.columns import LONG, RESULTS
from arena.store.keys import KEPT
from arena.store.parts import next_number, part_files, part_path, read_part, write_part
from arena.store.record import RECORD, load_spec, write_record
from arena.store.run_folder import stored_in

BOTS = ("random", "greedy")
STEPS = {
    "open": "open and find what is missing",
    "first": "all tables and ratings, first time",
    "one more part": "the same after one more part",
    "again": "the same again",
    "report": "report.html, beyond the tables",
    "board": "board of two such runs",
    "balance": "`arena balance`",
}
NOT_KEPT = {"open": KEPT, "first": SUMS}  # what has not been kept beside parts before a step
LAW = 100_000_000  # matches of the last column
MEASURED = "measured.json"
DRIVE = "driver, playing matches of `random`"
DISK = "disk a match, with / without actions"
SMALL = {  # how often each is played with each tree, and what
    "a match of ten deals": (15, ["match", "karmaka", "random", "greedy", "--deals", "10"]),
    "the quickstart": (2, ["run", "configs/quickstart.yaml"]),
}
GOALS = {  # at 10^7 and at 10^8 matches, of issue 23
    "open": ("3 s, 350 MB", "20 s, 400 MB"),
    "first": ("20 s, 800 MB", "120 s, 1 GB"),
    "one more part": ("5 s, 800 MB", "10 s, 1 GB"),
    "report": ("10 s", "20 s"),
    DRIVE: ("150 s, 600 MB", "linear"),
    DISK: ("Karmaka: 165 / 25 bytes", "same"),
}
BEFORE = {  # with rows, of 10^7 matches (tables, report, driver: of 10^6), as measured before any of this
    "open": "76 s, 4.2 GB",
    "first": "10⁶: 5.3 s, 1.8 GB",
    "report": "10⁶: 9.5 s, 3.6 GB",
    DRIVE: "10⁶: 1.9 GB",
    DISK: "Karmaka: 211 / 42 bytes",
}


def peak():
    """Megabytes that this process has held at most; `getrusage` would count its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def tournament_of(game, players, deals):
    return resolve(match_spec(game, list(BOTS), players, deals, 1, {}))


def per_deal(lineups):
    """Matches of a deal, of all line-ups together."""
    return sum(count_matches([replace(one, deals=60)]) for one in lineups) / 60


def play(folder, game, players, matches, workers):
    """Play what is missing."""
    deals = round(matches / per_deal(make_lineups(tournament_of(game, players, 1))))
    tournament = tournament_of(game, players, deals)
    return carry_out(tournament, folder, workers, progress=False)


def under_another_seed(folder):
    """A run with the same parts and another seed, so other deals."""
    other = folder.with_name(f"{folder.name}-other")
    if not other.exists():
        other.mkdir()
        (other / "matches").symlink_to((folder / "matches").resolve())
        record = load_spec(folder)
        seed = record.spec.seed + 1
        write_record(other, replace(record, spec=record.spec.model_copy(update={"seed": seed})))
    return other


def copied(source, folder, times, clock):
    """Put the parts of a run there several times, under later deals; False where time ran out before the last."""
    record = load_spec(source)
    (folder / "matches").mkdir(parents=True, exist_ok=True)
    deals = max(lineup.deals for lineup in record.lineups.values())
    step = deals + -deals % 60  # a whole number of all circular orders
    wanted = [(time_, path) for time_ in range(times) for path in part_files(source)]
    for time_, path in wanted[next_number(folder) - 1 :]:
        if clock.over:
            return False
        table = read_part(path, RESULTS.names)
        later = pa.array(table["deal"].to_numpy() + np.int32(time_ * step))
        table = table.set_column(RESULTS.names.index("deal"), RESULTS.field("deal"), later)
        write_part(part_path(folder, next_number(folder)), table)
    last = (times - 1) * step + deals
    lineups = {one: replace(lineup, deals=last) for one, lineup in record.lineups.items()}
    write_record(folder, replace(record, lineups=lineups))
    return True


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


@contextmanager
def last_part_held_back(folder):
    """A run as it was before its last part came."""
    path = part_files(folder)[-1]
    aside = path.with_suffix(".aside")
    path.rename(aside)
    try:
        yield
    finally:
        aside.rename(path)


def tables_of(folder):
    from arena.results.report import (
        make_tables,
    )  # what one step needs is not in the memory of others

    return make_tables(folder)


def report_of(folder, made):
    from arena.pages.report import write_report
    from arena.results.findings import write_findings
    from arena.results.report import write_csv

    write_csv(made)
    write_report(made, write_findings(made), folder / "report.html")


def board_of(folders):
    from arena.results.leaderboards import make_boards

    return make_boards(folders).made


def balance_of(folder):
    from arena.balance.analysis import analyse

    return analyse(folder)


def step(folder, name):
    """One step in this process: what it took."""
    made = tables_of(folder) if name == "report" else None
    began, spent = time.perf_counter(), time.process_time()
    if name == "open":
        matches = open_and_find(folder)
    elif name == "drive":
        matches = drive(folder)
    elif name == "report":
        report_of(folder, made)
        matches = made.stored
    elif name == "board":
        matches = board_of([folder, under_another_seed(folder)]).stored
    elif name == "balance":
        matches = balance_of(folder).stored
    else:
        matches = tables_of(folder).stored
    return {
        "matches": int(matches),
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - spent,
        "MB": peak(),
    }


def measured(folder, name):
    """One step in a process of its own."""
    call = [sys.executable, __file__, str(folder), "--step", name]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    print(f"{folder.name}, {name}: {told(found)}", file=sys.stderr, flush=True)
    return found


def drive(folder):
    """Play as many matches of `random` with itself as the folder's name says."""
    spec = match_spec("connect_four", ["random", "random"], 2, int(folder.name), 1, {})
    return carry_out(resolve(spec), folder, 2, progress=False).played


def small_runs(tree, found, clock):
    """Seconds of the processor that small runs take with this tree and another, by turns, and their ratio."""
    here = Path(__file__).parents[1]
    for name, (times, words) in SMALL.items():
        if name in found or clock.over:
            continue
        spent = {here: [], tree: []}
        for turn in range(times + 1):
            for place in (here, tree) if turn % 2 else (tree, here):
                took = small_run(place, words)
                if turn:  # the first may compile
                    spent[place].append(took)
        now, before = (median(spent[place]) for place in (here, tree))
        ratios = [a / b for a, b in zip(spent[here], spent[tree], strict=True)]
        yield name, {"now": now, "before": before, "ratio": median(ratios)}


def small_run(tree, words):
    """Seconds of the processor of one call of `arena`, with the code of a tree."""
    with tempfile.TemporaryDirectory() as room:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        more = ["--workers", "0", "--quiet", "--out", f"{room}/run"]
        subprocess.run(
            [sys.executable, "-m", "arena", *words, *more],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            check=True,
            capture_output=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Clock:
    """Says when no more may be begun."""

    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes

    @property
    def over(self):
        return time.monotonic() > self.end


def steps_of(run, found, clock):
    """The steps on one run that are not found yet, one by one; what a step begins without is removed before it."""
    several = len(part_files(run)) > 1
    for name in STEPS:
        if name in found or (name == "one more part" and not several):
            continue
        if clock.over:
            return
        if name in NOT_KEPT:
            for path in (run / "matches").glob(f"*{NOT_KEPT[name]}"):
                path.unlink()
        if name == "first" and several:
            with last_part_held_back(run):
                yield name, measured(run, name)
        else:
            yield name, measured(run, name)


def by_law(short, long, matches):
    """A step on so many matches, on the line through two lengths of a run: seconds of the processor."""
    share = (matches - short["matches"]) / max(long["matches"] - short["matches"], 1)
    processor = short["processor"] + share * (long["processor"] - short["processor"])
    return {"processor": max(processor, long["processor"]), "MB": max(short["MB"], long["MB"])}


def told(found):
    """A cell of the table."""
    if not found:
        return "–"
    spent = f"{found['processor']:.1f} s of the processor"
    took = f"{found['seconds']:.1f} s ({spent})" if "seconds" in found else spent
    return f"{took}, {found['MB']:.0f} MB"


def by_step(columns):
    """Rows of a table, a step each: words and what each column has of it."""
    for name, words in STEPS.items():
        yield name, [words, *(told(one.get(name)) for one in columns)]


def table_of(found):
    """What was measured of one game: titles and columns, the last by the law where no run is so long."""
    columns = [
        one for _, one in sorted(found["runs"].items(), key=lambda pair: int(pair[0])) if one
    ]
    titles = [f"{one['open']['matches']:,} matches" for one in columns]
    if len(columns) > 1 and columns[-1]["open"]["matches"] < 0.99 * LAW:
        titles.append(f"{LAW:,}, by the law")
        pairs = {
            name: [one[name] for one in columns[-2:]]
            for name in STEPS
            if all(name in one for one in columns[-2:])
        }
        columns = [*columns, {name: by_law(*pair, LAW) for name, pair in pairs.items()}]
    return titles, columns


def page(folders):
    """What was measured in several folders, beside what issue 23 asks for and what it was before."""
    yield "# What a very large run costs"
    yield ""
    yield (
        "Matches that were really played, copied under later deals (`python benchmarks/scale.py`, two cores): "
        "seconds, seconds of the processor, memory at most; each step in a process of its own, imports included. "
        "Where the seconds are many more than those of the processor, the machine was busy with other things."
    )
    for folder in folders:
        found = json.loads((folder / MEASURED).read_text())
        titles, columns = table_of(found)
        if titles[-1].endswith("law"):
            yield "The last column lies on the straight line through the two before it."
        more = ["goal at 10⁷; 10⁸", "before"]
        yield f"\n## {found['game']}, {found.get('players', 2)} players\n"
        yield f"| | {' | '.join([*titles, *more])} |"
        yield f"|---|{'---|' * len([*titles, *more])}"
        disk = f"{found['whole']:.1f} / {found['short']:.1f} bytes"
        rows = [*by_step(columns), (DISK, [DISK, disk, *("same" for _ in columns[1:])])]
        if "drive" in found:
            driver = f"{found['drive']['matches']:,} matches: {told(found['drive'])}"
            rows.append((DRIVE, [DRIVE, driver, *("" for _ in columns[1:])]))
        for name, cells in rows:
            goals, before = GOALS.get(name, ("–",)), BEFORE.get(name, "–")
            # Bytes are Karmaka's, what was before Connect Four's.
            if (name == DISK) != (found["game"] == "karmaka"):
                goals, before = ("–",) if name == DISK else goals, "–"
            beside = ["; ".join(goals), before]
            yield f"| {' | '.join([*cells, *beside])} |"
        for name, took in found.get("small", {}).items():
            yield (
                f"\n{name[0].upper()}{name[1:]}: {took['now']:.2f} s of the processor, before any of this "
                f"{took['before']:.2f} s, the median of their ratios {took['ratio']:.3f} (goal 1.03)."
            )


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("matches", type=int, nargs="?", default=1_000_000)
    options.add_argument(
        "--page", type=Path, help="write what was measured in the folders in FOLDER"
    )
    options.add_argument("--game", default="connect_four")
    options.add_argument("--players", type=int)
    options.add_argument("--copies", default="1")
    options.add_argument("--workers", type=int, default=2, help="that play what is measured")
    options.add_argument("--drive", type=int, default=0)
    options.add_argument("--minutes", type=float, default=1e6, help="after which nothing is begun")
    options.add_argument("--prepare", action="store_true", help="play and copy, measure nothing")
    options.add_argument("--small", type=Path, metavar="TREE", help="compare small runs with it")
    options.add_argument("--step")
    given = options.parse_args()
    if given.step:
        print(json.dumps(step(given.folder, given.step)))
        return
    if given.page:
        folders = sorted(path.parent for path in given.folder.glob(f"**/{MEASURED}"))
        given.page.write_text("\n".join(page(folders)) + "\n")
        return
    clock = Clock(given.minutes)
    run = given.folder / "run"
    kept = given.folder / MEASURED
    if not kept.exists():
        play(run, given.game, given.players, given.matches, given.workers)
        whole, short = bytes_a_match(run)
        players = next(iter(load_spec(run).lineups.values())).players
        found = {"game": given.game, "players": players, "whole": whole, "short": short, "runs": {}}
        kept.write_text(json.dumps(found))
    found = json.loads(kept.read_text())

    def keep():
        kept.write_text(json.dumps(found))

    if given.small:
        own = found.setdefault("small", {})
        for name, took in small_runs(given.small.resolve(), own, clock):
            own[name] = took
            keep()
            print(f"{name}: {took}", file=sys.stderr)
        return
    for copies in sorted(int(one) for one in given.copies.split(",")):
        long = run if copies == 1 else given.folder / f"run-{copies}"
        if (
            long is not run
            and not (long / RECORD).exists()
            and not copied(run, long, copies, clock)
        ):
            break
        if given.prepare:
            continue
        own = found["runs"].setdefault(str(copies), {})
        for name, one in steps_of(long, own, clock):
            own[name] = one
            keep()
    if given.drive and not given.prepare and "drive" not in found and not clock.over:
        folder = given.folder / f"{given.drive}"
        shutil.rmtree(folder, ignore_errors=True)
        found["drive"] = measured(folder, "drive")
        keep()
        shutil.rmtree(folder)
    if any(found["runs"].values()):
        print("\n".join(page([given.folder])))
    if clock.over:
        print("time is over: the same command goes on", file=sys.stderr)


if __name__ == "__main__":
    main()
