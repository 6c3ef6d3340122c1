"""The runs inside a run: more deals of the baseline (`more_deals`), and the interventions."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from arena.balance import interventions
from arena.balance.first_deals import look_at
from arena.balance.more_deals import PAIRS, SEATS, has_more
from arena.balance.plan import Plan
from arena.balance.replays import Moves
from arena.balance.samples import Sample, make_sample
from arena.results.groups import Results
from arena.results.progress import places
from arena.store.record import RunRecord
from arena.store.run_folder import load_spec
from engines.core import Game, load_game

# By variant and players: bots against themselves, and the two strongest against each other; None without such a run.
More = Mapping[tuple[str, int], tuple[Sample | None, Sample | None]]


def more_of(folder: Path, plan: Plan) -> More:
    """The matches of more deals that a run holds, each bot against itself and the two strongest against each other."""
    found: dict[str, dict[tuple[str, int], Sample]] = {SEATS: {}, PAIRS: {}}
    for name, samples in found.items():
        if has_more(folder, name):
            for sample, _, _ in inner_samples(folder / name, plan.ladder):
                samples[sample.label, sample.group.players] = sample
    alone, pairs = found.values()
    return {key: (alone.get(key), pairs.get(key)) for key in {**alone, **pairs}}


def with_more(sample: Sample, more: Sample, record: RunRecord) -> Sample:
    """A sample whose line-ups that more deals were played of are those: the others, and its own deals, are as before.

    Both are of one variant and number of players; record: the sample's run, which has all entrants of both.
    """
    own, others = (each.stored.iloc[each.group.rows] for each in (sample, more))
    rest = own[~own["lineup_id"].isin(others["lineup_id"])]
    rows = pd.concat([rest, others], ignore_index=True)
    (group,) = results_of(rows, record).groups
    chance = not game_of(group.game, record).perfect_information
    return make_sample(group, rows, sample.ladder, sample.part, chance=chance)


def intervention_table(folder: Path) -> list[dict[str, Any]]:
    """The rows of the run of interventions, if there is one."""
    if not interventions.has_interventions(folder):
        return []
    rows: list[dict[str, Any]] = []
    for sample, game, moves in inner_samples(folder / interventions.FOLDER, ()):
        rows += interventions.intervention_rows(sample, game, moves)
    return rows


def inner_samples(folder: Path, ladder: Sequence[str]) -> Iterator[tuple[Sample, Game, Moves]]:
    """The samples of a run inside a run, with their game, and the actions of all matches."""
    record = load_spec(folder)
    looked = look_at(folder, record, {})
    for group in results_of(looked.rows, record).groups:
        game = game_of(group.game, record)
        chance = not game.perfect_information
        sample = make_sample(group, looked.rows, ladder, chance=chance)
        if sample.size:
            yield sample, game, looked.moves


def results_of(rows: pd.DataFrame, record: RunRecord) -> Results:
    """The matches that are looked at, with what their ids stand for."""
    return Results(rows, record.entrants, record.lineups, functools.partial(places, record))


def game_of(name: str, record: RunRecord) -> Game:
    """A game of a run."""
    return load_game(record.games[name].load)
