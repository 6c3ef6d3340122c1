"""Texts from outside come in once, through `clean`: fit to be stored, shown and sent on."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.texts import LONGEST_MESSAGE, MARK, brief, clean, folded, message

ANYTHING = st.text(st.characters(), max_size=60)


@given(ANYTHING, st.booleans(), st.integers(1, 80))
def test_whatever_comes_in_is_valid_short_and_without_control_characters(text, lines, most):
    made = clean(text, most, lines)
    made.encode()
    assert len(made) <= most + 3
    kinds = {unicodedata.category(letter) for letter in made.replace("\n", "" if lines else "\n")}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    assert len(made.splitlines()) <= (1 if not lines else most)
    assert clean(made, most + 3, lines) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("gre\x1b[31medy", f"gre{MARK}[31medy"),
        ("\x1b]0;owned\x07", f"{MARK}]0;owned{MARK}"),
        ("a\0b", f"a{MARK}b"),
        ("\ud800", MARK),
        ("\ud83d\ude00", "😀"),  # a pair, as json.dumps writes it
        ("one\r\ntwo\tthree", "one two three"),
        ("abc\u202edcba", f"abc{MARK}dcba"),
        ("\ufffe\U0001ffff", MARK * 2),
        ("Zoë–×≤ 日本", "Zoë–×≤ 日本"),
        (b"\xff\xfe", MARK * 2),
    ],
)
def test_what_becomes_of_it(text, made):
    assert clean(text) == made


def test_newlines_stay_where_a_field_may_have_them():
    assert clean("one\r\ntwo\n\x1bthree", lines=True) == f"one\ntwo\n{MARK}three"


def test_values_are_quoted_briefly_whatever_they_are():
    class Odd:
        def __repr__(self):
            raise RuntimeError

    assert brief("x" * 500) == "'" + "x" * 59 + "..."
    assert brief(Odd()) == "a Odd"
    assert brief(json.loads("[" * 500 + "]" * 500)) == "[" * 60 + "..."


def test_a_message_is_one_line_that_fits_and_shows_both_ends_of_what_is_long():
    made = message(f"config '{'x' * 5000}': no\nsuch file")
    assert made.startswith("config 'xxx")
    assert made.endswith("xxx': no such file")
    assert len(made) < 200
    assert len(message("word " * 10_000)) < LONGEST_MESSAGE + 10


def test_names_that_look_alike_are_folded_together():
    assert folded("Big Bot") == folded(" big\u00a0bot ") == folded("ＢＩＧbot")
    assert folded("bot1") != folded("bot2")
    assert folded(" \t\n") == ""
