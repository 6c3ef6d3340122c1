"""What a tournament would be: line-ups, matches, and minutes from a short probe that stores nothing."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from arena.execution.batches import Conditions, batch_of
from arena.execution.compiling import compile_games
from arena.execution.run import what_remains
from arena.execution.working import play_batch
from arena.plan.formats.courses import FORMATS
from arena.plan.formats.extent import most_matches, most_tables
from arena.plan.formats.meetings import lineups_of
from arena.plan.schedule import LineUp, Match, count_matches, make_blocks, make_lineups
from arena.plan.tournament import Tournament
from arena.plan.wording import time_text
from arena.statistics.claims import ELO_GAP, POINTS_GAP, deals_for_elo, deals_for_share
from arena.store.columns import Columns
from arena.store.record import load_spec
from arena.store.run_folder import RECORD, stored_matches

PROBE_SECONDS = 5.0


@dataclass
class Cost:
    """Seconds that a match takes, learnt from those played; it changes as matches are seen.

    A line-up that was not seen costs what its entrants cost elsewhere in the game, per seat.
    """

    lineups: dict[str, list[float]] = field(default_factory=dict)  # seconds of each match
    seats: dict[tuple[str, int, str], list[float]] = field(default_factory=dict)

    def learn(self, lineup: LineUp, columns: Mapping[str, Any], seconds: float) -> None:
        """Take over a batch that was played."""
        seats = np.asarray(columns["seating"][0])
        self.lineups.setdefault(lineup.id, []).append(seconds / max(len(columns["deal"]), 1))
        for position, spent in zip(seats, columns["seconds"][0], strict=True):
            key = lineup.game, lineup.players, lineup.entrants[position]
            self.seats.setdefault(key, []).append(float(spent))

    def of(self, lineup: LineUp) -> float | None:
        """Seconds of a match of this line-up; None where nothing is known."""
        if lineup.id in self.lineups:
            return float(np.mean(self.lineups[lineup.id]))
        keys = [(lineup.game, lineup.players, entrant) for entrant in lineup.entrants]
        if not all(key in self.seats for key in keys):
            return None
        each = lineup.players / len(keys)  # seats of a side
        return float(sum(np.mean(self.seats[key]) for key in keys) * each)


def forecast(tournament: Tournament, folder: Path, workers: int) -> Iterator[str]:
    """The tournament in lines: tables first, then, after the probe, how long it would take.

    Args:
        folder: where it would be stored; matches that are there already are not counted again.
    """
    if tournament.spec.schedule in FORMATS:
        yield from forecast_rounds(tournament, workers)
        return
    lineups = make_lineups(tournament)
    stored = (
        stored_matches(folder, load_spec(folder), lineups) if (folder / RECORD).exists() else {}
    )
    for table in tournament.tables:
        own = [one for one in lineups if label(one) == (table.game, table.changes, table.players)]
        matches = f"{plural(count_matches(own), 'match', 'es')}"
        yield f"{table.label}: {plural(len(own), 'line-up')}, {plural(table.deals, 'deal')}, {matches}"
    left = {one.id: count_matches([one]) - stored.get(one.id, 0) for one in lineups}
    total, missing = count_matches(lineups), sum(left.values())
    there = f", {total - missing} of them in {folder}" if total > missing else ""
    yield f"{plural(total, 'match', 'es')} in all{there}"
    if missing:
        waiting = [one for one in lineups if left[one.id]]
        yield duration_text(probe(tournament, waiting), waiting, left, workers)


def forecast_rounds(tournament: Tournament, workers: int) -> Iterator[str]:
    """A tournament in rounds in lines: the most that it can play, and how long that takes at most.

    Costs are those of its first round.
    """
    spec, total = tournament.spec, 0
    first: list[LineUp] = []
    for table in tournament.tables:
        ids = tournament.ids(table.game)
        rounds = most_tables(spec.rules, len(ids), len(set(table.sides)), spec.seed)
        tables = sum(len(played.tables) for played in rounds)
        most = most_matches(tournament, table)
        total += most
        yield (
            f"{table.label}: {plural(len(rounds), 'round')} at most, {plural(tables, 'table')}, "
            f"{plural(table.deals, 'deal')}, {plural(most, 'match', 'es')} at most"
        )
        for group in rounds[0].tables:
            first += lineups_of(table, [ids[one] for one in group])
    yield f"{plural(total, 'match', 'es')} in all at most"
    share = -(-total // len(first))
    left = dict.fromkeys((lineup.id for lineup in first), share)
    yield duration_text(probe(tournament, first), first, left, workers)


def power(tournament: Tournament) -> Iterator[str]:
    """How many deals would tell two bots apart, a line for each table where two meet."""
    lineups = make_lineups(tournament)
    for table in tournament.tables:
        own = [one for one in lineups if label(one) == (table.game, table.changes, table.players)]
        meetings: dict[tuple[str, str], float] = {}
        for lineup in own:
            each = count_matches([lineup]) / lineup.deals
            for pair in combinations(sorted(set(lineup.entrants)), 2):
                meetings[pair] = meetings.get(pair, 0.0) + each
        if meetings:
            fewest = min(meetings.values())
            elo, points = deals_for_elo(ELO_GAP, fewest), deals_for_share(POINTS_GAP, fewest)
            yield (
                f"{table.label}: of two bots about {elo:,.0f} deals separate {ELO_GAP:g} Elo, "
                f"{points:,.0f} separate {100 * POINTS_GAP:g} points of score (80 % power, by their "
                "own matches, were these independent)"
            )


def label(lineup: LineUp) -> tuple[str, Mapping[str, Any], int]:
    """What a line-up has in common with the others of its table."""
    return lineup.game, lineup.variant, lineup.players


def plural(count: int, noun: str, ending: str = "s") -> str:
    """'1 match', '2 matches'."""
    return f"{count:,} {noun}{'' if count == 1 else ending}"


def probe(tournament: Tournament, lineups: Iterable[LineUp]) -> Cost:
    """Play for PROBE_SECONDS, match by match and line-up by line-up; compiling does not count."""
    cost = Cost()
    left = what_remains(tournament, tuple(lineups), one_by_one)
    compile_games([group.conditions for group in left])
    end = time.monotonic() + PROBE_SECONDS
    waiting: list[tuple[Conditions, Iterator[Match]]] = [
        (one.conditions, one.matches) for one in left
    ]
    while waiting and time.monotonic() < end:
        for conditions, matches in list(waiting):
            match = next(matches, None)
            if match is None:
                waiting.remove((conditions, matches))
                continue
            outcome = play_batch(batch_of(conditions, (match,)), lambda: time.monotonic() > end)
            if outcome is None:
                break
            told = Columns(outcome.table, ("deal", "seating", "seconds"))
            cost.learn(conditions.lineup, told, outcome.seconds)
    return cost


def one_by_one(lineup: LineUp) -> tuple[Iterator[Match], int]:
    """The matches of a line-up, and how many."""
    matches = (match for block in make_blocks([lineup]) for match in block.matches())
    return matches, count_matches([lineup])


def duration_text(
    cost: Cost, lineups: Iterable[LineUp], left: Mapping[str, int], workers: int
) -> str:
    """How long the missing matches would take."""
    known = {one.id: cost.of(one) for one in lineups}
    costs = [each for each in known.values() if each is not None]
    fallback = max(costs, default=PROBE_SECONDS)
    work = sum((fallback if each is None else each) * left[name] for name, each in known.items())
    unknown = sum(each is None for each in known.values())
    cores = min(max(workers, 1), os.cpu_count() or 1) if workers else 1
    where = f"{workers} workers" if workers > 1 else "one worker" if workers else "this process"
    played = sum(len(seen) for seen in cost.lineups.values())
    basis = f"from {plural(played, 'match', 'es')} in a probe of {PROBE_SECONDS:g} s"
    if unknown:
        return (
            f"more than {time_text(work / cores)} on {where} ({basis}; {unknown} of {len(known)} "
            "line-ups finished no match in it)"
        )
    return f"about {time_text(work / cores)} on {where} ({basis})"
