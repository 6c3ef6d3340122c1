"""Setup, rounds, chance and knowledge, as far as scenario files cannot say it."""

from collections import Counter

import numpy as np
import pytest

from engines.kernel import INTERPRETED, readable
from engines.records import copy
from engines.rng import below, seeded
from engines.sagrada import GAME
from engines.sagrada.actions import SUBJECTS, Kind
from engines.sagrada.heuristic import drafts_left, own_spaces
from engines.sagrada.state import Variant
from engines.sagrada.tables import COLOUR_NAMES, PATTERN_NAMES, TOOL_NAMES, WINDOW_CARDS

TRIALS = 120 if INTERPRETED else 1500


def act(states, text, rng):
    GAME.apply(states, GAME.actions.number(text), rng)


def pass_all(players, variant):
    """Everybody takes the first window offered, then passes; (round, turn, player) of every turn."""
    rng = seeded(3)
    states = GAME.new_state(players, variant, rng)
    turns = []
    while states["to_act"][0] >= 0:
        legal = GAME.legal(states).tolist()
        if GAME.actions.kind[legal[0]] != Kind.WINDOW:
            turns.append(tuple(int(states[f][0]) for f in ("current_round", "turn", "to_act")))
        GAME.apply(states, legal[-1], rng)
    return states, turns


@pytest.mark.parametrize(
    ("players", "drawn", "left"), [(1, 4, 50), (2, 5, 40), (3, 7, 20), (4, 9, 0)]
)
def test_r7_dice_drawn_each_round_and_left_in_the_bag(players, drawn, left):
    """Scenario 12; by passing all dice come to lie on the track."""
    states, turns = pass_all(players, Variant())
    data = GAME.to_dict(states)
    assert [len(slot) for slot in data["track"]] == [drawn] * 10
    assert len(data["bag"]) == left
    assert len(turns) == 20 * players
    assert GAME.turns(states) == len(turns)


def test_r8_r9_three_players_take_turns_there_and_back():
    """Scenario 13."""
    _, turns = pass_all(3, Variant())
    assert [p for r, _, p in turns if r == 1] == [0, 1, 2, 2, 1, 0]
    assert [p for r, _, p in turns if r == 2] == [1, 2, 0, 0, 2, 1]
    assert [p for r, _, p in turns if r == 10] == [0, 1, 2, 2, 1, 0]


def test_r9_a_random_start_comes_to_all_players():
    found = Counter()
    for seed in range(40):
        states = GAME.new_state(4, Variant(first_player="random"), seeded(seed))
        assert GAME.view(states, 0)["start"][0] == -1
        found[int(states["start"][0])] += 1
    assert len(found) == 4
    assert {int(GAME.new_state(4, Variant(), seeded(s))["start"][0]) for s in range(9)} == {0}


def test_r3_a_deal_gives_every_number_of_players_the_same_dice_and_decks():
    deals = [GAME.to_dict(GAME.new_state(p, Variant(), seeded(5))) for p in (2, 3, 4)]
    for name in ("bag", "rolls", "tools", "publics"):
        assert deals[0][name] == deals[1][name] == deals[2][name]
    assert deals[0]["seat"][0]["options"] == deals[2]["seat"][0]["options"]
    more = GAME.to_dict(GAME.new_state(2, Variant(tools=5), seeded(5)))
    assert set(deals[0]["tools"]) < set(more["tools"])


def test_r3_no_card_is_dealt_twice_and_all_are_dealt_alike():
    dealt = Counter()
    for seed in range(200 if not INTERPRETED else 30):
        data = GAME.to_dict(GAME.new_state(4, Variant(), seeded(seed)))
        cards = [card for seat in data["seat"] for card in seat["options"]]
        assert len(set(cards)) == 8
        assert len({seat["private"][0] for seat in data["seat"]}) == 4
        dealt.update(cards)
        dealt.update(data["tools"])
    assert len(dealt) == 24


@pytest.mark.parametrize("name", [card[0].name for card in WINDOW_CARDS[:3]])
def test_r4_a_fixed_pattern_begins_the_game_at_once(name):
    states = GAME.new_state(2, Variant(fixed_windows=(name,)), seeded(1))
    data = GAME.to_dict(states)
    assert data["phase"] == "main"
    assert [seat["pattern"] for seat in data["seat"]] == [name, name]
    assert len(data["pool"]) == 5


def test_solo_deals_two_objectives_of_each_kind_and_the_tools_asked_for():
    """R48, scenario 46."""
    for tools in (1, 3, 5):
        data = GAME.to_dict(GAME.new_state(1, Variant(solo_tools=tools), seeded(tools)))
        assert len(data["tools"]) == tools
        assert len(data["publics"]) == 2
        assert len(data["seat"][0]["private"]) == 2
        assert len(data["seat"][0]["options"]) == 2


# --- chance -----------------------------------------------------------------------------------------------


def outcomes(data, texts, read, players=2):
    start = GAME.from_dict(players, Variant(), data)
    rng = seeded(5)
    found = Counter()
    for _ in range(TRIALS):
        states = copy(start)
        for text in texts:
            act(states, text, rng)
        found[read(states)] += 1
    return found


def is_like(found, expected):
    """Counts within five standard deviations of these chances."""
    return set(found) <= set(expected) and all(
        abs(found[k] - TRIALS * p) < 5 * (TRIALS * p) ** 0.5 for k, p in expected.items()
    )


def test_r28_flux_brush_rolls_every_value_equally_often():
    data = {"pool": ["R1"], "tools": ["Flux Brush"], "seat": [{"tokens": 3}, {}]}
    found = outcomes(data, ["draft R1", "use Flux Brush"], lambda s: int(s["held"]["value"][0, 0]))
    assert is_like(found, dict.fromkeys(range(1, 7), 1 / 6))


def test_r29_glazing_hammer_rolls_every_die_and_keeps_colours():
    data = {
        "turn": 3,
        "pool": ["R1", "B2"],
        "tools": ["Glazing Hammer"],
        "seat": [{"tokens": 3}, {}],
    }

    def read(states):
        pool = GAME.to_dict(states)["pool"]
        assert [die[0] for die in pool] == ["R", "B"]
        return int(pool[0][1]), int(pool[1][1])

    found = outcomes(data, ["use Glazing Hammer"], read)
    assert is_like(found, {(a, b): 1 / 36 for a in range(1, 7) for b in range(1, 7)})


def test_r33_flux_remover_draws_any_die_of_the_bag_also_the_one_put_in():
    data = {
        "pool": ["R1"],
        "bag": ["G", "G", "B"],
        "tools": ["Flux Remover"],
        "seat": [{"tokens": 3}, {}],
        "current_round": 10,
    }

    def read(states):
        data = GAME.to_dict(states)
        assert sorted([*data["bag"], data["held"][0][0]]) == ["B", "G", "G", "R"]
        return data["held"][0][0]

    found = outcomes(data, ["draft R1", "use Flux Remover"], read)
    assert is_like(found, {"G": 1 / 2, "B": 1 / 4, "R": 1 / 4})


# --- knowledge --------------------------------------------------------------------------------------------


def test_r55_private_objectives_are_imagined_among_those_not_seen():
    states = GAME.new_state(3, Variant(fixed_windows=("Virtus",)), seeded(2))
    mine = GAME.to_dict(states)["seat"][1]["private"][0]
    view, guess = GAME.view(states, 1), np.zeros(1, GAME.dtype)
    found = Counter()
    for seed in range(60):
        GAME.determinize(view, seeded(seed), guess)
        seats = GAME.to_dict(guess)["seat"]
        assert seats[1]["private"] == [mine]
        found[seats[0]["private"][0]] += 1
    assert set(found) == set(COLOUR_NAMES[1:]) - {mine}


def test_r55_bag_order_and_rolls_are_imagined_the_composition_stays():
    states = GAME.new_state(2, Variant(fixed_windows=("Virtus",)), seeded(2))
    view, guess = GAME.view(states, 0), np.zeros(1, GAME.dtype)
    tops = set()
    for seed in range(60):
        GAME.determinize(view, seeded(seed), guess)
        data = GAME.to_dict(guess)
        assert Counter(data["bag"]) == Counter(GAME.to_dict(states)["bag"])
        tops.add((data["bag"][-1], data["rolls"][-1]))
    assert len(tops) > 15


def test_r53_a_hidden_choice_is_imagined_among_possible_patterns():
    rng = seeded(4)
    states = GAME.new_state(2, Variant(), rng)
    GAME.apply(states, int(GAME.legal(states)[0]), rng)
    view, guess = GAME.view(states, 1), np.zeros(1, GAME.dtype)
    found = set()
    for seed in range(80):
        GAME.determinize(view, seeded(seed), guess)
        seats = GAME.to_dict(guess)["seat"]
        names = [name for card in seats[0]["options"] for name in card.split(" / ")]
        assert seats[0]["pattern"] in names
        assert not set(seats[0]["options"]) & set(seats[1]["options"])
        found.add(seats[0]["pattern"])
    assert len(found) > 12


def test_r53_only_window_choices_are_secret_and_the_last_one_is_seen_by_all():
    for action in range(GAME.actions.size):
        assert bool(GAME.actions.secrecy[action]) == (GAME.actions.kind[action] == Kind.WINDOW)
    rng = seeded(4)
    states = GAME.new_state(2, Variant(), rng)
    first = int(GAME.legal(states)[0])
    assert GAME.witnesses(states, first) == 0b01
    GAME.apply(states, first, rng)
    assert GAME.witnesses(states, int(GAME.legal(states)[0])) & 0b11 == 0b11


# --- facts ------------------------------------------------------------------------------------------------


def test_subjects_are_tools_windows_and_dice():
    def used(text):
        return [SUBJECTS.names[i] for i in SUBJECTS.of_action(GAME.actions.number(text))]

    assert used("use Lathekin") == ["Lathekin"]
    assert used("window Virtus") == ["Virtus"]
    assert used("draft R3") == used("swap 4 R3") == ["die R3"]
    assert used("end turn") == used("window ?") == []
    assert set(TOOL_NAMES[1:]) | set(PATTERN_NAMES[1:]) < set(SUBJECTS.names)


def test_features_tell_what_was_dealt():
    facts = GAME.features(GAME.new_state(3, Variant(), seeded(4)))
    assert [len(f["windows offered"]) for f in facts] == [4, 4, 4]
    assert len({f["private objective"] for f in facts}) == 3
    assert facts[0]["tools"] == facts[1]["tools"]
    fixed = GAME.features(GAME.new_state(2, Variant(fixed_windows=("Virtus", "Batllo")), seeded(4)))
    assert [f["windows offered"] for f in fixed] == [("Virtus",), ("Batllo",)]


def test_a_better_window_is_worth_more():
    shares = []
    for window in ([], ["R6 -- -- -- --"], ["R6 B4 -- -- --", "P1 R5 -- -- --"]):
        data = {"current_round": 9, "seat": [{"window": window, "private": ["Red"]}, {}]}
        states = GAME.from_dict(2, Variant(), data)
        shares.append(GAME.evaluate(states, 0))
        assert np.isclose(shares[-1] + GAME.evaluate(states, 1), 1.0)
    assert shares == sorted(set(shares))


@pytest.mark.parametrize(
    ("objective", "better", "worse"),
    [
        ("Shade Variety", "P1 -- B2 -- R3", "P1 -- B1 -- R1"),
        ("Deep Shades", "P6 -- B1 -- R2", "P3 -- B1 -- R2"),
        ("Color Variety", "P1 -- B1 -- R1", "P1 -- P1 -- P1"),
    ],
)
def test_a_die_that_the_next_set_misses_is_worth_more(objective, better, worse):
    """Before the set is complete, and where its objective lies on the table."""

    def lead(publics):
        seats = [{"window": [better], "private": ["Green"]}, {"window": [worse]}]
        data = {"current_round": 3, "publics": publics, "seat": seats}
        return float(GAME.evaluate(GAME.from_dict(2, Variant(), data), 0))

    assert lead([objective]) > lead(["Color Diagonals"]) + 0.005


def test_spaces_for_the_own_colour_are_those_that_take_it():
    def spaces(window, pattern="none"):
        seat = {"window": window, "private": ["Red"], "pattern": pattern}
        states = GAME.from_dict(2, Variant(), {"current_round": 3, "seat": [seat, {}]})
        return own_spaces(readable(states)[0].seat[0])

    assert spaces([]) == 20
    assert spaces(["-- -- -- -- --", "-- R1 -- -- --"]) == 15
    assert spaces(["-- -- -- -- --", "-- B1 -- -- --"]) == 19
    assert spaces([], "Virtus") == 16  # four spaces ask for another colour


def test_drafts_to_come_are_counted_until_the_end():
    rng = seeded(6)
    states = GAME.new_state(2, Variant(), rng)
    counts = []
    while states["to_act"][0] >= 0:
        counts.append(drafts_to_come(states))
        legal = GAME.legal(states)
        GAME.apply(states, int(legal[below(rng, len(legal))]), rng)
    assert counts[0] == 20
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] <= 1


def drafts_to_come(states):
    plain = getattr(drafts_left, "py_func", drafts_left)
    return int(plain(readable(states)[0], 0))
