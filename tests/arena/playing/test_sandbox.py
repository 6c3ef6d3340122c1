"""The sandbox: what a bot sees, when it may run, and what is never run outside it."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.playing.containment import bubblewrap, contained, seccomp
from arena.playing.containment.places import outermost
from arena.playing.containment.starting import Terms
from arena.playing.match import play_matches
from bots.registry import parse_bot
from engines.errors import UserError

pytestmark = pytest.mark.skipif(bool(bubblewrap.problem()), reason=bubblewrap.problem())

BOT = """
import os, threading, time

class Napping:
    def reset(self, game, view, seed): pass
    def act(self, view, legal):
        time.sleep(0.1)
        return legal[0]
    def close(self): pass

class Pondering(Napping):
    def reset(self, game, view, seed):
        self.count, self.last = 0, None
        threading.Thread(target=self.ponder, daemon=True).start()
    def ponder(self):
        while True:
            self.count += 1
            time.sleep(0.002)
    def act(self, view, legal):
        if self.last is not None:
            raise RuntimeError("pondered" if self.count - self.last > 20 else "slept")
        self.last = self.count
        return legal[0]

class Clinging(Napping):
    def act(self, view, legal):
        return legal[0]
    def close(self):
        while True:
            time.sleep(1)

class Reading(Napping):
    def act(self, view, legal):
        with open(PATH) as file:
            raise RuntimeError(file.read())
"""


def fault_of(job):
    played = play_matches(job)
    assert played is not None
    return played.faults[0]


def write(folder, path=""):
    file = folder / "bots_of_others.py"
    file.write_text(f"PATH = {str(path)!r}\n{BOT}")
    return file


@pytest.mark.parametrize(("ponder", "told"), [(False, "slept"), (True, "pondered")])
def test_a_bot_is_stopped_between_its_turns_unless_all_may_ponder(make_job, tmp_path, ponder, told):
    file = write(tmp_path)
    job = make_job(f"{file}:Pondering", f"{file}:Napping", seats=[[0, 1]], isolation="sandbox")
    assert told in fault_of(replace(job, ponder=ponder))


def test_a_bot_reads_its_own_files_and_what_is_mounted(make_job, tmp_path):
    other = tmp_path / "elsewhere" / "weights.txt"
    other.parent.mkdir()
    other.write_text("heavy")
    file = write(tmp_path, other)
    job = make_job(f"{file}:Reading", "random", seats=[[0, 1]], isolation="sandbox")
    hidden = fault_of(job)
    assert "FileNotFoundError" in hidden
    assert f"mount: [{other}]" in hidden
    shown = replace(job, terms=(Terms(mount=(str(other.parent),)), Terms()))
    assert "RuntimeError('heavy')" in fault_of(shown)


@contained
def described(file, **more):
    """The kind of the second bot of a config, as a process that may not run its file learns it."""
    plain = {"name": "cup", "games": ["connect_four"], "bots": ["random", f"{file}:Napping"]}
    found = resolve(parse_spec({**plain, **more}))
    return parse_bot(found.spec.bots[1].bot).kind


def test_a_file_is_read_with_the_places_that_its_config_grants(tmp_path):
    weights = tmp_path / "elsewhere" / "weights.txt"
    weights.parent.mkdir()
    weights.write_text("heavy")
    file = write(tmp_path, weights)
    file.write_text(f"{file.read_text()}\nopen(PATH).close()\n")
    with pytest.raises(UserError) as refused:
        described(file)
    assert f"mount: [{weights}]" in str(refused.value)
    assert described(file, mount=[str(weights)]).problem == ""


def test_a_file_that_hangs_is_read_no_longer_than_a_start_may_take(tmp_path):
    file = write(tmp_path)
    file.write_text(f"{file.read_text()}\nwhile True: pass\n")
    assert described(file, limits={"start_seconds": 0.5}).problem == "import took over 0.5 s"


def test_a_bot_that_hangs_in_close_is_told_so_in_its_match_and_loses_nothing(make_job, tmp_path):
    file = write(tmp_path)
    job = make_job(f"{file}:Clinging", "random", seats=[[0, 1], [1, 0]], isolation="sandbox")
    played = play_matches(job)
    assert played is not None
    assert played.faults == {}
    assert played.stderr == {n: f"player {n + 1}: close took over 1 s\n" for n in (0, 1)}


def test_a_bot_that_hangs_in_close_fails_its_check(arena, tmp_path):
    code, said, _ = arena("check", "bot", f"{write(tmp_path)}:Clinging", "--matches", 1)
    assert code == 1
    assert "close took over 1 s" in said


def test_no_file_of_a_bot_is_run_by_the_command_line(arena, tmp_path):
    mark = "bots_of_others_ran_here"
    file = tmp_path / "tells.py"
    file.write_text(f"import sys\nsys.{mark} = True\n{BOT}")
    code, said, _ = arena("check", "bot", f"{file}:Napping", "--matches", 1)
    assert code == 0, said
    assert "isolation: sandbox" in said
    assert not hasattr(sys, mark)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_fits_both_machines_and_every_jump_stays_inside(machine):
    code = seccomp.program(machine)
    count = len(code) // 8
    for place in range(count):
        operation, if_true, if_false = code[8 * place], code[8 * place + 2], code[8 * place + 3]
        if operation & 7 == 5:
            assert place + 1 + max(if_true, if_false) < count
    assert code[-8] == seccomp.RETURN


@pytest.mark.parametrize(
    ("column", "header"),
    [(0, "x86_64-linux-gnu/asm/unistd_64.h"), (1, "asm-generic/unistd.h")],
    ids=["x86_64", "aarch64"],
)
def test_the_numbers_of_system_calls_are_those_of_the_kernels_headers(column, header):
    file = Path("/usr/include", header)
    if not file.exists():
        pytest.skip("the kernel's headers are not installed (linux-libc-dev)")
    line = re.compile(r"#define\s+__NR(?:3264)?_(\w+)\s+(\d+)", re.M)
    known = {name: int(number) for name, number in line.findall(file.read_text())}
    known.pop("syscalls", None)  # how many there are
    newest = max(known.values())
    for name, numbers in seccomp.NUMBERS.items():
        number = numbers[column]
        if number is None or number <= newest:
            assert known.get(name) == number, name


def test_the_environment_of_a_bot_holds_no_secret(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "secret")
    told = bubblewrap.environment("/cache")
    assert "secret" not in told.values()
    assert told["HOME"] == "/scratch"


def test_places_inside_others_are_not_bound_twice():
    assert outermost(["/usr/lib", "/usr", "/opt/x", "/usr2"]) == ("/opt/x", "/usr", "/usr2")


def test_another_user_finds_what_a_sandbox_needs():
    for path in bubblewrap.common_places()[0]:
        assert os.access(Path(path), os.R_OK)
