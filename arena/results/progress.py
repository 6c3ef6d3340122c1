"""How far a run is: complete, decided, or stopped; in rounds what is due follows from its stored results."""

import functools
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.execution.watch import Watch
from arena.plan.formats.courses import ADAPTIVE, IN_ROUNDS
from arena.plan.tournament import Tournament, make_tables
from arena.results.adaptive import Adaptive
from arena.results.contest import Contest
from arena.results.events import Events
from arena.results.reading import planned_matches
from arena.results.verdict import Duel
from arena.store.ledger import told_stored
from arena.store.record import RunRecord
from engines.core import Game, load_game, parse_options


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    planned: matches, in rounds of those so far. round: how many rounds are over, None where there are none.
    over: nothing more is to be played. decided: its question has an answer.
    """

    stored: int
    planned: int
    round: int | None
    over: bool
    decided: bool

    @property
    def text(self) -> str:
        """In words: 'complete', 'decided', 'stopped after round 3', 'not finished'."""
        if self.decided:
            return "decided"
        if self.stored >= self.planned and self.over:
            return "complete"
        return "not finished" if self.round is None else f"stopped after round {self.round}"


COMPLETE = Progress(0, 0, None, True, False)


def stored_progress(folder: Path, record: RunRecord, stored: Mapping[str, int]) -> Progress:
    """How far a run is that holds so many matches of each line-up, by id."""
    out = aside_of(folder, record)
    return progress_of(
        record, stored, stored_duel(folder, record), stored_rounds(folder, record), out
    )


def progress_of(
    record: RunRecord,
    stored: Mapping[str, int],
    duel: Duel | Contest | None,
    rounds: Events | Adaptive | None,
    aside: Collection[str],
) -> Progress:
    """How far a run is. stored: matches of each line-up, by id. aside: bots that were set aside, by name."""
    count, planned = sum(stored.values()), planned_matches(record, stored, aside)
    if isinstance(rounds, Adaptive):
        planned = max(rounds.planned, count)
    return Progress(
        count,
        planned,
        rounds.round if rounds else None,
        rounds is None or rounds.over,
        duel is not None and duel.decided,
    )


def aside_of(folder: Path, record: RunRecord) -> set[str]:
    """The names of the bots that a run with a fixed schedule has set aside for their faults."""
    share = record.spec.max_fault_share
    if share is None or record.spec.schedule in IN_ROUNDS:
        return set()
    lineups = tuple(record.lineups.values())
    watch = told_stored(folder, record, lambda: Watch(lineups, share))
    return {record.entrants[one].name for one in watch.left_out}


def stored_rounds(folder: Path, record: RunRecord) -> Events | Adaptive | None:
    """The rounds of a run as far as its stored matches go; None where its schedule is fixed."""
    if record.spec.schedule not in IN_ROUNDS:
        return None
    made, said = tournament_of(record), functools.partial(places, record)
    kind = Adaptive if record.spec.schedule == ADAPTIVE else Events
    found: Events | Adaptive = told_stored(folder, record, lambda: kind(made, said))
    found.due()
    return found


def tournament_of(record: RunRecord) -> Tournament:
    """The tournament that a run was last asked for: those of its entrants that play on, no bot opened."""
    games = {name: load_game(game.load) for name, game in record.games.items()}
    playing = record.seeds or tuple(record.entrants)
    tables = [
        table
        for number, entry in enumerate(record.spec.games)
        for table in make_tables(
            load_game(entry.game), entry, record.spec.deals, f"games[{number}]"
        )
    ]
    texts = {name: game.load for name, game in record.games.items()}
    fields = {
        name: tuple(record.entrants[one] for one in playing if record.plays(one, name))
        for name in games
    }
    return Tournament(record.spec, games, texts, fields, tuple(tables), {})


def stored_duel(folder: Path, record: RunRecord) -> Duel | Contest | None:
    """What a run says about its question; None if it has none, or others have joined the two bots of a ratio test."""
    question, several = record.question, len(record.entrants) > 2
    if question is None or (several and question.elo):
        return None
    entrants, lineups = tuple(record.entrants.values()), tuple(record.lineups.values())

    def judge() -> Duel | Contest:
        if several:
            return Contest(entrants, lineups, question, functools.partial(places, record))
        return Duel(entrants, lineups, question)

    return told_stored(folder, record, judge)


def places(record: RunRecord, lineup: Any) -> Any:
    """Whether ranks below the first mean anything in a line-up: 'all' or 'winner'."""
    return _places(record.games[lineup.game].load, json.dumps(lineup.variant))


@functools.lru_cache(maxsize=256)
def _places(game_text: str, variant: str) -> str:
    game: Game = load_game(game_text)
    return game.places(parse_options(game.Variant, json.loads(variant), "variant"))
