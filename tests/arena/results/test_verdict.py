"""Matches that are played until one bot is known to be stronger."""

import numpy as np
import pytest

from arena.execution.batches import Feed
from arena.execution.execute import execute
from arena.execution.run import carry_out, what_remains
from arena.plan.question import Question, sprt, until
from arena.plan.schedule import make_blocks, make_lineups, match_seatings
from arena.results.verdict import COLUMNS, duel_of, elo_of_share, expected_share
from arena.store.run_folder import read_matches, read_table
from engines.errors import UserError

BOUND, RATIO = Question(), Question(elo=(0.0, 60.0))


def go(resolved, folder, question=BOUND, workers=0):
    duel = duel_of(resolved, question)
    summary = carry_out(resolved, folder, workers, progress=False, judge=duel)
    return duel, summary


def invented(lineup, deal, wins, actions=None):
    """Results of a block as columns: `wins[i]` is the entrant (position) that is first in match i."""
    seatings = match_seatings(lineup, deal)
    seats = np.array(seatings)
    firsts = np.array(wins)[:, None]
    ranks = np.where(seats == firsts, 1, 2)
    return {
        "deal": np.full(len(seatings), deal),
        "seating": (seats.reshape(-1), None),
        "ranks": (ranks.reshape(-1), None),
        "ending": ["finished"] * len(seatings),
        "actions_hash": np.arange(len(seatings)) + 100 * deal if actions is None else actions,
    }


def position_of_first(resolved, lineup):
    return lineup.entrants.index(resolved.entrants[0].id)


# --- scores ---------------------------------------------------------------------------------------


def test_deals_are_judged_in_the_order_of_the_schedule_whatever_comes_first(tournament):
    resolved = tournament(deals=12)
    (lineup,) = make_lineups(resolved)
    first = position_of_first(resolved, lineup)
    wins = [[first, first] if deal % 3 else [first, 1 - first] for deal in range(12)]
    found = set()
    for seed in range(5):
        duel = duel_of(resolved, BOUND)
        for deal in np.random.default_rng(seed).permutation(12).tolist():
            duel.take(lineup, invented(lineup, deal, wins[deal]))
        found.add((duel.text(), *duel.scores))
    ((_, *scores),) = found
    assert scores == [0.5 if deal % 3 == 0 else 1.0 for deal in range(12)][: len(scores)]


def test_a_deal_waits_for_those_before_it(tournament):
    resolved = tournament(deals=3)
    (lineup,) = make_lineups(resolved)
    duel = duel_of(resolved, BOUND)
    duel.take(lineup, invented(lineup, 1, [0, 0]))
    assert duel.scores.tolist() == []
    assert duel.text() == "not decided: no deal has been completed"
    duel.take(lineup, invented(lineup, 0, [0, 1]))
    assert len(duel.scores) == 2


def test_a_void_match_is_not_judged(tournament):
    resolved = tournament(deals=1)
    (lineup,) = make_lineups(resolved)
    duel = duel_of(resolved, BOUND)
    duel.take(lineup, {**invented(lineup, 0, [0, 1]), "ending": ["finished", "void"]})
    assert duel.scores.tolist() == []


def test_bots_that_draw_no_chance_have_played_one_deal_however_often_they_meet(tournament):
    resolved = tournament(deals=50)
    (lineup,) = make_lineups(resolved)
    first = position_of_first(resolved, lineup)
    duel = duel_of(resolved, BOUND)
    for deal in range(50):
        duel.take(lineup, invented(lineup, deal, [first, first], actions=[1, 2]))
    assert duel.scores.tolist() == [1.0]
    assert not duel.decided
    assert "50 deals brought one match in each seating, again and again" in duel.text()
    assert "--opening K" in duel.text()


def test_repeats_count_as_soon_as_anything_differs(tournament):
    """A quick win repeats; one other match shows that it was drawn by chance each time."""
    resolved = tournament(deals=50)
    (lineup,) = make_lineups(resolved)
    first = position_of_first(resolved, lineup)
    duel = duel_of(resolved, BOUND)
    for deal in range(20):
        actions = [1, 3 if deal == 4 else 2]
        duel.take(lineup, invented(lineup, deal, [first, 1 - first], actions=actions))
    assert duel.scores.tolist() == [0.5] * 20
    assert "8% of the matches are distinct; --opening K" in duel.text()


@pytest.mark.parametrize(
    ("sequences", "runs"),
    [(5, 4), *(pytest.param(*one, marks=pytest.mark.full) for one in ((5, 8), (50, 8)))],
)
def test_equal_bots_stay_undecided_where_one_wins_in_few_and_one_in_many_ways(
    tournament, sequences, runs
):
    """Leaving repeats out would leave out the wins of the first: 8 of 8 such duels were decided."""
    resolved = tournament(deals=1_000_000)
    (lineup,) = make_lineups(resolved)
    first = position_of_first(resolved, lineup)
    decided = 0
    for run in range(runs):
        rng = np.random.default_rng(run)
        duel = duel_of(resolved, BOUND)
        for deal in range(150):
            wins = rng.integers(2, size=2)
            quick = rng.integers(sequences, size=2)
            actions = np.where(wins == first, quick, rng.integers(1 << 60, size=2))
            duel.take(lineup, invented(lineup, deal, wins.tolist(), actions=actions))
            if duel.decided:
                break
        decided += duel.decided
    assert decided <= 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_equal_bots_expect_one_half_at_a_table_of_any_size(tournament, players):
    games = [{"game": "karmaka", "players": players}]
    resolved = tournament(games=games, bots=["random", "greedy"])
    lineups, (one, other) = make_lineups(resolved), [e.id for e in resolved.entrants]
    assert expected_share(lineups, one, 0) == pytest.approx(0.5)
    assert expected_share(lineups, one, 100) + expected_share(lineups, other, -100) == (
        pytest.approx(1)
    )
    for elo in (-300, -10, 0, 77):
        share = expected_share(lineups, one, elo)
        assert elo_of_share(lineups, one, share) == pytest.approx(elo, abs=1e-6)
    assert elo_of_share(lineups, one, 1.0) == pytest.approx(1200, abs=0.2)
    assert elo_of_share(lineups, one, 0.0) == pytest.approx(-1200, abs=0.2)


def test_seats_that_one_bot_holds_share_its_score(tournament):
    resolved = tournament(games=[{"game": "karmaka", "players": 3}], deals=1)
    lineups = make_lineups(resolved)
    first = resolved.entrants[0].id
    duel = duel_of(resolved, BOUND)
    for (
        lineup
    ) in lineups:  # whoever holds the line-up's first position is first, shared where twice
        duel.take(lineup, invented(lineup, 0, [0] * len(match_seatings(lineup, 0))))
    assert {lineup.entrants.count(first) for lineup in lineups} == {1, 2}
    assert duel.scores.tolist() == [np.mean([one.entrants[0] == first for one in lineups])]


# --- runs -----------------------------------------------------------------------------------------


def test_a_match_ends_when_it_is_decided_and_says_who_is_stronger(tournament, tmp_path):
    duel, summary = go(tournament(bots=["random", "greedy"], deals=300), tmp_path)
    assert duel.decided
    assert summary.stored < summary.planned == 600
    assert duel.text().startswith("greedy is stronger than random: 100.0 % [")
    assert f"({len(duel.scores)} deals; 95 % sure, whenever one looks)" in duel.text()


@pytest.mark.parametrize(
    "question", [BOUND, pytest.param(RATIO, marks=pytest.mark.full)], ids=["bound", "ratio"]
)
def test_the_answer_is_the_same_for_any_order_of_results(tournament, tmp_path, question):
    resolved = tournament(bots=["greedy", "mcts:simulations=20"], deals=60)
    duel, _ = go(resolved, tmp_path, question)
    lineups = make_lineups(resolved)
    again = duel_of(resolved, question)
    feed = Feed(what_remains(resolved, lineups, lambda one: everything(one)))
    outcomes = list(execute(feed, 0))
    for outcome in reversed(outcomes):
        again.take(outcome.batch.lineup, outcome.columns)
    assert again.decided
    assert again.text() == duel.text()


def everything(lineup):
    matches = [match for block in make_blocks([lineup]) for match in block.matches()]
    return iter(matches), len(matches)


def test_an_undecided_match_goes_on_from_what_is_stored(tournament, tmp_path):
    bots = ["greedy:samples=1", "greedy:samples=2"]
    games = [{"game": "karmaka"}]
    few, _ = go(tournament(bots=bots, games=games, deals=6), tmp_path)
    assert not few.decided
    assert few.text().startswith("not decided after 6 deals: whether greedy:samples=")
    more, summary = go(tournament(bots=bots, games=games, deals=9), tmp_path)
    assert (summary.played, len(more.scores)) == (6, 9)
    assert more.scores[:6].tolist() == few.scores.tolist()


def test_what_is_decided_is_not_played_again(tournament, tmp_path):
    resolved = tournament(deals=500)
    first, _ = go(resolved, tmp_path)
    again, summary = go(resolved, tmp_path)
    assert summary.played == 0
    assert again.text() == first.text()


@pytest.mark.full
@pytest.mark.ray
def test_two_workers_give_the_answer_of_one(tournament, one_ray, tmp_path):
    resolved = tournament(bots=["greedy", "mcts:simulations=20"], deals=300)
    here, _ = go(resolved, tmp_path / "a")
    spread, _ = go(resolved, tmp_path / "b", workers=2)
    assert spread.text() == here.text()


def test_stored_rows_say_what_results_said(tournament, tmp_path):
    games = [{"game": "karmaka", "players": 3}]
    resolved = tournament(games=games, bots=["greedy", "random"], deals=12)
    duel, _ = go(resolved, tmp_path)
    read = duel_of(resolved, BOUND)
    stored = read_table(tmp_path, COLUMNS)
    cut = stored.num_rows // 3
    for part in (stored.slice(2 * cut), stored.slice(0, 2 * cut)):
        read.take_stored(part)
    assert read.text() == duel.text()
    assert len(read_matches(tmp_path)) >= 6 * len(duel.scores)


def test_the_side_of_a_team_is_one_place(tournament, tmp_path):
    games = [{"game": "karmaka", "players": 3, "variant": {"mode": "bbw"}}]
    duel, _ = go(tournament(games=games, deals=60), tmp_path)
    assert duel.text().startswith("greedy is stronger than random: ")


# --- the ratio test -------------------------------------------------------------------------------


def test_a_ratio_test_is_about_the_first_bot(tournament, tmp_path):
    better, worse = ["greedy", "random"], ["random", "greedy"]
    passed, _ = go(tournament(bots=better, deals=150), tmp_path / "a", sprt("0,60"))
    failed, _ = go(tournament(bots=worse, deals=150), tmp_path / "b", sprt("0, 60"))
    assert passed.text().startswith("SPRT [0, 60] passed: LLR ")
    assert " after " in passed.text()
    assert "greedy is stronger than random: 100.0 % [" in passed.text()
    assert failed.text().startswith("SPRT [0, 60] failed: LLR -")
    short, _ = go(tournament(bots=better, deals=2), tmp_path / "c", sprt("0,60,normalised"))
    assert short.text().startswith("SPRT [0, 60] normalised not decided after 2 deals: LLR ")


def test_hypotheses_are_about_the_score_of_a_deal(tournament):
    games = [{"game": "karmaka", "players": 3}]
    duel = duel_of(tournament(games=games), sprt("0,60"))
    assert duel.hypotheses().null == pytest.approx(0.5)
    worth = 10 ** (60 / 400)
    expected = (2 * worth / (2 * worth + 1) + worth / (worth + 2)) / 2
    assert duel.hypotheses().alternative == pytest.approx(expected)
    pairs = duel_of(tournament(), sprt("0,347.4355855,normalised"))
    assert pairs.hypotheses().alternative == pytest.approx(np.sqrt(2))


# --- what a user did wrong ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: until(0.95), "--until 0.95: expected 50 to 99.99, e.g. 95 for 95 %"),
        (lambda: until(100), "--until 100: expected 50 to 99.99"),
        (lambda: sprt("5"), "--sprt 5: expected elo0,elo1, e.g. 0,10"),
        (lambda: sprt("0,5,bayesian"), "--sprt 0,5,bayesian: expected elo0,elo1"),
        (lambda: sprt("5,0"), "--sprt 5,0: expected elo0 below elo1, both within 1200"),
    ],
)
def test_a_question_that_makes_no_sense_is_one_line(make, problem):
    with pytest.raises(UserError) as caught:
        make()
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("question", "option", "bots"),
    [
        (BOUND, "--until", ["random"]),
        (RATIO, "--sprt", ["random"]),
        (RATIO, "--sprt", ["random", "greedy", "mcts"]),
    ],
)
def test_one_bot_or_three_cannot_be_compared(tournament, bots, question, option):
    schedule = "self_play" if len(bots) == 1 else "round_robin"
    with pytest.raises(UserError, match=f"{option}: compares two bots, {len(bots)} given"):
        duel_of(tournament(bots=bots, schedule=schedule), question)


def test_a_game_for_one_has_nobody_to_compare(tournament):
    resolved = tournament(schedule="self_play")
    with pytest.raises(UserError, match=r"--until: the two bots never meet"):
        duel_of(resolved, BOUND)


def test_bots_that_are_surely_within_20_elo_are_called_equal_and_few_deals_say_nothing(tournament):
    resolved = tournament(deals=600)
    (lineup,) = make_lineups(resolved)
    duel = duel_of(resolved, BOUND)
    for deal in range(600):
        duel.take(lineup, invented(lineup, deal, [0, 1]))  # a win each in every deal
        if deal == 8:
            assert ": too few deals (9) to say (95 %); " in duel.text()
    assert not duel.decided
    assert "random and greedy are about equal (within 2.9 pp): 50.0 % [" in duel.text()
