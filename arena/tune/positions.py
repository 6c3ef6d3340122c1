"""Positions of stored matches with how those ended: what the weights of an `evaluate` are fitted to."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.plan.identity import deal_seed
from arena.statistics.choice_model import Floats, Integers
from arena.store.record import RunRecord
from arena.store.run_folder import load_spec, read_matches
from engines.core import Game, parse_options
from engines.errors import UserError
from engines.records import OVER, SEATS, copy
from engines.rng import below, mix, seeded


@dataclass(frozen=True)
class Positions:
    """Positions, each seen by one player.

    states: State[n]. players: int64[n], whose share it is. shares: float64[n], what the player's side had of the win
    in the end. deals: int64[n], of the match.
    """

    states: NDArray[Any]
    players: Integers
    shares: Floats
    deals: Integers

    def __len__(self) -> int:
        """How many there are."""
        return len(self.shares)

    def where(self, chosen: NDArray[np.bool_]) -> "Positions":
        """Some of them."""
        return Positions(
            self.states[chosen], self.players[chosen], self.shares[chosen], self.deals[chosen]
        )


def read_positions(folder: Path, game: Game, each: int) -> Positions:
    """Random positions of all sound matches of a run, none of its random opening.

    Args:
        each: positions of a match; of each all players but the last are asked, whose share is what is left.

    Raises:
        UserError: other rules than the matches were played by, or no match.
    """
    record = load_spec(folder)
    check_rules(folder, record, game)
    matches = read_matches(folder, actions=True)
    states, players, shares, deals = [], [], [], []
    for row in matches.to_dict("records"):
        if row["fault_seat"] >= 0:
            continue
        lineup = record.lineups[row["lineup_id"]]
        if lineup.game != game.name:
            continue
        variant: Any = parse_options(game.Variant, dict(lineup.variant), "variant")
        seed = deal_seed(record.spec.seed, row["deal"], record.spec.salt)
        start = game.new_state(lineup.players, variant, rng := seeded(seed))
        wanted = chosen_steps(len(row["actions"]), each, lineup.opening, mix(seed, 1))
        found, last = positions_at(game, start, rng, row["actions"], wanted)
        won = win_shares(game, last)
        for state in found:
            for player in range(max(1, lineup.players - 1)):
                states.append(state)
                players.append(player)
                shares.append(won[player])
                deals.append(row["deal"])
    if not states:
        raise UserError(f"run {str(folder)!r}: no match to take positions from")
    return Positions(
        np.concatenate(states), np.array(players), np.array(shares), np.array(deals, np.int64)
    )


def check_rules(folder: Path, record: RunRecord, game: Game) -> None:
    """Whether a run was played by the rules of a game, where it played that game."""
    if game.name in record.games and not game.has_rules(record.games[game.name].rules):
        raise UserError(f"{folder}: the rules of {game.name} have changed since it was played")


def chosen_steps(count: int, each: int, opening: int, seed: int) -> frozenset[int]:
    """The numbers of some actions after the opening, drawn without putting back."""
    rng = seeded(seed)
    left = list(range(min(opening, count), count))
    return frozenset(left.pop(int(below(rng, len(left)))) for _ in range(min(each, len(left))))


def positions_at(
    game: Game, states: Any, rng: Any, actions: Sequence[int], wanted: frozenset[int]
) -> tuple[list[Any], Any]:
    """The positions after the actions of these numbers, as long as the game goes on, and the last of the match."""
    found = []
    for number, action in enumerate(actions):
        game.apply(states, int(action), rng)
        if number in wanted and states["to_act"][0] != OVER:
            found.append(copy(states))
    return found, states


def win_shares(game: Game, states: Any) -> Floats:
    """What each player's side has of the win where the game has ended: float64[players]."""
    ranks = np.array(game.rank_list(states))
    teams = states["team"][0][: len(ranks)]
    winners = len(set(teams[ranks == 1].tolist()))
    assert len(ranks) <= SEATS
    return np.where(ranks == 1, 1.0 / max(winners, 1), 0.0)
