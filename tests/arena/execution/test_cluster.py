"""A cluster of two nodes on this machine: the same table as one node, whatever becomes of the other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.playing.containment import bubblewrap
from arena.store.parts import FREE
from arena.store.run_folder import read_matches

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.full, pytest.mark.ray]

# argv: what happens to the second node, config, folder, PYTHONPATH of the second node
SCRIPT = """
import subprocess, sys, time
from pathlib import Path
from ray.cluster_utils import Cluster
fate, config, folder, python_path = sys.argv[1:]
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": python_path})
call = ["run", config, "--address", cluster.address, "--out", folder, "--quiet"]
run = subprocess.Popen([sys.executable, "-m", "arena", *call])
while fate == "dies" and run.poll() is None and not any(Path(folder).glob("matches/*.parquet")):
    time.sleep(0.05)
if fate == "dies":
    cluster.remove_node(second, allow_graceful=False)
code = run.wait(timeout=200)
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
        "deals": 60,
    }
    Path("cup.yaml").write_text(yaml.safe_dump(spec))
    return spec


def on_cluster(fate, folder, python_path=str(ROOT)):
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, fate, "cup.yaml", str(folder), python_path],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"},
        timeout=300,
        check=False,
    )


def table(folder):
    frame = read_matches(folder, actions=True)
    return frame[[c for c in frame.columns if not any(w in c for w in FREE)]].astype(str)


@pytest.mark.parametrize("fate", ["lives", "dies"])
def test_two_nodes_give_the_table_of_one_even_if_one_dies(config, fate):
    done = on_cluster(fate, "spread")
    assert done.returncode == 0, done.stderr
    carry_out(resolve(parse_spec(config)), Path("here"), workers=0, progress=False)
    assert table("spread").equals(table("here"))


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
