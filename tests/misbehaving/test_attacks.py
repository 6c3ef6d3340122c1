"""Bots that mean harm, against one that does not: they lose or gain nothing, in any game, on any number of workers."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml

from arena.playing.containment import bubblewrap
from arena.store.run_folder import load_spec, read_matches

HERE = Path(__file__).resolve().parent
ATTACKS = HERE / "attacks.py"
pytestmark = pytest.mark.skipif(bool(bubblewrap.problem()), reason=bubblewrap.problem())

LOSE = {  # these end by the walls themselves; all others play on
    "Daemons": ("memory", "used more than 300 MB of memory"),
    "MemoryFile": ("crash", "Function not implemented"),
    "SharedPages": ("crash", "PermissionError"),
    "FillsDisk": ("crash", "No space left"),
    "HugeFolder": ("crash", "No space left"),
    "Zombies": ("crash", ""),
}
# One of each kind: no way to the run, to other bots, to secrets and the network, nothing kept, nothing eaten.
FIRST = (
    *("RecallsInFiles", "Daemons", "Connects", "ReadsProcesses", "ReadsRun", "ReadsOtherBot"),
    *("ReadsSecrets", "MakesNamespaces", "SignalsOthers"),
)
ON_IMPORT = {
    "exits": "import os\nos._exit(0)\n",
    "hangs": "while True:\n    pass\n",
    "forges": "import arena.playing.match as match\nmatch.answer = None\nmatch.play_matches = None\n",
}
CLASS = """
class B:
    def reset(self, game, view, seed): pass
    def act(self, view, legal): return legal[0]
    def close(self): pass
"""


def attackers():
    """The names of all attacks, read without running them."""
    lines = ATTACKS.read_text().splitlines()
    return [line.split("(")[0].split()[1] for line in lines if line.endswith("(Attack):")]


def config(folder, game, port, names, on_import):
    """Attacks against an innocent bot."""
    victim = folder / "victim" / "innocent.py"
    victim.parent.mkdir(exist_ok=True)
    victim.write_text(CLASS)
    facts = {"run": str(folder / "run"), "victim": str(victim), "port": port}
    bots = [{"name": "innocent", "bot": f"{victim}:B"}]
    bots += [{"name": name, "bot": f"{ATTACKS}:{name}", **facts} for name in names]
    for name, text in on_import.items():
        file = folder / f"{name}.py"
        file.write_text(text + CLASS)
        bots.append({"name": name, "bot": f"{file}:B"})
    return {
        "name": "attacks",
        "games": [game],
        "bots": bots,
        "schedule": "gauntlet",
        "focus": ["innocent"],
        "deals": 1,
        "salt": "the same deals in both runs, and none of the bots can read it",
        "isolation": "sandbox",
        "limits": {"start_seconds": 3, "decision_seconds": 20, "memory_mb": 300},
    }


def anew(*words, **more):
    """The command line in a process of its own."""
    path = os.pathsep.join([str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "ARENA_TEST_TOKEN": "secret"}
    command = [sys.executable, "-m", "arena", *map(str, words)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


@pytest.fixture
def server():
    """A server of this machine, which no bot may reach."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_the_first_attacks_gain_nothing(arena, tmp_path, server, monkeypatch):
    # In this process, which saves a second: the keeper and all bots have theirs.
    monkeypatch.setenv("ARENA_TEST_TOKEN", "secret")
    imports = {"forges": ON_IMPORT["forges"]}
    file = tmp_path / "attacks.yaml"
    file.write_text(yaml.safe_dump(config(tmp_path, "connect_four", server, FIRST, imports)))
    (tmp_path / "run").mkdir()
    words = ("run", file, "--out", tmp_path / "played", "--workers", 0, "--quiet")
    code, _, said = arena(*words)
    assert code == 0, said
    assert "Traceback" not in said
    assert wrong_in(tmp_path / "played") == []
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.full
@pytest.mark.parametrize("game", ["connect_four", "karmaka"])
def test_no_attack_gains_anything(tmp_path, game, server):
    file = tmp_path / "attacks.yaml"
    file.write_text(yaml.safe_dump(config(tmp_path, game, server, attackers(), ON_IMPORT)))
    tables = []
    for workers in (1, 2):
        folder = tmp_path / f"run-{workers}"
        (tmp_path / "run").mkdir(exist_ok=True)
        done = anew("run", file, "--out", folder, "--workers", workers, "--quiet")
        _, said = done.communicate(timeout=600)
        assert done.returncode == 0, said
        assert "Traceback" not in said
        assert wrong_in(folder) == []
        assert list((tmp_path / "run").iterdir()) == []
        tables.append(results_of(folder))
    assert tables[0] == tables[1]


def wrong_in(folder):
    """The matches that did not go as they should."""
    record, found = load_spec(folder), []
    for row in read_matches(folder).to_dict("records"):
        lineup = record.lineups[row["lineup_id"]]
        names = [record.entrants[lineup.entrants[p]].name for p in row["seating"]]
        attacker = 1 - names.index("innocent")
        name = names[attacker]
        ending, text = LOSE.get(name, ("finished", ""))
        if name in ON_IMPORT and name != "forges":
            ending, text = "crash", "start: import"
        blamed = attacker if ending != "finished" else -1
        fits = (row["ending"], row["fault_seat"]) == (ending, blamed) and text in row["fault_text"]
        if not fits or "Escaped" in row["fault_text"]:
            found.append((name, row["ending"], row["fault_seat"], row["fault_text"]))
    return found


def results_of(folder):
    """What a run has found, times left out."""
    rows = read_matches(folder).sort_values("match_id").to_dict("records")
    return [(row["match_id"], row["ending"], list(row["ranks"])) for row in rows]


# --- containment's own faults ---------------------------------------------------------------------------


def keepers_below(pid):
    """The keepers in bubblewrap among the descendants of a process."""
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{one}/task"):
                text = Path(f"/proc/{one}/task/{task}/children").read_text()
                waiting += map(int, text.split())
            command = Path(f"/proc/{one}/cmdline").read_bytes()
            if b"containment.keeper" in command and not command.startswith(b"bwrap"):
                found.append(one)
    return found


class Killer(threading.Thread):
    """Kills the first keepers that it finds below a process, each while the run plays."""

    def __init__(self, pid, run, most):
        super().__init__()
        self.pid, self.run_folder, self.most = pid, run, most
        self.killed, self.over = set(), threading.Event()

    def run(self):
        until = time.monotonic() + 120
        while not self.over.wait(0.02) and time.monotonic() < until:
            for pid in keepers_below(self.pid):
                if pid not in self.killed and any(self.run_folder.glob("spec.yaml")):
                    time.sleep(0.2)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    self.killed.add(pid)
            if len(self.killed) >= self.most:
                return

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.over.set()
        self.join()


def steady(folder, deals):
    """A match against a bot that takes its time, and its folder."""
    bot, run = folder / "steady.py", folder / "run"
    bot.write_text(
        CLASS.replace("return legal[0]", "import time; time.sleep(0.02); return legal[0]")
    )
    words = ["match", "connect_four", f"{bot}:B", "random", "--deals", deals, "--quiet"]
    return [*words, "--out", run], run


def finished_all(run, deals):
    """Whether nobody was blamed for anything."""
    rows = read_matches(run)
    return set(rows["ending"]) == {"finished"} and len(rows) == 2 * deals


def test_a_keeper_that_is_killed_once_is_nobodys_fault(arena, tmp_path):
    words, run = steady(tmp_path, 2)
    with Killer(os.getpid(), run, 1) as killer:
        code, _, said = arena(*words, "--workers", 0)
    assert code == 0, said
    assert killer.killed
    assert "Traceback" not in said
    assert finished_all(run, 2)


@pytest.mark.full
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("deals", [3, 5, 12])
def test_a_killed_keeper_is_nobodys_fault(tmp_path, workers, deals):
    words, run = steady(tmp_path, deals)
    done = anew(*words, "--workers", workers)
    with Killer(done.pid, run, 2) as killer:
        _, said = done.communicate(timeout=300)
    assert done.returncode == 0, said
    assert killer.killed
    assert "Traceback" not in said
    assert finished_all(run, deals)
