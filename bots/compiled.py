"""Bots that are compiled: their parameters as a record, their memory as arrays, one `think` for all.

Random bots decide inside the referee kernel. The others are called from Python (about 10 us a decision): linked into
the referee, every search would be compiled there once more.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.choice import choose_uniformly
from bots.core import Bot, BotSpec, View
from engines.core import Game
from engines.kernel import now
from engines.records import SEATS, Rng, State, copy
from engines.records import View as ViewRecord
from engines.rng import seeded

BUSY = -1  # think has not finished
OUTSIDE = 0  # a seat whose decisions come from outside the compiled code
FOREVER = (1 << 63) - 1
SLICE = 200_000_000  # nanoseconds of work before compiled code returns to Python
MOST_NODES = 1 << 21  # a search under a clock stops growing its tree here (about 130 MB)
EDGES_PER_NODE = 6  # each node has one edge to it, but rooms of edges double and leave gaps behind
WIDE_EDGES_PER_NODE = 24  # with a prior, a node visited again has an edge for each action
MOST_EDGES = 1 << 24  # 470 MB, of which the system hands out only what is touched
MOST_DEPTH = 4096  # decisions from the root to a leaf

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


# --- one game's compiled bots -----------------------------------------------------------------------------

KIND_NUMBERS = {"random": 1, "greedy": 2, "mcts": 3}


@dataclass(frozen=True)
class Compiled:
    """One game's linked bots; all take (views, legal, n, bots, seat, tree, rng), the search also `until`."""

    choose_best: Any
    search: Any


@functools.cache
def compiled(game: Game) -> Compiled:
    """The bot templates linked to one game's kernels."""
    from bots import greedy, mcts

    names = {
        "apply": game.apply,
        "legal_actions": game.legal_actions,
        "determinize": game.determinize,
        "evaluate": game.evaluate,
        "ranks": game.ranks,
        "points": game.points,
        "key": game.key,
    }
    return Compiled(greedy.link_to(names), mcts.link_to(names, game.perfect_information))


def think(
    game: Game,
    views: ViewRecord,
    legal: NDArray[np.int32],
    n: int,
    bots: NDArray[Any],
    seat: int,
    tree: Tree,
    rng: Rng,
    until: int = FOREVER,
) -> int:
    """Let a compiled bot decide.

    Args:
        views: what its player may know.
        legal: the legal actions in legal[0..n-1].
        bots, seat: the bot is bots[seat].
        until: clock at which a search returns BUSY; called again with the same arguments it goes on.
    """
    kind = int(bots["kind"][seat])
    kernels = compiled(game)
    if kind == KIND_NUMBERS["mcts"]:
        return int(kernels.search(views, legal, n, bots, seat, tree, rng, until))
    if kind == KIND_NUMBERS["greedy"]:
        return int(kernels.choose_best(views, legal, n, bots, seat, tree, rng))
    return int(choose_uniformly(legal, n, rng))


def load_bots(game: Game, start: State, bots: NDArray[Any]) -> None:
    """Compile, or load from the cache, what these bots need, by one small decision from a blank State."""
    for kind in sorted({int(kind) for kind in bots["kind"]}):
        if (game, kind) not in _loaded and kind in KIND_NUMBERS.values():
            small = np.zeros(1, BOT)
            small["kind"], small["simulations"], small["samples"], small["depth"] = kind, 1, 1, -1
            states, rng = copy(start), seeded(0)
            game.deal(states, rng)
            while len(legal := game.legal(states)) == 1:
                game.apply(states, int(legal[0]), rng)
            views = game.view(states, int(states["to_act"][0]))
            think(game, views, legal, len(legal), small, 0, new_tree(game, small), rng)
            _loaded.add((game, kind))


_loaded: set[tuple[Game, int]] = set()


def bot_records(specs: Sequence[BotSpec | None]) -> NDArray[Any]:
    """BOT[n] for these bots; None and bots that are not compiled become OUTSIDE."""
    records = np.zeros(len(specs), BOT)
    for record, spec in zip(records, specs, strict=True):
        if spec is not None and spec.kind.compiled:
            record["kind"] = KIND_NUMBERS[spec.kind.name]
            for name, value in spec.parameters.fields().items():
                record[name] = value
    return records


class CompiledBot:
    """A compiled bot behind the Bot protocol, for the bot server and for people."""

    def __init__(self, spec: BotSpec) -> None:
        """A bot of a compiled kind."""
        self.spec = spec

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins."""
        self.game = game
        self.bots = bot_records([self.spec])
        self.tree = new_tree(game, self.bots)
        self.rng = seeded(seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """Choose one of the legal actions."""
        actions = np.asarray(legal, np.int32)
        mine = self.bots, 0, self.tree, self.rng
        while True:  # in slices, so that Ctrl-C and signals are heard in between
            chosen = think(self.game, view.record, actions, len(actions), *mine, now() + SLICE)
            if chosen != BUSY:
                return chosen

    def close(self) -> None:
        """The match is over."""


def make_compiled(name: str) -> Any:
    """The `make` of a compiled kind."""

    def make(parameters: Any) -> Bot:
        from bots.core import bot_kinds

        return CompiledBot(BotSpec(bot_kinds()[name], parameters, name))

    return make
