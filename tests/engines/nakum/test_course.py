"""Setup, knowledge, invariants and chance, as far as scenario files cannot say it."""

from collections import Counter

import numpy as np
import pytest

from engines.errors import PositionError
from engines.kernel import INTERPRETED
from engines.nakum import GAME
from engines.nakum.actions import Kind
from engines.nakum.state import Variant
from engines.nakum.tables import (
    HERITAGE_NAMES,
    MOST_ACTIONS,
    MOST_GOODS,
    MOST_TOKENS,
    SPACE_NAMES,
    TILE_NAMES,
    Phase,
)
from engines.records import OVER, copy
from engines.rng import below, mix, seeded

GAMES = 4 if INTERPRETED else 10  # of each number of players
MANY_GAMES = 350
PLAYERS = (2, 3, 4)


def fresh(players, variant=None, seed=3):
    return GAME.new_state(players, variant or Variant(), seeded(seed))


def act(states, text, seed=0):
    GAME.apply(states, GAME.actions.number(text), seeded(seed))


def commit_all(states):
    """Everybody lays the first card of his hand; the kinds of card laid."""
    laid = []
    while states["phase"][0] == Phase.HERITAGE:
        action = int(GAME.legal(states)[0])
        laid.append(GAME.actions.text(action).removeprefix("heritage0:"))
        GAME.apply(states, action, seeded(0))
    return laid


# --- setup ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_r1_r2_and_r3_a_new_game_has_everything_in_its_place(players):
    """N01."""
    data = GAME.to_dict(fresh(players))
    assert (len(data["market_row"]), len(data["market_deck"])) == (5, 19)
    assert (len(data["offering_row"]), len(data["offering_deck"])) == (2, 10)
    assert sorted(data["board"]) == sorted(TILE_NAMES[1:9])  # none is marked as face up
    assert len(data["heritage_removed"]) == 16 - 3 * players
    for seat in data["seat"]:
        assert (seat["active"], seat["reserve"], seat["placed"], len(seat["hand"])) == (2, 2, 0, 3)
        assert (seat["maize"], seat["hide"], seat["mask"], seat["vp"]) == (0, 0, 0, 0)
    assert data["start_token"] == 0


@pytest.mark.parametrize("players", PLAYERS)
def test_r4_and_r5_all_gain_after_the_last_card_is_laid(players):
    """N02; VP come from cards only."""
    states = fresh(players)
    for player in range(players):
        assert (int(states["phase"][0]), int(states["to_act"][0])) == (Phase.HERITAGE, player)
        for seat in GAME.to_dict(states)["seat"]:
            assert (seat["maize"], seat["hide"], seat["mask"], seat["vp"]) == (0, 0, 0, 0)
        GAME.apply(states, int(GAME.legal(states)[0]), seeded(0))
    data = GAME.to_dict(states)
    for seat, player in zip(data["seat"], states["seat"][0], strict=False):
        (card,) = seat["heritage_played"]
        facts = states["rules"]["heritage"][0, HERITAGE_NAMES.index(card)]["gain"]
        gained = tuple(int(player[name]) for name in ("maize", "hide", "mask", "vp"))
        assert gained == tuple(int(facts[name]) for name in ("maize", "hide", "mask", "vp"))
        assert len(seat["hand"]) == 2
    shown = [tile for tile in data["board"] if tile.endswith("@all")]
    assert len(shown) == {2: 1, 3: 2, 4: 2}[players]
    assert (data["phase"], data["current_round"], data["to_act"]) == ("day", 1, 0)


def test_r5_with_free_choice_the_players_turn_up_tiles_in_turn():
    states = fresh(3, Variant(explore_choice="free", tiles_revealed_at_start=(1, 2, 2)))
    commit_all(states)
    assert (int(states["phase"][0]), int(states["to_act"][0])) == (Phase.DISCOVER, 0)
    act(states, "discover:5")
    assert int(states["to_act"][0]) == 1
    assert "discover:5" not in [GAME.actions.text(a) for a in GAME.legal(states)]
    act(states, "discover:2")
    data = GAME.to_dict(states)
    assert [n for n, tile in enumerate(data["board"]) if tile.endswith("@all")] == [2, 5]
    assert (data["phase"], data["to_act"], [seat["vp"] for seat in data["seat"]][1:]) == (
        ("day", 0, [seat["vp"] for seat in data["seat"]][1:])
    )


def test_r4_two_cards_are_laid_by_each_before_the_next_is_asked():
    states = fresh(2, Variant(heritage_played_at_start=2))
    asked = []
    while states["phase"][0] == Phase.HERITAGE:
        asked.append(int(states["to_act"][0]))
        GAME.apply(states, int(GAME.legal(states)[0]), seeded(0))
    assert asked == [0, 0, 1, 1]
    assert [len(seat["hand"]) for seat in GAME.to_dict(states)["seat"]] == [1, 1]


def test_r4_without_first_cards_the_day_begins():
    states = fresh(2, Variant(heritage_played_at_start=0, seat_bonus_vp=(0, 2, 0, 0)))
    data = GAME.to_dict(states)
    assert (data["phase"], [seat["vp"] for seat in data["seat"]]) == ("day", [0, 2])


def test_r2_the_box_plays_with_six_tiles_and_pituk_waits_for_these():
    """N39."""
    variant = Variant(outer_tiles_in_play=6)
    data = GAME.to_dict(fresh(2, variant))
    assert (len(data["board"]), len(data["tile_box"])) == (6, 2)
    names = [f"{tile}@all" for tile in TILE_NAMES[1:7]]
    for board, ready in ((names, True), ([*names[:5], TILE_NAMES[6]], False)):
        states = GAME.from_dict(2, variant, {"board": board, "market_row": ["M01"]})
        legal = [GAME.actions.text(action) for action in GAME.legal(states)]
        assert ("pituk:reshuffle_market" in legal) == ready


def test_r3_equal_seeds_deal_all_variants_the_same_cards():
    plain, wide = (
        GAME.to_dict(fresh(2, v)) for v in (Variant(), Variant(market_row=7, offering_row=3))
    )
    assert set(plain["market_row"]) < set(wide["market_row"])
    assert set(plain["offering_row"]) < set(wide["offering_row"])
    assert [s["hand"] for s in plain["seat"]] == [s["hand"] for s in wide["seat"]]


def test_every_component_comes_to_every_place():
    tiles, hands = Counter(), Counter()
    for seed in range(120):
        data = GAME.to_dict(fresh(2, seed=seed))
        tiles[data["board"][0]] += 1
        hands.update(data["seat"][1]["hand"])
    assert len(tiles) == 8
    assert len(hands) == 16
    assert min(tiles.values()) > 4  # 15 on average


# --- play -------------------------------------------------------------------------------------------------


def play_out(states, seed, visit=lambda states: None):
    """A random game; how many actions it took."""
    rng, chooser = seeded(mix(seed, 1)), seeded(mix(seed, 2))
    actions = 0
    while states["to_act"][0] != OVER:
        legal = GAME.legal(states)
        GAME.apply(states, int(legal[below(chooser, len(legal))]), rng)
        visit(states)
        actions += 1
    return actions


def check_invariants(states):
    """Section 9 of the specification."""
    state, rules = states[0], states["rules"][0]
    players = int(state["players"])
    seats = state["seat"][:players]
    owned = np.zeros(2, np.int64)
    for seat in seats:
        assert seat["active"] + seat["grown"] + seat["reserve"] == 4
        assert 0 <= seat["sacrificed"] <= seat["placed"] <= seat["active"]
        for name in ("maize", "hide", "mask"):
            assert 0 <= seat[name] <= rules["limit"][name]
        assert seat["hand"]["count"] + seat["heritage_played"]["count"] == 3
        owned += seat["market_owned"].sum(), seat["offerings"].sum()
    assert state["market_row"]["count"] + state["market_deck"]["count"] + owned[0] == 24
    offerings = state["offering_row"]["count"] + state["offering_deck"]["count"] + owned[1]
    assert offerings + state["offering_discard"].sum() == 12
    standing = [int(seat["stands_on"]) for seat in seats]
    for space, name in enumerate(SPACE_NAMES):
        here = sum(mask >> space & 1 for mask in standing)
        marked = int(rules["marked"]) >> space & 1
        assert here <= 1 + marked, name
        assert not here or int(state["open_spaces"]) >> space & 1, name
    open_tiles = [
        int(tile)
        for tile, known in zip(state["board"]["card"], state["board"]["known"], strict=True)
        if known
    ]
    for cube in np.flatnonzero(state["cubes"][:40]):
        assert int(cube) // 4 + 1 in open_tiles


@pytest.mark.parametrize("games", [GAMES, pytest.param(MANY_GAMES, marks=pytest.mark.full)])
@pytest.mark.parametrize("players", PLAYERS)
def test_r10_r13_r22_and_r30_the_invariants_hold_after_every_action(players, games):
    """N40: random games keep section 9's invariants and its bound on decisions."""
    for seed in range(games):
        states = fresh(players, seed=seed)
        days = play_out(states, seed, check_invariants)
        releases = int(states["seat"]["market_owned"].sum())  # at most one more for each card
        assert days <= players + 2 + 20 * 4 * players + releases


def test_the_same_seed_and_actions_are_the_same_game():
    """N36."""
    first, second = (fresh(3, seed=8) for _ in range(2))
    assert play_out(first, 8) == play_out(second, 8)
    assert first.tobytes() == second.tobytes()


def test_r18_the_market_is_shuffled_with_its_row():
    board = [f"{tile}@all" for tile in TILE_NAMES[1:9]]
    rows = Counter()
    for seed in range(60):
        states = GAME.from_dict(2, Variant(), {"board": board, "market_row": ["M01", "M02"]})
        act(states, "pituk:reshuffle_market", seed)
        data = GAME.to_dict(states)
        assert (len(data["market_row"]), len(data["market_deck"])) == (5, 19)
        rows.update(data["market_row"])
        assert data["cubes"] == {"pituk.reshuffle_market": 1}
        assert data["seat"][0]["vp"] == 1
    assert len(rows) == 24


# --- knowledge --------------------------------------------------------------------------------------------


def test_r32_a_view_hides_what_the_player_may_not_know():
    """N37."""
    states = fresh(3, seed=5)
    GAME.apply(states, int(GAME.legal(states)[0]), seeded(0))
    view = GAME.to_dict(GAME.view(states, 1))
    assert set(view["board"] + view["market_deck"] + view["offering_deck"]) == {"?"}
    assert set(view["heritage_removed"]) == {"?"}
    assert [seat["hand"] == ["?"] * len(seat["hand"]) for seat in view["seat"]] == [
        True,
        False,
        True,
    ]
    assert view["seat"][0]["heritage_played"] == ["?"]
    commit_all(states)
    view = GAME.to_dict(GAME.view(states, 1))
    assert "?" not in view["seat"][0]["heritage_played"]
    assert sum(tile != "?" for tile in view["board"]) == 2


def test_r32_laying_a_first_card_is_seen_by_its_player_alone_but_for_the_last():
    states = fresh(2)
    action = int(GAME.legal(states)[0])
    assert GAME.witnesses(states, action) == 1
    assert GAME.actions.text(int(GAME.actions.public[action])) == "heritage0:?"
    GAME.apply(states, action, seeded(0))
    assert GAME.witnesses(states, int(GAME.legal(states)[0])) == 15


def test_r33_imagined_positions_reshuffle_exactly_what_is_hidden():
    states = fresh(2, Variant(outer_tiles_in_play=6), seed=11)
    commit_all(states)
    view, true = GAME.view(states, 0), GAME.to_dict(states)
    found, boards, hands = copy(states), Counter(), Counter()
    trials = 60 if INTERPRETED else 600
    for seed in range(trials):
        GAME.determinize(view, seeded(seed), found)
        data = GAME.to_dict(found)
        public = ("market_row", "offering_row", "offering_discard", "cubes", "explorer", "phase")
        assert all(data[name] == true[name] for name in public)
        assert data["seat"][0] == true["seat"][0]
        assert data["seat"][1]["heritage_played"] == true["seat"][1]["heritage_played"]
        boards[data["board"][3]] += 1
        hands.update(data["seat"][1]["hand"])
    assert len(boards) == 7  # all but the tile that lies face up, those in the box too
    known = 3 + 1
    assert len(hands) == 16 - known
    assert max(hands.values()) < 3 * min(hands.values()) + 12


def test_subjects_name_the_tile_and_the_card_of_an_action():
    names, number = GAME.subjects.names, GAME.actions.number
    used = [names[i] for i in GAME.subjects.of_action(number("camp:selva:1:M01"))]
    assert used == ["selva", "M01"]
    assert [names[i] for i in GAME.subjects.of_action(number("basic:linaje.b:0:H05"))] == [
        "linaje",
        "H05",
    ]
    assert [names[i] for i in GAME.subjects.of_action(number("offering:O12"))] == ["O12"]
    assert [names[i] for i in GAME.subjects.of_action(number("heritage0:H16"))] == ["H16"]
    assert GAME.subjects.of_action(number("grow")) == ()
    assert Kind.GROW in GAME.actions.kind


# --- the ends of what fits --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_r29_ranks_hold_for_as_many_tokens_as_fit(players):
    """With 1 024 as the base, 1 025 tokens once counted as 1 more point and 1 token."""
    rng = np.random.default_rng(5)
    states = fresh(players)
    seats, out = states["seat"][0], np.zeros(4, np.int8)
    ends = {
        "vp": (0, 1023, 1024, 1025, 2048, MOST_TOKENS - 1, MOST_TOKENS),
        "card_points": (0, 1, 1023, 1024, 1500),
        "mask": (0, 1, MOST_GOODS),
        "first_offering_at": (0, 1, MOST_ACTIONS - 1, MOST_ACTIONS),
    }
    for _ in range(2_000):
        for name, values in ends.items():
            seats[name][:players] = rng.choice(values, players)
        GAME.ranks(states, out)
        scores = np.zeros(4, np.int32)
        GAME.points(states, scores)
        strength = [
            (
                int(scores[p]),
                int(seats["vp"][p]),
                int(seats["mask"][p]),
                -int(seats["first_offering_at"][p] or MOST_ACTIONS + 1),
            )
            for p in range(players)
        ]
        expected = [1 + sum(other > own for other in strength) for own in strength]
        assert out[:players].tolist() == expected, strength


@pytest.mark.parametrize(("name", "most"), [("vp", 29_995), ("action_counter", 2_892)])
def test_a_position_leaves_room_for_what_is_still_to_be_counted(name, most):
    def told(value):
        data = GAME.to_dict(commit_and_begin())
        (data["seat"][0] if name == "vp" else data)[name] = value
        return data

    states = GAME.from_dict(2, Variant(), told(most))
    rng, chooser = seeded(1), seeded(2)
    while states["to_act"][0] != OVER:
        legal = GAME.legal(states)
        GAME.apply(states, int(legal[int(below(chooser, len(legal)))]), rng)
        assert 0 <= states["action_counter"][0] <= MOST_ACTIONS
        assert (states["seat"]["vp"][0] >= 0).all()
    with pytest.raises(PositionError, match=rf"{name}: {most + 1}, expected at most {most} with"):
        GAME.from_dict(2, Variant(), told(most + 1))


def test_a_day_that_has_begun_takes_no_more_room_than_its_first_decision():
    variant = Variant(max_rounds=100)
    states = GAME.new_state(4, variant, seeded(1))
    rng, chooser = seeded(1), seeded(2)
    for _ in range(40):
        legal = GAME.legal(states)
        GAME.apply(states, int(legal[int(below(chooser, len(legal)))]), rng)
        GAME.from_dict(4, variant, GAME.to_dict(states))
    assert states["action_counter"][0] > 8


def commit_and_begin():
    """The first decision of round 1."""
    states = fresh(2)
    commit_all(states)
    return states


def test_keys_tell_tokens_from_masks_where_there_are_many():
    one, other = commit_and_begin(), commit_and_begin()
    one["seat"]["vp"][0, 0] = 4096
    other["seat"]["mask"][0, 0] = 1
    keys = [int(GAME.key(states)) for states in (one, other)]
    assert keys[0] != keys[1]
