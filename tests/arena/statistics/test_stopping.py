"""Estimates after a test has stopped, against fishtest's self-test and simulated tests."""

import numpy as np
import pytest

from arena.statistics.sequential import Hypotheses, decision_bounds, first_acceptance
from arena.statistics.shares import elo_of_score, score_of_elo
from arena.statistics.stopping import estimate_after_stopping, estimate_of_counts, outcome_below


@pytest.mark.parametrize(
    ("counts", "elo", "expected"),
    [
        ((10789, 19328, 33806, 19402, 10543), (-3, 1), (-0.99253656, -3.48849213, 1.48858590)),
        ((39, 2226, 31451, 2412, 40), (0.2, 0.9), (0.86518279, 0.16830706, 1.54059934)),
    ],
)
def test_estimates_meet_fishtests_self_test(counts, elo, expected):
    """Vector 2.4, pentanomial: Elo and 95 % interval after stopping."""
    null, alternative = (float(score_of_elo(each)) for each in elo)
    values = np.linspace(0, 1, 5)
    found = estimate_of_counts(counts, values, Hypotheses(null, alternative), decision_bounds())
    np.testing.assert_allclose(elo_of_score(found), expected, atol=2e-3)


def test_outcomes_of_a_motion_meet_simulated_ones():
    rng = np.random.default_rng(0)
    steps = rng.normal(0.01, 0.1, size=(2000, 1500))
    paths = np.cumsum(steps, axis=1)
    bounds, time, place = (-2.0, 2.0), 300, 2.0
    low, high = (np.argmax(each, axis=1) for each in (paths <= bounds[0], paths >= bounds[1]))
    low = np.where((paths <= bounds[0]).any(axis=1), low, 10**6)
    high = np.where((paths >= bounds[1]).any(axis=1), high, 10**6)
    worse = (low < high) | (high > time)
    expected = outcome_below(0.01, 0.01, time, place, bounds)
    assert worse.mean() == pytest.approx(expected, abs=0.04)


@pytest.mark.full
def test_the_plain_mean_of_a_passed_test_is_too_high_and_the_corrected_one_is_not():
    """True score 0.55 against 0.5 and 0.55: half of the corrected estimates lie below the truth."""
    rng = np.random.default_rng(1)
    test, bounds = Hypotheses(0.5, 0.55), decision_bounds()
    plain, corrected, inside = [], [], []
    for _ in range(60):
        scores = rng.binomial(2, 0.55, size=3000) / 2
        stopped = first_acceptance(scores, test, bounds)
        assert stopped
        seen = scores[:stopped]
        middle, low, high = estimate_after_stopping(seen, test, bounds)
        plain.append(seen.mean() > 0.55)
        corrected.append(middle > 0.55)
        inside.append(low <= 0.55 <= high)
    assert np.mean(plain) > 0.55
    assert 0.35 <= np.mean(corrected) <= 0.65
    assert np.mean(inside) >= 0.9
