import json
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.plan import identity
from engines.rng import mix

PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(PARTS)
def test_a_digest_is_16_hex_characters_and_survives_json(part):
    found = identity.digest("x", part)
    assert len(found) == 16
    assert set(found) <= set(string.hexdigits.lower())
    assert identity.digest("x", json.loads(json.dumps(part))) == found


def test_ids_do_not_change_between_versions():
    assert identity.digest("a", 1, [2, 3], {"b": None}) == "e5c6c8ddc33abf11"
    assert identity.entrant_id("mcts", {"simulations": 64}) == "3c564a693457f3b5"
    assert identity.lineup_id("karmaka", {}, 2, ["0" * 16, "1" * 16]) == "27c66ab81cdef4c4"
    assert identity.match_id("0" * 16, 7, (1, 0)) == "cf292eab9dc25ef5"
    assert identity.match_id("0" * 16, 7, (1, 0)) == identity.digest("0" * 16, 7, [1, 0])


def test_the_order_of_options_and_of_entrants_does_not_matter():
    assert identity.variant_id({"a": 1, "b": 2}) == identity.variant_id({"b": 2, "a": 1})
    assert identity.lineup_id("g", {}, 2, ["x", "y"]) == identity.lineup_id("g", {}, 2, ["y", "x"])


def test_code_parameters_and_kind_each_make_another_entrant():
    ids = {
        identity.entrant_id(kind, {"depth": depth}, source)
        for kind in ("a.py:A", "b.py:A")
        for depth in (1, 2)
        for source in ("", "1234")
    }
    assert len(ids) == 8


def test_a_variant_without_changes_is_called_default():
    assert identity.variant_id({}) == identity.variant_label({}) == "default"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"rows": 5, "connect": 3}, "rows=5,connect=3"),
        ({"ally": True, "ring_supply": None}, "ally=true,ring_supply=none"),
        ({"thresholds": (4, 5, 6, 7)}, "thresholds=4+5+6+7"),
        ({"thresholds": [4, 5]}, "thresholds=4+5"),
    ],
)
def test_labels_read_as_users_write_options(changes, text):
    assert identity.variant_label(changes) == text


def test_the_seed_of_a_deal_depends_on_run_and_deal_only():
    assert identity.deal_seed(3, 5) == mix(3, 5)
    assert len({identity.deal_seed(run, deal) for run in range(20) for deal in range(20)}) == 400


def test_the_seed_of_a_bot_depends_on_seat_and_entrant_too():
    inner = mix(3, 5, 1, 255)
    assert identity.bot_seed(3, 5, 1, "00000000000000ff") == inner ^ mix(inner)
    seeds = {identity.bot_seed(3, 5, p, e * 16) for p in range(4) for e in "0123456789"}
    assert len(seeds) == 40


def test_a_match_id_takes_less_than_10_microseconds():
    def batch():
        start = time.process_time()
        for deal in range(2000):
            identity.match_id("0123456789abcdef", deal, (0, 1, 2, 3))
        return (time.process_time() - start) / 2000

    assert min(batch() for _ in range(10)) < 10e-6
