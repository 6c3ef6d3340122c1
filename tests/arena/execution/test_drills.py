"""Resume drills: driver or worker killed at random moments; what comes out equals a run left in peace."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.store.parts import FREE
from arena.store.run_folder import read_matches

ROOT = Path(__file__).resolve().parents[3]
CUP = {
    "name": "drill",
    "seed": 9,
    "games": [{"game": "connect_four", "opening": 2}, "karmaka"],
    "bots": ["random", "greedy", "mcts:simulations=60"],
    "deals": 16,
}
PLAYER, RAYLET = "ray::results_from", "raylet/raylet"
RAY_AGENTS = ("ray::DashboardAgent", "ray::RuntimeEnvAgent")  # idle; they give up after a minute
STARTING = 0.3  # of the moments, in seconds: before the first match
# Small batches, many parts and a merge after every second, so that a moment finds the run in the middle of everything.
DRIVER = """
import sys
from arena import cli
from arena.execution import batches
from arena.store import merging
from arena.store import run_folder as store
batches.BATCH_SECONDS, store.PART_SECONDS, merging.FAN = 0.1, 0.05, 2
sys.argv = ["arena", *sys.argv[1:]]
cli.main()
"""


def table(folder):
    """All that is stored, sorted, without what may differ between two equal runs."""
    frame = read_matches(folder, actions=True)
    frame = frame[[c for c in frame.columns if not any(word in c for word in FREE)]]
    return frame.map(lambda cell: tuple(cell) if hasattr(cell, "tolist") and cell.ndim else cell)


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """The config's file, and the table of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("cup")
    file = folder / "drill.yaml"
    file.write_text(yaml.safe_dump(CUP))
    carry_out(resolve(parse_spec(CUP)), folder / "whole", workers=0, progress=False)
    return file, table(folder / "whole")


def start(file: Path, folder: Path, workers: int) -> subprocess.Popen:
    call = ["run", str(file), "--out", str(folder), "--workers", str(workers), "--quiet"]
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, *call],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )


def descendants(pid: int) -> dict[int, str]:
    """The living processes below one, with their command lines."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                children.setdefault(int(parent), []).append(int(entry.name))
    found, waiting = {}, [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            waiting.append(child)
            try:
                found[child] = Path(f"/proc/{child}/cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, awaited: str = "", seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, awaited
        time.sleep(0.02)


def kill_driver(file: Path, folder: Path, workers: int, moment: float) -> None:
    """Kill -9 the driver while it starts, or some time after the first part; nothing may live on."""
    process = start(file, folder, workers)
    wait_for(lambda: process.poll() is not None or (folder / "spec.yaml").exists())
    if moment > STARTING:
        wait_for(lambda: process.poll() is not None or any(folder.glob("matches/*.parquet")))
    time.sleep(moment - STARTING if moment > STARTING else moment)
    below = descendants(process.pid)
    process.kill()
    assert "Traceback" not in process.communicate()[1]
    ours = {pid: line for pid, line in below.items() if not line.startswith(RAY_AGENTS)}
    wait_for(lambda: not any(map(alive, ours)), "\n".join(ours.values()))


def kill_worker(file: Path, folder: Path, workers: int, moment: float) -> None:
    """Kill -9 a worker that plays; the run must end by itself, with all matches."""
    process = start(file, folder, workers)
    wait_for(lambda: process.poll() is not None or processes(process.pid, PLAYER))
    time.sleep(moment)
    for pid in processes(process.pid, PLAYER)[:1]:
        os.kill(pid, signal.SIGKILL)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err


def kill_raylet(file: Path, folder: Path, workers: int, moment: float) -> None:
    """Kill -9 what runs all workers; the run must end by itself, in one line if not with all matches."""
    process = start(file, folder, workers)
    wait_for(lambda: process.poll() is not None or processes(process.pid, PLAYER))
    time.sleep(moment)
    below = descendants(process.pid)
    (raylet,) = processes(process.pid, RAYLET)
    os.kill(raylet, signal.SIGKILL)
    _, err = process.communicate(timeout=200)
    assert "Traceback" not in err
    assert process.returncode in (0, 2), err
    if process.returncode:
        assert err.splitlines()[-1].startswith("error: "), err
    ours = {pid: line for pid, line in below.items() if not line.startswith(RAY_AGENTS)}
    wait_for(lambda: not any(map(alive, ours)), "\n".join(ours.values()))


def processes(pid: int, words: str) -> list[int]:
    """The processes below one whose program or title has these words."""
    below = descendants(pid)
    return sorted(child for child, line in below.items() if words in line.partition("\0")[0])


def drill(cup, folder, kill, workers, seed) -> int:
    """One kill, one resume; how many matches were stored when it was resumed."""
    file, whole = cup
    kill(file, folder, workers, random.Random(repr(seed)).uniform(0, 1.5))
    stored = len(read_matches(folder))
    resolved = resolve(parse_spec(CUP))
    summary = carry_out(resolved, folder, workers=0, progress=False)
    assert summary.played == summary.planned - stored
    assert table(folder).equals(whole)
    return stored


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.full)])
def test_a_run_whose_driver_is_killed_is_resumed_to_the_same_table(cup, tmp_path, seed):
    drill(cup, tmp_path / "run", kill_driver, 0, seed)


@pytest.mark.full
@pytest.mark.ray
@pytest.mark.parametrize("kill", [kill_driver, kill_worker, kill_raylet])
def test_a_run_on_workers_is_resumed_to_the_same_table(cup, tmp_path, kill):
    drill(cup, tmp_path / "run", kill, 2, 3)


@pytest.mark.ray
@pytest.mark.parametrize(
    "moment",
    [pytest.param(n, marks=pytest.mark.full if n < 2 else pytest.mark.slow) for n in range(30)],
)
@pytest.mark.parametrize(
    ("kill", "workers"),
    [
        (kill_driver, 0),
        (kill_driver, 1),
        (kill_driver, 2),
        (kill_worker, 1),
        (kill_worker, 2),
        (kill_raylet, 2),
    ],
)
def test_at_30_random_moments_nothing_is_lost_and_nothing_played_twice(
    cup, tmp_path, kill, workers, moment
):
    stored = drill(cup, tmp_path / "run", kill, workers, (workers, moment))
    print(f"{stored} matches were stored", end=" ")
