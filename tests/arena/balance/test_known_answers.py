"""Games whose answers can be worked out by hand give these answers, with the right sign and size."""

import numpy as np
import pandas as pd
import pytest

from arena.balance.verdict import verdict

BASE = "default"


def one(table: pd.DataFrame, **wanted) -> pd.Series:
    for name, value in wanted.items():
        table = table[table[name] == value]
    assert len(table) == 1, wanted
    return table.iloc[0]


def covers(
    row: pd.Series, truth: float, value: str = "value", low: str = "low", high: str = "high"
):
    """Within the interval, widened by half: a fixed seed may well be one of the 5 % outside."""
    half = (row[high] - row[low]) / 4
    return row[low] - half <= truth <= row[high] + half and abs(row[value] - truth) < 0.1


# --- seats ------------------------------------------------------------------------------------------


def test_a_free_point_for_the_second_player_is_worth_seven_wins_in_nine(analysed):
    seats = analysed("cards").seats
    second = one(seats, variant="bonus=1", bot="all", side="player 2")
    assert covers(second, 7 / 9, "win_share", "win_share_low", "win_share_high")
    assert second.win_share_low > 0.7
    truth = 400 * np.log10((7 / 9) / (2 / 9))
    assert second.elo_low < truth < second.elo_high
    assert second.p_value < 1e-6


def test_an_even_game_shows_no_advantage_of_order(analysed):
    first = one(analysed("cards").seats, variant=BASE, bot="all", side="player 1")
    assert covers(first, 1 / 2, "win_share", "win_share_low", "win_share_high")
    assert first.p_value > 0.01


def test_a_rigged_variant_differs_from_the_baseline_in_seats_and_points_but_not_in_length(analysed):
    rows = analysed("cards").comparison
    rows = rows[rows.variant == "bonus=1"].set_index("measure")
    assert rows.verdict["win share of player 1"] == "differs"
    assert rows.high["win share of player 1"] < -0.2 < 2 / 9 - 1 / 2 + 0.1
    assert covers(rows.loc["win share of player 1"], 2 / 9 - 1 / 2, "difference")
    assert rows.difference["points of a player"] == pytest.approx(0.5)
    assert rows.verdict["turns"] == "equivalent"


# --- cards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "card", "truth", "verdict_"),
    [
        (BASE, "ace", 1 / 3, "over"),
        (BASE, "king", 0, "undecided"),
        (BASE, "two", -1 / 3, "under"),
        ("ace=-9", "ace", -1 / 3, "under"),
        ("ace=-9", "king", 1 / 3, "over"),
        ("ace=-9", "two", 0, "undecided"),
    ],
)
def test_the_lift_of_each_card_is_found(analysed, variant, card, truth, verdict_):
    row = one(analysed("cards").usage, variant=variant, family="subject", subject=card)
    assert covers(row, truth, "lift", "lift_low", "lift_high")
    assert row.verdict == verdict_
    assert row.lift == pytest.approx(row.win_share - row.expected)
    assert covers(row, 1 / 3, "use_share", "use_share_low", "use_share_high")


def test_a_card_made_worthless_shows_in_the_change_of_its_lift_only(analysed):
    rows = analysed("cards").use_changes
    ace = {"variant": "ace=-9", "family": "subject", "subject": "ace"}
    lift, use = one(rows, **ace, what="lift"), one(rows, **ace, what="use")
    assert covers(lift, -2 / 3, "difference")
    assert lift.verdict == "differs"
    assert use.difference == 0  # random players choose as before, on the same deals


def test_a_ban_costs_what_the_card_is_worth(analysed):
    rows = analysed("skill").interventions
    ace, two = one(rows, subject="ace"), one(rows, subject="two")
    # greedy plays nothing but aces: without them it plays kings and loses every match
    assert (ace.win_share, ace.effect, ace.verdict) == (0, -0.5, "worth having")
    assert ace.effect_low <= -0.5 <= ace.effect_high < -0.3
    assert ace.used_by_others == 1
    assert (two.win_share, two.effect, two.verdict) == (0.5, 0, "equivalent")
    assert two.effect_low < 0 < two.effect_high


# --- skill and luck ---------------------------------------------------------------------------------


def test_in_a_coin_flip_the_deal_explains_everything_and_strength_nothing(analysed):
    balance = analysed("coin")
    measures = balance.measures[balance.measures.variant != "null"].set_index("measure")
    assert measures.value["variance by the deal"] > 0.9
    assert measures.high["variance by strength"] < 0.1
    assert covers(measures.loc["greedy wins against random"], 1 / 2)
    step = one(balance.rungs, bot="greedy")
    assert step.step_low < 0 < step.step_high
    assert abs(step.step) < 60
    subjects = balance.usage[balance.usage.family == "subject"]
    assert not subjects.verdict.isin(["over", "under"]).any()


def test_what_is_dealt_is_found_where_it_decides(analysed):
    row = one(analysed("coin").setup, fact="dealt", value="much")
    # more than half of 0..999 against a uniform rest: 3/4
    assert covers(row, 1 / 4, "effect", "effect_low", "effect_high")
    assert row.verdict == "over"


def test_what_all_players_share_is_compared_by_points_and_by_the_first_player(analysed):
    rows = analysed("coin").setup
    assert set(rows[rows.fact == "weather"].outcome) == {"points", "first player's win share"}
    assert set(rows[rows.fact == "dealt"].outcome) == {"win share"}


def test_in_a_game_of_skill_strength_explains_most_and_the_deal_nothing(analysed):
    balance = analysed("skill")
    measures = balance.measures[balance.measures.variant != "null"].set_index("measure")
    assert measures.low["greedy wins against random"] > 0.9
    assert measures.value["variance by strength"] > 0.8
    assert abs(measures.value["variance by the deal"]) < 0.1
    assert one(balance.rungs, bot="greedy").step_low > 200
    assert measures.value["shared first place"] > 0.2  # greedy against itself is always a tie


# --- shapes -----------------------------------------------------------------------------------------


def test_three_players_have_three_seats_and_teams_two_sides(analysed):
    three, teams = analysed("three").seats, analysed("teams").seats
    every = three[three.bot == "all"]
    assert list(every.side) == ["player 1", "player 2", "player 3"]
    assert every.win_share.sum() == pytest.approx(1)
    assert (every.par == 1 / 3).all()
    sides = teams[teams.bot == "all"]
    assert list(sides.side) == ["side 1 (players 1 and 3)", "side 2 (players 2 and 4)"]
    assert (sides.par == 1 / 2).all()


def test_the_stronger_bot_stands_above_at_tables_of_three(analysed):
    row = one(analysed("three").rungs, bot="greedy")
    assert row.below == "random"
    assert row.beats_below_low > 0.5
    assert row.step_low > 0


def test_the_null_variant_has_as_many_deals_as_the_baseline(analysed):
    rows = analysed("coin").samples.set_index("variant")
    assert rows.deals["null"] == rows.drop(index="null").deals.iloc[0] == 150


# --- words ------------------------------------------------------------------------------------------


def test_where_first_places_are_shared_that_is_said_first_and_then_what_changes_it(analysed):
    said = verdict(analysed("drawn"))
    said = said[said.variant != "null"]
    assert list(said.variant.unique()) == ["rounds=5", "rounds=5,luck=3", "rounds=5,king=1"]
    for variant, own in said.groupby("variant"):
        tables = list(own.table.unique())
        assert tables.index("measures") < tables.index("seats")
        assert own.sentence.iloc[1].startswith("First place is shared in"), variant
        often = own.sentence.iloc[2]
        assert often.startswith("Most often it ends by ") == (variant != "rounds=5,luck=3")


def test_elsewhere_the_order_of_play_is_said_first(analysed):
    tables = list(verdict(analysed("coin")).table.unique())
    assert tables.index("seats") < tables.index("measures")


@pytest.mark.parametrize("case", ["cards", "coin", "skill", "drawn", "three", "teams"])
def test_every_sentence_is_backed_by_a_table_and_every_claim_by_an_interval(analysed, case):
    balance = analysed(case)
    said = verdict(balance)
    assert {"samples", "seats", "measures", "null_check"} <= set(said.table)
    for row in said.itertuples():
        table = getattr(balance, row.table)
        own = table[(table.variant == row.variant) & (table.players == row.players)]
        assert len(own), row.sentence
        interval = "[" in row.sentence or "undecided (between " in row.sentence
        about_tests = (
            "p = " in row.sentence
            or "p < " in row.sentence
            or "p-values" in row.sentence
            or "(Holm" in row.sentence
        )
        assert interval or about_tests or row.table == "samples", row.sentence


def test_few_deals_give_no_interval_and_so_no_claim(analysed):
    balance = analysed("few")
    assert balance.measures.low.isna().all()
    assert balance.seats.win_share_low.isna().all()
    assert balance.seats.p_value.isna().all()
    assert (balance.comparison.verdict == "nothing to compare").all()
    texts = verdict(balance)
    texts = texts[texts.variant != "null"].sentence
    assert any("Fewer than 10 deals" in text for text in texts)
    assert not any("%" in text for text in texts)
