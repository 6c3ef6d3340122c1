"""Intervals cover, p-values are uniform where nothing differs, and what cannot be told is not."""

import numpy as np
import pytest
from scipy.stats import binom, kstest, ttest_1samp
from scipy.stats import t as student

from arena.balance.inference import (
    PERMUTATIONS,
    Statistic,
    compare,
    estimate,
    exceedance,
    exchanged,
    influence,
    ratio,
)
from arena.balance.usage import Lift, Seats, judge, lift_columns, lift_of


@pytest.fixture(params=[100, pytest.param(200, marks=pytest.mark.full)])
def runs(request: pytest.FixtureRequest) -> int:
    """How many sets of results are drawn."""
    return request.param


def of(values, trials=None, **more) -> Statistic:
    values = np.asarray(values, dtype=float)
    trials = np.ones(len(values)) if trials is None else trials
    return Statistic(np.stack([values, trials], axis=1), ratio, len(values), **more)


def clustered(rng, deals, size=4, deal_luck=1.0):
    """Sums by deal of shares of wins whose chance the deal moves."""
    chance = 1 / (1 + np.exp(-deal_luck * rng.normal(size=deals)))
    return rng.binomial(size, chance).astype(float), np.full(deals, float(size))


@pytest.mark.parametrize("share", [True, False])
def test_intervals_of_clustered_shares_cover_95_in_100(share, runs):
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(runs):
        found = estimate(of(*clustered(rng, 60), share=share))
        inside += found.low <= 0.5 <= found.high
    assert 0.90 <= inside / runs <= 0.99


@pytest.mark.parametrize("share", [False, pytest.param(True, marks=pytest.mark.full)])
def test_intervals_of_paired_differences_cover_95_in_100(share, runs):
    rng = np.random.default_rng(2)
    inside, truth = 0, mean_chance(0.5) - mean_chance(0)
    for _ in range(runs):
        luck = rng.normal(size=50)  # both variants meet it
        one, other = (
            rng.binomial(6, 1 / (1 + np.exp(-(luck + shift)))).astype(float) for shift in (0.5, 0)
        )
        found = compare(
            of(one, np.full(50, 6.0), share=share), of(other, np.full(50, 6.0), share=share)
        )
        inside += found.low <= truth <= found.high
    assert 0.90 <= inside / runs <= 0.99


def mean_chance(shift: float) -> float:
    luck = np.random.default_rng(0).normal(size=200_000)
    return float((1 / (1 + np.exp(-(luck + shift)))).mean())


def test_p_values_of_equal_variants_are_uniform(runs):
    rng = np.random.default_rng(3)
    found = [compare(of(*clustered(rng, 30)), of(*clustered(rng, 30))) for _ in range(runs)]
    assert kstest([one.uniform_p for one in found], "uniform").pvalue > 0.01
    below = sum(one.p_value < 0.05 for one in found)
    assert below <= binom.ppf(0.999, runs, 0.05)  # with ties the plain p may only be larger


def test_p_values_test_the_measure_and_not_all_that_differs(runs):
    rng = np.random.default_rng(4)  # equal means, but one variant varies far more
    found = [
        compare(of(rng.normal(size=40) * 5, rng.uniform(1, 3, 40)), of(rng.normal(size=40)))
        for _ in range(runs)
    ]
    below = sum(one.p_value < 0.05 for one in found)
    assert binom.ppf(0.001, runs, 0.05) <= below <= binom.ppf(0.999, runs, 0.05)


def test_the_exchange_test_agrees_with_the_paired_t_test():
    rng = np.random.default_rng(5)
    one, other = rng.normal(size=80) + 0.25, rng.normal(size=80)
    found = compare(of(one), of(other))
    assert found.p_value == pytest.approx(ttest_1samp(one - other, 0).pvalue, abs=0.01)


@pytest.mark.parametrize("kind", ["share", "mean", "rough"])
def test_p_and_interval_of_a_difference_never_disagree(kind):
    rng = np.random.default_rng(6)
    more = {"share": kind == "share", "smooth": kind != "rough"}
    for shift in np.linspace(0, 0.3, 25):
        one, other = rng.random((2, 30)) + np.array([[shift], [0]])
        found = compare(of(one / 2, **more), of(other / 2, **more))
        for confidence in (0.95, 0.99, 0.5):
            low, high = found.ends(confidence)
            assert (found.p_value < 1 - confidence) == (low > 0 or high < 0)
        assert found.low <= found.difference <= found.high


def test_the_interval_of_a_mean_does_not_jump_at_any_number_of_deals():
    """A skewed mean: below 30 deals it was symmetric, from 30 on percentiles of resamples."""
    values = np.exp(np.random.default_rng(12).normal(size=40))
    widths = []
    for deals in (28, 29, 30, 31):
        found = estimate(of(values[:deals]))
        middle = (found.low + found.high) / 2
        assert middle == pytest.approx(found.value)
        widths.append(found.high - found.low)
    assert max(widths) < 1.1 * min(widths)


def test_a_p_value_is_never_zero():
    found = compare(of(np.full(40, 9.0) + np.arange(40) / 100), of(np.zeros(40)))
    assert found.p_value == 1 / (PERMUTATIONS + 1)


def test_what_never_varies_is_constant_and_has_nothing_to_test():
    found = compare(of(np.zeros(40), share=True), of(np.zeros(40), share=True))
    assert found.constant
    assert found.p_value == 1
    assert found.low < 0 < found.high  # 40 deals without an event do not prove that there are none
    assert estimate(of(np.zeros(40), share=True)).high > 0.01


def test_below_ten_deals_there_is_no_interval():
    found = estimate(of(np.arange(9.0)))
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert found.value == 4
    assert np.isnan(compare(of(np.arange(9.0)), of(np.zeros(9))).low)


def test_the_parts_of_the_deals_add_up_to_the_value():
    rng = np.random.default_rng(7)
    statistic = of(rng.normal(size=30), rng.uniform(1, 2, 30))
    parts = influence(statistic)
    assert parts.sum() == pytest.approx(statistic.estimate)
    x, n = statistic.sums[:, 0], statistic.sums[:, 1]
    by_hand = (x - statistic.estimate * n) / n.sum() + statistic.estimate / 30
    assert parts == pytest.approx(by_hand, abs=1e-6)


def test_measures_without_a_gradient_are_worked_out_for_every_exchange():
    rng = np.random.default_rng(8)
    one, other = (np.eye(9)[rng.integers(low, low + 5, 60)] for low in (3, 0))
    made = [
        Statistic(x, lambda s: s.argmax(-1).astype(float), 60, smooth=False) for x in (one, other)
    ]
    above, equal = exceedance(*exchanged(*made), 1.0)
    assert 0 <= above + equal <= PERMUTATIONS
    assert compare(*made).difference == made[0].estimate - made[1].estimate


# --- lifts ------------------------------------------------------------------------------------------


def seats(rng, deals, won):
    cell, deal = np.tile([0, 1, 0, 1], deals), np.repeat(np.arange(deals), 4)
    match, player = np.repeat(np.arange(2 * deals), 2), np.tile([0, 1], 2 * deals)
    return Seats(cell, deal, won, won, match, player)


def test_p_values_of_cards_that_change_nothing_are_uniform(runs):
    rng = np.random.default_rng(9)
    found = []
    for _ in range(runs):
        first = np.repeat(rng.random(60) < 0.5, 2)  # the deal favours a seat in both its matches
        flip = rng.random(120) < 0.2
        won = np.where(first ^ flip, 1.0, 0.0)
        own = np.stack([won, 1 - won], axis=1).ravel()
        has = rng.random(240) < 0.3
        found.append(lift_of(has, own, seats(rng, 60, own)).p_value)
    assert kstest(found, "uniform").pvalue > 0.01


def test_a_card_used_in_fewer_than_ten_deals_is_too_rare_to_say():
    rng = np.random.default_rng(10)
    has = np.zeros(240, bool)
    has[:36:4] = True
    found = lift_of(has, rng.random(240), seats(rng, 60, rng.random(240)))
    assert found.deals == 9
    assert np.isnan(found.ends()[0])
    assert np.isnan(found.p_value)
    row = lift_columns(found, "lift", 0.03)
    judge([row], "lift")
    assert row["verdict"] == "too rare to say"


def test_flags_keep_to_the_false_discovery_rate_and_to_their_intervals():
    lifts = [
        Lift(0.5, 0.4, 0.1, 0.1 / student.isf(p / 2, 49), 49, 50, p)
        for p in (0.001, 0.02, 0.04, 0.9)
    ]
    rows = [lift_columns(lift, "lift", 0.03) for lift in lifts]
    judge(rows, "lift")
    assert [row["q_value"] for row in rows] == pytest.approx([0.004, 0.04, 0.16 / 3, 0.9])
    assert [row["verdict"] for row in rows] == ["over", "over", "undecided", "undecided"]
    assert [row["family_low"] > 0 for row in rows] == [True, True, False, False]
