"""A clock for each player: what it costs and shows, who loses on time and who hangs, in every kind of process."""

import json
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan.shapes import ClockEntry, read_clock
from arena.plan.spec import Limits, parse_spec
from arena.plan.tournament import resolve
from arena.playing.clocks import Clocks
from arena.playing.containment.packets import pack_request, read_request
from arena.playing.faults import Fault
from arena.playing.match import columns, play_matches
from arena.playing.play import play, sit_down
from arena.playing.referee import Ending
from arena.store.parts import table_from_columns
from arena.store.run_folder import load_spec, read_matches
from bots import protocol
from bots.contract import Clock, View
from engines.core import load_game
from engines.errors import UserError
from engines.rng import seeded
from tests.walls import PROCESS, SANDBOX

ROOT = Path(__file__).resolve().parents[3]
ISOLATIONS = [
    "none",
    PROCESS,
    SANDBOX,
]
PYTHON = '''
import sys, time
class First:
    seconds = 0.0
    def reset(self, game, view, seed):
        self.decisions = 0
        print(view.clock, file=sys.stderr)
    def act(self, view, legal):
        self.decisions += 1
        if self.decisions == 3:
            time.sleep(self.seconds)
        return legal[0]
    def close(self):
        pass
class Slow(First):
    seconds = 0.19
class Hangs(First):
    seconds = 0.4
class Frugal(First):
    """Fails unless it is shown that its time goes down and comes back, and the other's does not.

    At least what it slept is gone, and at most what passed since its last answer.
    """
    def act(self, view, legal):
        own, other = view.clock.seconds[view.player], view.clock.seconds[1 - view.player]
        assert view.clock.increment == 0.02 and other > 0
        now = time.perf_counter()
        if self.decisions > 1:
            gone = self.before + 0.02 - own
            assert self.slept - 0.001 < gone < now - self.answered + 0.001, (gone, self.slept)
        if self.decisions:
            self.answered = self.ended
        self.decisions += 1
        self.before = own
        time.sleep(0.03)
        self.ended = time.perf_counter()
        self.slept = self.ended - now
        return legal[0]
'''
PROGRAM = """
import json, sys, time
seen = []
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "close":
        break
    answer = {"type": said["type"], "id": said["id"]}
    if said["type"] == "hello":
        answer["protocol"] = 1
    elif said["type"] == "act":
        assert "clock" not in said["position"]
        seen.append(said["clock"]["seconds"][said["player"] if "player" in said else 0])
        print(json.dumps(said["clock"]), file=sys.stderr)
        if len(seen) == 3:
            time.sleep(float(sys.argv[1]))
        answer["action"] = said["legal"][0]
    print(json.dumps(answer), flush=True)
"""
CLOCK = ClockEntry(bank_seconds=0.15, increment_seconds=0.02)


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clocks")
    (folder / "bots.py").write_text(PYTHON)
    (folder / "program.py").write_text(PROGRAM)
    return folder


def rows_of(job, clock=CLOCK):
    job = replace(job, clock=clock)
    played = play_matches(job)
    names = dict.fromkeys(("lineup_id", "game", "variant_id"), ["x"] * len(job.deals))
    table = {**names, "players": [job.players] * len(job.deals), **columns(job, played)}
    return table_from_columns(table).to_pylist()


def test_time_goes_down_and_an_increment_comes_back():
    clocks = Clocks(CLOCK, 2)
    clocks.begin(0)
    clocks.press(0, 30_000_000)
    assert clocks.seen().seconds == pytest.approx((0.14, 0.15))
    clocks.press(0, 20_000_000, decided=False)
    assert clocks.seen().seconds == pytest.approx((0.12, 0.15))
    with pytest.raises(Fault, match=r"decision 2 took 0\.121 s, 0\.120 s were left") as late:
        clocks.press(0, 120_600_000)
    assert late.value.ending == Ending.OUT_OF_TIME
    clocks.begin(1)
    assert clocks.seen().seconds == (0.15, 0.15)


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_who_answers_late_loses_on_time_and_who_does_not_answer_hangs(make_job, bots, isolation):
    def row_of(name, limit, clock):
        job = make_job(f"{bots / 'bots.py'}:{name}", "random", isolation=isolation, matches=1)
        return rows_of(replace(job, limits=Limits(decision_seconds=limit)), clock)[0]

    late = row_of("Slow", 60.0, CLOCK)
    hung = row_of("Hangs", 0.2, ClockEntry(bank_seconds=3600, increment_seconds=0))
    assert (late["ending"], late["fault_seat"], late["ranks"]) == ("out of time", 0, [2, 1])
    assert re.search(r"out of time: decision \d took 0\.\d+ s, 0\.\d+ s were", late["fault_text"])
    assert "(0.15 s a match and 0.02 s more a decision)" in late["fault_text"]
    assert late["seconds"][0] > CLOCK.bank_seconds
    assert (hung["ending"], hung["fault_seat"]) == ("timeout", 0)
    assert "act took over 0.2 s" in hung["fault_text"]


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_python_bot_is_shown_what_it_has_left(make_job, bots, isolation):
    job = make_job(f"{bots / 'bots.py'}:Frugal", "random", matches=2, isolation=isolation)
    rows = rows_of(job, ClockEntry(bank_seconds=5, increment_seconds=0.02))
    assert [(row["ending"], row["fault_text"]) for row in rows] == [("finished", "")] * 2


def test_without_a_clock_a_view_has_none_and_a_message_no_field():
    game = load_game("connect_four")
    view = game_view(game)
    assert view.clock is None
    assert "clock" not in protocol.act(1, view, (), 0)
    clock = Clock((1.5, 0.25), 1.0)
    shown = View(game, view.record, view.legal(), (), 0, clock)
    message = json.loads(protocol.line(protocol.act(1, shown, (), 0)))
    assert message["clock"] == {"seconds": [1.5, 0.25], "increment_seconds": 1.0}
    assert "clock" not in message["position"]
    assert protocol.read_view(game, game.Variant(), 2, message, ()).clock == clock
    for one in (clock, None):
        asked = View(game, view.record, [4, 5], (), 2, one)
        packet = pack_request(3, 1, 2, asked, [(0, 1)])
        request = read_request(packet)
        assert (request.clock, request.legal, request.events) == (one, (4, 5), ((0, 1),))


def game_view(game):
    states = game.new_state(2, game.Variant(), seeded(1))
    return View(game, game.view(states, 0), game.legal(states).tolist(), (), 0)


@pytest.mark.parametrize(
    ("sleeps", "ending"),
    [pytest.param(0.0, "finished", marks=pytest.mark.full), (0.19, "out of time")],
)
def test_a_program_is_told_its_time_and_may_ignore_it(make_job, bots, sleeps, ending):
    program = f'process:command="{sys.executable} {bots / "program.py"} {sleeps}"'
    (row,) = rows_of(make_job(program, "random", matches=1, isolation="process"))
    assert row["ending"] == ending, row["fault_text"]
    old = f'process:command="{sys.executable} {ROOT / "examples" / "line_bot.py"}"'
    (row,) = rows_of(make_job(old, "random", matches=1, isolation="process"))
    assert row["ending"] == "finished"  # protocol 1 from before there were clocks


def test_a_search_in_the_worker_is_stopped_when_its_time_is_over(make_job):
    began = time.process_time()
    endless = "mcts:simulations=100000000"
    for row in rows_of(make_job(endless, "greedy", matches=2)):
        assert row["ending"] == "out of time"
        assert "mcts" not in row["fault_text"]
        assert row["seconds"][row["fault_seat"]] > 0.15
    assert time.process_time() - began < 2  # of the processor, whoever else is at work
    for row in rows_of(make_job("mcts:simulations=20", "greedy", matches=2)):
        assert row["ending"] == "finished"


def test_at_a_table_of_three_others_play_on(make_job, bots):
    job = make_job(f"{bots / 'bots.py'}:Slow", "random", "random", game="karmaka", matches=1)
    (row,) = rows_of(job)
    assert (row["ending"], row["fault_seat"], row["ranks"][0]) == ("out of time", 0, 3)
    assert sorted(row["ranks"])[:2] in ([1, 1], [1, 2])


# --- in a run -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run in which one bot loses its matches on time."""
    folder = tmp_path_factory.mktemp("timed")
    spec = {
        "name": "timed",
        "games": ["connect_four"],
        "bots": ["greedy", "mcts:simulations=100000000"],
        "deals": 1,
        "clock": {"bank_seconds": 0.2, "increment_seconds": 0},
    }
    (folder / "timed.yaml").write_text(yaml.safe_dump(spec))
    carry_out(resolve(parse_spec(spec)), folder / "run", workers=0, progress=False)
    return folder


def test_a_run_shows_its_clock_and_who_lost_on_time(arena, run):
    code, out, err = arena("report", run / "run")
    assert (code, err) == (0, "")
    assert "clock: 0.2 s a match and 0 s more a decision; used in a match on average: greedy" in out
    assert "matches lost on time: mcts:simulations=100000000 2 of 2" in out
    page = (run / "run" / "report.html").read_text()
    assert "The clock" in page
    assert "matches lost on time" in page


def test_a_result_of_time_is_kept_and_never_played_again(arena, run):
    before = read_matches(run / "run", actions=True)
    code, out, _ = arena("run", run / "timed.yaml", "--out", run / "run", "--workers", 0, "-q")
    assert code == 0
    assert "(0 new)" in out
    assert read_matches(run / "run", actions=True).equals(before)
    assert not load_spec(run / "run").reproducible
    name = before["match_id"][0]
    code, out, _ = arena("replay", run / "run", name)
    assert code == 0
    assert "s used" in out
    assert "clock: 0.2 s a match and 0 s more a decision" in out
    code, _, err = arena("replay", run / "run", name, "--rerun")
    assert code == 2
    assert "time has decided it (out of time)" in err
    code, out, _ = arena("replay", run / "run", name, "--html")
    assert code == 0


def test_a_changed_clock_is_said_before_it_plays(arena, run):
    setting = ("--set", "clock.bank_seconds=9")
    code, _, err = arena(
        "run", run / "timed.yaml", "--out", run / "run", "-q", "--workers", 0, *setting
    )
    assert code == 0
    assert (
        "clock: 0.2 s a match and 0 s more a decision before, now 9 s a match and 0 s more" in err
    )


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("clock.bank_seconds=0", "clock.bank_seconds: 0, expected more than 0"),
        ("clock.bank_seconds=long", "clock.bank_seconds: 'long', expected a number"),
        ("clock.increment=1", "clock.increment: unknown, did you mean increment_seconds?"),
        ("clock=5", "clock: 5, expected a mapping of bank_seconds, increment_seconds"),
        ("clock={increment_seconds: 1}", "clock.bank_seconds: missing"),
        ("store_actions=none", "store_actions: none, with a clock expected all"),
    ],
)
def test_a_bad_clock_is_one_line(arena, run, setting, told):
    code, out, err = arena("run", run / "timed.yaml", "--dry-run", "--set", setting)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


# --- at the terminal ------------------------------------------------------------------------------


def test_a_person_sees_the_clock_and_it_goes_on_with_the_match(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = []
    table = sit_down("connect_four", "human,greedy", 5, {}, "greedy", None, read_clock("300+5"))
    lines = iter(["1"])
    monkeypatch.setattr("arena.playing.play.now", lambda: 0)
    table.ask, table.say = lambda _: next(lines, None) or leave(), said.append
    assert not play(table)
    told = [line for line in said if line.startswith("clock: ")]
    assert told == [
        "clock: you 5:00, player 2 (greedy) 5:00",
        "clock: you 5:05, player 2 (greedy) 5:05",
    ]
    again = sit_down(None, None, None, {}, "greedy", table.file)
    left = again.clocks.seen().seconds
    assert left == pytest.approx(table.clocks.seen().seconds, abs=0.01)


def leave():
    raise EOFError


def test_a_person_loses_on_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = []
    table = sit_down("connect_four", "human,greedy", 5, {}, "greedy", None, read_clock("0.01"))
    table.ask, table.say = lambda _: time.sleep(0.02) or "1", said.append
    assert play(table)
    assert "over: you lost on time: out of time: decision 1 took 0." in said[-1]


def test_a_clock_is_read_or_refused_in_a_line():
    assert read_clock("300+5").text == "300 s a match and 5 s more a decision"
    for text in ("", "long", "5+", "5+x", "-1", "0+5", "nan"):
        if text != "5+":
            with pytest.raises(UserError, match=r"--clock .*, expected seconds a match"):
                read_clock(text)
