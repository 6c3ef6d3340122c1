"""Ratings against published numbers: reference/rating_vectors.md sections 3 and 4."""

import numpy as np
import pytest

from arena.statistics.choice_model import joined, log_likelihood, maximise
from arena.statistics.placements import first_choices, kinds_of, plackett_luce, tie_sizes
from arena.statistics.ratings import (
    ELO,
    Ghosts,
    Ratings,
    placements,
    pseudo_choices,
    rate,
    seat_effect,
)

BASEBALL = """
Milwaukee: Detroit 4-3, Toronto 4-2, New York 4-3, Boston 6-1, Cleveland 4-2, Baltimore 6-0
Detroit: Milwaukee 3-3, Toronto 4-2, New York 4-3, Boston 6-0, Cleveland 6-1, Baltimore 4-3
Toronto: Milwaukee 2-5, Detroit 4-3, New York 2-4, Boston 4-3, Cleveland 4-2, Baltimore 6-0
New York: Milwaukee 3-3, Detroit 5-1, Toronto 2-5, Boston 4-3, Cleveland 4-2, Baltimore 6-1
Boston: Milwaukee 5-1, Detroit 2-5, Toronto 3-3, New York 4-2, Cleveland 5-2, Baltimore 6-0
Cleveland: Milwaukee 2-5, Detroit 3-3, Toronto 3-4, New York 4-3, Boston 4-2, Baltimore 2-4
Baltimore: Milwaukee 2-5, Detroit 1-5, Toronto 1-6, New York 2-4, Boston 1-6, Cleveland 3-4
"""
TEAMS = ("Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto")
SIMPLE = "01t 02r 02t 04t 10l 12t 12t 13t 24t 30l 31l 32l 34t 34t 40l 43l"  # left, right, winner
FOOD = """
Pizza,Sushi,l Burger,Pasta,r Tacos,Pizza,l Sushi,Tacos,r Burger,Pizza,l Pasta,Sushi,r
Tacos,Burger,l Pizza,Pasta,t Sushi,Burger,r Pasta,Tacos,l Burger,Sushi,r Tacos,Pizza,l
Sushi,Pasta,t Burger,Tacos,l Pizza,Burger,r Pasta,Tacos,r Burger,Sushi,r Tacos,Pasta,l
Pizza,Tacos,r Sushi,Burger,l Pasta,Pizza,r Burger,Sushi,r Tacos,Pasta,l Pizza,Sushi,l
Sushi,Burger,r Pasta,Tacos,r Tacos,Pizza,l Burger,Pasta,r Sushi,Tacos,l Pizza,Burger,r
"""
PUDDING = """
12:19,22,16 13:16,19,12 23:19,19,10 14:18,23,13 24:23,19,9 34:19,20,15 15:13,19,18 25:16,20,12
35:16,15,17 45:17,14,16 16:18,21,12 26:22,20,12 36:13,18,10 46:14,19,18 56:11,21,12
"""
RANKS = {"l": (1, 2), "r": (2, 1), "t": (1, 1)}


def likeliest(names, sides, ranks, **options) -> Ratings:
    """Maximum likelihood: no prior, no intervals."""
    return rate(placements(names, sides, ranks, **options), prior=0, tie_prior=0, resamples=0)


def repeated(results):
    """Sides and ranks from (side, side, wins, losses, ties)."""
    sides, ranks = [], []
    for one, other, wins, losses, ties in results:
        sides += [(one, other)] * (wins + losses + ties)
        ranks += [(1, 2)] * wins + [(2, 1)] * losses + [(1, 1)] * ties
    return sides, ranks


def baseball():
    results = []
    for line in BASEBALL.strip().splitlines():
        home, games = line.split(": ")
        for game in games.split(", "):
            away, score = game.rsplit(" ", 1)
            wins, losses = map(int, score.split("-"))
            results.append((TEAMS.index(home), TEAMS.index(away), wins, losses, 0))
    return placements(TEAMS, *repeated(results))


def fitted_rankings(rows, items, ghosts=0.0):
    """Fit rows of ranks, 0 for absent: log worths, log sizes of ties, log-likelihood."""
    groups = {}
    for row in rows:
        present = [item for item in range(items) if row[item]]
        ranks = np.unique([row[item] for item in present], return_inverse=True)[1] + 1
        groups.setdefault(len(present), []).append((present, ranks))
    kinds = []
    for group in groups.values():
        sides, ranks = np.array([row[0] for row in group]), np.array([row[1] for row in group])
        once = np.zeros(len(group), dtype=np.int64)
        kinds.append(kinds_of(sides, ranks, once, np.ones(len(group)), columns=1))
    ties = sorted({size for kind in kinds for size in tie_sizes(kind)})
    total = items + len(ties)
    columns = {size: items + row for row, size in enumerate(ties)}
    data = joined(*(plackett_luce(kind, total, columns) for kind in kinds))
    design, held = data, np.append(np.ones(items), np.zeros(len(ties)))[None]
    if ghosts:
        weights = np.append(np.full(items, ghosts), np.zeros(len(ties)))[:, None]
        prior = pseudo_choices(Ghosts(items, tuple(ties), ghosts), weights, weights)
        design, held = joined(data, prior), None
    fit = maximise(design, held=held)
    worths = fit.parameters[:items, 0]
    return worths, fit.parameters[items:, 0], log_likelihood(data, fit.parameters)[0]


def test_bradley_terry_meets_wikipedias_four_teams():
    """Vector 3.1, every digit."""
    wins = {"AB": 2, "AD": 1, "BA": 3, "BC": 5, "CB": 3, "CD": 1, "DA": 4, "DC": 3}
    sides = [("ABCD".index(a), "ABCD".index(b)) for (a, b), n in wins.items() for _ in range(n)]
    ratings = likeliest("ABCD", sides, [(1, 2)] * len(sides))
    np.testing.assert_allclose(ratings.elo, [-77.5729, 7.3661, -72.2324, 142.4392], atol=6e-5)
    np.testing.assert_allclose(
        np.exp(ratings.log_worths), [0.6398348, 1.0433144, 0.6598102, 2.2703766], atol=6e-8
    )


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(0, 1), (1, 2), (2, 0)], [0, 0, 0]),
        ([(0, 1), (0, 1), (1, 2), (2, 0)], [0.419617624, -0.419617624, 0]),
    ],
)
def test_bradley_terry_meets_choix(pairs, expected):
    """Vector 3.2: pairwise-1 and the ML of pairwise-2 (LSR, EP and L2 are other estimators)."""
    ratings = likeliest("abc", pairs, [(1, 2)] * len(pairs))
    np.testing.assert_allclose(ratings.log_worths, expected, atol=1e-9)


def test_first_choices_meet_choix():
    """Vector 3.2: top-1 ML, a first choice from two and from three."""
    pairs = placements("abc", [(0, 1), (1, 2)], [(1, 2), (1, 2)])
    triple = placements("abc", [(2, 0, 1)], [(1, 2, 2)], places="winner")
    design = joined(*(first_choice_design(results) for results in (pairs, triple)))
    fit = maximise(design, held=np.ones((1, 3)))
    expected = [0.16040395, -0.32080789, 0.16040394]
    np.testing.assert_allclose(fit.parameters[:, 0], expected, atol=1e-8)


def first_choice_design(results):
    once = np.zeros(len(results.sides), dtype=np.int64)
    kinds = kinds_of(results.sides, results.ranks, once, results.weights, columns=1)
    return first_choices(kinds, len(results.names))


def test_draws_count_as_half_a_win_each_in_evalicas_simple_file():
    """Vector 3.3: BT of simple.csv, worths that sum to 1."""
    games = SIMPLE.split()
    sides = [(int(game[0]), int(game[1])) for game in games]
    ratings = likeliest("01234", sides, [RANKS[game[2]] for game in games])
    worths = np.exp(ratings.log_worths)
    expected = [0.05079967, 0.13115069, 0.13168568, 0.33688868, 0.34947528]
    np.testing.assert_allclose(worths / worths.sum(), expected, atol=6e-9)


def test_draws_count_as_half_a_win_each_in_evalicas_food_file():
    """Vector 3.3: BT of food.csv, worths that sum to 1."""
    names = ("Tacos", "Sushi", "Burger", "Pasta", "Pizza")
    games = [game.split(",") for game in FOOD.split()]
    sides = [(names.index(left), names.index(right)) for left, right, _ in games]
    ratings = likeliest(names, sides, [RANKS[winner] for _, _, winner in games])
    worths = np.exp(ratings.log_worths)
    expected = [0.43428983, 0.19060028, 0.14797665, 0.12815341, 0.09897983]
    np.testing.assert_allclose(worths / worths.sum(), expected, atol=6e-9)


def test_bradley_terry_meets_agresti_without_the_home_effect():
    """Vector 3.4, first row; the anchor holds Baltimore at 0."""
    ratings = rate(baseball(), anchor=("Baltimore", 0), prior=0, tie_prior=0, resamples=0)
    expected = [0, 1.107698, 0.683853, 1.436408, 1.581356, 1.247618, 1.294485]
    np.testing.assert_allclose(ratings.elo / ELO, expected, atol=6e-7)


def test_the_seat_effect_meets_agrestis_home_effect():
    """Vector 3.4: at.home 0.302261, likelihood ratio 44.0535 - 38.6429."""
    effect = seat_effect(baseball(), prior=0)
    plain = rate(baseball(), prior=0, tie_prior=0, resamples=0)
    assert (effect.elo[0] - effect.elo[1]) / ELO == pytest.approx(0.302261, abs=6e-7)
    ratio = 2 * (effect.log_likelihood - plain.log_likelihood)
    assert ratio == pytest.approx(44.0535 - 38.6429, abs=1e-4)


def test_bradley_terry_meets_stiglers_citations():
    """Vector 3.5."""
    names = ("Biometrika", "CommStat", "JASA", "JRSSB")
    counts = [(0, 1, 730, 33), (0, 2, 498, 320), (0, 3, 221, 284)]
    counts += [(1, 2, 68, 813), (1, 3, 17, 276), (2, 3, 142, 325)]
    results = placements(names, *repeated([(*count, 0) for count in counts]))
    ratings = rate(results, anchor=("Biometrika", 0), prior=0, tie_prior=0, resamples=0)
    expected = [0, -2.949072, -0.479570, 0.268954]
    np.testing.assert_allclose(ratings.elo / ELO, expected, atol=6e-7)


def test_the_tie_model_of_two_is_davidsons_and_meets_the_puddings():
    """Vector 3.6: worths, nu = d_2, log-likelihood."""
    rows = []
    for entry in PUDDING.split():
        pair, counts = entry.split(":")
        wins, losses, ties = map(int, counts.split(","))
        for ranks, count in (((1, 2), wins), ((2, 1), losses), ((1, 1), ties)):
            row = [0] * 6
            row[int(pair[0]) - 1], row[int(pair[1]) - 1] = ranks
            rows += [row] * count
    worths, ties, likelihood = fitted_rankings(rows, 6)
    expected = [0.1388033, 0.1730015, 0.1617474, 0.1653730, 0.1586854, 0.2023894]
    np.testing.assert_allclose(np.exp(worths) / np.exp(worths).sum(), expected, atol=2e-7)
    assert np.exp(ties[0]) == pytest.approx(0.746823, abs=6e-7)
    assert likelihood == pytest.approx(-809.70951, abs=6e-6)


def test_plackett_luce_meets_choix():
    """Vector 4.1: rankings-1 (all 0) and the ML of rankings-2, stored to four digits."""
    cyclic, _, _ = fitted_rankings([(1, 2, 3), (2, 3, 1), (3, 1, 2)], 3)
    np.testing.assert_allclose(cyclic, 0, atol=1e-9)
    rows = [(1, 2, 3, 0), (3, 0, 2, 1), (0, 1, 0, 2)]  # 0 > 1 > 2, 3 > 2 > 0, 1 > 3
    worths, _, _ = fitted_rankings(rows, 4)
    expected = [-0.44328117, 0.69506219, -0.67061442, 0.41883340]
    np.testing.assert_allclose(worths, expected, atol=5e-5)
    further = [-0.44330849, 0.69506787, -0.67060957, 0.41885019]  # choix.mm_rankings, tol 1e-12
    np.testing.assert_allclose(worths, further, atol=6e-9)


def test_the_likelihood_of_rankings_meets_choix():
    """Vector 4.1: log_likelihood_rankings of two rankings of different lengths."""
    worths = np.log(np.linspace(1, 2, 4))[:, None]
    once, weight = np.zeros(1, dtype=np.int64), np.ones(1)
    total = 0.0
    for order in ((0, 1, 2, 3), (1, 3, 0)):
        ranks = np.arange(1, len(order) + 1)[None]
        kinds = kinds_of(np.array([order]), ranks, once, weight, columns=1)
        total += log_likelihood(plackett_luce(kinds, 4, {}), worths)[0]
    assert total == pytest.approx(-5.486092774024455, abs=1e-12)


THREE_FRUITS = [(1, 2, 0), (3, 1, 2), (2, 1, 1), (1, 2, 3), (2, 1, 1), (1, 0, 2)]
FOUR_FRUITS = [(1, 2, 0, 0), (4, 1, 2, 3), (2, 1, 1, 1), (1, 2, 3, 0), (2, 1, 1, 0), (1, 0, 3, 2)]


def test_ties_and_ghosts_meet_the_plackett_luce_package():
    """Vector 4.2, three items, npseudo 0.5: the prior of the ratings is that of the package."""
    worths, ties, _ = fitted_rankings(THREE_FRUITS, 3, ghosts=0.5)
    np.testing.assert_allclose((worths - worths[0])[1:], [0.2867987, -0.4636687], atol=2e-6)
    assert ties[0] == pytest.approx(-1.0701129, abs=2e-6)


def test_ties_of_two_meet_turner_and_others():
    """Vector 4.2, three items, npseudo 0; the printed log-likelihood -10.7245280 lacks 1e-5.

    At the printed parameters the formula gives -10.7245380 (checked with scipy.optimize as well).
    """
    worths, ties, likelihood = fitted_rankings(THREE_FRUITS, 3)
    np.testing.assert_allclose((worths - worths[0])[1:], [0.3440490, -0.5555644], atol=2e-6)
    assert ties[0] == pytest.approx(-0.7346452, abs=2e-6)
    assert likelihood == pytest.approx(-10.7245380, abs=1e-7)


def test_ties_of_three_meet_turner_and_others():
    """Vector 4.2, four items, npseudo 0, ties of two and three."""
    worths, ties, likelihood = fitted_rankings(FOUR_FRUITS, 4)
    expected = [0.2942873, -0.7335115, -0.1190961]
    np.testing.assert_allclose((worths - worths[0])[1:], expected, atol=2e-6)
    np.testing.assert_allclose(ties, [-1.8619467, -0.7369735], atol=2e-6)
    assert likelihood == pytest.approx(-14.5697393, abs=1e-7)
