"""The leaders in the progress line."""

import contextlib
import io
import os
import re
import termios

import numpy as np
import pytest

from arena.execution.progress import Progress
from arena.execution.tally import NAME_WIDTH, Tally

NAMES = {"a": "alpha", "b": "beta", "c": "gamma", "d": "delta"}


def columns(seating, ranks):
    """The two columns that a tally looks at."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in seating])])
    return {
        "seating": (np.array([s for row in seating for s in row]), offsets),
        "ranks": (np.array([r for row in ranks for r in row]), offsets),
    }


def leaders(*batches):
    tally = Tally(NAMES)
    for entrants, seating, ranks in batches:
        tally.add(entrants, columns(seating, ranks))
    return tally.leaders()


def test_before_the_first_match_nobody_leads():
    assert Tally(NAMES).leaders() == []
    assert Tally(NAMES).text() == ""


def test_an_empty_batch_changes_nothing():
    assert leaders((("a", "b"), [], [])) == []


def test_wins_are_counted_wherever_an_entrant_sits():
    found = leaders(
        (("a", "b"), [[0, 1], [1, 0], [0, 1], [1, 0]], [[1, 2], [2, 1], [1, 2], [1, 2]])
    )
    assert found == [("alpha", 0.75), ("beta", 0.25)]


def test_a_shared_first_place_is_shared():
    assert dict(leaders((("a", "b"), [[0, 1]], [[1, 1]]))) == {"alpha": 0.5, "beta": 0.5}
    three = dict(leaders((("a", "b", "c"), [[2, 0, 1]], [[1, 1, 2]])))
    assert three == {"gamma": 0.5, "alpha": 0.5, "beta": 0.0}


def test_batches_of_several_line_ups_add_up():
    found = dict(
        leaders(
            (("a", "b"), [[0, 1], [1, 0]], [[1, 2], [2, 1]]),
            (("a", "c"), [[0, 1], [1, 0]], [[2, 1], [1, 2]]),
        )
    )
    assert found == {"alpha": 0.5, "beta": 0.0, "gamma": 1.0}


def test_an_entrant_that_sits_twice_counts_per_seat():
    found = dict(leaders((("a", "a", "b"), [[0, 0, 2]], [[1, 2, 3]])))
    assert found == {"alpha": 0.5, "beta": 0.0}


def test_one_lucky_match_does_not_lead():
    many = [[0, 1]] * 20
    found = leaders((("a", "b"), many, [[1, 2]] * 19 + [[2, 1]]), (("c", "d"), [[0, 1]], [[1, 2]]))
    assert [name for name, _ in found] == ["alpha", "gamma", "delta"]


def test_the_text_shows_three_at_most_and_cuts_long_names():
    tally = Tally({**NAMES, "a": "x" * 60})
    for one, other in (("a", "b"), ("a", "c"), ("a", "d")):
        tally.add((one, other), columns([[0, 1]], [[1, 2]]))
    assert tally.text().startswith(
        f"{'x' * (NAME_WIDTH // 2 - 1)}…{'x' * (NAME_WIDTH // 2)} 100%, "
    )
    assert tally.text().count(",") == 2


@pytest.mark.parametrize("seats", [2, 3])
def test_shares_of_one_line_up_add_up_to_one_per_match(seats):
    rng = np.random.default_rng(seats)
    seating = [rng.permutation(seats) for _ in range(30)]
    ranks = [[1 + (score < max(row)) for score in row] for row in rng.integers(0, 3, (30, seats))]
    tally = Tally(NAMES)
    tally.add(tuple("abcd"[:seats]), columns(seating, ranks))
    assert len(tally.leaders()) == seats
    assert sum(share for _, share in tally.leaders()) == pytest.approx(1)


class Stream(io.StringIO):
    """A stream that is a terminal, or not."""

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


def told(terminal, shown=True, batches=4, file=None):
    """What is shown of a run of 600 matches, 200 stored, 50 a batch, each taking 25 seconds; one fault a batch."""
    file, now = file or Stream(terminal), iter(range(10_000))
    clock = [0.0]
    with Progress(NAMES, 200, 600, shown, file, lambda: clock[0]) as progress:
        for _ in range(batches):
            clock[0] += 25 * (next(now) >= 0)
            seats = columns([[0, 1]] * 50, [[1, 2]] * 50) | {"fault_seat": [1] + [-1] * 49}
            progress.take(("a", "b"), seats)
            progress.show(50, 600)
    return file.getvalue() if isinstance(file, Stream) else "", progress


def test_a_terminal_shows_matches_rate_time_left_faults_and_leaders():
    shown, progress = told(True)
    said = "120 a minute, 2 minutes left, 4 faults"
    assert progress.text() == f"400 of 600 matches, {said}, leading: alpha 100%, beta 0%"
    assert f"400 of 600, {said}, alpha 100%, beta 0%" in shown  # 80 columns where nobody can tell
    assert "0.00" not in shown


@pytest.mark.parametrize(
    ("columns_of_terminal", "said"),
    [
        (60, "400 of 600, 2 minutes left, 4 faults, alpha 100%, beta 0%"),
        (80, " 67 %, 400 of 600, 120 a minute, 2 minutes left, 4 faults, alpha 100%, beta 0%"),
        (120, "| 400 of 600 matches, 120 a minute, 2 minutes left, 4 faults, leading: alpha 100%"),
    ],
)
def test_a_narrow_terminal_still_shows_faults_and_leaders(columns_of_terminal, said):
    end, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, columns_of_terminal))
    with open(terminal, "w") as file:
        told(True, file=file)
    with open(end, "rb", buffering=0) as screen:
        lines = re.split(r"[\r\n]+", "".join(read_to_its_end(screen)))
    assert said in lines[-2]
    assert max(map(len, lines)) < columns_of_terminal


def read_to_its_end(screen):
    """What a terminal was told, in pieces; nobody writes to it any more, which reading it says as an error."""
    with contextlib.suppress(OSError):
        while piece := screen.read(1000):
            yield piece.decode()


def test_elsewhere_one_plain_line_a_minute_is_written():
    shown, _ = told(False)
    lines = shown.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(
        "350 of 600 matches, 120 a minute, 2 minutes left, 3 faults, leading: "
    )
    assert "\r" not in shown
    assert "\x1b" not in shown


def test_quiet_runs_show_nothing():
    assert told(True, shown=False)[0] == told(False, shown=False)[0] == ""


def test_what_was_stored_before_does_not_count_for_the_rate():
    assert told(False, batches=0)[1].text() == "200 of 600 matches, no faults"
