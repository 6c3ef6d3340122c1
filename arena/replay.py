"""Shows a stored match move by move, re-played from its deal; it must end as stored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arena.batches import Batch, Setting
from arena.execute import play_batch
from arena.identity import deal_seed
from arena.parts import FREE
from arena.record import RunRecord
from arena.schedule import LineUp, Match
from arena.store import load_spec, read_match, table_from_columns
from engines.core import Game, load_game, parse_options
from engines.errors import UserError
from engines.rng import seeded


def replay_match(
    folder: Path, match_id: str, positions: bool = True, rerun: bool = False
) -> Iterator[str]:
    """Blocks of text, one per action, then the result.

    Args:
        positions: with the position before each action.
        rerun: let the bots play the match again first; it must come out as stored.

    Raises:
        UserError: no such match, other rules than it was played by, or another result than stored.
    """
    record = load_spec(folder)
    row = read_match(folder, match_id)
    lineup = record.lineups[row["lineup_id"]]
    game = loaded_game(folder, record, lineup)
    if rerun:
        check_rerun(record, lineup, row)
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
    if rerun:
        yield "the bots played it again, action by action as stored"


def loaded_game(folder: Path, record: RunRecord, lineup: LineUp) -> Game:
    """The game of a line-up with the rules that were played."""
    stored = record.games[lineup.game]
    game = load_game(stored.load)
    if game.rules_hash != stored.rules:
        raise UserError(
            f"{folder}: the rules of {game.name} have changed since this match was played"
        )
    return game


def check_rerun(record: RunRecord, lineup: LineUp, row: dict[str, Any]) -> None:
    """Play a stored match again with its bots; UserError where anything comes out differently."""
    game, name = record.games[lineup.game], f"match {row['match_id']}"
    entrants = tuple(record.entrants[one] for one in lineup.entrants)
    spec = record.spec
    setting = Setting(
        lineup, game.load, game.rules, entrants, {}, spec.seed, spec.limits, spec.isolation
    )
    match = Match(lineup, row["deal"], tuple(row["seating"]), row["match_id"])
    outcome = play_batch(Batch(setting, (match,)))
    assert outcome is not None
    (again,) = table_from_columns(outcome.columns).to_pylist()
    why = "" if record.reproducible else " (a bot has a budget in seconds)"
    pairs = zip(row["actions"], again["actions"], strict=False)
    for number, (stored, now) in enumerate(pairs, 1):
        if stored != now:
            raise UserError(f"{name}: played again, action {number} is another one{why}")
    for column, stored in row.items():
        if not any(word in column for word in FREE) and again[column] != stored:
            raise UserError(f"{name}: played again, {column} is {again[column]}, not {stored}{why}")


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
