"""Runs merged into boards: nothing counts twice, nothing mixes that does not belong together."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from arena.execution.run import carry_out
from arena.pages.leaderboards import boards_text, markdown_text, write_boards
from arena.results import reading
from arena.results.leaderboards import circles, make_boards, surprises
from arena.results.report import make_tables
from arena.store import merging
from engines.errors import UserError

BOTS = ["random", "greedy", "mcts:simulations=5"]
OTHER = {"game": "connect_four", "variant": {"rows": 4, "columns": 5, "connect": 3}}


@pytest.fixture(scope="module")
def played():
    """The folders of runs that tests of this file have made, by what was asked for."""
    return {}


@pytest.fixture
def run(tournament, tmp_path, tmp_path_factory, played):
    """Play a tournament into a folder of its own; who asks for the same again gets a copy."""

    def go(name, **changes):
        if (key := repr(changes)) not in played:
            played[key] = tmp_path_factory.mktemp("played") / "run"
            resolved = tournament(**{"bots": BOTS, "deals": 12, **changes})
            carry_out(resolved, played[key], workers=0, progress=False)
        return Path(shutil.copytree(played[key], tmp_path / name))

    return go


def test_one_run_alone_has_the_board_of_its_report(run):
    folder = run("a")
    boards = make_boards([folder])
    alone = make_tables(folder).standings
    merged = boards.made.standings
    same = [column for column in alone.columns if "seconds" not in column]
    assert merged[same].equals(alone[same])
    assert merged["alpha_rank"].sum() == pytest.approx(1)
    assert merged["alpha_rank"].is_monotonic_decreasing


def test_a_run_given_twice_counts_once(run):
    folder = run("a")
    once, twice = make_boards([folder]), make_boards([folder, folder])
    assert once.made.stored == twice.made.stored == 72
    assert once.made.standings.equals(twice.made.standings)


def test_equal_deals_of_two_seeds_are_different_deals(run):
    boards = make_boards([run("a"), run("b", seed=4)])
    assert boards.made.stored == 144
    assert boards.made.results.matches["deal"].nunique() == 24
    assert boards.made.standings["matches"].tolist() == [96, 96, 96]


def board_frames(boards):
    made = boards.made
    frames = (made.standings, made.head_to_head, made.pairs, made.seats, made.faults, made.endings)
    return *frames, boards.surprises, boards.circles, boards.fits


@pytest.mark.full
def test_boards_of_sums_are_those_of_rows(run, tmp_path, monkeypatch):
    """Another seed, the same seed with other bots, and one that shares matches; in all below 997 deals."""
    monkeypatch.setattr("arena.results.pools.SAMPLE_BITS", 0)
    opened = {"games": [{"game": "connect_four", "opening": 3}]}
    folders = [
        run("a", **opened),
        run("b", seed=4, deals=20, **opened),
        run("c", bots=BOTS[1:], deals=15, **opened),
        run("d", bots=[*BOTS, "mcts:simulations=4"], seed=4, deals=11, **opened),
    ]
    rows = make_boards(folders)
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    sums = make_boards(folders)
    assert sums.made.results.pools
    assert sums.made.stored == rows.made.stored
    for one, other in zip(board_frames(rows), board_frames(sums), strict=True):
        same = [name for name in one.columns if name not in ("example", "stderr")]
        pd.testing.assert_frame_equal(
            one[same], other[same], check_dtype=False, rtol=1e-9, atol=1e-12
        )
    assert boards_text(sums) == boards_text(rows)
    write_boards(sums, tmp_path / "board")
    (one,), (other,) = rows.made.results.groups, sums.made.results.groups
    for name in ("elo", "low", "high", "matches", "deals", "resamples", "log_worths"):
        np.testing.assert_array_equal(getattr(one.ratings, name), getattr(other.ratings, name))
    np.testing.assert_array_equal(one.ratings.spread.covariance, other.ratings.spread.covariance)


def test_boards_of_sums_keep_the_sums_of_runs_and_leave_those_of_shared_deals(run, monkeypatch):
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    monkeypatch.setattr(merging, "LARGE_ROWS", 1)
    a, b, c = run("a"), run("b", seed=4), run("c", bots=BOTS[1:], seed=4)
    make_boards([a, b, c])
    assert [len(list(folder.glob("matches/*.sums"))) for folder in (a, b, c)] == [1, 0, 0]


def test_runs_with_different_bots_meet_through_those_they_share(run):
    boards = make_boards([run("a", bots=["random", "greedy"]), run("b", bots=BOTS[1:])])
    assert set(boards.made.standings["entrant"]) == set(BOTS)
    assert boards.made.standings["elo"].notna().all()
    assert boards.made.standings["alpha_rank"].isna().all()  # random and mcts have not met


def test_the_order_of_the_runs_changes_nothing(run):
    a, b = run("a"), run("b", seed=4)
    one, other = make_boards([a, b]), make_boards([b, a])
    assert one.made.standings.equals(other.made.standings)
    assert one.surprises.equals(other.surprises)


def test_two_bots_of_one_name_are_told_apart(run):
    named = [{"name": "mine", "bot": "mcts", "simulations": n} for n in (4, 6)]
    boards = make_boards([run("a", bots=["random", named[0]]), run("b", bots=["random", named[1]])])
    names = set(boards.made.standings["entrant"]) - {"random"}
    assert len(names) == 2
    assert all(name.startswith("mine (") for name in names)


def test_other_rules_cannot_be_merged(run):
    a, b = run("a"), run("b", seed=4)
    record = yaml.safe_load((b / "spec.yaml").read_text())
    record["games"]["connect_four"]["rules"] = "0" * 16
    (b / "spec.yaml").write_text(yaml.safe_dump(record))
    with pytest.raises(UserError, match="connect_four has rules 0000000000000000"):
        make_boards([a, b])


def test_other_openings_cannot_be_merged(run):
    opened = run("b", games=[{"game": "connect_four", "opening": 2}])
    with pytest.raises(UserError, match="opening 2, before it 0"):
        make_boards([run("a"), opened])


def test_over_all_games_only_bots_that_played_everywhere_are_ranked(run, tmp_path, undrawn):
    small = {"game": "karmaka", "variant": {"max_turns_per_player": 3}}
    a, b = run("a"), run("b", games=[small], bots=["random", "greedy"])
    boards = make_boards([a, b])
    assert set(boards.overall["entrant"]) == {"random", "greedy"}
    row = boards.overall.iloc[0]
    assert row["elo"] == pytest.approx((row["elo_connect_four"] + row["elo_karmaka"]) / 2)
    assert boards.overall["elo"].sum() == pytest.approx(0, abs=1e-9)
    assert (boards.overall["elo_low"] < boards.overall["elo"]).all()
    write_boards(boards, tmp_path / "board")
    page = (tmp_path / "board" / "leaderboard.html").read_text()
    assert page.count("<svg") >= 3
    assert "nan" not in boards_text(boards)
    assert "## All games" in markdown_text(boards)
    for name in ("standings", "head_to_head", "surprises", "circles", "overall"):
        assert (tmp_path / "board" / f"{name}.csv").is_file()


def test_one_game_has_no_board_over_all(run):
    boards = make_boards([run("a", games=["connect_four", OTHER])])
    assert boards.overall.empty
    assert "all games" not in boards_text(boards)


# --- non-transitivity ------------------------------------------------------------------------------


def duels(scores):
    """Head-to-head rows from {(a, b): score} with intervals of +- 5 points."""
    rows = []
    for (one, other), score in scores.items():
        for a, b, s in ((one, other, score), (other, one, 1 - score)):
            rows.append(("nim", "default", 2, a, b, 100.0, s, s - 0.05, s + 0.05, 50))
    names = ["game", "variant", "players", "entrant", "opponent", "matches"]
    return pd.DataFrame(rows, columns=[*names, "score", "score_low", "score_high", "deals"])


def level(names):
    return pd.DataFrame(
        {"game": "nim", "variant": "default", "players": 2, "entrant": names, "elo": 0.0}
    )


def test_a_circle_is_found_and_named():
    pairs = surprises(
        level(list("rps")), duels({("r", "s"): 0.8, ("s", "p"): 0.7, ("p", "r"): 0.9})
    )
    (circle,) = circles(pairs).to_dict("records")
    beaten = [circle["first"], circle["second"], circle["third"]]
    assert "".join(beaten * 2).find("rsp") >= 0
    assert circle["sure"]
    assert circle["least"] == pytest.approx(0.7)


def test_a_circle_within_the_error_is_not_sure():
    pairs = surprises(
        level(list("rps")), duels({("r", "s"): 0.8, ("s", "p"): 0.7, ("p", "r"): 0.52})
    )
    assert circles(pairs)["sure"].tolist() == [False]


def test_a_line_of_winners_has_no_circle():
    pairs = surprises(
        level(list("abc")), duels({("a", "b"): 0.8, ("b", "c"): 0.7, ("a", "c"): 0.9})
    )
    assert circles(pairs).empty


def test_surprises_are_measured_against_the_elo_of_both():
    standings = replace_elo(level(list("ab")), [200, 0])
    (row,) = surprises(standings, duels({("a", "b"): 0.60})).to_dict("records")
    assert row["predicted"] == pytest.approx(0.7597469266)
    assert row["difference"] == pytest.approx(0.60 - 0.7597469266)
    assert row["outside"]


def replace_elo(standings, elo):
    return standings.assign(elo=np.array(elo, dtype=float))


def test_an_anchor_that_all_runs_share_is_kept(run):
    anchor = {"bot": "greedy", "elo": 1000}
    both = [run("a", anchor=anchor), run("b", seed=4, anchor=anchor)]
    standings = make_boards(both).made.standings.set_index("entrant")
    assert standings.loc["greedy", "elo"] == 1000
    mixed = make_boards([both[0], run("c", seed=5)]).made.standings.set_index("entrant")
    assert mixed["elo"].mean() == pytest.approx(0, abs=1e-6)
