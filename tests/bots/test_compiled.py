"""Compiled bots: what a kind brings, what a kernel is given, and that a file may bring it as well."""

from pathlib import Path

import numpy as np
import pytest

from bots.compiled import BUSY, Mind, compile_bot, kernel_for
from bots.registry import parse_bot
from engines.core import load_game
from engines.kernel import INTERPRETED
from engines.rng import seeded

GAME = load_game("connect_four")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "compiled_bot.py"
FLAT = f"{EXAMPLE}:FLAT:playouts=8"


def position(*board):
    return GAME.from_dict(2, GAME.Variant(), {"discs": list(board)})


def mind_of(text):
    spec = parse_bot(text)
    return Mind(spec.kind.compiled, spec.parameters, GAME)


def think(mind, states, seed=1, **more):
    views, legal = GAME.view(states, int(states["to_act"][0])), GAME.legal(states)
    return mind.think(views, legal, len(legal), seeded(seed), **more)


def test_the_example_is_short_and_completes_a_line():
    assert len(EXAMPLE.read_text().splitlines()) <= 80
    assert think(mind_of(FLAT), position("OOO....", "XXX....")) == 3


def test_a_compiled_bot_that_is_stopped_by_the_clock_goes_on_to_the_same_choice():
    states = position("..OX...", "..XX.OO")
    stopped, calls = mind_of(FLAT), 0
    views, legal, rng = GAME.view(states, 0), GAME.legal(states), seeded(1)
    arguments = views, legal, len(legal), rng
    assert stopped.think(*arguments, until=0) == BUSY
    while (chosen := stopped.think(*arguments)) == BUSY:
        calls += 1
    assert chosen == think(mind_of(FLAT), states)


def test_memory_is_new_in_every_match_and_kept_between_its_decisions():
    bot = parse_bot(FLAT).make()
    bot.reset(GAME, None, 1)
    first = bot.mind.memory
    first.scores[:] = 5
    bot.reset(GAME, None, 1)
    assert bot.mind.memory is not first
    assert not bot.mind.memory.scores.any()


def test_parameters_reach_the_kernel_as_a_record():
    assert mind_of(FLAT).parameters.tolist() == [(8,)]
    mcts = mind_of("mcts:simulations=7,rollout=greedy,seconds=0.5").parameters
    assert mcts["simulations"] == 7
    assert mcts["nanoseconds"] == 500_000_000


def test_a_bot_is_linked_to_a_game_once_however_often_it_is_named():
    one, other = (parse_bot(FLAT).kind.compiled for _ in range(2))
    assert kernel_for(one, GAME) is kernel_for(other, GAME)


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_compiling_runs_nothing_and_is_all_that_a_decision_needs():
    spec = parse_bot(FLAT)
    compile_bot(spec, GAME)
    kernel = kernel_for(spec.kind.compiled, GAME)
    assert len(kernel.signatures) == 1
    bot, states = spec.make(), position()
    bot.reset(GAME, None, 3)
    views = np.frombuffer(bytearray(GAME.view(states, 0).tobytes()), GAME.dtype)

    class Seen:
        record = views

    assert bot.act(Seen, [0, 1, 2]) in (0, 1, 2)
    assert len(kernel.signatures) == 1


def test_what_runs_compiled_bots_knows_none_of_them():
    root = Path(__file__).resolve().parents[2]
    for name in ("bots/contract.py", "bots/compiled.py", "arena/playing/minds.py"):
        text = (root / name).read_text()
        assert not {"mcts", "greedy"} & set(text.split())
