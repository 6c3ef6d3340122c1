"""Tables fit terminals of 60, 80 and 120 columns; no row is wrapped, and what is left out is said."""

import pytest
from rich.cells import cell_len

from arena.plan.columns import flowed, room, table, wrapped

WIDTHS = (60, 80, 120)
HEAD = ("#", "bot", "Elo", "share", "matches", "points")
ROWS = [
    (str(n), f"mcts:simulations={4**n},rollout=greedy", "1500", "50.0 %", "800", "7.5")
    for n in range(6)
]


def widest(text):
    return max(map(cell_len, text.splitlines()))


def test_a_table_that_fits_is_whole():
    text = table(
        [("1", "greedy", "57"), ("2", "random", "-57")], ("#", "bot", "Elo"), right=("Elo",)
    )
    assert text.splitlines() == ["#  bot     Elo", "1  greedy   57", "2  random  -57"]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_least_telling_columns_go_first_and_are_named(width):
    text = table(ROWS, HEAD, right=HEAD[2:], drop=("points", "matches"), cut=("bot",), width=width)
    assert widest(text) <= width
    lines = text.splitlines()
    assert len(lines) == 1 + len(ROWS) + (width == 60)
    if width == 60:
        assert lines[0].split() == ["#", "bot", "Elo", "share"]
        assert lines[-1] == "(no room for: points, matches)"


def test_names_lose_their_middle():
    rows = [("abcdefghijklmnopqrstuvwxyz", "1"), ("zyxwvutsrqponmlkjihgfedcba", "2")]
    lines = table(rows, ("bot", "n"), cut=("bot",), width=20).splitlines()
    assert lines[1:] == ["abcdefgh…stuvwxyz  1", "zyxwvuts…hgfedcba  2"]


@pytest.mark.parametrize("width", [50, 53, 56, 60])
@pytest.mark.parametrize(
    "name",
    [
        "mcts:simulations={},rollout=greedy",
        "mcts:rollout=greedy,simulations={}",
        "{}:rollout=greedy,simulations=100",
        "mcts:rollout=greedy,exploration=0.25,prior={},epsilon=0.125,rollout_depth=5",
    ],
)
def test_names_that_are_cut_can_still_be_told_apart(name, width):
    rows = [(str(n), name.format(n + 1), *row[2:]) for n, row in enumerate(ROWS)]
    lines = table(rows, HEAD, cut=("bot",), width=width).splitlines()
    assert len(lines) == 1 + len(ROWS)
    assert max(map(len, lines)) <= width
    names = [line.split()[1] for line in lines[1:]]
    assert all("…" in one for one in names)
    assert len(set(names)) == len(ROWS)


def test_rows_are_stacked_where_nothing_else_helps():
    lines = table(ROWS, HEAD, width=30).splitlines()
    assert max(map(len, lines)) <= 30
    assert lines[0] == "# 0"
    assert "share 50.0 %" in " ".join(lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_long_last_column_goes_on_beside_or_below(width):
    rows = [("name", "a sentence of a good many words " * 6), ("other", "short")]
    text = table(rows, fold=True, width=width)
    assert widest(text) <= width
    assert text.splitlines()[0].startswith("name   a sentence")
    below = table([("n" * 40, rows[0][1].strip())], fold=True, width=60).splitlines()
    assert below[0] == "n" * 40
    assert below[1].startswith("    a sentence")


def test_wide_letters_are_measured_as_they_are_seen():
    assert widest(table([("漢字" * 30, "x")], ("bot", "n"), cut=("bot",), width=60)) <= 60
    assert widest(table([("a", "漢字 " * 30)], ("bot", "says"), fold=True, width=60)) <= 60
    assert widest("\n".join(wrapped("機器人: only 80 % of matches distinct, " * 3, 60))) <= 60


def test_a_file_sets_no_limit_but_columns_does(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert room() > 10_000
    monkeypatch.setenv("COLUMNS", "60")
    assert room() == 60
    assert widest(flowed("a word " * 30)) <= 60
