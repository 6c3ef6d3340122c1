"""A machine whose results or times do not fit is named; where all are alike, seldom is one."""

import numpy as np
import pytest

from arena.statistics.hosts import misfits

ALPHA = 0.05


def played(rng, slow=0.0, rigged=0.0, machines=6, units=900, strata=3):
    """Deals dealt out at random; the last machine is slower, or lets the first entrant win more."""
    machine, stratum = rng.integers(0, machines, units), rng.integers(0, strata, units)
    odd = machine == machines - 1
    share = 0.4 + 0.1 * stratum + rigged * odd
    scores = rng.binomial(2, share) / 2
    times = rng.normal(-7 + stratum, 0.5) + slow * odd
    return machine, stratum, scores, times


@pytest.mark.parametrize("runs", [100, pytest.param(300, marks=pytest.mark.full)])
def test_false_alarms_are_no_more_often_than_said(runs):
    rng = np.random.default_rng(1)
    alarms = sum(bool(misfits(*played(rng), alpha=ALPHA)) for _ in range(runs))
    assert alarms / runs <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / runs) ** 0.5


def test_a_slow_machine_and_one_with_other_results_are_found():
    rng = np.random.default_rng(2)
    found = [misfits(*played(rng, slow=0.4)) for _ in range(20)]
    assert all({"times"} == {one.what for one in own if one.machine == 5} for own in found)
    assert np.mean([own[0].ratio for own in found if own[0].machine == 5]) > 1.3
    found = [misfits(*played(rng, rigged=0.3)) for _ in range(20)]
    assert all((5, "results") in {(one.machine, one.what) for one in own} for own in found)


def test_one_machine_or_few_deals_say_nothing():
    rng = np.random.default_rng(3)
    assert misfits(*played(rng, machines=1)) == []
    assert misfits(*played(rng, slow=3.0, units=12)) == []
