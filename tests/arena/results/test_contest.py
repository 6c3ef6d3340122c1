"""`--until` with more than two bots: the order, or the first few, at one error for all of it."""

import numpy as np
import pytest

from arena.plan.question import until
from arena.plan.schedule import make_lineups, match_seatings
from arena.results.contest import Contest
from arena.results.report import make_tables
from engines.errors import UserError


def contest(tournament, bots, **more):
    made = tournament(bots=bots, deals=2000)
    return made, Contest(made.entrants, make_lineups(made), until(95, **more), lambda lineup: "all")


def results(lineup, worths, deals, generator):
    """Columns of results of all seatings of these deals, won by the better with a logistic chance."""
    seating, ranks, numbers = [], [], []
    for deal in deals:
        for order in match_seatings(lineup, deal):
            gap = worths[lineup.entrants[order[0]]] - worths[lineup.entrants[order[1]]]
            first = generator.random() < 1 / (1 + np.exp(-gap))
            seating.append(order)
            ranks.append((1, 2) if first else (2, 1))
            numbers.append(deal)
    return {
        "seating": (np.array(seating).ravel(), None),
        "ranks": (np.array(ranks).ravel(), None),
        "deal": np.array(numbers),
        "ending": np.array(["finished"] * len(numbers)),
        "fault_seat": np.full(len(numbers), -1),
    }


def play(judge, made, worths, most, seed):
    """Deals one by one until it is decided; how many."""
    generator = np.random.default_rng(seed)
    ids = dict(zip([one.id for one in made.entrants], worths, strict=True))
    for deal in range(most):
        for lineup in make_lineups(made):
            judge.take(lineup, results(lineup, ids, [deal], generator))
        if judge.decided:
            return deal + 1
    return most


def test_the_order_is_decided_when_every_neighbour_is(tournament):
    made, judge = contest(tournament, ["random", "greedy", "greedy:samples=2"])
    played = play(judge, made, (0.0, 1.5, 3.0), 2000, 1)
    assert judge.decided
    assert played == judge.decided_after < 400
    assert judge.text().startswith("the order: greedy:samples=2 > greedy > random (")
    assert "95 % sure of all of it, whenever one looks" in judge.text()


def test_the_first_of_several_is_decided_though_the_others_are_equal(tournament):
    made, judge = contest(tournament, ["random", "greedy", "greedy:samples=2"], top=1)
    play(judge, made, (0.0, 0.0, 2.0), 600, 2)
    assert judge.decided
    assert judge.text().startswith("the first 1: greedy:samples=2 (")


@pytest.mark.parametrize(("runs", "most"), [(6, 1), pytest.param(60, 6, marks=pytest.mark.full)])
def test_equal_bots_are_put_in_order_no_more_often_than_said(tournament, runs, most):
    made, _ = contest(tournament, ["random", "greedy", "greedy:samples=2"], top=1)
    wrong = 0
    for seed in range(runs):
        _, judge = contest(tournament, ["random", "greedy", "greedy:samples=2"], top=1)
        play(judge, made, (0.0, 0.0, 0.0), 60, seed)
        wrong += judge.decided
    assert wrong <= most


def test_an_order_that_is_not_decided_names_what_is_open(tournament):
    made, judge = contest(tournament, ["random", "greedy", "greedy:samples=2"])
    assert judge.text() == "not decided: no deal has been completed"
    play(judge, made, (0.0, 0.0, 3.0), 60, 3)
    text = judge.text()
    assert text.startswith("not decided after 60 deals: 1 of 2 pairs are (95 % together), open: ")
    assert "is stronger: undecided (between " in text


def test_the_answer_does_not_depend_on_the_order_in_which_results_come(tournament):
    made, judge = contest(tournament, ["random", "greedy", "greedy:samples=2"])
    decided = play(judge, made, (0.0, 1.0, 2.0), 2000, 4)
    _, other = contest(tournament, ["random", "greedy", "greedy:samples=2"])
    generator = np.random.default_rng(4)
    ids = dict(zip([one.id for one in made.entrants], (0.0, 1.0, 2.0), strict=True))
    parts = [
        (lineup, results(lineup, ids, [deal], generator))
        for deal in range(decided + 30)
        for lineup in make_lineups(made)
    ]
    for lineup, columns in reversed(parts):
        other.take(lineup, columns)
    assert other.decided_after == decided
    assert other.text() == judge.text()


@pytest.mark.full
def test_the_command_plays_until_the_order_of_three_is_decided(tmp_path, arena):
    bots = ("random", "greedy", "mcts:simulations=60")
    out = tmp_path / "run"
    call = ("match", "connect_four", *bots, "--opening", "2", "--until", "95", "--workers", "0")
    code, text, _ = arena(*call, "--out", out, "--quiet", "--max-deals", "500")
    assert code == 0
    assert "the order: mcts:simulations=60 > greedy > random (" in text
    made = make_tables(out)
    assert made.decided
    assert made.answer in text
    assert not made.unfinished


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--top", "1"), "--top 1: only with --until"),
        (("--until", "95", "--top", "3"), "--top 3: expected 1 to 2, fewer than there are bots"),
        (("--sprt", "0,10"), "--sprt: compares two bots, 3 given"),
    ],
)
def test_a_question_that_does_not_fit_is_refused(tmp_path, arena, options, message):
    call = ("match", "connect_four", "random", "greedy", "greedy:samples=2", *options)
    code, _, err = arena(*call, "--out", tmp_path / "run")
    assert code == 2
    assert message in err


def test_the_top_of_two_bots_is_no_question(tournament):
    with pytest.raises(UserError, match="fewer than there are bots"):
        contest(tournament, ["random", "greedy"], top=2)
