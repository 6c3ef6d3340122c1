"""Trouble with files: each is one clear line and exit code 2, and nothing is deleted."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from arena.execution import working
from arena.execution.run import carry_out, interruptible
from arena.execution.settling import settled
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.store import files
from arena.store import run_folder as store
from arena.store.driver import announce, read_driver
from arena.store.locking import lock_folder
from arena.store.parts import part_files, read_part
from arena.store.run_folder import open_run, read_matches
from bots import sources
from engines.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
BOT = """
class Mine:
    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[{which}]

    def close(self):
        pass
"""


SPEC = {"name": "cup", "games": ["connect_four"], "bots": ["random", "mine.py:Mine"], "deals": 3}


def settle():
    """Put the config and its bot into the working folder."""
    Path("mine.py").write_text(BOT.format(which=0))
    Path("cup.yaml").write_text(yaml.safe_dump(SPEC))


@pytest.fixture(autouse=True)
def at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settle()


@pytest.fixture(scope="module")
def half_a_run(tmp_path_factory):
    """A folder with half a run, in two parts, for all tests of this file."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        settle()
        resolved = resolve(parse_spec(SPEC))
        carry_out(resolved, Path("done"), workers=0, progress=False)
        with open_run("run", settled(resolved, Path("run"), False)) as run:
            (part,) = part_files(Path("done"))
            table = read_part(part, store.RESULTS.names)
            for first in (0, 2):
                run.append(table.slice(first, 2))
                run.flush()
            run.close(merge=False)
    assert len(part_files(home / "run")) == 2
    return home / "run"


@pytest.fixture
def half(at_home, half_a_run):
    """The same below the working folder, to be changed."""
    return shutil.copytree(half_a_run, Path("run"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


RUN = ("run", "cup.yaml", "--out", "run", "--workers", 0, "--quiet")


def cut(folder):
    part = part_files(folder)[1]
    part.write_bytes(part.read_bytes()[:-50])


def foreign(folder):
    (folder / "matches" / "holiday.parquet").write_bytes(b"a photo")


def other_rules(folder):
    record = yaml.safe_load((folder / "spec.yaml").read_text())
    record["games"]["connect_four"]["rules"] = "0" * 16
    (folder / "spec.yaml").write_text(yaml.safe_dump(record))


def other_code(folder):
    record = yaml.safe_load((folder / "spec.yaml").read_text())
    plays = record["games"]["connect_four"]["plays"]
    plays[next(iter(plays))] = "0" * 16
    (folder / "spec.yaml").write_text(yaml.safe_dump(record))


def other_bot(folder):
    Path("mine.py").write_text(BOT.format(which=-1))


def no_bot(folder):
    Path("mine.py").unlink()


def other_seed(folder):
    config = yaml.safe_load(Path("cup.yaml").read_text())
    Path("cup.yaml").write_text(yaml.safe_dump({**config, "seed": 77}))


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (cut, "run/matches/part-000002.parquet: damaged, move it away and run again"),
        (foreign, "run/matches/holiday.parquet: damaged, move it away"),
        (other_rules, "run: the rules of connect_four have changed since this run was started"),
        (other_code, "run: connect_four: 'random' plays otherwise (their code, "),
        (other_bot, "run: entrant 'mine.py:Mine' played here with other parameters or code"),
        (no_bot, "bots[1].bot: 'mine.py', no such file or folder, looked for mine.py"),
        (other_seed, "run: started with seed 0, now 77 (--fresh starts anew"),
    ],
)
def test_what_does_not_fit_is_one_line_and_nothing_is_touched(arena, half, trouble, message):
    trouble(half)
    before = contents(half)
    code, out, err = arena(*RUN)
    assert (code, out) == (2, ""), err
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1
    after = contents(half)
    assert after.pop(".lock", b"") == before.pop(".lock", b"") == b""
    assert after == before


def test_a_second_run_in_the_folder_waits_for_nobody(arena, half):
    resolved = resolve(parse_spec(yaml.safe_load(Path("cup.yaml").read_text())))
    with open_run("run", resolved):
        before = contents(half)
        code, _, err = arena(*RUN)
        assert (code, contents(half)) == (2, before)
    assert err == "error: run: another run is writing here, wait or choose another folder\n"


# --- disks ----------------------------------------------------------------------------------------


def full(monkeypatch):
    """From now on there is no room for any new file."""

    def refuse(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", refuse)


def test_a_full_disk_in_mid_run_is_one_line_and_the_run_goes_on_when_there_is_room(
    arena, half, monkeypatch
):
    before = contents(half)
    with monkeypatch.context() as patch:
        full(patch)
        code, out, err = arena(*RUN)
    assert (code, out) == (2, "")
    assert err == (
        "error: run/matches/part-000003.parquet: cannot be written: no space left on device "
        "(what is stored stays; make room, then the same command goes on)\n"
    )
    assert contents(half) == before
    code, out, _ = arena(*RUN)
    assert code == 0
    assert "6 of 6 matches in run (2 new)" in out


def test_a_disk_with_room_for_parts_but_not_to_merge_them_keeps_the_parts(half, monkeypatch):
    resolved = resolve(parse_spec(yaml.safe_load(Path("cup.yaml").read_text())))
    again = settled(resolved, half, False)
    with monkeypatch.context() as patch:
        full(patch)
        open_run(half, again).close(merge=True)
    assert len(part_files(half)) == 2
    assert len(read_matches(half)) == 4


def test_a_report_is_shown_where_its_files_cannot_be_written(arena, half, monkeypatch):
    with monkeypatch.context() as patch:
        full(patch)
        code, out, err = arena("report", "run")
    assert code == 2
    assert out.startswith("connect_four, 2 players")
    assert err == "error: run/standings.csv: cannot be written: no space left on device\n"


def command(folder, *limits):
    """A run in a process of its own, in a folder on another file system or under limits."""
    script = (
        "import resource, sys\nfrom arena import cli\n"
        + "\n".join(limits)
        + "\nsys.argv = ['arena', *sys.argv[1:]]\ncli.main()"
    )
    call = ["run", "cup.yaml", "--out", str(folder), "--workers", "0", "--quiet"]
    return subprocess.run(
        [sys.executable, "-c", script, *call],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0"},
        timeout=120,
        check=False,
    )


@pytest.mark.full
def test_a_file_larger_than_the_system_allows_is_one_line(half):
    done = command("run", "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))")
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written: file too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(read_matches(half)) == 4


@pytest.fixture
def mounted(tmp_path):
    """A way to mount a small file system; skips where this process may not."""
    folders = []

    def mount(options):
        folder = tmp_path / f"disk{len(folders)}"
        folder.mkdir(exist_ok=True)
        call = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if not shutil.which("mount") or subprocess.run(call, capture_output=True).returncode:
            pytest.skip("may not mount a file system")
        folders.append(folder)
        return folder

    yield mount
    for folder in folders:
        subprocess.run(["umount", str(folder)], check=False)


def test_a_run_that_may_only_be_read_is_reported_elsewhere(arena, half, mounted):
    disk = mounted("size=4m")
    shutil.copytree("run", disk / "run")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    run = disk / "run"
    before = contents(run)
    first = read_matches(run)["match_id"][0]
    for call in (("report", run), ("replay", run, first, "--html")):
        code, _, err = arena(*call)
        assert code == 2
        assert err == f"error: {run}: may only be read, --out FOLDER writes elsewhere\n"
        code, out, err = arena(*call, "--out", "there/made")
        assert (code, err) == (0, "")
        assert "written: there/made/" in out
    names = {path.name for path in Path("there/made").iterdir()}
    assert {"report.html", "standings.csv", f"{first}.html"} <= names
    assert arena("check", "run", run)[0] == 0
    assert contents(run) == before


@pytest.mark.parametrize(("found", "stops"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_a_hangup_stops_a_run_like_a_request_to_end_unless_it_is_ignored(found, stops):
    before = signal.signal(signal.SIGHUP, found)  # under nohup it is ignored, also of these tests
    try:
        for number, stopped in ((signal.SIGHUP, stops), (signal.SIGTERM, True)):
            with interruptible() as asked:
                assert not asked()
                signal.raise_signal(number)
                assert asked() == stopped
    finally:
        signal.signal(signal.SIGHUP, before)


def filled(disk):
    """A disk with no room left."""
    with (disk / "filler").open("wb", buffering=0) as filler:

        def fill():
            while True:
                filler.write(b"x" * 4096)

        with pytest.raises(OSError, match="No space left"):
            fill()
    return disk


def test_a_lock_that_has_no_room_to_say_whose_it_is_holds_and_is_let_go(mounted):
    disk = filled(mounted("size=64k"))
    lock = lock_folder(disk)
    announce(lock)
    assert read_driver(disk) is None
    with pytest.raises(UserError, match="another run is writing here"):
        lock_folder(disk)
    lock.close()
    lock_folder(disk).close()


def test_a_bot_that_has_no_room_on_its_machine_is_one_line(monkeypatch, mounted):
    disk = filled(mounted("size=64k"))
    monkeypatch.setattr(sources, "cache_root", lambda: disk)
    monkeypatch.setattr(working, "cache_root", lambda: disk)
    with pytest.raises(UserError, match=rf"{disk}: cannot be written: no space left on device$"):
        working.kept(sources.Parcel("abc", "mine.py", (("mine.py", b"x = 1" * 999),)))


def test_a_run_on_a_disk_that_really_is_full_names_what_cannot_be_written(arena, half, mounted):
    disk = mounted("size=64k")
    run = shutil.copytree("run", disk / "run")
    before = contents(filled(disk))
    code, out, err = arena("run", "cup.yaml", "--out", run, "--workers", 0, "--quiet")
    assert (code, out, err.count("\n")) == (2, "", 1)
    part = run / "matches" / "part-000003.parquet"
    assert err.startswith(f"error: {part}: cannot be written: no space left on device")
    assert contents(disk) == before


@pytest.mark.full
def test_a_disk_that_really_is_full_is_one_line(half, mounted):
    disk = mounted("size=64k")
    shutil.copytree("run", disk / "run")
    filled(disk)
    before = contents(disk / "run")
    done = command(disk / "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written: no space left on device" in done.stderr
    assert done.stderr.count("\n") == 1
    assert contents(disk / "run") == before


@pytest.mark.full
def test_a_folder_that_may_only_be_read_is_one_line(half, mounted):
    disk = mounted("size=1m")
    shutil.copytree("run", disk / "run")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    done = command(disk / "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {disk / 'run'}: cannot be used as a run folder: read-only file system\n"
    )
