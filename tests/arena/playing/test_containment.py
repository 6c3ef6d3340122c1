"""Bots in processes of their own: they play as in the worker, fail alone, see only their View, and end with it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.authoring.compliance import check_bot, opening_view
from arena.execution.batches import batch_of
from arena.execution.run import what_remains
from arena.execution.working import make_job as job_of
from arena.plan.identity import deal_seed
from arena.plan.schedule import count_matches, make_blocks, make_lineups
from arena.playing.containment import children as pool
from arena.playing.containment.packets import pack_answer, pack_request, read_answer, read_request
from arena.playing.containment.processes import children_of, scanned_children
from arena.playing.containment.starting import Terms
from arena.playing.match import columns, play_matches
from arena.store.parts import table_from_columns
from bots import protocol
from bots.contract import View
from bots.registry import parse_bot
from bots.serve import Served
from engines.core import load_game
from engines.rng import seeded
from tests.walls import PROCESS, SANDBOX

BOTH = pytest.mark.parametrize("isolation", [PROCESS, SANDBOX])
FULL = pytest.mark.full
ROOT = Path(__file__).resolve().parents[3]
BOTS = ROOT / "tests" / "misbehaving" / "python_bots.py"
PROGRAM = ROOT / "tests" / "misbehaving" / "program.py"
SERVE = f"{sys.executable} -m bots.serve"
FAILURES = [
    ("Illegal", "illegal action", "is not legal now"),
    ("Unknown", "illegal action", "-5 is not legal now"),
    ("Huge", "illegal action", "is not legal now"),
    ("Silent", "protocol error", "act returned None, expected an action"),
    ("Wordy", "protocol error", "act returned 'the middle"),
    ("Objective", "protocol error", "act returned <object object"),
    ("Crash", "crash", "act raised RuntimeError("),
    ("Exit", "crash", "act raised SystemExit(3)"),
    ("Unprintable", "crash", "act raised Error"),
    ("Memory", "memory", "act raised MemoryError"),
    ("CrashInMake", "crash", "start raised RuntimeError('make is broken')"),
    ("CrashInReset", "crash", "reset raised RuntimeError('reset is broken')"),
]
EACH = (
    "Illegal",
    "Silent",
    "Crash",
    "Memory",
    "CrashInMake",
)  # one of each kind of ending, and at the start


@pytest.fixture(autouse=True)
def programs_find_this_package(monkeypatch):
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)


def play(job):
    played = play_matches(job)
    assert played is not None
    names = dict.fromkeys(("lineup_id", "game", "variant_id"), ["x"] * len(job.deals))
    found = {**names, "players": [job.players] * len(job.deals), **columns(job, played)}
    return table_from_columns(found).to_pylist()


def alike(rows):
    return [
        {k: v for k, v in row.items() if "seconds" not in k and "worker" not in k} for row in rows
    ]


# --- the same play -------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("game", "players"), [("connect_four", 2), pytest.param("karmaka", 3, marks=FULL)]
)
def test_a_python_bot_plays_in_its_own_process_as_in_the_worker(make_job, game, players, isolation):
    example = f"{ROOT / 'examples' / 'flat_monte_carlo.py'}:FlatMonteCarlo:playouts=1"
    jobs = [
        make_job(example, "random", game=game, players=players, matches=3, isolation=kept)
        for kept in ("none", isolation)
    ]
    assert alike(play(jobs[0])) == alike(play(jobs[1]))


@BOTH
@pytest.mark.parametrize("decisions", [2, *(pytest.param(n, marks=FULL) for n in (1, 9))])
def test_it_is_shown_the_same_views_and_events(make_job, decisions, isolation):
    texts = []
    for kept in ("none", isolation):
        bot = f"{BOTS}:Digests:decisions={decisions}"
        job = make_job(bot, "greedy", game="karmaka", matches=2, isolation=kept)
        texts.append([row["fault_text"] for row in play(job)])
    assert all("RuntimeError('shown " in text for text in texts[0])
    assert texts[0] == texts[1]


@BOTH
@pytest.mark.parametrize(
    ("name", "ending", "text"),
    [one if one[0] in EACH else pytest.param(*one, marks=FULL) for one in FAILURES],
)
def test_a_fault_is_told_as_in_the_worker(make_job, odd, name, ending, text, isolation):
    here = play(make_job(odd(name), "random", matches=2))
    there = play(make_job(odd(name), "random", matches=2, isolation=isolation))
    assert [row["ending"] for row in there] == [ending] * 2
    assert text in there[0]["fault_text"]
    assert alike(here) == alike(there)


@BOTH
def test_with_three_sides_a_stand_in_plays_on_and_only_the_offender_loses(make_job, isolation):
    # One that ends by itself may take its time for it, one that spins takes a processor for as long as it may.
    for name, ending, limit in (("ExitsAtOnce", "crash", 5.0), ("Spinning", "timeout", 0.1)):
        job = make_job(
            f"{BOTS}:{name}",
            "greedy",
            "random",
            game="karmaka",
            matches=3,
            isolation=isolation,
            decision_seconds=limit,
        )
        for match, row in enumerate(play(job)):
            seat = job.seats[match].tolist().index(0)
            assert (row["ending"], row["fault_seat"], row["ranks"][seat]) == (ending, seat, 3)
            assert row["reason"] != "running"


@BOTH
def test_every_match_has_a_process_of_its_own_unless_a_bot_asks_for_one(make_job, isolation):
    pids = f"{BOTS}:Remembers"
    job = make_job(pids, "random", deals=[1, 1, 2, 2], matches=4, isolation=isolation)
    assert all("act raised RuntimeError(1)" in row["fault_text"] for row in play(job))


@BOTH
def test_a_kept_process_never_sees_two_seatings_of_a_deal(make_job, isolation):
    terms = (Terms(once=False), Terms())
    seats = [[0, 1]] * 6
    bot = f"{BOTS}:Counts"
    # Other limits, so that none of the processes that wait is of use to the second job.
    for deals, processes, memory in (([0, 1, 2, 3, 4, 5], 1, 900), ([0, 0, 1, 1, 2, 2], 2, 901)):
        job = make_job(
            bot, "random", seats=seats, deals=deals, isolation=isolation, memory_mb=memory
        )
        play(replace(job, terms=terms))
        waiting = pool.living().idle.items()
        assert sum(len(some) for key, some in waiting if key.memory_mb == memory) == processes


@BOTH
def test_a_wish_to_stop_is_heard_while_a_bot_thinks(make_job, isolation):
    job = make_job(f"{BOTS}:Slow", "random", matches=1, isolation=isolation)
    began = time.perf_counter()
    assert play_matches(job, lambda: time.perf_counter() - began > 0.3) is None
    assert time.perf_counter() - began < 5


# --- checks: here, before what needs another keeper ----------------------------------------------------


def example(name, tmp_path):
    if name == "bot.js":
        if shutil.which("node") is None:
            pytest.skip("node is not installed: examples/bot.js is not tested")
        return f"node {ROOT / 'examples' / name}"
    if name == "bot.c":
        if shutil.which("cc") is None:
            pytest.skip("cc is not installed: examples/bot.c is not tested")
        warnings = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]
        source, binary = ROOT / "examples" / name, tmp_path / "bot"
        subprocess.run(["cc", "-O1", *warnings, "-o", binary, source], check=True)
        return str(binary)
    return f"{sys.executable} {ROOT / 'examples' / name}"


@pytest.mark.parametrize("game", ["connect_four", pytest.param("karmaka", marks=FULL)])
@pytest.mark.parametrize(
    "name", ["line_bot.py", *(pytest.param(n, marks=FULL) for n in ("bot.js", "bot.c"))]
)
def test_the_examples_in_three_languages_pass_the_check(tmp_path, name, game):
    text = f'process:command="{example(name, tmp_path)}"'
    assert [problem for _, problem in check_bot(text, game, 2)] == [""] * 5


def test_the_check_says_what_a_program_said():
    text = f'process:command="{sys.executable} {PROGRAM} exits"'
    *before, (step, problem) = check_bot(text, "connect_four", 1)
    assert [found for _, found in before] == ["", ""]
    assert step.startswith("answers")
    assert problem.splitlines() == [
        "act: the process ended with exit code 4",
        "it said: no more of this",
    ]


# --- the end of a worker -------------------------------------------------------------------------------


WORKER = """
import sys
from arena.playing.match import Job, play_matches
from arena.plan.spec import Limits
from bots.registry import parse_bot
from engines.core import load_game
import numpy as np

game = load_game("connect_four")
bots = tuple(parse_bot(text) for text in sys.argv[1:])
job = Job(game, game.Variant(), 2, bots, ("1", "2"), 1, np.array([[0, 1]]), np.arange(1), Limits())
play_matches(job)
"""


@pytest.mark.parametrize(
    "name",
    [
        "KeepsPlayingWithChildren",
        *(pytest.param(n, marks=FULL) for n in ("IgnoresTerminate", "Spinning")),
    ],
)
def test_all_bots_die_with_a_worker_that_is_killed(name, tmp_path):
    mark = f"mark-{os.getpid()}-{name}"
    environment = {**os.environ, "ARENA_MARK": mark, "TMPDIR": str(tmp_path)}
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, f"{BOTS}:{name}", "random"],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    least = 4 if name.startswith("Keeps") else 3  # worker, keeper, bot (and what it started)
    assert until(lambda: len(marked(mark)) >= least, 60)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert until(lambda: marked(mark) == [], 5), marked(mark)
    assert list(tmp_path.glob("arena-bot-*")) == []


def marked(mark):
    found = []
    for process in filter(lambda path: path.name.isdigit(), Path("/proc").iterdir()):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def until(true, seconds):
    end = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


# --- what a bot can find -------------------------------------------------------------------------------


def test_no_true_position_is_anywhere_in_the_process_of_a_bot(make_job):
    game = load_game("karmaka")
    states = game.new_state(2, game.Variant(), seeded(deal_seed(1, 0)))
    true = np.frombuffer(states.tobytes(), np.uint8)
    seen = np.frombuffer(game.view(states, 0).tobytes(), np.uint8)
    hidden = "".join("x" if a != b and a else "." for a, b in zip(true, seen, strict=True))
    length = max(map(len, hidden.split(".")))
    start = hidden.index("x" * length)
    assert length >= 12
    secret = true[start : start + length].tobytes()
    masked = bytes(byte ^ 0x5A for byte in secret).hex()
    job = make_job(
        f"{BOTS}:Searches:secret={masked}",
        "random",
        game="karmaka",
        seats=[[0, 1]],
        isolation="process",
        decision_seconds=120,
    )
    (row,) = play(job)
    assert (
        "{'frames': False, 'collector': False, 'memory': False, 'its view': True}"
        in row["fault_text"]
    )
    if not row["actions"]:  # else the search would be for a position that is past
        assert row["fault_seat"] == 0


def test_a_bot_has_no_files_but_its_own(make_job, tmp_path):
    file = tmp_path / "looks.py"
    file.write_text(
        BOTS.read_text()
        + "\n\nclass Looks(First):\n    def act(self, view, legal):\n"
        + "        raise RuntimeError(sorted(os.listdir('/proc/self/fd'), key=int)[:-1], os.getcwd())\n"
    )
    (row,) = play(make_job(f"{file}:Looks", "random", matches=1, isolation="process"))
    assert "['0', '1', '2', '3', '4']" in row["fault_text"]
    assert "arena-bot-" in row["fault_text"]


def test_it_may_write_into_its_own_folder_only(make_job, tmp_path):
    version = __import__("ctypes").CDLL(None).syscall(444, None, 0, 1)
    if version < 1:
        pytest.skip("this kernel has no Landlock")
    (tmp_path / "matches").mkdir()
    (row,) = play(
        make_job(f"{BOTS}:Writes:folder={tmp_path}", "random", matches=1, isolation="process")
    )
    assert row["worker_stderr"].count("Permission denied") == 3
    assert [path.name for path in tmp_path.rglob("*")] == ["matches"]


# --- programs ------------------------------------------------------------------------------------------


SERVED = [("mcts:simulations=20", "karmaka", 3), ("random", "connect_four", 2)]


@pytest.mark.parametrize(
    ("bot", "game", "players"),
    [
        *SERVED,
        *(
            pytest.param(bot, *table, marks=FULL)
            for bot in ("random", "greedy:samples=2", "mcts:simulations=20")
            for table in (("connect_four", 2), ("karmaka", 2), ("karmaka", 3))
            if (bot, *table) not in SERVED
        ),
    ],
)
def test_a_served_bot_plays_as_the_bot_itself(make_job, game, players, bot):
    seats = [[0, 1, 1][:players], [1, 0, 1][:players]]
    inside = make_job(bot, "random", game=game, players=players, seats=seats)
    outside = replace(inside, bots=(parse_bot(f'process:command="{SERVE} {bot}"'), inside.bots[1]))
    assert alike(play(inside)) == alike(play(outside))


def test_a_view_that_travelled_is_the_same_to_the_last_byte(any_setting):
    from arena.authoring.checks.walks import positions

    game = any_setting.game
    decisions = [p for p in positions(any_setting, 300) if p.to_act >= 0]
    for position in decisions[::23]:
        legal = list(position.legal)
        view = View(game, game.view(position.states, position.to_act), legal, (), 7)
        variant = any_setting.variant
        message = json.loads(protocol.line(protocol.reset(1, variant, view, 7)))
        again = protocol.read_variant(game, message["variant"])
        assert again == variant
        read = protocol.read_view(game, again, message["players"], message, [])
        assert read.record.tobytes() == view.record.tobytes()
        assert read.legal() == view.legal()


def test_fields_and_messages_that_a_bot_does_not_know_are_ignored():
    served = Served("random")
    view = opening_view(load_game("connect_four"))
    assert served.reply({**protocol.hello(1), "colour": "red"})["protocol"] == 1
    assert served.reply({"type": "weather", "id": 2}) is None
    reset = protocol.reset(3, load_game("connect_four").Variant(), view, 1)
    assert served.reply({**reset, "new": [1, 2]}) == {"type": "reset", "id": 3}
    assert served.reply({**protocol.act(4, view, [], 1), "new": {}})["action"].startswith("drop ")
    assert served.reply(protocol.close()) is None


# --- files travel --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["python", "program"])
def test_files_of_bots_travel_to_a_worker_that_does_not_have_them(tournament, tmp_path, kind):
    file = tmp_path / "travels.py"
    file.write_text((BOTS if kind == "python" else PROGRAM).read_text())
    command = f"{sys.executable} {file} plays-on"
    bot = f"{file}:First" if kind == "python" else f'process:command="{command}"'
    resolved = tournament(bots=["random", bot], deals=1)
    lineups = make_lineups(resolved)
    (group,) = what_remains(
        resolved,
        lineups,
        lambda one: ((m for b in make_blocks([one]) for m in b.matches()), count_matches([one])),
    )
    order = batch_of(group.conditions, tuple(group.matches))
    file.unlink()
    rows = play(job_of(order))
    assert [row["ending"] for row in rows] == ["finished"] * 2


# --- packets and processes -----------------------------------------------------------------------------


def test_questions_and_answers_travel_as_they_are():
    view = opening_view(load_game("karmaka"))
    asked = View(view.game, view.record, [4, 5, 60_000], (), 1)
    packet = pack_request(3, 17, (1 << 64) - 1, asked, [(0, 4), (1, 5)])
    found = read_request(packet)
    assert (found.kind, found.number, found.seed, found.legal) == (
        3,
        17,
        (1 << 64) - 1,
        (4, 5, 60_000),
    )
    assert found.record == view.record.tobytes()
    assert [tuple(event) for event in found.events] == [(0, 4), (1, 5)]
    assert read_answer(pack_answer(17, 1, -1, "wörter")) == (17, 1, -1, "wörter")
    for rubbish in (b"", b"x" * 10, pack_answer(1, 0) + b"x", pack_answer(1, 77)):
        with pytest.raises(ValueError, match=r"too short|no answer"):
            read_answer(rubbish)


def test_children_are_found_with_and_without_the_kernels_list():
    with subprocess.Popen(["sleep", "60"]) as child:
        assert child.pid in children_of(os.getpid())
        assert child.pid in scanned_children(os.getpid())
        child.kill()
