"""The page of a whole match of every game: small, whole, for every viewer."""

import re

import pytest

from arena import load, match
from arena.execution.run import carry_out
from arena.pages.film import unpacked
from arena.pages.replay import end_text, fault_panel, time_text, write_replay
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.replay import replay_match
from arena.store.run_folder import read_matches
from engines.core import BUILT_IN, load_game

MOST_BYTES = 1_000_000
FAULT = {
    "fault_seat": 1,
    "fault_text": "act raised <KeyError>",
    "ending": "crash",
    "worker_stderr": "last <words>",
}


QUICK = (
    "connect_four",
)  # whose match is drawn in a moment; tests/arena/pages/test_pages.py draws Karmaka too


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in BUILT_IN],
)
def test_a_match_at_the_largest_table_is_one_small_page(name, tmp_path):
    players = max(load_game(name).players)
    spec = {
        "name": "one",
        "games": [{"game": name, "players": players}],
        "bots": ["random"],
        "schedule": "self_play",
        "deals": 1,
    }
    carry_out(resolve(parse_spec(spec)), tmp_path, workers=0, progress=False)
    match_id = read_matches(tmp_path)["match_id"].iloc[0]
    page = write_replay(tmp_path, match_id).read_text(encoding="utf-8")
    assert len(page.encode()) <= MOST_BYTES
    film = unpacked(re.search(r'id="film">(.*?)</script>', page)[1])
    assert all(len(scenes) == 1 + players for scenes in film["scenes"])
    for number, panel in enumerate(film["panels"]):
        assert panel[5] < number  # told as its difference from one before it


def test_a_fault_is_told_with_the_last_words_of_the_bot():
    said = fault_panel(FAULT, ["good", "bad"])
    assert "player 2 (bad) lost by a fault: act raised &lt;KeyError&gt;" in said
    assert "last &lt;words&gt;" in said
    fine = {"fault_seat": -1, "worker_stderr": ""}
    assert fault_panel(fine, ["good", "bad"]) == ""
    assert "hangs in close" in fault_panel({**fine, "worker_stderr": "hangs in close"}, [])
    assert end_text({"fault_seat": -1, "reason": "full_board"}, []) == "over: full board"


def test_a_replay_says_what_each_action_took_where_that_was_kept(tmp_path):
    bots = ["random", "mcts:simulations=6000"]
    match("connect_four", bots, deals=1, workers=0, progress=False, out=tmp_path / "run")
    match_id = read_matches(tmp_path / "run")["match_id"].iloc[0]
    page = write_replay(tmp_path / "run", match_id).read_text(encoding="utf-8")
    film = unpacked(re.search(r'id="film">(.*?)</script>', page)[1])
    assert "Time used for each action" in page
    slow = {one["actor"] for one in film["moves"] if one["seconds"] > 0.001}
    assert len(slow) == 1
    (row,) = load(tmp_path / "run").actions(match_id).query("forced == False").tail(1).itertuples()
    assert row.seconds == pytest.approx(film["moves"][row.number - 1]["seconds"], abs=1e-6)
    last = list(replay_match(tmp_path / "run", match_id, positions=False))[-3]
    assert last.endswith("s)")


def test_times_are_told_in_a_unit_that_suits_them():
    assert [time_text(s) for s in (0.0000421, 0.0123, 2.34)] == ["42 µs", "12 ms", "2.3 s"]
