"""What is true after every action of long random games, and of the State's worked-out fields."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from arena.authoring.checks.walks import Setting, settings
from engines.core import load_game
from engines.kernel import INTERPRETED
from engines.records import OVER, State, copy, differences, equal
from engines.rng import below, mix, seeded
from engines.sacrifice.rules.board import rebuild
from engines.sacrifice.tables import (
    DEAD,
    MOST_WIDTH,
    NONE,
    SLOT_KIND,
    Gait,
    Kind,
    Phase,
)

GAME = load_game("sacrifice")
GAMES = 1 if INTERPRETED else 2
MORE_GAMES = 12
MOST_ACTIONS = 60 if INTERPRETED else 5000
at_length = pytest.mark.parametrize(
    "games", [GAMES, pytest.param(MORE_GAMES, marks=pytest.mark.full)]
)


def positions(setting: Setting, games: int = GAMES) -> Iterator[State]:
    """Every position of some random games."""
    for seed in range(games):
        states, rng, chooser = setting.new_state(seed), seeded(1), seeded(mix(seed, 9))
        for _ in range(MOST_ACTIONS):
            yield states
            if int(states["to_act"][0]) == OVER:
                break
            legal = GAME.legal(states)
            GAME.apply(states, int(legal[int(below(chooser, len(legal)))]), rng)


def in_zone(state: Any, player: int, cell: int) -> bool:
    """Whether a cell is in the zone where a player elevates pieces."""
    row, depth = cell // MOST_WIDTH, int(state["rules"]["elevation"])
    return row < depth if player else row >= int(state["rules"]["height"]) - depth


def living(state: Any, player: int) -> dict[int, int]:
    """Cell by slot of the living characters of a player."""
    cells = state["cell"][player].tolist()
    return {slot: cell for slot, cell in enumerate(cells) if cell != DEAD}


def broken_rules(states: State) -> Iterator[str]:
    """R3, R8, R10, R11, R19, R28, R32, R34 Whatever a position must not show."""
    state = states[0]
    own = [living(state, player) for player in range(2)]
    if state["phase"] == Phase.MAIN:
        if len(own[0]) != len(own[1]):
            yield f"{len(own[0])} and {len(own[1])} living characters"
        if set(own[0].values()) & set(own[1].values()):
            yield "both sides on one cell"
    minerals = Counter(cell for cell in state["mineral"].ravel().tolist() if cell != NONE)
    for cell in [cell for cell, count in minerals.items() if count > 2]:
        moving = state["phase"] == Phase.MAIN and state["displacements"] > 0
        if not moving or cell != state["heap"] or minerals[cell] > 3:
            yield "three minerals on one cell"
    for player, characters in enumerate(own):
        crowd = Counter(characters.values())
        doubled = [cell for cell, count in crowd.items() if count > 1]
        if len(doubled) > (player == state["mover"]) or max(crowd.values(), default=0) > 2:
            yield f"player {player} shares {doubled}"
        for slot, cell in characters.items():
            zone = in_zone(state, player, cell)
            if in_zone(state, 1 - player, cell):
                yield f"player {player} in his own zone"
            if zone and SLOT_KIND[slot] <= Kind.IMMORTAL:
                yield "a god in a zone"
            if zone and crowd[cell] + minerals[cell] > 1:
                yield "two pieces on a cell of a zone"
    points = int(state["points"])
    if not 0 <= points <= max(int(state["rules"]["points"]), *state["rules"]["first_points"]):
        yield f"{points} points"


@at_length
@pytest.mark.parametrize("setting", settings(GAME), ids=lambda s: s.name)
def test_every_position_keeps_the_rules(setting: Setting, games: int) -> None:
    for states in positions(setting, games):
        assert list(broken_rules(states)) == [], GAME.render(states)


@at_length
@pytest.mark.parametrize("setting", settings(GAME), ids=lambda s: s.name)
def test_the_worked_out_fields_are_what_they_are_worked_out_to(
    setting: Setting, games: int
) -> None:
    for states in positions(setting, games):
        again = copy(states)
        rebuild(again.view(np.dtype((np.record, again.dtype)))[0])
        assert equal(states, again), differences(states, again)[:3]
        assert int(states["history"][0]) == int(states["past"][0].sum(dtype=np.uint64))


@at_length
@pytest.mark.parametrize("setting", settings(GAME), ids=lambda s: s.name)
def test_a_shared_cell_can_always_be_left_and_no_turn_is_endless(
    setting: Setting, games: int
) -> None:
    turn, actions = -1, 0
    for states in positions(setting, games):
        legal = GAME.legal(states)
        assert (len(legal) == 0) == (int(states["to_act"][0]) == OVER)
        if states["shared"][0] != NONE and states["phase"][0] == Phase.MAIN:
            texts = [GAME.action_text(states, int(action)) for action in legal]
            assert any("x" not in text for text in texts), "only attacks would part the two"
        actions = actions + 1 if int(states["turn"][0]) == turn else 0
        turn = int(states["turn"][0])
        assert actions < 150


# --- keys -------------------------------------------------------------------------------------------------


def played(*texts: str, **position: Any) -> State:
    """A position after some actions."""
    data = {"turn": 20, "points": 4, **position}
    states = GAME.from_dict(2, GAME.Variant(material_draw=False), data)
    for text in texts:
        action = GAME.find_action(states, text)
        assert action is not None, (
            text,
            [GAME.action_text(states, int(a)) for a in GAME.legal(states)],
        )
        GAME.apply(states, action, seeded(0))
    return states


CELLS = [{"S1": "a5", "M1": "g5", "G1": "b6", "B1": "e6"}, {"S1": "j12", "I1": "d12"}]


def same_key(first: tuple[str, ...], second: tuple[str, ...], cells: Any = CELLS) -> bool:
    """Whether two ways to play from one position lead to one key."""
    keys = [int(GAME.key(played(*texts, cell=cells))) for texts in (first, second)]
    return keys[0] == keys[1]


def test_displacements_of_two_characters_in_either_order_have_one_key_once_no_attack_is_near() -> (
    None
):
    one = ("S1:a5-a6", "M1:g5-g6", "S1:a6-a7", "M1:g6-g7", "end")
    other = ("M1:g5-g6", "M1:g6-g7", "S1:a5-a6", "S1:a6-a7", "end")
    assert same_key(one, other)
    assert same_key(one[:4], other[:4])


def test_the_movement_under_way_counts_while_an_attack_could_be_cancelled() -> None:
    one, other = ("S1:a5-a6", "M1:g5-g6"), ("M1:g5-g6", "S1:a5-a6")
    assert not same_key(one, other)
    without_immortal = [CELLS[0], {"S1": "j12", "F1": "d12"}]
    assert same_key(one, other, without_immortal)


def test_how_a_cheetah_has_moved_counts_while_points_are_left() -> None:
    ran, walked = ("G1:b6>b8",), ("G1:b6-b7", "G1:b7-b8")
    rest = ("M1:g5-g6", "M1:g6-g7", "M1:g7-g8"), ("M1:g5-g6", "M1:g6-g7")
    assert not same_key(ran + rest[0][:2], walked + rest[1][:1])
    both = played(*walked, *rest[1], cell=CELLS), played(*ran, *rest[0], cell=CELLS)
    assert both[0]["gait"][0, 0] == Gait.WALK
    assert both[1]["gait"][0, 0] == Gait.RUN_NORTH_SOUTH
    assert int(GAME.key(both[0])) != int(GAME.key(both[1]))  # the martyr stands elsewhere


def test_going_back_and_forth_costs_points_and_so_changes_the_key() -> None:
    assert not same_key((), ("S1:a5-a6", "S1:a6-a5"))


def test_earlier_positions_count_until_something_cannot_be_undone() -> None:
    shuffle = ("S1:a5-a6", "end", "S1:j12-j11", "end", "S1:a6-a5", "end", "S1:j11-j12", "end")
    once, twice = played(*shuffle, cell=CELLS), played(*shuffle, cell=CELLS)
    once["past"][0, 0] ^= np.uint64(1)
    once["history"][0] = once["past"][0].sum(dtype=np.uint64)
    assert int(GAME.key(once)) != int(GAME.key(twice))
    for states in (once, twice):
        GAME.apply(states, GAME.find_action(states, "wH:e6"), seeded(0))
    assert int(GAME.key(once)) == int(GAME.key(twice))
