"""The matches of the first deals of a run: whole blocks, a sample where a run is too large to be read row by row."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from arena.store.columns import KEYS, PLAIN, SCHEMA
from arena.store.parts import ATTEMPTS, changing, open_part, ordered, part_files, row_table


def first_deals(folder: Path, below: int, columns: Sequence[str] | None = None) -> pa.Table:
    """The matches of deals below a number, as `read_table` gives those of all deals.

    Row groups without such deals are passed over.
    """
    wanted = list(PLAIN if columns is None else columns)
    plain = [name for name in wanted if name != "match_id"]
    plain += [name for name in KEYS if name not in plain]
    for _ in range(ATTEMPTS):
        try:
            tables = [one for path in part_files(folder) for one in early_rows(path, below, plain)]
        except FileNotFoundError:
            continue
        empty = SCHEMA.empty_table().select(plain).replace_schema_metadata(None)
        return ordered(pa.concat_tables([empty, *tables]).combine_chunks(), wanted)
    raise changing(folder)


def early_rows(path: Path, below: int, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The rows of a part with deals below a number."""
    with open_part(path) as part:
        for number in range(part.num_row_groups):
            group = part.metadata.row_group(number)
            chunks = (group.column(one) for one in range(group.num_columns))
            facts = next(one for one in chunks if one.path_in_schema == "deal").statistics
            if facts is not None and facts.has_min_max and facts.min >= below:
                continue
            table = row_table(path, part, number, columns)
            yield table.filter(pa.array(table["deal"].to_numpy() < below))
