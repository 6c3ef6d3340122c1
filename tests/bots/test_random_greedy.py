"""The bots named random and greedy, each against a plain re-telling of what it should do."""

from collections import Counter

import numpy as np
import pytest

from arena.authoring.checks.walks import Setting, positions, settings
from bots.choice import TIE, best_of, choose_uniformly
from bots.compiled import Mind
from bots.contract import View
from bots.registry import parse_bot
from engines.core import load_game
from engines.records import copy
from engines.rng import below, mix, seeded

CONNECT_FOUR = load_game("connect_four")


def state_of(*board: str):
    return CONNECT_FOUR.from_dict(2, CONNECT_FOUR.Variant(), {"discs": list(board)})


def chosen(text: str, game, states, seed: int) -> int:
    player = int(states["to_act"][0])
    view = View(game, game.view(states, player), game.legal(states), (), seed)
    bot = parse_bot(text).make()
    bot.reset(game, view, seed)
    return bot.act(view, view.legal())


def told(setting: Setting, states, samples: int, seed: int) -> int:
    """What greedy should choose, by its description: the highest mean of `evaluate` one action ahead."""
    game, player = setting.game, int(states["to_act"][0])
    legal, rng = game.legal(states), seeded(seed)
    view, imagined = game.view(states, player), np.zeros(1, game.dtype)
    sums = np.zeros(len(legal))
    for _ in range(samples):
        game.determinize(view, rng, imagined)
        for i, action in enumerate(legal):
            after = copy(imagined)
            game.apply(after, int(action), rng)
            sums[i] += game.evaluate(after, player)
    best, ties = 0, 1
    for i in range(1, len(legal)):
        if sums[i] > sums[best] + TIE:
            best, ties = i, 1
        elif sums[i] >= sums[best] - TIE:
            ties += 1
            best = i if below(rng, ties) == 0 else best
    return int(legal[best])


# --- random ---------------------------------------------------------------------------------------


def test_random_takes_every_legal_action_equally_often():
    legal, rng = np.array([3, 5, 8, 9], np.int32), seeded(1)
    counts = Counter(int(choose_uniformly(legal, 4, rng)) for _ in range(40_000))
    assert sorted(counts) == [3, 5, 8, 9]
    square = sum((n - 10_000) ** 2 / 10_000 for n in counts.values())
    assert square < 16.3  # chi-square with 3 degrees of freedom, 99.9 %


def test_random_looks_at_the_first_n_only():
    legal, rng = np.array([3, 5, 8, 9], np.int32), seeded(1)
    assert {int(choose_uniformly(legal, 2, rng)) for _ in range(200)} == {3, 5}


# --- greedy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [1, 3])
def test_greedy_takes_the_best_mean_estimate_one_action_ahead(any_setting, samples):
    choices = [p for p in positions(any_setting, 60) if len(p.legal) > 1]
    for number, position in enumerate(choices):
        seed = mix(number, samples)
        expected = told(any_setting, position.states, samples, seed)
        text = f"greedy:samples={samples}"
        assert chosen(text, any_setting.game, position.states, seed) == expected, position.where


def test_greedy_completes_a_line():
    for seed in range(5):
        assert chosen("greedy", CONNECT_FOUR, state_of("OOO....", "XXX...."), seed) == 3


def test_equally_good_actions_are_equally_likely():
    scores, rng = np.array([0.2, 0.7, 0.1, 0.7, 0.7 - TIE / 4, 0.0]), seeded(3)
    counts = Counter(int(best_of(scores, 6, rng)) for _ in range(9000))
    assert sorted(counts) == [1, 3, 4]
    assert all(abs(n - 3000) < 200 for n in counts.values())


def test_a_better_action_is_never_tied_with_a_worse_one():
    scores, rng = np.array([0.5, 0.5 + 1e-6, 0.5]), seeded(3)
    assert {int(best_of(scores, 3, rng)) for _ in range(100)} == {1}


def test_scores_beyond_the_legal_actions_do_not_count():
    scores, rng = np.array([0.5, 0.4, 0.9]), seeded(3)
    assert {int(best_of(scores, 2, rng)) for _ in range(50)} == {0}


def test_more_samples_are_closer_to_the_mean_over_what_is_hidden():
    setting = settings(load_game("karmaka"))[0]
    game, far = setting.game, 400
    wide = Counter()
    for position in [p for p in positions(setting, 40) if len(p.legal) > 2][:12]:
        best = told(setting, position.states, far, 1)
        for samples in (1, 30):
            for seed in range(6):
                choice = chosen(f"greedy:samples={samples}", game, position.states, seed)
                wide[samples] += choice == best
    assert wide[30] >= wide[1]


def test_greedy_leaves_the_scores_of_an_earlier_decision_behind():
    spec = parse_bot("greedy")
    mind = Mind(spec.kind.compiled, spec.parameters, CONNECT_FOUR)
    states = state_of("OOO....", "XXX....")
    view, legal = CONNECT_FOUR.view(states, 0), CONNECT_FOUR.legal(states)
    mind.memory.scores[:] = 1e9
    assert mind.think(view, legal, len(legal), seeded(1)) == 3
