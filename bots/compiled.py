"""Bots that run inside compiled code: their parameters as a record, their memory as arrays, one `think` for all.

`think(views, legal, n, bots, seat, tree, rng, until)` returns the chosen action, or `BUSY` when the clock passed
`until` in the middle of a search; called again with the same arguments it goes on where it stopped.
"""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.core import Bot, BotSpec, View
from engines.core import Game
from engines.kernel import link
from engines.records import SEATS
from engines.rng import seeded

BUSY = -1  # think has not finished
OUTSIDE = 0  # a seat whose decisions come from outside the compiled code
FOREVER = (1 << 63) - 1
SLICE = 200_000_000  # nanoseconds of work before compiled code returns to Python
MOST_NODES = 1 << 21  # a search under a clock stops growing its tree here (about 130 MB)
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
        ("reward", np.int8),  # mcts: 0 = win share, 1 = place, 2 = margin
        ("samples", np.int64),  # greedy: determinizations to average over
    ]
)
SEARCH = np.dtype(
    [
        ("running", np.int8),  # a search is under way
        ("finished", np.int64),  # simulations carried out
        ("started", np.int64),  # clock at the first one, nanoseconds
        ("spent", np.int64),  # nanoseconds of thinking in earlier slices
        ("nodes", np.int64),  # nodes in use; node 0 is the root
        ("edges", np.int64),  # edges in use
    ]
)
NODE = np.dtype(
    [
        ("key", np.uint64),  # of the position, where transpositions are merged
        ("visits", np.int32),
        ("first", np.int32),  # first edge, in ascending order of actions; -1 = none
        ("mean", np.float64, (SEATS,)),  # mean reward of each side
    ]
)
EDGE = np.dtype(
    [
        ("action", np.int32),
        ("next", np.int32),  # the edge of the next higher action; -1 = none
        ("node", np.int32),  # where it leads
        ("visits", np.int32),
        ("available", np.int32),  # visits to the node above in which the action was legal
        # Selection looks at every edge, a visit changes one: what it needs stands ready here.
        ("mean", np.float32),  # mean reward of the side that chose, below this edge
        ("spread", np.float32),  # 1 / sqrt(visits)
    ]
)


class Tree(NamedTuple):
    """All memory of the compiled bots of one table; only one of them thinks at a time."""

    search: NDArray[Any]  # SEARCH[1]
    nodes: NDArray[Any]  # NODE[most]
    edges: NDArray[Any]  # EDGE[most]
    slots: NDArray[np.int32]  # hash table of nodes by key, -1 = free; its length is a power of two
    path_nodes: NDArray[np.int32]  # [MOST_DEPTH] nodes of the simulation under way
    path_edges: NDArray[np.int32]  # [MOST_DEPTH]
    path_sides: NDArray[np.int32]  # [MOST_DEPTH] the side that chose each edge
    untried: NDArray[np.int32]  # [max_legal] actions without an edge
    after: NDArray[np.int32]  # [max_legal] the edge each of them comes after
    legal: NDArray[np.int32]  # [max_legal]
    reward: NDArray[np.float64]  # [SEATS] of each side
    scores: NDArray[np.float64]  # [max_legal] sums of greedy
    ranks: NDArray[np.int8]  # [SEATS]
    points: NDArray[np.int32]  # [SEATS]
    states: NDArray[Any]  # State[1]: the position of the simulation under way
    trial: NDArray[Any]  # State[1]: one action further
    views: NDArray[Any]  # View[1]


def new_tree(game: Game, bots: NDArray[Any]) -> Tree:
    """Memory large enough for the searches of these bots (BOT[...])."""
    searching = bots[bots["kind"] == KIND_NUMBERS["mcts"]]
    most = 2
    for bot in searching:
        most = max(most, min(int(bot["simulations"]) + 2, MOST_NODES))
    slots = 1 << (2 * most).bit_length() if game.perfect_information else 1
    return Tree(
        search=np.zeros(1, SEARCH),
        nodes=np.zeros(most, NODE),
        edges=np.zeros(4 * most if game.perfect_information else most, EDGE),
        slots=np.full(slots, -1, np.int32),
        path_nodes=np.zeros(MOST_DEPTH, np.int32),
        path_edges=np.zeros(MOST_DEPTH, np.int32),
        path_sides=np.zeros(MOST_DEPTH, np.int32),
        untried=np.zeros(game.max_legal, np.int32),
        after=np.zeros(game.max_legal, np.int32),
        legal=np.zeros(game.max_legal, np.int32),
        reward=np.zeros(SEATS),
        scores=np.zeros(game.max_legal),
        ranks=np.zeros(SEATS, np.int8),
        points=np.zeros(SEATS, np.int32),
        states=np.zeros(1, game.dtype),
        trial=np.zeros(1, game.dtype),
        views=np.zeros(1, game.dtype),
    )


# --- one game's compiled bots -----------------------------------------------------------------------------

KIND_NUMBERS = {"random": 1, "greedy": 2, "mcts": 3}


def think(views, legal, n, bots, seat, tree, rng, until):
    """Template: let the bot of a seat decide; see the module's docstring."""
    kind = bots[seat].kind
    if kind == 2:
        return choose_best(views, legal, n, bots, seat, tree, rng)
    if kind == 3:
        return search(views, legal, n, bots, seat, tree, rng, until)
    return choose_uniformly(legal, n, rng)


@dataclass(frozen=True)
class Compiled:
    """One game's linked bots."""

    think: Any
    search: Any
    choose_best: Any


@functools.cache
def compiled(game: Game) -> Compiled:
    """The bot templates linked to one game's kernels."""
    from bots import greedy, mcts, uniform

    names = {
        "apply": game.apply,
        "legal_actions": game.legal_actions,
        "determinize": game.determinize,
        "evaluate": game.evaluate,
        "ranks": game.ranks,
        "points": game.points,
        "key": game.key,
    }
    choose_best = greedy.link_to(names)
    search = mcts.link_to(names, game.perfect_information)
    linked = link(
        think, choose_best=choose_best, search=search, choose_uniformly=uniform.choose_uniformly
    )
    return Compiled(linked, search, choose_best)


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
        self.think = compiled(game).think

    def act(self, view: View, legal: Sequence[int]) -> int:
        """Choose one of the legal actions."""
        actions = np.asarray(legal, np.int32)
        record = view.record
        chosen = self.think(
            record, actions, len(actions), self.bots, 0, self.tree, self.rng, FOREVER
        )
        return int(chosen)

    def close(self) -> None:
        """The match is over."""


def make_compiled(name: str) -> Any:
    """The `make` of a compiled kind."""

    def make(parameters: Any) -> Bot:
        from bots.core import bot_kinds

        return CompiledBot(BotSpec(bot_kinds()[name], parameters, name))

    return make
