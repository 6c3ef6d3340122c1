"""What `evaluate` thinks of positions."""

import pytest

from engines.sacrificio import GAME
from engines.sacrificio.heuristic import GAPS, STRANGERS, gaps, strangers
from engines.sacrificio.state import Variant
from engines.sacrificio.tables import Look

ZONES = [{"temple": ["R02", "G08", "B04"]}, {"temple": ["R05", "G02", "B07"]}]
A, B, C, WILD, PULQUE, EMPTY = Look.A, Look.B, Look.C, Look.WILD, Look.PULQUE, Look.EMPTY


def estimate(first, second, player=0, **fields):
    """The estimate for a player, two players with the usual temples."""
    given = [{**zone, **seat} for zone, seat in zip(ZONES, (first, second), strict=True)]
    given[0].setdefault("hand", ["PA"])  # the player to move has a card to play
    states = GAME.from_dict(2, Variant(), {"seat": given, **fields})
    return float(GAME.evaluate(states, player))


def test_the_sides_share_one_win():
    first, second = {"hearts": ["R01"], "hand": ["PA", "DR"]}, {"slots": "PA PC | VM"}
    both = [estimate(first, second, player) for player in (0, 1)]
    assert sum(both) == pytest.approx(1)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"slots": "PA PA PB | VM"}, {"slots": "PA PA -- | VM"}),
        ({"slots": "PA PA PB | VM", "hand": ["DR"]}, {"slots": "PA PA PB | VM", "hand": ["DG"]}),
        ({"slots": "PA PA PB | VM"}, {"slots": "PA PA PB | VM", "spirits": [["CU!"]]}),
        ({"slots": "PA PA PB | VM", "spirits": [["EL"]]}, {"slots": "PA PA PB | VM"}),
        ({"slots": "PA PA"}, {"slots": "PC PC"}),
        ({"hearts": ["R01", "G01"]}, {"hearts": ["R01"]}),
        ({"hearts": ["K01"]}, {"hearts": ["R01"]}),
        ({"slots": "PA PA PB", "hand": ["VM", "DR"]}, {"slots": "PA PA PB", "hand": ["PC", "DR"]}),
    ],
)
def test_what_helps_a_ritual_looks_better(better, worse):
    rest = {"hand": ["PB"]}
    assert estimate(better, rest) > estimate(worse, rest)


def test_that_a_rival_has_the_dagger_for_a_temple_and_may_finish_it_counts():
    ready = {"slots": "PA PC PC | VM"}
    assert estimate({"hand": ["DR"]}, ready) > estimate({"hand": ["DR"], "finished": 2}, ready)
    assert estimate({"hand": ["DG"]}, ready) == estimate({"hand": ["DG"], "finished": 2}, ready)


def test_a_ritual_for_which_the_moves_left_suffice_looks_better_than_a_later_one():
    zone, rest = {"slots": "PA PA -- | VM"}, {"hand": ["PB"]}
    within, later = (
        estimate({**zone, "hand": ["DR", "PB"]}, rest, moves_left=moves)
        - estimate({**zone, "hand": ["DG", "PB"]}, rest, moves_left=moves)
        for moves in (2, 1)
    )
    assert within > later > 0


def test_gaps_and_strangers_are_counted():
    assert (gaps("AAB", (A, B, EMPTY)), strangers("AAB", (A, B, EMPTY))) == (1, 0)
    assert (gaps("AAB", (A, C, C)), strangers("AAB", (A, C, C))) == (2, 2)
    assert (gaps("AAB", (WILD, C, EMPTY)), strangers("AAB", (WILD, C, EMPTY))) == (2, 1)
    assert (gaps("AAB", (PULQUE, C, EMPTY)), strangers("AAB", (PULQUE, C, EMPTY))) == (1, 0)
    assert (gaps("AAB", (PULQUE, C, C)), strangers("AAB", (PULQUE, C, C))) == (1, 1)
    assert GAPS.max() == STRANGERS.max() == 3
