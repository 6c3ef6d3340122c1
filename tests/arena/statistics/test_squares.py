"""Squared effects: intervals that begin at 0 where there is no effect, and hold the truth where there is one."""

import numpy as np
import pytest

from arena.statistics.shares import even_by_deal
from arena.statistics.squares import squared_length, uneven_by_deal


@pytest.mark.parametrize("true", [(0.0, 0.0), (0.1, -0.1), (1.0, -1.0)])
def test_intervals_of_squared_lengths_hold_them_and_find_nothing_in_noise(true):
    rng = np.random.default_rng(1)
    held = found = 0
    for _ in range(400):
        drawn = np.array(true) + rng.normal(size=(30, 1)) * [1, -1]
        covariance = np.cov(drawn.T, ddof=1) / 30
        value, low, high = squared_length(drawn.mean(axis=0), covariance, 30)
        assert 0 <= low <= value <= high
        held += low <= sum(each**2 for each in true) <= high
        found += low > 0
    assert 0.92 <= held / 400 <= 0.98
    assert true != (0.0, 0.0) or found / 400 <= 0.08


@pytest.mark.parametrize("seats", [2, *(pytest.param(n, marks=pytest.mark.full) for n in (3, 4))])
def test_how_uneven_seats_are_begins_above_0_exactly_where_the_test_rejects(seats):
    rng = np.random.default_rng(seats)
    for shift in np.linspace(0, 0.3, 30):
        chances = np.full(seats, (1 - shift) / seats) + shift * np.eye(seats)[0]
        amounts = rng.multinomial(6, chances, size=40).astype(float)
        trials = np.full(40, 6.0)
        seen, low, high = uneven_by_deal(amounts, trials, 40)
        assert (low > 0) == (even_by_deal(amounts, trials, 40) < 0.05)
        assert low <= seen <= high
        assert seen == pytest.approx(np.sqrt(((amounts.sum(axis=0) / 240 - 1 / seats) ** 2).mean()))


def test_below_ten_deals_nothing_is_said_of_seats():
    assert np.isnan(uneven_by_deal(np.full((9, 2), 0.5), np.ones(9), 9)).all()
