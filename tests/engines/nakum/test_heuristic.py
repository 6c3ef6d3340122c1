"""What evaluate prefers, in positions where everybody would."""

import pytest

from engines.nakum import GAME
from engines.nakum.state import Variant

BOARD = ["milpa", "selva@all", "rio", "cantera@all"]


def estimate(own, player=0, rival=None, **position):
    """The estimate for a player where one has more than the other."""
    seats = [own, rival or {}]
    data = {"current_round": 4, "board": BOARD, "seat": seats, **position}
    return float(GAME.evaluate(GAME.from_dict(2, Variant(), data), player))


def test_equal_players_share_the_game_but_for_the_token_whatever_their_seats():
    """How much the token is worth is for fits to say; that it counts alike in every seat is not."""
    assert estimate({}) == pytest.approx(0.5, abs=0.06)
    for holder in (0, 1):
        both = [estimate({}, player, start_token=holder) for player in (0, 1)]
        assert sum(both) == pytest.approx(1.0)
        assert 0.5 < both[holder] <= 0.56
        assert both[holder] == pytest.approx(estimate({}, 1 - holder, start_token=1 - holder))


@pytest.mark.parametrize(
    "better",
    [
        {"vp": 1},
        {"mask": 1},
        {"market_owned": {"M01": 1}},
        {"active": 3, "reserve": 1},
        {"grown": 1, "reserve": 1},
        {"offerings": {"O03": 1}, "first_offering_at": 1},
    ],
    ids=str,
)
def test_more_of_anything_looks_better_and_worse_to_the_rival(better):
    assert estimate(better) > estimate({})
    assert estimate(better, player=1) < estimate({}, player=1)


def test_what_an_offering_in_the_row_asks_for_is_worth_more():
    goods = {"maize": 2, "mask": 2}
    assert estimate(goods, offering_row=["O03"]) > estimate(goods, offering_row=["O04"])


def test_a_lead_counts_more_when_somebody_can_make_the_last_offering():
    goods = {"maize": 2, "mask": 2, "first_offering_at": 2}
    own, rival = {**goods, "offerings": {"O01": 1}, "vp": 5}, {**goods, "offerings": {"O10": 1}}
    near, far = (estimate(own, rival=rival, offering_row=[one]) for one in ("O03", "O07"))
    assert near > far > 0.5


def test_an_offering_that_a_rival_can_make_too_is_worth_less():
    goods = {"maize": 2, "mask": 2}
    alone = estimate(goods, offering_row=["O03"], rival={"active": 1, "reserve": 3, **goods})
    both = estimate(goods, offering_row=["O03"], rival=goods)
    assert both < alone


def test_a_lead_counts_more_when_the_end_is_near():
    lead, third = {"vp": 5}, {"offerings": {"O03": 1, "O06": 1}, "first_offering_at": 2}
    early = estimate(lead)
    late = estimate(lead, current_round=20)
    assert 0.5 < early < late
    over = estimate({**third, "vp": 9}, ending="offerings", rival={"vp": 3})
    assert over == 1.0
    assert estimate({"vp": 3}, ending="stall", rival={"vp": 3}) == 0.5
