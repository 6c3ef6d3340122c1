"""The referee kernel on its own: when it returns, what it leaves on the desk, how it ranks."""

import numpy as np
import pytest

from arena.playing.match import new_log, set_up
from arena.playing.referee import (
    CLOCK_EVERY,
    DESK,
    NO_ANSWER,
    RESULT,
    Code,
    Ending,
    Log,
    are_places,
    count_sides,
    has_failed,
    rank_fault,
    referee_for,
)
from engines.core import load_game
from engines.kernel import now
from engines.records import NOBODY

FOREVER = (1 << 63) - 1
CONNECT_FOUR = load_game("connect_four")


@pytest.fixture
def begun(make_job):
    """A referee with venue, fixtures and log, before the first call."""

    def begin(*bots, **more):
        job = make_job(*bots, **more)
        venue, fixtures = set_up(job)
        venue.desk[:] = 0
        return referee_for(job.game), venue, fixtures, new_log()

    return begin


def short_log(size: int) -> Log:
    return Log(*(array[:size] for array in new_log()))


def outcome(fixtures):
    return [fixtures.results[name].tolist() for name in RESULT.names if name != "nanoseconds"]


@pytest.mark.parametrize(
    ("teams", "ranks", "right"),
    [
        ([0, 1], [1, 2], True),
        ([0, 1], [1, 1], True),
        ([0, 1], [2, 2], False),
        ([0, 1], [1, 3], False),
        ([0, 1, 2, 3], [1, 2, 2, 4], True),
        ([0, 1, 2, 3], [1, 2, 2, 3], False),
        ([0, 1, 0, 1], [1, 2, 1, 2], True),
        ([0, 1, 0, 1], [1, 1, 2, 2], False),
        ([0, 1, 1], [2, 1, 1], True),
        ([0], [2], True),
        ([0], [3], False),
        ([0, 1], [0, 1], False),
    ],
)
def test_ranks_are_one_more_than_the_better_sides(teams, ranks, right):
    state = np.zeros(1, np.dtype((np.record, CONNECT_FOUR.dtype)))[0]
    state.players = len(teams)
    state.team[: len(teams)] = teams
    assert bool(are_places(state, np.array(ranks, np.int8))) == right


# --- when it returns -------------------------------------------------------------------------------


def test_random_bots_need_no_help_to_the_end(begun):
    referee, venue, fixtures, log = begun("random", "random", matches=20)
    assert referee(venue, fixtures, log, FOREVER) == Code.DONE
    assert venue.desk["match"][0] == 20
    assert (fixtures.results["ending"] == Ending.FINISHED).all()
    assert fixtures.results["actions"].sum() == venue.desk["used"][0]


def test_when_all_is_played_nothing_happens_any_more(begun):
    referee, venue, fixtures, log = begun("random", "random", matches=3)
    referee(venue, fixtures, log, FOREVER)
    before = fixtures.results.tobytes(), venue.desk.tobytes()
    assert referee(venue, fixtures, log, FOREVER) == Code.DONE
    assert (fixtures.results.tobytes(), venue.desk.tobytes()) == before


def test_pauses_change_nothing(begun):
    referee, venue, fixtures, log = begun("random", "random", matches=40)
    referee(venue, fixtures, log, FOREVER)
    actions = log.actions[: int(venue.desk["used"][0])].copy()
    _, venue, sliced, other = begun("random", "random", matches=40)
    pauses = 0
    while (code := referee(venue, sliced, other, 0)) != Code.DONE:
        assert code == Code.PAUSED
        assert venue.desk["used"][0] % CLOCK_EVERY == 0
        pauses += 1
    assert pauses >= len(actions) // CLOCK_EVERY - 1 > 5
    assert outcome(sliced) == outcome(fixtures)
    assert (other.actions[: len(actions)] == actions).all()


def test_a_full_log_is_told_and_goes_on_in_a_longer_one(begun):
    referee, venue, fixtures, log = begun("random", "random", matches=4)
    referee(venue, fixtures, log, FOREVER)
    actions = log.actions[: int(venue.desk["used"][0])].copy()
    _, venue, again, _ = begun("random", "random", matches=4)
    log, times = short_log(5), 0
    while (code := referee(venue, again, log, FOREVER)) != Code.DONE:
        assert code == Code.FULL
        assert venue.desk["used"][0] == len(log.actions)
        longer = short_log(len(log.actions) + 5)
        for old, new in zip(log, longer, strict=True):
            new[: len(old)] = old
        log, times = longer, times + 1
    assert times == (len(actions) - 1) // 5
    assert outcome(again) == outcome(fixtures)
    assert (log.actions[: len(actions)] == actions).all()


# --- a bot beside it -------------------------------------------------------------------------------


def test_it_asks_for_every_decision_of_a_bot_beside_it(begun):
    referee, venue, fixtures, log = begun("greedy", "random", seats=[[0, 1], [1, 0]])
    asked = []
    while referee(venue, fixtures, log, FOREVER) == Code.ASK:
        desk = venue.desk[0]
        assert desk["answer"] == NO_ANSWER
        assert venue.views["viewer"][0] == desk["player"]
        legal = venue.legal[: int(desk["n"])].tolist()
        assert legal == CONNECT_FOUR.legal(venue.states).tolist()
        asked.append((int(desk["match"]), int(desk["player"])))
        desk["answer"] = legal[0]
    assert set(asked) == {(0, 0), (1, 1)}
    moves = [
        (m, p) for m, result in enumerate(fixtures.results) for p in actors(log, result) if p == m
    ]
    assert asked == moves


def actors(log, result):
    return log.actors[int(result["first"]) : int(result["first"] + result["actions"])].tolist()


def test_an_answer_counts_once(begun):
    referee, venue, fixtures, log = begun("greedy", "greedy:samples=2", matches=1)
    assert referee(venue, fixtures, log, FOREVER) == Code.ASK
    venue.desk["answer"] = 2
    assert referee(venue, fixtures, log, FOREVER) == Code.ASK
    assert venue.desk["player"][0] == 1
    assert venue.desk["answer"][0] == NO_ANSWER
    assert venue.desk["used"][0] == 1
    assert log.actions[0] == 2


def test_asking_again_without_an_answer_changes_nothing(begun):
    referee, venue, fixtures, log = begun("greedy", "random", matches=1)
    referee(venue, fixtures, log, FOREVER)
    before = venue.states.tobytes(), venue.desk["used"][0]
    assert referee(venue, fixtures, log, FOREVER) == Code.ASK
    assert (venue.states.tobytes(), venue.desk["used"][0]) == before


@pytest.mark.parametrize("answer", [-7, 9, 500])
def test_an_answer_that_is_not_legal_ends_the_match(begun, answer):
    referee, venue, fixtures, log = begun("greedy", "random", matches=1)
    referee(venue, fixtures, log, FOREVER)
    venue.desk["answer"] = answer
    assert referee(venue, fixtures, log, FOREVER) == Code.DONE
    result = fixtures.results[0]
    assert (result["ending"], result["fault_seat"]) == (Ending.ILLEGAL_ACTION, 0)
    assert result["ranks"][:2].tolist() == [2, 1]
    assert result["actions"] == 0


def test_time_waited_for_an_answer_is_time_of_its_seat(begun):
    referee, venue, fixtures, log = begun("greedy", "random", matches=1)
    referee(venue, fixtures, log, FOREVER)
    end = now() + 20_000_000
    while now() < end:
        pass
    venue.desk["answer"] = 0
    referee(venue, fixtures, log, FOREVER)
    assert fixtures.results["nanoseconds"][0, 0] >= 20_000_000
    assert fixtures.results["nanoseconds"][0, 1] < fixtures.results["nanoseconds"][0, 0]


def test_a_new_match_begins_with_a_clear_desk(begun):
    referee, venue, fixtures, log = begun("greedy", "random", seats=[[0, 1], [0, 1]])
    referee(venue, fixtures, log, FOREVER)
    venue.desk["fault"] = Ending.CRASH
    assert referee(venue, fixtures, log, FOREVER) == Code.ASK
    desk = venue.desk[0]
    assert (desk["match"], desk["fault"], desk["stand_in"].tolist()) == (1, 0, [0] * 4)
    assert fixtures.results["fault_seat"].tolist() == [0, NOBODY]


# --- sides and ranks -------------------------------------------------------------------------------


def seated(teams, failed=()):
    """A State of any game and a desk on which some seats have failed."""
    states = np.zeros(1, CONNECT_FOUR.dtype)
    states["players"] = len(teams)
    states["team"][0, : len(teams)] = teams
    desk = np.zeros(1, DESK)
    desk["stand_in"][0, list(failed)] = 1
    return states, desk


@pytest.mark.parametrize(
    ("teams", "sides"),
    [([0], 1), ([0, 1], 2), ([0, 1, 2], 3), ([0, 1, 0, 1], 2), ([0, 1, 1], 2), ([0, 1, 2, 3], 4)],
)
def test_sides_are_counted_by_team(teams, sides):
    assert run(count_sides, teams) == sides


def run(kernel, teams):
    return int(kernel(seated(teams)[0][0]))


@pytest.mark.parametrize(
    ("teams", "failed", "final", "expected"),
    [
        ([0, 1], [0], [1, 2], [2, 1]),
        ([0, 1], [1], [1, 1], [1, 2]),
        ([0, 1, 2], [0], [1, 2, 3], [3, 1, 2]),
        ([0, 1, 2], [1], [1, 1, 1], [1, 3, 1]),
        ([0, 1, 2], [0, 2], [1, 2, 3], [2, 1, 2]),
        ([0, 1, 2], [0, 1, 2], [1, 2, 3], [1, 1, 1]),
        ([0, 1, 2, 3], [3], [4, 2, 2, 1], [3, 1, 1, 4]),
        ([0, 1, 0, 1], [2], [1, 2, 1, 2], [2, 1, 2, 1]),
        ([0, 1, 1], [2], [2, 1, 1], [1, 2, 2]),
    ],
)
def test_a_side_whose_bot_failed_stands_behind_the_others_in_their_order(
    teams, failed, final, expected
):
    states, desk = seated(teams, failed)
    result = np.zeros(1, RESULT)
    rank_fault(desk[0], states[0], np.array([*final, 0, 0, 0][:4], np.int8), result[0])
    assert result["ranks"][0, : len(teams)].tolist() == expected


def test_a_side_has_failed_with_any_of_its_bots():
    states, desk = seated([0, 1, 0, 1], [2])
    assert [bool(has_failed(desk[0], states[0], p)) for p in range(4)] == [True, False, True, False]


def test_endings_read_as_words():
    assert [ending.text for ending in Ending] == [
        *("finished", "illegal action", "timeout", "memory", "crash", "protocol error"),
        *("too long", "void", "out of time"),
    ]
