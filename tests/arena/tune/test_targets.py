"""Targets and what is searched are read strictly; a number says met, missed or undecided by its interval."""

import math
from pathlib import Path

import pytest

from arena.balance.config import Margins
from arena.statistics.claims import aimed
from arena.statistics.sentences import PERCENT, aim_told
from arena.tune.space import AnyOf, Choice, Space, Span
from arena.tune.variants.near import nearness, single_changes
from arena.tune.variants.readings import FAR, Reading
from arena.tune.variants.targets import Target, read_targets
from arena.tune.variants.wanted import parse_search, read_search
from engines.errors import UserError

TOY = Path(__file__).parents[1] / "balance" / "toy"
PLAIN = {
    "name": "toy",
    "game": str(TOY),
    "players": 2,
    "bots": ["random", "greedy"],
    "targets": {"seat_share": [0.4, 0.6]},
    "search": {"bonus": "0..4"},
}


def test_ranges_bounds_and_counts_are_read():
    given = {
        "seat_share": [0.48, 0.52],
        "depth_elo": ">= 60",
        "draws": "<=.05",
        "cards_out_of_line": 0,
    }
    seats, depth, draws, cards = read_targets(given, (2,), "targets")
    assert (seats.least, seats.most, seats.aim) == (0.48, 0.52, "48.0 to 52.0 %")
    assert (depth.least, depth.most, depth.aim) == (60.0, math.inf, "at least 60 Elo")
    assert (draws.least, draws.most, draws.aim) == (-math.inf, 0.05, "at most 5.0 %")
    assert (cards.most, cards.aim) == (0.0, "none")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"targets": {}}, "targets: missing, expected e.g. {turns: [40, 60]}"),
        ({"search": {}}, "search: missing, expected e.g. {hand_size: 3..6}"),
        (
            {"targets": {"seat_shares": [0, 1]}},
            "targets.seat_shares: unknown, did you mean seat_share",
        ),
        (
            {"targets": {"draws": [0.2, 0.1]}},
            "targets.draws: [0.2, 0.1], expected the smaller number first",
        ),
        (
            {"targets": {"draws": [5, 10]}},
            "targets.draws: [5, 10], expected shares between 0 and 1",
        ),
        ({"targets": {"draws": "<= 5"}}, "targets.draws: '<= 5', expected shares between 0 and 1"),
        (
            {"targets": {"turns": 40}},
            "targets.turns: 40, expected [least, most], '>= 40' or '<= 40'",
        ),
        (
            {"targets": {"turns": [7, 7]}},
            "targets.turns: [7, 7], expected a range: no measure is exactly one number",
        ),
        (
            {"targets": {"cards_out_of_line": True}},
            "targets.cards_out_of_line: True, expected [least, most], '>= 3' or '<= 3' or a number at most",
        ),
        (
            {"targets": {"turns": [".nan", 3]}},
            "targets.turns: ['.nan', 3], expected [least, most], '>= 40' or '<= 40'",
        ),
        (
            {"targets": {"depth_elo": ">= 60"}},
            "targets.depth_elo: needs two bots that differ in their simulations only, "
            "e.g. bots: ['mcts:simulations=16', 'mcts:simulations=64']",
        ),
        (
            {"targets": {"luck": "<= 0.2"}, "bots": "greedy"},
            "targets.luck: needs two bots, bots has one",
        ),
        ({"search": {"bonos": "0..4"}}, "search.bonos: unknown, did you mean bonus?"),
        ({"search": {"rounds": "0..4"}}, "search.rounds: 0, expected 1 to 50"),
        ({"search": {"rounds": [1, 99]}}, "search.rounds[1]: 99, expected 1 to 50"),
        ({"trials": 1}, "trials: 1, expected at least 2"),
        ({"trials": 10**9}, "trials: 1000000000, expected at most 10000"),
        (
            {"rungs": [{"bots": "gredy", "deals": 3}]},
            "rungs[0].bots[0]: bot 'gredy': unknown, did you mean greedy?",
        ),
        ({"confirm": {"deals": 0}}, "confirm.deals: 0, expected at least 1"),
        ({"variants": [{}]}, "variants: unknown"),
        ({"players": [5]}, "players[0]: 5, expected at most 4"),
    ],
)
def test_a_wrong_search_is_one_line(changes, problem):
    with pytest.raises(UserError) as error:
        parse_search({**PLAIN, **changes})
    assert str(error.value).startswith(problem)


def test_an_error_names_the_line_of_the_file(tmp_path):
    file = tmp_path / "toy.yaml"
    text = "game: {}\nplayers: 2\nbots: [greedy]\ntargets:\n  seat_share: [0.4, 0.6]\n  {}\nsearch: {{bonus: 0..4}}\n"
    file.write_text(text.format(TOY, "trns: [3, 4]"))
    with pytest.raises(UserError) as error:
        read_search(str(file))
    assert str(error.value) == f"{file}:6: targets.trns: unknown, did you mean turns?"
    file.write_text(text.format(TOY, "turns: [3, 4]"))
    with pytest.raises(UserError, match=r"^search.bonus: 99999, expected -99 to 99"):
        read_search(str(file), ["search.bonus=7..99999"])
    with pytest.raises(UserError, match=r"^search\.king: -99"):
        read_search(str(file), ["search.king=-99..3"])
    file.write_text("game: connect_four\nplayers: 2\nbots: [greedy]\n")
    with pytest.raises(UserError, match=r"toy\.yaml:1: targets: missing"):
        read_search(str(file))


def test_a_target_is_met_within_missed_beside_and_else_undecided():
    def said(low, high, value=None, deals=100):
        made = aimed(
            (low + high) / 2 if value is None else value,
            (low, high),
            deals=deals,
            method="",
            least=0.48,
            most=0.52,
        )
        return made.outcome, made.more_deals

    assert said(0.49, 0.51) == ("equivalent", 0.0)
    assert said(0.48, 0.52)[0] == "equivalent"
    assert said(0.53, 0.6) == ("differs", 0.0)
    assert said(0.4, 0.47) == ("differs", 0.0)
    assert said(0.46, 0.54)[0] == "undecided"
    assert said(0.46, 0.54)[1] == 300  # half as wide takes four times as many
    edge = aimed(0.5, (0.25, 0.75), deals=20, method="", least=0.5)
    assert math.isnan(edge.more_deals)  # on the edge no number of deals tells
    assert said(0.49, 0.51, deals=9)[0] == "too few deals"
    with pytest.raises(ValueError, match="no such range"):
        aimed(1.0, (0.0, 2.0), deals=10, method="", least=2.0, most=1.0)


def test_the_words_of_an_aim_are_its_outcome():
    met = aimed(0.03, (0.02, 0.04), deals=50, method="", most=0.05)
    assert aim_told(met, PERCENT, "draws", "at most 5.0 %") == (
        "draws met: 3.0 % [2.0, 4.0], aim at most 5.0 %"
    )
    open_ = aimed(0.03, (0.0, 0.08), deals=50, method="", most=0.05)
    assert aim_told(open_, PERCENT, "draws", "at most 5.0 %") == (
        "draws, aim at most 5.0 %: undecided (between 0.0 and 8.0 %; about 263 more deals would tell)"
    )


def test_distances_are_in_margins_and_what_cannot_be_told_is_far():
    margins = Margins()
    reading = Reading(Target("draws", -math.inf, 0.05), 2, "draws", 0.11, 50, lambda c: (0.0, 1.0))
    assert reading.off(margins) == pytest.approx(2.0)
    assert Reading(reading.target, 2, "", math.nan, 0, lambda c: (0.0, 1.0)).off(margins) == FAR
    turns = Reading(Target("turns", 40, 60), 2, "turns", 66.0, 50, lambda c: (60.0, 70.0))
    assert turns.off(margins) == pytest.approx(2.0)
    assert Reading(Target("turns", 40, 60), 2, "turns", 50.0, 50, turns.ends).off(margins) == 0


def test_the_p_of_a_reading_is_where_its_interval_decides():
    share = Reading(
        Target("draws", -math.inf, 0.5), 2, "", 0.4, 50, lambda c: (0.4 - c / 5, 0.4 + c / 5)
    )
    assert share.p_value() == pytest.approx(0.5, abs=1e-6)
    assert share.claim(0.4).outcome == "equivalent"
    assert share.claim(0.6).outcome == "undecided"


def test_single_changes_are_all_that_differ_in_one_option_the_nearest_first():
    space = Space(
        (
            Span("hand", 3, 5, True, False),
            Choice("bonus", ((0, 0), (2, 0))),
            AnyOf("without", ("fog", "rain")),
            Span("speed", 0.5, 2.0, False, True),
        )
    )
    printed = {"hand": 4, "bonus": (0, 0), "without": (), "speed": 1.0}
    found = single_changes(space, printed)
    assert [{n: v for n, v in one.items() if v != printed[n]} for one in found] == [
        {"speed": 0.5},
        {"hand": 3},
        {"without": ("fog",)},
        {"without": ("rain",)},
        {"hand": 5},
        {"speed": 2.0},
        {"bonus": (2, 0)},
    ]
    assert all(space.holds(one) for one in found)


def test_nearness_counts_options_first_and_then_how_far():
    space = Space(
        (
            Span("hand", 3, 7, whole=True, log=False),
            Choice("bonus", ((0, 0), (2, 0), (4, 0))),
            Choice("word", ("a", "b")),
        )
    )
    printed = {"hand": 5, "bonus": (0, 0), "word": "a"}
    assert nearness(space, printed, printed) == (0, 0)
    assert nearness(space, printed, {**printed, "hand": 6}) == (1, 0.25)
    assert nearness(space, printed, {**printed, "bonus": [2, 0]}) == (1, 0.5)
    assert nearness(space, printed, {**printed, "word": "b", "hand": 3}) == (2, 1.5)
