"""Bots that fail too often are set aside, and it is said; the others play on."""

import pytest

from arena.execution import batches
from arena.execution.watch import Watch, is_too_much
from arena.plan.question import Limit
from arena.plan.schedule import make_lineups
from arena.results.meetings import score_text
from arena.results.report import make_tables
from arena.results.tournaments import play
from arena.store.run_folder import read_matches


@pytest.fixture
def failing(tournament, odd):
    def make(**more):
        bad = {"name": "bad", "bot": odd("Illegal")}
        return tournament(bots=["random", "greedy", bad], deals=60, max_fault_share=0.5, **more)

    return make


def matches_of(folder, name):
    made = make_tables(folder)
    return int(made.standings.set_index("entrant").matches[name])


@pytest.mark.parametrize("limit", [None, pytest.param(Limit(matches=300), marks=pytest.mark.full)])
def test_a_bot_that_fails_is_set_aside_and_the_others_play_on(
    failing, tmp_path, monkeypatch, limit
):
    monkeypatch.setattr(batches, "MOST_MATCHES", 10)  # else they grow while games are quick
    spec = failing().spec
    summary, _ = play(spec, tmp_path, 0, progress=False, limit=limit)
    assert summary.stored == summary.planned
    made = make_tables(tmp_path)
    assert 20 <= matches_of(tmp_path, "bad") < 60  # of 240
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


FORMATS = {
    "swiss": {"rounds": 4},
    "knockout": {},
    "double_elimination": {},
    "groups": {"groups": 2, "advance": 1},
    "king_of_the_hill": {"rounds": 4},
    "adaptive": {},
}
FIVE = ["greedy", "random", "mcts:simulations=4", "greedy:samples=2"]


# How a round goes on without an entrant is one piece of code; the others differ in who meets whom.
QUICK = ("swiss",)


@pytest.mark.parametrize(
    "schedule",
    [*QUICK, *(pytest.param(s, marks=pytest.mark.full) for s in FORMATS if s not in QUICK)],
)
def test_in_rounds_who_is_set_aside_follows_from_results(tournament, odd, tmp_path, schedule):
    bad = {"name": "bad", "bot": odd("Illegal")}
    made = tournament(
        bots=[*FIVE, bad], deals=12, max_fault_share=0.5, schedule=schedule, **FORMATS[schedule]
    )
    for folder, limit in (("0", None), ("1", Limit(matches=60)), ("1", None)):
        play(made.spec, tmp_path / folder, 0, progress=False, limit=limit)
    whole, later = (read_matches(tmp_path / name) for name in "01")
    assert list(whole["match_id"]) == list(later["match_id"])
    report = make_tables(tmp_path / "1")
    assert not report.unfinished
    if report.aside:  # it had played twenty matches before the last round
        assert report.aside == {"bad"}
        assert "bad was set aside: " in report.text()
        assert matches_of(tmp_path / "1", "bad") < 90
    if report.events:
        (event,) = report.events.events
        met = [m for p in event.rounds for m in p.meetings if m.absent]
        assert all("set aside" in map(score_text, meeting.means) for meeting in met)
        assert sorted({place.entrant for place in event.places}) == list(range(5))
    if schedule in ("swiss", "adaptive"):
        assert report.aside


def test_a_table_of_three_plays_on_without_who_was_set_aside(tournament, odd, tmp_path):
    bad = {"name": "bad", "bot": odd("Illegal")}
    made = tournament(
        games=[{"game": "karmaka", "players": 3}],
        bots=[*FIVE[:3], bad],
        deals=8,
        schedule="swiss",
        rounds=3,
        max_fault_share=0.5,
    )
    play(made.spec, tmp_path, 0, progress=False)
    report = make_tables(tmp_path)
    assert report.aside == {"bad"}
    (event,) = report.events.events
    short = [m for p in event.rounds for m in p.meetings if m.absent]
    assert short
    assert all(len(m.scores) == 8 and len(m.playing) == 2 for m in short)
    assert not report.unfinished
