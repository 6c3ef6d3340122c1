"""What stored matches of searches teach an `evaluate`: how positions ended, and what was chosen in them."""

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

MOST_ACTIONS = 16  # of a decision, that are looked at


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


@dataclass(frozen=True)
class Choices:
    """Decisions of a search: the positions after each action, or some of them, and which one it was.

    states: State[m], decision by decision. players: int64[m], who decided. starts: int64[k], where each decision
    begins. chosen: int64[k], the place in `states` of the action that was played. deals: int64[k], of the match.
    """

    states: NDArray[Any]
    players: Integers
    starts: Integers
    chosen: Integers
    deals: Integers

    def __len__(self) -> int:
        """How many decisions."""
        return len(self.starts)

    def where(self, wanted: NDArray[np.bool_]) -> "Choices":
        """Some of them."""
        sizes = np.diff(np.append(self.starts, len(self.players)))
        rows = np.repeat(wanted, sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[wanted])[:-1]]).astype(np.int64)
        chosen = starts + (self.chosen - self.starts)[wanted]
        return Choices(self.states[rows], self.players[rows], starts, chosen, self.deals[wanted])


@dataclass(frozen=True)
class Lesson:
    """What a run teaches: how positions ended, and what searches chose."""

    positions: Positions
    choices: Choices

    def parted(self, every: int) -> tuple["Lesson", "Lesson"]:
        """Of all deals but each `every`th, and of these."""
        kept, choices = self.positions.deals % every == 0, self.choices.deals % every == 0
        return (
            Lesson(self.positions.where(~kept), self.choices.where(~choices)),
            Lesson(self.positions.where(kept), self.choices.where(choices)),
        )


def read_lesson(folder: Path, game: Game, each: int, decisions: int) -> Lesson:
    """Random positions and decisions of all sound matches of a run, none of its random opening.

    Args:
        each: positions of a match; of each all players but the last are asked, whose share is what is left.
        decisions: of a match.

    Raises:
        UserError: other rules than the matches were played by, or no match.
    """
    record = load_spec(folder)
    check_rules(folder, record, game)
    positions, choices = [], []
    for row in read_matches(folder, actions=True).to_dict("records"):
        lineup = record.lineups[row["lineup_id"]]
        if row["fault_seat"] >= 0 or lineup.game != game.name:
            continue
        variant: Any = parse_options(game.Variant, dict(lineup.variant), "variant")
        seed = deal_seed(record.spec.seed, row["deal"], record.spec.salt)
        start = game.new_state(lineup.players, variant, rng := seeded(seed))
        count, own = len(row["actions"]), mix(seed, row["deal"])
        seen = chosen_steps(count, each, lineup.opening, mix(own, 1))
        asked = chosen_steps(count, decisions, lineup.opening, mix(own, 2))
        found, chose, last = gone_through(game, start, rng, row["actions"], seen, asked)
        won = win_shares(game, last)
        players = range(max(1, lineup.players - 1))
        positions += [(one, at, won[at], row["deal"]) for one in found for at in players]
        choices += [(*one, row["deal"]) for one in chose]
    if not positions or not choices:
        raise UserError(f"run {str(folder)!r}: no match to learn from")
    states, seats, shares, deals = zip(*positions, strict=True)
    known = Positions(np.concatenate(states), *map(np.array, (seats, shares, deals)))
    return Lesson(known, joined(choices))


def joined(choices: Sequence[tuple[Any, int, int, int]]) -> Choices:
    """Decisions as arrays, from positions after each action, who decided, which one was chosen, and the deal."""
    sizes = np.array([len(states) for states, *_ in choices])
    starts = np.cumsum(sizes) - sizes
    return Choices(
        np.concatenate([states for states, *_ in choices]),
        np.repeat(np.array([player for _, player, *_ in choices]), sizes),
        starts,
        starts + np.array([chosen for _, _, chosen, _ in choices]),
        np.array([deal for *_, deal in choices]),
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


def gone_through(
    game: Game,
    states: Any,
    rng: Any,
    actions: Sequence[int],
    seen: frozenset[int],
    asked: frozenset[int],
) -> tuple[list[Any], list[tuple[Any, int, int]], Any]:
    """A match once more: positions after some actions as long as it goes on, some decisions, and its last position."""
    found, choices = [], []
    for number, action in enumerate(actions):
        if number in asked and len(legal := game.legal(states)) > 1:
            choices.append(decision_at(game, states, rng, legal.tolist(), int(action)))
        game.apply(states, int(action), rng)
        if number in seen and states["to_act"][0] != OVER:
            found.append(copy(states))
    return found, choices, states


def decision_at(
    game: Game, states: Any, rng: Any, legal: Sequence[int], action: int
) -> tuple[Any, int, int]:
    """The positions after the action that was chosen and some others, at the same chance; who decided; its place, 0."""
    others, chance = [one for one in legal if one != action], rng.copy()
    while len(others) >= MOST_ACTIONS:
        others.pop(int(below(chance, len(others))))
    after = np.concatenate([states] * (len(others) + 1))
    for place, one in enumerate([action, *others]):
        game.apply(after[place : place + 1], one, rng.copy())
    return after, int(states["to_act"][0]), 0


def win_shares(game: Game, states: Any) -> Floats:
    """What each player's side has of the win where the game has ended: float64[players]."""
    ranks = np.array(game.rank_list(states))
    teams = states["team"][0][: len(ranks)]
    winners = len(set(teams[ranks == 1].tolist()))
    assert len(ranks) <= SEATS
    return np.where(ranks == 1, 1.0 / max(winners, 1), 0.0)
