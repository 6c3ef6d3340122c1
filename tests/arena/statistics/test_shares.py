"""Closed formulas against published numbers (reference/rating_vectors.md), and honest intervals."""

import numpy as np
import pytest

from arena.statistics.shares import (
    elo_of_counts,
    elo_of_score,
    even_test,
    score_of_elo,
    shares_by_deal,
    superiority,
    superiority_of_counts,
    wilson_interval,
)


def exactly(value):
    return pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("wins", "losses", "draws", "normalised", "elo", "los", "score"),
    [
        (76, 89, 123, (-20.756450, 40.126026), (-15.693521, 30.458001), 0.155326, 0.477431),
        (136, 96, 111, (49.768415, 36.768451), (40.702458, 30.427218), 0.996010, 0.558309),
        (34, 356, 0, (-508.435325, 34.481812), (-407.988432, 63.164515), 0.0, 0.087179),
    ],
)
def test_matches_counted_one_by_one_meet_fastchess(
    wins, losses, draws, normalised, elo, los, score
):
    """Vector 1.1, fastchess trinomial."""
    found = elo_of_counts((losses, draws, wins))
    assert (found.normalised, found.normalised_error) == exactly(normalised)
    assert (found.elo, found.error) == exactly(elo)
    assert (found.superiority, found.score) == exactly((los, score))


@pytest.mark.parametrize(
    ("cells", "normalised", "elo", "los", "score"),
    [
        (
            (34, 54, 31, 32, 64, 75),
            (57.935600, 28.275376),
            (55.579780, 27.653430),
            0.99997,
            0.57931,
        ),
        (
            (332, 433, 457, 41, 333, 334),
            (-9.172914, 10.960459),
            (-8.642667, 10.334194),
            0.05047,
            0.487565,
        ),
        (
            (7895, 8757, 5485, 200, 568, 9999),
            (-19.012834, 2.654502),
            (-21.043521, 2.945281),
            0.0,
            0.469753,
        ),
    ],
)
def test_matches_counted_in_pairs_meet_fastchess(cells, normalised, elo, los, score):
    """Vector 1.2, fastchess pentanomial (LL, LD, WL, DD, WD, WW): WL and DD are one cell here."""
    found = elo_of_counts((*cells[:2], cells[2] + cells[3], *cells[4:]))
    assert (found.normalised, found.normalised_error) == exactly(normalised)
    assert (found.elo, found.error) == exactly(elo)
    assert found.superiority == pytest.approx(los, abs=6e-6)
    assert found.score == pytest.approx(score, abs=6e-6)


@pytest.mark.parametrize(
    ("counts", "elo", "error", "los"),
    [
        ((89, 123, 76), -15.693520705, 30.458000717, 0.155326435),
        ((96, 111, 136), 40.702458187, 30.427217944, 0.996010236),
        ((10, 20, 30), 120.411998266, 75.259886938, 0.999733997),
        ((34, 54, 63, 64, 75), 55.579780420, 27.653429506, 0.999970393),
        ((39, 8843, 26675, 9240, 44), 1.576762941, 1.030314042, 0.998647984),
    ],
)
def test_elo_of_counts_meets_fishtest(counts, elo, error, los):
    """Vector 1.3, fishtest get_elo."""
    found = elo_of_counts(counts)
    assert (found.elo, found.error, found.superiority) == pytest.approx((elo, error, los), abs=1e-8)


@pytest.mark.parametrize(
    ("counts", "low", "elo", "high"),
    [
        ((89, 123, 76), -46.40304, -15.69352, 14.77227),
        ((22569, 44137, 22976), -0.043694, 1.576763, 3.197288),
        ((34, 54, 63, 64, 75), 28.16230, 55.57978, 83.70281),
        ((39, 8843, 26675, 9240, 44), 0.546435, 1.576763, 2.607119),
        ((1, 187, 528, 290, 8), 12.536314, 20.066644, 27.615856),
        ((20, 638, 1655, 782, 13), 2.956388, 7.267248, 11.580346),
        ((95, 929, 2515, 1075, 95), 1.586870, 5.386458, 9.187335),
    ],
)
def test_the_students_t_interval_meets_openbench(counts, low, elo, high):
    """Vector 1.4, OpenBench Elo() on single matches and on pairs."""
    found = elo_of_counts(counts)
    assert (found.low, found.elo, found.high) == pytest.approx((low, elo, high), abs=6e-6)


@pytest.mark.parametrize(
    ("wins", "losses", "draws", "elo", "error", "los"),
    [
        (1038, 1037, 1925, 0.0869, 7.7561, 0.508757),
        (893, 883, 2224, 0.8686, 7.1754, 0.593784),
    ],
)
def test_superiority_meets_cutechess(wins, losses, draws, elo, error, los):
    """Vector 1.5, cutechess: LOS leaves draws out."""
    assert superiority_of_counts(wins, losses) == exactly(los)
    found = elo_of_counts((losses, draws, wins))
    assert (found.elo, found.error) == pytest.approx((elo, error), abs=6e-5)


def test_elo_and_score_meet_the_anchors():
    """Vector 1.6, closed form in both directions."""
    scores = [0.5014391117, 0.5143871842, 0.5714631174, 0.6400649998, 0.7597469266, 0.9090909091]
    np.testing.assert_allclose(score_of_elo([1, 10, 50, 100, 200, 400]), scores, atol=6e-11)
    elo = [34.86007029, 70.43650362, 190.84850189, 381.69700378, 798.25407784]
    np.testing.assert_allclose(elo_of_score([0.55, 0.60, 0.75, 0.90, 0.99]), elo, atol=6e-9)


def test_scores_of_0_and_1_have_a_finite_elo():
    """Vector 1.6: fishtest keeps scores within 0.001 .. 0.999."""
    assert elo_of_score([0, 1]).tolist() == pytest.approx([-1199.826195, 1199.826195])
    for counts in ((0, 0, 5), (5, 0, 0), (0, 5, 0), (0, 0, 1), (0, 0, 0, 0, 7)):
        found = elo_of_counts(counts)
        assert np.isfinite([*vars(found).values()]).all()


def test_superiority_and_the_scale_meet_ordo():
    """Vector 3.7: CFS % from difference and SD, and 76 % at 200.24 Elo."""
    found = 100 * superiority([-35, 6, 23, 44], [9, 11, 10, 8])
    np.testing.assert_allclose(found, [0.01, 70.73, 98.93, 100.00], atol=0.006)
    assert score_of_elo(200.24) == pytest.approx(0.76, abs=1e-6)


def test_wilson_meets_statsmodels():
    """Vector section 6: 53/150, 0/10, 10/10, 55/150, 58/100."""
    low, high = wilson_interval([53 / 150, 0, 1, 55 / 150, 0.58], [150, 10, 10, 150, 100])
    np.testing.assert_allclose(low, [0.281373, 0, 0.72247, 0.29377, 0.482065], atol=6e-6)
    np.testing.assert_allclose(high, [0.432619, 0.277533, 1, 0.44622, 0.672016], atol=6e-6)


def test_wins_by_seat_meet_the_chi_square_vector():
    """Vector section 6: 100/88/59/53 of 300 four-player matches."""
    statistic, freedom, p = even_test([100, 88, 59, 53])
    assert (statistic, freedom) == (pytest.approx(20.453333, abs=1e-6), 3)
    assert p == pytest.approx(1.367085e-4, abs=1e-10)


def test_counts_without_outcomes_are_refused():
    with pytest.raises(ValueError, match="counts"):
        elo_of_counts((0, 0, 0))


def test_share_intervals_cover_the_truth_at_the_stated_rate():
    """Deals of four matches with common luck (beta-binomial): at least 93 % of 95 % intervals."""
    rng = np.random.default_rng(7)
    for truth in (0.5, 0.25, 0.05):
        for deals in (10, 30, 200):
            luck = rng.beta(3 * truth, 3 * (1 - truth), size=(deals, 1000))
            wins = rng.binomial(4, luck).astype(float)
            found = shares_by_deal(wins, np.full_like(wins, 4))
            covered = (found.low <= truth) & (truth <= found.high)
            assert covered.mean() >= 0.93, (truth, deals)


def test_shares_have_no_interval_below_ten_deals_and_never_one_of_width_0():
    nine = shares_by_deal(np.full((9, 1), 0.5), np.ones((9, 1)))
    assert nine.share[0] == 0.5
    assert np.isnan([nine.low[0], nine.high[0]]).all()
    for value in (0.0, 0.5, 1.0):
        ten = shares_by_deal(np.full((10, 1), value), np.ones((10, 1)))
        assert 0 <= ten.low[0] <= value <= ten.high[0] <= 1
        assert ten.high[0] - ten.low[0] > 0.05


def test_a_deal_is_worth_at_least_one_trial():
    """1 win in 216 matches on 12 deals: it was [0, 67] points, as if from two trials."""
    amounts = np.zeros((12, 1))
    amounts[0] = 1
    found = shares_by_deal(amounts, np.full((12, 1), 18.0))
    assert 0.005 < found.high[0] < 0.31
    mirrored = shares_by_deal(18 - amounts, np.full((12, 1), 18.0))
    assert mirrored.low[0] == pytest.approx(1 - found.high[0])
    rng = np.random.default_rng(8)
    rare = rng.binomial(18, 0.02, size=(12, 2000)).astype(float)
    wide = shares_by_deal(rare, np.full_like(rare, 18))
    assert ((wide.low <= 0.02) & (wide.high >= 0.02)).mean() >= 0.95


def test_what_is_known_of_few_deals_only_gets_no_interval():
    found = shares_by_deal(np.ones((50, 1)), np.full((50, 1), 2.0), deals=np.array([9]))
    assert found.share[0] == 0.5
    assert np.isnan(found.low[0])
