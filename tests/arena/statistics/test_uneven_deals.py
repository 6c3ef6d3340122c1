"""Where some deals hold much more than others, each counts what independent matches would."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from arena.statistics import prior
from arena.statistics.contrasts import differences
from arena.statistics.placements import placements
from arena.statistics.prior import bell_mccaffrey, is_uneven
from arena.statistics.ratings import rate

BOTS = 4
PAIRS = list(combinations(range(BOTS), 2))
EVEN, UNEVEN = [20] * 6, [40, 6, 6, 20, 8, 40]


def matches(deals):
    """A round robin of bots 50 Elo apart, two matches a deal; deals: of each pair."""
    rng = np.random.default_rng(1)
    sides, ranks, numbers = [], [], []
    for (one, other), count in zip(PAIRS, deals, strict=True):
        won = rng.random((count, 2)) < 1 / (1 + 10 ** (-50 * (other - one) / 400))
        sides += [(one, other)] * (2 * count)
        ranks += [(1, 2) if each else (2, 1) for each in won.ravel()]
        numbers += np.repeat(np.arange(count), 2).tolist()
    return placements([f"bot {n}" for n in range(BOTS)], sides, ranks, deals=numbers)


def test_each_deal_counts_what_independent_matches_would():
    """Its part of what the fit leaves over, times its factor, has on average the spread of independent matches."""
    rng = np.random.default_rng(3)
    kinds = np.stack([x.T @ x for x in rng.normal(size=(3, 6, 5))]) * np.array(
        [[[4.0]], [[1]], [[1]]]
    )
    times = np.array([2, 5, 9])
    bread = np.linalg.inv(np.tensordot(times, kinds, 1))
    for number, own in enumerate(kinds):
        values, axes = np.linalg.eigh(own - own @ bread @ own)  # of a deal's score, after the fit
        root = axes * np.sqrt(np.maximum(values, 0))
        grown = bell_mccaffrey(root, kinds, np.full(5, number), bread)
        assert grown @ grown.T == pytest.approx(own, rel=1e-6, abs=1e-6)


def test_with_equal_deals_that_is_the_factor_of_resampling():
    own = np.diag([2.0, 3.0])
    scores = np.array([[1.0, -1.0], [0.5, 2.0]])
    grown = bell_mccaffrey(scores, own[None], np.zeros(2, int), np.linalg.inv(10 * own))
    assert grown == pytest.approx(scores * (10 / 9) ** 0.5)


def test_only_uneven_deals_are_looked_at_one_by_one(monkeypatch):
    found = {}
    for factors in (True, False):
        monkeypatch.setattr(prior, "is_uneven", is_uneven if factors else lambda design: False)
        found[factors] = [rate(matches(deals)).spread.covariance for deals in (EVEN, UNEVEN)]
    assert found[True][0].tolist() == found[False][0].tolist()
    wider = np.diag(found[True][1]) / np.diag(found[False][1])
    assert 1.01 < wider.mean() < 1.3


def test_an_interval_of_uneven_deals_rests_on_as_many_as_equal_ones_would_be():
    """Twenty deals of twelve matches and twenty of two: (sum v)^2 / sum v^2 is 26.5 of 40."""
    sides, ranks, numbers = [], [], []
    for deal in range(40):
        for match in range(12 if deal < 20 else 2):
            sides.append((0, 1))
            ranks.append((1, 2) if match % 2 else (2, 1))
            numbers.append(deal)
    spread = rate(placements(["one", "other"], sides, ranks, deals=numbers)).spread
    assert spread.effective[0, 1] == pytest.approx(280**2 / (20 * 12**2 + 20 * 2**2))
    assert rate(matches(EVEN)).spread.effective is None
    spread = rate(matches(UNEVEN)).spread
    wide, narrow = (differences(one) for one in (spread, replace(spread, effective=None)))
    assert (wide.high > narrow.high)[np.triu_indices(BOTS, 1)].all()
