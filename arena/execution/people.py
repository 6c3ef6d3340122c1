"""Matches of people in runs of their own: one run for each game, with the rows and the checks of every other run.

Each match has a deal of its own, taken before it begins: who has seen a deal knows it in every seat and line-up. So a
match that is given up leaves a gap. Whoever may take back or ask for hints is another entrant than without.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa

from arena.plan.identity import entrant_id, match_id
from arena.plan.schedule import LineUp, Seating, make_lineup, match_seatings
from arena.plan.spec import BotEntry, parse_spec
from arena.plan.tournament import HUMAN, Entrant, Table, make_entrant, plain_defaults, sides_of
from arena.playing.live import LiveMatch
from arena.playing.referee import hash_actions
from arena.store.columns import MACHINE, MOVES, table_from_columns
from arena.store.provenance import code_hash, machine_name, package_version, this_machine
from arena.store.record import GameRecord, RunRecord, load_spec
from arena.store.run_folder import RECORD, Run, open_record
from bots.compiled import play_digest
from engines.core import Game, changes, load_game, parse_options
from engines.errors import UserError
from engines.texts import clean, folded

PLACE = Path("results") / "people"  # below it a run for each game
LONGEST = 40  # letters of a name
SEED_BITS = 62


@dataclass(frozen=True)
class Seated:
    """Who plays a match that is to be stored: an entrant in each seat.

    helped: people may take back and ask for hints.
    """

    game_text: str
    options: Mapping[str, Any]
    entrants: tuple[Entrant, ...]
    helped: bool = False

    @property
    def game(self) -> Game:
        """What is played."""
        return load_game(self.game_text)

    @property
    def lineup(self) -> LineUp:
        """Its line-up, of one deal.

        Raises:
            UserError: two entrants share a side, for which line-ups have one.
        """
        game, players = self.game, len(self.entrants)
        variant: Any = parse_options(game.Variant, self.options, "variant")
        sides = sides_of(game, players, variant, "variant")
        by_side = dict(zip(sides, self.entrants, strict=True))
        if any(by_side[side] != one for side, one in zip(sides, self.entrants, strict=True)):
            raise UserError("names: partners are two entrants, a stored match has one on each side")
        table = Table(game.name, changes(variant), players, sides, 1)
        return make_lineup(table, [by_side[side].id for side in sorted(by_side)])

    @property
    def seating(self) -> Seating:
        """For each seat the position of its entrant in the line-up."""
        order = self.lineup.entrants
        return tuple(order.index(entrant.id) for entrant in self.entrants)


def seat_people(
    game_text: str,
    options: Mapping[str, Any],
    texts: Sequence[str],
    names: Sequence[str],
    helped: bool,
) -> Seated:
    """The entrants of a table: people by name, in order of play, among bots.

    Raises:
        UserError: names that are missing, cannot be seen or are too long, or stand twice.
    """
    people = sum(text == HUMAN for text in texts)
    shown = [clean(name, LONGEST + 1).strip() for name in names]
    if len(shown) != people:
        raise UserError(f"names: {len(shown)}, expected one for each of {people} people")
    for name in shown:
        if not folded(name) or len(name) > LONGEST or "," in name:
            raise UserError(f"names: {name!r}, expected 1 to {LONGEST} letters that can be seen")
    if len({folded(name) for name in shown}) < len(shown):
        raise UserError("names: somebody sits twice, expected different names")
    left, defaults = iter(shown), plain_defaults(load_game(game_text).defaults)
    entrants = [
        person(next(left), helped)
        if text == HUMAN
        else make_entrant(BotEntry.model_validate(text), f"seats[{seat}]", defaults=defaults)
        for seat, text in enumerate(texts)
    ]
    return Seated(game_text, dict(options), tuple(entrants), helped)


def person(name: str, helped: bool) -> Entrant:
    """A person as an entrant; with and without help they are two."""
    told = f"{name} (human{', helped' if helped else ''})"
    params = {"person": name, "helped": helped}
    return Entrant(entrant_id(HUMAN, params), told, HUMAN, params)


def record_of(seated: Seated, stored: RunRecord | None) -> RunRecord:
    """What a table adds to the record of its run, or the record of a run that it begins."""
    game = seated.game
    entrants = dict(stored.entrants) if stored else {}
    entrants |= {one.id: one for one in seated.entrants}
    bots = [
        {"name": one.name, "bot": one.bot, "parameters": one.params} for one in entrants.values()
    ]
    seed = stored.spec.seed if stored else secrets.randbits(SEED_BITS)
    spec = parse_spec(
        {"name": f"people-{game.name}", "seed": seed, "games": [seated.game_text], "bots": bots}
    )
    plays = {
        one.id: play_digest(one.load().kind, game) for one in seated.entrants if one.bot != HUMAN
    }
    return RunRecord(
        package_version(),
        False,
        spec,
        {
            game.name: GameRecord(
                seated.game_text, game.rules_digest, plays, plain_defaults(game.defaults)
            )
        },
        {one.id: one for one in seated.entrants},
        {},
        (code_hash(),),
        (this_machine(),),
        people=True,
    )


def open_people(folder: Path, seated: Seated) -> Run:
    """The run that the match of a table belongs to.

    Raises:
        UserError: the folder holds another run, other rules or other bots, or somebody writes to it.
    """
    stored = load_spec(folder) if (folder / RECORD).exists() else None
    return open_record(folder, record_of(seated, stored))


def take_deal(folder: Path, seated: Seated) -> tuple[int, int]:
    """Begin a match of a run: the run's seed, and the number of a deal that nobody has seen.

    Raises:
        UserError: as `open_people`.
    """
    lineup, seating = seated.lineup, seated.seating
    with open_people(folder, seated) as run:
        first = max((one.deals for one in run.record.lineups.values()), default=0)
        deal = next(d for d in count(first) if seating in match_seatings(lineup, d))
        run.extend([replace(lineup, deals=deal + 1)])
        return run.record.spec.seed, deal


def store_match(
    folder: Path,
    seated: Seated,
    match: LiveMatch,
    seconds: Sequence[float],
    moves: Sequence[float] = (),
) -> str:
    """Store a match that is over; its id. seconds: that each seat has thought; moves: about each action, if known.

    Raises:
        UserError: as `open_people`; or it is stored already, or of another run.
    """
    lineup = seated.lineup
    with open_people(folder, seated) as run:
        known = run.record.lineups.get(lineup.id)
        if match.seed != run.record.spec.seed or known is None or match.deal >= known.deals:
            raise UserError(f"{folder}: this match was not dealt for it")
        if not run.append(as_row(seated, match, seconds, moves)):
            raise UserError(f"{folder}: a match of this deal is stored already")
    return match_id(lineup.id, match.deal, seated.seating)


def as_row(
    seated: Seated, match: LiveMatch, seconds: Sequence[float], moves: Sequence[float] = ()
) -> pa.Table:
    """A match that is over, as a table of one row with the columns of results."""
    game, lineup, players = match.game, seated.lineup, match.players
    reason = game.Ending(int(game.ending(match.states)))
    actions = [moment.action for moment in match.past]
    decisions = [0] * players
    for moment in match.past:
        decisions[moment.actor] += moment.choice
    lists = {
        "seating": seated.seating,
        "decisions_by_seat": decisions,
        "actions": actions,
        "actors": [moment.actor for moment in match.past],
        "points": game.point_list(match.states),
        "ranks": game.rank_list(match.states),
        "seconds": seconds,
        "start_seconds": [0.0] * players,
        MOVES: moves
        if len(moves) == len(actions)
        else (),  # a match that was saved lacks the first
    }
    facts = {
        "lineup_id": lineup.id,
        "game": game.name,
        "variant_id": lineup.variant_id,
        "players": players,
        "deal": match.deal,
        "ending": "finished",
        "reason": reason.name.lower(),
        "capped": reason in game.caps,
        "turns": int(game.turns(match.states)),
        "decisions": sum(decisions),
        "forced": len(actions) - sum(decisions),
        "actions_hash": hash_actions(actions),
        "fault_seat": -1,
        "fault_text": "",
        "worker_seconds": sum(seconds),
        "worker_stderr": "",
        MACHINE: machine_name(),
    }
    rows = {name: ([*values], [0, len(values)]) for name, values in lists.items()}
    return table_from_columns({**rows, **{name: [value] for name, value in facts.items()}})
