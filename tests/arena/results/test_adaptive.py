"""Runs whose extent is not fixed: adaptive schedules, and limits of time and matches."""

from collections import Counter

import pytest

from arena.execution.gradual import Gradual
from arena.execution.run import carry_out
from arena.execution.working import play_batch
from arena.plan.question import Limit, limit_of
from arena.plan.schedule import match_seatings
from arena.plan.tournament import resolve
from arena.results.adaptive import adaptive_of
from arena.results.tournaments import rounds_of
from arena.store.run_folder import load_spec, read_matches
from engines.errors import UserError

BOTS = ["random", "greedy", "mcts:simulations=4", "mcts:simulations=8"]


def deals_of(folder):
    """Deals of each line-up, all of them whole."""
    frame = read_matches(folder)
    lineups = load_spec(folder).lineups
    found = Counter()
    for (name, deal), rows in frame.groupby(["lineup_id", "deal"]):
        assert len(rows) == len(match_seatings(lineups[name], deal))
        found[name] += 1
    return found


def adaptive(tournament, **more):
    return tournament(schedule="adaptive", bots=BOTS, deals=12, **more)


def test_an_adaptive_run_spends_what_a_round_robin_would_and_starves_nobody(tournament, tmp_path):
    made = adaptive(tournament)
    rounds = adaptive_of(made)
    carry_out(made, tmp_path, 0, progress=False, rounds=rounds)
    assert rounds.over
    deals = deals_of(tmp_path)
    assert sum(deals.values()) == 6 * 12
    assert len(deals) == 6
    assert min(deals.values()) >= 2
    assert max(deals.values()) > 12


def in_disorder(feed, workers, address, stop):
    """Play in this process as three workers would that finish the other way round."""
    flying = []
    while True:
        while len(flying) < 3 and (batch := feed.next(3)) is not None:
            flying.append(play_batch(batch, stop))
        if not flying:
            return
        outcome = flying.pop()
        feed.pace.learn(outcome)
        yield outcome


def few_of(tournament):
    return tournament(schedule="adaptive", bots=BOTS[:3], deals=6, goal={"top": 1})


def matches_of(made, folder, workers=0):
    carry_out(made, folder, workers, progress=False, rounds=adaptive_of(made))
    return sorted(read_matches(folder)["match_id"])


def test_an_adaptive_run_is_the_same_in_any_order_and_after_a_stop(
    tournament, tmp_path, monkeypatch
):
    made = few_of(tournament)
    found = matches_of(made, tmp_path / "one")
    limit = Limit(matches=20)
    carry_out(made, tmp_path / "two", 0, progress=False, rounds=rounds_of(made, limit))
    assert 0 < len(read_matches(tmp_path / "two")) <= 20
    assert matches_of(made, tmp_path / "two") == found
    monkeypatch.setattr("arena.execution.run.execute", in_disorder)
    assert matches_of(made, tmp_path / "three") == found


@pytest.mark.full
@pytest.mark.ray
def test_an_adaptive_run_is_the_same_on_workers(tournament, one_ray, tmp_path):
    for made in (few_of(tournament), adaptive(tournament, goal={"top": 1})):
        folder = tmp_path / f"{made.spec.deals}"
        assert matches_of(made, folder / "one") == matches_of(made, folder / "two", 2)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"top": 4}, "goal.top: 4, expected 1 to 3, fewer than there are bots"),
        (
            {"versus": "gredy"},
            "goal.versus: 'gredy', no entrant has this name, did you mean greedy?",
        ),
        ({"top": 1, "versus": "greedy"}, "goal.top and versus: give one of them"),
        ("top", "goal: 'top', expected order, {top: K} or {versus: NAME}"),
    ],
)
def test_a_goal_that_cannot_be_is_refused(tournament, goal, message):
    with pytest.raises(UserError) as error:
        adaptive(tournament, goal=goal)
    assert str(error.value) == message


def test_a_limit_of_matches_ends_a_run_after_whole_deals_of_all_line_ups(tournament, tmp_path):
    made = tournament(bots=BOTS, deals=40)
    summary = carry_out(made, tmp_path, 0, progress=False, rounds=Gradual(made, Limit(matches=100)))
    assert summary.stored == summary.planned == 96  # eight deals of six pairs, each in two seatings
    assert set(deals_of(tmp_path).values()) == {8}
    summary = carry_out(made, tmp_path, 0, progress=False, rounds=Gradual(made, Limit(matches=130)))
    assert (summary.played, summary.stored) == (24, 120)
    with pytest.raises(UserError, match="--matches 5: expected at least 12, one deal of all"):
        Gradual(made, Limit(matches=5))


@pytest.mark.full
def test_a_limit_of_time_ends_a_run_after_whole_deals_and_it_goes_on_later(
    tournament, tmp_path, arena
):
    made = tournament(bots=BOTS, deals=100_000)
    limit = limit_of(0.02, None)
    summary = carry_out(made, tmp_path, 0, progress=False, rounds=rounds_of(made, limit))
    assert 0 < summary.stored == summary.planned < 1_200_000
    assert len(set(deals_of(tmp_path).values())) == 1
    again = carry_out(made, tmp_path, 0, progress=False, rounds=rounds_of(made, limit))
    assert again.stored > summary.stored
    with pytest.raises(UserError, match="--minutes 0: expected more than 0"):
        limit_of(0, None)


def test_what_is_decided_and_what_is_not_is_said(tmp_path, arena):
    out = tmp_path / "run"
    arguments = ("connect_four", "random", "greedy", "mcts:simulations=20", "--opening", "2")
    code, text, _ = arena(
        "match", *arguments, "--matches", "200", "--workers", "0", "--out", out, "--quiet"
    )
    assert code == 0
    assert "neighbours decided (95 % each)" in text
    assert "> random" in text
    assert "198 of 198 matches" in text


def test_tables_of_three_can_be_adaptive(tournament, tmp_path):
    games = [{"game": "karmaka", "players": 3, "variant": {"max_turns_per_player": 3}}]
    made = tournament(schedule="adaptive", bots=BOTS, deals=3, games=games)
    carry_out(made, tmp_path, 0, progress=False, rounds=adaptive_of(made))
    assert sum(deals_of(tmp_path).values()) == 4 * 3


def test_an_adaptive_config_goes_through_its_record(tournament):
    made = adaptive(tournament, goal={"versus": "greedy"})
    assert resolve(made.spec).spec.goal == made.spec.goal
