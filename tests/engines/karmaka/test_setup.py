"""The deck, the deal and the options."""

from collections import Counter

import numpy as np
import pytest

from engines import records
from engines.errors import OptionError
from engines.karmaka import GAME
from engines.karmaka.rules.setup import deal_hands
from engines.karmaka.state import Variant
from engines.karmaka.tables import CARD_NAMES, CARDS, Card, Colour
from engines.karmaka.text import LAYOUT
from engines.kernel import kernel
from engines.rng import seeded


def deck_of(states):
    """Copies of each card name in all zones."""
    data = GAME.to_dict(states)
    found = Counter(data["well"] + data["ruins"] + data["held"])
    for seat in data["seat"]:
        for zone in ("hand", "deck", "future", "deeds"):
            found.update(card.split("@")[0] for card in seat[zone])
    return found


def test_r1_the_deck_is_the_printed_one():
    colours = Counter()
    points = Counter()
    for card in CARDS:
        colours[card.colour] += card.copies
        points[card.colour] += card.copies * card.points
    assert len(CARDS) == 23
    assert colours == {Colour.RED: 19, Colour.GREEN: 19, Colour.BLUE: 19, Colour.MOSAIC: 7}
    assert points == {Colour.RED: 36, Colour.GREEN: 36, Colour.BLUE: 36, Colour.MOSAIC: 7}
    assert [Card[name.upper()] for name in CARD_NAMES[1:]] == list(range(1, 24))


@pytest.mark.parametrize(("players", "well"), [(2, 52), (3, 46), (4, 40)])
def test_r2_everybody_starts_as_a_beetle_and_the_rest_is_the_well(players, well):
    states = GAME.new_state(players, Variant(), seeded(players))
    data = GAME.to_dict(states)
    assert len(data["well"]) == well
    assert data["ruins"] == []
    for number, seat in enumerate(data["seat"]):
        drawn = 1 if number == 0 else 0
        assert (len(seat["hand"]), len(seat["deck"])) == (4 + drawn, 2 - drawn)
        assert (seat["rung"], seat["rings"], seat["future"], seat["deeds"]) == (0, 0, [], [])
    assert deck_of(states) == {card.name: card.copies for card in CARDS}


@kernel
def deal_to_all(states, first):
    deal_hands(states[0], first)


@pytest.mark.parametrize("first", [0, 1])
def test_r3_cards_are_dealt_one_by_one_from_the_top_hands_before_decks(first):
    well = ["mimic", *CARD_NAMES[12:0:-1]]  # the top card is number 1
    states = records.from_dict(GAME.blank(2, Variant()), {"well": well}, GAME.layout)
    deal_to_all(states, first)
    data = GAME.to_dict(states)
    one, two = data["seat"][first], data["seat"][1 - first]
    assert one["hand"] == [CARD_NAMES[i] for i in (1, 3, 5, 7)]
    assert two["hand"] == [CARD_NAMES[i] for i in (2, 4, 6, 8)]
    assert one["deck"] == [CARD_NAMES[i] for i in (9, 11)]
    assert two["deck"] == [CARD_NAMES[i] for i in (10, 12)]
    assert data["well"] == ["mimic"]


def test_r3_hand_and_deck_sizes_are_options():
    states = GAME.new_state(3, Variant(hand_size=6, deck_size=0), seeded(1))
    data = GAME.to_dict(states)
    assert [len(seat["hand"]) for seat in data["seat"]] == [6, 6, 6]
    assert [len(seat["deck"]) for seat in data["seat"]] == [0, 0, 0]


def test_r4_player_0_begins_and_a_random_start_is_an_option():
    usual = {int(GAME.new_state(3, Variant(), seeded(s))["to_act"][0]) for s in range(20)}
    drawn = Variant(first_player="random")
    random = {int(GAME.new_state(3, drawn, seeded(s))["to_act"][0]) for s in range(40)}
    assert (usual, random) == ({0}, {0, 1, 2})


def test_r1_cards_left_out_are_nowhere():
    states = GAME.new_state(2, Variant(without=("embody", "journey")), seeded(1))
    found = deck_of(states)
    assert sum(found.values()) == 57
    assert not {"embody", "journey"} & set(found)


def test_r56_only_the_wolf_starts_higher():
    for seat in range(3):
        states = GAME.new_state(3, Variant(mode="bbw", wolf_seat=seat, wolf_rung=1), seeded(1))
        assert GAME.point_list(states) == [int(p == seat) for p in range(3)]


def test_impossible_options_are_refused_in_one_line():
    for players, options in (
        (5, {}),
        (1, {}),
        (2, {"mode": "2v2"}),
        (4, {"mode": "bbw"}),
        (2, {"thresholds": (4, 5, 6)}),
        (2, {"without": CARD_NAMES[1:-1]}),
    ):
        with pytest.raises(OptionError) as error:
            GAME.blank(players, Variant(**options))
        assert "\n" not in str(error.value)


def test_the_record_is_small_and_every_pile_is_a_zone():
    assert GAME.dtype.itemsize <= 4096
    zones = {
        name for name in (GAME.dtype.names or ()) if "card" in (GAME.dtype[name].base.names or ())
    }
    assert zones == {zone for zone in LAYOUT.rest[0].among if "." not in zone}
    assert np.count_nonzero(GAME.actions.secrecy) == 6 * 24
