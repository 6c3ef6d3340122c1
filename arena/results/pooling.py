"""The stored matches of a run as pools, part by part; the sums of large parts are kept beside them.

A large part never changes, so its sums hold until the part is gone. They say which blocks were not complete when they
were made: where one of those is complete now, they are made anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arena.plan.schedule import LineUp
from arena.results.joining import joined
from arena.results.pools import COLUMNS, DEAL_BITS, Frame, Pool, frame_of, pool_of
from arena.statistics.resampling import MOST_BATCHES
from arena.store.beside import read_beside, write_beside
from arena.store.bitmap import Stored
from arena.store.columns import is_void
from arena.store.files import DiskError
from arena.store.merging import weighed
from arena.store.parts import ATTEMPTS, changing, part_files, row_tables
from arena.store.record import RunRecord

SUMS = ".sums"  # the suffix of the sums of a part, beside it
VERSION = 3  # of the sums
HELD_CELLS = 1 << 21  # in pools that wait to be joined

Key = tuple[str, str, int]  # game, label of the variant, players


@dataclass(frozen=True, eq=False)
class Whole:
    """Which matches of a run are stored, and of each line-up which deals hold a match, and which all."""

    record: RunRecord
    stored: Stored
    some: Mapping[str, NDArray[np.bool_]]
    whole: Mapping[str, NDArray[np.bool_]]

    def frame(self, ids: Sequence[str]) -> Frame:
        """The frame of some line-ups of one game, variant and number of players."""
        lineups = [self.record.lineups[one] for one in ids]
        return frame_of(lineups, [self.whole[one] for one in ids])


def whole_of(record: RunRecord, stored: Stored) -> Whole:
    """What is stored, deal by deal."""
    flags = {one: stored.deals(lineup) for one, lineup in record.lineups.items()}
    some, whole = ({one: each[which] for one, each in flags.items()} for which in (0, 1))
    return Whole(record, stored, some, whole)


def key_of_lineup(lineup: LineUp) -> Key:
    """What is rated together."""
    return lineup.game, lineup.variant_label, lineup.players


def pools_of(folders: Sequence[Path], whole: Whole) -> dict[Key, Pool]:
    """The sums of all stored matches, each counted once; begins anew if a run merges its parts meanwhile.

    folders: of runs with the same deals; `whole` is of all of them together.
    """
    for _ in range(ATTEMPTS):
        try:
            return joined_pools(part_pools(folders, whole), whole)
        except FileNotFoundError:
            continue
    raise changing(folders[0])


def joined_pools(found: Iterator[Pool], whole: Whole) -> dict[Key, Pool]:
    """The pools of parts as one for each game, variant and number of players."""
    lineups = sorted(whole.record.lineups.values(), key=lambda one: (key_of_lineup(one), one.id))
    ids = {key: [one.id for one in own] for key, own in groupby(lineups, key_of_lineup)}
    frames = {key: whole.frame(own) for key, own in ids.items()}
    waiting: dict[Key, list[Pool]] = {}
    for pool in found:
        key = key_of_lineup(whole.record.lineups[pool.frame.lineups[0]])
        own = waiting.setdefault(key, [])
        own.append(pool)
        if len(own) > 1 and sum(len(one.cells[0]) for one in own) > HELD_CELLS:
            waiting[key] = [joined(own, frames[key])]
    return {key: joined(own, frames[key]) for key, own in sorted(waiting.items())}


def part_pools(folders: Sequence[Path], whole: Whole) -> Iterator[Pool]:
    """The sums of each part, from beside it or made."""
    seen = Stored(whole.record.lineups)
    twice = whole.stored.played != whole.stored.matches
    alone = len(folders) == 1  # else another run may complete its blocks
    for path in (path for folder in folders for path in part_files(folder)):
        if not twice and (kept := read_sums(path, whole)) is not None:
            yield from kept
            continue
        made = made_pools(path, whole, seen if twice else None)
        if not twice and alone and weighed(path).large:
            with suppress(DiskError):  # where nothing can be written they are made each time
                write_sums(path, made)
        yield from made


def made_pools(path: Path, whole: Whole, seen: Stored | None) -> list[Pool]:
    """The sums of a part, read row group by row group; without what `seen` has, if it is given."""
    waiting: dict[Key, list[Pool]] = {}
    for table in row_tables(path, COLUMNS):
        keep = ~is_void(table)
        if seen is not None:
            keep &= seen.add(table)
        if not keep.all():
            table = table.filter(pa.array(keep))
        for key, own in by_key(table, whole.record):
            ids = sorted(pc.unique(own["lineup_id"]).to_pylist())
            waiting.setdefault(key, []).append(pool_of(own, whole.frame(ids)))
    return [joined(own, whole.frame(all_lineups(own))) for own in waiting.values()]


def all_lineups(pools: Sequence[Pool]) -> list[str]:
    """The line-ups of several pools."""
    return sorted({one for pool in pools for one in pool.frame.lineups})


def by_key(table: pa.Table, record: RunRecord) -> Iterator[tuple[Key, pa.Table]]:
    """The rows of a table by what is rated together."""
    ids = pc.unique(table["lineup_id"]).to_pylist()
    keys = {one: key_of_lineup(record.lineups[one]) for one in ids}
    several = sorted(set(keys.values()))
    for key in several:
        own = pa.array([one for one in ids if keys[one] == key])
        rows = table if len(several) == 1 else table.filter(pc.is_in(table["lineup_id"], own))
        yield key, rows.combine_chunks()


# --- beside the part ------------------------------------------------------------------------------

ARRAYS = (
    *("by_entrant", "points_by_group", "by_group", "side_points", "whole_points", "capped"),
    *("hashes", "open"),
)
COUNTED = ("cells", "points", "turns", "outcomes")  # tuples of arrays


def write_sums(path: Path, pools: Sequence[Pool]) -> None:
    """Keep the sums of a part beside it."""
    arrays: dict[str, Any] = {}
    facts = []
    for number, pool in enumerate(pools):
        for name in ARRAYS:
            arrays[f"{number}.{name}"] = getattr(pool, name)
        for name in COUNTED:
            for place, array in enumerate(getattr(pool, name)):
                arrays[f"{number}.{name}.{place}"] = array
        examples = [[*key, *each] for key, each in pool.examples.items()]
        facts.append([pool.frame.lineups, pool.reasons, examples])
    write_beside(path, SUMS, made_with(), facts, arrays)


def made_with() -> tuple[int, int]:
    """The version of the sums and the number of batches they rest on: others are made anew."""
    return VERSION, MOST_BATCHES


def read_sums(path: Path, whole: Whole) -> list[Pool] | None:
    """The sums beside a part; None where there are none, or they do not hold any more."""

    def made(facts: Any, held: Mapping[str, Any]) -> list[Pool | None]:
        return [pool_from(held, number, own, whole) for number, own in enumerate(facts)]

    pools = read_beside(path, SUMS, made_with(), made)
    return None if pools is None or None in pools else [pool for pool in pools if pool is not None]


def pool_from(held: Any, number: int, facts: Any, whole: Whole) -> Pool | None:
    """One pool as it was kept; None where a block is complete that was not."""
    lineups, reasons, examples = facts
    if any(one not in whole.whole for one in lineups):
        return None
    waited = held[f"{number}.open"]
    for place, one in enumerate(lineups):
        if whole.whole[one][waited[waited >> DEAL_BITS == place] & ((1 << DEAL_BITS) - 1)].any():
            return None
    arrays: dict[str, Any] = {name: held[f"{number}.{name}"] for name in ARRAYS}
    counted: dict[str, Any] = {
        name: tuple(
            held[f"{number}.{name}.{place}"] for place in range(3 if name == "outcomes" else 2)
        )
        for name in COUNTED
    }
    told: Any = {(who, kind): tuple(rest) for who, kind, *rest in examples}
    return Pool(whole.frame(lineups), reasons=reasons, examples=told, **arrays, **counted)
