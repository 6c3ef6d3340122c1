"""Runs that live on: bots come, go and get new versions, limits change, and every change says what it does."""

import fcntl
import math
import re
import shutil

import pandas as pd
import pytest
import yaml

from arena.pages.charts import over_time
from arena.pages.drawing import svg_text
from arena.pages.history import drawn_rows
from arena.results.league import hidden, read_history, version_of
from arena.results.report import make_tables
from arena.results.stored import load
from arena.store.parts import FRESH
from arena.store.run_folder import load_spec, read_matches

LEAGUE = {
    "name": "league",
    "seed": 5,
    "games": [{"game": "connect_four", "opening": 2}],
    "bots": ["random", "greedy", {"name": "deep@1", "bot": "mcts:simulations=4"}],
    "deals": 12,
}
NEWER = {"name": "deep@2", "bot": "mcts:simulations=8"}


@pytest.fixture
def week(tmp_path, arena):
    """Play the league as a config says: what was printed, and on stderr."""

    def play(folder="league", **changes):
        file = tmp_path / "league.yaml"
        file.write_text(yaml.safe_dump({**LEAGUE, **changes}))
        call = ("run", file, "--out", tmp_path / folder, "--workers", "0", "--quiet")
        code, out, err = arena(*call)
        assert code == 0, err
        return out, err

    return play


def test_a_league_of_three_weeks(week, tmp_path, arena, request):
    folder = tmp_path / "league"
    out, err = week()
    assert "72 of 72 matches" in out
    assert f"as a page: arena report {folder}" in out
    assert "before, now" not in err

    # A week later: a new version, and less time to think.
    bots = [*LEAGUE["bots"], NEWER]
    out, err = week(bots=bots, limits={"decision_seconds": 2})
    assert "limits.decision_seconds: 10 before, now 2; 72 stored matches were played under" in err
    assert "144 of 144 matches" in out
    assert "(72 new)" in out
    assert "not on the board: deep@1 (older than deep@2, Elo" in out
    assert "deep@1" not in make_tables(folder).standings.entrant.tolist()

    # Another week: one leaves, fewer deals are asked for.
    left = [{"bot": "greedy", "retired": "dropped"}, *[bot for bot in bots if bot != "greedy"]]
    out, err = week(bots=left, limits={"decision_seconds": 2}, deals=10)
    assert "'greedy' plays no more; its 72 stored matches stay and count for its opponents" in err
    assert "connect_four (default) with 2 players: 12 deals before, now 10; 72 stored" in err
    assert "greedy (retired, Elo" in out
    made = make_tables(folder)
    assert made.standings.entrant.tolist()[0] == "deep@2"
    assert made.standings.rank_worst.max() == len(made.standings) == 2  # of those on the board
    assert not made.unfinished
    assert len(read_matches(folder)) == 144

    # The same again says nothing and plays nothing.
    out, err = week(bots=left, limits={"decision_seconds": 2}, deals=10)
    assert "plays no more" not in err
    assert "(0 new)" in out

    assert arena("report", folder)[0] == 0
    page = (folder / "report.html").read_text()
    assert "Ratings after each call that played" in page
    drawn = page.partition('<section id="history"')[2]
    assert "is rated highest after 2 calls" in drawn
    assert 'role="graphics-document"' in drawn
    assert drawn.count('aria-label="deep@1, ') == 2
    assert drawn.count('aria-label="deep@2, ') == 1
    assert ">@2</text>" in drawn
    assert drawn.count("<svg") == 1
    request.getfixturevalue("undrawn")

    # Another machine has played other deals.
    week("elsewhere", bots=bots, seed=6, deals=2)
    boards = tmp_path / "boards"
    code, out, _ = arena("leaderboard", folder, tmp_path / "elsewhere", "--out", boards)
    assert code == 0
    assert "deep@2" in out
    assert 'id="history"' in (boards / "leaderboard.html").read_text()
    assert "deep@1" in page

    history = load(folder).history
    assert history.stored.unique().tolist() == [72, 144]
    assert set(history[history.bot == "deep"].version) == {1, 2}
    assert set(history.entrant) == {"random", "greedy", "deep@1", "deep@2"}


def test_one_point_in_time_is_no_history_and_a_run_begun_anew_has_its_own(
    week, tmp_path, arena, undrawn
):
    folder = tmp_path / "league"
    week(deals=1)
    assert arena("report", folder)[0] == 0
    assert 'id="history"' not in (folder / "report.html").read_text()
    file = tmp_path / "league.yaml"
    call = ("run", file, "--out", folder, "--workers", "0", "--quiet", "--seed", 6)
    for more in ((), ("--dry-run",)):  # which says the same before anything is played
        code, _, err = arena(*call, *more)
        assert (code, err) == (2, f"error: {folder}: started with seed 5, now 6 ({FRESH})\n")
    assert arena(*call, "--fresh")[0] == 0  # with as many matches as there were
    before, now = read_history(folder / "old-1"), read_history(folder)
    assert len(before) == len(now) == 3
    assert not set(before.time) & set(now.time)


def test_the_history_draws_bounds_and_what_has_no_interval():
    nan, inf = math.nan, math.inf
    rows = pd.DataFrame(
        [
            ("2026-10-01", "a", "a", 0, 10.0, nan, nan),
            ("2026-10-08", "a", "a", 0, 12.0, 2.0, 22.0),
            ("2026-10-08", "b@3", "b", 3, 90.0, 60.0, inf),
            ("2026-10-08", "c", "c", 0, -900.0, -2000.0, -500.0),
        ],
        columns=["time", "entrant", "bot", "version", "elo", "elo_low", "elo_high"],
    )
    rows = rows.assign(when=pd.to_datetime(rows["time"], utc=True), matches=4)
    drawn, left = drawn_rows(rows)
    assert left == 0
    assert drawn.entrant.tolist() == ["b@3", "a", "a", "c"]
    assert drawn.beyond.tolist() == ["above", "", "", "below"]
    assert drawn.begins.tolist() == ["@3", "", "", ""]
    assert "60 or more" in drawn.hover[0]
    low, high = drawn.attrs["domain"]
    assert drawn.value.between(low, high).all()
    said = svg_text(over_time(drawn), "chart1", "the course")
    assert said.count("aria-label=") == 1 + len(drawn)
    assert "NaN" not in said


def test_a_retired_bot_need_not_be_there_any_more(week, tmp_path):
    bot = tmp_path / "mine.py"
    bot.write_text(
        "class Mine:\n"
        "    def reset(self, game, view, seed):\n        pass\n"
        "    def act(self, view, legal):\n        return legal[0]\n"
        "    def close(self):\n        pass\n"
    )
    mine = {"name": "mine", "bot": f"{bot}:Mine"}
    week(bots=["random", "greedy", mine], isolation="none")
    bot.unlink()
    out, _ = week(bots=["random", "greedy", {**mine, "retired": True}], isolation="none", deals=14)
    assert "28 of 28 matches" in out  # of the two that play on
    assert "mine" in make_tables(tmp_path / "league").standings.entrant.tolist()


def test_versions_are_numbers_behind_a_name():
    assert version_of("deep@12") == ("deep", 12)
    assert version_of("deep") == ("deep", 0)
    assert version_of("deep@new") == ("deep@new", 0)


def test_a_dropped_version_gives_its_place_to_the_one_before(week, tmp_path):
    week(bots=["random", LEAGUE["bots"][2], NEWER])
    week(bots=["random", LEAGUE["bots"][2], {**NEWER, "retired": "dropped"}])
    assert hidden(load_spec(tmp_path / "league")) == {"deep@2": "retired"}


def test_a_league_of_retired_bots_is_refused(week, tmp_path, arena):
    file = tmp_path / "none.yaml"
    file.write_text(yaml.safe_dump({**LEAGUE, "bots": [{"bot": "random", "retired": True}]}))
    code, _, err = arena("run", file, "--out", tmp_path / "run")
    assert (code, err) == (2, "error: bots: all of them are retired\n")


def state_of(arena, folder):
    code, out, _ = arena("runs", folder)
    assert code == 0
    return out.splitlines()[1].removeprefix(str(folder)).strip()


def test_a_run_that_was_decided_says_so(tmp_path, arena):
    decided = tmp_path / "decided"
    call = ("match", "connect_four", "random", "greedy", "--until", "90", "--max-deals", "300")
    call = (*call, "--workers", "0", "-q")
    assert arena(*call, "--out", decided)[0] == 0
    assert state_of(arena, decided).startswith("decided")


@pytest.mark.parametrize("schedule", ["swiss", pytest.param("adaptive", marks=pytest.mark.full)])
def test_a_run_that_was_stopped_between_rounds_says_so(schedule, tmp_path, arena, undrawn):
    folder, file = tmp_path / schedule, tmp_path / f"{schedule}.yaml"
    file.write_text(yaml.safe_dump({**LEAGUE, "schedule": schedule, "deals": 4}))
    call = ("run", file, "--out", folder, "--workers", "0", "-q")
    code, out, _ = arena(*call, "--matches", "14")
    assert code == 0
    assert (
        "stopped by --matches 14: more is to be played, the same command with more, or without, goes on"
        in out
    )
    (state,) = re.findall(r"stopped after round \d+", state_of(arena, folder))
    code, out, _ = arena("report", folder)
    assert code == 0
    assert f"{state}, the run is not finished" in out
    assert f"{state.capitalize()}: " in (folder / "report.html").read_text()
    code, out, _ = arena(*call, "--minutes", "60")
    assert code == 0
    assert "stopped by" not in out
    assert state_of(arena, folder).startswith("complete")


def test_runs_are_listed_with_their_state(week, tmp_path, arena):
    week("one", deals=2)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with (tmp_path / "two" / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, out, _ = arena("runs", tmp_path)
    assert code == 0
    one, two = out.splitlines()[1:]
    assert "complete" in one
    assert "12 of 12" in one
    assert "being played" in two
    left = ["random", {"bot": "greedy", "retired": True}, LEAGUE["bots"][2]]
    week("two", bots=left, deals=2)
    _, out, _ = arena("runs", tmp_path)
    assert "complete" in out.splitlines()[2]  # all that it wants has been played
    code, _, err = arena("runs", tmp_path / "nowhere")
    assert (code, err) == (2, f"error: {tmp_path / 'nowhere'}: no such folder\n")
