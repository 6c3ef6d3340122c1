"""Results: ranks, points, endings, estimates and keys."""

import itertools
import math
from collections.abc import Iterator

from arena.authoring.checks.walks import SAMPLE, Setting, positions, seen, walks
from engines.pictures import player_name
from engines.records import OVER, copy, equal


def ranks_are_places(setting: Setting) -> Iterator[str]:
    """A side's rank is 1 + the number of better sides (alone: 1 or 2); points of loners agree."""
    for position in positions(setting):
        ranks = setting.game.rank_list(position.states)
        points = setting.game.point_list(position.states)
        teams = [int(t) for t in position.states["team"][0]][: setting.players]
        problem = rank_problem(ranks, teams)
        if problem:
            yield f"{position.where}: ranks {ranks}, teams {teams}: {problem}"
        alone = len(set(teams)) == setting.players > 1
        if alone and position.to_act == OVER:
            pairs = itertools.permutations(range(setting.players), 2)
            if any(ranks[a] < ranks[b] and points[a] < points[b] for a, b in pairs):
                yield f"{position.where}: ranks {ranks} against points {points}"


def rank_problem(ranks: list[int], teams: list[int]) -> str:
    """What is wrong with the ranks of players in these teams, or nothing."""
    sides = dict(zip(teams, ranks, strict=True))
    if any(sides[team] != rank for team, rank in zip(teams, ranks, strict=True)):
        return "team-mates share their rank"
    if len(sides) == 1:
        return "" if set(ranks) <= {1, 2} else "expected 1 (target beaten) or 2"
    right = {
        team: 1 + sum(other < rank for other in sides.values()) for team, rank in sides.items()
    }
    return "" if sides == right else f"expected {[right[team] for team in teams]}"


def endings_are_named(setting: Setting) -> Iterator[str]:
    """The ending is number 0 while the game runs, a named one afterwards; turns never go back."""
    game = setting.game
    for walk in walks(setting):
        turns = 0
        for position in walk:
            ending = int(game.ending(position.states))
            if (ending == 0) != (position.to_act != OVER) or ending not in list(game.Ending):
                yield f"{position.where}: ending {ending} with to_act {position.to_act}"
            if int(game.turns(position.states)) < turns:
                yield f"{position.where}: {game.turns(position.states)} turns after {turns}"
            turns = int(game.turns(position.states))


def estimates_are_shares(setting: Setting) -> Iterator[str]:
    """`evaluate` is a number from 0 to 1 in every position and every View, also at the end."""
    for position in positions(setting):
        for player in range(setting.players):
            for states in (position.states, seen(setting.game, position.states, player)):
                share = float(setting.game.evaluate(states, player))
                if not math.isfinite(share) or not 0 <= share <= 1:
                    yield f"{position.where}: evaluate for {player_name(player)} is {share}"


def sources_add_up(setting: Setting) -> Iterator[str]:
    """`sources` name for each player parts that add up to his points, in every position."""
    game = setting.game
    if game.sources is None:
        return
    for position in positions(setting, SAMPLE * 2):
        before = copy(position.states)
        made = [sum(parts.values()) for parts in game.sources(position.states)]
        if made != game.point_list(position.states):
            yield f"{position.where}: sources add up to {made}, points {game.point_list(position.states)}"
        if not equal(before, position.states):
            yield f"{position.where}: sources changed the position"


def keys_mean_the_same_future(setting: Setting) -> Iterator[str]:
    """A copy has the same key; positions with one key offer one player the same actions."""
    futures: dict[int, tuple[int, tuple[int, ...]]] = {}
    for position in positions(setting):
        key = int(setting.game.key(position.states))
        if key != int(setting.game.key(copy(position.states))):
            yield f"{position.where}: a copy has another key"
        future = (position.to_act, position.legal)
        if futures.setdefault(key, future) != future:
            yield f"{position.where}: key {key} of another future"


CHECKS = (
    ranks_are_places,
    endings_are_named,
    estimates_are_shares,
    sources_add_up,
    keys_mean_the_same_future,
)
