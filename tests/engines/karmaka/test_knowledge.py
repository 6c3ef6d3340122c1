"""What players know and what they learn of each other's actions."""

import functools

import numpy as np

from engines.actions import Secrecy
from engines.karmaka import GAME
from engines.karmaka.actions import Kind
from engines.karmaka.state import Variant
from engines.kernel import INTERPRETED
from engines.records import copy, equal
from engines.rng import below, seeded

GAMES = 1 if INTERPRETED else 15


def position(players, seats, variant=None, **fields):
    return GAME.from_dict(players, variant or Variant(), {"seat": seats, **fields})


def test_r10_states_that_differ_in_a_stored_card_look_the_same_to_the_rival():
    after = []
    for card in ("spite", "sowing"):
        states = position(2, [{"hand": [card, "panic"]}, {"hand": ["peek"]}], well=[])
        GAME.apply(states, GAME.actions.number(f"future {card}"), seeded(1))
        after.append(states)
    assert not equal(*after)
    assert equal(GAME.view(after[0], 1), GAME.view(after[1], 1))
    assert not equal(GAME.view(after[0], 0), GAME.view(after[1], 0))


def test_r61_only_these_kinds_hide_their_card():
    hidden = {Kind.FUTURE, Kind.ALLY_FUTURE, Kind.KEEP, Kind.RETURN, Kind.STEAL, Kind.SOW}
    for action in range(GAME.actions.size):
        secret = GAME.actions.secrecy[action] == Secrecy.SECRET
        assert secret == (GAME.actions.kind[action] in hidden)
        assert GAME.actions.secrecy[action] != Secrecy.SILENT
    assert GAME.actions.text(GAME.actions.public[GAME.actions.number("sow panic")]) == "sow ?"


def test_r61_the_player_alone_sees_what_he_stores():
    states = position(3, [{}, {"hand": ["panic", "peek"]}, {}], to_act=1)
    assert GAME.witnesses(states, GAME.actions.number("future panic")) == 0b010


def test_r61_partner_and_player_see_a_card_stored_for_the_partner():
    seats = [{}, {"hand": ["panic"]}, {}, {}]
    states = position(4, seats, Variant(mode="2v2"), to_act=1)
    assert GAME.witnesses(states, GAME.actions.number("ally future panic")) == 0b1010


def test_r61_swindler_and_victim_see_the_stolen_card():
    seats = [{"hand": ["swindle"]}, {}, {"hand": ["panic", "peek"]}]
    states = position(3, seats)
    for text in ("ability swindle", "target 2"):
        GAME.apply(states, GAME.actions.number(text), seeded(1))
    assert GAME.witnesses(states, GAME.actions.number("steal panic")) == 0b101


def test_r44_the_position_that_transmigrate_takes_is_public():
    action = GAME.actions.number("transmigrate 0")
    assert GAME.actions.secrecy[action] == Secrecy.OPEN
    assert GAME.actions.public[action] == action


def test_r63_unseen_cards_are_imagined_everywhere_and_seen_ones_stay():
    seats = [
        {"hand": ["panic"]},
        {"hand": ["peek", "spite@01"], "future": ["crisis", "journey@all"]},
    ]
    view = GAME.view(position(2, seats), 0)
    imagined = np.zeros(1, GAME.dtype)
    hands, futures = set(), set()
    for seed in range(60):
        GAME.determinize(view, seeded(seed), imagined)
        seat = GAME.to_dict(imagined)["seat"][1]
        assert "spite@01" in seat["hand"]
        assert seat["future"][1] == "journey@01"  # whether others know it too, a view does not tell
        hands.update(seat["hand"])
        futures.add(seat["future"][0])
    assert len(hands) > 12
    assert len(futures) > 12


@functools.cache
def random_games():
    """Every position of random games in all modes."""
    found = []
    for players, variant in (
        (2, Variant()),
        (3, Variant(mode="bbw", bbw_ally_future=True)),
        (4, Variant(mode="2v2")),
        (4, Variant()),
    ):
        for seed in range(GAMES):
            rng = seeded(seed)
            states = GAME.new_state(players, variant, rng)
            found.append(copy(states))
            while states["to_act"][0] >= 0:
                legal = GAME.legal(states)
                GAME.apply(states, int(legal[below(rng, len(legal))]), rng)
                found.append(copy(states))
    return found


def hands(states):
    """All piles kept as hands: (pile, mask of those who always know it)."""
    yield states["held"][0], 0
    for player in range(int(states["players"][0])):
        yield states["seat"]["hand"][0, player], 1 << player


def test_r62_of_equal_cards_the_first_is_known_to_most_and_owners_know_their_own():
    for states in random_games():
        for hand, owner in hands(states):
            count = int(hand["count"])
            cards, known = hand["card"][:count].tolist(), hand["known"][:count].tolist()
            assert cards == sorted(cards)
            assert all(mask & owner == owner for mask in known)
            for i in range(1, count):
                if cards[i] == cards[i - 1]:
                    assert known[i] & known[i - 1] == known[i]


def test_r6_owners_know_their_future_and_everybody_deeds_and_ruins():
    for states in random_games():
        ruins = states["ruins"][0]
        assert (ruins["known"][: int(ruins["count"])] == 15).all()
        for player in range(int(states["players"][0])):
            seat = states["seat"][0, player]
            future, deeds = seat["future"], seat["deeds"]
            assert (future["known"][: int(future["count"])] >> player & 1).all()
            assert (deeds["known"][: int(deeds["count"])] == 15).all()


def test_r16_and_r18_rungs_rise_one_by_one_and_rings_never_exceed_the_supply():
    before = None
    for states in random_games():
        players = int(states["players"][0])
        rungs = states["seat"]["rung"][0].tolist()
        assert int(states["seat"]["rings"].sum()) <= 12
        assert (states["seat"]["rings"][0][:players] >= 0).all()
        if before is not None and int(states["turn"][0]) > 0:
            assert all(0 <= now - then <= 1 for now, then in zip(rungs, before, strict=True))
        before = rungs
