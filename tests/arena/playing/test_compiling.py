"""What is said while games compile: only when they do, once, with a figure that grows with the rules."""

import contextlib
import io
from collections.abc import Callable

import pytest

from arena.playing.compiling import Work, rounded, said, seconds_for
from arena.playing.referee import referee_for
from engines.core import Game, load_game
from engines.kernel import INTERPRETED

needs_jit = pytest.mark.skipif(INTERPRETED, reason="about compiled code")
RunPython = Callable[..., str]

SMALL = """
import sys
sys.stderr = sys.stdout
from arena.playing.compiling import is_compiled, said_if_compiling
from engines.kernel import kernel

@kernel
def one(x):
    return x + STEP

@kernel
def other(x):
    return x * STEP

with said_if_compiling("toy", lambda: [one, other]):
    one(1), other(2), one(3)
print("done", is_compiled(lambda: one(1)))
"""


def test_a_first_time_is_told_from_an_edit() -> None:
    assert str(Work(("karmaka",), 31.0, True)) == "compiling karmaka for the first time, about 30 s"
    both = Work(("karmaka", "nakum"), 3.4, False)
    assert str(both) == "compiling what is new in karmaka and nakum, at most about 3 s"


def test_seconds_are_no_more_exact_than_they_are_known() -> None:
    assert [rounded(seconds) for seconds in (0.1, 1.4, 9.4, 12.4, 38)] == [1, 1, 9, 10, 40]


@needs_jit
def test_larger_rules_take_longer_and_no_game_needs_to_be_known(any_game: Game) -> None:
    small = seconds_for([referee_for(load_game("connect_four"))])
    if any_game.name != "connect_four":
        assert 1.5 * small < seconds_for([referee_for(any_game)]) < 60
    twice = [referee_for(any_game), referee_for(any_game)]
    assert seconds_for(twice) == seconds_for(twice[:1])  # what two call is compiled once


@needs_jit
def test_only_what_is_not_in_the_cache_is_told_of(run_python: RunPython) -> None:
    first, *rest = run_python(SMALL.replace("STEP", "2")).splitlines()
    assert first == "compiling toy for the first time, about 2 s"
    assert rest == ["done True"]
    assert run_python(SMALL.replace("STEP", "2")) == "done True"
    edited = run_python(SMALL.replace("STEP", "3")).splitlines()
    assert edited == ["compiling what is new in toy, at most about 2 s", "done True"]


@needs_jit
def test_to_look_whether_all_is_compiled_compiles_nothing(run_python: RunPython) -> None:
    look = SMALL[: SMALL.index("with said")] + "print(is_compiled(lambda: one(1)))"
    for _ in range(2):
        assert run_python(look.replace("STEP", "2")) == "False"


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_a_terminal_shows_the_seconds_in_a_line_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.playing.compiling.CALM", 0.01)
    screen = Screen()
    ticked = contextlib.ExitStack()
    with contextlib.redirect_stderr(screen), ticked:
        ticked.enter_context(said(Work(("karmaka",), 12.0, True)))
        while "s: 0 s" not in screen.getvalue():
            pass
    shown = screen.getvalue()
    assert "\n" not in shown
    assert "\r\x1b[Kcompiling karmaka for the first time, about 10 s: 0 s" in shown
    assert shown.endswith("\r\x1b[K")
