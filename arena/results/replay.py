"""Shows a stored match move by move, re-played from its deal; it must end as stored."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena.execution.batches import Conditions, batch_of
from arena.execution.working import play_batch
from arena.plan.identity import deal_seed
from arena.plan.keeping import keeps_actions
from arena.plan.schedule import LineUp, Match
from arena.plan.shapes import ClockEntry
from arena.playing.containment.isolation import chosen
from arena.playing.fitting import coloured, fitted, position_text, terminal_width
from arena.playing.referee import hash_actions
from arena.results.clocks import used_text
from arena.results.talks import talk_lines, talks_of
from arena.store.columns import BY_TIME, MOVES
from arena.store.parts import FREE
from arena.store.record import RunRecord
from arena.store.run_folder import load_spec, read_match
from engines.actions import Secrecy
from engines.core import Game, load_game, parse_options
from engines.errors import UserError
from engines.pictures import player_name
from engines.piles import EVERYBODY
from engines.records import Rng, State
from engines.rng import seeded

OFFENDER = re.compile(r"\bplayer \d: ")  # before a fault, as `seats.Bench.note` writes it


@dataclass(frozen=True)
class Step:
    """An action of a stored match, just before it is carried out on `states`.

    number counts from 1. actor: who decides. legal: the legal actions, ascending. witnesses: the
    mask of the players who see all of the action. seconds: that the actor took, None where they are not kept.
    """

    number: int
    actor: int
    action: int
    legal: tuple[int, ...]
    witnesses: int
    seconds: float | None = None


@dataclass(frozen=True)
class Replay:
    """A stored match that is about to be played again; `states` moves on with `steps`."""

    game: Game
    row: dict[str, Any]
    names: list[str]  # of the entrant in each seat
    states: State
    rng: Rng
    clock: ClockEntry | None = None

    def steps(self) -> Iterator[Step]:
        """Each action before it is carried out.

        Raises:
            UserError: an action is not legal, or somebody else must decide.
        """
        actions = zip(self.row["actions"], self.row["actors"], strict=True)
        times = self.row[MOVES]
        for number, (action, actor) in enumerate(actions, 1):
            legal = tuple(int(a) for a in self.game.legal(self.states))
            if int(self.states["to_act"][0]) != actor or action not in legal:
                raise UserError(
                    f"match {self.row['match_id']}: action {number} is not legal in the re-play"
                )
            seen_by = EVERYBODY
            if self.game.actions.secrecy[action] != Secrecy.OPEN:
                seen_by = int(self.game.witnesses(self.states, action))
            took = float(times[number - 1]) if times else None
            yield Step(number, actor, action, legal, seen_by, took)
            self.game.apply(self.states, int(action), self.rng)


def open_replay(folder: Path, match_id: str) -> Replay:
    """A stored match set up from its deal.

    Raises:
        UserError: no such match, or other rules than it was played by.
    """
    record = load_spec(folder)
    row = read_match(folder, match_id)
    lineup = record.lineups[row["lineup_id"]]
    game = loaded_game(folder, record, lineup)
    if not keeps_actions(record.spec.store_actions, np.array([row["deal"]]))[0]:
        again = played_again(record, lineup, row)  # its actions are not stored
        check_same(record, row, again, but=("actions", "actors"))
        row = {**row, **{name: again[name] for name in ("actions", "actors")}}
    variant: Any = parse_options(game.Variant, dict(lineup.variant), "variant")
    names = [record.entrants[lineup.entrants[position]].name for position in row["seating"]]
    rng = seeded(deal_seed(record.spec.seed, row["deal"], record.spec.salt))
    states = game.new_state(lineup.players, variant, rng)
    return Replay(game, row, names, states, rng, record.spec.clock)


def replay_match(
    folder: Path, match_id: str, positions: bool = True, rerun: bool = False
) -> Iterator[str]:
    """Blocks of text, one per action, then the result.

    Args:
        positions: with the position before each action, and what a language model was asked and answered.
        rerun: let the bots play the match again first; it must come out as stored.

    Raises:
        UserError: no such match, other rules than it was played by, or another result than stored.
    """
    replay = open_replay(folder, match_id)
    game, names = replay.game, replay.names
    if rerun:
        record = load_spec(folder)
        check_rerun(record, record.lineups[replay.row["lineup_id"]], replay.row)
    yield "\n".join(headlines(replay.row, game.name, names))
    talks = talks_of(folder, replay.row["match_id"]) if positions else {}
    for step in replay.steps():
        if positions:
            yield coloured(position_text(game, replay.states, terminal_width(), names))
        if said := talks.get((step.number, step.actor)):
            yield talk_lines(said)
        more = " (forced)" if len(step.legal) == 1 else ""
        if len(step.legal) > 1 and step.seconds is not None:
            more = f" ({time_text(step.seconds)})"
        text = game.told(replay.states, step.action)
        yield f"{step.number:4d}  {step.actor + 1} {names[step.actor]}: {text}{more}"
    yield coloured(position_text(game, replay.states, terminal_width(), names))
    result = result_text(game, replay.states, replay.row, names, replay.clock)
    told, _, agrees = fitted(result, terminal_width()).rpartition("\n")
    yield "\n".join(filter(None, [told, last_words(replay.row, names), agrees]))
    if rerun:
        yield "the bots played it again, action by action as stored"


def loaded_game(folder: Path, record: RunRecord, lineup: LineUp) -> Game:
    """The game of a line-up with the rules that were played."""
    stored = record.games[lineup.game]
    game = load_game(stored.load)
    if not game.has_rules(stored.rules):
        raise UserError(
            f"{folder}: the rules of {game.name} have changed since this match was played"
        )
    return game


def check_rerun(record: RunRecord, lineup: LineUp, row: dict[str, Any]) -> None:
    """Play a stored match again with its bots; UserError where anything comes out differently."""
    if record.people:
        raise UserError(f"match {row['match_id']}: people played it, who cannot be asked again")
    if row["ending"] in BY_TIME:
        problem = f"time has decided it ({row['ending']}), another time it may not"
        raise UserError(f"match {row['match_id']}: {problem}; what is stored holds")
    check_same(record, row, played_again(record, lineup, row))


def played_again(record: RunRecord, lineup: LineUp, row: dict[str, Any]) -> dict[str, Any]:
    """A stored match as its bots play it now, with all its actions."""
    stored_game = record.games[lineup.game]
    rules = load_game(stored_game.load).rules_digest
    entrants = tuple(record.entrants[one] for one in lineup.entrants)
    spec = record.spec
    conditions = Conditions(
        lineup,
        stored_game.load,
        rules,
        entrants,
        (),
        spec.seed,
        spec.salt,
        spec.limits,
        chosen(spec.isolation) if any(entrant.foreign for entrant in entrants) else "none",
        spec.ponder,
        clock=spec.clock,
    )
    match = Match(lineup, row["deal"], tuple(row["seating"]), row["match_id"])
    outcome = play_batch(batch_of(conditions, (match,)))
    assert outcome is not None
    (again,) = outcome.table.to_pylist()
    again["match_id"] = match.match_id
    return dict(again)


def check_same(
    record: RunRecord, row: dict[str, Any], again: dict[str, Any], but: tuple[str, ...] = ()
) -> None:
    """Whether a match that was played again came out as it is stored, in all columns but some.

    Raises:
        UserError: names the first action or column that is another.
    """
    name = f"match {row['match_id']}"
    why = "" if record.reproducible else " (a clock, or a budget of a bot in seconds)"
    pairs = zip(row["actions"], again["actions"], strict=False)  # none where they are not stored
    for number, (stored, now) in enumerate(pairs, 1):
        if stored != now:
            raise UserError(f"{name}: played again, action {number} is another one{why}")
    for column, stored in row.items():
        if column in but or any(word in column for word in FREE):
            continue
        if column == "fault_text" and unnumbered(again[column]) == unnumbered(stored):
            continue  # once players in it were numbered from 0
        if again[column] != stored:
            raise UserError(f"{name}: played again, {column} is {again[column]}, not {stored}{why}")


def headlines(row: dict[str, Any], game: str, names: list[str]) -> list[str]:
    """What was played and who sat where."""
    seats = [f"  {player_name(seat)}: {name}" for seat, name in enumerate(names)]
    return [f"match {row['match_id']}: {game}, deal {row['deal']}", *seats]


def time_text(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 0.001:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def unnumbered(text: str) -> str:
    """What went wrong in a match, without the numbers of the players."""
    return OFFENDER.sub("", text)


def fault_line(row: dict[str, Any], names: list[str]) -> str:
    """Who lost by a fault, and what it was; or what went wrong otherwise."""
    seat, text = int(row["fault_seat"]), row["fault_text"] or row["ending"]
    if seat < 0:
        return f"fault: {text}"
    what = OFFENDER.sub("", text, count=1)
    return f"{player_name(seat)} ({names[seat]}) lost by a fault: {what}"


def last_words(row: dict[str, Any], names: list[str]) -> str:
    """What a bot that failed wrote last on stderr, a line each; empty where it wrote nothing."""
    seat, lines = int(row["fault_seat"]), row["worker_stderr"].splitlines()
    whose = f"{player_name(seat)} ({names[seat]})" if seat >= 0 else "a bot"
    return (
        "\n".join([f"last words of {whose} on stderr:", *(f"    | {line}" for line in lines)])
        if lines
        else ""
    )


def result_text(
    game: Game,
    states: Any,
    row: dict[str, Any],
    names: list[str],
    clock: ClockEntry | None = None,
) -> str:
    """The result, checked against what is stored."""
    ranks, points = game.rank_list(states), game.point_list(states)
    reason = game.Ending(int(game.ending(states))).name.lower()
    found = (reason, points, int(game.turns(states)))
    expected = (row["reason"], list(row["points"]), row["turns"])
    if row["fault_seat"] < 0:
        found, expected = (*found, ranks), (*expected, list(row["ranks"]))  # type: ignore[assignment]
    if found != expected:
        raise UserError(f"match {row['match_id']}: re-played to {found}, stored is {expected}")
    if hash_actions(row["actions"]) != row["actions_hash"]:
        raise UserError(
            f"match {row['match_id']}: the stored actions are not those that were played"
        )
    why = "" if row["fault_seat"] >= 0 else f" ({row['reason'].replace('_', ' ')})"
    lines = [f"ending: {row['ending']}{why}"]
    lines += [fault_line(row, names)] if row["fault_text"] else []
    order = np.argsort(row["ranks"], kind="stable")
    lines += [
        f"  {row['ranks'][seat]}. {player_name(seat)} ({names[seat]}), {row['points'][seat]} points"
        f"{used_text(row, int(seat), clock)}"
        for seat in order
    ]
    lines += [f"clock: {clock.text}"] if clock is not None else []
    return "\n".join([*lines, "the re-play agrees with the stored result"])
