"""Runs that store the actions of some matches or of none: the others are replayed by playing them again."""

import numpy as np
import pytest

from arena.execution.run import carry_out
from arena.plan.keeping import TOGETHER, keeps_actions
from arena.plan.spec import parse_spec, plain
from arena.plan.tournament import resolve
from arena.results.findings import make_findings
from arena.results.replay import replay_match
from arena.results.report import make_tables
from arena.results.soundness import check_run
from arena.store.parts import part_files
from arena.store.run_folder import open_run, read_matches
from engines.errors import UserError

CUP = {"name": "cup", "games": ["karmaka"], "bots": ["random", "greedy"], "deals": 60}


def go(folder, rule):
    spec = parse_spec({**CUP, "store_actions": rule})
    carry_out(resolve(spec), folder, workers=0, progress=False)
    return folder


@pytest.fixture(scope="module", params=["every 2", "none"])
def run(request, tmp_path_factory):
    return go(tmp_path_factory.mktemp("keeping") / "run", request.param), request.param


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return go(tmp_path_factory.mktemp("keeping") / "run", "all")


def test_whole_blocks_keep_their_actions(run, whole):
    folder, rule = run
    frame = read_matches(folder, actions=True)
    keep = keeps_actions(rule, frame["deal"].to_numpy())
    assert keep.any() == (rule != "none")
    assert not keep.all()
    assert ((frame["actions"].map(len) > 0) == keep).all()
    assert ((frame["actors"].map(len) > 0) == keep).all()
    everything = read_matches(whole, actions=True)
    same = [c for c in frame if "seconds" not in c and c not in ("actions", "actors")]
    assert frame[same].map(str).equals(everything[same].map(str))
    sizes = [part_files(one)[0].stat().st_size for one in (folder, whole)]
    assert sizes[0] < 0.85 * sizes[1]


def test_every_match_replays(run):
    folder, _ = run
    frame = read_matches(folder)
    for row in (0, 60, len(frame) - 1):
        told = list(replay_match(folder, frame["match_id"][row], positions=False))
        assert told[-1].endswith("the re-play agrees with the stored result")


def test_a_match_that_comes_out_otherwise_is_told(run, monkeypatch):
    folder, _ = run
    frame = read_matches(folder)
    late = frame[frame["deal"] >= TOGETHER].iloc[0]
    monkeypatch.setattr(
        "arena.results.replay.played_again",
        lambda record, lineup, row: {**row, "actions": [1], "actors": [0], "turns": 0},
    )
    with pytest.raises(UserError, match="played again, turns is 0, not"):
        list(replay_match(folder, late["match_id"]))


def test_the_run_is_in_order_and_its_usage_is_of_what_is_there(run):
    folder, rule = run
    assert all(good for good, _ in check_run(folder))
    found = make_findings(make_tables(folder))
    count = int(keeps_actions(rule, read_matches(folder)["deal"].to_numpy()).sum())
    assert found.notes == (f"usage is of {count} matches (store_actions: {rule})",)
    assert len(found.usage) == 0 if rule == "none" else found.usage["seats"].max() == 2 * count


def test_what_is_stored_does_not_change_within_a_run(run):
    folder, rule = run
    other = resolve(parse_spec(CUP))
    with pytest.raises(UserError, match=f"started with store_actions {rule}, now all"):
        open_run(folder, other)


def test_two_dozen_deals_together_are_kept_in_every_order():
    deals = np.arange(10 * TOGETHER)
    keep = keeps_actions("every 5", deals)
    assert keep.sum() == 2 * TOGETHER
    for period in (1, 2, 6, 24):
        assert np.ptp(np.bincount(deals[keep] % period)) == 0
    assert keeps_actions("all", deals).all()


@pytest.mark.parametrize("rule", ["some", "every", "every 0", "every two", "", "every 5 deals"])
def test_a_rule_that_is_none_is_one_line(rule):
    with pytest.raises(UserError, match=r"store_actions: .*expected all, none or every N"):
        parse_spec({**CUP, "store_actions": rule})


def test_the_usual_rule_leaves_no_trace():
    assert "store_actions" not in plain(parse_spec(CUP))
    assert plain(parse_spec({**CUP, "store_actions": "every 9"}))["store_actions"] == "every 9"
