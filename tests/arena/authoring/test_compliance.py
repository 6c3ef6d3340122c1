"""`arena check bot`: which step a bot fails, and what is said about it."""

import pytest

from arena.authoring.compliance import check_bot
from engines.errors import UserError


def steps(bot, game="connect_four", matches=2):
    return list(check_bot(bot, game, matches))


@pytest.mark.parametrize("game", ["connect_four", "karmaka"])
@pytest.mark.parametrize("bot", ["random", "greedy:samples=1", "mcts:simulations=5"])
def test_bots_shipped_here_pass(bot, game):
    found = steps(bot, game)
    assert [problem for _, problem in found] == [""] * 5
    names = [step.split()[0] for step, _ in found]
    assert names == ["loads", "starts", "answers", "plays", "repeats"]


@pytest.mark.parametrize("example", ["ten_lines.py:TenLines", "flat_monte_carlo.py:FlatMonteCarlo"])
def test_the_examples_pass(root, example):
    found = steps(str(root / "examples" / example))
    assert [problem for _, problem in found] == [""] * 5


@pytest.mark.parametrize(
    ("name", "step", "message"),
    [
        ("Missing", "loads", "no such class"),
        ("CrashInMake", "starts", "raised RuntimeError('make is broken')"),
        ("CrashInReset", "starts", "raised RuntimeError('reset is broken')"),
        ("Crash", "answers", "raised RuntimeError("),
        ("Exit", "answers", "raised SystemExit(3)"),
        ("Illegal", "answers", "'drop 8' is not legal now"),
        ("Silent", "answers", "act returned None"),
        ("Infinite", "answers", "act returned inf"),
        ("Crash:after=2", "plays", "act raised RuntimeError("),
        ("Illegal:after=2", "plays", "is not legal now"),
        ("Silent:after=2", "plays", "expected an action"),
    ],
)
def test_a_bot_fails_at_its_first_wrong_step_and_no_further(odd, name, step, message):
    *before, (last, problem) = steps(odd(name))
    assert last.startswith(step)
    assert message in problem
    assert [text for _, text in before] == [""] * len(before)


def test_a_bot_with_chance_of_its_own_does_not_repeat_itself(odd):
    *before, (last, problem) = steps(odd("Moody"), matches=4)
    assert last.startswith("repeats")
    assert problem == "other actions with the same seeds: use the seed given to reset"
    assert len(before) == 4


def test_a_search_under_a_clock_need_not_repeat_itself():
    assert [problem for _, problem in steps("mcts:seconds=0.0003")] == [""] * 5


def test_the_chosen_action_is_shown_in_words(odd):
    assert "answers in the first position: drop 1 (" in steps(odd("First"))[2][0]


def test_an_unknown_game_is_the_users_error(odd):
    with pytest.raises(UserError, match="did you mean connect_four"):
        steps(odd("First"), "conect_four")
