"""Stored runs that somebody edited: each wrong value is one line that names file, row and column."""

import itertools
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.playing.referee import Ending
from arena.results.replay import replay_match
from arena.store import parts
from arena.store.columns import LATER
from arena.store.parts import ENDINGS, SCHEMA, is_sound, part_files
from arena.store.run_folder import open_run, read_match, read_matches

CUP = {
    "name": "cup",
    "games": ["connect_four"],
    "bots": ["random", "greedy"],
    "deals": 3,
}
PART = "matches/part-000001.parquet"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edits") / "run"
    carry_out(resolve(parse_spec(CUP)), folder, workers=0, progress=False)
    (part,) = part_files(folder)  # a slow machine has written several and merged them
    part.rename(folder / PART)
    return folder


@pytest.fixture
def run(finished, tmp_path, monkeypatch):
    """A copy of a finished run, in the working folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(finished, "run")
    return Path("run")


def edit(run, row, column, change):
    """Change one value of a part as somebody with pyarrow would who writes the columns of format 2."""
    (path,) = part_files(run)
    rows = parts.read_part(path, SCHEMA.names).to_pylist()
    rows[row][column] = change(rows[row][column]) if callable(change) else change
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)


WRONG = [
    ("match_id", "0" * 16, "what line-up, deal and seating give"),
    ("match_id", "x\x1b[31m", "what line-up, deal and seating give"),
    ("lineup_id", "f" * 16, "a line-up of this run"),
    ("game", "chess", "'connect_four'"),
    ("variant_id", "1234", "'default'"),
    ("players", 3, "2"),
    ("deal", -5, "0 to 2"),
    ("deal", 3, "0 to 2"),
    ("seating", [0, 0], "a seating of this deal"),
    ("seating", [0], "2 values"),
    ("seating", [0, 7], "a seating of this deal"),
    ("ending", "weird", "one of finished, illegal action,"),
    ("ending", "timeout", None),
    ("reason", "", "the name of an ending of the game"),
    ("turns", -1, "at least 0"),
    ("decisions", -1, "at least 0"),
    ("forced", -1, "at least 0"),
    ("actions", lambda value: [*value, 0], "as many as decisions and forced actions"),
    ("decisions_by_seat", [100, -100], "numbers that add up to decisions"),
    ("actions", [], "as many as decisions and forced actions"),
    ("actors", lambda value: value[:-1], "as many as actions"),
    ("actors", lambda value: [9, *value[1:]], "players 0 to 1"),
    ("points", [1, 2, 3], "2 values"),
    ("ranks", [0, 0], "1 for the best, ties share"),
    ("ranks", [2, 2], "1 for the best, ties share"),
    ("ranks", [1, 3], "1 for the best, ties share"),
    ("ranks", [1, None], "a value"),
    ("seconds", [float("nan"), 1.0], "at least 0"),
    ("seconds", [-1.0, 1.0], "at least 0"),
    ("fault_seat", 2, "a seat where a bot failed, else -1"),
    ("fault_seat", 0, "a seat where a bot failed, else -1"),
    ("fault_text", None, "a value"),
    ("worker_seconds", float("inf"), "at least 0"),
]


FULL = pytest.mark.full
READERS = ["check run", *(pytest.param(r, marks=FULL) for r in ("report", "replay", "leaderboard"))]


@pytest.mark.parametrize(
    ("column", "change", "wanted"), WRONG, ids=[f"{c}-{n}" for n, (c, *_) in enumerate(WRONG)]
)
@pytest.mark.parametrize("reader", READERS)
def test_a_wrong_value_is_told_by_file_row_and_column_wherever_the_run_is_read(
    arena, run, column, change, wanted, reader
):
    first = read_matches(run)["match_id"][0]
    edit(run, 2, column, change)
    command = (*reader.split(), "run", *([first] if reader == "replay" else []))
    code, out, err = arena(*command)
    said = out if command[0] == "check" else err
    assert code == (1 if command[0] == "check" else 2), said
    where = f"{PART}: row 3, column {'fault_seat' if wanted is None else column}: "
    assert where in said
    assert wanted is None or wanted in said
    assert "\x1b" not in said


@pytest.mark.parametrize("reader", ["report", "replay", "leaderboard"])
def test_every_reader_looks_at_values(arena, run, reader):
    first = read_matches(run)["match_id"][0]
    edit(run, 2, "ranks", [0, 0])
    code, _, err = arena(reader, "run", *([first] if reader == "replay" else []))
    assert code == 2
    assert f"{PART}: row 3, column ranks: " in err


def test_other_actions_than_those_played_are_found_by_their_digest(arena, run):
    edit(run, 0, "actions", lambda value: [*value[:-1], (value[-1] + 1) % 7])
    code, out, _ = arena("check", "run", "run")
    assert code == 1
    assert f"{PART}: row 1, column actions_hash: " in out


def test_the_words_for_endings_are_the_referees():
    assert {ending.text for ending in Ending} == set(ENDINGS)


@pytest.mark.parametrize("column", [name for name in SCHEMA.names if name != LATER[0]])
def test_a_column_of_another_type_or_none_is_named(arena, run, column):
    (path,) = part_files(run)
    edit(run, 0, "turns", 9)
    table = pq.read_table(path)
    pq.write_table(table.drop_columns([column]), path)
    code, _, err = arena("report", "run")
    assert code == 2
    assert f"{PART}: column {column}: missing, expected " in err
    odd = pa.array([b"x"] * table.num_rows)
    place = table.column_names.index(column)
    pq.write_table(table.set_column(place, column, odd), path)
    code, _, err = arena("check", "run", "run")
    assert code == 1 or f"column {column}: binary, expected" in err


# --- checksums ------------------------------------------------------------------------------------


def test_a_part_as_its_writer_left_it_is_sound_and_needs_no_looking_through(
    run, arena, monkeypatch
):
    (path,) = part_files(run)
    assert is_sound(path)
    code, out, _ = arena("check", "run", "run")
    assert code == 0
    assert "6 matches, all in order, as its writer left it" in out
    monkeypatch.setattr("arena.store.audit.part_flaws", None)
    assert len(read_matches(run)) == 6


def test_a_flipped_bit_is_seen(run, arena):
    (path,) = part_files(run)
    data = bytearray(path.read_bytes())
    data[len(data) // 4] ^= 1
    path.write_bytes(bytes(data))
    assert not is_sound(path)
    code, out, err = arena("check", "run", "run")
    assert "Traceback" not in out + err
    assert code in (0, 1)


def test_a_right_value_written_by_hand_is_taken(run, arena):
    edit(run, 2, "worker_seconds", 1.5)
    (path,) = part_files(run)
    assert not is_sound(path)
    code, out, _ = arena("check", "run", "run")
    assert code == 0
    assert "no checksum vouches for it" in out
    assert len(read_matches(run)) == 6


def test_merged_parts_are_sound_again(run):
    edit(run, 2, "worker_seconds", 1.5)
    (path,) = part_files(run)
    table = pq.read_table(path)
    path.unlink()
    for number, first in ((1, 0), (2, 3)):
        pq.write_table(table.slice(first, 3), parts.part_path(run, number))
    open_run(run, resolve(parse_spec(CUP))).close()
    (path,) = part_files(run)
    assert is_sound(path)
    assert len(read_matches(run)) == 6


def test_runs_from_before_checksums_open_and_replay(arena):
    before = Path(__file__).parent / "before"
    assert len(read_matches(before)) == 90
    assert arena("check", "run", before)[0] == 0
    assert len(read_match(before, read_matches(before)["match_id"][0])["ranks"]) > 1


# --- the record -----------------------------------------------------------------------------------


def at(record, path):
    *steps, last = path
    for step in steps:
        record = record[step]
    return record, last


PATHS = [
    ("format",),
    ("version",),
    ("code",),
    ("machines",),
    ("machines", 0),
    ("machines", 0, "packages"),
    ("tournament",),
    ("tournament", "games"),
    ("tournament", "bots", 0, "bot"),
    ("tournament", "seed"),
    ("tournament", "limits", "decisions"),
    ("games",),
    ("games", "connect_four"),
    ("games", "connect_four", "rules"),
    ("entrants",),
    ("entrants", 0),
    ("entrants", 0, "id"),
    ("entrants", 0, "name"),
    ("entrants", 0, "params"),
    ("lineups",),
    ("lineups", 0),
    ("lineups", 0, "id"),
    ("lineups", 0, "game"),
    ("lineups", 0, "variant"),
    ("lineups", 0, "players"),
    ("lineups", 0, "entrants"),
    ("lineups", 0, "entrants", 0),
    ("lineups", 0, "sides"),
    ("lineups", 0, "deals"),
    ("lineups", 0, "opening"),
]
VALUES = [None, "weird", -5, [], {}, 1.5, [None], {"a": [1]}]


@pytest.mark.parametrize(
    ("command", "values"),
    [
        ("check run", ("weird", [], "gone")),
        *(pytest.param(c, (*VALUES, "gone"), marks=FULL) for c in ("check run", "report")),
    ],
    ids=["few", "check run", "report"],
)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_an_edited_record_is_one_line_or_as_good_as_before(arena, run, path, command, values):
    file = run / "spec.yaml"
    stored = file.read_text()
    for value in values:
        record = yaml.safe_load(stored)
        node, last = at(record, path)
        if value == "gone":
            del node[last]
        else:
            node[last] = value
        file.write_text(yaml.safe_dump(record))
        code, _, err = arena(*command.split(), "run")
        assert code in (0, 1, 2)
        assert err.count("\n") <= 1, err


# --- what cannot be read --------------------------------------------------------------------------


@contextmanager
def as_nobody():
    """Inside, this process may no more than anybody."""
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become nobody")
@pytest.mark.parametrize(
    "what", [PART, *(pytest.param(w, marks=FULL) for w in ("matches", "spec.yaml"))]
)
def test_a_file_that_may_not_be_read_is_not_called_damaged(arena, run, what):
    # Loads all that nobody could not read in this environment.
    assert arena("report", "run")[0] == 0
    (run / what).chmod(0)
    for folder in itertools.takewhile(lambda one: one != Path("/"), run.resolve().parents):
        if folder.stat().st_uid == os.getuid():
            folder.chmod(folder.stat().st_mode | 0o055)
    with as_nobody():
        code, _, err = arena("report", "run")
    assert code == 2, err
    assert err.count("\n") == 1
    assert f"run/{what}: " in err
    assert "permission denied" in err
    assert "damaged" not in err


def test_a_replay_checks_its_own_row(run, monkeypatch):
    row = read_matches(run).iloc[0]
    edit(run, 0, "ranks", [0, 0])
    monkeypatch.setattr("arena.store.run_folder.check_parts", lambda folder, record: None)
    with pytest.raises(Exception, match="column ranks: \\[0, 0\\], expected 1 for the best"):
        list(replay_match(run, read_matches(run)["match_id"][0]))
    assert row is not None
