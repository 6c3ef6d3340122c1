"""What may be said about a number, and what may not."""

import math

import numpy as np
import pytest

from arena.statistics.claims import claim, deals_for_elo, deals_for_share, deals_to_separate
from arena.statistics.shares import shares_by_deal


def said(estimate, low, high, deals=100, **more):
    return claim(estimate, (low, high), deals=deals, method="by deals", **more)


@pytest.mark.parametrize(
    ("numbers", "margin", "outcome"),
    [
        ((12, 3, 21), 0, "differs"),
        ((-12, -21, -3), 30, "differs"),
        ((2, -8, 12), 20, "equivalent"),
        ((2, -8, 12), 10, "undecided"),
        ((2, -8, 12), 0, "undecided"),
        ((50, 10, math.inf), 20, "differs"),
        ((5, -10, math.inf), 20, "undecided"),
        ((2, math.nan, math.nan), 20, "too few deals"),
    ],
)
def test_a_claim_has_one_of_four_outcomes(numbers, margin, outcome):
    assert said(*numbers, margin=margin).outcome == outcome


def test_nothing_is_claimed_below_ten_deals_whatever_the_interval():
    few = said(90, 80, 100, deals=9)
    assert few.outcome == "too few deals"
    assert few.more_deals == 1
    assert said(90, 80, 100, deals=10).outcome == "differs"


def test_absence_of_evidence_is_undecided_and_says_how_many_deals_would_tell():
    wide = said(3, -3, 9, deals=100)
    assert wide.outcome == "undecided"
    assert wide.more_deals == 300  # half the width at four times the deals
    near = said(0, -6, 6, deals=100, margin=3)
    assert near.more_deals == 300
    assert said(0, -6, 6).more_deals != said(0, -6, 6).more_deals  # nothing to find, no margin: nan


def test_a_claim_is_about_a_reference():
    share = said(0.54, 0.51, 0.57, reference=0.5)
    assert (share.outcome, share.above) == ("differs", True)
    assert said(0.54, 0.51, 0.57, reference=0.54).outcome == "undecided"


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="does not hold 5"):
        said(5, 6, 7)
    with pytest.raises(ValueError, match="margin"):
        said(5, 4, 7, margin=-1)


def test_so_many_deals_separate_the_difference_with_the_power_promised():
    """80 of 100 runs with that many deals have an interval of the share beyond one half."""
    rng = np.random.default_rng(1)
    deals = int(deals_for_share(0.03, matches=2))
    wins = rng.binomial(2, 0.53, size=(deals, 1000)).astype(float)
    found = shares_by_deal(wins, np.full_like(wins, 2))
    assert 0.75 < (found.low > 0.5).mean() < 0.85


def test_power_from_a_run_and_from_the_schedule_agree():
    half = 0.98 / math.sqrt(200)  # of a share after 100 deals of two matches
    assert deals_to_separate(0.03, half, 100) == pytest.approx(deals_for_share(0.03, 2), rel=0.01)
    assert deals_for_elo(20, 2) == pytest.approx(deals_for_share(0.0287505, 2), rel=0.01)
    assert deals_for_share(0.03, 2, effect=2) == pytest.approx(
        2 * deals_for_share(0.03, 2), rel=0.01
    )
    assert math.isnan(deals_to_separate(20, math.inf, 100))
