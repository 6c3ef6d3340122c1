"""Usage counts each thing once for each seat that used it, and compares with equals."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from arena.results.groups import Results
from arena.results.usage import USAGE, moves_of, subjects_of, usage
from arena.statistics.shares import means_by_deal

SUBJECTS = {0: (), 1: (0,), 2: (0, 1), 3: (1, 1)}  # action -> subjects


class Nim:
    """As much of a game as usage looks at."""

    actions = SimpleNamespace(size=4)
    subjects = SimpleNamespace(names=("stick", "stone"), of_action=SUBJECTS.get)


def stored(rows):
    """Results and moves of two players a, b; rows of (deal, a begins, winner, [(actor, action)])."""
    matches = [
        {
            "match_id": f"{number:04}",
            "lineup_id": "ab",
            "deal": deal,
            "seating": [0, 1] if a_begins else [1, 0],
            "ending": "finished",
            "ranks": [1, 2] if winner == 0 else [2, 1],
            "points": [0, 0],
            "seconds": [0.0, 0.0],
            "decisions": len(moves),
            "decisions_by_seat": [sum(actor == seat for actor, _ in moves) for seat in (0, 1)],
            "capped": False,
            "fault_seat": -1,
            "actions_hash": number,
        }
        for number, (deal, a_begins, winner, moves) in enumerate(rows)
    ]
    lists = [[[move[i] for move in moves] for *_, moves in rows] for i in (1, 0)]
    table = pa.table(
        {
            "actions": pa.array(lists[0], pa.list_(pa.uint16())),
            "actors": pa.array(lists[1], pa.list_(pa.int8())),
        }
    )
    lineup = SimpleNamespace(
        id="ab", game="nim", variant={}, players=2, entrants=("a", "b"), sides=(0, 1)
    )
    entrants = {name: SimpleNamespace(name=name) for name in "ab"}
    results = Results(pd.DataFrame(matches), entrants, {"ab": lineup}, lambda _: "all")
    return results, moves_of(table)


def by_subject(rows):
    found = usage(*stored(rows), {"nim": Nim()}.get)
    assert tuple(found.columns) == USAGE
    return {row["subject"]: row for row in found.to_dict("records")}


def test_a_subject_counts_once_for_a_seat_however_often_it_is_used():
    found = by_subject([(0, True, 0, [(0, 1), (1, 0), (0, 1), (1, 2)])])
    assert found["stick"]["used"] == 2
    assert found["stick"]["times"] == pytest.approx(1.5)
    assert found["stone"]["used"] == 1
    assert found["stone"]["use_share"] == pytest.approx(0.5)


def test_matches_looked_at_a_few_at_a_time_give_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    rows = [
        (
            deal,
            bool(rng.integers(2)),
            int(rng.integers(2)),
            rng.integers((2, 4), size=(9, 2)).tolist(),
        )
        for deal in range(25)
    ]
    results, moves = stored(rows)
    whole = usage(results, moves, {"nim": Nim()}.get)
    monkeypatch.setattr("arena.results.usage.CHUNK", 4)
    pd.testing.assert_frame_equal(whole, usage(results, moves, {"nim": Nim()}.get))


def test_an_action_that_names_a_subject_twice_uses_it_once():
    starts, subjects = subjects_of(Nim())
    assert starts.tolist() == [0, 0, 1, 3, 4]
    assert subjects.tolist() == [0, 0, 1, 1]


def test_lift_is_against_the_same_bot_in_the_same_seat():
    # a always wins as first player, whatever it uses: no lift although it wins with sticks
    rows = [(deal, True, 0, [(0, 1), (1, 0)]) for deal in range(12)]
    found = by_subject(rows)
    assert found["stick"]["win_share"] == 1
    assert found["stick"]["expected"] == 1
    assert found["stick"]["lift"] == 0


def test_a_card_that_wins_has_a_lift_above_zero():
    rng = np.random.default_rng(1)
    rows = []
    for deal in range(60):
        has = int(rng.integers(2))
        wins = has if rng.random() < 0.9 else 1 - has
        rows.append((deal, bool(deal % 2), wins, [(has, 1), (1 - has, 3)]))
    found = by_subject(rows)
    assert found["stick"]["lift_low"] > 0.2
    assert found["stone"]["lift_high"] < -0.2
    assert found["stick"]["lift"] == pytest.approx(-found["stone"]["lift"])


def test_below_ten_deals_there_is_no_interval_and_equal_deals_still_have_a_width():
    few = by_subject([(deal, True, 0, [(0, 1)]) for deal in range(9)])
    assert np.isnan(few["stick"]["lift_low"])
    many = by_subject([(deal, True, 0, [(0, 1)]) for deal in range(40)])
    assert many["stick"]["lift_low"] < 0 < many["stick"]["lift_high"]


def test_a_game_whose_rules_are_not_at_hand_has_no_usage():
    results, moves = stored([(0, True, 0, [(0, 1)])])
    assert usage(results, moves, lambda _: None).empty


def test_means_by_deal_are_those_of_the_sample_where_deals_are_single_values():
    values = np.random.default_rng(5).normal(3, 2, 50)
    mean, low, high = means_by_deal(values[:, None], np.ones((50, 1)))
    half = 2.0095752371 * values.std(ddof=1) / np.sqrt(50)  # t of 49 degrees of freedom
    assert mean[0] == pytest.approx(values.mean())
    assert (low[0], high[0]) == pytest.approx((values.mean() - half, values.mean() + half))
