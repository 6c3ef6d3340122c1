"""A claim has one form of words for each outcome, and nothing else decides what is said."""

import math

import pytest

from arena.statistics.claims import claim
from arena.statistics.sentences import ELO, PERCENT, PP, Unit, Words, figure, spanned, told

WORDS = Words("a beats b", "b beats a", "a and b are equal", "whether a beats b", of=" of wins")


def said(estimate, low, high, deals=100):
    made = claim(estimate, (low, high), deals=deals, method="", reference=0.5, margin=0.03)
    return told(made, PERCENT, WORDS)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0.6, 0.55, 0.65), "a beats b: 60.0 % [55.0, 65.0] of wins"),
        ((0.4, 0.35, 0.45), "b beats a: 40.0 % [35.0, 45.0] of wins"),
        ((0.5, 0.48, 0.52), "a and b are equal (within 3.0 pp): 50.0 % [48.0, 52.0] of wins"),
        (
            (0.55, 0.45, 0.65),
            "whether a beats b: undecided (between 45.0 and 65.0 % of wins; about 300 more deals would tell)",
        ),
        ((0.6, math.nan, math.nan, 9), "whether a beats b: too few deals (9) to say"),
        ((0.6, 0.55, 0.65, 9), "whether a beats b: too few deals (9) to say"),
    ],
)
def test_each_outcome_has_its_form(numbers, words):
    assert said(*numbers) == words


def test_numbers_stand_in_the_place_of_an_ellipsis_and_open_ends_are_bounds():
    made = claim(700, (300, math.inf), deals=20, method="", margin=20)
    assert told(made, ELO, Words("a leads by …", "", "", "")) == "a leads by 700 Elo [300 or more]"
    made = claim(-10, (-math.inf, 40), deals=20, method="", margin=20)
    assert told(made, ELO, WORDS).startswith("whether a beats b: undecided (40 Elo or less of wins")


def test_numbers_are_written_in_their_unit():
    assert spanned(0.012, -0.01, 0.034, PP, "+") == "+1.2 pp [-1.0, +3.4]"
    assert figure(-0.0001, PERCENT) == "0.0"
    points = Unit(" game points")
    assert [figure(value, points) for value in (1.234, 12.34, 123.4)] == ["1.23", "12.3", "123"]
