"""Shows a stored match move by move, re-played from its deal; it must end as stored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arena.identity import deal_seed
from arena.store import load_spec, read_match
from engines.core import Game, load_game, parse_options
from engines.errors import UserError
from engines.rng import seeded


def replay_match(folder: Path, match_id: str, positions: bool = True) -> Iterator[str]:
    """Blocks of text, one per action, then the result.

    Raises:
        UserError: no such match, other rules than it was played by, or another result than stored.
    """
    record = load_spec(folder)
    row = read_match(folder, match_id)
    lineup = record.lineups[row["lineup_id"]]
    stored = record.games[lineup.game]
    game = load_game(stored.load)
    if game.rules_hash != stored.rules:
        raise UserError(
            f"{folder}: the rules of {game.name} have changed since this match was played"
        )
    variant: Any = parse_options(game.Variant, dict(lineup.variant), "variant")
    names = [record.entrants[lineup.entrants[position]].name for position in row["seating"]]
    rng = seeded(deal_seed(record.spec.seed, row["deal"]))
    states = game.new_state(lineup.players, variant, rng)
    yield "\n".join(headlines(row, lineup.game, names))
    for number, (action, actor) in enumerate(zip(row["actions"], row["actors"], strict=True), 1):
        legal = game.legal(states)
        if int(states["to_act"][0]) != actor or action not in legal:
            raise UserError(f"match {row['match_id']}: action {number} is not legal in the re-play")
        if positions:
            yield game.render(states)
        forced = "" if len(legal) > 1 else " (forced)"
        yield f"{number:4d}  {actor} {names[actor]}: {game.action_text(states, action)}{forced}"
        game.apply(states, int(action), rng)
    yield game.render(states)
    yield result_text(game, states, row, names)


def headlines(row: dict[str, Any], game: str, names: list[str]) -> list[str]:
    """What was played and who sat where."""
    seats = [f"  player {seat}: {name}" for seat, name in enumerate(names)]
    return [f"match {row['match_id']}: {game}, deal {row['deal']}", *seats]


def result_text(game: Game, states: Any, row: dict[str, Any], names: list[str]) -> str:
    """The result, checked against what is stored."""
    ranks, points = game.rank_list(states), game.point_list(states)
    reason = game.Ending(int(game.ending(states))).name.lower()
    found = (reason, points, int(game.turns(states)))
    expected = (row["reason"], list(row["points"]), row["turns"])
    if row["fault_seat"] < 0:
        found, expected = (*found, ranks), (*expected, list(row["ranks"]))  # type: ignore[assignment]
    if found != expected:
        raise UserError(f"match {row['match_id']}: re-played to {found}, stored is {expected}")
    lines = [f"ending: {row['ending']} ({row['reason'].replace('_', ' ')})"]
    lines += [f"fault: {row['fault_text']}"] if row["fault_text"] else []
    order = np.argsort(row["ranks"], kind="stable")
    lines += [
        f"  {row['ranks'][seat]}. {names[seat]}, {row['points'][seat]} points" for seat in order
    ]
    return "\n".join([*lines, "the re-play agrees with the stored result"])
