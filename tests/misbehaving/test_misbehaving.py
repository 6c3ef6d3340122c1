"""Bots that misbehave: each match ends in time, as the right ending of the right seat, and nothing is left over."""

import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import pytest
import yaml

from arena.store.run_folder import load_spec, read_matches
from tests.walls import PROCESS, SANDBOX

HERE = Path(__file__).resolve().parent
LIMITS = {"start_seconds": 1.5, "decision_seconds": 0.5, "match_seconds": 20, "memory_mb": 200}
PYTHON = {
    "Slow": ("timeout", "act took over 0.5 s"),
    "Spinning": ("timeout", "act took over 0.5 s"),
    "SleepingInC": ("timeout", "act took over 0.5 s"),
    "FloodsStdout": ("timeout", "act took over 0.5 s"),
    "FloodsStderr": ("timeout", "act took over 0.5 s"),
    "Illegal": ("illegal action", "is not legal now"),
    "Unknown": ("illegal action", f"{10**30} is not legal now"),
    "NoAction": ("protocol error", "act returned 'the middle, please', expected an action"),
    "Exits": ("crash", "act raised SystemExit(3)"),
    "ExitsAtOnce": ("crash", "act: the process ended with exit code 5"),
    "Segfaults": ("crash", "act: the process was killed by SIGSEGV"),
    "LeavesChildren": ("crash", "act: the process ended with exit code 0"),
    "KeepsPlayingWithChildren": ("timeout", "act took over 0.5 s"),
    "IgnoresTerminate": ("timeout", "act took over 0.5 s"),
    "RaisesInReset": ("crash", "reset raised RuntimeError('reset is broken')"),
    "WritesIntoThePipe": ("protocol error", "act: its process wrote into the arena's pipe"),
    "AnswersTwice": ("protocol error", "act: its process wrote into the arena's pipe"),
    "StopsItself": ("timeout", "act took over 0.5 s"),
    "KillsItsParent": ("crash", ""),
    "SlowStart": ("timeout", "reset took over 1.5 s"),
    "Listens": ("timeout", "act took over 0.5 s"),
    "Writes": ("crash", "act: the process ended with exit code 9"),
}
PROGRAMS = {
    "silent": ("timeout", "act took over 0.5 s"),
    "garbage": ("protocol error", "act: 'one moment, please' is not JSON"),
    "binary": ("protocol error", "is not UTF-8"),
    "list": ("protocol error", "expected a JSON object"),
    "half-a-line": ("timeout", "act took over 0.5 s"),
    "half-a-line-and-out": ("crash", "act: the process ended with exit code 0"),
    "long-line": ("protocol error", "a line is at most 65536 bytes"),
    "floods-stdout": ("protocol error", "act: 'nonsense' is not JSON"),
    "floods-without-end": ("protocol error", "a line is at most 65536 bytes"),
    "illegal": ("illegal action", "'drop 99' is not legal now"),
    "other-game": ("illegal action", "'play Embrace for its points' is not legal now"),
    "number": ("protocol error", "action 3, expected one of the legal actions in words"),
    "nested": ("protocol error", "is not JSON"),
    "wrong-id": ("protocol error", "has id -1, expected"),
    "twice": ("protocol error", "act: "),
    "exits": ("crash", "act: the process ended with exit code 4"),
    "says-error": ("protocol error", "act: says: I know no such game"),
    "ignores-terminate": ("timeout", "act took over 0.5 s"),
    "leaves-children": ("crash", "act: the process ended with exit code 0"),
    "never-reads": ("timeout", "hello took over 1.5 s"),
    "wrong-protocol": ("protocol error", "hello: speaks protocol 99, expected 1"),
}
WALLED = {"Listens": ("crash", "Operation not permitted")}  # other ends in a sandbox
# These end by themselves, but need time on a busy machine.
HUNGRY = {
    "EatsMemory": ("memory", ""),
    "EatsMemoryInChildren": ("memory", "used more than 200 MB of memory"),
    "OpensFiles": ("crash", "act raised OSError(24, 'Too many open files')"),
    "ForkBomb": ("crash", "started more than 64 processes"),
    "exits-at-once": ("crash", "hello: the process ended with exit code 1"),
}
PATIENT = {**LIMITS, "start_seconds": 20, "decision_seconds": 20, "match_seconds": 60}
QUICK = {**PYTHON, **PROGRAMS}
# One of each kind: too slow, deaf to being ended, illegal, no action, dead, gone, with children, on the wrong wire.
# One that is slow because it spins is in tests/arena/playing/test_containment.py.
SOME = (
    *("Slow", "IgnoresTerminate", "Illegal", "NoAction", "Segfaults", "ExitsAtOnce"),
    "LeavesChildren",
    *("WritesIntoThePipe", "garbage", "exits", "wrong-protocol"),
)
FEW = {name: QUICK[name] for name in SOME}


def config(folder, names, limits, isolation):
    """A gauntlet of `random` against bots that misbehave, and two that do not."""
    python = HERE / "python_bots.py"
    bots = ["random", {"name": "First", "bot": f"{python}:First"}]
    program = f"{sys.executable} {HERE / 'program.py'}"
    for name in ("plays-on", *names):
        if name[0].isupper():
            bots.append({"name": name, "bot": f"{python}:{name}"})
        else:
            named = f"{name} (program)"
            bots.append({"name": named, "bot": "process", "command": f"{program} {name}"})
        if name == "Writes":
            bots[-1]["folder"] = str(folder)
    return {
        "name": "hostile",
        "games": ["connect_four"],
        "bots": bots,
        "schedule": "gauntlet",
        "focus": ["random"],
        "deals": 1,
        "limits": limits,
        "isolation": isolation,
    }


def prepared(folder, plain):
    """The config of a run as a file; where its bots' folders will lie, and a mark of all its processes."""
    folder.parent.mkdir(exist_ok=True)
    file = folder.parent / "hostile.yaml"
    file.write_text(yaml.safe_dump(plain))
    temporary = folder.parent / "tmp"
    temporary.mkdir()
    return file, temporary, uuid.uuid4().hex


def run(folder, plain, workers):
    """Run a config in a process of its own: (exit code, output, what it said on stderr), its mark, bots' folders."""
    file, temporary, mark = prepared(folder, plain)
    command = [sys.executable, "-m", "arena", "run", str(file), "--out", str(folder)]
    done = subprocess.run(
        [*command, "--quiet", "--workers", str(workers)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")]
            ),
            "TMPDIR": str(temporary),
            "RAY_TMPDIR": "/tmp/ray",
            "ARENA_MARK": mark,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return (done.returncode, done.stdout, done.stderr), mark, temporary


def left_over(mark):
    """The processes that still run with our mark in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if mark.encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes())
            except OSError:
                continue
    return found


def nothing_left(mark, seconds=5.0):
    until = time.monotonic() + seconds
    while (found := left_over(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    return found == []


@pytest.mark.parametrize("isolation", [PROCESS, SANDBOX])
def test_a_misbehaving_bot_of_each_kind_is_contained(arena, tmp_path, monkeypatch, isolation):
    # In this process, which saves a second: the keeper and all bots have theirs.
    folder = tmp_path / "runs" / "hostile"
    file, temporary, mark = prepared(folder, config(folder, FEW, LIMITS, isolation))
    monkeypatch.setenv("ARENA_MARK", mark)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)  # else it is where it was
    done = arena("run", file, "--out", folder, "--quiet", "--workers", 0)
    check_that_all_are_contained(folder, FEW, LIMITS, isolation, (done, mark, temporary))


@pytest.mark.full
@pytest.mark.parametrize("isolation", ["process", SANDBOX])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("expected", "limits"), [(QUICK, LIMITS), (HUNGRY, PATIENT)])
def test_every_misbehaving_bot_is_contained(tmp_path, workers, expected, limits, isolation):
    folder = tmp_path / "runs" / "hostile"
    ended = run(folder, config(folder, expected, limits, isolation), workers)
    check_that_all_are_contained(folder, expected, limits, isolation, ended)


def check_that_all_are_contained(folder, expected, limits, isolation, ended):
    """Look at each match of a gauntlet of them, and at what is left of the processes."""
    (code, out, err), mark, temporary = ended
    assert code == 0, err
    assert nothing_left(mark), left_over(mark)
    assert [path.name for path in temporary.glob("arena-bot*")] == []

    record = load_spec(folder)
    rows = read_matches(folder).to_dict("records")
    assert len(rows) == 2 * (len(expected) + 2)
    wrong = []
    for row in rows:
        names = [
            record.entrants[record.lineups[row["lineup_id"]].entrants[p]].name
            for p in row["seating"]
        ]
        (name,) = {one.removesuffix(" (program)") for one in names} - {"random"}
        ending, text = expected.get(name, ("finished", ""))
        if isolation == "sandbox":
            ending, text = WALLED.get(name, (ending, text))
        seat = 1 - names.index("random") if name in expected else -1
        found = (row["ending"], row["fault_seat"])
        if found != (ending, seat) or text not in row["fault_text"]:
            wrong.append(
                (name, row["ending"], row["fault_seat"], row["fault_text"], row["worker_stderr"])
            )
        limit = limits[
            "start_seconds" if name in ("SlowStart", "never-reads") else "decision_seconds"
        ]
        if seat >= 0 and row["seconds"][seat] > limit + 1:
            wrong.append((name, "took too long", row["seconds"]))
        if seat >= 0 and row["ranks"][seat] != 2:
            wrong.append((name, "did not lose", row["ranks"]))
    assert not wrong, "\n".join(map(str, wrong))
    said = [row["worker_stderr"] for row in rows]
    assert max(map(len, said)) <= 4096
    assert not (folder / "new.txt").exists()
    if "exits" in expected:
        assert any("gone for good" in text for text in said)
        assert "no more of this" in (folder / "faults.csv").read_text()
        assert "    | no more of this" in out
