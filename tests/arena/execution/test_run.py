"""Runs that are stopped, killed, resumed and extended: nothing is lost and nothing is played twice."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
import yaml

from arena.execution.interrupt import interruptible
from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.store.run_folder import load_spec, read_matches
from engines.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
TRUSTED = (  # without a sandbox a run of bots in files says so
    "isolation: none, bots are trusted: without a sandbox they can read files, use the network and "
    "harm a run\n"
)
SECONDS = ("seconds", "start_seconds", "worker_seconds", "worker_stderr", "worker_machine")


def plain(folder) -> pd.DataFrame:
    """All that is stored of a run, without what may differ between two of them."""
    frame = read_matches(folder, actions=True)
    free = [name for name in frame.columns if "seconds" in name or "worker" in name]
    assert set(free) == set(SECONDS)
    frame = frame.drop(columns=free)
    for name in ("seating", "actions", "actors", "points", "ranks"):
        frame[name] = frame[name].map(tuple)
    return frame


def go(resolved, folder, **more):
    return carry_out(resolved, folder, **{"workers": 0, "progress": False, **more})


# --- what a call does ------------------------------------------------------------------------------


def test_a_run_plays_every_match_once_and_says_so(tournament, tmp_path):
    summary = go(tournament(deals=5), tmp_path)
    assert (summary.planned, summary.played, summary.stored) == (10, 10, 10)
    assert not summary.interrupted
    frame = read_matches(tmp_path)
    assert len(frame) == frame["match_id"].nunique() == 10
    assert sorted(frame["deal"].unique()) == [0, 1, 2, 3, 4]


def test_a_second_call_has_nothing_to_do(tournament, tmp_path):
    go(tournament(), tmp_path)
    before = (tmp_path / "spec.yaml").read_bytes(), plain(tmp_path)
    summary = go(tournament(), tmp_path)
    assert (summary.planned, summary.played, summary.stored) == (8, 0, 8)
    assert (tmp_path / "spec.yaml").read_bytes() == before[0]
    assert plain(tmp_path).equals(before[1])


def test_two_runs_of_one_config_are_equal(tournament, tmp_path):
    bots = ["random", "greedy", "mcts:simulations=20"]
    for name in "ab":
        go(tournament(bots=bots), tmp_path / name)
    assert plain(tmp_path / "a").equals(plain(tmp_path / "b"))
    assert not plain(tmp_path / "a").empty


def test_more_deals_play_only_what_is_new(tournament, tmp_path):
    go(tournament(deals=3), tmp_path / "grown")
    first = read_matches(tmp_path / "grown").set_index("match_id")
    summary = go(tournament(deals=5), tmp_path / "grown")
    assert (summary.planned, summary.played, summary.stored) == (10, 4, 10)
    again = read_matches(tmp_path / "grown").set_index("match_id").loc[first.index]
    assert (again["worker_seconds"] == first["worker_seconds"]).all()  # not played again
    go(tournament(deals=5), tmp_path / "whole")
    assert plain(tmp_path / "grown").equals(plain(tmp_path / "whole"))


def test_another_entrant_plays_only_new_blocks(tournament, tmp_path):
    two, three = ["random", "greedy"], ["random", "greedy", "mcts:simulations=10"]
    go(tournament(bots=two), tmp_path / "grown")
    first = read_matches(tmp_path / "grown").set_index("match_id")
    summary = go(tournament(bots=three), tmp_path / "grown")
    assert (summary.planned, summary.played, summary.stored) == (24, 16, 24)
    again = read_matches(tmp_path / "grown").set_index("match_id").loc[first.index]
    assert (again["worker_seconds"] == first["worker_seconds"]).all()
    go(tournament(bots=three), tmp_path / "whole")
    assert plain(tmp_path / "grown").equals(plain(tmp_path / "whole"))


def test_the_order_of_the_bots_in_the_config_does_not_matter(tournament, tmp_path):
    go(tournament(bots=["random", "greedy"]), tmp_path / "a")
    go(tournament(bots=["greedy", "random"]), tmp_path / "b")
    assert plain(tmp_path / "a").equals(plain(tmp_path / "b"))


def test_fresh_plays_all_anew_and_keeps_the_old(tournament, tmp_path):
    go(tournament(), tmp_path)
    assert go(tournament(seed=4), tmp_path, fresh=True).played == 8
    assert load_spec(tmp_path).spec.seed == 4
    assert load_spec(tmp_path / "old-1").spec.seed == 3


def test_another_seed_in_the_same_folder_is_refused(tournament, tmp_path):
    go(tournament(), tmp_path)
    with pytest.raises(UserError, match="started with seed 3, now 4"):
        go(tournament(seed=4), tmp_path)


def test_several_games_tables_and_teams_in_one_run(tournament, tmp_path):
    resolved = tournament(
        games=[
            {"game": "connect_four", "variants": [{"rows": 4, "columns": 5}, {}]},
            {"game": "karmaka", "players": [2, 3], "deals": 2},
            {"game": "karmaka", "players": 4, "variant": {"mode": "2v2"}, "deals": 2},
        ]
    )
    summary = go(resolved, tmp_path)
    frame = read_matches(tmp_path)
    assert summary.stored == summary.planned == len(frame)
    assert len(frame.groupby(["game", "variant_id", "players"])) == 5


def test_openings_are_played_and_stored(tournament, tmp_path):
    games = [{"game": "connect_four", "opening": 3}]
    go(tournament(games=games, bots=["greedy", "mcts:simulations=9"], deals=8), tmp_path)
    starts = read_matches(tmp_path, actions=True).groupby("deal")["actions"]
    assert all(len({tuple(a[:3]) for a in actions}) == 1 for _, actions in starts)
    assert len({tuple(next(iter(actions))[:3]) for _, actions in starts}) > 4


def test_progress_goes_to_stderr_with_the_leaders(tournament, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("arena.execution.progress.EVERY", 0.0)  # a line whenever results come
    go(tournament(deals=20), tmp_path, progress=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1].startswith("40 of 40 matches, ")
    assert "leading: greedy 100%" in printed.err


def test_a_quiet_run_prints_nothing(tournament, tmp_path, capsys):
    go(tournament(), tmp_path)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_a_run_may_be_carried_out_in_a_thread(tournament, tmp_path):
    found = []
    thread = threading.Thread(target=lambda: found.append(go(tournament(), tmp_path)))
    thread.start()
    thread.join()
    assert found[0].stored == 8


def test_a_bot_that_always_fails_does_not_stop_the_run(tournament, odd, tmp_path):
    bots = ["random", "greedy", odd("Crash"), odd("Silent"), odd("CrashInMake")]
    assert go(tournament(bots=bots, deals=2), tmp_path).stored == 40
    frame = read_matches(tmp_path)
    assert set(frame["ending"]) == {"finished", "crash", "protocol error"}


# --- stopping --------------------------------------------------------------------------------------


def test_the_first_ctrl_c_is_a_wish_and_the_second_is_an_order():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with interruptible() as wished:
        assert not wished()
        os.kill(os.getpid(), signal.SIGINT)
        assert wished()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


# About a hundred of them are over when the first part is written, after 5 s.
DEALS, MATCHES = 32, 192


def config(tmp_path: Path, odd, **changes) -> Path:
    """A config whose bot plays slowly until its folder holds a file `go`."""
    plain_spec = {
        "name": "slow",
        "seed": 5,
        "games": ["connect_four"],
        "bots": ["random", "greedy", odd(f"Waits:folder={tmp_path}")],
        "deals": DEALS,
        "isolation": "none",  # a contained bot could not tell this test that it waits
        **changes,
    }
    file = tmp_path / "slow.yaml"
    file.write_text(yaml.safe_dump(plain_spec))
    return file


def started(config_file: Path, folder: Path, *more: str) -> subprocess.Popen:
    """A run in a process group of its own, as a terminal starts it, once it has begun to play."""
    command = [sys.executable, "-W", "error", "-m", "arena", "run", str(config_file)]
    process = subprocess.Popen(
        [*command, "--out", str(folder), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    wait_for(lambda: process.poll() is not None or begun(config_file.parent) >= 6)
    assert process.poll() is None, process.communicate()[1]
    return process


def begun(folder: Path) -> int:
    mark = folder / "begun"
    return len(mark.read_text()) if mark.exists() else 0


def wait_for(condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def finish_and_compare(config_file: Path, folder: Path) -> int:
    """Resume the run here; it must equal one that was never stopped. Returns what was left to play."""
    (config_file.parent / "go").touch()
    resolved = resolve(parse_spec(yaml.safe_load(config_file.read_text())))
    summary = go(resolved, folder)
    assert summary.stored == summary.planned == len(read_matches(folder))
    go(resolved, config_file.parent / "whole")
    assert plain(folder).equals(plain(config_file.parent / "whole"))
    return summary.played


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)],
    ids=lambda n: n.name,
)
def test_a_run_that_is_stopped_says_how_it_goes_on_and_does(odd, tmp_path, number):
    file, folder = config(tmp_path, odd), tmp_path / "run"
    process = started(file, folder, "--workers", "0", "--quiet")
    began = time.monotonic()
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 30
    assert process.returncode == 130, err
    assert err == TRUSTED
    stored = len(read_matches(folder))
    assert f"{stored} of {MATCHES} matches in {folder} ({stored} new)" in out
    assert "stopped; the same command goes on where it stopped" in out
    assert len(list((folder / "matches").iterdir())) <= 1
    assert finish_and_compare(file, folder) == MATCHES - stored > 0


@pytest.mark.full
@pytest.mark.ray
def test_ctrl_c_in_a_terminal_stops_a_run_with_workers(odd, tmp_path):
    file, folder = config(tmp_path, odd), tmp_path / "run"
    process = started(file, folder, "--workers", "2", "--quiet")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    stored = len(read_matches(folder))
    assert f"{stored} of {MATCHES} matches" in out
    assert finish_and_compare(file, folder) == MATCHES - stored > 0


@pytest.fixture(scope="module")
def played(odd, tmp_path_factory):
    """A run that is being played in a process of its own until a test kills it: config, folder and process."""
    home = tmp_path_factory.mktemp("played")
    file, folder = config(home, odd), home / "run"
    process = started(file, folder, "--workers", "0", "--quiet")
    yield file, folder, process
    process.kill()
    process.communicate()


def test_while_a_run_is_played_another_one_in_its_folder_is_refused(played, arena):
    file, folder, process = played
    code, out, err = arena("run", file, "--out", folder, "--workers", "0")
    assert process.poll() is None
    assert (code, out) == (2, "")
    refusal = f"error: {folder}: another run is writing here, wait or choose another folder\n"
    assert err == TRUSTED + refusal


def test_a_run_that_is_killed_goes_on_from_its_last_part(played):
    file, folder, process = played
    parts = folder / "matches"
    wait_for(lambda: any(parts.glob("*.parquet")))
    process.kill()
    process.communicate()
    stored = len(read_matches(folder))
    assert stored > 0
    (parts / "part-000002.parquet.tmp").write_bytes(b"half a part")  # as if killed while writing
    assert finish_and_compare(file, folder) == MATCHES - stored > 0
