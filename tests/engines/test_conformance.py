"""Every game in every setting does what every game must do; and the checks notice when one does not."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from arena.authoring import conformance
from arena.authoring.checks import components, folder, knowledge, play, results, texts
from arena.authoring.checks.modes import compare_modes, compare_spots, first_difference
from arena.authoring.checks.walks import Setting, settings
from engines.actions import ActionTable, Field, Kind, Secrecy
from engines.core import Game, load_game
from engines.kernel import INTERPRETED
from engines.records import OVER, Bag, Layout, Rest

MANY = 5  # problems shown


@pytest.mark.parametrize("fact", folder.FACTS, ids=lambda f: f.__name__)
def test_the_game(any_game: Game, fact: Callable[[Game], Iterator[str]]) -> None:
    assert not list(fact(any_game))[:MANY]


def wrong_in(setting: Setting) -> list[str]:
    """What the checks say of a setting, each by its name: a test for each would cost more than the checks."""
    found = (
        (check.__name__, conformance.outcome(setting.name, check, setting))
        for check in conformance.CHECKS
    )
    return [f"{name}: {outcome}" for name, outcome in found if outcome.problems]


def test_a_setting(any_setting: Setting) -> None:
    assert wrong_in(any_setting) == []


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="the same as on short walks")
def test_a_setting_at_length(any_setting_at_length: Setting) -> None:
    assert wrong_in(any_setting_at_length) == []


@pytest.mark.skipif(INTERPRETED, reason="starts an interpreted process itself")
def test_interpreted_code_agrees_with_compiled_code(any_game: Game) -> None:
    assert not list(compare_spots(any_game, "interpreted"))


@pytest.mark.skipif(INTERPRETED, reason="compares with compiled code")
@pytest.mark.parametrize("name", ["connect_four", pytest.param("karmaka", marks=pytest.mark.full)])
def test_bounds_checked_code_of_a_game_agrees_with_compiled_code(name: str) -> None:
    assert not list(compare_spots(load_game(name), "bounds-checked"))


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="starts compiled and interpreted processes itself")
def test_compiled_interpreted_and_bounds_checked_runs_agree(any_game: Game) -> None:
    assert not list(compare_modes(any_game.name))


# --- the checks notice --------------------------------------------------------------------------

FOUR = load_game("connect_four")


def broken(**changes: Any) -> Setting:
    """Connect Four with some of its kernels replaced."""
    return settings(replace(FOUR, **changes))[0]


def problems(check: conformance.Check, **changes: Any) -> str:
    """What a check says about Connect Four with some of its kernels replaced."""
    return " | ".join(islice(check(broken(**changes)), MANY))


@pytest.mark.full
def test_the_checks_find_nothing_in_the_untouched_game() -> None:
    """At length: on short walks `test_a_setting` says the same."""
    for check in conformance.CHECKS:
        assert problems(check) == "", check.__name__


def test_a_game_without_end_is_noticed() -> None:
    def apply(states: Any, action: int, rng: Any) -> None:
        states["to_act"][0] = 1 - states["to_act"][0]

    assert "still running" in problems(play.ends_within_the_bound, apply=apply)


@pytest.mark.parametrize("listed", [[1, 0], [0, 0], [200]], ids=str)
def test_a_bad_legal_list_is_noticed(listed: list[int]) -> None:
    def legal_actions(states: Any, out: Any) -> int:
        out[: len(listed)] = listed
        return 0 if states["to_act"][0] == OVER else len(listed)

    assert "legal actions" in problems(play.lists_legal_actions_well, legal_actions=legal_actions)


@pytest.fixture
def told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody runs what failed once more, interpreted: tests/arena/authoring/test_errors.py looks at that."""
    monkeypatch.setattr(conformance, "again", lambda *where: "")


@pytest.mark.usefixtures("told_once")
def test_a_list_past_max_legal_is_noticed() -> None:
    outcome = conformance.outcome("four", play.lists_legal_actions_well, broken(max_legal=5))
    assert "7 legal actions, but max_legal is 5" in outcome.problems[0]


def test_chance_from_elsewhere_is_noticed() -> None:
    calls = iter(range(10**6))

    def apply(states: Any, action: int, rng: Any) -> None:
        FOUR.apply(states, action, rng)
        states["team"][0, 3] = next(calls) % 100

    assert "when played again" in problems(play.same_seed_plays_the_same, apply=apply)


def test_a_question_that_changes_the_state_is_noticed() -> None:
    def turns(states: Any) -> int:
        states["dropped"] += 1
        return 0

    assert "after questions" in problems(play.questions_change_nothing, turns=turns)


def test_a_view_that_keeps_a_secret_of_nobody_is_noticed() -> None:
    def observe(states: Any, player: int, views: Any) -> None:
        views["players"] = states["players"]
        views["viewer"] = player

    text = problems(knowledge.views_are_marked_and_settled, observe=observe)
    assert "another to_act" in text


def test_a_determinization_that_forgets_is_noticed() -> None:
    def determinize(views: Any, rng: Any, states: Any) -> None:
        FOUR.determinize(views, rng, states)
        states["discs"] = 0

    text = problems(knowledge.imagined_states_look_the_same, determinize=determinize)
    assert "discs[0]" in text
    assert "hidden" in problems(knowledge.open_games_hide_nothing, determinize=determinize)


def test_an_action_that_shows_in_a_view_of_who_may_not_know_is_noticed() -> None:
    columns = tuple("?12345678")
    secret = ActionTable([Kind("drop {column}", (Field("column", columns, True),), Secrecy.SECRET)])
    witnesses = {"actions": secret, "witnesses": lambda states, action: 1 << states["to_act"][0]}
    text = problems(knowledge.like_actions_look_alike, **witnesses)
    assert "player 2 can tell 'drop ?' from 'drop 1'" in text
    nobody = {"actions": secret, "witnesses": lambda states, action: 0}
    assert "hides from its own" in problems(knowledge.deciders_witness_their_actions, **nobody)


@pytest.mark.parametrize("ranks", [[1, 3], [2, 2], [0, 1], [2, 1]], ids=str)
def test_bad_ranks_are_noticed(ranks: list[int]) -> None:
    def fill(states: Any, out: Any) -> None:
        out[:2] = ranks

    assert "ranks" in problems(results.ranks_are_places, ranks=fill)


@pytest.mark.parametrize(
    ("ranks", "teams", "wrong"),
    [
        ([1, 2, 2, 4], [0, 1, 2, 3], False),
        ([1, 1, 1, 1], [0, 1, 2, 3], False),
        ([1, 2, 2, 3], [0, 1, 2, 3], True),
        ([1, 2, 1, 2], [0, 1, 0, 1], False),
        ([1, 1, 2, 2], [0, 1, 0, 1], True),
        ([2, 1, 1], [0, 1, 1], False),
        ([1], [0], False),
        ([2], [0], False),
        ([3], [0], True),
        ([1, 1], [0, 0], False),
    ],
)
def test_ranks_count_better_sides(ranks: list[int], teams: list[int], wrong: bool) -> None:
    assert bool(results.rank_problem(ranks, teams)) == wrong


@pytest.mark.parametrize("share", [1.5, -0.1, float("nan")])
def test_an_estimate_that_is_no_share_is_noticed(share: float) -> None:
    text = problems(results.estimates_are_shares, evaluate=lambda states, player: share)
    assert f"is {share}" in text


def test_a_key_of_two_futures_is_noticed() -> None:
    assert "another future" in problems(results.keys_mean_the_same_future, key=lambda states: 1)


def test_an_ending_without_end_is_noticed() -> None:
    assert "ending 1 with to_act" in problems(results.endings_are_named, ending=lambda states: 1)


def test_text_that_loses_something_is_noticed() -> None:
    fields = {name: codec for name, codec in FOUR.layout.fields.items() if name != "height"}
    layout = replace(FOUR.layout, fields=fields, settle=lambda states: None)
    assert "read back" in problems(texts.positions_read_back, layout=layout)


@pytest.mark.usefixtures("told_once")
def test_a_render_that_fails_is_a_problem_and_not_a_crash() -> None:
    outcome = conformance.outcome("four", texts.renders_as_text, broken(render=lambda view: 1 / 0))
    assert outcome.problems == ("division by zero",)


def test_missing_and_surplus_components_are_noticed() -> None:
    columns = tuple(f"column {number}" for number in range(1, 10))
    supply = np.array([1, 0, 0, 0, 0, 0, 0, 0, 0])
    rest = Rest("height", ("height",), lambda states: supply)
    layout = Layout({"height": Bag(columns)}, rest=(rest,))
    text = problems(components.components_are_conserved, layout=layout)
    assert "action 0: 1 column 1 missing" in text
    assert "too many" in text


def test_traces_that_differ_name_the_place_and_the_part() -> None:
    first = [
        {"where": "start", "state": "a", "key": "b"},
        {"where": "next", "state": "a", "key": "b"},
    ]
    second = [first[0], {"where": "next", "state": "a", "key": "c"}]
    assert not list(first_difference(first, first, "interpreted"))
    assert list(first_difference(first, second, "interpreted")) == [
        "next: interpreted differs from compiled in key"
    ]
    assert list(first_difference(first, first[:1], "interpreted"))


def test_the_whole_check_of_a_game_gives_outcomes_with_sentences(monkeypatch) -> None:
    monkeypatch.setattr(conformance, "GLANCE", 0.02)
    outcomes = conformance.check_game("connect_four", fast=True)
    found = [o for o in outcomes if o.where == "connect_four-2p"]
    assert len(found) == len(conformance.CHECKS)
    assert all(o.check.endswith(".") and not o.problems for o in found)
