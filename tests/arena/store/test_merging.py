"""Parts merge in steps, and a driver killed at any moment of it loses nothing and doubles nothing."""

import socket
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arena.plan.config import override
from arena.plan.schedule import make_blocks, make_lineups
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.store import files, merging
from arena.store.columns import LONG, MOVES, RESULTS, SCHEMA, table_from_columns
from arena.store.encoding import BOOK_KEY, book_of, decoded, encoded
from arena.store.merging import Weighed, alike, small
from arena.store.parts import all_files, is_sound, part_files, read_part, split_parts, write_part
from arena.store.provenance import machine_name
from arena.store.run_folder import open_run, read_match, read_matches
from engines.errors import UserError

CUP = {"name": "cup", "games": ["connect_four"], "bots": ["random", "greedy"], "deals": 30}


@pytest.fixture
def cup():
    return resolve(parse_spec(override(CUP, ())))


def matches_of(resolved):
    return [m for block in make_blocks(make_lineups(resolved)) for m in block.matches()]


def results(matches, actions=40, seed=0):
    """Made-up results with many different actions, as in a game of cards."""
    m, rng = len(matches), np.random.default_rng(seed)
    pairs, lengths = np.arange(m + 1) * 2, np.arange(m + 1) * actions
    return table_from_columns(
        {
            "lineup_id": [match.lineup.id for match in matches],
            "game": ["connect_four"] * m,
            "variant_id": ["default"] * m,
            "players": np.full(m, 2, np.int8),
            "deal": np.array([match.deal for match in matches], np.int32),
            "seating": (np.array([match.seating for match in matches], np.int8).ravel(), pairs),
            "ending": ["finished"] * m,
            "reason": ["line"] * m,
            "capped": np.zeros(m, bool),
            "turns": np.arange(m, dtype=np.int32),
            "decisions": np.full(m, actions, np.int32),
            "decisions_by_seat": (np.full(2 * m, actions // 2, np.int32), pairs),
            "forced": np.zeros(m, np.int32),
            "actions": (rng.geometric(0.01, m * actions).astype(np.uint16), lengths),
            "actors": (rng.integers(0, 2, m * actions).astype(np.int8), lengths),
            "actions_hash": rng.integers(0, 2**63, m).astype(np.uint64),
            "points": (rng.integers(-9, 9, 2 * m).astype(np.int32), pairs),
            "ranks": (np.tile(np.array([1, 2], np.int8), m), pairs),
            "seconds": (rng.random(2 * m) * 4000, pairs),
            "fault_seat": np.full(m, -1, np.int8),
            "fault_text": [""] * m,
            "worker_seconds": rng.random(m),
            "worker_stderr": [""] * m,
            "worker_machine": ["m1"] * m,
            "start_seconds": (np.zeros(2 * m), pairs),
            "move_seconds": moves_of_every_other(m, actions, rng),
        }
    )


def moves_of_every_other(m, actions, rng):
    """Times of moves, from none to an hour, in every other match."""
    lengths = np.arange(m) % 2 * actions
    seconds = 10 ** rng.uniform(-6, 3.5, lengths.sum()) * rng.integers(0, 2, lengths.sum())
    return seconds, np.concatenate([[0], np.cumsum(lengths)])


# --- encoding -------------------------------------------------------------------------------------


@pytest.mark.parametrize("actions", [0, 1, 40, 400])
def test_what_is_written_is_read_back(tmp_path, cup, actions):
    table = results(matches_of(cup), actions)
    path = tmp_path / "part-000001.parquet"
    write_part(path, table)
    assert is_sound(path)
    again = read_part(path, RESULTS.names)
    order = [("deal", "ascending"), ("turns", "ascending")]
    table, again = table.sort_by(order), again.sort_by(order)
    for name in RESULTS.names:
        one, other = table[name].to_pylist(), again[name].to_pylist()
        if name == MOVES:
            assert [len(each) for each in one] == [len(each) for each in other]
            assert np.concatenate(other) == pytest.approx(np.concatenate(one), rel=0.05)
        elif "seconds" in name:
            one, other = (np.array(each).ravel() for each in (one, other))
            assert np.abs(one - other).max() <= 1e-3  # float32 of an hour; else microseconds
        else:
            assert one == other, name


def test_rare_actions_stand_beside_the_stream_and_a_cut_stream_is_seen(cup):
    table = results(matches_of(cup), 400)
    book = book_of(table)
    assert len(book) == 255
    assert len(np.unique(np.asarray(table["actions"].combine_chunks().flatten()))) > 255
    stored = encoded(table, book)
    again = decoded(stored, list(LONG), book)
    assert all(again[name].to_pylist() == table[name].to_pylist() for name in LONG)
    part = decoded(stored.slice(7, 5), list(LONG), book)
    assert part["actions"].to_pylist() == table["actions"].slice(7, 5).to_pylist()
    none = pa.array([b""] * table.num_rows, pa.binary())
    place = stored.column_names.index("rare_moves")
    with pytest.raises(ValueError, match="the stream of actions is cut"):
        decoded(stored.set_column(place, "rare_moves", none), list(LONG), book)


def test_a_part_is_sorted_and_holds_each_match_once(tmp_path, cup):
    matches = matches_of(cup)
    table = results(matches)
    twice = pa.concat_tables([table, table]).take(np.random.default_rng(0).permutation(120))
    write_part(tmp_path / "part.parquet", twice)
    rows = read_part(tmp_path / "part.parquet", ["lineup_id", "deal", "seating", "match_id"])
    keys = [(r["lineup_id"], r["deal"], r["seating"]) for r in rows.to_pylist()]
    assert keys == sorted(keys)
    assert sorted(rows["match_id"].to_pylist()) == sorted(match.match_id for match in matches)


def test_a_part_of_many_rows_has_row_groups_that_are_read_one_by_one(tmp_path, cup, monkeypatch):
    monkeypatch.setattr("arena.store.parts.GROUP_ROWS", 16)
    write_part(tmp_path / "part.parquet", results(matches_of(cup)))
    assert pq.read_metadata(tmp_path / "part.parquet").num_row_groups == 4
    assert read_part(tmp_path / "part.parquet", SCHEMA.names).num_rows == 60


# --- addresses ------------------------------------------------------------------------------------


def test_a_match_is_found_by_line_up_deal_and_seating(tmp_path, cup):
    matches = matches_of(cup)
    with open_run(tmp_path, cup) as run:
        run.append(results(matches))
    wanted = matches[7]
    seating = "".join(map(str, wanted.seating))
    for lineup in (wanted.lineup.id, wanted.lineup.id[:4]):
        row = read_match(tmp_path, f"{lineup}/{wanted.deal}/{seating}")
        assert row["match_id"] == wanted.match_id
    for name, problem in (
        (f"{wanted.lineup.id}/99/{seating}", "no such match in"),
        (f"zz/{wanted.deal}/{seating}", "no line-up of this run begins with zz"),
        ("a/b/c", "expected an id or LINEUP/DEAL/SEATING"),
        (f"{wanted.lineup.id}/3", "expected an id or LINEUP/DEAL/SEATING"),
        (f"{wanted.lineup.id}/{10**30}/{seating}", "expected an id or LINEUP/DEAL/SEATING"),
        (f"{wanted.lineup.id}/\u00b2/{seating}", "expected an id or LINEUP/DEAL/SEATING"),
    ):
        with pytest.raises(UserError, match=problem):
            read_match(tmp_path, name)


# --- steps ----------------------------------------------------------------------------------------


def test_eight_parts_of_a_size_merge_and_large_ones_stay():
    def parts(*rows):
        return [Weighed(Path(f"{n}"), count, 100) for n, count in enumerate(rows)]

    assert not alike(parts(*[5] * 7, *[90] * 7))
    assert [one.path.name for one in alike(parts(90, *[5] * 9))] == list("12345678")
    assert not alike(parts(*[merging.LARGE_ROWS] * 20))
    assert not alike([Weighed(Path("a"), 5, merging.LARGE_BYTES)] * 9)
    assert not small(parts(5, merging.LARGE_ROWS))
    assert len(small(parts(5, 6, merging.LARGE_ROWS))) == 2
    heavy = [Weighed(Path("a"), 5, merging.LARGE_BYTES - 1)] * 20
    assert len(small(heavy)) == merging.FAN
    assert len(small(parts(*[merging.LARGE_ROWS - 1] * 20))) == merging.FAN  # all of them are held


def test_a_run_never_holds_more_than_a_few_parts_of_a_size(tmp_path, cup):
    matches = matches_of(cup)
    with open_run(tmp_path, cup) as run:
        for number, match in enumerate(matches, 1):
            run.append(results([match]))
            run.flush()
            assert len(part_files(tmp_path)) <= 7 * 3
            assert len(all_files(tmp_path)) == len(part_files(tmp_path))
            if number == 8:
                assert len(part_files(tmp_path)) == 1
        run.close(merge=False)
    assert sorted(read_matches(tmp_path)["match_id"]) == sorted(m.match_id for m in matches)


class Killed(BaseException):
    """The driver is gone at this moment."""


MOMENTS = ("before the rename", "after the rename", "after one was removed", "after all")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_driver_killed_in_the_middle_of_a_merge(tmp_path, cup, monkeypatch, moment):
    matches = matches_of(cup)
    with open_run(tmp_path, cup) as run:
        for match in matches[:7]:
            run.append(results([match]))
            run.flush()
        run.close(merge=False)
    run = open_run(tmp_path, cup)
    run.append(results(matches[7:8]))
    with monkeypatch.context() as patch:
        stop_at(moment, patch)
        if moment == MOMENTS[-1]:
            run.flush()
        else:
            with pytest.raises(Killed):
                run.flush()
    run._lock.close()  # as the system does for a process that ends
    kept, left = split_parts(tmp_path)
    assert len(kept) == (8 if moment == MOMENTS[0] else 1)
    assert len(left) == {MOMENTS[1]: 8, MOMENTS[2]: 7}.get(moment, 0)
    assert sorted(read_matches(tmp_path)["match_id"]) == sorted(m.match_id for m in matches[:8])
    with open_run(tmp_path, cup) as again:
        assert again.missing_of(matches[0].lineup)[1] == len(matches) - 8
        assert again.append(results(matches)) == len(matches) - 8
        assert not split_parts(tmp_path)[1]
    assert sorted(read_matches(tmp_path)["match_id"]) == sorted(m.match_id for m in matches)


def stop_at(moment, patch):
    """Let the process end where a merge has come so far."""
    replace, unlink, calls = Path.replace, Path.unlink, []

    def replacing(path, target):
        calls.append(target)
        if moment == MOMENTS[0] and len(calls) == 2:  # the first is the eighth part itself
            raise Killed
        return replace(path, target)

    def unlinking(path, *arguments, **options):
        if path.suffix == ".parquet":
            if moment == MOMENTS[1] or (moment == MOMENTS[2] and "one" in calls):
                raise Killed
            calls.append("one")
        return unlink(path, *arguments, **options)

    patch.setattr(files.Path, "replace", replacing)
    patch.setattr(files.Path, "unlink", unlinking)


def test_leftovers_stay_where_what_replaced_them_is_damaged(tmp_path, cup, monkeypatch):
    matches = matches_of(cup)
    with open_run(tmp_path, cup) as run:
        for match in matches[:2]:
            run.append(results([match]))
            run.flush()
        with monkeypatch.context() as patch:
            patch.setattr(files.Path, "unlink", lambda path: None)
            run.close()
    (merged,), left = split_parts(tmp_path)
    assert len(left) == 2
    data = bytearray(merged.read_bytes())
    data[40] ^= 1
    merged.write_bytes(bytes(data))
    merging.clear_replaced(tmp_path)
    assert all(path.exists() for path in left)


def test_parts_whose_checksum_was_compared_are_not_read_whole_again(tmp_path, cup, monkeypatch):
    monkeypatch.setattr("arena.store.audit.QUICKLY_READ", 0)
    with open_run(tmp_path, cup) as run:
        run.append(results(matches_of(cup)))
    (path,) = part_files(tmp_path)
    read_matches(tmp_path)
    assert (tmp_path / "matches" / "vouched.json").exists()
    with monkeypatch.context() as patch:
        patch.setattr("arena.store.audit.is_sound", None)
        assert len(read_matches(tmp_path)) == 60
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(bytes(data))
    seen = []
    monkeypatch.setattr("arena.store.audit.is_sound", lambda path: seen.append(path) or True)
    open_run(tmp_path, cup).close()
    assert seen == [path]


# --- what was not always kept --------------------------------------------------------------------------------


@pytest.mark.parametrize("actions", [0, 40])
def test_parts_from_before_machines_were_kept_are_read_and_merged(tmp_path, cup, actions):
    paths = [tmp_path / f"part-{number}.parquet" for number in (1, 2)]
    matches = matches_of(cup)
    for path, own in zip(paths, (matches[:20], matches[20:]), strict=True):
        write_part(path, results(own, actions))
    old = pq.read_table(paths[0]).drop_columns(["worker_machine", MOVES])
    footer = pq.read_metadata(paths[0]).metadata
    with pq.ParquetWriter(paths[0], old.schema) as writer:
        writer.write_table(old)
        writer.add_key_value_metadata({k: v for k, v in footer.items() if k == BOOK_KEY})
    assert set(read_part(paths[0], ["worker_machine"])["worker_machine"].to_pylist()) == {""}
    both = tmp_path / "part-3.parquet"
    merging.merge_parts(both, paths)
    again = read_part(both, ["deal", "worker_machine"])
    assert sorted(again["worker_machine"].to_pylist()) == [""] * 20 + ["m1"] * 40
    assert set(map(len, read_part(both, [MOVES])[MOVES].to_pylist())) == {0, actions}


def test_machines_are_named_by_a_digest_or_as_the_user_says(monkeypatch):
    machine_name.cache_clear()
    monkeypatch.setenv("ARENA_MACHINE", " rack 7\x1b[1m ")
    assert machine_name() == "rack 7\ufffd[1m"
    machine_name.cache_clear()
    monkeypatch.delenv("ARENA_MACHINE")
    assert len(machine_name()) == 7
    assert socket.gethostname() not in machine_name()
    machine_name.cache_clear()
