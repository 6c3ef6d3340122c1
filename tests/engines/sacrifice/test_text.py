"""Actions as people write them, the drawn board, positions as data."""

from typing import Any

import pytest

from bots.contract import View
from engines.core import load_game, parse_options
from engines.errors import OptionError, PositionError
from engines.records import State
from engines.rng import seeded
from engines.sacrifice.actions import ACTIONS, MOVE, MOVES, SUBJECTS

GAME = load_game("sacrifice")


def position(variant: Any = None, **data: Any) -> State:
    return GAME.from_dict(2, variant or GAME.Variant(), {"turn": 20, "points": 4, **data})


def texts(states: State) -> list[str]:
    return [GAME.action_text(states, int(action)) for action in GAME.legal(states)]


SOUTH = {"S1": "c14", "B1": "d8", "G1": "b6", "V1": "e7", "E1": "g8", "P1": "h4"}
NORTH = {"M1": "d9", "M2": "b8", "F1": "e8", "V1": "g9", "G1": "j9"}


@pytest.fixture(scope="module")
def states() -> State:
    return position(cell=[SOUTH, NORTH], mineral=[["c14"], []])


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("S1 W", "S1:c14-b14"),
        ("S1 W*", "S1:c14-b14*"),
        ("S1 N", "S1:c14-c15"),
        ("S1 *E", "S1:c14-c15*E"),
        ("B1 N", "B1:d8xd9"),
        ("G1 >N", "G1:b6>xb8"),
        ("G1 >E", "G1:b6>d6"),
        ("V1 ^f8", "V1:e7^f8"),
        ("E1 ~Nsw", "E1:g8~xg9"),
        ("E1 ~Wne", "E1:g8~f8"),
        ("r:F", "r:F"),
        ("wV:e8", "wV:e8"),
    ],
)
def test_an_action_reads_as_in_the_sheet_where_its_position_is_known(
    states: State, words: str, text: str
) -> None:
    action = ACTIONS.number(words)
    if words != "wV:e8":
        assert action in GAME.legal(states)
    assert GAME.action_text(states, action) == text


def test_a_text_is_found_only_while_its_action_is_legal(states: State) -> None:
    assert GAME.find_action(states, "B1:d8xd9") == ACTIONS.number("B1 N")
    assert GAME.find_action(states, "B1:d8-d9") is None
    assert GAME.find_action(states, "B1 N") is None


def test_the_chosen_character_is_named_with_its_cell() -> None:
    states = position(cell=[{"B1": "d8", "S1": "a5", "M1": "g5"}, {"S1": "d9", "B1": "j9"}])
    GAME.apply(states, GAME.find_action(states, "B1:d8xd9"), seeded(0))
    assert texts(states) == ["k:M1@g5", "k:S1@a5"]
    assert [ACTIONS.text(int(action)) for action in GAME.legal(states)] == [
        "k:south M1",
        "k:south S1",
    ]


def test_bots_read_actions_as_people_do(states: State) -> None:
    legal = GAME.legal(states).tolist()
    view = View(GAME, GAME.view(states, 0), legal, (), 1)
    assert "B1:d8xd9" in [view.text(action) for action in legal]


def test_a_move_has_room_for_all_its_directions() -> None:
    assert [ACTIONS.text(MOVE + number) for number in (0, MOVES - 1, MOVES)] == [
        "P1 N",
        "P1 ~NWne",
        "P2 N",
    ]


def test_balance_counts_kinds_walls_and_carried_minerals() -> None:
    def names(words: str) -> list[str]:
        return [SUBJECTS.names[n] for n in SUBJECTS.of_action(ACTIONS.number(words))]

    assert names("S2 N*") == ["monkey", "mineral carried"]
    assert names("V1 ^c4") == ["falcon"]
    assert names("wH:c8") == ["wall"]
    assert names("r:G") == ["cheetah"]
    assert names("end") == names("k:south S1") == []


def test_the_board_is_drawn_with_walls_minerals_points_and_graveyards() -> None:
    states = position(
        cell=[{"B1": "e8", "S1": "c3"}, {"G1": "j12"}],
        mineral=[["c3"], ["c3"]],
        wall=["wH:e8", "wV:b7"],
        walls_left=[2, 2],
    )
    lines = GAME.render(states).splitlines()
    assert lines[0] == "turn 21, South, 4 points left"
    rows = {line.split()[0]: line for line in lines if line.split()[0].isdigit()}
    assert "SOo" in rows["3"]
    assert "|" in rows["7"]
    assert "|" in rows["8"]
    assert lines[lines.index(rows["8"]) - 1] == " " * 4 + "    " * 4 + " --- ---"
    assert "-- South's orange line" in GAME.render(states)
    assert lines[-2].startswith("South, player 1: walls left 2, graveyard P1 E1 I1 F1 F2 B2 M1")
    assert "G1" not in lines[-1]


def test_who_decides_what_stands_in_the_first_line() -> None:
    states = position(cell=[{"B1": "d8", "I1": "a5"}, {"I1": "d9", "M1": "a12"}])
    GAME.apply(states, GAME.find_action(states, "B1:d8xd9"), seeded(0))
    first = GAME.render(states).splitlines()[0]
    assert first.endswith("North decides immortal, B1 attacks I1")
    GAME.apply(states, GAME.find_action(states, "accept"), seeded(0))
    assert GAME.render(states).splitlines()[0].endswith("South decides sacrifice of I1")


def test_how_the_game_ended_stands_in_the_first_line() -> None:
    states = position(
        cell=[{"S1": "c14", "G1": "j15"}, {"V1": "a12"}], mineral=[["c14", "e16"], []]
    )
    drawn = position(
        variant=GAME.Variant(max_turns=21, material_draw=False), cell=[{"S1": "c4"}, {}]
    )
    GAME.apply(drawn, GAME.find_action(drawn, "S1:c4-c5"), seeded(0))
    GAME.apply(drawn, GAME.find_action(drawn, "end"), seeded(0))
    assert GAME.render(drawn).splitlines()[0] == "over after 21 turns: draw (turn cap)"
    human = position(cell=[{"F1": "c14", "G1": "j15"}, {"V1": "a12"}], mineral=[["c14"], []])
    GAME.apply(human, GAME.find_action(human, "F1:c14-c15*N"), seeded(0))
    assert GAME.render(human).splitlines()[0] == "over after 20 turns: South wins"
    GAME.apply(states, GAME.find_action(states, "S1:c14-c15"), seeded(0))
    assert GAME.render(states).startswith("turn 21")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"cell": [{"S1": "k7"}]}, "k7 is not on the 10 x 16 board"),
        ({"cell": [{"S9": "a7"}]}, "'S9' is unknown"),
        ({"cell": [{"S1": "a77"}]}, "'a77' is unknown"),
        ({"cell": {"S1": "a7"}}, "expected [{S1: c7}, {}]"),
        ({"cell": [{}, {"S1": "a7", "S2": "a7"}]}, "two of North on a7"),
        ({"mineral": [["a3"] * 4]}, "expected at most 3 cells"),
        ({"wall": ["wX:a3"]}, "'wX:a3' is unknown"),
        ({"candidates": "S1"}, "expected a list of characters"),
        ({"past": ["xyz"]}, "expected hashes like"),
    ],
)
def test_a_position_that_cannot_be_is_refused_by_name(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(PositionError) as caught:
        position(**data)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"elevation": 4, "deployment": 6, "free": 8}, "28 rows in all, there are at most 24"),
        ({"counts": "1+1"}, "counts: 2 numbers, expected 10"),
        ({"first_points": "2+3+4"}, "first_points: 3 numbers, expected 2"),
        ({"setup": "Xa3"}, "setup: 'Xa3', expected a piece of PEIFBMSGVO and a cell"),
        ({"setup": "Pd4+Pd5"}, "counts: 1 P, but 2 are placed"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    options: dict[str, Any], problem: str
) -> None:
    variant = parse_options(GAME.Variant, options, "variant")
    with pytest.raises(OptionError) as caught:
        GAME.blank(2, variant)
    assert problem in str(caught.value)
