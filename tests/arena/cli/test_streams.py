"""The command line where its streams are closed, full or of another encoding: never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FULL = pytest.mark.full


def shell(line, **environment):
    """A line of shell in which `arena` is the command line."""
    script = f'set -o pipefail; arena() {{ "{sys.executable}" -m arena "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        timeout=200,
        check=False,
    )


@pytest.mark.parametrize("words", ["--help", pytest.param("games karmaka", marks=FULL)])
def test_a_reader_that_has_seen_enough_ends_it_without_a_word(words):
    done = shell(f"arena {words} | true")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = shell(f"arena {words} | head -c 10")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("words", ["--help", pytest.param("games", marks=FULL)])
def test_output_to_a_full_disk_is_one_line(words):
    done = shell(f"arena {words} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == b"error: standard output: cannot be written: no space left on device\n"
    assert shell("arena games nonsense 2> /dev/full").returncode == 2


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("latin-1", "--help"),
        *(pytest.param(e, "games karmaka", marks=FULL) for e in ("latin-1", "ascii", "cp1252")),
    ],
)
def test_a_terminal_without_a_letter_shows_the_nearest(encoding, words):
    done = shell(f"arena {words}; arena games 'Zoë≤日'", PYTHONIOENCODING=encoding)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    letter = "ë" if encoding != "ascii" else "e"
    assert f"error: game 'Zo{letter}<=?': unknown".encode(encoding) in done.stderr


@pytest.mark.parametrize(
    "closed", ["0<&- 1>&- 2>&-", *(pytest.param(c, marks=FULL) for c in ("0<&-", "1>&-", "2>&-"))]
)
def test_a_closed_stream_stops_no_run(tmp_path, closed):
    out, script, imported = (tmp_path / name for name in ("run", "call.py", "imported"))
    script.write_text(
        "import sys\nfrom pathlib import Path\nfrom arena.cli import main\ntry:\n    main()\nfinally:\n"
        f"    Path({str(imported)!r}).write_text(' '.join(sys.modules))\n"
    )
    words = f"match connect_four random greedy --deals 2 --workers 0 --out {out}"
    done = shell(f'"{sys.executable}" {script} {words} {closed}')
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(b"Traceback") == 0
    assert (out / "standings.csv").is_file()
    # It is a run in one process too, which never imports Ray.
    assert "ray" not in imported.read_text().split()


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("run", 5000 * "x"), 400),
        (("report", 300 * "y"), 400),
        pytest.param(("run", "quickstart", "--set", "a=" + 3000 * "["), 200, marks=FULL),
    ],
    ids=["name", "path", "value"],
)
def test_a_long_value_and_an_impossible_path_are_one_short_line(arena, words, most):
    code, _, err = arena(*words)
    assert code == 2
    assert err.count("\n") == 1
    assert len(err) < most


def test_paths_in_suggested_commands_can_be_typed(arena, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["match", "connect_four", "random", "greedy", "--deals", "1", "--workers", "0", "-q"]
    _, out, _ = arena(*words, "--out", "my run; (1)")
    assert "arena replay 'my run; (1)' MATCH --rerun" in out
