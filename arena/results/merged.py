"""The matches of several runs as those of one.

Runs join where game, variant and players are the same; bots are the same where their ids are. Equal deals of equal
seeds and salts are one deal (and a match that two runs share counts once), all others are different ones. As with one
run, many matches are summed up part by part; the deals of one seed then stand behind those of the seed before it.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from arena.plan.schedule import LineUp
from arena.plan.tournament import Entrant
from arena.results import reading
from arena.results.groups import Flags, Results
from arena.results.joining import joined, later
from arena.results.pooling import Key, Whole, key_of_lineup, pools_of, whole_of
from arena.results.pools import Pool, frame_of
from arena.results.progress import places
from arena.store.extending import changed_text
from arena.store.parts import VOID
from arena.store.record import APART, GameRecord, RunRecord
from arena.store.run_folder import check_stored, read_matches, stored_in
from engines.errors import UserError
from engines.texts import folded

SEED_STEP = 1 << 32  # between the deals of one seed and those of the next


@dataclass(frozen=True)
class Source:
    """The runs of one seed and salt: what is stored in all of them together."""

    folders: tuple[Path, ...]
    whole: Whole

    @property
    def deals(self) -> int:
        """How many deals its line-ups have at most."""
        return max((len(flags) for flags in self.whole.some.values()), default=0)


def merged_results(
    record: RunRecord, stored: Sequence[RunRecord], folders: Sequence[Path]
) -> tuple[Results, int]:
    """The matches of several runs, row by row or, where they are many, as sums; and how many there are.

    record: of all of them (`merged_record`); stored: of each.
    """
    for one, folder in zip(stored, folders, strict=True):
        check_stored(folder, one)
    sources = sources_of(record, stored, folders)
    ranked = functools.partial(places, record)
    count = sum(source.whole.stored.matches for source in sources)
    if count <= reading.ROW_BY_ROW:
        matches = merged_matches(stored, folders)
        return Results(matches, record.entrants, record.lineups, ranked), len(matches)
    pools, deals = merged_pools(record, sources), flags_of(record, sources)
    none = pd.DataFrame()  # no rows: boards show none
    return Results(none, record.entrants, record.lineups, ranked, pools, deals), count


# --- records --------------------------------------------------------------------------------------


def merged_record(stored: Sequence[RunRecord], folders: Sequence[Path]) -> RunRecord:
    """The records of several runs as one; its spec is the first's, its anchor the one all have."""
    games: dict[str, GameRecord] = {}
    lineups: dict[str, LineUp] = {}
    for record, folder in zip(stored, folders, strict=True):
        if record.people != stored[0].people:
            raise UserError(f"{folder}: {APART}, with a board each")
        for name, game in record.games.items():
            known = games.setdefault(name, game)
            if not known.has_rules_of(game):
                raise UserError(
                    f"{folder}: {name} has rules {game.rules}, before it they were "
                    f"{known.rules}; only runs of the same rules can be merged"
                )
            if changed := [record.entrants[one].name for one in known.changed(game)]:
                raise UserError(
                    f"{folder}: {name}: {changed_text(changed)} than in the runs before it"
                )
            games[name] = known.joined(game)
        for lineup in record.lineups.values():
            old = lineups.setdefault(lineup.id, lineup)
            if old.opening != lineup.opening:
                raise UserError(
                    f"{folder}: {lineup.game} with opening {lineup.opening}, before it "
                    f"{old.opening}; only runs with the same opening can be merged"
                )
            lineups[lineup.id] = replace(old, deals=max(old.deals, lineup.deals))
    anchors = {record.spec.anchor for record in stored}
    anchor = anchors.pop() if len(anchors) == 1 else None
    return replace(
        stored[0],
        spec=stored[0].spec.model_copy(update={"anchor": anchor}),
        reproducible=all(record.reproducible for record in stored),
        games=games,
        entrants=merged_entrants(stored),
        lineups=lineups,
    )


def merged_entrants(stored: Iterable[RunRecord]) -> dict[str, Entrant]:
    """Every bot once, by id; bots that share a name get the beginning of their id behind it."""
    found: dict[str, Entrant] = {}
    for record in stored:
        for entrant in record.entrants.values():
            found.setdefault(entrant.id, entrant)
    names = [folded(entrant.name) for entrant in found.values()]
    return {
        one: entrant
        if names.count(folded(entrant.name)) == 1
        else replace(entrant, name=f"{entrant.name} ({one[:4]})")
        for one, entrant in found.items()
    }


# --- row by row -----------------------------------------------------------------------------------


def merged_matches(stored: Sequence[RunRecord], folders: Sequence[Path]) -> pd.DataFrame:
    """The matches of all runs, each once, with deals that differ where the seeds or salts do."""
    sources = [source_of(record) for record in stored]
    known = sorted(set(sources))
    frames = []
    for source, folder in zip(sources, folders, strict=True):
        frame = read_matches(folder)
        first = SEED_STEP * known.index(source)
        frames.append(frame.assign(deal=frame["deal"].astype(np.int64) + first))
    matches = pd.concat(frames, ignore_index=True)
    matches = matches.assign(void=matches["ending"] == VOID)
    order = ["lineup_id", "deal", "match_id", "void"]
    matches = matches.sort_values(order, kind="stable").drop_duplicates(["match_id", "deal"])
    return matches.drop(columns="void").reset_index(drop=True)


def source_of(record: RunRecord) -> tuple[int, str]:
    """What makes deals of a number the same deals: seed and salt."""
    return record.spec.seed, record.spec.salt or ""


# --- as sums --------------------------------------------------------------------------------------


def sources_of(
    record: RunRecord, stored: Sequence[RunRecord], folders: Sequence[Path]
) -> list[Source]:
    """The runs by seed and salt, in the order in which `merged_matches` has their deals."""
    found = []
    for source in sorted({source_of(one) for one in stored}):
        own = [place for place, one in enumerate(stored) if source_of(one) == source]
        lineups: dict[str, LineUp] = {}
        for lineup in (one for place in own for one in stored[place].lineups.values()):
            deals = max(lineup.deals, lineups.get(lineup.id, lineup).deals)
            lineups[lineup.id] = replace(lineup, deals=deals)
        together = replace(record, lineups=lineups)
        first, *others = dict.fromkeys(folders[place] for place in own)
        whole = whole_of(together, stored_in(first, together, others))
        found.append(Source((first, *others), whole))
    return found


def merged_pools(record: RunRecord, sources: Sequence[Source]) -> dict[Key, Pool]:
    """The sums of all matches of all runs, each counted once."""
    found: dict[Key, list[Pool]] = {}
    before = 0
    for source in sources:
        for key, pool in pools_of(source.folders, source.whole).items():
            found.setdefault(key, []).append(later(pool, before))
        before += source.deals
    frames = {
        key: frame_of([one for one in record.lineups.values() if key_of_lineup(one) == key])
        for key in found
    }
    return {key: joined(own, frames[key]) for key, own in sorted(found.items())}


def flags_of(record: RunRecord, sources: Sequence[Source]) -> dict[str, Mapping[str, Flags]]:
    """Of which deals of each line-up, those of one source behind those of another, some and all matches are stored."""
    found: dict[str, Mapping[str, Flags]] = {}
    for name in ("some", "whole"):
        flags = {
            one: np.zeros(sum(each.deals for each in sources), dtype=bool) for one in record.lineups
        }
        before = 0
        for source in sources:
            for one, own in getattr(source.whole, name).items():
                flags[one][before : before + len(own)] = own
            before += source.deals
        found[name] = flags
    return found
