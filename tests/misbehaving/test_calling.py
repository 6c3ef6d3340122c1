"""Bots that may call one host call that one, through the gate, and nothing else, whatever they try."""

import http.server
import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

import arena
from arena.playing.containment import bubblewrap
from arena.playing.containment import children as pool
from arena.store.run_folder import load_spec, read_matches

HERE = Path(__file__).resolve().parent
BOTS = HERE / "calling_bots.py"
pytestmark = pytest.mark.skipif(bool(bubblewrap.problem()), reason=bubblewrap.problem())

PROGRAM = """
import json, sys, urllib.request

for line in sys.stdin:
    told = json.loads(line)
    answer = {"type": told["type"], "id": told.get("id")}
    if told["type"] == "close":
        break
    if told["type"] == "hello":
        answer["protocol"] = 1
    if told["type"] == "act":
        with urllib.request.urlopen(sys.argv[1], timeout=5) as found:
            assert found.read() == b"named"
        answer["action"] = told["legal"][0]
    print(json.dumps(answer), flush=True)
"""


@contextmanager
def host(text):
    """A server of this machine that says its name; its port and what it was asked."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, asked
        finally:
            server.shutdown()
            thread.join()


def own_address():
    """An address of this machine that is not 127.0.0.1, if it has one."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:
        return "127.0.0.1"


def attackers():
    """The names of all bots, read without running them."""
    lines = BOTS.read_text().splitlines()
    return ["Calls", *(line.split("(")[0].split()[1] for line in lines if "(Calls):" in line)]


def config(bots, **more):
    """A tournament of bots against `greedy`."""
    return {
        "name": "calling",
        "games": ["connect_four"],
        "bots": ["greedy", *bots],
        "schedule": "gauntlet",
        "focus": ["greedy"],
        "deals": 2,
        "isolation": "sandbox",
        "limits": {"decision_seconds": 60},
        **more,
    }


def test_a_bot_calls_its_host_and_no_other(tmp_path):
    with host(b"named") as (named, asked), host(b"other") as (other, missed):
        facts = {"named": named, "other": other, "network": [f"127.0.0.1:{named}"]}
        bots = [{"bot": f"{BOTS}:{name}", **facts} for name in ("Calls", "GoesAround")]
        try:
            run = arena.run(config(bots, deals=1), out=tmp_path / "run", workers=0)
        finally:
            pool.close_children()
        assert set(run.matches["ending"]) == {"finished"}
        assert (asked, missed) == (["/", "/"] * 2, [])


@pytest.mark.full
@pytest.mark.parametrize("workers", [0, 2])
def test_no_bot_that_may_call_one_host_reaches_another(tmp_path, workers):
    (tmp_path / "program.py").write_text(PROGRAM)
    with host(b"named") as (named, asked), host(b"other") as (other, missed):
        facts = {"named": named, "other": other, "address": own_address()}
        own = {"network": f"127.0.0.1:{named}"}
        bots = [{"name": n, "bot": f"{BOTS}:{n}", **facts, **own} for n in attackers()]
        command = f"python3 program.py http://127.0.0.1:{named}/program"
        bots += [{"name": "program", "bot": "process", "command": command, **own}]
        bots += [
            {
                "name": "kept",
                "bot": f"{BOTS}:Calls",
                **facts,
                **own,
                "address": "",
                "restart": "run",
            }
        ]
        file, folder = tmp_path / "calling.yaml", tmp_path / "run"
        file.write_text(yaml.safe_dump(config(bots)))
        words = ["run", file, "--out", folder, "--workers", workers]
        done = command_line(words, timeout=300)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        told = f"may call 127.0.0.1:{named} and no other host"
        assert f"program: {told}\n" in done.stderr
        assert f"program: {told} (network)\n" in done.stdout
        rows = read_matches(folder)
        assert len(rows) == 4 * len(bots)
        assert [text for text in rows["fault_text"] if text] == []
        assert set(rows["ending"]) == {"finished"}
        assert {"/", "/program"} <= set(asked)
        assert missed == []
        found = {one.name: one.network for one in load_spec(folder).entrants.values()}
        assert found["program"] == (f"127.0.0.1:{named}",)
        assert found["greedy"] == ()


def command_line(words, timeout):
    """The command line in a process of its own."""
    path = os.pathsep.join([str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "ARENA_TEST_TOKEN": "secret"}
    command = [sys.executable, "-m", "arena", *map(str, words)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_without_walls_no_bot_may_call(tmp_path, isolation):
    bots = [{"name": "deep", "bot": f"{BOTS}:Calls", "network": "api.example.org"}]
    with pytest.raises(arena.UserError, match=r"^bot 'deep': network: needs isolation: sandbox"):
        arena.run(config(bots, isolation=isolation), out=tmp_path / "run", workers=0)


def test_a_bot_that_plays_in_the_worker_may_not_call(tmp_path):
    bots = [{"bot": "mcts", "network": "api.example.org"}]
    with pytest.raises(
        arena.UserError, match=r"^bots\[1\]\.network: mcts, expected a bot of your own"
    ):
        arena.run(config(bots), out=tmp_path / "run", workers=0)
