"""What every bot shipped here keeps to, in every game, at every table size."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from arena.authoring.checks.walks import Setting, imagined, positions
from bots.contract import Bot, BotSpec, View
from bots.registry import parse_bot
from engines.kernel import INTERPRETED
from engines.records import copy

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


def begun(spec: BotSpec, view: View, seed: int, bot: Bot | None = None) -> Bot:
    bot = bot or spec.make()
    bot.reset(view.game, view, seed)
    return bot


def broken_rules(setting: Setting, text: str) -> Iterator[str]:
    """What a bot does that none may, at decisions of a setting."""
    spec = parse_bot(text)
    used = spec.make()
    for number, view in enumerate(decisions(setting)):
        before, legal = copy(view.record), view.legal()
        one, other = begun(spec, view, number), begun(spec, view, number)
        choice = one.act(view, legal)
        if type(choice) is not int or choice not in view.legal():
            yield f"chooses {choice!r}, legal are {view.legal()}"
        if view.record.tobytes() != before.tobytes() or legal != view.legal():
            yield "changes what it is shown"
        # twice: the second choice shows whether the first left equal traces
        if [other.act(view, legal) for _ in range(2)] != [choice, one.act(view, legal)]:
            yield "chooses otherwise from an equal seed"
        used = begun(spec, view, number, used)
        if used.act(view, legal) != choice:
            yield "chooses otherwise than a new one after a reset"
        used.close()
        for seed in range(GUESSES):
            states = imagined(setting.game, view.record, seed)
            imaginary = view_of(setting, states, view.player)
            if begun(spec, imaginary, number).act(imaginary, imaginary.legal()) != choice:
                yield "chooses otherwise where what it cannot see is otherwise"


def test_a_bot_chooses_what_is_legal_by_its_seed_and_what_it_sees(any_setting):
    assert [(text, told) for text in BOTS for told in broken_rules(any_setting, text)] == []


def test_other_seeds_choose_otherwise_now_and_then(any_setting):
    for spec in map(parse_bot, ("random", "mcts:simulations=30,prior=0")):
        views = sorted(decisions(any_setting), key=lambda view: len(view.legal()), reverse=True)
        assert any(
            len({begun(spec, view, seed).act(view, view.legal()) for seed in range(60)}) > 1
            for view in views
        )


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="the same as on short walks")
@pytest.mark.parametrize("text", BOTS)
def test_a_bot_does_so_on_long_walks(any_setting_at_length, text):
    assert list(broken_rules(any_setting_at_length, text)) == []


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
@pytest.mark.parametrize("seeds", [1, pytest.param(4, marks=pytest.mark.full)])
def test_interpreted_code_chooses_as_compiled_code_does(run_python, capsys, seeds):
    script = CHOICES.format(bots=BOTS, seeds=seeds)
    interpreted, expected = json.loads(run_python(script, NUMBA_DISABLE_JIT="1"))
    assert interpreted
    exec(compile(script, "choices", "exec"), {})
    assert json.loads(capsys.readouterr().out) == [False, expected]
    assert len(np.unique(expected)) > 2
