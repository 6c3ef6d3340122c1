"""What every bot shipped here keeps to, in every game, at every table size."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from arena.authoring.checks.walks import Setting, imagined, positions
from bots.contract import Bot, View
from bots.registry import parse_bot
from engines.kernel import INTERPRETED
from engines.records import copy
from engines.rng import mix

BOTS = (
    "random",
    "greedy:samples=2",
    "mcts:simulations=30",
    "mcts:simulations=10,rollout=greedy,rollout_depth=3,reward=margin,prior=0",
    f"{Path(__file__).resolve().parents[2]}/examples/compiled_bot.py:FLAT:playouts=2",
)
DECISIONS = 2 if INTERPRETED else 8
LEAST = 2  # on short walks
GUESSES = 3


def decisions(setting: Setting) -> Iterator[View]:
    """Views of positions with a choice, spread over random games."""
    chosen = [p for p in positions(setting, 300) if len(p.legal) > 1]
    number = max(LEAST, math.ceil(DECISIONS * setting.share))
    for position in chosen[:: max(1, len(chosen) // number)]:
        yield view_of(setting, position.states, position.to_act)


def view_of(setting: Setting, states, player: int) -> View:
    legal = setting.game.legal(states)
    return View(setting.game, setting.game.view(states, player), legal, (), 1)


def begun(text: str, view: View, seed: int, bot: Bot | None = None) -> Bot:
    bot = bot or parse_bot(text).make()
    bot.reset(view.game, view, seed)
    return bot


@pytest.mark.parametrize("text", BOTS)
def test_only_legal_actions_are_chosen(any_setting, text):
    for number, view in enumerate(decisions(any_setting)):
        action = begun(text, view, number).act(view, view.legal())
        assert type(action) is int
        assert action in view.legal()


@pytest.mark.parametrize("text", BOTS)
def test_equal_seeds_choose_equally(any_setting, text):
    for number, view in enumerate(decisions(any_setting)):
        one, other = begun(text, view, number), begun(text, view, number)
        # twice: the second choice shows whether the first left equal traces
        assert [one.act(view, view.legal()) for _ in range(2)] == [
            other.act(view, view.legal()) for _ in range(2)
        ]


@pytest.mark.parametrize("text", BOTS)
def test_a_reset_bot_chooses_as_a_fresh_one(any_setting, text):
    used = parse_bot(text).make()
    for number, view in enumerate(decisions(any_setting)):
        used = begun(text, view, mix(number), used)
        fresh = begun(text, view, mix(number))
        assert used.act(view, view.legal()) == fresh.act(view, view.legal())
        used.close()


@pytest.mark.parametrize("text", BOTS)
def test_what_is_hidden_never_changes_the_choice(any_setting, text):
    for number, view in enumerate(decisions(any_setting)):
        choice = begun(text, view, number).act(view, view.legal())
        for seed in range(GUESSES):
            states = imagined(any_setting.game, view.record, seed)
            other = view_of(any_setting, states, view.player)
            assert begun(text, other, number).act(other, other.legal()) == choice


@pytest.mark.parametrize("text", BOTS)
def test_the_view_is_left_as_it_was(any_setting, text):
    for view in decisions(any_setting):
        before, legal = copy(view.record), view.legal()
        begun(text, view, 1).act(view, legal)
        assert view.record.tobytes() == before.tobytes()
        assert legal == view.legal()


def test_other_seeds_choose_otherwise_now_and_then(any_setting):
    for text in ("random", "mcts:simulations=30,prior=0"):
        views = sorted(decisions(any_setting), key=lambda view: len(view.legal()), reverse=True)
        assert any(
            len({begun(text, view, seed).act(view, view.legal()) for seed in range(60)}) > 1
            for view in views
        )


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="the same as on short walks")
@pytest.mark.parametrize("text", BOTS)
def test_all_that_bots_keep_to_on_long_walks(any_setting_at_length, text):
    test_only_legal_actions_are_chosen(any_setting_at_length, text)
    test_equal_seeds_choose_equally(any_setting_at_length, text)
    test_a_reset_bot_chooses_as_a_fresh_one(any_setting_at_length, text)
    test_what_is_hidden_never_changes_the_choice(any_setting_at_length, text)
    test_the_view_is_left_as_it_was(any_setting_at_length, text)


CHOICES = """
import json
from pathlib import Path
from bots.contract import View
from bots.registry import parse_bot
from engines.core import load_game
from engines.kernel import INTERPRETED
from engines.rng import seeded

game = load_game("connect_four")
found = []
for text in {bots}:
    for seed in range({seeds}):
        states, rng = game.new_state(2, game.Variant(), seeded(seed)), seeded(seed)
        bot = parse_bot(text).make()
        for number in range(1 + 3 * seed):  # somewhere in a game that begins 1 2 3 ...
            game.apply(states, number % 7, rng)
        view = View(game, game.view(states, int(states["to_act"][0])), game.legal(states), (), 1)
        bot.reset(game, view, seed)
        found.append([bot.act(view, view.legal()) for _ in range(2)])
print(json.dumps([INTERPRETED, found]))
"""


@pytest.mark.skipif(INTERPRETED, reason="compares with compiled code")
def test_interpreted_code_chooses_as_compiled_code_does(run_python, capsys):
    script = CHOICES.format(bots=BOTS, seeds=4)
    interpreted, expected = json.loads(run_python(script, NUMBA_DISABLE_JIT="1"))
    assert interpreted
    exec(compile(script, "choices", "exec"), {})
    assert json.loads(capsys.readouterr().out) == [False, expected]
    assert len(np.unique(expected)) > 2
