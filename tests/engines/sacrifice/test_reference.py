"""Legal actions against a slow second reading of the rules (plain_rules.py) on random positions."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.authoring.checks.walks import Setting, settings
from engines.core import load_game
from engines.kernel import INTERPRETED
from engines.records import OVER
from engines.rng import below, mix, seeded

SPEC = importlib.util.spec_from_file_location(
    "plain_sacrifice_rules", Path(__file__).with_name("plain_rules.py")
)
plain = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = plain  # dataclasses look their module up
SPEC.loader.exec_module(plain)

GAME = load_game("sacrifice")
MOST_POSITIONS = 40 if INTERPRETED else 250  # of each setting
LONG_POSITIONS = 5000
STRIDE = 5  # actions between two compared positions


def differing(setting: Setting, most: int) -> Iterator[str]:
    """Play random games; yields one line for each position where the two readings differ."""
    compared, seed = 0, 0
    while compared < most:
        states, rng, chooser = setting.new_state(seed), seeded(1), seeded(mix(seed, 3))
        number = 0
        while int(states["to_act"][0]) != OVER and compared < most:
            legal = GAME.legal(states)
            if number % STRIDE == seed % STRIDE:
                compared += 1
                found = [GAME.action_text(states, int(action)) for action in legal]
                expected = plain.legal_texts(plain.read_position(GAME.to_dict(states)))
                if len(set(found)) < len(found) or set(found) != expected:
                    odd = sorted(expected ^ set(found))
                    yield f"game {seed}, action {number}: {odd}\n{GAME.render(states)}"
            GAME.apply(states, int(legal[int(below(chooser, len(legal)))]), rng)
            number += 1
        seed += 1


@pytest.mark.parametrize("setting", settings(GAME), ids=lambda s: s.name)
def test_both_readings_list_the_same_actions(setting: Setting) -> None:
    assert list(differing(setting, MOST_POSITIONS)) == []


@pytest.mark.slow
@pytest.mark.parametrize("setting", settings(GAME), ids=lambda s: s.name)
def test_both_readings_list_the_same_actions_on_thousands_of_positions(setting: Setting) -> None:
    assert list(differing(setting, LONG_POSITIONS)) == []
