"""The bits beside large parts say what their rows say, and where they do not hold the rows are read."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import arena
from arena.store import keys, merging, run_folder
from arena.store.keys import KEPT, held_in, read_kept, write_kept
from arena.store.parts import key_tables, part_files
from arena.store.record import load_spec
from arena.store.run_folder import check_stored, stored_in


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with one part that counts as large, its bits beside it."""
    bots = ["random", "greedy"]
    arena.match("connect_four", bots, deals=30, seed=2, workers=0, out=tmp_path / "run")
    monkeypatch.setattr(merging, "LARGE_ROWS", 1)
    folder = tmp_path / "run"
    stored_in(folder, load_spec(folder))
    return folder


def told(folder):
    """What opening finds: bits, rows and line-ups."""
    record = load_spec(folder)
    check_stored(folder, record)
    stored = stored_in(folder, record)
    bits = {name: np.flatnonzero(one.bits).tolist() for name, one in stored.bitmaps.items()}
    return stored.matches, stored.played, bits


def test_what_is_looked_at_of_a_part_does_not_depend_on_where_its_deals_lie(run):
    (part,) = part_files(run)
    lineups = load_spec(run).lineups
    ((early,), known) = held_in(key_tables(part), lineups)
    ((late,), _) = held_in((later(table, 600_000_000) for table in key_tables(part)), lineups)
    assert known
    assert late.first > 100_000_000
    assert len(late.bits) <= len(early.bits) + 1
    assert np.bitwise_count(late.bits).sum() == np.bitwise_count(early.bits).sum() == late.rows


def later(table, deals):
    """The same matches some deals later."""
    moved = pa.array(table["deal"].to_numpy() + np.int32(deals))
    return table.set_column(table.column_names.index("deal"), "deal", moved)


def test_a_large_part_is_not_read_again(run, monkeypatch):
    (part,) = part_files(run)
    assert part.with_suffix(KEPT).exists()
    found = told(run)
    assert found[:2] == (60, 60)
    monkeypatch.setattr(keys, "key_tables", None)  # whoever reads rows fails
    monkeypatch.setattr(run_folder, "row_tables", None)
    assert told(run) == found


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"no bits"),
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: path.unlink(),
    ],
    ids=["nonsense", "cut", "gone"],
)
def test_bits_that_cannot_be_read_are_made_anew(run, damage):
    (part,) = part_files(run)
    found = told(run)
    damage(part.with_suffix(KEPT))
    assert read_kept(part) is None
    assert told(run) == found
    assert read_kept(part) is not None


def test_no_bit_that_flips_in_kept_bits_ends_a_run_or_is_believed(run):
    (part,) = part_files(run)
    beside = part.with_suffix(KEPT)
    whole = beside.read_bytes()
    for place in range(0, len(whole), 5):
        beside.write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]
        )
        assert read_kept(part) is None


def test_bits_of_another_file_or_of_more_than_its_rows_are_not_believed(run):
    (part,) = part_files(run)
    (kept,) = read_kept(part)
    for wrong in ({"rows": 59}, {"first": 1 << 40}, {"first": -1}):
        write_kept(part, [dataclasses.replace(kept, **wrong)])
        assert read_kept(part) is None
    write_kept(part, [kept])
    assert read_kept(part) is not None
    part.write_bytes(part.read_bytes() + b" ")
    assert read_kept(part) is None


def test_the_bits_of_a_part_do_not_hide_line_ups_that_the_record_lacks(run):
    record = load_spec(run)
    record.lineups.clear()
    with pytest.raises(arena.UserError, match="is missing, matches of it are stored"):
        check_stored(run, record)
