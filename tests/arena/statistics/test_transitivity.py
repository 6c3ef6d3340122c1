"""Circles are found where there are some, and not where strengths tell all."""

from itertools import combinations

import numpy as np
import pytest

from arena.statistics.transitivity import circular_parts


def season(rng, odds, deals=60, matches=4):
    """Scores of each pair by deal, whose log odds are given (k, k)."""
    size = len(odds)
    amounts, trials = np.zeros((deals, size, size)), np.zeros((deals, size, size))
    for one, other in combinations(range(size), 2):
        wins = rng.binomial(matches, 1 / (1 + np.exp(-odds[one, other])), size=deals)
        amounts[:, one, other], amounts[:, other, one] = wins, matches - wins
        trials[:, one, other] = trials[:, other, one] = matches
    return amounts, trials


def line(size, step=0.5):
    strength = step * np.arange(size)[::-1]
    return strength[:, None] - strength[None, :]


CIRCLE = np.array([[0, 1.0, -1.0], [-1.0, 0, 1.0], [1.0, -1.0, 0]])


def test_rock_paper_scissors_goes_in_circles():
    found = circular_parts(*season(np.random.default_rng(0), CIRCLE), 60)
    assert found.share > 0.9
    assert found.p_value < 1e-6
    assert (found.low[0, 1], found.high[0, 2]) > (0.5, -1.5)
    np.testing.assert_allclose(found.part, -found.part.T)
    assert found.part.sum(axis=1) == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_line_of_bots_has_no_circular_part():
    rng = np.random.default_rng(1)
    found = [circular_parts(*season(rng, line(5)), 60) for _ in range(200)]
    assert np.mean([one.p_value < 0.05 for one in found]) <= 0.09
    assert np.median([one.share for one in found]) < 0.02
    inside = [(one.low <= 0) & (one.high >= 0) for one in found]
    assert 0.93 <= np.mean([each[np.triu_indices(5, 1)] for each in inside]) <= 0.97


def test_what_cannot_be_taken_apart_is_not():
    rng = np.random.default_rng(2)
    amounts, trials = season(rng, line(3))
    assert circular_parts(amounts[:9], trials[:9], 9) is None
    amounts[:, 0, 1], amounts[:, 1, 0] = 4, 0
    assert circular_parts(amounts, trials, 60) is None
    assert circular_parts(amounts[:, :2, :2], trials[:, :2, :2], 60) is None
