"""Known answers: what may be said of a first player, of equal bots, of an unbeaten one, on few deals."""

import re

import pytest

from arena.execution.run import carry_out
from arena.results.claims import lead_text, order_text
from arena.results.report import make_tables

FIRST_PLAYER = 0.5557 + 0.0026 / 2  # of random players in Connect Four: wins and half the draws


@pytest.fixture
def tables_of(tournament, tmp_path):
    def make(**changes):
        carry_out(tournament(**changes), tmp_path / "run", workers=0, progress=False)
        return make_tables(tmp_path / "run")

    return make


def equal_bots(deals):
    """Two bots that play alike: with one simulation exploration changes nothing."""
    one = "mcts:simulations=1,prior=0"
    bots = [{"name": "one", "bot": one}, {"name": "two", "bot": f"{one},exploration=0.5"}]
    return {"games": ["connect_four"], "bots": bots, "deals": deals}


def test_the_first_of_two_random_players_of_connect_four_wins_more(tables_of):
    made = tables_of(games=["connect_four"], bots=["random"], schedule="self_play", deals=2000)
    first = made.seats.iloc[0]
    assert first.win_share_low < FIRST_PLAYER < first.win_share_high
    assert order_text(first.to_dict()).startswith("the order of play matters: ")
    assert first.uneven == pytest.approx(first.win_share - 0.5)
    assert first.uneven_low <= FIRST_PLAYER - 0.5 <= first.uneven_high


def test_of_two_equal_bots_neither_is_called_stronger(tables_of):
    said = lead_text(tables_of(**equal_bots(200)).pairs.iloc[0].to_dict())
    assert re.match(
        r"whether (one|two) or (one|two) is stronger: undecided \(between -\d+ and \d+ Elo; ", said
    )


@pytest.mark.parametrize("deals", [1, 9, 10])
def test_below_ten_deals_nothing_is_claimed(tables_of, deals):
    made = tables_of(**equal_bots(deals))
    few = f"too few deals ({deals}) to say"
    for said in (order_text(made.seats.iloc[0].to_dict()), lead_text(made.pairs.iloc[0].to_dict())):
        assert said.endswith(few) == (deals < 10), said
    assert (few in made.text()) == (deals < 10)


def test_an_unbeaten_bot_leads_by_a_bound(tables_of):
    bots = ["random", "mcts:simulations=300"]
    made = tables_of(games=["connect_four"], bots=bots, deals=10)
    row = made.pairs[made.pairs.difference > 0].iloc[0].to_dict()
    said = lead_text(row)
    assert said.startswith("mcts:simulations=300 leads random by ")
    assert "or more]" in said
    assert "inf" not in said
