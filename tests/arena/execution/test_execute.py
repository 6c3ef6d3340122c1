"""Matches spread over workers: the same results as in one process, whatever happens to a worker."""

import socket
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from arena.execution import working
from arena.execution.batches import (
    BATCH_SECONDS,
    FIRST_MATCHES,
    MOST_MATCHES,
    Batch,
    Feed,
    Outcome,
    Pace,
    Remaining,
    batch_of,
)
from arena.execution.execute import check_address, execute, run_here
from arena.execution.run import what_remains
from arena.execution.working import lost_outcome, play_batch
from arena.plan.schedule import Block, make_blocks, make_lineups
from arena.store.provenance import package_version
from engines.core import load_game
from engines.errors import UserError

ODD_BOTS = Path(__file__).parent.parent / "odd_bots.py"


def matches_of(resolved):
    return [m for block in make_blocks(make_lineups(resolved)) for m in block.matches()]


def groups_of(resolved) -> list[Remaining]:
    def all_of(lineup):
        matches = [match for block in make_blocks([lineup]) for match in block.matches()]
        return iter(matches), len(matches)

    return what_remains(resolved, make_lineups(resolved), all_of)


def feed_of(resolved) -> Feed:
    return Feed(groups_of(resolved))


def rows_of(outcomes):
    """The rows of all outcomes by match id, without what may differ between two runs."""
    tables = [
        one.table.append_column("match_id", pa.array(one.batch.ids))
        for one in outcomes
        if one is not None
    ]
    rows = pa.concat_tables(tables).sort_by("match_id").to_pylist()
    free = ("seconds", "worker")
    return [{k: v for k, v in row.items() if not any(w in k for w in free)} for row in rows]


# --- batches ---------------------------------------------------------------------------------------


def outcome(batch: Batch, seconds: float) -> Outcome:
    return Outcome(batch, None, seconds)


@pytest.fixture
def batch(tournament) -> Batch:
    (group,) = groups_of(tournament(deals=1))
    return batch_of(group.conditions, tuple(group.matches))


def test_the_first_batch_of_a_line_up_is_small(batch):
    assert Pace().matches(batch.lineup, 1000, 2) == FIRST_MATCHES
    assert Pace().matches(batch.lineup, 1, 2) == 1


@pytest.mark.parametrize("each", [0.001, 0.02, 0.3, 5.0])
def test_later_batches_take_about_a_second(batch, each):
    pace = Pace()
    pace.learn(outcome(batch, each * len(batch)))
    size = pace.matches(batch.lineup, 10**6, 2)
    assert size == max(1, int(BATCH_SECONDS / each))


def test_batches_follow_a_pace_that_changes(batch):
    pace = Pace()
    for each in (0.1, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01):
        pace.learn(outcome(batch, each * len(batch)))
    assert 60 <= pace.matches(batch.lineup, 10**6, 2) <= 100


def test_batches_get_smaller_towards_the_end_so_that_nobody_waits(batch):
    pace = Pace()
    pace.learn(outcome(batch, 0.01 * len(batch)))
    assert pace.matches(batch.lineup, 400, 2) == 100
    assert pace.matches(batch.lineup, 100, 2) == 25
    assert pace.matches(batch.lineup, 6, 2) == 5


def test_batches_are_never_too_large_to_travel(batch):
    pace = Pace()
    pace.learn(outcome(batch, 1e-6))
    assert pace.matches(batch.lineup, 10**9, 2) == MOST_MATCHES


def test_a_feed_hands_out_every_match_once(tournament):
    resolved = tournament(bots=["random", "greedy", "mcts:simulations=5"], deals=50)
    feed, found, sizes = feed_of(resolved), [], []
    while (batch := feed.next(2)) is not None:
        found += batch.ids
        sizes.append(len(batch))
        feed.pace.learn(outcome(batch, 0.01 * len(batch)))
    assert sorted(found) == sorted(match.match_id for match in matches_of(resolved))
    assert len(found) == len(set(found)) == 300
    assert max(sizes) > 5


def test_while_the_pace_of_a_line_up_is_unknown_others_begin(tournament):
    resolved = tournament(bots=["random", "greedy", "mcts:simulations=5"], deals=50)
    feed = feed_of(resolved)
    first = [feed.next(2) for _ in range(3)]
    assert len({batch.lineup.id for batch in first}) == 3


def test_an_empty_feed_has_nothing_to_do():
    assert Feed([]).next(2) is None
    assert list(run_here(Feed([]))) == []


def test_a_lost_batch_is_replayed_match_by_match(tournament, batch):
    feed = Feed([])
    assert list(feed.again(batch)) == []
    again = [feed.next(2), feed.next(2)]
    assert [one.ids for one in again] == [(match_id,) for match_id in batch.ids]
    assert feed.next(2) is None


def test_a_match_lost_twice_is_hopeless(batch):
    feed = Feed([])
    list(feed.again(batch))
    alone = feed.next(2)
    assert list(feed.again(alone)) == [alone]
    assert feed.next(2).ids == batch.ids[1:]
    assert feed.next(2) is None


def test_the_first_loss_of_a_single_match_is_forgiven(batch):
    feed, single = Feed([]), batch.only(0)
    assert list(feed.again(single)) == []
    again = feed.next(2)
    assert again.ids == single.ids
    assert list(feed.again(again)) == [again]


# --- in this process -------------------------------------------------------------------------------


def test_a_batch_is_played_with_its_columns(batch):
    played = play_batch(batch)
    (one, other) = played.table.to_pylist()
    assert [tuple(row["seating"]) for row in (one, other)] == [tuple(s) for s in batch.seats]
    assert (one["lineup_id"], one["game"], one["variant_id"]) == (
        batch.lineup.id,
        "connect_four",
        "default",
    )
    assert one["seating"] != other["seating"]
    assert played.seconds > 0


def test_a_wish_to_stop_ends_the_row_of_outcomes(tournament):
    resolved = tournament(bots=["greedy", "mcts:simulations=200"], deals=20)
    outcomes = []
    for one in run_here(feed_of(resolved), stop=lambda: len(outcomes) >= 2):
        outcomes.append(one)
    assert len(outcomes) == 2


@pytest.fixture
def steady(tournament, tmp_path):
    """A tournament with a bot in a file, and the file."""
    file = tmp_path / "steady.py"
    file.write_text(ODD_BOTS.read_text())
    return tournament(bots=["random", f"{file}:First"]), file


def test_a_bot_whose_code_has_changed_before_the_run_is_one_line(steady, monkeypatch, tmp_path):
    resolved, file = steady
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))  # none where it is unpacked already
    file.write_text(ODD_BOTS.read_text() + "# changed\n")
    with pytest.raises(UserError, match="has changed since this run was started"):
        groups_of(resolved)
    file.unlink()
    with pytest.raises(UserError, match=r"steady\.py.*: no such file"):
        groups_of(resolved)


def test_other_rules_or_another_version_than_the_drivers_are_refused(batch):
    for change, problem in (
        ({"rules": "0" * 16}, "its rules of connect_four are not those of the run"),
        ({"version": "0.0.9"}, r"has tabletop-arena .*, the run is played with 0\.0\.9"),
    ):
        with pytest.raises(UserError, match=f"^worker on .*: {problem}$"):
            play_batch(replace(batch, conditions=replace(batch.conditions, **change)))


def test_a_game_that_is_edited_while_a_process_lives_plays_by_its_new_rules(four):
    def differs(rules):
        return working.difference({str(four): rules}, package_version())

    before, file = load_game(str(four)).rules_digest, four / "rules.py"
    assert differs(before) == ""
    file.write_text(file.read_text().replace("state.dropped += 1", "state.dropped += 2"))
    after = load_game(str(four)).rules_digest
    assert differs(after) == ""  # it was the other one a moment ago
    assert differs("0" * 16) == "its rules of connect_four are not those of the run"


# --- on Ray ----------------------------------------------------------------------------------------


@pytest.mark.ray
def test_serial_and_spread_over_workers_are_equal(tournament, odd, one_ray):
    resolved = tournament(
        games=["connect_four", {"game": "karmaka", "players": [2, 3]}],
        bots=["random", "greedy", "mcts:simulations=10", odd("First")],
        deals=3,
    )
    here = list(execute(feed_of(resolved), 0))
    spread = list(execute(feed_of(resolved), 2))
    assert len(rows_of(here)) == len(matches_of(resolved))
    assert rows_of(here) == rows_of(spread)


@pytest.mark.ray
def test_ray_that_ran_before_runs_on(tournament, one_ray):
    import ray

    list(execute(feed_of(tournament(deals=1)), 2))
    assert ray.is_initialized()


@pytest.mark.ray
def test_a_match_whose_worker_is_killed_once_is_played_again(tournament, odd, one_ray, tmp_path):
    resolved = tournament(bots=["random", odd(f"Dies:file={tmp_path / 'deaths'},times=1")], deals=2)
    rows = rows_of(execute(feed_of(resolved), 2))
    assert (tmp_path / "deaths").exists()
    assert sorted(row["match_id"] for row in rows) == sorted(
        match.match_id for match in matches_of(resolved)
    )
    assert {row["ending"] for row in rows} == {"finished"}


def test_matches_that_were_lost_twice_are_the_crash_of_their_bot(tournament, odd, monkeypatch):
    # Interpreted it would be lost once more.
    monkeypatch.setattr(working, "interpreted", lambda *what: "")
    resolved = tournament(bots=["random", odd("Dies:file=deaths,times=99")], deals=1)
    feed = feed_of(resolved)
    batch = feed.next(1)
    assert list(feed.again(batch)) == []
    alone = [feed.next(1), feed.next(1)]
    assert [len(one) for one in alone] == [1, 1]
    hopeless = [found for one in alone for found in feed.again(one)]
    assert feed.next(1) is None
    are_crashes_of_the_dying(resolved, rows_of(map(lost_outcome, hopeless)))


@pytest.mark.full
@pytest.mark.ray
def test_a_match_whose_worker_is_killed_twice_is_the_crash_of_its_bot(
    tournament, odd, one_ray, tmp_path
):
    resolved = tournament(
        bots=["random", odd(f"Dies:file={tmp_path / 'deaths'},times=99")], deals=1
    )
    are_crashes_of_the_dying(resolved, rows_of(execute(feed_of(resolved), 2)))


def are_crashes_of_the_dying(resolved, rows):
    (dying,) = [e.id for e in resolved.entrants if "Dies" in e.bot]
    assert len(rows) == 2
    for row in rows:
        lineup = make_lineups(resolved)[0]
        assert row["ending"] == "crash"
        assert lineup.entrants[row["seating"][row["fault_seat"]]] == dying
        assert row["ranks"][row["fault_seat"]] == 2
        assert row["fault_text"] == "the worker process was lost twice"


@pytest.mark.ray
@pytest.mark.parametrize("change", ["moved", pytest.param("edited", marks=pytest.mark.full)])
def test_a_bot_file_travels_and_what_becomes_of_it_later_does_not_matter(steady, one_ray, change):
    resolved, file = steady
    feed, before = feed_of(resolved), rows_of(execute(feed_of(resolved), 0))
    if change == "moved":
        file.rename(file.with_name("elsewhere.py"))
    else:
        file.write_text("raise ImportError('another file')\n")
    assert rows_of(execute(feed, 2)) == before


@pytest.mark.ray
def test_what_a_user_did_wrong_is_told_from_a_worker_as_it_is_here(batch, one_ray):
    conditions = replace(batch.conditions, rules="0" * 16)
    feed = Feed([Remaining(conditions, iter(Block(batch.lineup, 0).matches()), 2)])
    with pytest.raises(UserError, match="its rules of connect_four are not those of the run"):
        list(execute(feed, 2))


# --- addresses -------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_an_address_where_nobody_listens_is_told_at_once(form):
    address = form.format(free_port())
    with pytest.raises(UserError, match=r"no Ray cluster answers: .*refused"):
        check_address(address)
