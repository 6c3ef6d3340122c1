"""States as records: copies, differences, plain data, on a made-up game with every codec."""

import json
from typing import Any

import numpy as np
import pytest

from engines.errors import PositionError
from engines.piles import EVERYBODY, HIDDEN, pile
from engines.records import (
    HEADER,
    NOBODY,
    Bag,
    Custom,
    Derived,
    Grid,
    Layout,
    Number,
    Pile,
    Player,
    Rest,
    State,
    Words,
    copy,
    differences,
    equal,
    from_dict,
    leaves,
    to_dict,
    unplaced,
    zones,
)

CARDS = ("", "ant", "bee", "cow", "dog")
SUPPLY = np.array([0, 3, 2, 1, 2])
DICE = ("red", "blue", "green")
PILE = pile(8)
SEAT = np.dtype(
    [
        ("coins", np.int8),
        ("hand", PILE),
        ("deck", PILE),
        ("dice", np.int8, (3,)),
        ("piles", PILE, (2,)),
    ]
)
STATE = np.dtype(
    [
        *HEADER,
        ("phase", np.int8),
        ("leader", np.int8),
        ("colours", np.int8, (2,)),
        ("seat", SEAT, (4,)),
        ("well", PILE),
        ("bag", np.int8, (3,)),
        ("board", np.int8, (2, 3)),
        ("track", np.int16, (4,)),
        ("secret", np.int32),
        ("sum", np.int16),
        ("scores", np.int16, (4,)),
    ]
)


def settle(states: State) -> None:
    states["sum"] = int(states["seat"]["coins"].sum())


def write_secret(value: Any, given: Any, path: str) -> None:
    if not isinstance(given, str) or not given.startswith("#"):
        raise PositionError(f"position.{path}: {given!r}, expected #number")
    value["secret"] = int(given[1:])


LAYOUT = Layout(
    fields={
        "phase": Words(("wait", "draw", "play"), first=-1),
        "colours": Words(DICE),
        "seat.coins": Number(-9, 99),
        "leader": Player(nobody=True),
        "seat.hand": Pile(CARDS, "owner", hand=True),
        "seat.deck": Pile(CARDS, "nobody"),
        "seat.dice": Bag(DICE),
        "seat.piles": Pile(CARDS, "everybody"),
        "well": Pile(CARDS, "nobody"),
        "bag": Bag(DICE),
        "board": Grid(".rbg", 3),
        "secret": Custom(lambda r: f"#{int(r['secret'])}", write_secret, whole=True),
        "sum": Derived(),
    },
    per_player=("team", "seat", "scores"),
    rest=(
        Rest("well", ("well", "seat.hand", "seat.deck", "seat.piles"), lambda states: SUPPLY),
        Rest("bag", ("bag", "seat.dice"), lambda states: np.array([4, 4, 4])),
    ),
    settle=settle,
)


def blank(players: int = 3) -> State:
    states = np.zeros(1, STATE)
    states["players"], states["viewer"], states["team"] = players, NOBODY, np.arange(4)
    return states


def read(data: dict[str, Any], players: int = 3) -> State:
    return from_dict(blank(players), data, LAYOUT)


FULL = {
    "to_act": 2,
    "phase": "play",
    "colours": ["blue", "green"],
    "seat": [
        {"coins": 3, "hand": ["ant", "ant@all", "bee@"], "deck": ["cow@02"], "dice": {"red": 2}},
        {"coins": -4, "piles": [["ant"], ["dog@1", "dog@"]]},
        {},
    ],
    "board": [".rb", "g.."],
    "track": [1, 2],
    "secret": "#77",
    "scores": [5, 6, 7],
}


def test_a_copy_is_equal_and_independent() -> None:
    states = read(FULL)
    other = copy(states)
    assert equal(states, other)
    other["seat"]["coins"][0, 1] = 9
    assert not equal(states, other)
    assert differences(states, other) == ["seat[1].coins: -4 -> 9"]
    assert differences(states, states) == []


def test_leaves_name_every_number_of_a_record() -> None:
    found = dict(leaves(read(FULL)[0]))
    assert found["seat[0].hand.card[1]"] == 1
    assert found["board[1][0]"] == 3
    assert found["phase"] == 1
    assert len(found) == 3 + 4 + 1 + 1 + 2 + 4 * (1 + 17 + 17 + 3 + 34) + 17 + 3 + 6 + 4 + 1 + 1 + 4


def test_data_reads_back_as_the_same_bytes() -> None:
    for data in ({}, FULL, {"well": []}, {"bag": {}}, {**FULL, "seed": 4}):
        states = read(data)
        plain = json.loads(json.dumps(to_dict(states, LAYOUT)))
        assert equal(from_dict(blank(), plain, LAYOUT), states)


def test_all_fields_take_their_words() -> None:
    states = read(FULL)
    seat = states["seat"][0]
    assert states["phase"][0] == 1
    assert states["colours"][0].tolist() == [1, 2]
    assert seat[0]["hand"]["card"][:3].tolist() == [1, 1, 2]
    assert seat[0]["hand"]["known"][:3].tolist() == [EVERYBODY, 1, 0]
    assert seat[0]["deck"]["known"][0] == 5
    assert seat[1]["piles"][0]["known"][0] == EVERYBODY
    assert seat[1]["piles"][1]["known"][:2].tolist() == [2, 0]
    assert states["board"][0].tolist() == [[0, 1, 2], [3, 0, 0]]
    assert states["track"][0].tolist() == [1, 2, 0, 0]
    assert states["secret"][0] == 77
    assert states["sum"][0] == -1


def test_the_rest_holds_what_lies_nowhere_else_in_canonical_order() -> None:
    states = read(FULL)
    assert to_dict(states, LAYOUT)["well"] == ["bee"]
    assert to_dict(states, LAYOUT)["bag"] == {"red": 2, "blue": 4, "green": 4}
    assert to_dict(read({}), LAYOUT)["well"] == [*["ant"] * 3, *["bee"] * 2, "cow", *["dog"] * 2]
    for rest in LAYOUT.rest:
        assert not unplaced(states, rest).any()


def test_a_rest_that_is_given_is_left_as_it_is() -> None:
    states = read({"well": ["dog", "ant"], "bag": {"red": 1}})
    assert to_dict(states, LAYOUT)["well"] == ["dog", "ant"]
    assert to_dict(states, LAYOUT)["bag"] == {"red": 1}
    assert unplaced(states, LAYOUT.rest[1]).tolist() == [3, 4, 4]


def test_a_seed_shuffles_the_rest_and_nothing_else() -> None:
    first, again, other = (
        to_dict(read({**FULL, "seat": [], "seed": s}), LAYOUT) for s in (1, 1, 2)
    )
    assert first == again
    assert first["well"] != other["well"]
    assert sorted(first["well"]) == sorted(other["well"])
    assert {**first, "well": 0} == {**other, "well": 0}


def test_only_as_many_seats_as_players_are_read_and_written() -> None:
    assert len(to_dict(read({}, players=2), LAYOUT)["seat"]) == 2
    assert to_dict(read({}, players=2), LAYOUT)["scores"] == [0, 0]
    with pytest.raises(PositionError, match="expected a list of at most 2"):
        read({"seat": [{}, {}, {}]}, players=2)


def test_views_read_back_too() -> None:
    states = read(FULL)
    states["viewer"] = 0
    for seat in states["seat"][0]:
        for zone in ("hand", "deck"):
            for i in range(int(seat[zone]["count"])):
                if seat[zone]["known"][i] & 1:
                    seat[zone]["known"][i] = 1
                else:
                    seat[zone]["card"][i], seat[zone]["known"][i] = HIDDEN, 0
        hand = seat["hand"]
        order = np.argsort(hand["card"][: int(hand["count"])], kind="stable")
        for part in ("card", "known"):
            hand[part][: len(order)] = hand[part][: len(order)][order]
    states["seat"]["piles"]["known"] &= 1
    states["well"]["card"][0, :1] = HIDDEN
    plain = to_dict(states, LAYOUT)
    assert plain["seat"][0]["hand"] == ["?", "ant", "ant"]
    assert plain["seat"][1]["piles"] == [["ant"], ["dog@", "dog@"]]
    assert equal(from_dict(blank(), plain, LAYOUT), states)


def test_hands_given_in_any_order_are_canonical() -> None:
    """Player 0 knows one ant and player 1 knows one: the first ant is known to both."""
    orders = (["bee", "ant@0", "ant@1"], ["ant@1", "ant@0", "bee"], ["ant@01", "bee", "ant@"])
    hands = [read({"seat": [{"hand": hand}]})["seat"][0, 0]["hand"].tobytes() for hand in orders]
    assert len(set(hands)) == 1


def test_zones_are_found_in_every_seat() -> None:
    assert len(list(zones(read(FULL)[0], "seat.piles"))) == 8
    assert len(list(zones(read(FULL)[0], "well"))) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"pahse": "draw"}, "position.pahse: unknown, did you mean phase"),
        ({"sum": 3}, "position.sum: unknown"),
        ({"phase": "drwa"}, "position.phase: 'drwa' is unknown, did you mean draw"),
        (
            {"seat": [{"hand": ["atn"]}]},
            "position.seat[0].hand: 'atn' is unknown, did you mean ant",
        ),
        ({"seat": [{"hand": "ant"}]}, "expected a list"),
        ({"seat": [{"coins": 1000}]}, "position.seat[0].coins: 1000, expected -9 to 99"),
        ({"seat": [{"coins": "many"}]}, "position.seat[0].coins: 'many', expected -9 to 99"),
        ({"seat": [3]}, "expected fields coins, hand"),
        ({"seat": 3}, "position.seat: 3, expected a list"),
        ({"seat": [{"hand": ["cow"], "deck": ["cow"]}]}, "2 copies of cow, there are only 1"),
        ({"well": ["cow", "cow"]}, "2 copies of cow, there are only 1"),
        ({"bag": {"red": 5}}, "5 copies of red, there are only 4"),
        ({"bag": {"pink": 1}}, "position.bag: 'pink' is unknown"),
        ({"bag": ["red"]}, "expected counts by name"),
        ({"bag": {"red": "x"}}, "position.bag"),
        ({"bag": {"red": 1000}}, "position.bag"),
        ({"bag": {"red": -1}}, "position.bag"),
        ({"board": ["...", "..?"]}, "position.board"),
        ({"board": ["....", "...."]}, "position.board"),
        ({"board": "......"}, "position.board"),
        ({"track": [1, 2, 3, 4, 5]}, "position.track"),
        ({"track": "x"}, "position.track"),
        ({"scores": ["a"]}, "position.scores"),
        ({"scores": [99999]}, "position.scores"),
        ({"secret": 3}, "expected #number"),
        ({"players": 2}, "position.players: 2, but the table has 3"),
        ({"players": "two"}, "position.players"),
        ({"viewer": "me"}, "position.viewer"),
        ({"seed": "x"}, "position.seed"),
        ({"seat": [{"deck": ["ant@x"]}]}, "position.seat[0].deck"),
        ({"seat": [{"deck": ["ant@7"]}]}, "position.seat[0].deck"),
        ({"seat": [{"deck": [""]}]}, "position.seat[0].deck"),
        ({"seat": [{"deck": ["ant@3"]}]}, "expected a card, card@all, card@ or card@01"),
        ({"seat": [{"deck": ["?"]}]}, "position.seat[0].deck: '?', only a View hides cards"),
        ({"leader": 3}, "position.leader: 3, expected a player from 0 to 2, or -1 for nobody"),
        ({"seat": [{"coins": True}]}, "position.seat[0].coins: True, expected -9 to 99"),
        ({"team": [0, 0, 1]}, "position.team: [0, 0, 1], cannot be changed here"),
        ({"viewer": 0, "well": ["?"] * 9}, "position.well"),
        ([], "position: [], expected a mapping of fields"),
        ({"seat": [{"deck": ["ant"] * 9}]}, "expected a list of at most 8"),
        ({"to_act": 1.5}, "position.to_act: 1.5, expected a player from 0 to 2"),
    ],
)
def test_what_cannot_be_is_an_error_that_names_place_and_value(
    data: dict[str, Any], message: str
) -> None:
    with pytest.raises(PositionError) as caught:
        read(data)
    assert message in str(caught.value)
