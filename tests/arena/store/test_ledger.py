"""A ledger keeps facts of matches by number, in whatever order they come, and lets go what has been judged."""

import numpy as np
import pytest

from arena.plan.schedule import LineUp, make_blocks
from arena.store.bitmap import Bitmap
from arena.store.ledger import Ledger

ENTRANTS = ("a" * 16, "b" * 16, "c" * 16)
TABLES = [
    (ENTRANTS[:2], (0, 1)),
    (ENTRANTS, (0, 1, 2)),
    ((*ENTRANTS[:1] * 2, ENTRANTS[2]), (0, 1, 2)),
    (ENTRANTS[:2], (0, 1, 1)),
]
DEALS = 40


def matches_of(entrants, sides):
    lineup = LineUp("0" * 16, "game", {}, len(sides), entrants, sides, DEALS)
    return lineup, [list(block.matches()) for block in make_blocks([lineup])]


def entered(ledger, matches, facts):
    deals = np.array([match.deal for match in matches])
    seats = np.array([match.seating for match in matches])
    return ledger.add(deals, seats, fact=[facts[match.match_id] for match in matches])


@pytest.mark.parametrize(("entrants", "sides"), TABLES)
def test_means_of_deals_do_not_depend_on_the_order_in_which_matches_come(entrants, sides):
    lineup, blocks = matches_of(entrants, sides)
    matches = [match for block in blocks for match in block]
    rng = np.random.default_rng(0)
    facts = {match.match_id: rng.random(2) for match in matches}
    ledger = Ledger(lineup, fact=(np.float64, 2))
    order = rng.permutation(len(matches))
    for part in np.array_split(order, 7):
        assert ledger.whole(0) < DEALS
        assert entered(ledger, [matches[one] for one in part], facts).all()
        assert not entered(ledger, [matches[one] for one in part], facts).any()
    assert ledger.whole(0) == ledger.whole(13) == DEALS
    wanted = [
        np.mean(
            [facts[match.match_id] for match in sorted(block, key=lambda one: one.seating)], axis=0
        )
        for block in blocks
    ]
    np.testing.assert_array_equal(ledger.means("fact", 0, DEALS), wanted)
    ledger.let_go(17)
    np.testing.assert_array_equal(ledger.means("fact", 17, DEALS), wanted[17:])
    assert not entered(ledger, blocks[3], facts).any()
    assert ledger.count(0, 20) == sum(len(block) for block in blocks[:20])


def test_a_deal_that_misses_a_match_ends_what_is_whole():
    lineup, blocks = matches_of(*TABLES[1])
    facts = {match.match_id: (0.0, 0.0) for block in blocks for match in block}
    ledger = Ledger(lineup, fact=(np.float64, 2))
    for block in blocks:
        entered(ledger, block[1:] if block[0].deal == 21 else block, facts)
    assert ledger.whole(0) == 21
    assert ledger.whole(22) == DEALS


def test_the_first_gap_is_found_from_anywhere():
    bits = Bitmap()
    bits.add(np.array([n for n in range(200_000) if n not in (5, 77, 131_072, 199_000)]))
    found = {0: 5, 5: 5, 6: 77, 78: 131_072, 131_073: 199_000}
    assert {first: bits.first_gap(first) for first in found} == found
    assert bits.first_gap(199_001) >= 200_000
    assert bits.first_gap(10**7) == 10**7
