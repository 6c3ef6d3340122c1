"""The bot named `mcts`: Monte-Carlo tree search on information sets.

Each simulation draws one position that the player holds for possible and descends a tree of actions that is shared by
all of them (single-observer information-set MCTS: Cowling, Powley and Whitehouse 2012). A child competes only in the
simulations in which its action is legal: its exploration term uses its own availability count. Every side maximises
its own reward (max^n: Luckhardt and Irani 1986), so a node keeps the rewards of up to four sides. A single legal
action is carried out without a tree level. Where nothing is hidden and no chance remains, nodes of equal `key` are one
node, valued from the node and counted on the edge (UCT2: Childs, Brodeur and Kocsis 2008).
"""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from bots.compiled import BUSY, make_compiled
from bots.core import BotKind
from bots.greedy import best_of
from engines.core import Option
from engines.kernel import kernel, link, now
from engines.records import SEATS
from engines.rng import below, unit

NONE = -1
RANDOM, GREEDY = 0, 1
WIN, PLACE, MARGIN = 0, 1, 2
ROLLOUTS = ("random", "greedy")
REWARDS = ("win", "place", "margin")
UNLIMITED = 1 << 40
CLOCK_EVERY = 8  # simulations between two looks at the clock
ROOT_LOG = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))
MARGIN_SHARE = 0.25  # of the margin reward that the margin decides; the rest is the win share
MARGIN_SCALE = 10.0  # points of margin worth half of what any margin can be worth


@dataclass(frozen=True)
class Parameters:
    """How long the search thinks and how."""

    simulations: Annotated[
        int | None, Option("simulations a decision (1000 unless seconds is given)", 1, 100_000_000)
    ] = None
    seconds: Annotated[
        float | None, Option("wall clock a decision; makes a run not reproducible", 0.0001, 3600)
    ] = None
    exploration: Annotated[float, Option("weight of the exploration term", 0, 100)] = 0.7
    rollout: Annotated[str, Option("how simulations are played out", choices=ROLLOUTS)] = "random"
    epsilon: Annotated[float, Option("share of random actions in greedy rollouts", 0, 1)] = 0.2
    rollout_depth: Annotated[
        int | None,
        Option("decisions before a rollout is cut off and evaluated; none = never", 0, 100_000),
    ] = None
    reward: Annotated[str, Option("what a finished game is worth", choices=REWARDS)] = "win"

    def __post_init__(self) -> None:
        """Give a search without any budget 1000 simulations."""
        if self.simulations is None and self.seconds is None:
            object.__setattr__(self, "simulations", 1000)

    def fields(self) -> dict[str, Any]:
        """Values of the BOT record."""
        return {
            "simulations": UNLIMITED if self.simulations is None else self.simulations,
            "nanoseconds": 0 if self.seconds is None else int(self.seconds * 1e9),
            "exploration": self.exploration,
            "rollout": ROLLOUTS.index(self.rollout),
            "epsilon": self.epsilon,
            "depth": -1 if self.rollout_depth is None else self.rollout_depth,
            "reward": REWARDS.index(self.reward),
        }


def search(views, legal, n, bots, seat, tree, rng, until):
    """Template: simulate until the budget is spent; the most visited action, or BUSY when `until` has passed."""
    bot = bots[seat]
    search = tree.search[0]
    began = now()
    if not search.running:
        start_search(tree)
        search.spent = 0
    while search.finished < bot.simulations:
        simulate(views, bots, seat, tree, rng)
        search.finished += 1
        if search.finished % CLOCK_EVERY == 0:
            clock = now()
            if bot.nanoseconds > 0 and int(search.spent) + clock - began >= bot.nanoseconds:
                break
            if clock >= until:
                search.spent += clock - began
                return BUSY
    search.running = 0
    return most_visited(tree, legal)


@kernel
def start_search(tree):
    """Forget the last tree; the root is node 0."""
    search = tree.search[0]
    if tree.slots.size > 1:
        tree.slots[:] = NONE
    search.running = 1
    search.finished = 0
    search.nodes = 1
    search.edges = 0
    clear_node(tree, 0)


@kernel
def clear_node(tree, number):
    """An unvisited node without edges."""
    node = tree.nodes[number]
    node.visits = 0
    node.first = NONE
    for side in range(SEATS):
        node.mean[side] = 0.0


@kernel
def most_visited(tree, legal):
    """The root action with the most visits; of equal ones the better."""
    best = int(legal[0])
    most = -1
    highest = -1.0
    number = int(tree.nodes[0].first)
    while number != NONE:
        edge = tree.edges[number]
        mean = float(edge.mean)
        if edge.visits > most or (edge.visits == most and mean > highest):
            most = int(edge.visits)
            highest = mean
            best = int(edge.action)
        number = int(edge.next)
    return best


def simulate(views, bots, seat, tree, rng):
    """Template: one descent, one new node, one rollout, and the rewards back up.

    Arrays are taken out of the tuple once: each `tree.x` inside a loop costs a reference count.
    """
    bot = bots[seat]
    states = tree.states
    legal = tree.legal
    edges = tree.edges
    path_nodes = tree.path_nodes
    path_edges = tree.path_edges
    path_sides = tree.path_sides
    determinize(views, rng, states)
    n = legal_actions(states, legal)
    node = 0
    depth = 0
    path_nodes[0] = 0
    fresh = False
    while n > 0 and not fresh and depth + 1 < path_nodes.size:
        side = int(states[0].team[states[0].to_act])
        edge, fresh = pick_edge(tree, node, n, bot.exploration, MERGED, rng)
        if edge == NONE:
            break  # the tree is full: what follows is rollout
        n = play_on(states, int(edges[edge].action), legal, rng)
        if fresh:
            fresh = place_node(tree, edge, states)
        node = int(edges[edge].node)
        depth += 1
        path_nodes[depth] = node
        path_edges[depth] = edge
        path_sides[depth] = side
    roll_out(bot, tree, n, rng)
    back_up(tree, depth)


def play_on(states, action, legal, rng):
    """Template: one action and the single legal ones after it; returns how many to choose from, 0 at the end."""
    n = 1
    while n == 1:
        apply(states, action, rng)
        n = legal_actions(states, legal)
        action = int(legal[0])
    return n


@kernel
def pick_edge(tree, node, n, exploration, merged, rng):
    """An untried legal action at random, else the one with the best upper bound: (edge, whether it is new).

    Edges are kept in ascending order of actions, as the legal actions are: one walk along both finds them all.
    """
    edges = tree.edges
    legal = tree.legal
    width = exploration * root_log(int(tree.nodes[node].visits) + 1)
    before = NONE
    number = int(tree.nodes[node].first)
    untried = 0
    best = NONE
    highest = -1.0
    for i in range(n):
        action = int(legal[i])
        while number != NONE and edges[number].action < action:
            before = number
            number = int(edges[number].next)
        if number != NONE and edges[number].action == action:
            edge = edges[number]
            edge.available += 1
            if untried == 0:
                if not merged:
                    width = exploration * root_log(int(edge.available))
                bound = float(edge.mean) + width * float(edge.spread)
                if bound > highest:
                    highest = bound
                    best = number
        else:
            tree.untried[untried] = action
            tree.after[untried] = before
            untried += 1
    if untried == 0:
        return best, False
    chosen = below(rng, untried)
    return add_edge(tree, node, int(tree.untried[chosen]), int(tree.after[chosen])), True


@kernel
def root_log(count):
    """sqrt(ln count), from a table while the count is small."""
    if count < ROOT_LOG.size:
        return ROOT_LOG[count]
    return math.sqrt(math.log(float(count)))


@kernel
def add_edge(tree, node, action, before):
    """A new edge behind the edge `before`; NONE when memory is used up."""
    search = tree.search[0]
    number = int(search.edges)
    if number == tree.edges.size or search.nodes == tree.nodes.size:
        return NONE
    search.edges = number + 1
    edge = tree.edges[number]
    edge.action = action
    edge.visits = 0
    edge.available = 1
    edge.mean = 0.0
    edge.spread = 1.0
    if before == NONE:
        edge.next = tree.nodes[node].first
        tree.nodes[node].first = number
    else:
        edge.next = tree.edges[before].next
        tree.edges[before].next = number
    return number


def place_node(tree, edge, states):
    """Template: the node a new edge leads to; returns whether it is new too."""
    search = tree.search[0]
    number = int(search.nodes)
    if MERGED:
        mark = key(states)
        mask = tree.slots.size - 1
        slot = np.int64(mark & np.uint64(mask))
        while tree.slots[slot] != NONE:
            known = int(tree.slots[slot])
            if tree.nodes[known].key == mark:
                tree.edges[edge].node = known
                return False
            slot = (slot + 1) & mask
        tree.slots[slot] = number
        tree.nodes[number].key = mark
    search.nodes = number + 1
    clear_node(tree, number)
    tree.edges[edge].node = number
    return True


def roll_out(bot, tree, n, rng):
    """Template: play the position of the simulation on, then write the reward of each side."""
    states = tree.states
    legal = tree.legal
    left = int(bot.depth)
    greedy = bot.rollout == GREEDY
    while n > 0 and left != 0:
        if n == 1:
            action = int(legal[0])
        else:
            left -= 1
            if greedy and unit(rng) >= bot.epsilon:
                action = look_ahead(tree, n, rng)
            else:
                action = int(legal[below(rng, n)])
        apply(states, action, rng)
        n = legal_actions(states, legal)
    if n > 0:
        for player in range(int(states[0].players)):
            tree.reward[states[0].team[player]] = evaluate(states, player)
    else:
        ranks(states, tree.ranks)
        if bot.reward == MARGIN:
            points(states, tree.points)
        reward_end(tree, int(bot.reward), int(states[0].players))


def look_ahead(tree, n, rng):
    """Template: the legal action that looks best one action ahead to the player who decides."""
    player = int(tree.states[0].to_act)
    for i in range(n):
        tree.trial[0] = tree.states[0]
        apply(tree.trial, int(tree.legal[i]), rng)
        tree.scores[i] = evaluate(tree.trial, player)
    return int(tree.legal[best_of(tree.scores, n, rng)])


@kernel
def reward_end(tree, reward, players):
    """What the finished game is worth to each side."""
    if reward == PLACE:
        reward_places(tree, players)
    else:
        reward_wins(tree, players)
    if reward == MARGIN:
        blend_margin(tree, players)


@kernel
def reward_wins(tree, players):
    """1 for the winning side, 1/k for each of k sides that share the first place."""
    team = tree.states[0].team
    ranks = tree.ranks
    reward = tree.reward
    winners = 0
    for player in range(players):
        reward[team[player]] = 0.0
    for player in range(players):
        if ranks[player] == 1 and reward[team[player]] == 0.0:
            reward[team[player]] = 1.0
            winners += 1
    for player in range(players):
        if ranks[player] == 1:
            reward[team[player]] = 1.0 / winners


@kernel
def reward_places(tree, players):
    """From 1 for the first to 0 for the last, ties in the middle; for a side alone 1 if its target is beaten."""
    team = tree.states[0].team
    if players == 1:
        tree.reward[team[0]] = 1.0 if tree.ranks[0] == 1 else 0.0
    for player in range(players):
        beaten = 0.0
        others = 0.0
        for other in range(players):
            if team[other] != team[player]:
                others += 1.0
                if tree.ranks[other] > tree.ranks[player]:
                    beaten += 1.0
                elif tree.ranks[other] == tree.ranks[player]:
                    beaten += 0.5
        if others > 0.0:
            tree.reward[team[player]] = beaten / others


@kernel
def blend_margin(tree, players):
    """Mix into each side's win share how far its best points lie ahead of, or behind, the best of the others."""
    team = tree.states[0].team
    for side in range(SEATS):
        own = 0
        rival = 0
        seen_own = False
        seen_rival = False
        for player in range(players):
            score = int(tree.points[player])
            if team[player] == side:
                own = max(own, score) if seen_own else score
                seen_own = True
            else:
                rival = max(rival, score) if seen_rival else score
                seen_rival = True
        if seen_own and seen_rival:
            margin = float(own - rival)
            share = 0.5 + 0.5 * margin / (abs(margin) + MARGIN_SCALE)
            tree.reward[side] += MARGIN_SHARE * (share - tree.reward[side])


@kernel
def back_up(tree, depth):
    """Move the mean rewards of every node of the path and count its edges."""
    nodes = tree.nodes
    edges = tree.edges
    reward = tree.reward
    path_nodes = tree.path_nodes
    path_edges = tree.path_edges
    path_sides = tree.path_sides
    for i in range(depth + 1):
        node = nodes[path_nodes[i]]
        node.visits += 1
        share = 1.0 / float(node.visits)
        for side in range(SEATS):
            node.mean[side] += share * (reward[side] - node.mean[side])
        if i > 0:
            edge = edges[path_edges[i]]
            edge.visits += 1
            edge.mean = node.mean[path_sides[i]]
            edge.spread = 1.0 / math.sqrt(float(edge.visits))


def link_to(names: dict[str, Any], merged: bool) -> Any:
    """`search` for one game's kernels; `merged` where nothing is hidden and no chance remains."""

    def take(*used: str) -> dict[str, Any]:
        return {name: names[name] for name in used}

    play = link(play_on, **take("apply", "legal_actions"))
    ahead = link(look_ahead, **take("apply", "evaluate"))
    out = link(
        roll_out,
        look_ahead=ahead,
        **take("apply", "legal_actions", "evaluate", "ranks", "points"),
    )
    place = link(place_node, MERGED=merged, **take("key"))
    one = link(
        simulate,
        play_on=play,
        roll_out=out,
        place_node=place,
        MERGED=merged,
        **take("determinize", "legal_actions"),
    )
    return link(search, simulate=one)


KIND = BotKind(
    "mcts",
    "Monte-Carlo tree search on information sets",
    Parameters,
    make_compiled("mcts"),
    compiled=True,
)
