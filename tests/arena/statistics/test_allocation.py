"""Where the next deals go: to the pairs that tell most, and to no pair too seldom."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit

from arena.statistics.allocation import FLOOR, SELDOM, Goal, allocate, fit, targets

PAIRS = list(combinations(range(4), 2))


def table(worths, deals):
    """Expected results of a round robin of so many matches a pair."""
    share = expit(np.subtract.outer(worths, worths))
    counts = np.full(share.shape, float(deals))
    np.fill_diagonal(counts, 0)
    return counts, counts * share


def test_the_fit_finds_the_worths_that_results_were_made_from():
    worths = np.array([1.0, 0.5, 0.0, -1.5])
    found, covariance = fit(*table(worths, 10_000))
    assert found == pytest.approx(worths - worths.mean(), abs=1e-3)
    assert np.linalg.eigvalsh(covariance).min() > 0


def test_goals_are_neighbours_the_edge_of_the_top_or_one_bot():
    worths = np.array([0.0, 3.0, 1.0, 2.0])
    assert targets(worths, Goal()).tolist() == [[1, 3], [3, 2], [2, 0]]
    assert targets(worths, Goal(top=1)).tolist() == [[1, 3], [1, 2], [1, 0]]
    assert targets(worths, Goal(versus=2)).tolist() == [[1, 2], [3, 2], [2, 0]]


def test_deals_go_to_neighbours_whose_order_is_open_and_none_starves():
    worths = np.array([2.0, 0.1, 0.0, -2.0])
    played = np.full(6, 20)
    given = allocate(*table(worths, 40), Goal(), PAIRS, played, 30, 2.0)
    assert given.sum() == 30
    assert int(given.argmax()) == PAIRS.index((1, 2))
    given = allocate(*table(worths, 40), Goal(), PAIRS, np.array([0, 20, 20, 20, 20, 20]), 30, 2.0)
    assert given[0] >= FLOOR * (100 + 30) / 6 - 1


def test_every_bot_gets_ten_deals_with_the_one_it_is_compared_with():
    """Without, eleven bots against one had half of their intervals: the others were left below ten deals."""
    worths = np.array([3.0, 0.1, 0.0, -3.0])
    played = np.array([40, 3, 3, 3, 3, 3])
    given = allocate(*table(worths, 40), Goal(versus=1), PAIRS, played, 40, 2.0)
    deals = played + given
    assert all(deals[n] >= 10 for n, pair in enumerate(PAIRS) if 1 in pair)


def test_a_bot_that_was_lucky_at_first_plays_on():
    """It is so far ahead that its deals tell nothing about the order, and still has three quarters of its own."""
    worths = np.array([9.0, 0.1, 0.0, -0.1])
    played = np.array([6, 6, 6, 40, 40, 40])
    given = allocate(*table(worths, 40), Goal(), PAIRS, played, 60, 2.0)
    assert sum(given[:3]) > 40
    assert sum(played[:3]) + sum(given[:3]) >= SELDOM * 3 * (138 + 60) / 6 - 2


def test_a_comparison_with_one_bot_plays_that_bot():
    worths = np.array([0.2, 0.1, 0.0, -0.1])
    given = allocate(*table(worths, 40), Goal(versus=0), PAIRS, np.full(6, 20), 30, 2.0)
    assert all(given[n] == 0 for n, pair in enumerate(PAIRS) if 0 not in pair)


def test_tables_of_three_are_chosen_by_the_pairs_that_sit_at_them():
    worths = np.array([2.0, 0.1, 0.0, -2.0])
    triples = list(combinations(range(4), 3))
    given = allocate(*table(worths, 40), Goal(), triples, np.full(4, 20), 12, 3.0)
    assert sum(given[n] for n, own in enumerate(triples) if {1, 2} <= set(own)) >= 10
