"""The pieces of the analysis on matches small enough to work out by hand."""

import numpy as np
import pandas as pd
import pytest

from arena.balance.drama import percentile, story
from arena.balance.skill import budgets_of
from arena.balance.verdict import disagreement
from arena.balance.without import ENTRANT, Without, actions_using
from bots.contract import View
from bots.registry import parse_bot
from engines.core import load_game
from engines.errors import OptionError
from engines.rng import seeded

# --- drama ------------------------------------------------------------------------------------------


def told(*rounds, first=(True, False)):
    return story(np.array(rounds, dtype=float), np.array(first))


def test_a_winner_who_always_led_led_for_good_from_the_start():
    assert told((1, 0), (2, 1), (5, 1)) == (0, 0, 0)


def test_a_comeback_in_the_last_round_is_decided_there():
    assert told((0, 3), (0, 4), (1, 5), (9, 5)) == (1, 0.75, 4)


def test_ties_are_no_changes_of_the_lead():
    changes, settled, deficit = told((1, 0), (1, 1), (2, 1), (2, 3), (4, 3))
    assert (changes, settled, deficit) == (2, 0.8, 1)


def test_a_shared_first_place_has_no_winner():
    changes, settled, deficit = told((1, 0), (1, 1), first=(True, True))
    assert changes == 0
    assert np.isnan(settled)
    assert np.isnan(deficit)


def test_a_winner_by_a_tie_break_never_leads_for_good():
    assert told((0, 1), (1, 1))[1] == 1.0


def test_percentiles_of_counts():
    counts = np.zeros((2, 11))
    counts[0, [2, 10]] = 95, 5
    counts[1, [2, 10]] = 94, 6
    assert percentile(counts, 0.95).tolist() == [2, 10]


# --- bots that may not use something ----------------------------------------------------------------


def view_of(game, players=2, variant=None):
    states = game.new_state(players, variant or game.Variant(), seeded(1))
    legal = [int(a) for a in game.legal(states)]
    return View(game, game.view(states, int(states["to_act"][0])), legal, (), 1), legal


def test_a_masked_bot_never_uses_what_it_may_not(toy):
    game = load_game(str(toy))
    view, legal = view_of(game)
    free, masked = Without("greedy", ()), Without("greedy", ("ace",))
    for bot in (free, masked):
        bot.reset(game, view, 3)
    assert game.actions.text(free.act(view, legal)) == "play ace"
    assert game.actions.text(masked.act(view, legal)) == "play king"


def test_where_nothing_else_is_legal_the_rules_win(toy):
    game = load_game(str(toy))
    view, legal = view_of(game)
    bot = Without("random", ("ace", "king", "two"))
    bot.reset(game, view, 3)
    assert bot.act(view, legal) in legal
    assert bot.act(view, legal[:1]) == legal[0]


def test_an_unknown_subject_names_the_nearest():
    with pytest.raises(OptionError, match="'panik', no subject of karmaka, did you mean panic"):
        actions_using(load_game("karmaka"), ["panik"])


def test_a_masked_bot_is_named_like_any_module():
    spec = parse_bot(ENTRANT, {"of": "mcts:simulations=8", "subjects": ["panic", "spite"]})
    assert spec.parameters.subjects == ("panic", "spite")
    assert (
        spec.canonical
        == parse_bot(f"{ENTRANT}:of=mcts:simulations=8,subjects=panic+spite").canonical
    )


# --- budgets ----------------------------------------------------------------------------------------


class Entrant:
    def __init__(self, name, **params):
        self.name, self.bot, self.params = name, "mcts", params


def test_budgets_are_of_bots_that_differ_in_nothing_else():
    entrants = [
        Entrant("a", simulations=8, exploration=0.7),
        Entrant("b", simulations=32, exploration=0.7),
        Entrant("c", simulations=64, exploration=1.4),
        Entrant("d", samples=8),
    ]
    assert budgets_of({e.name: e for e in entrants}) == {"a": 8, "b": 32}
    assert budgets_of({e.name: e for e in entrants[2:]}) == {}


def seat_row(bot, low, high):
    share = (low + high) / 2
    return {
        "bot": bot,
        "side": "player 1",
        "win_share": share,
        "win_share_low": low,
        "win_share_high": high,
    }


def test_bots_that_disagree_about_a_seat_are_named():
    agree = [seat_row("greedy", 0.5, 0.7), seat_row("deep", 0.6, 0.8)]
    assert not list(disagreement(pd.DataFrame(agree)))
    (text,) = disagreement(pd.DataFrame([*agree, seat_row("deeper", 0.1, 0.3)]))
    assert "deep wins 70.0 % [60.0, 80.0], deeper 20.0 % [10.0, 30.0]" in text
