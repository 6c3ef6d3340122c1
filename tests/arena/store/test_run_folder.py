import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arena.plan.config import override
from arena.plan.schedule import make_blocks, make_lineups
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.replay import loaded_game
from arena.store import record
from arena.store import run_folder as store
from arena.store.parts import part_files
from arena.store.provenance import code_hash, package_version, this_machine
from arena.store.run_folder import (
    RESULTS,
    load_spec,
    open_run,
    read_match,
    read_matches,
    table_from_columns,
)
from engines.core import BUILT_IN
from engines.errors import UserError

PLAIN = {
    "name": "cup",
    "seed": 5,
    "deals": 4,
    "games": ["connect_four"],
    "bots": ["random", "greedy", "mcts:simulations=5"],
}


def tournament(*settings):
    return resolve(parse_spec(override(PLAIN, settings)))


def matches_of(resolved):
    return [m for block in make_blocks(make_lineups(resolved)) for m in block.matches()]


def results(matches, ending="finished"):
    """A table of made-up results: seven actions a match, the first seat wins."""
    m = len(matches)
    pairs = np.arange(m + 1) * 2
    lists = {
        "seating": (np.array([m.seating for m in matches], np.int8).ravel(), pairs),
        "actions": (np.arange(7 * m, dtype=np.uint16), np.arange(m + 1) * 7),
        "actors": (np.arange(7 * m, dtype=np.int8) % 2, np.arange(m + 1) * 7),
        "points": (np.tile(np.array([3, 1], np.int32), m), pairs),
        "ranks": (np.tile(np.array([1, 2], np.int8), m), pairs),
        "seconds": (np.tile(np.array([0.5, 0.25], np.float32), m), pairs),
        "decisions_by_seat": (np.tile(np.array([4, 3], np.int32), m), pairs),
    }
    return table_from_columns(
        {
            "lineup_id": [match.lineup.id for match in matches],
            "game": [match.lineup.game for match in matches],
            "variant_id": [match.lineup.variant_id for match in matches],
            "players": np.full(m, 2, np.int8),
            "deal": np.array([match.deal for match in matches], np.int32),
            "ending": [ending] * m,
            "reason": ["line"] * m,
            "capped": np.zeros(m, bool),
            "turns": np.full(m, 7, np.int32),
            "decisions": np.full(m, 7, np.int32),
            "forced": np.zeros(m, np.int32),
            "actions_hash": np.full(m, 2**64 - 1, np.uint64),
            "fault_seat": np.full(m, -1, np.int8),
            "fault_text": [""] * m,
            "worker_seconds": np.full(m, 0.1, np.float32),
            "worker_stderr": [""] * m,
            "worker_machine": ["m1"] * m,
            "start_seconds": (np.zeros(m * 2), np.arange(m + 1) * 2),
            "move_seconds": (np.zeros(0), np.zeros(m + 1)),
            **lists,
        }
    )


def played(folder, resolved, matches, merge=True):
    run = open_run(folder, resolved)
    run.append(results(matches))
    run.close(merge=merge)


def missing(run, resolved):
    found = {m.match_id for lineup in make_lineups(resolved) for m in run.missing_of(lineup)[0]}
    return [match.match_id for match in matches_of(resolved) if match.match_id in found]


@pytest.fixture
def cup():
    return tournament()


# --- columns --------------------------------------------------------------------------------------


def test_what_is_stored_is_read_back(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path, cup, matches)
    frame = read_matches(tmp_path).set_index("match_id")
    assert len(frame) == len(matches) == 24
    row = frame.loc[matches[3].match_id]
    assert list(row["seating"]) == list(matches[3].seating)
    assert (row["deal"], row["game"], row["variant_id"]) == (
        matches[3].deal,
        "connect_four",
        "default",
    )
    assert row["actions_hash"] == 2**64 - 1
    assert not row["capped"]


def test_actions_are_read_only_when_asked_for(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    assert not {"actions", "actors"} & set(read_matches(tmp_path).columns)
    assert list(read_matches(tmp_path, actions=True).columns[-2:]) == ["actions", "actors"]
    assert list(read_matches(tmp_path, ["deal", "ranks"]).columns) == ["deal", "ranks"]


def test_per_seat_columns_are_read_as_a_matrix(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    table = store.read_table(tmp_path)
    assert store.seat_matrix(table, "points", 2).tolist() == [[3, 1]] * 24


def test_a_run_without_matches_reads_as_an_empty_table(tmp_path, cup):
    open_run(tmp_path, cup).close()
    frame = read_matches(tmp_path)
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 0
    assert "ranks" in frame


def test_the_order_of_reading_does_not_depend_on_the_order_of_play(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path / "a", cup, matches)
    played(tmp_path / "b", cup, matches[::-1])
    seconds = ["seconds", "worker_seconds"]
    a, b = (read_matches(tmp_path / name).drop(columns=seconds) for name in "ab")
    assert a["match_id"].tolist() == b["match_id"].tolist()
    assert (a["seating"].map(list) == b["seating"].map(list)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("deal"), "columns missing or unknown: deal"),
        (lambda c: c.update(colour=[1]), "columns missing or unknown: colour"),
        (lambda c: c.update(turns=[1, 2]), "columns of different lengths"),
        (lambda c: c.update(ranks=([1, 2, 3], [0, 2])), "ranks: 3 values, the last offset is 2"),
    ],
)
def test_columns_that_do_not_fit_are_refused(cup, change, message):
    row = results(matches_of(cup)[:1]).to_pydict()
    columns = {
        name: (value[0], [0, len(value[0])]) if isinstance(value[0], list) else value
        for name, value in row.items()
    }
    table_from_columns(columns)
    change(columns)
    with pytest.raises(ValueError, match=message):
        table_from_columns(columns)


def test_parts_are_compressed_and_carry_the_version_of_their_format(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    (path,) = part_files(tmp_path)
    metadata = pq.read_metadata(path)
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert metadata.metadata[b"tabletop-arena matches"] == b"3"


# --- one match ------------------------------------------------------------------------------------


def test_a_match_is_found_by_its_id_or_the_beginning_of_it(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path, cup, matches[:12], merge=False)
    played(tmp_path, cup, matches[12:], merge=False)
    for wanted in (matches[0].match_id, matches[-1].match_id):
        row = read_match(tmp_path, wanted[:10])
        assert row["match_id"] == wanted
        assert len(row["actions"]) == len(row["actors"]) == 7


@pytest.mark.parametrize(
    ("match_id", "problem"), [("zz", "no match has this id"), ("", "no match")]
)
def test_a_match_that_is_not_there_is_named(tmp_path, cup, match_id, problem):
    played(tmp_path, cup, matches_of(cup))
    with pytest.raises(UserError, match=problem):
        read_match(tmp_path, match_id)


def test_a_beginning_that_several_matches_share_is_refused(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path, cup, matches)
    firsts = [match.match_id[0] for match in matches]
    shared = max(firsts, key=firsts.count)
    with pytest.raises(UserError, match=f"{firsts.count(shared)} matches begin like this"):
        read_match(tmp_path, shared)


# --- resume ---------------------------------------------------------------------------------------


def test_a_resumed_run_plays_what_is_missing_and_nothing_else(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path, cup, matches[:5])
    with open_run(tmp_path, cup) as run:
        assert missing(run, cup) == [match.match_id for match in matches[5:]]
        assert run.append(results(matches[5:])) == 19
        assert missing(run, cup) == []
    assert len(read_matches(tmp_path)) == 24


def test_a_match_that_comes_twice_is_stored_once(tmp_path, cup):
    matches = matches_of(cup)
    with open_run(tmp_path, cup) as run:
        assert run.append(results([*matches[:3], *matches[:2]])) == 3
        assert run.append(results(matches[1:4])) == 1
        run.flush()
        assert run.append(results(matches[:4])) == 0
    assert sorted(read_matches(tmp_path)["match_id"]) == sorted(m.match_id for m in matches[:4])


def test_a_match_in_two_parts_is_read_once_and_merged_once(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path, cup, matches[:3])
    first = part_files(tmp_path)[0]
    (first.parent / "part-000007.parquet").write_bytes(first.read_bytes())
    assert len(read_matches(tmp_path)) == 3
    assert read_match(tmp_path, matches[0].match_id)["turns"] == 7
    open_run(tmp_path, cup).close()
    (merged,) = part_files(tmp_path)
    assert merged.name == "part-000008.parquet"
    assert pq.read_metadata(merged).num_rows == 3


def test_a_void_match_is_missing_until_it_is_played(tmp_path, cup):
    matches = matches_of(cup)
    with open_run(tmp_path, cup) as run:
        run.append(results(matches[:2], "void"))
        run.flush()
        assert len(missing(run, cup)) == 24
        assert run.append(results(matches[:1])) == 1
        assert len(missing(run, cup)) == 23
        run.close(merge=False)
    for _ in range(2):  # before and after the parts are merged
        assert sorted(read_matches(tmp_path)["ending"]) == ["finished", "void"]
        with open_run(tmp_path, cup) as run:
            assert len(missing(run, cup)) == 23


def test_more_entrants_and_deals_join_a_stored_run(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    larger = tournament(
        "deals=6", "bots=[random, greedy, 'mcts:simulations=5', 'mcts:simulations=9']"
    )
    with open_run(tmp_path, larger) as run:
        assert len(missing(run, larger)) == len(matches_of(larger)) - 24 == 48
    stored = load_spec(tmp_path)
    assert stored.spec == larger.spec
    assert len(stored.lineups) == 6
    assert {lineup.deals for lineup in stored.lineups.values()} == {6}


def test_entrants_that_left_stay_in_the_record(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    open_run(tmp_path, tournament("bots=[random, greedy]", "deals=2")).close()
    stored = load_spec(tmp_path)
    assert len(stored.entrants) == 3
    assert len(stored.lineups) == 3
    assert {lineup.deals for lineup in stored.lineups.values()} == {4}
    assert set(read_matches(tmp_path)["lineup_id"]) == set(stored.lineups)


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("seed=6", "started with seed 5, now 6"),
        ("limits.decisions=99", "started with limits.decisions 20000, now 99"),
        ("games[0].opening=2", "started with opening 0 in connect_four, now 2"),
        (
            "bots[1]={bot: mcts, name: greedy}",
            "entrant 'greedy' played here with other parameters or code, give it another name",
        ),
    ],
)
def test_a_run_that_does_not_fit_what_is_stored_is_refused(tmp_path, cup, setting, problem):
    played(tmp_path, cup, matches_of(cup))
    with pytest.raises(UserError) as caught:
        open_run(tmp_path, tournament(setting))
    hint = "(--fresh starts anew and moves the old results aside)"
    assert str(caught.value) == f"{tmp_path}: {problem} {hint}"
    open_run(tmp_path, cup).close()


def test_other_rules_are_refused_and_another_version_goes_on(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    stored = load_spec(tmp_path)
    other = replace(stored, games={"connect_four": record.GameRecord("connect_four", "0" * 16)})
    record.write_record(tmp_path, other)
    with pytest.raises(UserError, match="the rules of connect_four have changed"):
        open_run(tmp_path, cup)
    record.write_record(tmp_path, replace(stored, version="0.0.1"))
    open_run(tmp_path, cup).close()


def test_entrants_that_play_by_other_code_are_other_entrants(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    stored = load_spec(tmp_path)
    game, ids = stored.games["connect_four"], {e.name: e.id for e in stored.entrants.values()}
    assert set(game.plays) == set(ids.values())
    other = replace(game, plays={**game.plays, ids["greedy"]: "0" * 16})
    record.write_record(tmp_path, replace(stored, games={"connect_four": other}))
    with pytest.raises(UserError, match=r"connect_four: 'greedy' plays otherwise .*--fresh"):
        open_run(tmp_path, cup)
    unknown = replace(game, plays={})  # as runs were stored before it was kept
    record.write_record(tmp_path, replace(stored, games={"connect_four": unknown}))
    open_run(tmp_path, cup).close()
    assert load_spec(tmp_path).games["connect_four"] == game


def test_a_run_stored_before_digests_is_one_of_the_same_rules():
    stored = load_spec(Path(__file__).parent / "before")
    found = set()
    for lineup in stored.lineups.values():
        if lineup.game in ("sacrifice", "sacrificio"):  # read otherwise since
            with pytest.raises(UserError, match=f"the rules of {lineup.game} have changed"):
                loaded_game(Path("before"), stored, lineup)
        else:
            assert loaded_game(Path("before"), stored, lineup).name == lineup.game
        found.add(lineup.game)
    assert found == set(BUILT_IN)


def test_a_fresh_start_moves_the_old_run_aside_and_deletes_nothing(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    for number, seed in enumerate((6, 7), start=1):
        with open_run(tmp_path, tournament(f"seed={seed}"), fresh=True) as run:
            assert len(missing(run, tournament())) == 24
            run.append(results(matches_of(cup)[:number]))
    assert [len(read_matches(tmp_path / f"old-{n}")) for n in (1, 2)] == [24, 1]
    assert load_spec(tmp_path / "old-1").spec.seed == 5
    assert len(read_matches(tmp_path)) == 2


# --- the record -----------------------------------------------------------------------------------


def test_the_record_names_all_that_decides_the_results(tmp_path, cup):
    open_run(tmp_path, cup).close()
    stored = load_spec(str(tmp_path))
    assert stored.spec == cup.spec
    assert stored.reproducible
    assert stored.version == package_version()
    assert stored.code == (code_hash(),)
    assert stored.machines == (this_machine(),)
    assert stored.games["connect_four"].rules == cup.rules["connect_four"]
    assert list(stored.entrants.values()) == list(cup.entrants)
    assert [vars(lineup) for lineup in stored.lineups.values()] == [
        vars(lineup) for lineup in make_lineups(cup)
    ]


def test_no_file_of_a_run_names_a_place_of_this_machine(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert str(tmp_path).encode() not in content
            assert os.getcwd().encode() not in content


def test_other_code_and_other_machines_join_the_record(tmp_path, cup):
    played(tmp_path, cup, matches_of(cup)[:3])
    stored = load_spec(tmp_path)
    elsewhere = replace(stored.machines[0], cores=64)
    record.write_record(tmp_path, replace(stored, code=("0" * 16,), machines=(elsewhere,)))
    open_run(tmp_path, cup).close()
    assert load_spec(tmp_path).code == ("0" * 16, code_hash())
    assert load_spec(tmp_path).machines == (elsewhere, this_machine())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not the record of a run"),
        ("a: [", "cannot be read"),
        ("format: 1", r"stored in format 1, this version reads 2 \(--fresh starts anew"),
        ("format: 2", "damaged"),
    ],
)
def test_a_record_that_is_none_is_named(tmp_path, text, problem):
    (tmp_path / "spec.yaml").write_text(text)
    with pytest.raises(UserError, match=f"spec.yaml: {problem}"):
        load_spec(tmp_path)


def test_a_folder_without_a_run_is_named(tmp_path, cup):
    for read in (read_matches, load_spec, lambda folder: read_match(folder, "a")):
        with pytest.raises(UserError, match="no run here"):
            read(tmp_path)
    played(tmp_path, cup, matches_of(cup))
    (tmp_path / "spec.yaml").unlink()
    with pytest.raises(UserError, match=r"holds matches but no spec\.yaml"):
        open_run(tmp_path, cup)


def test_a_file_in_place_of_the_folder_is_named(tmp_path, cup):
    (tmp_path / "taken").touch()
    with pytest.raises(UserError, match="taken: cannot be used as a run folder: file exists"):
        open_run(tmp_path / "taken", cup)


# --- parts ----------------------------------------------------------------------------------------


def test_parts_are_written_when_time_or_size_is_up_and_merged_at_the_end(
    tmp_path, cup, monkeypatch
):
    matches = matches_of(cup)
    with open_run(tmp_path, cup) as run:
        run.append(results(matches[:1]))
        assert part_files(tmp_path) == []
        monkeypatch.setattr(store, "PART_BYTES", 1)
        run.append(results(matches[1:2]))
        assert len(part_files(tmp_path)) == 1
        monkeypatch.setattr(store, "PART_BYTES", 1 << 30)
        monkeypatch.setattr(store, "PART_SECONDS", 0.0)
        run.append(results(matches[2:3]))
        run.flush_if_due()
        assert len(part_files(tmp_path)) == 2
    assert len(part_files(tmp_path)) == 1
    assert len(read_matches(tmp_path)) == 3


def test_an_error_keeps_what_was_played_and_leaves_the_parts_alone(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path, cup, matches[:1])

    def stopped():
        with open_run(tmp_path, cup) as run:
            run.append(results(matches[1:3]))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert len(part_files(tmp_path)) == 2
    assert len(read_matches(tmp_path)) == 3


def test_leftovers_of_a_killed_run_are_ignored(tmp_path, cup):
    matches = matches_of(cup)
    played(tmp_path, cup, matches[:2])
    leftover = tmp_path / "matches" / "part-000002.parquet.tmp"
    leftover.write_bytes(b"PAR1 cut off")
    with open_run(tmp_path, cup) as run:
        assert len(missing(run, cup)) == 22
        assert leftover.exists()


@pytest.mark.parametrize(
    "damage", ["cut", "empty", "text", "flipped", "foreign", "columns", "version"]
)
def test_a_file_that_is_no_part_is_named_and_left_alone(tmp_path, cup, damage):
    played(tmp_path, cup, matches_of(cup))
    (good,) = part_files(tmp_path)
    bad = good.parent / "part-000009.parquet"
    table, content = pq.read_table(good), good.read_bytes()
    if damage == "foreign":
        pq.write_table(pa.table({"x": [1]}), bad)
    elif damage == "columns":
        pq.write_table(table.drop_columns(["deal"]), bad)
    elif damage == "version":
        pq.write_table(table.replace_schema_metadata({b"tabletop-arena matches": b"1"}), bad)
    else:
        flipped = bytes(255 - byte for byte in content[4:400])
        bad.write_bytes(
            {
                "cut": content[:-100],
                "empty": b"",
                "text": b"hello\n",
                "flipped": content[:4] + flipped + content[400:],
            }[damage]
        )
    size = bad.stat().st_size
    for use in (lambda: read_matches(tmp_path), lambda: open_run(tmp_path, cup)):
        with pytest.raises(UserError) as caught:
            use()
        assert str(caught.value).startswith(f"{bad}: ")
        assert "\n" not in str(caught.value)
    assert bad.stat().st_size == size
    bad.rename(tmp_path / "aside")
    open_run(tmp_path, cup).close()


def test_reading_goes_on_while_a_run_merges_its_parts(tmp_path, cup, monkeypatch):
    matches = matches_of(cup)
    played(tmp_path, cup, matches[:2], merge=False)
    played(tmp_path, cup, matches[2:], merge=False)
    from arena.store import parts

    read_part, calls = parts.read_part, []

    def merge_meanwhile(path, *arguments):
        calls.append(path)
        if len(calls) == 1:
            monkeypatch.setattr(parts, "read_part", read_part)
            open_run(tmp_path, cup).close()
        return read_part(path, *arguments)

    monkeypatch.setattr(parts, "read_part", merge_meanwhile)
    assert len(read_matches(tmp_path)) == 24


# --- one writer -----------------------------------------------------------------------------------


def test_a_second_run_in_the_same_folder_is_refused(tmp_path, cup):
    with open_run(tmp_path, cup):
        with pytest.raises(UserError, match="another run is writing here"):
            open_run(tmp_path, cup)
        with pytest.raises(UserError, match="another run is writing here"):
            open_run(tmp_path, cup, fresh=True)
    open_run(tmp_path, cup).close()


def test_the_lock_of_a_killed_run_is_free(tmp_path, cup):
    script = (
        "import fcntl, os, sys, time\n"
        "lock = open(sys.argv[1], 'a'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
        "print('held', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / ".lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match="another run is writing here"):
            open_run(tmp_path, cup)
        holder.kill()
        holder.wait()
    open_run(tmp_path, cup).close()


def test_a_run_that_could_not_be_opened_does_not_hold_the_folder(tmp_path, cup):
    open_run(tmp_path, cup).close()
    with pytest.raises(UserError):
        open_run(tmp_path, tournament("seed=6"))
    open_run(tmp_path, cup).close()


# --- cost -----------------------------------------------------------------------------------------


def test_fifty_thousand_matches_cost_the_driver_less_than_2_seconds(tmp_path):
    larger = tournament("deals=25000", "bots=[random, greedy]")
    (lineup,) = make_lineups(larger)
    few = results(matches_of(larger)[:1000])
    start = time.process_time()
    with open_run(tmp_path, larger) as run:
        missing, left = run.missing_of(lineup)
        assert left == 50_000
        for number in range(50):
            deals, seats = missing.take(1000)
            table = few.set_column(few.column_names.index("deal"), "deal", pa.array(deals))
            pairs = pa.array(np.arange(1001, dtype=np.int32) * 2)
            seating = pa.ListArray.from_arrays(pairs, pa.array(seats.ravel()))
            place = few.column_names.index("seating")
            assert run.append(table.set_column(place, RESULTS.field("seating"), seating)) == 1000
            if number % 20 == 0:
                run.flush()
    assert time.process_time() - start < 2
    assert len(read_matches(tmp_path, ["deal"])) == 50_000
