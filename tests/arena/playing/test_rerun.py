"""A match that failed is played once more, interpreted, to name the line: the same deal, actions and thoughts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.playing import rerun
from arena.playing.play import blamed, sit_down
from arena.playing.rerun import Course, course_of, told_of
from bots.registry import parse_bot
from engines.core import load_game
from engines.errors import BrokenGame, UserError
from engines.kernel import INTERPRETED

needs_jit = pytest.mark.skipif(INTERPRETED, reason="interpreted code names its line itself")


@needs_jit
@pytest.mark.parametrize(
    "bot", ["mcts:simulations=20", pytest.param("greedy", marks=pytest.mark.full)]
)
def test_what_a_bot_thought_is_thought_again(
    failing_four: Callable[[int], tuple[Path, str]], bot: str
) -> None:
    four, line = failing_four(4)
    game = load_game(str(four))
    thinking = parse_bot(bot), 1
    course = course_of(str(four), 2, game.Variant(), 1, [0, 1, 2], *thinking)
    error = ZeroDivisionError("integer division by zero")  # as compiled code raises it
    assert told_of(error, game, course) == line


@needs_jit
def test_where_nothing_fails_when_it_is_interpreted_the_error_itself_is_told(four: Path) -> None:
    game = load_game(str(four))
    course = course_of(str(four), 2, game.Variant(), 1, [0, 1, 2, 99])
    assert told_of(ValueError("odd"), game, course) == "ValueError: odd"


def test_an_error_that_names_its_line_needs_no_other_process(four: Path, monkeypatch) -> None:
    monkeypatch.setattr(rerun, "line_at_fault", lambda course: pytest.fail("played again"))
    game = load_game(str(four))
    try:
        exec(compile("1 // 0", str(game.folder / "heuristic.py"), "exec"), {})
    except ZeroDivisionError as error:
        told = told_of(error, game, Course(str(four), 2, {}, 1, []))
    assert told == "heuristic.py:1: division by zero"


def test_a_person_at_a_broken_game_reads_its_line(four: Path, monkeypatch) -> None:
    monkeypatch.setattr("arena.playing.play.told_of", lambda error, game, course: "rules.py:3")
    match = sit_down("connect_four", "human,human", 5, {}, "greedy", None).match
    match.do(3)
    with pytest.raises(BrokenGame) as told, blamed(match):
        raise ZeroDivisionError
    assert str(told.value) == "connect_four, 2 players, seed 5: rules.py:3, after 1 actions"
    with pytest.raises(UserError, match="no"), blamed(match):
        raise UserError("no")


@needs_jit
def test_too_long_a_search_says_nothing(
    failing_four: Callable[[int], tuple[Path, str]], monkeypatch
) -> None:
    four, _ = failing_four(4)
    monkeypatch.setattr(rerun, "PATIENCE", 0.01)
    assert rerun.line_at_fault(Course(str(four), 2, {}, 1, [0, 1, 2], "greedy", {})) == ""
