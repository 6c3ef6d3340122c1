"""Tests that may stop at any time keep their promise: published ratios, simulated error rates."""

import numpy as np
import pytest

from arena.statistics import sequential
from arena.statistics.sequential import (
    Hypotheses,
    decision_bounds,
    first_acceptance,
    first_exclusion,
    log_likelihood_ratio,
    log_wealth,
    mean_interval,
    normalised_distance,
    ratio_of_scores,
)
from arena.statistics.shares import score_of_elo


def logistic(low, high):
    return Hypotheses(float(score_of_elo(low)), float(score_of_elo(high)))


def normalised(low, high, matches):
    distances = (normalised_distance(elo, matches) for elo in (low, high))
    return Hypotheses(*distances, normalised=True)


def even(counts):
    return np.linspace(0, 1, len(counts))


# --- published ratios: reference/rating_vectors.md section 2 ----------------------------------------

LOGISTIC = [  # losses first: fastchess 2.1, OpenBench's counts 2.3, fishtest 2.4
    ([21184, 40708, 21404], (0.5, 2.5), -1.5718887927),
    ([57030, 106593, 57433], (0, 2), -2.5930241635),
    ([223, 9863, 21279, 10037, 246], (0.5, 2.5), -3.0741264396),
    ([871, 26175, 55983, 26678, 821], (0, 2), -4.9786728634),
    ([22569, 44137, 22976], (0.5, 2.5), 0.2246064928),
    ([39, 8843, 26675, 9240, 44], (0.5, 2.5), 0.5555170687),
    ([10789, 19328, 33806, 19402, 10543], (-3, 1), 2.1310678118),
    ([39, 2226, 31451, 2412, 40], (0.2, 0.9), 2.16254258),
]
NORMALISED = [
    ([36027, 68692, 36433], (0, 2), 0.9232934509),
    ([10650, 20431, 10871], (-1.75, 0.25), 2.2975004071),
    ([0, 0, 4250], (0, 10), 120.5482677),
    ([365, 16618, 36229, 16974, 390], (0, 2), 2.2503677035),
    ([127, 4883, 10712, 5150, 104], (-1.75, 0.25), 3.0101541966),
    ([0, 0, 0, 0, 5550], (0, 5), 111.7975550867),
    ([39, 8843, 26675, 9240, 44], (0.5, 2.5), 2.9416752080),
    ([22569, 44137, 22976], (0.5, 2.5), 1.0588254939),
    ([1, 187, 528, 290, 8], (0, 4), 2.5581032845),
    ([20, 638, 1655, 782, 13], (0, 4), 2.5778358380),
    ([95, 929, 2515, 1075, 95], (0, 5), 2.8999399069),
    ([379, 10170, 21828, 10640, 343], (0, 2), 2.9454954309),
    ([39, 2226, 31451, 2412, 40], (0.764, 3.439), 2.16294087),
]


@pytest.mark.parametrize(("counts", "elo", "ratio"), LOGISTIC)
def test_ratios_of_logistic_elo_are_those_of_fishtest(counts, elo, ratio):
    assert log_likelihood_ratio(counts, even(counts), logistic(*elo)) == pytest.approx(ratio)


@pytest.mark.parametrize(("counts", "elo", "ratio"), NORMALISED)
def test_ratios_of_normalised_elo_are_those_of_fishtest(counts, elo, ratio):
    test = normalised(*elo, matches=(len(counts) - 1) // 2)
    assert log_likelihood_ratio(counts, even(counts), test) == pytest.approx(ratio)


def test_the_ratio_of_a_table_of_three_is_that_of_fishtests_formula():
    counts = [2, 5, 9, 20, 31, 22, 11]
    found = log_likelihood_ratio(counts, even(counts), Hypotheses(1 / 3, 0.4))
    assert found == pytest.approx(17.13094223216838)


@pytest.mark.parametrize(
    ("alpha", "beta", "bounds"),
    [
        (0.05, 0.05, (-2.9444389791664403, 2.9444389791664403)),
        (0.01, 0.01, (-4.59511985013459, 4.59511985013459)),
        (0.05, 0.1, (-2.251291798606495, 2.8903717578961645)),
    ],
)
def test_bounds_are_walds(alpha, beta, bounds):
    assert decision_bounds(alpha, beta) == pytest.approx(bounds)


def test_many_rows_of_counts_are_looked_at_together():
    counts = np.array([[3, 4, 9], [5, 5, 5], [0, 0, 2]])
    test = logistic(0, 50)
    alone = [float(log_likelihood_ratio(row, even(row), test)) for row in counts]
    assert log_likelihood_ratio(counts, even(counts[0]), test) == pytest.approx(alone)


# --- when they stop -------------------------------------------------------------------------------


def scores_of(share, deals, seed=0, draws=0.2):
    """Scores of deals of two matches between bots of which the first has this share."""
    rng = np.random.default_rng(seed)
    chances = [(1 - share) - draws / 2, draws, share - draws / 2]
    return rng.choice([0, 0.5, 1], p=chances, size=(deals, 2)).mean(axis=1)


@pytest.mark.parametrize("share", [0.42, 0.6])
def test_a_test_stops_where_it_would_have_without_what_came_later(share):
    scores = scores_of(share, 2000)
    for stop in (
        lambda seen: first_exclusion(seen, 0.95),
        lambda seen: first_acceptance(seen, logistic(0, 30), decision_bounds()),
    ):
        after = stop(scores)
        assert after
        assert stop(scores[:after]) == after
        assert stop(scores[: after - 1]) == 0


def test_the_ratio_at_the_stop_has_reached_its_bound():
    scores, test = scores_of(0.6, 2000), logistic(0, 30)
    after = first_acceptance(scores, test, decision_bounds())
    assert ratio_of_scores(scores[:after], test) >= decision_bounds()[1]
    assert ratio_of_scores(scores[: after - 1], test) < decision_bounds()[1]


def test_the_order_of_equal_scores_is_all_that_a_stop_depends_on(monkeypatch):
    from arena.statistics import sequential

    scores, test = scores_of(0.55, 3000), logistic(0, 20)
    whole = first_acceptance(scores, test, decision_bounds())
    monkeypatch.setattr(sequential, "ROWS", 7)
    assert first_acceptance(scores, test, decision_bounds()) == whole


def test_without_scores_nothing_is_decided():
    assert first_exclusion([], 0.95) == 0
    assert first_acceptance([], logistic(0, 5), decision_bounds()) == 0
    assert mean_interval([], 0.95) == (0.0, 1.0)


def test_the_interval_is_where_no_gambler_has_won_enough():
    scores = scores_of(0.57, 800)
    low, high = mean_interval(scores, 0.95)
    assert low < scores.mean() < high
    enough = np.log(2 / 0.05)
    for edge, gambler in ((low, 0), (high, 1)):
        assert log_wealth(scores, edge, 0.95)[gambler][-1] == pytest.approx(enough, abs=1e-6)


def test_all_won_or_all_lost_has_an_interval_too():
    assert mean_interval([1.0] * 40, 0.95)[1] == 1
    assert mean_interval([0.0] * 40, 0.95)[0] == 0
    assert 0.8 < mean_interval([1.0] * 40, 0.95)[0] < 1


# --- error rates ----------------------------------------------------------------------------------


def rate_of(flags) -> tuple[float, float]:
    """The share of True and the standard error that a true rate of 5 % would have."""
    flags = np.asarray(flags)
    return float(flags.mean()), float(np.sqrt(0.05 * 0.95 / len(flags)))


@pytest.mark.parametrize("draws", [0.6, pytest.param(0.0, marks=pytest.mark.full)])
def test_equal_bots_are_called_unequal_in_one_of_twenty_runs_at_most(draws):
    """Looked at after every deal up to 2000; a test of a fixed size would err in 40 % of them."""
    runs = [scores_of(0.5, 2000, seed, draws) for seed in range(600)]
    wrong, error = rate_of([first_exclusion(scores, 0.95) > 0 for scores in runs])
    assert wrong <= 0.05 + 2 * error
    count = np.arange(1, 2001)
    naive = []
    for scores in runs:
        mean = np.cumsum(scores) / count
        spread = np.sqrt(np.maximum(np.cumsum(scores**2) / count - mean**2, 1e-3) / count)
        naive.append(bool((np.abs(mean - 0.5) > 1.96 * spread)[20:].any()))
    assert np.mean(naive) > 0.3


def test_the_interval_holds_the_truth_whenever_one_looks():
    truth, missed = 0.58, []
    for seed in range(500):
        scores = scores_of(truth, 1000, seed, 0.3)
        above, below = log_wealth(scores, truth, 0.95)
        missed.append(bool((np.maximum(above, below) >= np.log(2 / 0.05)).any()))
    wrong, error = rate_of(missed)
    assert wrong <= 0.05 + 2 * error


@pytest.mark.parametrize(("share", "most"), [(0.6, 250), (0.75, 40), (0.95, 15)])
def test_a_stronger_bot_is_found_soon(share, most):
    after = [first_exclusion(scores_of(share, 3000, seed, 0.1), 0.95) for seed in range(100)]
    assert min(after) > 0
    assert np.median(after) <= most


@pytest.mark.parametrize(
    ("elo", "bound", "runs"),
    [(0, 1, 120), *(pytest.param(*one, 300, marks=pytest.mark.full) for one in ((0, 1), (80, 0)))],
)
def test_a_ratio_test_errs_in_one_of_twenty_runs_at_most(elo, bound, runs):
    """Under either hypothesis; Wald's bounds are overshot, so that the rate stays below."""
    test, bounds = logistic(0, 80), decision_bounds()
    wrong = []
    for seed in range(runs):
        scores = scores_of(float(score_of_elo(elo)), 600, seed)
        after = first_acceptance(scores, test, bounds)
        assert after
        ratio = ratio_of_scores(scores[:after], test)
        wrong.append(ratio >= bounds[1] if bound else ratio <= bounds[0])
    rate, error = rate_of(wrong)
    assert rate <= 0.05 + 2 * error


# --- the order of results -------------------------------------------------------------------------


def as_they_come(scores, workers, slow):
    """The scores in order of arrival: workers take deals in turn, a deal lost takes `slow` times as long."""
    free, ends = np.zeros(workers), np.empty(len(scores))
    for deal, score in enumerate(scores):
        worker = int(free.argmin())
        free[worker] += slow if score < 0.5 else 1.0
        ends[deal] = free[worker]
    return scores[np.argsort(ends, kind="stable")]


@pytest.mark.parametrize("test", ["bound", pytest.param("ratio", marks=pytest.mark.full)])
def test_judged_as_they_come_quick_wins_would_decide_too_often(test):
    """Equal bots, lost deals take 20 times as long, 64 workers: why deals wait for those before them."""

    def calls_first_stronger(scores):
        if test == "bound":
            after = first_exclusion(scores, 0.95)
            return after > 0 and scores[:after].mean() > 0.5
        after = first_acceptance(scores, logistic(0, 60), decision_bounds())
        return after > 0 and ratio_of_scores(scores[:after], logistic(0, 60)) > 0

    runs = [scores_of(0.5, 300, seed) for seed in range(120)]
    in_order = rate_of([calls_first_stronger(scores) for scores in runs])[0]
    arrival = rate_of([calls_first_stronger(as_they_come(scores, 64, 20.0)) for scores in runs])[0]
    assert in_order <= 0.08
    assert arrival > 0.5


def test_scores_that_come_bit_by_bit_say_what_all_of_them_say():
    rng = np.random.default_rng(5)
    for mean in (0.5, 0.56):
        scores = (rng.random(3000) < mean).astype(float)
        bound, after, ratio = sequential.Bound(0.95, fewest=10), 0, 0
        test, ends = sequential.Hypotheses(0.5, 0.54), sequential.decision_bounds()
        found = 0
        for cut in (1, 2, 40, 41, 900, 3000):
            found = found or bound.excluded(scores[:cut])
            if not ratio:
                ratio = sequential.first_acceptance(scores[:cut], test, ends, 10, after)
                after = cut
        assert found == sequential.first_exclusion(scores, 0.95, fewest=10)
        assert ratio == sequential.first_acceptance(scores, test, ends, 10)
        whole = sequential.log_wealth(scores, 0.47, 0.95)
        gamblers = sequential.Gamblers(0.47, 0.95)
        parts = [
            gamblers.bet(scores[:7]),
            gamblers.bet(scores[7:2000]),
            gamblers.bet(scores[2000:]),
        ]
        np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
