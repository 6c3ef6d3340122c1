"""What adapters are asked for: numbers of players, words, counts, bots; and what finished games are worth."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bots.rewards import REWARDS, WIN, reward_end
from engines.core import Game, load_game, parse_options
from engines.errors import UserError, nearest
from engines.records import SEATS, State


def game_of(game: str | Game) -> Game:
    """A game by its name, the path of its folder, or itself."""
    return load_game(game) if isinstance(game, str) else game


def variant_of(game: Game, options: Mapping[str, Any] | None) -> Any:
    """The Variant with these options."""
    return parse_options(game.Variant, dict(options) if options else {}, "variant")


def number_of_players(game: Game, players: int | None) -> int:
    """How many play; by default two where the game has that.

    Raises:
        UserError: the game has other numbers.
    """
    if players is None:
        return 2 if 2 in game.players else game.players[0]
    if players not in game.players:
        numbers = ", ".join(map(str, game.players))
        raise UserError(f"players: {players}, {game.title} has {numbers}")
    return players


def known(option: str, word: str, words: tuple[str, ...]) -> str:
    """A word of these, or a UserError."""
    if word not in words:
        hint = nearest(word, words) or f", expected {' | '.join(words)}"
        raise UserError(f"{option}: {word!r}{hint}")
    return word


def at_least(option: str, number: int, least: int) -> int:
    """A number that is not too small, or a UserError."""
    if number < least:
        raise UserError(f"{option}: {number}, expected at least {least}")
    return number


def sides_of(states: State) -> int:
    """How many sides play."""
    return len(set(states["team"][0][: int(states["players"][0])].tolist()))


def rewards_of(game: Game, states: State, kind: int) -> list[float]:
    """What a finished game is worth to each player, from -1 to 1, as `stepping.end_game` has it."""
    worth, ranks, points = np.zeros(SEATS), np.zeros(SEATS, np.int8), np.zeros(SEATS, np.int32)
    game.ranks(states, ranks)
    game.points(states, points)
    reward_end(worth, states.view(np.dtype((np.record, states.dtype)))[0], ranks, points, kind)
    sides, players = sides_of(states), int(states["players"][0])
    shares = [float(worth[int(team)]) for team in states["team"][0][:players]]
    if kind == WIN and sides > 2:
        return [(share * sides - 1) / (sides - 1) for share in shares]
    return [2 * share - 1 for share in shares]


def reward_number(reward: str) -> int:
    """The number of a reward by its word."""
    return REWARDS.index(known("reward", reward, REWARDS))
