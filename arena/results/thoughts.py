"""What the searches of a stored match thought: each decision is thought through once more, as it was in the match."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.plan.identity import bot_seed
from arena.playing.hints import best_of, shared_out
from arena.results.replay import Replay, Step
from arena.store.run_folder import load_spec
from bots.compiled import Mind, compile_bot
from bots.tree import Tree
from engines.records import Rng
from engines.rng import seeded


@dataclass(frozen=True)
class Thought:
    """A decision of a search.

    best: the actions it visited most, each with its visits and its value: the win share it expects, which makes one
        whole with those of the other sides.
    visits: of all actions. seconds: what thinking took here.
    """

    best: tuple[tuple[int, int, float], ...]
    visits: int
    seconds: float


class Searchers:
    """The searches at the table of a match, with the chance that they had in it; other bots are not asked."""

    def __init__(self, folder: Path, replay: Replay) -> None:
        """Seat the bots that are shipped here and keep a tree: no strange code runs."""
        record = load_spec(folder)
        lineup = record.lineups[replay.row["lineup_id"]]
        self.game = replay.game
        self.opening = lineup.opening
        self.decisions = 0
        self.seats: dict[int, tuple[Mind, Rng]] = {}
        seating = () if record.people else replay.row["seating"]  # at tables chance is another
        for player, position in enumerate(seating):
            entrant = record.entrants[lineup.entrants[position]]
            spec = None if entrant.foreign else entrant.load()
            if spec is None or spec.kind.compiled is None:
                continue
            mind = Mind(spec.kind.compiled, spec.parameters, self.game)
            if isinstance(mind.memory, Tree):
                compile_bot(spec, self.game)
                run, deal = record.spec, replay.row["deal"]
                seed = bot_seed(run.seed, deal, player, entrant.id, run.salt)
                self.seats[player] = mind, seeded(seed)

    def think(self, replay: Replay, step: Step) -> Thought | None:
        """The thought behind an action that is about to be carried out; None where no search decided."""
        if len(step.legal) < 2:
            return None
        self.decisions += 1
        if self.decisions <= self.opening or step.actor not in self.seats:
            return None
        mind, rng = self.seats[step.actor]
        legal = np.zeros(self.game.max_legal, np.int32)
        legal[: len(step.legal)] = step.legal
        began = time.perf_counter()
        view = self.game.view(replay.states, step.actor)
        mind.think(view, legal, len(step.legal), rng)
        seconds = time.perf_counter() - began
        root = mind.memory.nodes[0]
        edges = mind.memory.edges[int(root["first"]) : int(root["first"] + root["count"])]
        found = shared_out(best_of(mind.memory), mind.memory, view)
        best = tuple((one.action, one.visits, one.value) for one in found)
        return Thought(best, int(edges["visits"].sum()), seconds)
