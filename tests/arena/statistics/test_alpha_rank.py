"""Alpha-rank gives the published shares, and right ones where the plain formula overflows."""

import numpy as np
import pytest

from arena.statistics.alpha_rank import alpha_rank

ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
BIASED = [[0, -0.5, 1], [0.5, 0, -0.1], [-1, 0.1, 0]]
TRANSITIVE = [[0, 0.3, 0.6], [-0.3, 0, 0.2], [-0.6, -0.2, 0]]


def han_2013():
    r, t, p, s, delta, eps = 1, 2, 0, -1, 4, 0.25
    return [
        [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
        [r, r, s, s, s],
        [0, t, p, p, p],
        [t - delta, t, p, p, p],
        [r, t, p, p, p],
    ]


def test_the_five_kinds_of_han_2013_have_the_published_shares():
    shares = alpha_rank(han_2013(), population=20, alpha=0.1, local=False)
    published = [0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.22060390]
    assert shares == pytest.approx(published, abs=1e-8)


@pytest.mark.parametrize("alpha", [0.01, 1, 100, 1e6])
def test_rock_paper_scissors_has_equal_shares_at_any_strength(alpha):
    assert alpha_rank(ROCK_PAPER_SCISSORS, alpha=alpha) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    ("alpha", "published"),
    [
        (0.1, [0.21295553, 0.67714717, 0.10989730]),
        (1, [0.19163945, 0.66826088, 0.14009967]),
        (10, [0.31681465, 0.36638509, 0.31680026]),
    ],
)
def test_biased_rock_paper_scissors_has_the_published_shares(alpha, published):
    assert alpha_rank(BIASED, alpha=alpha) == pytest.approx(published, abs=1e-8)


@pytest.mark.parametrize(
    ("alpha", "published"), [(0.1, [0.94821835, 0.04795857, 0.00382307]), (1, [1, 0, 0])]
)
def test_the_strongest_of_a_transitive_three_takes_the_published_share(alpha, published):
    assert alpha_rank(TRANSITIVE, alpha=alpha) == pytest.approx(published, abs=1e-6)


def test_where_the_plain_formula_overflows_the_order_still_stands():
    # OpenSpiel answers 1/3 each at alpha = 100
    assert alpha_rank(TRANSITIVE, alpha=100) == pytest.approx([1, 0, 0])
    assert alpha_rank(TRANSITIVE, alpha=1e5) == pytest.approx([1, 0, 0])
    circle = alpha_rank(BIASED, alpha=1e4)
    assert circle == pytest.approx([1 / 3] * 3)  # every step of the circle is as good as sure


def test_the_shares_agree_with_a_plain_eigenvector():
    rng = np.random.default_rng(3)
    payoffs = rng.normal(size=(6, 6))
    m, alpha = 12, 0.3
    u = alpha * (payoffs.T - payoffs)
    np.fill_diagonal(u, 1)
    step = (1 - np.exp(-u)) / (1 - np.exp(-m * u)) / 5
    np.fill_diagonal(step, 0)
    np.fill_diagonal(step, 1 - step.sum(axis=1))
    values, vectors = np.linalg.eig(step.T)
    plain = np.real(vectors[:, np.argmax(np.real(values))])
    assert alpha_rank(payoffs, population=m, alpha=alpha) == pytest.approx(plain / plain.sum())


def test_one_alone_has_all():
    assert alpha_rank([[0.5]]).tolist() == [1.0]


@pytest.mark.parametrize("payoffs", [[[0, 1]], [[0, np.nan], [0, 0]]])
def test_payoffs_that_are_no_matrix_are_refused(payoffs):
    with pytest.raises(ValueError, match="payoffs must be finite and square"):
        alpha_rank(payoffs)
