"""What is stored is a bitmap, what is missing an array."""

import time

import numpy as np
import pytest

from arena.plan.identity import match_id
from arena.plan.numbering import UNKNOWN, numbering
from arena.plan.schedule import Block, LineUp, apart, count_matches, make_blocks
from arena.store.bitmap import Bitmap, Missing

ENTRANTS = ("a" * 16, "b" * 16, "c" * 16, "d" * 16)
TABLES = [  # entrants, side of each seat
    (ENTRANTS[:1], (0,)),
    (ENTRANTS[:2], (0, 1)),
    (ENTRANTS[:1] * 2, (0, 1)),
    (ENTRANTS[:3], (0, 1, 2)),
    ((*ENTRANTS[:1] * 2, ENTRANTS[2]), (0, 1, 2)),
    (ENTRANTS, (0, 1, 2, 3)),
    ((*ENTRANTS[:1] * 2, *ENTRANTS[2:3] * 2), (0, 1, 2, 3)),
    (ENTRANTS[:2], (0, 1, 0, 1)),
    (ENTRANTS[:2], (0, 1, 1)),
]


def lineup(entrants, sides, deals=1):
    return LineUp("0" * 16, "game", {}, len(sides), entrants, sides, deals)


def listed(one):
    return [m for block in make_blocks([one]) for m in block.matches()]


@pytest.mark.parametrize(("entrants", "sides"), TABLES)
def test_every_match_has_a_number_and_every_number_a_match(entrants, sides):
    one = lineup(entrants, sides, 13)
    matches, numbers = listed(one), numbering(one)
    deals = np.array([m.deal for m in matches])
    seats = np.array([m.seating for m in matches])
    found = numbers.numbers(deals, seats)
    assert found.tolist() == list(range(count_matches([one])))
    again = numbers.matches(found)
    assert (again[0] == deals).all()
    assert (again[1] == seats).all()
    assert [numbers.count(n) for n in range(14)] == [
        count_matches([lineup(entrants, sides, n)]) if n else 0 for n in range(14)
    ]


def test_what_no_deal_has_is_unknown():
    numbers = numbering(lineup(ENTRANTS[:3], (0, 1, 2)))
    seats = np.array([[0, 1, 2], [0, 2, 1], [0, 0, 1], [0, 1, 3], [-1, 1, 2]])
    found = numbers.numbers(np.zeros(5, np.int64), seats)
    assert (found == UNKNOWN).tolist() == [False, True, True, True, True]
    assert numbers.numbers(np.array([-1]), seats[:1]).tolist() == [UNKNOWN]


@pytest.mark.parametrize("spread", [1, 1_000_000])
def test_a_bit_is_set_once(spread):
    rng = np.random.default_rng(1)
    bitmap, known = Bitmap(), set()
    for _ in range(20):
        numbers = rng.integers(0, 300, 40) * spread
        new = bitmap.add(numbers)
        assert numbers[new].size == np.unique(numbers[new]).size
        assert set(numbers[new].tolist()) == set(numbers.tolist()) - known
        known |= set(numbers.tolist())
        assert bitmap.has(numbers).all()
    below = 150 * spread + 3
    assert bitmap.count(below) == sum(n < below for n in known)
    assert bitmap.count(10**9) == len(known)


@pytest.mark.parametrize(("entrants", "sides"), TABLES)
@pytest.mark.parametrize("deals", [1, 2, 5, 9, 40])
def test_what_is_missing_comes_as_the_schedule_orders_it(monkeypatch, entrants, sides, deals):
    monkeypatch.setattr("arena.store.bitmap.CHUNK", 8)
    one = lineup(entrants, sides, deals)
    numbers, rng = numbering(one), np.random.default_rng(deals)
    bitmap = Bitmap()
    bitmap.add(np.flatnonzero(rng.random(count_matches([one])) < 0.4))
    blocks = [Block(one, deal).matches() for deal in range(deals)]

    def stored(match):
        number = numbers.numbers(np.array([match.deal]), np.array([match.seating]))
        return bitmap.has(number)[0]

    left = [tuple(m for m in block if not stored(m)) for block in blocks]
    wanted = [(m.deal, m.seating, m.match_id) for m in apart(block for block in left if block)]
    assert [(m.deal, m.seating, m.match_id) for m in Missing(one, bitmap)] == wanted
    missing, found = Missing(one, bitmap), []
    while len((taken := missing.take(7))[0]):
        found += [(d, tuple(s)) for d, s in zip(taken[0].tolist(), taken[1].tolist(), strict=True)]
    assert found == [(deal, seating) for deal, seating, _ in wanted]
    assert all(name == match_id(one.id, deal, seating) for deal, seating, name in wanted)


def test_ten_million_gaps_are_found_in_a_moment_and_little_memory():
    one = lineup(ENTRANTS[:2], (0, 1), 5_000_000)
    bitmap = Bitmap()
    for first in range(0, 10_000_000, 1_000_000):
        bitmap.add(np.arange(first, first + 1_000_000, 3))
    missing, found = Missing(one, bitmap), 0
    start = time.process_time()
    while len((taken := missing.take(20_000))[0]):
        found += len(taken[0])
    assert found == 10_000_000 - bitmap.count(10_000_000) == 6_666_660
    assert time.process_time() - start < 10
    assert bitmap.bits.nbytes < 2_000_000
