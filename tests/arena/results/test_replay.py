"""Every stored match can be played again, and what was tampered with is noticed."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.replay import replay_match
from arena.results.report import board_text, make_tables
from arena.store.parts import FREE, part_files, read_part
from arena.store.run_folder import SCHEMA, read_matches
from engines.errors import UserError

AGREES = "the re-play agrees with the stored result"


@pytest.fixture(scope="module")
def played(tmp_path_factory, odd):
    """Games, teams, openings, faults and caps in one run."""
    spec = {
        "name": "all",
        "seed": 11,
        "games": [
            {"game": "connect_four", "opening": 2},
            {"game": "karmaka", "players": [2, 3, 4], "opening": 12},
            {"game": "karmaka", "players": 4, "variant": {"mode": "2v2"}},
            {"game": "karmaka", "players": 2, "variant": {"max_turns_per_player": 3}},
        ],
        "bots": ["random", "greedy", odd("Crash:after=9"), odd("First")],
        "deals": 1,
        "limits": {"decisions": 180},
        "isolation": "none",  # how matches are stored has nothing to do with where bots play
    }
    folder = tmp_path_factory.mktemp("played")
    carry_out(resolve(parse_spec(spec)), folder, workers=0, progress=False)
    return folder


# Of the matches, besides one of each kind: every thirtieth, or all.
EACH = [30, pytest.param(1, marks=pytest.mark.full)]


def some_of(frame, kinds, each):
    """A match of each kind, and every so many of all."""
    return {*frame.groupby(kinds).head(1)["match_id"], *frame["match_id"][::each]}


@pytest.mark.parametrize("each", EACH)
def test_every_stored_match_is_played_again_to_the_stored_end(played, each):
    frame = read_matches(played)
    assert {"finished", "crash", "too long"} <= set(frame["ending"])
    for match_id in some_of(frame, ["game", "variant_id", "players", "ending"], each):
        assert list(replay_match(played, match_id, positions=False))[-1].endswith(AGREES)


def test_a_replay_shows_positions_moves_and_the_result(played):
    frame = read_matches(played, actions=True).set_index("match_id")
    match_id = frame.index[frame["game"] == "connect_four"][0]
    blocks = list(replay_match(played, match_id))
    row = frame.loc[match_id]
    assert len(blocks) == 2 * len(row["actions"]) + 3
    assert blocks[0].startswith(f"match {match_id}: connect_four, deal {row['deal']}\n  player 1: ")
    assert "Player 1 (blue) drops a disc" in blocks[1]
    assert ": drop " in blocks[2]
    assert blocks[-1].endswith(AGREES)
    assert f"ending: {row['ending']}" in blocks[-1]


def test_moves_only_leaves_the_positions_out(played):
    frame = read_matches(played, actions=True).set_index("match_id")
    match_id = frame.index[0]
    blocks = list(replay_match(played, match_id, positions=False))
    assert len(blocks) == len(frame.loc[match_id, "actions"]) + 3


def test_forced_actions_are_marked(played):
    frame = read_matches(played).set_index("match_id")
    for match_id in frame.index[:5]:
        blocks = list(replay_match(played, match_id, positions=False))
        assert sum(b.endswith(" (forced)") for b in blocks) == frame.loc[match_id, "forced"]


def test_a_fault_is_told(played):
    frame = read_matches(played).set_index("match_id")
    match_id = frame.index[frame["ending"] == "crash"][0]
    assert "lost by a fault: act raised" in list(replay_match(played, match_id))[-1]


def test_the_beginning_of_an_id_will_do(played):
    match_id = read_matches(played)["match_id"].iloc[3]
    assert next(replay_match(played, match_id[:12])).startswith(f"match {match_id}")


@pytest.mark.parametrize(
    ("text", "message"),
    [("zz", "no match has this id"), ("", "no match has this id")],
)
def test_an_unknown_id_is_one_line(played, text, message):
    with pytest.raises(UserError, match=message):
        list(replay_match(played, text))


def test_an_id_that_begins_several_is_one_line(played):
    ids = read_matches(played)["match_id"]
    first = ids.str[0].value_counts().index[0]
    with pytest.raises(UserError, match="matches begin like this"):
        list(replay_match(played, first))


# --- tampering -------------------------------------------------------------------------------------


@pytest.fixture
def one(tournament, tmp_path):
    """A run of its own: (folder, match id, a function that changes the row of that match)."""
    carry_out(tournament(deals=1), tmp_path, workers=0, progress=False)
    match_id = read_matches(tmp_path)["match_id"].iloc[0]

    def change(**columns):
        (part,) = part_files(tmp_path)
        rows = read_part(part, SCHEMA.names).to_pylist()
        for row in rows:
            if row["match_id"] == match_id:
                row.update({name: edit(row[name]) for name, edit in columns.items()})
        pq.write_table(pa.Table.from_pylist(rows, SCHEMA), part)

    return tmp_path, match_id, change


@pytest.mark.parametrize(
    "columns",
    [
        {"points": lambda old: old[::-1]},
        {"ranks": lambda old: old[::-1]},
        {"ranks": lambda old: [1, 1]},
        {"turns": lambda old: old + 1},
        {"reason": lambda old: "full_board"},
        {"actions": lambda old: old[:-1], "actors": lambda old: old[:-1]},
        {"actions": lambda old: [*old, 0], "actors": lambda old: [*old, 0]},
        {"actions": lambda old: [8, *old[1:]]},
        {"actors": lambda old: [1 - actor for actor in old]},
        {"actions": lambda old: [(old[0] + 1) % 7, *old[1:]]},
    ],
)
def test_a_result_that_was_tampered_with_is_noticed(one, columns):
    folder, match_id, change = one
    change(**columns)
    with pytest.raises(UserError, match=rf"match {match_id}: |part-\d+\.parquet: row 1, column a"):
        list(replay_match(folder, match_id))


def test_other_rules_are_noticed(one):
    folder, match_id, _ = one
    record = yaml.safe_load((folder / "spec.yaml").read_text())
    record["games"]["connect_four"]["rules"] = "0" * 16
    (folder / "spec.yaml").write_text(yaml.safe_dump(record))
    with pytest.raises(UserError, match="the rules of connect_four have changed"):
        list(replay_match(folder, match_id))


# --- played again by the bots ----------------------------------------------------------------------


@pytest.mark.parametrize("each", EACH)
def test_the_bots_play_every_match_again_as_stored(played, each):
    for match_id in some_of(read_matches(played), ["game", "variant_id", "players"], each):
        *_, last = replay_match(played, match_id, positions=False, rerun=True)
        assert last == "the bots played it again, action by action as stored"


def test_bots_that_play_otherwise_than_stored_are_noticed(tmp_path, odd):
    spec = {"name": "m", "games": ["connect_four"], "bots": ["random", odd("Moody")], "deals": 1}
    spec["isolation"] = "none"  # where a bot plays, its record of a match does not know
    carry_out(resolve(parse_spec(spec)), tmp_path, workers=0, progress=False)
    match_id = read_matches(tmp_path)["match_id"].iloc[0]
    with pytest.raises(UserError, match=f"match {match_id}: played again, action .* is another"):
        list(replay_match(tmp_path, match_id, rerun=True))


@pytest.mark.full
def test_the_commands_in_a_runs_record_and_report_play_it_again(played, tmp_path, arena):
    texts = (played / "spec.yaml").read_text(), board_text(make_tables(played))
    whole, one = "arena run RUN/spec.yaml --out FOLDER", "arena replay RUN MATCH --rerun"
    assert all(whole in text and one in text for text in texts)
    stored = read_matches(played, actions=True)
    match_id = stored["match_id"].iloc[7]
    call = one.replace("RUN", str(played)).replace("MATCH", match_id).split()[1:]
    code, out, err = arena(*call)
    assert (code, err) == (0, "")
    assert out.endswith("the bots played it again, action by action as stored\n")
    call = whole.replace("RUN", str(played)).replace("FOLDER", str(tmp_path / "again")).split()[1:]
    assert arena(*call, "--workers", 0, "--quiet")[0] == 0
    again = read_matches(tmp_path / "again", actions=True)
    same = [c for c in stored.columns if not any(word in c for word in FREE)]
    assert again[same].astype(str).equals(stored[same].astype(str))
