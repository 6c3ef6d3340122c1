"""`arena check bot`: which step a bot fails, and what is said about it."""

import pytest

from arena.authoring import compliance
from arena.authoring.compliance import check_bot
from arena.playing.containment import children
from engines.errors import UserError
from tests.walls import PROCESS, SANDBOX


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


CRASH = """
def helper(d):
    return d["missing"]


class Crash:
    def reset(self, game, view, seed): self.n = 0

    def act(self, view, legal):
        self.n += 1
        if self.n == 3:
            helper({})
        return legal[0]

    def close(self): pass
"""


@pytest.mark.parametrize("isolation", [PROCESS, SANDBOX, "none"])
def test_a_crash_shows_the_bots_whole_traceback_and_nothing_of_ours(tmp_path, isolation):
    file = tmp_path / "crash.py"
    file.write_text(CRASH)
    *_, (_, problem) = check_bot(str(file), "connect_four", 2, isolation)
    first, head, outer, call, inner, *rest = problem.splitlines()
    assert first == "player 1: act raised KeyError('missing') (crash.py:3 in helper)"
    assert head == "Traceback (most recent call last):"
    assert outer == f'  File "{file}", line 12, in act'
    assert call == "    helper({})"
    assert inner == f'  File "{file}", line 3, in helper'
    assert "KeyError: 'missing'" in rest


def test_a_file_that_cannot_be_loaded_shows_where(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("def inner():\n    return 1 // 0\n\n\ninner()\n")
    ((step, problem),) = steps(str(file))
    assert step == "loads"
    assert "ZeroDivisionError" in problem.splitlines()[0]
    assert f'File "{file}", line 2, in inner' in problem


def test_a_bot_that_is_debugged_plays_in_this_process_and_may_take_its_time(tmp_path, monkeypatch):
    import os

    file = tmp_path / "slow.py"
    code = "class Slow:\n    def reset(self, game, view, seed): pass\n"
    code += f"    def act(self, view, legal):\n        import os\n        assert os.getpid() == {os.getpid()}\n"
    file.write_text(code + "        return legal[0]\n    def close(self): pass\n")
    monkeypatch.setattr("arena.playing.seats.timed", lambda call, limit, what: (limit, call())[1])
    found = list(check_bot(str(file), "connect_four", 2, debug="slow.py:Slow"))
    assert [problem for _, problem in found] == [""] * 5
    with pytest.raises(UserError, match="--debug-bot: 'fast', the bot is"):
        list(check_bot(str(file), "connect_four", 2, debug="fast"))


def test_nothing_of_a_check_is_left_running(odd, monkeypatch):
    monkeypatch.setattr(compliance, "close_children", children.close_children)
    steps(odd("First"))
    with pytest.raises(children.KeeperLost):
        children.living()
