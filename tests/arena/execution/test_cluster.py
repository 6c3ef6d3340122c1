"""A cluster of two or four nodes on this machine: the same table as one node, whatever is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.playing.containment import bubblewrap
from arena.store.parts import FREE, part_files, read_part
from arena.store.run_folder import read_matches

ROOT = Path(__file__).resolve().parents[3]
LONGEST = 1500  # seconds: idle cores take 190 for the drill, most of them to start processes
pytestmark = [pytest.mark.full, pytest.mark.ray]

# argv: what happens, nodes, config, folder, bucket, PYTHONPATH of the nodes but the first
SCRIPT = """
import subprocess, sys, time
from pathlib import Path
from ray.cluster_utils import Cluster
fate, nodes, config, folder, bucket, python_path = sys.argv[1:]
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
others = [
    cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": python_path}) for _ in range(int(nodes) - 1)
]
call = ["run", config, "--address", cluster.address, "--out", folder, "--quiet"]
driver = '''
import sys
from arena import cli
from arena.execution import batches
from arena.store import run_folder as store
batches.BATCH_SECONDS, store.PART_SECONDS = 0.3, 0.1
store.FOLDER_ROWS, store.FOLDER_SECONDS = store.BUCKET_ROWS, store.BUCKET_SECONDS = 4, 0.2
cli.main()
'''
def start():
    return subprocess.Popen([sys.executable, "-c", driver, *call, *(["--bucket", bucket] if bucket else [])])
def there(files):
    return [path for path in Path(folder).glob("matches/*.parquet") if path.name not in files]
run = start()
kills = {"node dies": 1, "drill": 3}.get(fate, 0)
for number in range(kills):
    before = {path.name for path in there(())}
    while run.poll() is None and not there(before):
        time.sleep(0.05)
    if run.poll() is None and (fate == "node dies" or number == 1):
        cluster.remove_node(others.pop(), allow_graceful=False)
    elif run.poll() is None:
        run.kill()
        run.wait()
        run = start()
code = run.wait()
cluster.shutdown()
sys.exit(code)
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A config with a bot in a file."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_bytes((ROOT / "examples" / "ten_lines.py").read_bytes())
    spec = {
        "name": "cup",
        "seed": 5,
        "games": [{"game": "connect_four", "opening": 4}],
        "bots": ["random", "greedy", "mcts:simulations=500", "mine.py:TenLines"],
        "deals": 30,
        "salt": "5a" * 16,  # else each run has deals of its own, for it has a bot of a stranger
    }
    Path("cup.yaml").write_text(yaml.safe_dump(spec))
    return spec


def on_cluster(fate, folder, python_path=str(ROOT), nodes=2, bucket=""):
    """Play the config on a cluster; what is left of it where that takes too long is ended with it."""
    facts = [fate, str(nodes), "cup.yaml", str(folder), bucket, python_path]
    call = [sys.executable, "-c", SCRIPT, *facts]
    with subprocess.Popen(
        call,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"},
        start_new_session=True,
    ) as cluster:
        try:
            out, said = cluster.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(cluster.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(call, cluster.returncode, out, said)


def table(folder):
    frame = read_matches(folder, actions=True)
    return frame[[c for c in frame.columns if not any(w in c for w in FREE)]].astype(str)


@pytest.mark.parametrize("fate", ["lives", "node dies"])
def test_two_nodes_give_the_table_of_one_even_if_one_dies(config, fate):
    done = on_cluster(fate, "spread")
    assert done.returncode == 0, done.stderr
    carry_out(resolve(parse_spec(config)), Path("here"), workers=0, progress=False)
    assert table("spread").equals(table("here"))


@pytest.mark.parametrize("shared", ["folder", "bucket"])
def test_four_nodes_write_parts_themselves_and_nothing_is_lost_or_twice_whoever_is_killed(
    config, shared, tmp_path
):
    """Driver, a node, and the driver again are killed by kill -9, each after new parts."""
    bucket = str(tmp_path / "bucket") if shared == "bucket" else ""
    done = on_cluster("drill", "spread", nodes=4, bucket=bucket)
    assert done.returncode == 0, done.stderr
    carry_out(resolve(parse_spec(config)), Path("here"), workers=0, progress=False)
    assert table("spread").equals(table("here"))
    assert sum(read_part(path, ["deal"]).num_rows for path in part_files(Path("spread"))) == 360
    assert not list(Path("spread").glob("matches/*.handed*"))
    assert not bucket or not list(Path(bucket).iterdir())


def test_a_node_that_has_no_sandbox_plays_no_contained_bots(config, tmp_path):
    if bubblewrap.problem():
        pytest.skip(bubblewrap.problem())
    there = tmp_path / "there"
    there.mkdir()
    (there / "sitecustomize.py").write_text("import os\nos.environ['PATH'] = '/nowhere'\n")
    done = on_cluster("lives", "spread", os.pathsep.join([str(there), str(ROOT)]))
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "isolation: sandbox, which this node cannot give to bots: bubblewrap is not" in line
    assert not list(Path("spread").glob("matches/*.parquet"))


def test_a_node_with_another_version_is_refused(config, tmp_path):
    other = tmp_path / "other" / "tabletop_arena-0.0.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: tabletop-arena\nVersion: 0.0.9\n")
    path = os.pathsep.join([str(other.parent), str(ROOT)])
    done = on_cluster("lives", "spread", path)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "has tabletop-arena 0.0.9, the run is played with" in line
    assert line.endswith("; install the same on all nodes")
    assert not list(Path("spread").glob("matches/*.parquet"))
