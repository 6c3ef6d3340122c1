"""The pieces of the analysis on matches small enough to work out by hand."""

import numpy as np
import pandas as pd
import pytest

from arena.balance.comparison import claim_of_difference
from arena.balance.drama import percentile, story
from arena.balance.overview import IN_LINE, mark_of
from arena.balance.sentences import seat_sentences
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


# --- seats -------------------------------------------------------------------------------------------


def seat_row(bot, share, more=(np.nan,) * 3, side="player 1", deals=200):
    ends = {"win_share": share, "win_share_low": share - 0.05, "win_share_high": share + 0.05}
    elo = {"elo": 100.0, "elo_low": 50.0, "elo_high": 150.0}
    uneven = {"uneven": abs(share - 0.5), "uneven_low": 0.0, "uneven_high": abs(share - 0.5) + 0.05}
    named = dict(zip(("more", "more_low", "more_high"), more, strict=True))
    return {"bot": bot, "side": side, "deals": deals, "par": 0.5, **ends, **elo, **uneven, **named}


def test_the_strongest_bot_leads_the_headline_of_a_seat_and_the_trend_over_strength_follows():
    """As in Nakum: greedy wins 93 % as first player, the search 15 %, and no bot the mean of 42 %."""
    rows = pd.DataFrame(
        [
            seat_row("all", 0.42),
            seat_row("random", 0.5),
            seat_row("greedy", 0.93, (0.78, 0.66, 0.87)),
            seat_row("shallow", 0.17, (0.02, -0.08, 0.12)),
            seat_row("deep", 0.15),
        ]
    )
    said = list(seat_sentences(rows))
    assert said[0].startswith(
        "Player 1 wins 15.0 % [10.0, 20.0] against itself, played by deep, the strongest"
    )
    trend = "greedy 93.0 % [88.0, 98.0], shallow 17.0 % [12.0, 22.0], deep 15.0 % [10.0, 20.0]"
    assert said[2] == f"Player 1 by the strength of who plays, weakest first: {trend}."
    assert said[3].endswith(" more often than deep does as player 1: +78.0 pp [+66.0, +87.0].")
    assert not any("42.0" in text or "random" in text for text in said)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((0.2, 0.1, 0.3), "greedy against itself wins more often than deep does"),
        ((-0.2, -0.3, -0.1), "greedy against itself wins less often than deep does"),
        ((0.0, -0.02, 0.02), "greedy against itself wins about as often as deep does"),
        ((0.1, -0.1, 0.3), "Whether greedy against itself wins more often than deep does"),
    ],
)
def test_what_bots_make_of_a_seat_is_compared_by_the_interval_of_the_difference(more, words):
    rows = pd.DataFrame([seat_row("greedy", 0.5, more), seat_row("deep", 0.5)])
    assert list(seat_sentences(rows))[-1].startswith(f"{words} as player 1")


def test_what_never_varies_is_equivalent_also_without_a_margin():
    row = {"difference": 0.0, "family_low": 0.0, "family_high": 0.0, "deals": 50, "margin": 0.0}
    assert claim_of_difference(row).outcome == "equivalent"
    assert mark_of(claim_of_difference(row)) == IN_LINE
