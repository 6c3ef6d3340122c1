"""What a report shows beyond the tables of a run: usage, points, lengths, budgets, variants."""

from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arena.plan.keeping import keeps_actions
from arena.results import distributions, usage
from arena.results.cells import write_table
from arena.results.groups import Results
from arena.results.reading import sample_text
from arena.results.report import Tables
from arena.store.record import RunRecord
from arena.store.run_folder import read_table
from arena.store.some_deals import rows_of_deals
from engines.core import Game, load_game
from engines.errors import UserError


@dataclass(frozen=True)
class Findings:
    """Tables of a run for its report, one CSV each; notes say what could not be made.

    usage_of: of which matches the usage is, where it is not of all.
    """

    points: pd.DataFrame
    point_bars: pd.DataFrame
    lengths: pd.DataFrame
    budgets: pd.DataFrame
    variants: pd.DataFrame
    usage: pd.DataFrame
    notes: tuple[str, ...]
    usage_of: str = ""


def make_findings(made: Tables) -> Findings:
    """Return the findings of a run; matches are read again with their actions."""
    games, notes = games_of(made.record)
    moves = usage.moves_of(with_kept(made))
    limits = []
    if sampled := sample_text(made.results, made.stored):
        limits.append(sampled)
        notes.append(f"usage, and the matches listed, are {sampled}")
        notes.append("how many matches are distinct is told by a sample, one of 64")
    return Findings(
        distributions.points(made.results),
        distributions.point_bars(made.results),
        distributions.lengths(made.results),
        distributions.budgets(made.standings, made.record.entrants.values()),
        distributions.variants(made.results),
        usage.usage(with_actions(made, limits), moves, games.get),
        (*notes, *(f"usage is {kept}" for kept in limits[bool(sampled) :])),
        "; ".join(limits),
    )


def moves_behind(made: Tables, *more: str) -> pa.Table:
    """The actions, and more columns, of the matches that the results hold row by row."""
    matches, columns = made.results.matches, ["actions", "actors", *more]
    if not made.results.pools:
        return read_table(made.folder, columns)
    deals, lineups = matches["deal"], set(matches["lineup_id"])
    return rows_of_deals(made.folder, deals.min(), deals.max() + 1, columns, lineups)


def with_kept(made: Tables) -> pa.Table:
    """The actions of matches of which they are stored, in the order of the results."""
    matches, table = made.results.matches, moves_behind(made)
    if len(table) != len(matches):  # a run that is being played has stored more since
        table = moves_behind(made, "match_id")
        table = table.filter(pc.is_in(table["match_id"], pa.array(matches["match_id"])))
    return table.filter(pa.array(kept_in(made)))


def kept_in(made: Tables) -> NDArray[np.bool_]:
    """Of which matches of the results the actions are stored."""
    deals = made.results.matches["deal"].to_numpy(np.int64)
    return keeps_actions(made.record.spec.store_actions, deals)


def with_actions(made: Tables, limits: list[str]) -> Results:
    """The matches whose actions are stored; how many those are where they are not all."""
    sample, keep = made.results.sample, kept_in(made)
    if keep.all():
        return sample
    rule = made.record.spec.store_actions
    limits.append(f"of {int(keep.sum()):,} matches (store_actions: {rule})")
    return replace(sample, matches=sample.matches[keep].reset_index(drop=True))


def games_of(record: RunRecord) -> tuple[dict[str, Game], list[str]]:
    """Return the games whose rules are still those of the run, and a note for each other."""
    games, notes = {}, []
    for name, stored in record.games.items():
        try:
            game = load_game(stored.load)
        except UserError as error:
            notes.append(f"{name}: no usage table, {error}")
            continue
        if game.has_rules(stored.rules):
            games[name] = game
        else:
            notes.append(f"{name}: no usage table, its rules have changed since the run")
    return games, notes


def write_findings(made: Tables, folder: Path | None = None) -> Findings:
    """Make the findings of a run and write one CSV each into its folder, or another one."""
    found = make_findings(made)
    for field in fields(Findings):
        frame = getattr(found, field.name)
        if isinstance(frame, pd.DataFrame):
            write_table((folder or made.folder) / f"{field.name}.csv", frame)
    return found
