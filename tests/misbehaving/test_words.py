"""What bots say reaches the terminal, the tables and the pages as harmless text, and ends no run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store.run_folder import load_spec, read_matches

HERE = Path(__file__).resolve().parent
SAYINGS = ("surrogate", "escape", "long", "nested", "long-id")
RAISED = ("Escapes", "Surrogate", "Returns", "UserErrors")
FEW = ("escape", *RAISED[:3])
HARMFUL = ("\x1b", "\x07", "\0", "\x9b", "\u202e", "\u2028", "\ud800")
NAMES = {"Escapes": "=1+1", "Surrogate": "+\x1b[31mred\x07", "Returns": "a|b *c* <img src=x>"}


def config(games, said):
    speaker = f"{sys.executable} {HERE / 'speaker.py'}"
    bots = ["random"]
    for name in (name for name in SAYINGS if name in said):
        bots.append({"name": name, "bot": "process", "command": f"{speaker} {name}"})
    for name in (name for name in RAISED if name in said):
        bot = f"{HERE / 'speaking_bots.py'}:{name}"
        bots.append({"name": NAMES.get(name, name), "bot": bot})
    return {
        "name": "words",
        "games": games,
        "bots": bots,
        "schedule": "gauntlet",
        "focus": ["random"],
        "deals": 1,
    }


def run_anew(*arguments):
    """A run in a process of its own, whose streams are as a user has them."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", "run", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(HERE.parent.parent)},
        capture_output=True,
        timeout=400,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("workers", "games", "said"),
    [
        (0, ["connect_four"], FEW),
        *(
            pytest.param(n, ["connect_four", "karmaka"], SAYINGS + RAISED, marks=pytest.mark.full)
            for n in (1, 2)
        ),
        pytest.param(0, ["connect_four"], SAYINGS + RAISED, marks=pytest.mark.full),
    ],
)
def test_words_of_bots_are_stored_and_shown_without_harm(arena, tmp_path, workers, games, said):
    file, folder = tmp_path / "words.yaml", tmp_path / "run"
    file.write_text(json.dumps(config(games, said)))  # JSON is YAML
    call = (file, "--out", folder, "--workers", workers, "--quiet")
    # The few in this process, which saves a second; all in one whose streams are as a user has them.
    code, *said_here = arena("run", *call) if said is FEW else run_anew(*call)
    assert code == 0, said_here
    code, reported, err = arena("report", folder, "--board", tmp_path / "board.md")
    assert code == 0, err
    record = load_spec(folder)
    names = {entrant.id: entrant.name for entrant in record.entrants.values()}
    rows = read_matches(folder).to_dict("records")
    assert len(rows) == len(games) * 2 * len(said)
    for row in rows:
        lineup = record.lineups[row["lineup_id"]]
        guilty = names[lineup.entrants[row["seating"][row["fault_seat"]]]]
        assert row["fault_seat"] >= 0
        assert guilty != "random"
        assert len(row["fault_text"]) < 1100
        assert "\n" not in row["fault_text"]
    files = [*folder.glob("*.csv"), folder / "report.html", tmp_path / "board.md"]
    shown = [path.read_text("utf-8") for path in files]
    shown += [*said_here, reported]
    for text in shown:
        assert not [mark for mark in HARMFUL if mark in text]
    standings = (folder / "standings.csv").read_text()
    assert ",'=1+1," in standings
    assert ",'+�[31mred�," in standings
    assert r"a\|b \*c\* &lt;img src=x>" in (tmp_path / "board.md").read_text()
    code, again, err = arena("run", *call)
    assert code == 0, err
    assert "(0 new)" in again
