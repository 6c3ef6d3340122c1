"""Bots that fail too often are set aside, and it is said; the others play on."""

import pytest

from arena.execution.watch import Watch, is_too_much
from arena.plan.question import Limit
from arena.plan.schedule import make_lineups
from arena.results.report import make_tables
from arena.results.tournaments import play
from arena.store.run_folder import read_matches
from engines.errors import UserError


@pytest.fixture
def failing(tournament, odd):
    def make(**more):
        bad = {"name": "bad", "bot": odd("Illegal")}
        return tournament(bots=["random", "greedy", bad], deals=60, max_fault_share=0.5, **more)

    return make


def matches_of(folder, name):
    made = make_tables(folder)
    return int(made.standings.set_index("entrant").matches[name])


@pytest.mark.parametrize("limit", [None, Limit(matches=300)])
def test_a_bot_that_fails_is_set_aside_and_the_others_play_on(failing, tmp_path, limit):
    spec = failing().spec
    play(spec, tmp_path, 0, progress=False, limit=limit)
    made = make_tables(tmp_path)
    assert 20 <= matches_of(tmp_path, "bad") < 120
    both = len(read_matches(tmp_path)) - matches_of(tmp_path, "bad")
    assert both == 120  # random against greedy: all of it
    assert "bad was set aside: " in made.text()
    assert "more than max_fault_share 0.5" in made.text()
    assert not made.unfinished
    stored = len(read_matches(tmp_path))
    play(spec, tmp_path, 0, progress=False, limit=limit)
    assert len(read_matches(tmp_path)) == stored


def test_without_it_a_bot_may_fail_as_often_as_it_likes(failing, tmp_path):
    spec = failing().spec.model_copy(update={"max_fault_share": None, "deals": 15})
    play(spec, tmp_path, 0, progress=False)
    assert matches_of(tmp_path, "bad") == 60
    assert "set aside" not in make_tables(tmp_path).text()


def test_a_share_counts_from_twenty_matches_on():
    assert not is_too_much(19, 19, 0.5)
    assert is_too_much(11, 20, 0.5)
    assert not is_too_much(10, 20, 0.5)


def test_nobody_is_set_aside_before_the_first_match(failing):
    made = failing()
    lineups = make_lineups(made)
    watch = Watch(lineups, 0.5)
    assert not any(map(watch.leaves_out, lineups))


def test_a_format_needs_everybody(failing):
    with pytest.raises(UserError, match="max_fault_share: only of round_robin, gauntlet"):
        failing(schedule="swiss")
