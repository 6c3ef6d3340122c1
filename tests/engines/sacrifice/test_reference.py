"""Legal actions against a slow second reading of the rules (plain_rules.py) on random positions and in a throng."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.authoring.checks.walks import Setting, settings
from engines.core import load_game
from engines.errors import PositionError
from engines.records import OVER, Rng, State
from engines.rng import below, mix, seeded
from engines.sacrifice.tables import NONE

SPEC = importlib.util.spec_from_file_location(
    "plain_sacrifice_rules", Path(__file__).with_name("plain_rules.py")
)
plain = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = plain  # dataclasses look their module up
SPEC.loader.exec_module(plain)

GAME = load_game("sacrifice")
MOST_POSITIONS = 20  # of each setting
MORE_POSITIONS = 250
LONG_POSITIONS = 5000
STRIDE = 5  # actions between two compared positions


def difference(states: State, where: str) -> Iterator[str]:
    """A line if the two readings differ in a position."""
    found = [GAME.action_text(states, int(action)) for action in GAME.legal(states)]
    expected = plain.legal_texts(plain.read_position(GAME.to_dict(states)))
    if len(set(found)) < len(found) or set(found) != expected:
        odd = sorted(expected ^ set(found))
        yield f"{where}: {odd}\n{GAME.render(states)}"


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
                yield from difference(states, f"game {seed}, action {number}")
            GAME.apply(states, int(legal[int(below(chooser, len(legal)))]), rng)
            number += 1
        seed += 1


# --- throngs: carriers, minerals, builders and friends on a few cells ------------------------------------------

CREW = ("B1", "B2", "S1", "M1", "F1", "G1", "V1", "P1", "I1")
TURNS = 20
MORE_TURNS = 400
LONG_TURNS = 20_000
MOST_TRIED = 12  # actions of a turn


def throng(chooser: Rng) -> State:
    """A position with pieces of both sides on a few cells in the middle of the board or before a zone."""
    length = 1 + int(below(chooser, 3))
    variant = GAME.Variant(walls=5, wall_length=length, material_draw=False)
    corner, across, up = (
        int(below(chooser, 2)),
        3 + int(below(chooser, 2)),
        2 + int(below(chooser, 2)),
    )
    lowest = (6, 11)[corner]
    cells = [f"{'defg'[x]}{lowest + y}" for x in range(across) for y in range(up)]

    def drawn(number: int) -> list[str]:
        return [cells[int(below(chooser, len(cells)))] for _ in range(number)]

    own = dict(zip(CREW, dict.fromkeys(drawn(7)), strict=False))
    rest = [cell for cell in dict.fromkeys(drawn(4)) if cell not in own.values()]
    return GAME.from_dict(
        2,
        variant,
        {
            "cell": [own, {**dict(zip(CREW[3:], rest, strict=False)), "I1": "a12"}],
            "mineral": [drawn(3), drawn(1 + int(below(chooser, 3)))],
            "points": 1 + int(below(chooser, 6)),
            "turn": 20,
        },
    )


def differing_in_throngs(turns: int, seen: dict[str, int]) -> Iterator[str]:
    """Play turns from throngs, carrying often; counts positions with a shared cell and with three minerals on one."""
    seed = played = 0
    while played < turns:
        seed += 1
        chooser, rng = seeded(mix(seed, 17)), seeded(1)
        try:
            states = throng(chooser)
        except PositionError:  # three minerals on a cell, nobody to take one on
            continue
        played += 1
        for number in range(MOST_TRIED):
            yield from difference(states, f"throng {seed}, action {number}")
            seen["shared"] += int(states["shared"][0]) != NONE
            seen["heap"] += int(states["heap"][0]) != NONE
            texts = [GAME.action_text(states, int(action)) for action in GAME.legal(states)]
            wanted = [text for text in texts if "*" in text] if below(chooser, 2) else []
            wanted = wanted or [text for text in texts if text != "end"] or texts
            action = wanted[int(below(chooser, len(wanted)))]
            GAME.apply(states, GAME.find_action(states, action), rng)
            if int(states["to_act"][0]) == OVER:
                break


@pytest.mark.parametrize("turns", [TURNS, pytest.param(MORE_TURNS, marks=pytest.mark.full)])
def test_both_readings_agree_on_shared_cells_and_heaps(turns: int) -> None:
    seen = {"shared": 0, "heap": 0}
    assert list(differing_in_throngs(turns, seen)) == []
    assert all(count > turns // 10 for count in seen.values()), seen


@pytest.mark.slow
def test_both_readings_agree_on_thousands_of_shared_cells_and_heaps() -> None:
    seen = {"shared": 0, "heap": 0}
    assert list(differing_in_throngs(LONG_TURNS, seen)) == []


@pytest.mark.parametrize(
    "most", [MOST_POSITIONS, pytest.param(MORE_POSITIONS, marks=pytest.mark.full)]
)
@pytest.mark.parametrize("setting", settings(GAME), ids=lambda s: s.name)
def test_both_readings_list_the_same_actions(setting: Setting, most: int) -> None:
    assert list(differing(setting, most)) == []


@pytest.mark.slow
@pytest.mark.parametrize("setting", settings(GAME), ids=lambda s: s.name)
def test_both_readings_list_the_same_actions_on_thousands_of_positions(setting: Setting) -> None:
    assert list(differing(setting, LONG_POSITIONS)) == []
