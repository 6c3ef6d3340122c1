"""A report names a machine that does not fit, whatever parts its matches lie in."""

import numpy as np
import pyarrow as pa
import pytest

from arena.execution.run import carry_out
from arena.results.hosts import host_lines
from arena.store.columns import MACHINE, RESULTS
from arena.store.parts import part_files, read_part, write_part
from arena.store.record import load_spec


def swapped(table, name, column):
    return table.set_column(table.column_names.index(name), RESULTS.field(name), column)


@pytest.mark.parametrize("slower", [1, 40])
def test_a_machine_that_is_slower_is_named(tournament, tmp_path, slower):
    carry_out(tournament(deals=60), tmp_path, workers=0, progress=False)
    record = load_spec(tmp_path)
    assert list(host_lines(tmp_path, record, 120)) == []  # of one machine
    (part,) = part_files(tmp_path)
    table = read_part(part, RESULTS.names)
    own = np.array(table["deal"].to_pylist()) % 2 == 1
    table = swapped(table, MACHINE, pa.array(np.where(own, "two", "one").tolist(), pa.string()))
    seconds = table["seconds"].combine_chunks()
    rng = np.random.default_rng(0)
    spent = np.repeat(np.where(own, slower, 1), 2) * rng.uniform(0.01, 0.011, len(own) * 2)
    spent = pa.ListArray.from_arrays(seconds.offsets, pa.array(spent))
    table = swapped(table, "seconds", spent.cast(RESULTS.field("seconds").type))
    write_part(part, table.slice(0, 70))
    write_part(part.with_name("part-000099.parquet"), table.slice(60))  # ten matches twice
    lines = list(host_lines(tmp_path, record, 120))
    assert len(lines) == (0 if slower == 1 else 2)
    assert slower == 1 or lines[1].startswith("machine two: its times do not fit: 4")
