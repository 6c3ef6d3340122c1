"""Parts that workers write themselves, into the folder or a bucket: committed once, whatever is killed when."""

from dataclasses import replace

import pyarrow as pa
import pytest

from arena.execution.batches import Feed
from arena.execution.execute import execute, results_from
from arena.execution.run import carry_out, place_of, what_remains
from arena.plan.schedule import make_blocks, make_lineups
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.store.handing import Handed, hand_over, sees, waiting
from arena.store.parts import part_files
from arena.store.run_folder import open_run, read_table
from engines.errors import UserError

CUP = {"name": "cup", "games": ["connect_four"], "bots": ["random", "greedy"], "deals": 20}
FREE = ("worker", "seconds")


@pytest.fixture(scope="module")
def cup():
    return resolve(parse_spec(CUP))


@pytest.fixture(scope="module")
def rows(cup):
    """All results of the cup."""

    def everything(lineup):
        matches = [match for block in make_blocks([lineup]) for match in block.matches()]
        return iter(matches), len(matches)

    feed = Feed(what_remains(cup, make_lineups(cup), everything))
    return pa.concat_tables([one.table for one in execute(feed, 0)])


@pytest.fixture(scope="module")
def server():
    """An object store on this machine."""
    pytest.importorskip("moto")
    pytest.importorskip("flask")
    from moto.server import ThreadedMotoServer

    made = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    made.start()
    host, port = made.get_host_and_port()
    yield f"http://{host}:{port}"
    made.stop()


@pytest.fixture
def s3(server, monkeypatch):
    """A bucket of an object store, as a URL."""
    s3fs = pytest.importorskip("s3fs")

    facts = {"AWS_ENDPOINT_URL": server, "AWS_DEFAULT_REGION": "us-east-1"}
    keys = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}
    for name, value in {**facts, **keys}.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    files = s3fs.S3FileSystem()
    if not files.exists("runs"):
        files.mkdir("runs")
    yield "s3://runs/cup"
    if files.exists("runs/cup"):
        files.rm("runs/cup", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()


SHARED = ["shared folder", pytest.param("object store", marks=pytest.mark.full)]


@pytest.fixture(params=SHARED)
def shared(request, tmp_path):
    """What driver and workers share beside the run folder."""
    return (
        request.getfixturevalue("s3")
        if request.param == "object store"
        else str(tmp_path / "shared")
    )


@pytest.fixture(params=["folder", *SHARED])
def bucket(request, tmp_path):
    """Where parts are handed over: "" is the run folder."""
    if request.param == "object store":
        return request.getfixturevalue("s3")
    return str(tmp_path / "shared") if request.param == "shared folder" else ""


def place_for(run, bucket):
    return replace(place_of(run, bucket), rows=1)


def stored(folder):
    table = read_table(folder, actions=True)
    return table.select([n for n in table.column_names if not any(w in n for w in FREE)])


def left(run, cup):
    return sum(run.missing_of(lineup)[1] for lineup in make_lineups(cup))


def test_what_workers_hand_over_is_stored_as_what_the_driver_writes(cup, rows, bucket, tmp_path):
    with open_run(tmp_path / "here", cup) as run:
        run.append(rows)
    with open_run(tmp_path / "there", cup) as run:
        place = place_for(run, bucket)
        for piece in (rows.slice(0, 15), rows.slice(15)):
            assert run.take_in(place, hand_over(piece, place)) == piece.num_rows
        assert left(run, cup) == 0
        assert not list(waiting(place))
    assert stored(tmp_path / "there").equals(stored(tmp_path / "here"))


def test_what_was_handed_to_a_killed_driver_is_taken_in_by_the_next(cup, rows, bucket, tmp_path):
    run = open_run(tmp_path / "run", cup)
    place = place_for(run, bucket)
    hand_over(rows.slice(0, 10), place)
    taken = hand_over(rows.slice(10, 10), place)
    run.take_in(place, taken)
    run._lock.close()  # as the system does for a process that ends
    assert not place.bucket or not list(tmp_path.glob("run/matches/*.handed"))
    with open_run(tmp_path / "run", cup) as again:
        assert left(again, cup) == rows.num_rows - 10
        place_of(again, bucket)
        assert left(again, cup) == rows.num_rows - 20
        again.append(rows)
    assert stored(tmp_path / "run").num_rows == rows.num_rows


def test_a_driver_killed_between_commit_and_removal_doubles_nothing(
    cup, rows, shared, tmp_path, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr("arena.store.run_folder.let_go", lambda place, handed: None)
        run = open_run(tmp_path / "run", cup)
        place = place_for(run, shared)
        run.take_in(place, hand_over(rows, place))
        run._lock.close()
    assert len(list(waiting(place))) == 1
    with open_run(tmp_path / "run", cup) as again:
        place_of(again, shared)
        assert not list(waiting(place))
    assert len(part_files(tmp_path / "run")) == 1
    assert stored(tmp_path / "run").num_rows == rows.num_rows


def test_of_a_part_that_holds_known_matches_the_others_are_stored(cup, rows, bucket, tmp_path):
    with open_run(tmp_path / "run", cup) as run:
        place = place_for(run, bucket)
        run.append(rows.slice(0, 7))
        assert run.take_in(place, hand_over(rows, place)) == rows.num_rows - 7
        assert run.take_in(place, hand_over(rows, place)) == 0
    assert stored(tmp_path / "run").num_rows == rows.num_rows
    assert not list(tmp_path.glob("run/matches/*.handed*"))


def test_a_worker_that_does_not_see_the_folder_sends_rows(cup, rows, tmp_path):
    with open_run(tmp_path / "run", cup) as run:
        place = place_for(run, "")
        assert sees(place)
        elsewhere = replace(place, folder=tmp_path / "nowhere")
        another = replace(place, token="of another driver")
        assert hand_over(rows, elsewhere) is hand_over(rows, another) is None
        assert hand_over(rows.slice(0, 3), replace(place, rows=4)) is None


@pytest.mark.parametrize("bucket", ["folder", "shared folder"], indirect=True)
def test_half_a_part_is_no_part(
    cup, rows, bucket, tmp_path
):  # in an object store it is whole or not there
    run = open_run(tmp_path / "run", cup)
    place = place_for(run, bucket)
    handed = hand_over(rows, place)
    where = tmp_path / "shared" if bucket else tmp_path / "run" / "matches"
    whole = (where / handed.name).read_bytes()
    (where / handed.name).write_bytes(whole[: len(whole) // 2])
    (tmp_path / "run" / "matches" / f"{handed.name}.tmp").write_bytes(whole[:9])
    run._lock.close()
    with open_run(tmp_path / "run", cup) as again:
        place_of(again, bucket)
        assert left(again, cup) == rows.num_rows
        assert not list((tmp_path / "run").glob("matches/*.handed*"))


def test_runs_that_share_a_bucket_leave_each_other_alone(cup, rows, shared, tmp_path):
    other = resolve(parse_spec({**CUP, "seed": 7}))
    fewer = resolve(parse_spec({**CUP, "bots": ["random", "greedy:samples=2"]}))
    with open_run(tmp_path / "run", cup) as run:
        place = place_for(run, shared)
        hand_over(rows, place)
        for name, resolved in (("other", other), ("fewer", fewer)):
            with open_run(tmp_path / name, resolved) as second:
                place_of(second, shared)
                assert left(second, resolved) == 40
        assert len(list(waiting(place))) == 1


def test_a_part_that_is_gone_is_one_line(cup, bucket, tmp_path):
    with open_run(tmp_path / "run", cup) as run:
        place = place_for(run, bucket)
        with pytest.raises(UserError, match=r"^[^\n]+$"):
            run.take_in(place, Handed(f"{place.key}-{'0' * 32}.handed"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense://here", "Protocol not known: nonsense"),
        ("memory://cup", "every worker has a memory of its own"),
        pytest.param(
            "s3://no-such-bucket/cup", "s3://no-such-bucket/cup: ", marks=pytest.mark.full
        ),
        ("/proc/nobody", "/proc/nobody: "),
    ],
)
def test_a_bucket_that_cannot_be_written_is_one_line(cup, request, tmp_path, url, words):
    if url.startswith("s3:"):
        request.getfixturevalue("s3")
    with open_run(tmp_path / "run", cup) as run, pytest.raises(UserError) as told:
        place_of(run, url)
    assert str(told.value).startswith("--bucket ")
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_a_bucket_that_is_a_folder_is_the_same_wherever_a_worker_stands(cup, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_run(tmp_path / "run", cup) as run:
        assert place_of(run, "shared").bucket == str(tmp_path / "shared")


def test_a_worker_hands_over_what_is_worth_a_part(cup, tmp_path):
    import pickle

    with open_run(tmp_path / "run", cup) as run:
        place = place_for(run, "")
        (left,) = what_remains(cup, make_lineups(cup), run.missing_of, "", place)
        batch = left.take(12)
        packed = pickle.dumps(replace(batch.conditions, parcels=()))
        stream, *_, handed = results_from(packed, batch.matches)
        assert run.take_in(place, handed) == 12
        assert pa.ipc.open_stream(stream).read_all().num_rows == 12
        small = pickle.dumps(replace(batch.conditions, parcels=(), place=replace(place, rows=13)))
        stream, *_, handed = results_from(small, batch.matches)
        assert handed is None
        assert run.append(pa.ipc.open_stream(stream).read_all()) == 0
    assert carry_out(cup, tmp_path / "run", 0, progress=False).played == 40 - 12
