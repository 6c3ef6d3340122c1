"""The page of a whole match of every game: small, whole, for every viewer."""

import itertools
import re
import time

import pytest

import arena.results.replay
from arena import load, match
from arena.execution.run import carry_out
from arena.pages.film import unpacked
from arena.pages.replay import end_text, fault_panel, time_text, write_replay
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.replay import last_words, replay_match
from arena.store.run_folder import read_matches
from engines.core import BUILT_IN, load_game
from tests.chromium import new_browser, resize

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


def test_the_terminal_tells_the_last_words_too(tmp_path, monkeypatch):
    assert last_words(FAULT, ["good", "bad"]).splitlines() == [
        "last words of player 2 (bad) on stderr:",
        "    | last <words>",
    ]
    match(
        "connect_four",
        ["random", "random"],
        deals=1,
        workers=0,
        progress=False,
        out=tmp_path / "run",
    )
    match_id = read_matches(tmp_path / "run")["match_id"].iloc[0]
    assert "stderr" not in list(replay_match(tmp_path / "run", match_id))[-1]

    def noisy(folder, match_id, opened=arena.results.replay.open_replay):
        replay = opened(folder, match_id)
        replay.row["worker_stderr"] = "hangs in close"
        return replay

    monkeypatch.setattr("arena.results.replay.open_replay", noisy)
    said = list(replay_match(tmp_path / "run", match_id))[-1]
    assert "\nlast words of a bot on stderr:\n    | hangs in close\nthe re-play agrees" in said


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


# --- in a browser -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """Opens the replay of a game at a moment, as wide as it is asked; returns the browser."""
    driver = new_browser(tmp_path_factory.mktemp("profile"))
    root, found = tmp_path_factory.mktemp("watched"), {}
    # random ones alone take ten times the actions in Sacrifice
    for name, bots in (("sacrifice", ["greedy", "random"]), ("karmaka", ["random"] * 4)):
        seats = len(bots)
        match(name, bots, players=seats, deals=1, workers=0, progress=False, out=root / name)
        found[name] = write_replay(root / name, read_matches(root / name)["match_id"].iloc[0])

    def visit(name, moment=0, width=1280):
        resize(driver, width, 800)
        driver.get("about:blank")
        driver.get(f"{found[name].as_uri()}#{moment}")
        for _ in range(100):
            if driver.execute_script("return document.documentElement.dataset.ready"):
                return driver
            time.sleep(0.05)
        raise AssertionError("the page does not get ready")

    yield visit
    driver.quit()


WITHIN = """
const [list, entry] = [document.getElementById(arguments[0]), document.querySelector(arguments[1])];
const [a, b] = [list.getBoundingClientRect(), entry.getBoundingClientRect()];
return b.top >= a.top - 1 && b.bottom <= a.bottom + 1;
"""
BOXES = """
return [...document.querySelectorAll(".drawing")].map((figure) => {
  const [box, svg] = [figure.getBoundingClientRect(), figure.querySelector("svg")];
  const [inside, view] = [svg.getBoundingClientRect(), svg.viewBox.baseVal];
  const scale = Math.min(inside.width / view.width, inside.height / view.height);
  return [box.left, box.top, box.right, box.bottom, scale * view.width];
});
"""


@pytest.mark.shown
def test_what_is_played_and_chosen_is_in_sight_in_its_list(watched):
    for moment in (1, 40, 90):
        driver = watched("sacrifice", moment)
        assert driver.execute_script(WITHIN, "moves", "#moves [aria-current]")
        assert driver.execute_script(WITHIN, "legal", "#legal .chosen")
    driver.execute_script("location.hash = '#12'")
    time.sleep(0.2)
    told = driver.execute_script("return document.getElementById('told').textContent")
    assert told.startswith("Action 12 of ")
    assert driver.execute_script(WITHIN, "moves", "#moves [aria-current]")


@pytest.mark.shown
def test_a_board_fills_its_panel_and_low_panels_leave_no_holes(watched):
    board, north, south = watched("sacrifice", 40).execute_script(BOXES)
    assert board[4] >= 0.9 * (board[2] - board[0])  # as wide as its panel
    assert north[0] > board[2]
    assert south[0] > board[2]
    assert south[3] == pytest.approx(board[3], abs=2)  # as the board lies
    panels = watched("karmaka", 40).execute_script(BOXES)
    columns = {}
    for left, top, _, bottom, _ in panels:
        columns.setdefault(round(left), []).append((top, bottom))
    assert len(columns) == 3
    for stacked in columns.values():
        for (_, above), (below, _) in itertools.pairwise(stacked):
            assert below - above == pytest.approx(12, abs=2)
    for name in ("sacrifice", "karmaka"):
        driver = watched(name, 40, 390)
        assert len({round(left) for left, *_ in driver.execute_script(BOXES)}) == 1
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
