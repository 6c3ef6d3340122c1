"""The matches of some deals of a run: whole blocks, a sample or a batch where a run is too large to be read at once."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arena.store.columns import KEYS, PLAIN, SCHEMA
from arena.store.parts import ATTEMPTS, changing, open_part, ordered, part_files, row_table


def rows_of_deals(
    folder: Path,
    first: int,
    last: int,
    columns: Sequence[str] | None = None,
    lineups: Collection[str] | None = None,
) -> pa.Table:
    """The matches of the deals from `first` to before `last`, as `read_table` gives those of all deals.

    Row groups without such deals are passed over.

    Args:
        lineups: their ids, where not all are wanted.
    """
    wanted = None if lineups is None else pa.array(sorted(lineups), pa.string())

    def rows(path: Path, names: Sequence[str]) -> Iterator[pa.Table]:
        for table in own_rows(path, first, last, names):
            yield (table if wanted is None else table.filter(pc.is_in(table["lineup_id"], wanted)))

    return gathered(folder, rows, columns)


def rows_where(
    folder: Path, keep: Callable[[pa.Table], NDArray[np.bool_]], columns: Sequence[str]
) -> pa.Table:
    """The matches that are kept, as `read_table` gives all; keep: which rows (m,) of a table with KEYS.

    Row groups without such rows are passed over.
    """
    return gathered(folder, lambda path, names: kept_rows(path, keep, names), columns)


def gathered(
    folder: Path,
    rows: Callable[[Path, Sequence[str]], Iterator[pa.Table]],
    columns: Sequence[str] | None,
) -> pa.Table:
    """Some rows of each part; begins anew if a run merges its parts meanwhile."""
    wanted = list(PLAIN if columns is None else columns)
    plain = [name for name in wanted if name != "match_id"]
    plain += [name for name in KEYS if name not in plain]
    for _ in range(ATTEMPTS):
        try:
            tables = [one for path in part_files(folder) for one in rows(path, plain)]
        except FileNotFoundError:
            continue
        empty = SCHEMA.empty_table().select(plain).replace_schema_metadata(None)
        return ordered(pa.concat_tables([empty, *tables]).combine_chunks(), wanted)
    raise changing(folder)


def kept_rows(
    path: Path, keep: Callable[[pa.Table], NDArray[np.bool_]], columns: Sequence[str]
) -> Iterator[pa.Table]:
    """The rows of a part that are kept."""
    with open_part(path) as part:
        for number in range(part.num_row_groups):
            flags = keep(row_table(path, part, number, KEYS))
            if flags.any():
                yield row_table(path, part, number, columns).filter(pa.array(flags))


def own_rows(path: Path, first: int, last: int, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The rows of a part with these deals."""
    with open_part(path) as part:
        for number in range(part.num_row_groups):
            group = part.metadata.row_group(number)
            chunks = (group.column(one) for one in range(group.num_columns))
            facts = next(one for one in chunks if one.path_in_schema == "deal").statistics
            known = facts is not None and facts.has_min_max
            if known and (facts.min >= last or facts.max < first):
                continue
            table = row_table(path, part, number, columns)
            deals = table["deal"].to_numpy()
            yield table.filter(pa.array((deals >= first) & (deals < last)))
