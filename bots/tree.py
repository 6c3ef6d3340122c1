"""The tree of a search: nodes with their edges side by side, kept in arrays that are never freed.

The edges of a node ascend by action, as legal actions do. Room for them doubles: a node that needs more moves its edges
to the end of memory and leaves a gap behind.
"""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core import Game
from engines.kernel import kernel, pasted
from engines.records import SEATS

NONE = -1
FIRST_ROOM = 8  # edges a node has room for at first
ROOT_LOG = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))
MOST_NODES = 1 << 21  # a search under a clock stops growing its tree here (about 130 MB)
EDGES_PER_NODE = 6  # each node has one edge to it, but rooms of edges double and leave gaps behind
WIDE_EDGES_PER_NODE = 24  # with a prior, a node visited again has an edge for each action
MOST_EDGES = 1 << 24  # 470 MB, of which the system hands out only what is touched
MOST_DEPTH = 4096  # decisions from the root to a leaf

NODE = np.dtype(
    [
        ("key", np.uint64),  # of the position, where transpositions are merged
        ("visits", np.int32),
        ("first", np.int32),  # its edges stand in edges[first..first+count-1], ascending by action
        ("count", np.int32),
        ("room", np.int32),  # for so many before they must move
        ("average", np.float64, (SEATS,)),  # reward of each side
    ]
)
EDGE = np.dtype(
    [
        ("action", np.int32),
        ("node", np.int32),  # where it leads
        ("visits", np.int32),
        ("available", np.int32),  # visits to the node above in which the action was legal
        # Selection looks at every edge, a visit changes one: what it needs stands ready here.
        ("average", np.float32),  # reward of the side that chose, below this edge
        ("spread", np.float32),  # 1 / sqrt(visits), those that the prior counts for among them
        ("prior", np.float32),  # evaluate's estimate of the action when the edge was made
    ]
)


def memory_dtype(max_legal: int) -> np.dtype[Any]:
    """What a search keeps besides its tree: one record, since its fields cost no reference counts."""
    return np.dtype(
        [
            ("running", np.int8),  # a search is under way
            ("finished", np.int64),  # simulations carried out
            ("spent", np.int64),  # nanoseconds of thinking in earlier slices
            ("nodes", np.int64),  # nodes in use; node 0 is the root
            ("edges", np.int64),  # edges in use
            ("untried", np.int32, (max_legal,)),  # actions without an edge
            ("places", np.int32, (max_legal,)),  # where among the edges of the node they belong
            ("scores", np.float64, (max_legal,)),  # of actions one ahead
            ("reward", np.float64, (SEATS,)),  # of each side in the simulation under way
            ("usual", np.float64, (SEATS,)),  # what the deals so far look worth to each side
            ("luck", np.float64, (SEATS,)),  # and how much better the deal under way does
            ("path_nodes", np.int32, (MOST_DEPTH,)),  # from the root down
            ("path_edges", np.int32, (MOST_DEPTH,)),  # the edge to each of them
            ("path_sides", np.int32, (MOST_DEPTH,)),  # the side that chose it
        ]
    )


class Tree(NamedTuple):
    """All memory of a search."""

    memory: NDArray[Any]  # memory_dtype[1]
    nodes: NDArray[Any]  # NODE[most]
    edges: NDArray[Any]  # EDGE[...]
    slots: NDArray[
        np.int32
    ]  # hash table of nodes by key, NONE = free; its length is a power of two
    legal: NDArray[np.int32]  # [max_legal]
    ranks: NDArray[np.int8]  # [SEATS]
    points: NDArray[np.int32]  # [SEATS]
    states: NDArray[Any]  # State[1]: the position of the simulation under way
    trial: NDArray[Any]  # State[1]: one action further


def new_tree(game: Game, simulations: int, prior: float) -> Tree:
    """Memory for so many simulations a decision. The system hands out zeros only when they are touched."""
    most = max(2, min(simulations + 2, MOST_NODES))
    room = WIDE_EDGES_PER_NODE if prior > 0 else EDGES_PER_NODE
    slots = 1 << (2 * most).bit_length() if game.perfect_information else 1
    return Tree(
        memory=np.zeros(1, memory_dtype(game.max_legal)),
        nodes=np.zeros(most, NODE),
        edges=np.zeros(min(room * most, MOST_EDGES), EDGE),
        slots=np.zeros(slots, np.int32),
        legal=np.zeros(game.max_legal, np.int32),
        ranks=np.zeros(SEATS, np.int8),
        points=np.zeros(SEATS, np.int32),
        states=np.zeros(1, game.dtype),
        trial=np.zeros(1, game.dtype),
    )


@pasted
def start_search(memory, nodes, slots):
    """Forget the last tree; the root is node 0."""
    if slots.size > 1:
        slots[:] = NONE
    memory.running = 1
    memory.finished = 0
    memory.spent = 0
    memory.nodes = 1
    memory.edges = 0
    for side in range(SEATS):
        memory.usual[side] = 0.0
        memory.luck[side] = 0.0
    clear_node(nodes[0])


@kernel
def clear_node(node):
    """An unvisited node without edges."""
    node.visits = 0
    node.first = 0
    node.count = 0
    node.room = 0
    for side in range(SEATS):
        node.average[side] = 0.0


@kernel
def best_bound(edges, first, n, width):
    """The edge with the highest average + width / sqrt(visits) of n edges that are all legal."""
    best = first
    highest = -1.0
    for number in range(first, first + n):
        edge = edges[number]
        bound = float(edge.average) + width * float(edge.spread)
        if bound > highest:
            highest = bound
            best = number
    return best


@kernel
def compare_legal(memory, node, edges, legal, n, exploration, visits):
    """Write the legal actions without an edge to `untried`: (how many, else the edge with the best bound).

    Edges and legal actions both ascend: one walk along the two finds all. Each edge that is legal counts as
    available in so many `visits` more, whether it is chosen or not.
    """
    first = int(node.first)
    number = first
    end = number + int(node.count)
    untried = 0
    best = NONE
    highest = -1.0
    for i in range(n):
        action = int(legal[i])
        while number < end and edges[number].action < action:
            number += 1
        if number < end and edges[number].action == action:
            edge = edges[number]
            edge.available += visits
            width = exploration * root_log(int(edge.available))
            bound = float(edge.average) + width * float(edge.spread)
            if bound > highest:
                highest = bound
                best = number
        else:
            memory.untried[untried] = action
            memory.places[untried] = number - first
            untried += 1
    return untried, best


@kernel
def root_log(count):
    """sqrt(ln count), from a table while the count is small."""
    if count < ROOT_LOG.size:
        return ROOT_LOG[count]
    return math.sqrt(math.log(float(count)))


@kernel
def has_room(memory, nodes, node, edges, needed, n):
    """Whether there is room for one more node and so many edges; edges without room move to the end of memory."""
    if memory.nodes == nodes.size:
        return False
    if needed <= node.room:
        return True
    room = max(needed, min(n, FIRST_ROOM), 2 * int(node.room))
    first = int(memory.edges)
    if first + room > edges.size:
        return False
    for i in range(int(node.count)):
        edges[first + i] = edges[int(node.first) + i]
    node.first = first
    node.room = room
    memory.edges = first + room
    return True


@kernel
def add_edge(node, edges, action, place):
    """A new edge at a place among those of a node; returns its number."""
    number = int(node.first) + place
    for i in range(int(node.first) + int(node.count), number, -1):
        edges[i] = edges[i - 1]
    node.count += 1
    edge = edges[number]
    edge.action = action
    edge.node = NONE
    edge.visits = 0
    edge.available = 1
    edge.average = 0.0
    edge.prior = 0.0
    edge.spread = 1.0
    return number


@kernel
def find_slot(nodes, slots, mark):
    """Where the node of a key stands in the hash table, or the free slot where it belongs."""
    mask = slots.size - 1
    slot = np.int64(mark & np.uint64(mask))
    while slots[slot] != NONE and nodes[slots[slot]].key != mark:
        slot = (slot + 1) & mask
    return slot


@kernel
def back_up(memory, nodes, edges, depth, prior):
    """Move the average rewards of every node of the path and count its edges."""
    for i in range(depth + 1):
        node = nodes[memory.path_nodes[i]]
        node.visits += 1
        share = 1.0 / float(node.visits)
        for side in range(SEATS):
            node.average[side] += share * (memory.reward[side] - node.average[side])
        if i > 0:
            edge = edges[memory.path_edges[i]]
            edge.visits += 1
            average = node.average[memory.path_sides[i]]
            weight = prior / (prior + float(edge.visits))
            edge.average = average + weight * (float(edge.prior) - average)
            edge.spread = 1.0 / math.sqrt(prior + float(edge.visits))


@kernel
def most_visited(nodes, edges, legal):
    """The root action with the most visits; of equal ones the better."""
    best = int(legal[0])
    most = -1
    highest = -1.0
    root = nodes[0]
    for number in range(int(root.first), int(root.first) + int(root.count)):
        edge = edges[number]
        average = float(edge.average)
        if edge.visits > most or (edge.visits == most and average > highest):
            most = int(edge.visits)
            highest = average
            best = int(edge.action)
    return best
