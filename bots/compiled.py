"""What compiled bots share: their parameters as a record, their memory as arrays."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core import Game
from engines.records import SEATS

BUSY = -1  # think has not finished
OUTSIDE = 0  # a seat whose decisions come from outside the compiled code
FOREVER = (1 << 63) - 1
SLICE = 200_000_000  # nanoseconds of work before compiled code returns to Python
MOST_NODES = 1 << 21  # a search under a clock stops growing its tree here (about 130 MB)
EDGES_PER_NODE = 6  # each node has one edge to it, but rooms of edges double and leave gaps behind
WIDE_EDGES_PER_NODE = 24  # with a prior, a node visited again has an edge for each action
MOST_EDGES = 1 << 24  # 470 MB, of which the system hands out only what is touched
MOST_DEPTH = 4096  # decisions from the root to a leaf
KIND_NUMBERS = {"random": 1, "greedy": 2, "mcts": 3}

BOT = np.dtype(
    [
        ("kind", np.int8),  # OUTSIDE, or the number of a compiled kind
        ("simulations", np.int64),  # mcts: simulations a decision
        ("nanoseconds", np.int64),  # mcts: wall clock a decision, 0 = no limit
        ("exploration", np.float64),  # mcts: weight of the exploration term
        ("rollout", np.int8),  # mcts: 0 = random, 1 = greedy
        ("epsilon", np.float64),  # mcts: share of random actions in greedy rollouts
        ("depth", np.int64),  # mcts: decisions before a rollout is cut off, -1 = never
        ("prior", np.float64),  # mcts: visits that an estimate counts for
        ("reward", np.int8),  # mcts: 0 = win share, 1 = place, 2 = margin
        ("samples", np.int64),  # greedy: determinizations to average over
    ]
)
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
            ("path_nodes", np.int32, (MOST_DEPTH,)),  # from the root down
            ("path_edges", np.int32, (MOST_DEPTH,)),  # the edge to each of them
            ("path_sides", np.int32, (MOST_DEPTH,)),  # the side that chose it
        ]
    )


class Tree(NamedTuple):
    """All memory of the compiled bots of one table; only one of them thinks at a time."""

    memory: NDArray[Any]  # memory_dtype[1]
    nodes: NDArray[Any]  # NODE[most]
    edges: NDArray[Any]  # EDGE[...]
    slots: NDArray[np.int32]  # hash table of nodes by key, -1 = free; its length is a power of two
    legal: NDArray[np.int32]  # [max_legal]
    ranks: NDArray[np.int8]  # [SEATS]
    points: NDArray[np.int32]  # [SEATS]
    states: NDArray[Any]  # State[1]: the position of the simulation under way
    trial: NDArray[Any]  # State[1]: one action further


def new_tree(game: Game, bots: NDArray[Any]) -> Tree:
    """Memory large enough for the searches of these bots (BOT[...])."""
    searching = bots[bots["kind"] == KIND_NUMBERS["mcts"]]
    most = 2
    for bot in searching:
        most = max(most, min(int(bot["simulations"]) + 2, MOST_NODES))
    room = WIDE_EDGES_PER_NODE if np.any(searching["prior"] > 0) else EDGES_PER_NODE
    slots = 1 << (2 * most).bit_length() if game.perfect_information else 1
    return Tree(
        memory=np.zeros(1, memory_dtype(game.max_legal)),
        nodes=np.zeros(most, NODE),
        edges=np.zeros(min(room * most, MOST_EDGES), EDGE),
        slots=np.full(slots, -1, np.int32),
        legal=np.zeros(game.max_legal, np.int32),
        ranks=np.zeros(SEATS, np.int8),
        points=np.zeros(SEATS, np.int32),
        states=np.zeros(1, game.dtype),
        trial=np.zeros(1, game.dtype),
    )
