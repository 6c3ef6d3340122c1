"""What only a re-play shows: the points after each round of turns, and how many actions were legal.

Positions are not stored; a match is played again from its deal and actions, without bots.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arena.balance.samples import Sample
from arena.plan.identity import deal_seed
from arena.plan.keeping import ALL
from arena.statistics.choice_model import Floats
from arena.store.record import RunRecord
from engines.core import Game, load_game, parse_options
from engines.errors import UserError
from engines.records import SEATS
from engines.rng import seeded

MOST_LEGAL = 200  # counts above are kept as this


@dataclass(frozen=True)
class Moves:
    """The actions of stored matches, one after another.

    rows: match id -> its number. starts (matches + 1,): where its actions begin. actions, actors.
    """

    rows: Mapping[str, int]
    starts: NDArray[np.int64]
    actions: NDArray[np.uint16]
    actors: NDArray[np.int8]

    def of(self, match_id: str) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
        """The actions and actors of one match."""
        row = self.rows[match_id]
        part = slice(self.starts[row], self.starts[row + 1])
        return self.actions[part], self.actors[part]


def check_kept(folder: Path, record: RunRecord) -> None:
    """Whether a run stores all actions; UserError, one line."""
    if (rule := record.spec.store_actions) != ALL:
        raise UserError(f"{folder}: store_actions: {rule}, a balance analysis needs all of them")


def moves_of(table: pa.Table) -> Moves:
    """The actions of stored matches; table: with `match_id`, `actions` and `actors`."""
    lists = [table[name].combine_chunks() for name in ("actions", "actors")]
    lengths = np.asarray(lists[0].value_lengths()).astype(np.int64)
    flat = [one.flatten().to_numpy(zero_copy_only=False) for one in lists]
    ids = table["match_id"].to_pylist()
    return Moves(
        {name: row for row, name in enumerate(ids)},
        np.concatenate([[0], np.cumsum(lengths)]),
        flat[0],
        flat[1],
    )


@dataclass(frozen=True)
class Trace:
    """One match re-played.

    legal (MOST_LEGAL + 1,): how many decisions had so many legal actions, two or more. points (rounds, sides):
    after each round of turns and at the end, mean of the side's players.
    """

    legal: Floats
    points: Floats


def retrace(
    game: Game, start: NDArray[Any], seed: int, actions: NDArray[np.uint16], team: NDArray[np.int64]
) -> Trace:
    """Play a match again.

    Args:
        start: State[1] as `Game.blank` makes it.
        team: the side of each seat.
    """
    states, rng = start.copy(), seeded(seed)
    game.deal(states, rng)
    legal, points = np.zeros(game.max_legal, np.int32), np.zeros(SEATS, np.int32)
    counts = np.zeros(MOST_LEGAL + 1)
    seen: list[Floats] = []
    players, done = len(team), 0
    for action in actions.tolist():
        n = int(game.legal_actions(states, legal))
        if n > 1:
            counts[min(n, MOST_LEGAL)] += 1
        game.apply(states, action, rng)
        rounds = int(game.turns(states)) // players
        if rounds > done:
            done = rounds
            seen.append(side_means(game, states, points, team))
    seen.append(side_means(game, states, points, team))
    return Trace(counts, np.stack(seen))


def side_means(
    game: Game, states: NDArray[Any], points: NDArray[np.int32], team: NDArray[np.int64]
) -> Floats:
    """The mean points of each side's players if the game ended now."""
    game.points(states, points)
    own = points[: len(team)].astype(np.float64)
    return np.asarray(np.bincount(team, weights=own) / np.bincount(team))


@dataclass(frozen=True)
class Replays:
    """Re-plays matches of a run, each once, at most `most` of a sample."""

    record: RunRecord
    moves: Moves
    most: int
    known: dict[str, Trace] = field(default_factory=dict)

    def of(self, sample: Sample) -> tuple[Sample, list[Trace]]:
        """The matches of the first deals of a sample, and what they showed.

        Raises:
            UserError: the rules are not those the matches were played by.
        """
        chosen = sample.kept(first_deals(sample, self.most))
        if not chosen.size:
            return chosen, []
        ids = [str(name) for name in chosen.words("match_id")]
        if any(name not in self.known for name in ids):
            self.play(chosen, ids)
        return chosen, [self.known[name] for name in ids]

    def play(self, sample: Sample, ids: list[str]) -> None:
        """Re-play what is not known yet."""
        lineup = self.record.lineups[str(sample.words("lineup_id")[0])]
        stored = self.record.games[lineup.game]
        game = load_game(stored.load)
        if not game.has_rules(stored.rules):
            raise UserError(
                f"the rules of {game.name} have changed since these matches were played"
            )
        variant: Any = parse_options(game.Variant, dict(lineup.variant), "variant")
        start = game.blank(lineup.players, variant)
        team = np.array(sample.group.team, dtype=np.int64)
        for name, deal in zip(ids, sample.words("deal"), strict=True):
            if name not in self.known:
                spec = self.record.spec
                seed = deal_seed(spec.seed, int(deal), spec.salt)
                self.known[name] = retrace(game, start, seed, self.moves.of(name)[0], team)


def first_deals(sample: Sample, most: int) -> NDArray[np.bool_]:
    """(m,): the matches of the first deals, as many as stay within the number of matches."""
    deals = sample.group.deals
    distinct, counts = np.unique(deals, return_counts=True)
    taken = distinct[np.cumsum(counts) <= most]
    return np.isin(deals, taken)
