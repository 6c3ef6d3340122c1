"""Ratings recover known strengths, stay finite, and depend on nothing but the matches."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from arena.statistics.contrasts import differences, rank_ranges
from arena.statistics.placements import Placements
from arena.statistics.ratings import ELO, PRIOR, placements, rate, seat_effect
from arena.statistics.resampling import batches_of
from arena.statistics.shares import elo_of_score, shares_by_deal

FULL = pytest.mark.full
STEP = 100.0  # Elo between neighbours in the recovery tests


def tournament(rng, bots, seats, deals, *, places="all", draws=0.0, copies=1, step=STEP):
    """A round robin in all rotations among bots `step` Elo apart; sides are ranked by Luce's rule.

    draws: share of matches in which the first two share the first place, at random (two sides).
    copies: every match stands that often, so that a deal holds less than it seems.
    """
    line_ups = np.array(list(combinations(range(bots), seats)))
    rotations = np.concatenate([np.roll(line_ups, shift, axis=1) for shift in range(seats)])
    sides = np.tile(rotations, (deals, 1))
    worths = sides * step / ELO + rng.gumbel(size=sides.shape)
    ranks = (-worths).argsort(axis=1).argsort(axis=1) + 1
    ranks[rng.random(len(ranks)) < draws] = 1
    if places == "winner":
        ranks = np.minimum(ranks, 2)
    return placements(
        [f"bot {number}" for number in range(bots)],
        np.repeat(sides, copies, axis=0),
        np.repeat(ranks, copies, axis=0),
        deals=np.repeat(np.arange(deals), len(rotations) * copies),
        places=places,
    )


def truth(bots, step=STEP):
    elo = np.arange(bots) * step
    return elo - elo.mean()


def coverage(seed, runs, bots, seats, deals, **how):
    """Share of the true ratings, of all bots of all tournaments, inside their intervals."""
    rng = np.random.default_rng(seed)
    expected = truth(bots, how.get("step", STEP))
    inside = []
    for _ in range(runs):
        ratings = rate(tournament(rng, bots, seats, deals, **how), resamples=300)
        inside.append((ratings.low <= expected) & (expected <= ratings.high))
    return np.mean(inside)


def tournaments(quick, many):
    """So many tournaments in the default run, and as many as tell more of the same at length."""
    return pytest.mark.parametrize("runs", [quick, pytest.param(many, marks=FULL)])


@tournaments(30, 40)
@pytest.mark.parametrize(
    ("seats", "places"),
    [
        (2, "all"),
        (4, "winner"),
        *(pytest.param(*one, marks=FULL) for one in ((3, "all"), (4, "all"), (3, "winner"))),
    ],
)
def test_intervals_hold_bots_100_elo_apart(seats, places, runs):
    """Tournaments of 5 bots, 60 deals: at least 90 % of the 95 % intervals hold the truth."""
    assert coverage(seats, runs, 5, seats, 60, places=places) >= 0.90


@tournaments(20, 40)
@pytest.mark.parametrize(
    ("seats", "places"),
    [(2, "all"), *(pytest.param(*one, marks=FULL) for one in ((3, "all"), (4, "winner")))],
)
def test_intervals_are_honest_for_ten_deals(seats, places, runs):
    """Tournaments of 4 bots with the fewest deals that get an interval: at least 90 % hold."""
    assert coverage(10 + seats, runs, 4, seats, 10, places=places) >= 0.90


def test_intervals_are_honest_where_one_bot_almost_always_wins():
    """Two bots 400 Elo apart and 12 deals: many records are perfect, 90 % of the intervals hold."""
    assert coverage(3, 60, 2, 2, 12, step=400.0) >= 0.90


@tournaments(20, 40)
def test_intervals_are_honest_where_matches_of_a_deal_are_copies(runs):
    """Each match four times: intervals that took them for independent would be half as wide."""
    assert coverage(4, runs, 4, 2, 40, copies=4) >= 0.90


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "places"), [(2, "all"), (3, "all"), (4, "all"), (3, "winner")])
def test_intervals_hold_the_truth_at_95_percent(seats, places):
    """Over 400 tournaments of 5 bots and 60 deals: between 92 % and 98 % (slow)."""
    assert 0.92 <= coverage(100 + seats, 400, 5, seats, 60, places=places) <= 0.98


@pytest.mark.parametrize(
    ("seats", "places", "close"), [(2, "all", 8), (3, "all", 8), (4, "all", 8), (4, "winner", 15)]
)
def test_many_matches_recover_the_strengths(seats, places, close):
    """2000 deals of 5 bots: every estimate within a few Elo of the truth."""
    results = tournament(np.random.default_rng(1), 5, seats, 2000, places=places)
    ratings = rate(results, resamples=0)
    np.testing.assert_allclose(ratings.elo, truth(5), atol=close)


def test_draws_shrink_bradley_terry_to_the_expected_score():
    """A draw is half a win each: Elo says the score, (1 - d) p + d / 2."""
    results = tournament(np.random.default_rng(2), 2, 2, 20000, draws=0.3)
    expected = 0.7 / (1 + 10 ** (-STEP / 400)) + 0.15
    gap = np.diff(rate(results, resamples=0).elo)[0]
    assert 1 / (1 + 10 ** (-gap / 400)) == pytest.approx(expected, abs=0.01)


def test_winner_only_ranks_rated_as_all_places_would_be_biased():
    """Why `places` matters: last places shared by rule are no ties. First choices are unbiased."""
    results = tournament(np.random.default_rng(3), 4, 4, 3000, places="winner", step=200.0)
    right = rate(results, resamples=0).elo
    wrong = rate(replace(results, places="all"), resamples=0).elo
    assert np.abs(right - truth(4, 200.0)).max() < 15
    assert np.abs(wrong - truth(4, 200.0)).max() > 50


@pytest.mark.parametrize(
    ("ranks", "faults"),
    [
        ([(1, 2)] * 40, None),
        ([(1, 1)] * 40, None),
        ([(1, 2)], None),
        ([(1, 2)] * 40, [1] * 40),
        ([(1, 2, 3)] * 40, None),
        ([(1, 1, 1)] * 40, None),
        ([(1, 1, 3)], None),
        ([(1, 2, 3)] * 40, [2] * 40),
        ([(1, 2, 3, 4)], [3]),
        ([(1, 1, 1, 1)] * 12, [0] * 12),
    ],
)
@pytest.mark.parametrize("places", ["all", "winner"])
def test_no_rating_is_ever_infinite(ranks, faults, places):
    """0 %, 100 %, one match, all draws, all faults."""
    seats = len(ranks[0])
    sides = [tuple(range(seats))] * len(ranks)
    ratings = rate(placements("abcd"[:seats], sides, ranks, faults=faults, places=places))
    assert np.isfinite(ratings.elo).all()
    assert (np.abs(ratings.elo) < 3000).all()
    if len(ranks) >= 10:
        assert np.isfinite([ratings.low, ratings.high]).all()
        assert (ratings.low < ratings.elo).all()
        assert (ratings.elo < ratings.high).all()
    else:
        assert np.isnan([ratings.low, ratings.high]).all()


def test_no_matches_at_all_are_rated_0():
    empty = np.empty((0, 2), dtype=np.int64)
    ratings = rate(placements("ab", empty, empty))
    assert ratings.elo.tolist() == [0, 0]
    assert ratings.groups == (("a",), ("b",))


def test_an_unbeaten_bot_gets_an_open_interval_that_begins_where_that_of_its_share_does():
    """60 wins of 60: a share of 93.7 % or more; how much better it is, nobody knows."""
    ratings = rate(placements("ab", [(0, 1)] * 60, [(1, 2)] * 60))
    share = shares_by_deal(np.ones((60, 1)), np.ones((60, 1)))
    assert 2 * ratings.low[0] == pytest.approx(elo_of_score(share.low[0]), abs=1.0)
    assert ratings.high[0] - ratings.low[0] > 300
    assert (ratings.open_high.tolist(), ratings.open_low.tolist()) == ([True, False], [False, True])
    assert ratings.held.all()
    assert "the prior holds: a, b" in ratings.notes[0]


@pytest.mark.parametrize(
    ("wins", "losses", "deals"), [(57, 1, 29), (59, 1, 30), (12, 8, 10), (300, 100, 200)]
)
def test_of_two_bots_elo_and_share_have_one_interval(wins, losses, deals):
    """No jump at 30 deals: 57:1 in 29 gave [-109, 1404], 59:1 in 30 [457, 1980]."""
    ranks = [(1, 2)] * wins + [(2, 1)] * losses
    deal = np.arange(wins + losses) % deals
    ratings = rate(placements("ab", [(0, 1)] * len(ranks), ranks, deals=deal))
    won = np.bincount(deal, weights=np.array(ranks)[:, 0] == 1)[:, None]
    share = shares_by_deal(won, np.bincount(deal)[:, None].astype(float))
    expected = elo_of_score(np.array([share.low[0], share.high[0]]))
    gap = differences(ratings.spread)
    assert 2 * np.array([ratings.low[0], ratings.high[0]]) == pytest.approx(expected, abs=1.5)
    assert ELO * np.array([gap.low[0, 1], gap.high[0, 1]]) == pytest.approx(expected, abs=1.5)


def tied(rng, seats, deals, tie):
    """Four bots 100 Elo apart whose strengths on the day are rounded: many share a place."""
    line_ups = np.array(list(combinations(range(4), seats)))
    sides = np.concatenate([np.roll(line_ups, shift, axis=1) for shift in range(seats)])
    sides = np.tile(sides, (deals, 1))
    worth = np.round((-sides * STEP / ELO + rng.gumbel(size=sides.shape)) / tie)
    ranks = 1 + (worth[:, None, :] > worth[:, :, None]).sum(axis=2)
    return placements("abcd", sides, ranks, deals=np.repeat(np.arange(deals), len(sides) // deals))


@pytest.mark.parametrize(("seats", "tie"), [(3, 1.0), (3, 2.0), (4, 2.0)])
def test_elo_says_the_score_of_a_pair_where_many_share_a_place(seats, tie):
    """The scale stretched with the table, 256 at 2 players, 457 at 3, 521 at 4, and no score fitted."""
    results = tied(np.random.default_rng(1), seats, 300, tie)
    ratings = rate(results, resamples=0)
    for one, other in combinations(range(4), 2):
        scores = []
        for i, j in ((i, j) for i in range(seats) for j in range(seats) if i != j):
            met = (results.sides[:, i] == one) & (results.sides[:, j] == other)
            scores.append((np.sign(results.ranks[met, j] - results.ranks[met, i]) + 1) / 2)
        expected = 1 / (1 + 10 ** (-(ratings.elo[one] - ratings.elo[other]) / 400))
        assert np.concatenate(scores).mean() == pytest.approx(expected, abs=0.02)


def test_the_chance_of_being_stronger_and_the_interval_never_disagree():
    rng = np.random.default_rng(4)
    for deals in (10, 40):
        found = differences(rate(tournament(rng, 5, 3, deals, step=30.0)).spread)
        sure = found.stronger > 0.975
        np.testing.assert_array_equal(sure, found.low > 0)
        np.testing.assert_allclose(
            found.stronger + found.stronger.T, np.where(np.eye(5), np.nan, 1), atol=1e-5
        )


@tournaments(20, 40)
def test_ranks_hold_the_true_order(runs):
    """Ranges of ranks of all bots together hold in 95 runs of 100; of equal bots all ranks are possible."""
    rng = np.random.default_rng(11)
    inside = []
    for _ in range(runs):
        best, worst = rank_ranges(rate(tournament(rng, 4, 2, 40, step=40.0), resamples=1).spread)
        inside.append((best <= [4, 3, 2, 1]) & (worst >= [4, 3, 2, 1]))
    assert np.mean(inside) >= 0.95
    best, worst = rank_ranges(rate(tournament(rng, 4, 2, 30, step=0.0), resamples=1).spread)
    assert (best.min(), worst.max()) == (1, 4)
    sure = rank_ranges(rate(tournament(rng, 3, 2, 200, step=200.0), resamples=1).spread)
    assert [each.tolist() for each in sure] == [[3, 2, 1], [3, 2, 1]]


def test_a_bot_that_lost_every_match_does_not_move_the_others():
    """Intervals are against those whose ratings the results hold."""
    sides = [(0, 1), (1, 0), (0, 2), (1, 2)] * 20
    ranks = [(1, 2)] * 80
    ratings = rate(placements("abc", sides, ranks, deals=np.repeat(np.arange(20), 4)))
    assert ratings.elo[0] == pytest.approx(ratings.elo[1])
    assert ratings.open_low.tolist() == [False, False, True]
    assert ratings.high[2] < ratings.elo[0] - 200
    assert ratings.high[0] - ratings.low[0] < 200


def test_the_prior_is_half_a_win_and_half_a_loss_against_a_ghost():
    """One win: log worth x = -y solves 1 - s(2x) + 0.5 = s(x), s the logistic function."""
    ratings = rate(placements("ab", [(0, 1)], [(1, 2)]))
    x = ratings.log_worths[0]

    def logistic(value):
        return 1 / (1 + np.exp(-value))

    assert ratings.log_worths[1] == pytest.approx(-x)
    assert 1 - logistic(2 * x) + PRIOR == pytest.approx(2 * PRIOR * logistic(x))


@pytest.mark.parametrize(("seats", "places"), [(2, "all"), (3, "all"), (4, "winner")])
def test_the_order_of_rows_does_not_matter(seats, places):
    """To the last bit, intervals too, with weights that are no binary fractions."""
    rng = np.random.default_rng(5)
    results = tournament(rng, 5, seats, 30, places=places)
    matches = len(results.sides)
    results = replace(
        results,
        weights=rng.choice([1, 1 / 3, 0.1], matches),
        faults=rng.choice([-1, -1, -1, 0, 1], matches),
    )
    order = rng.permutation(matches)
    fields = ("sides", "ranks", "deals", "weights", "faults")
    shuffled = replace(results, **{name: getattr(results, name)[order] for name in fields})
    first, second = rate(results, resamples=50), rate(shuffled, resamples=50)
    for name in ("elo", "low", "high", "matches", "deals", "resamples"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_an_anchor_holds_one_entrant_and_moves_its_group_only():
    sides = [(0, 1), (1, 0), (2, 3), (3, 2)] * 10
    ranks = [(1, 2), (1, 2), (1, 1), (1, 2)] * 10
    deals = np.repeat(np.arange(10), 4)
    ratings = rate(placements("abcd", sides, ranks, deals=deals), anchor=("b", 1500))
    assert (ratings.elo[1], ratings.low[1], ratings.high[1]) == pytest.approx((1500, 1500, 1500))
    assert ratings.elo[0] == pytest.approx(1500)
    assert ratings.elo[2] + ratings.elo[3] == pytest.approx(0)
    with pytest.raises(ValueError, match="'e' is none of: a, b, c, d"):
        rate(placements("abcd", sides, ranks), anchor=("e", 0))


def test_groups_that_never_met_are_named():
    ratings = rate(placements("abcde", [(0, 2), (2, 0), (1, 3), (3, 1)], [(1, 2)] * 4))
    assert ratings.groups == (("a", "c"), ("b", "d"), ("e",))
    assert ratings.notes == (
        "these groups never met, their ratings do not compare: a, c | b, d | e",
    )


def test_without_a_prior_an_unbeaten_bot_is_refused():
    with pytest.raises(ValueError, match=r"without a prior: \['a', 'b'\]"):
        rate(placements("ab", [(0, 1)], [(1, 2)]), prior=0, tie_prior=0, resamples=0)


@pytest.mark.parametrize("places", ["all", "winner"])
def test_copies_of_an_entrant_are_equal_alternatives(places):
    """(a, a, b) at even strength: b wins a third. Then both are rated equal."""
    sides = [(0, 0, 1), (0, 1, 0), (1, 0, 0)] * 20
    ranks = [(1, 2, 3), (2, 1, 3), (3, 1, 2)] * 10 + [(2, 3, 1), (1, 3, 2), (2, 1, 3)] * 10
    ratings = rate(placements("ab", sides, ranks, places=places), resamples=0)
    winners = np.mean([row[side.index(1)] == 1 for side, row in zip(sides, ranks, strict=True)])
    assert winners == pytest.approx(1 / 3)
    if places == "winner":
        assert np.ptp(ratings.elo) == pytest.approx(0, abs=1e-6)
    assert np.abs(ratings.elo).max() < 60


def test_self_play_says_nothing_and_breaks_nothing():
    results = tournament(np.random.default_rng(6), 3, 3, 12)
    alone = placements(
        results.names,
        np.vstack([results.sides, np.full((50, 3), 2)]),
        np.vstack([results.ranks, np.tile([1, 2, 3], (50, 1))]),
        deals=np.append(results.deals, np.arange(50)),
    )
    np.testing.assert_array_equal(rate(alone).elo, rate(results).elo)
    np.testing.assert_array_equal(rate(alone).low, rate(results).low)
    only = rate(placements("ab", [(0, 0)] * 20, [(1, 2)] * 20))
    assert only.elo.tolist() == [0, 0]
    assert only.matches.tolist() == [0, 0]


@pytest.mark.parametrize("places", ["all", "winner"])
def test_a_fault_at_a_table_of_three_says_nothing_about_the_others(places):
    """The stand-in's match lets c win all the time; only the loss of a counts."""
    sides, ranks = [(0, 1, 2)] * 30, [(3, 2, 1)] * 30
    ratings = rate(placements("abc", sides, ranks, faults=[0] * 30, places=places), resamples=0)
    assert ratings.elo[1] == pytest.approx(ratings.elo[2])
    assert ratings.elo[0] < ratings.elo[1] - 200


@pytest.mark.parametrize("places", ["all", "winner"])
@pytest.mark.parametrize("seats", [3, 4])
def test_a_fault_costs_about_as_much_as_an_ordinary_last_place(seats, places):
    """One loss among 60 matches at even strength: within a tenth of the same loss by play."""
    names = "abcd"[:seats]
    orders = [np.roll(np.arange(1, seats + 1), shift) for shift in range(seats)] * 20
    lost = [
        *orders,
        np.append(seats, np.arange(1, seats)),
        np.append(seats, np.arange(seats - 1, 0, -1)),
    ]
    if places == "winner":
        lost = [
            *orders,
            *(np.append(seats, np.roll(np.arange(1, seats), s)) for s in range(seats - 1)),
        ]
    count = len(lost) - len(orders)
    sides = [tuple(range(seats))] * len(lost)
    played = rate(placements(names, sides, lost, places=places), resamples=0)
    faults = [-1] * len(orders) + [0] * count
    faulty = rate(placements(names, sides, lost, faults=faults, places=places), resamples=0)
    assert faulty.elo[0] == pytest.approx(played.elo[0], rel=0.1)


def test_a_fault_of_two_is_a_plain_loss():
    sides, ranks = [(0, 1)] * 9, [(1, 2)] * 4 + [(2, 1)] * 5
    plain = rate(placements("ab", sides, ranks))
    faulty = rate(placements("ab", sides, ranks, faults=[1] * 4 + [-1] * 5))
    assert plain.elo.tolist() == faulty.elo.tolist()


def test_matches_that_weigh_half_count_half():
    sides, ranks = [(0, 1)] * 30, [(1, 2)] * 20 + [(2, 1)] * 10
    doubled = placements("ab", sides * 2, ranks * 2, weights=[0.5] * 60)
    once = placements("ab", sides, ranks)
    np.testing.assert_allclose(rate(doubled).elo, rate(once).elo, atol=1e-6)


def test_seats_are_worth_what_they_are_worth():
    """The first of two seats adds 80 Elo: found, inside its interval, which leaves 0 out."""
    rng = np.random.default_rng(8)
    sides = np.tile(np.array([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]), (200, 1))
    bonus = np.array([80, 0]) / ELO
    worths = sides * STEP / ELO + bonus + rng.gumbel(size=sides.shape)
    ranks = (-worths).argsort(axis=1).argsort(axis=1) + 1
    effect = seat_effect(placements("abc", sides, ranks, deals=np.repeat(np.arange(200), 6)))
    assert 0 < effect.low[0] <= 40 <= effect.high[0]
    assert effect.elo.sum() == pytest.approx(0)


def test_seats_that_are_worth_nothing_are_seldom_called_unfair():
    """At most 4 of 20 null tournaments at three seats have an interval of the first seat without 0."""
    rng = np.random.default_rng(9)
    effects = [seat_effect(tournament(rng, 4, 3, 20)) for _ in range(20)]
    assert sum(effect.low[0] > 0 or effect.high[0] < 0 for effect in effects) <= 4


def test_self_play_alone_measures_seats():
    effect = seat_effect(placements("a", [(0, 0)] * 60, [(1, 2)] * 40 + [(2, 1)] * 20))
    assert effect.low[0] > 0
    assert np.diff(effect.elo)[0] == pytest.approx(-400 * np.log10(2), rel=0.05)


def test_thousands_of_deals_are_rated_in_no_time():
    """A million matches of 4 bots take about half a second; 20 000 deals go through batches."""
    results = tournament(np.random.default_rng(10), 4, 2, 20_000)
    ratings = rate(results)
    np.testing.assert_allclose(ratings.elo, truth(4), atol=6)
    assert ((ratings.high - ratings.low) < 8).all()
    assert ((ratings.high - ratings.low) > 2).all()


@pytest.mark.parametrize("orders", [2, 6])
def test_batches_of_deals_mix_the_circular_orders(orders):
    """The order of seating repeats every 2 or 6 deals: batches by 1000 held one order each."""
    deals = np.arange(3000)
    batches = batches_of(deals)
    amounts = np.bincount(batches.batch, weights=deals % orders, minlength=batches.columns)
    sizes = np.bincount(batches.batch, minlength=batches.columns)
    between = np.var(amounts / sizes)
    assert between < 1.3 * np.var(deals % orders) / 3


def test_placements_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="sides"):
        placements("ab", [(0, 2)], [(1, 2)])
    with pytest.raises(ValueError, match="deals"):
        placements("ab", [(0, 1)], [(1, 2)], deals=[1, 2])
    with pytest.raises(ValueError, match="places"):
        placements("ab", [(0, 1)], [(1, 2)], places="first")


# --- roles ----------------------------------------------------------------------------------------


def role_tournament(seed, deals=120, role=150.0):
    """Bots 150 Elo apart play both sides of a game whose first side is worth 2 `role` Elo more."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(i, j) for i in range(3) for j in range(3) if i != j])
    sides = np.tile(pairs, (deals, 1))
    worths = sides * 150.0 / ELO + np.array([role, -role]) / ELO + rng.gumbel(size=sides.shape)
    ranks = (-worths).argsort(axis=1).argsort(axis=1) + 1
    names = [f"bot {number}" for number in range(3)]
    plain = placements(names, sides, ranks, deals=np.repeat(np.arange(deals), len(pairs)))
    return replace(plain, roles=True)


def test_a_strong_role_is_told_from_strong_bots():
    fits = [rate(role_tournament(seed), resamples=200) for seed in range(20)]
    assert np.mean([fit.elo for fit in fits], axis=0) == pytest.approx([-150, 0, 150], abs=8)
    assert np.mean([fit.roles.elo for fit in fits], axis=0) == pytest.approx([150, -150], abs=8)
    held = [(fit.roles.low[0] < 150) and (fit.roles.high[0] > 150) for fit in fits]
    assert sum(held) >= 17
    inside = [((f.low < [-150, 0, 150]) & (f.high > [-150, 0, 150])).mean() for f in fits]
    assert np.mean(inside) > 0.88


def test_without_the_role_all_ratings_would_be_drawn_together():
    results = replace(role_tournament(1), roles=False)
    assert rate(results).roles is None
    assert rate(results).elo[2] < 110


def test_equal_roles_are_worth_nothing():
    fit = rate(role_tournament(2, role=0.0))
    assert fit.roles.low[0] < 0 < fit.roles.high[0]
    assert fit.roles.elo.sum() == pytest.approx(0)


def test_roles_need_no_prior_where_results_are_mixed():
    fit = rate(role_tournament(3), prior=0, tie_prior=0, resamples=0)
    assert fit.elo.sum() == pytest.approx(0, abs=1e-6)
    assert fit.roles.elo[0] > 100


def test_bots_compared_through_a_third_are_known_as_well_as_their_few_wins_say():
    """Each won 2 of 50 deals against the third: 40 deals' worth of losses do not make their difference sure."""
    sides = [(0, 1), (0, 2)] * 50
    won = np.zeros((50, 2), dtype=bool)
    won[:2, 0] = won[2:9, 1] = True
    ranks = [(2, 1) if one else (1, 2) for one in won.ravel()]
    ratings = rate(placements("abc", sides, ranks, deals=np.repeat(np.arange(50), 2)))
    found = differences(ratings.spread)
    odds = np.log(7 / 43) - np.log(2 / 48)
    error = np.sqrt(1 / 7 + 1 / 43 + 1 / 2 + 1 / 48)
    assert found.gap[2, 1] == pytest.approx(odds, abs=0.01)
    assert found.low[2, 1] < odds - 1.6 * error
    assert found.high[2, 1] > odds + 1.8 * error


def test_a_seat_that_a_few_upsets_speak_for_is_not_told_apart():
    """The stronger bot lost 6 of 100 matches, 5 of them from the second seat (p = 0.2)."""
    ranks = np.tile([[1, 2], [2, 1]], (50, 1))
    ranks[1:11:2], ranks[20] = (1, 2), (2, 1)
    effect = seat_effect(
        placements("ab", [(0, 1), (1, 0)] * 50, ranks, deals=np.repeat(np.arange(50), 2))
    )
    assert effect.elo[0] > 50
    assert effect.low[0] < 0


@pytest.mark.parametrize("times", [1e4, 1e6])
def test_a_bot_that_lost_nearly_all_of_very_many_matches_is_rated(times):
    """Rounding alone moved it farther than a fit may move at its end."""
    deals = np.arange(40)
    sides = np.concatenate([np.tile([0, 1], (40, 1)), np.tile([1, 0], (40, 1)), [[0, 1]]])
    ranks = np.concatenate([np.tile([2, 1], (40, 1)), np.tile([1, 2], (40, 1)), [[1, 2]]])
    found = rate(
        Placements(
            ("random", "greedy"),
            sides,
            ranks,
            np.concatenate([deals, deals, [5]]),
            np.concatenate([np.full(80, 250 * times), [1.0]]),
            np.full(81, -1),
        )
    )
    assert 1500 < found.elo[1] < 3000
    assert found.low[1] < found.elo[1] < found.high[1]
