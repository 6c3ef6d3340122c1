"""The tree search: what it finds, what its tree counts, and how it stops and goes on."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import pytest

from arena.authoring.checks.walks import Setting, positions, settings
from bots.compiled import BUSY, FOREVER, kernel_for, record_of
from bots.mcts import KIND
from bots.registry import parse_bot
from bots.rewards import MARGIN, PLACE, WIN, reward_end
from bots.tree import MOST_NODES, NONE
from engines.core import Game, load_game
from engines.kernel import INTERPRETED, now
from engines.records import OVER, SEATS, copy
from engines.rng import mix, seeded

pytestmark = pytest.mark.skipif(INTERPRETED, reason="hours without compiling")

CONNECT_FOUR = load_game("connect_four")
DEFAULT = CONNECT_FOUR.Variant()
STRONG = "mcts:simulations=20000"
PLAIN = "prior=0"  # untried actions in random order, an edge for each tried one
TABLES = settings(load_game("karmaka"))


@dataclass
class Search:
    """A search with its memory, to look inside."""

    game: Game
    bot: str
    seed: int = 1
    record: Any = field(init=False)
    tree: Any = field(init=False)
    rng: Any = field(init=False)

    def __post_init__(self):
        self.record = record_of(KIND.compiled, parse_bot(self.bot).parameters)
        self.tree = KIND.compiled.memory(self.game, self.record)
        self.rng = seeded(self.seed)

    def act(self, states, until: int = FOREVER) -> int:
        view = self.game.view(states, int(states["to_act"][0]))
        legal = self.game.legal(states)
        search = kernel_for(KIND.compiled, self.game)
        return int(search(view, legal, len(legal), self.record, self.tree, self.rng, until))

    @property
    def root(self):
        return self.tree.nodes[0]

    @property
    def nodes(self):
        return self.tree.nodes[: int(self.tree.memory["nodes"][0])]

    def edges(self, number: int = 0) -> list[Any]:
        node = self.tree.nodes[number]
        first = int(node["first"])
        return list(self.tree.edges[first : first + int(node["count"])])

    def all_edges(self) -> list[Any]:
        return [edge for number in range(len(self.nodes)) for edge in self.edges(number)]


def board(text: str, variant=DEFAULT):
    """A position from rows of '.XO' parted by spaces, the last one at the bottom."""
    return CONNECT_FOUR.from_dict(2, variant, {"discs": text.split()})


def first_choice(setting: Setting):
    return next(p.states for p in positions(setting) if len(p.legal) > 2)


def after(states, action: int):
    states = copy(states)
    CONNECT_FOUR.apply(states, int(action), seeded(0))
    return states


def has_won(states) -> bool:
    return bool(states["ending"][0] == CONNECT_FOUR.Ending.LINE)


def is_over(states) -> bool:
    return bool(states["to_act"][0] == OVER)


# --- a brute-force solver --------------------------------------------------------------------------


def wins_in_one(states) -> list[int]:
    """The actions that win at once."""
    return [int(a) for a in CONNECT_FOUR.legal(states) if has_won(after(states, a))]


def wins_in_two(states) -> list[int]:
    """The actions after which every reply leaves a win in one."""
    found = []
    for action in CONNECT_FOUR.legal(states):
        left = after(states, action)
        replies = [after(left, reply) for reply in CONNECT_FOUR.legal(left)]
        if replies and all(not is_over(reply) and wins_in_one(reply) for reply in replies):
            found.append(int(action))
    return found


def passed(states):
    """The same board, were it the other player's move."""
    states = copy(states)
    states["to_act"] = 1 - states["to_act"]
    return states


def random_position(seed: int):
    rng, states = seeded(mix(seed)), CONNECT_FOUR.new_state(2, DEFAULT, seeded(0))
    for _ in range(6 + seed % 25):
        legal = CONNECT_FOUR.legal(states)
        choice = int(legal[int(rng[0]) % len(legal)])
        if has_won(after(states, choice)):
            break
        states = after(states, choice)
        rng[0] = mix(int(rng[0]))
    return states


def some(condition, most: int):
    found = [states for seed in range(400) if condition(states := random_position(seed))]
    assert len(found) >= most
    return found[:most]


def test_every_win_in_one_is_found():
    for number, states in enumerate(some(wins_in_one, 40)):
        assert Search(CONNECT_FOUR, STRONG, number).act(states) in wins_in_one(states)


def must_block(states) -> bool:
    """One threat that can be met, and meeting it does not lose at once."""
    if is_over(states) or wins_in_one(states):
        return False
    threats = wins_in_one(passed(states))
    return len(threats) == 1 and not lost_soon(after(states, threats[0]))


def lost_soon(states) -> bool:
    return not is_over(states) and bool(wins_in_one(states) or wins_in_two(states))


@pytest.mark.parametrize("count", [8, pytest.param(30, marks=pytest.mark.full)])
def test_every_threat_is_blocked(count):
    for number, states in enumerate(some(must_block, count)):
        action = Search(CONNECT_FOUR, STRONG, number).act(states)
        assert [action] == wins_in_one(passed(states))


WINS_IN_TWO = [
    "..OX... ..XX.OO",
    "...O... ..XO... ..XX.O.",
    "..O..O. ..XX.OX",
    ".O.O.X. .O.X.X.",
    "..O.... ..X.... ..O.... O.XX...",
    "..O.... ..X...X .OO..XX",
    "......X ......X ....X.O ...OO.X",
    "O..XO.X O..XX.O",
    ".....O. ...X.O. ..XO.X. ..XX.OO",
    "..XX.O. XOXXOOO",
    "O...X.. X.O.O.. OXXOXX.",
    ".....X. .....O. .OX..XX .OXOOOX",
    "...O... ...XX.. .OOXX.X .OOXO.X",
    ".X..... .O.XO.. OX.OO.. XOXOXXX",
    "...O... ...X.XX OX.O.OX OXOXOXO",
    "..O.... .XX.... .OO.O.O .OO.X.X XXXOOXX",
]


@pytest.mark.parametrize("text", WINS_IN_TWO)
def test_every_win_in_two_is_found(text):
    states = board(text)
    assert not wins_in_one(states)
    right = wins_in_two(states)
    assert right
    plain = f"{STRONG},{PLAIN}"
    assert {Search(CONNECT_FOUR, plain, seed).act(states) for seed in range(3)} <= set(right)
    search = Search(CONNECT_FOUR, STRONG)  # with a prior a longer win may be found first
    chosen = search.act(states)
    (average,) = [float(e["average"]) for e in search.edges() if e["action"] == chosen]
    assert average > 0.95


# --- what the tree counts --------------------------------------------------------------------------


OPENINGS = ["", "X......", "..OX... ..XX.OO", "O...X.. X.O.O.. OXXOXX."]


@pytest.mark.parametrize("text", OPENINGS)
def test_every_simulation_visits_the_root_and_one_of_its_edges(text):
    search = Search(CONNECT_FOUR, "mcts:simulations=700")
    search.act(board(text))
    assert search.root["visits"] == 700
    assert sum(int(edge["visits"]) for edge in search.edges()) == 700


def test_every_legal_action_is_tried_at_the_root():
    search, states = Search(CONNECT_FOUR, f"mcts:simulations=7,{PLAIN}"), board("")
    search.act(states)
    assert [int(e["action"]) for e in search.edges()] == CONNECT_FOUR.legal(states).tolist()
    assert all(e["visits"] == 1 for e in search.edges())


def test_the_most_visited_action_is_chosen_and_of_equals_the_better():
    for seed in range(20):
        search = Search(CONNECT_FOUR, "mcts:simulations=40", seed)
        chosen = search.act(board(OPENINGS[2]))
        best = max(search.edges(), key=lambda e: (e["visits"], e["average"]))
        assert chosen == best["action"]


@pytest.mark.parametrize("options", ["", ",reward=place", ",reward=margin", ",rollout_depth=4"])
def test_rewards_of_two_sides_add_up_to_one(options):
    search = Search(CONNECT_FOUR, f"mcts:simulations=500{options}")
    search.act(board(OPENINGS[1]))
    nodes = search.nodes
    assert nodes["average"][:, :2].sum(axis=1) == pytest.approx(1)
    assert (nodes["average"][:, 2:] == 0).all()


@pytest.mark.parametrize("setting", TABLES, ids=lambda s: s.name)
def test_rewards_of_all_sides_add_up_to_one(setting):
    search, states = Search(setting.game, "mcts:simulations=80"), first_choice(setting)
    search.act(states)
    sides = sorted(set(states["team"][0][: setting.players].tolist()))
    nodes = search.nodes
    assert nodes["average"][:, sides].sum(axis=1) == pytest.approx(1)
    assert search.root["visits"] == 80


def test_edges_stand_in_ascending_order_and_count_when_they_could_be_chosen():
    for game, states in ((CONNECT_FOUR, board("")), (TABLES[1].game, first_choice(TABLES[1]))):
        search = Search(game, f"mcts:simulations=600,{PLAIN}")
        search.act(states)
        for number in range(len(search.nodes)):
            edges, visits = search.edges(number), int(search.nodes["visits"][number])
            actions = [int(edge["action"]) for edge in edges]
            assert actions == sorted(set(actions))
            for edge in edges:
                assert 1 <= edge["visits"] <= visits
                assert game.perfect_information or edge["visits"] <= edge["available"] <= visits
                assert edge["spread"] == pytest.approx(1 / np.sqrt(edge["visits"]))


def test_an_edge_holds_the_reward_of_the_side_that_chooses_it():
    """Max^n: on three sides every player goes for his own reward, in his turn and out of it."""
    setting = TABLES[1]
    for position in [p for p in positions(setting) if len(p.legal) > 2][:20:4]:
        search = Search(setting.game, f"mcts:simulations=300,{PLAIN}")
        search.act(position.states)
        side = int(position.states["team"][0][position.to_act])
        for edge in search.edges():
            below = search.tree.nodes[int(edge["node"])]
            assert edge["average"] == np.float32(below["average"][side])
            assert edge["visits"] == below["visits"]


def test_where_everything_is_open_each_node_is_a_position_with_a_choice():
    """A single legal action makes no level of the tree, and equal positions are one node."""
    variant = CONNECT_FOUR.Variant(rows=4, columns=3, connect=4)
    search = Search(CONNECT_FOUR, f"mcts:simulations=3000,{PLAIN}")
    states = board("...", variant)
    search.act(states)
    keys, seen = Counter(), {0}
    waiting, forced = [(0, states)], 0
    while waiting:
        node, here = waiting.pop()
        keys[int(CONNECT_FOUR.key(here))] += 1
        legal = CONNECT_FOUR.legal(here).tolist()
        assert len(legal) > 1 or not search.edges(node)
        for edge in search.edges(node):
            assert edge["action"] in legal
            below = after(here, edge["action"])
            while len(single := CONNECT_FOUR.legal(below)) == 1:
                below, forced = after(below, single[0]), forced + 1
            child = int(edge["node"])
            assert search.tree.nodes["key"][child] == CONNECT_FOUR.key(below)
            if child not in seen:
                seen.add(child)
                waiting.append((child, below))
    assert forced > 0
    assert set(keys.values()) == {1}
    assert len(seen) == len(search.nodes)
    assert len(search.all_edges()) > len(search.nodes)  # more ways than positions


@pytest.mark.parametrize("setting", [settings(CONNECT_FOUR)[0], TABLES[1]], ids=lambda s: s.name)
def test_with_a_prior_a_node_has_an_edge_for_every_action_once_it_is_visited_again(setting):
    game, states = setting.game, first_choice(setting)
    search = Search(game, "mcts:simulations=600,prior=3")
    search.act(states)
    assert [int(e["action"]) for e in search.edges()] == game.legal(states).tolist()
    for number in range(1, len(search.nodes)):
        edges = search.edges(number)
        actions = [int(edge["action"]) for edge in edges]
        assert actions == sorted(set(actions))
        assert bool(edges) <= (search.nodes["visits"][number] > 1)
        for edge in edges:
            assert 0 <= edge["prior"] <= 1
            assert (edge["node"] == NONE) == (edge["visits"] == 0)
            assert edge["spread"] == pytest.approx(1 / np.sqrt(3 + edge["visits"]))


def test_a_prior_is_the_estimate_one_action_ahead_and_counts_as_so_many_visits():
    states = board(OPENINGS[3])
    search = Search(CONNECT_FOUR, "mcts:simulations=50,prior=4")
    search.act(states)
    mover = int(states["to_act"][0])
    for edge in search.edges():
        estimate = CONNECT_FOUR.evaluate(after(states, edge["action"]), mover)
        assert edge["prior"] == pytest.approx(estimate)
        reward = 0.0
        if edge["visits"]:
            reward = float(search.tree.nodes["average"][int(edge["node"])][mover])
        visits = int(edge["visits"])
        expected = (4 * estimate + visits * reward) / (4 + visits)
        assert edge["average"] == pytest.approx(expected, abs=1e-6)


def test_the_first_simulation_tries_the_action_that_looks_best():
    for text in OPENINGS:
        states = board(text)
        search = Search(CONNECT_FOUR, "mcts:simulations=1,prior=1")
        mover = int(states["to_act"][0])
        estimates = {
            int(a): CONNECT_FOUR.evaluate(after(states, a), mover)
            for a in CONNECT_FOUR.legal(states)
        }
        assert estimates[search.act(states)] == pytest.approx(max(estimates.values()))


def test_a_tree_without_transpositions_has_one_way_to_every_node():
    search = Search(TABLES[0].game, f"mcts:simulations=400,{PLAIN}")
    search.act(first_choice(TABLES[0]))
    assert sorted(int(e["node"]) for e in search.all_edges()) == list(range(1, len(search.nodes)))


def test_one_node_is_added_by_each_simulation_at_most():
    search = Search(CONNECT_FOUR, "mcts:simulations=400")
    search.act(board(""))
    assert len(search.nodes) <= 401


# --- seeds, slices and limits ----------------------------------------------------------------------


def test_equal_seeds_search_equally_and_other_seeds_otherwise():
    states = board(OPENINGS[3])
    visits = {}
    for seed in (1, 1, 2):
        search = Search(CONNECT_FOUR, "mcts:simulations=300", seed)
        action = search.act(states)
        found = (action, [int(e["visits"]) for e in search.edges()])
        assert visits.setdefault(seed, found) == found
    assert visits[1] != visits[2]


@pytest.mark.parametrize("setting", [settings(CONNECT_FOUR)[0], *TABLES[:2]], ids=lambda s: s.name)
def test_a_search_in_slices_chooses_as_in_one_go(setting):
    states = first_choice(setting)
    whole, sliced = (Search(setting.game, "mcts:simulations=500") for _ in range(2))
    expected = whole.act(states)
    slices = 0
    while (action := sliced.act(states, until=0)) == BUSY:
        slices += 1
    assert action == expected
    assert slices == 500 // 8
    assert sliced.rng[0] == whole.rng[0]
    assert sliced.root.tobytes() == whole.root.tobytes()


def test_a_new_search_forgets_the_last_one():
    search, other = (Search(CONNECT_FOUR, "mcts:simulations=200") for _ in range(2))
    search.act(board(OPENINGS[2]))
    search.rng[0] = 1
    assert search.act(board(OPENINGS[3])) == other.act(board(OPENINGS[3]))
    assert search.nodes.tobytes() == other.nodes.tobytes()
    assert [e.tobytes() for e in search.all_edges()] == [e.tobytes() for e in other.all_edges()]


def test_a_clock_budget_is_thinking_time_and_adds_up_over_slices():
    search, states = Search(CONNECT_FOUR, "mcts:seconds=0.2"), board("")
    began = now()
    search.act(states)
    assert 0.2e9 <= now() - began < 5e9
    calls, began = 0, now()
    while search.act(states, until=now() + 4_000_000) == BUSY:
        calls += 1
    assert calls >= 2
    assert now() - began >= 0.2e9
    assert search.root["visits"] > 100


def test_whichever_budget_is_spent_first_ends_the_search():
    search = Search(CONNECT_FOUR, "mcts:simulations=50,seconds=100")
    search.act(board(""))
    assert search.root["visits"] == 50


def test_memory_under_a_clock_is_limited():
    assert len(Search(CONNECT_FOUR, "mcts:simulations=5").tree.nodes) == 7
    search = Search(CONNECT_FOUR, "mcts:seconds=1")
    assert search.record["simulations"][0] > MOST_NODES
    assert len(search.tree.nodes) == MOST_NODES


def guarded(array, size: int):
    """The first `size` elements of a larger array whose rest is filled with a pattern."""
    wide = np.frombuffer(bytearray(b"\x55" * (array.itemsize * (size + 64))), array.dtype)
    wide[:size] = array[:size]
    return wide, wide[:size]


@pytest.mark.parametrize("limits", [{"nodes": 9}, {"edges": 20}, {"nodes": 1}, {"edges": 0}])
@pytest.mark.parametrize("setting", [settings(CONNECT_FOUR)[0], TABLES[1]], ids=lambda s: s.name)
def test_a_search_without_room_for_more_nodes_goes_on_within_its_limits(setting, limits):
    search, states = Search(setting.game, "mcts:simulations=900"), first_choice(setting)
    wide = {}
    for name, size in limits.items():
        wide[name], short = guarded(getattr(search.tree, name), size)
        search.tree = search.tree._replace(**{name: short})
    assert search.act(states) in setting.game.legal(states)
    assert search.root["visits"] == 900
    for name, size in limits.items():
        assert wide[name][size:].tobytes() == b"\x55" * (64 * wide[name].itemsize)
    assert len(search.nodes) <= limits.get("nodes", len(search.nodes))
    assert len(search.all_edges()) <= limits.get("edges", len(search.all_edges()))


def test_a_full_tree_still_wins_at_once():
    states = board("OOO.... XXX....")
    search = Search(CONNECT_FOUR, "mcts:simulations=2000")
    search.tree = search.tree._replace(nodes=search.tree.nodes[:12])
    assert search.act(states) == 3


# --- options ---------------------------------------------------------------------------------------

OPTIONS = [
    *("rollout=greedy", "rollout=greedy,epsilon=0", "rollout=greedy,epsilon=1"),
    *("rollout_depth=0", "rollout_depth=5", "rollout=greedy,rollout_depth=5"),
    *("reward=place", "reward=margin", "exploration=0", "exploration=2"),
    *("prior=0", "prior=100", "prior=0,exploration=0", "prior=1,rollout_depth=0"),
]


@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_wins_at_once(options):
    bot, states = f"mcts:simulations=300,{options}", board("OOO.... XXX....")
    assert {Search(CONNECT_FOUR, bot, seed).act(states) for seed in range(5)} == {3}


@pytest.mark.parametrize("options", [o for o in OPTIONS if "exploration=0" not in o])
def test_every_option_with_exploration_blocks(options):
    bot, states = f"mcts:simulations=2000,{options}", board("X...... XX..... OOO....")
    assert wins_in_one(passed(states)) == [3]
    assert {Search(CONNECT_FOUR, bot, seed).act(states) for seed in range(3)} == {3}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("setting", [TABLES[0], TABLES[1], TABLES[3]], ids=lambda s: s.name)
def test_every_option_works_with_hidden_cards(setting, options):
    search, states = Search(setting.game, f"mcts:simulations=40,{options}"), first_choice(setting)
    assert search.act(states) in setting.game.legal(states)
    averages = search.nodes["average"]
    assert (averages >= 0).all()
    assert (averages <= 1).all()


def test_a_cut_off_at_once_is_worth_the_estimate():
    states = board(OPENINGS[3])
    search = Search(CONNECT_FOUR, f"mcts:simulations=7,rollout_depth=0,{PLAIN}")
    search.act(states)
    mover = int(states["to_act"][0])
    for edge in search.edges():
        estimate = CONNECT_FOUR.evaluate(after(states, edge["action"]), mover)
        assert edge["average"] == pytest.approx(estimate)


def rewards(kind: int, ranks: list[int], points: list[int], teams=range(SEATS)) -> list[float]:
    """What a finished game is worth to each side."""
    states = np.zeros(1, CONNECT_FOUR.dtype)
    states["players"], states["team"] = len(ranks), list(teams)
    found = np.full(SEATS, -7.0)
    ranked, scored = np.zeros(SEATS, np.int8), np.zeros(SEATS, np.int32)
    ranked[: len(ranks)], scored[: len(points)] = ranks, points
    reward_end(found, states[0], ranked, scored, kind)
    return [round(float(found[side]), 6) for side in sorted(set(list(teams)[: len(ranks)]))]


@pytest.mark.parametrize(
    ("kind", "ranks", "teams", "expected"),
    [
        (WIN, [1, 2], (0, 1, 2, 3), [1, 0]),
        (WIN, [1, 1], (0, 1, 2, 3), [0.5, 0.5]),
        (WIN, [2, 1, 1], (0, 1, 2, 3), [0, 0.5, 0.5]),
        (WIN, [1, 1, 1, 1], (0, 1, 2, 3), [0.25] * 4),
        (WIN, [1, 2, 1, 2], (0, 1, 0, 1), [1, 0]),
        (WIN, [1, 1, 1, 1], (0, 1, 0, 1), [0.5, 0.5]),
        (WIN, [1], (0, 1, 2, 3), [1]),
        (WIN, [2], (0, 1, 2, 3), [0]),
        (PLACE, [1, 2, 3, 4], (0, 1, 2, 3), [1, 2 / 3, 1 / 3, 0]),
        (PLACE, [1, 2, 2], (0, 1, 2, 3), [1, 0.25, 0.25]),
        (PLACE, [1, 1], (0, 1, 2, 3), [0.5, 0.5]),
        (PLACE, [1, 2, 1, 2], (0, 1, 0, 1), [1, 0]),
        (PLACE, [1], (0, 1, 2, 3), [1]),
        (PLACE, [2], (0, 1, 2, 3), [0]),
    ],
)
def test_a_finished_game_is_worth_its_win_share_or_its_place(kind, ranks, teams, expected):
    assert rewards(kind, ranks, [0] * len(ranks), teams) == pytest.approx(expected, abs=1e-6)


def test_a_margin_counts_beside_the_win_and_never_turns_it_over():
    narrow, wide = rewards(MARGIN, [1, 2], [10, 9]), rewards(MARGIN, [1, 2], [90, 9])
    assert wide[0] > narrow[0] > 0.75 > 0.25 > narrow[1] > wide[1]
    assert sum(narrow) == pytest.approx(1)
    assert rewards(MARGIN, [1, 1], [7, 7]) == [0.5, 0.5]
    by_tie_break = rewards(MARGIN, [1, 2], [7, 7])
    assert by_tie_break[0] > 0.75
    assert rewards(MARGIN, [1], [30]) == [1.0]
    three = rewards(MARGIN, [1, 2, 3], [9, 5, 1])
    assert three[0] > three[1] > three[2]


def spread_over_chance(setting: Setting, control: float) -> float:
    """How far actions lie from each other by chance: of searches that differ in nothing else."""
    states = next(p.states for p in islice(positions(setting), 60, None) if len(p.legal) > 2)
    bot = f"mcts:simulations=200,exploration=5,rollout_depth=0,prior=0,control={control}"
    found = []
    for seed in range(30):
        search = Search(setting.game, bot, seed)
        search.act(states)
        values = np.array([float(edge["average"]) for edge in search.edges()])
        assert np.all((values > -1) & (values < 2))
        found.append(values - values.mean())
    return float(np.std(found, axis=0).mean())


def test_with_control_a_search_learns_less_of_the_luck_of_deals():
    (setting, *_) = settings(load_game("sacrificio"))
    assert spread_over_chance(setting, 1.0) < 0.7 * spread_over_chance(setting, 0.0)


def test_control_changes_nothing_where_nothing_is_hidden():
    plain, controlled = (
        Search(CONNECT_FOUR, f"mcts:simulations=50,control={control}") for control in (0, 1)
    )
    assert plain.act(board(OPENINGS[3])) == controlled.act(board(OPENINGS[3]))
    assert plain.nodes.tobytes() == controlled.nodes.tobytes()
