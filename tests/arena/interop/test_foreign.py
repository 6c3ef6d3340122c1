"""Results of other tools are read, rated and refused where they make no sense."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import arena
from arena.cli import app
from arena.interop.foreign import foreign_standings, foreign_text, read_results
from engines.errors import UserError

PGN = """[Event "Club"]
[White "Ann \\"A\\""]
[Black "Bob"]
[Result "{result}"]

1. e4 e5 {{[%clk 1:00]}} {result}

"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_pgn_is_rated_without_its_moves(tmp_path: Path) -> None:
    results = ["1-0"] * 12 + ["0-1"] * 4 + ["1/2-1/2"] * 4 + ["*"] * 3
    file = written(tmp_path, "club.pgn", "".join(PGN.format(result=r) for r in results))
    matches = list(read_results(file))
    assert len(matches) == 20
    assert matches[0].entrants == ('Ann "A"', "Bob")
    table = foreign_standings([file])
    assert table["entrant"].tolist() == ['Ann "A"', "Bob"]
    gap = table["elo"][0] - table["elo"][1]
    assert gap == pytest.approx(147, abs=10)  # a score of 14 of 20
    assert (table["elo_low"] < table["elo"]).all()
    assert table["matches"].tolist() == [20, 20]


def test_placements_of_a_csv_are_rated_by_game_and_number_of_players(tmp_path: Path) -> None:
    lines = ["game,entrant_1,rank_1,entrant_2,rank_2,entrant_3,rank_3"]
    lines += ["go,a,1,b,2", "catan,a,1,b,2,c,2", "catan,c,2,b,3,a,1"] * 6
    table = foreign_standings([written(tmp_path, "all.csv", "\n".join(lines))])
    keys = table[["game", "players"]].drop_duplicates().to_numpy().tolist()
    assert keys == [["go", 2], ["catan", 3]]
    assert table[table["game"] == "catan"]["entrant"].tolist() == ["a", "c", "b"]
    assert table[table["game"] == "catan"]["mean_rank"].tolist() == [1.0, 2.0, 2.5]


def test_what_limits_a_rating_is_said(tmp_path: Path) -> None:
    lines = ["entrant_1,rank_1,entrant_2,rank_2", *["a,1,b,2"] * 3, *["c,1,d,2"] * 12]
    text = foreign_text(foreign_standings([written(tmp_path, "few.csv", "\n".join(lines))]))
    assert "nan" not in text
    assert (
        "a: Elo compares only with b; won every match: Elo is a bound; fewer than 10 deals: no interval"
        in text
    )
    assert "(won every match)" in text  # c, which has a bound


def test_what_we_export_is_rated_as_we_rate_it(tmp_path: Path) -> None:
    run = arena.match(
        "connect_four", ["greedy", "random"], deals=12, workers=0, out=tmp_path / "run"
    )
    table = foreign_standings([run.export(tmp_path / "matches.csv")])
    ours = run.standings.set_index("entrant")["elo"]
    for row in table.to_dict("records"):
        assert row["elo"] == pytest.approx(ours[row["entrant"]], abs=0.5)


def test_the_command_prints_a_board_and_writes_it(tmp_path: Path) -> None:
    file = written(tmp_path, "club.pgn", PGN.format(result="1-0") * 12)
    done = CliRunner().invoke(app, ["leaderboard", str(file), "--out", str(tmp_path / "board")])
    assert done.exit_code == 0
    assert "pgn, 2 players" in done.output
    assert "above" in done.output
    assert (tmp_path / "board" / "leaderboard.csv").read_text().startswith("game,players,entrant")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "entrant_1,rank_1\na,1\n", "no column entrant_1 and entrant_2"),
        ("a.csv", "entrant_1,entrant_2,rank_1\na,b,1\n", "no column rank_2"),
        ("a.csv", "entrant_1,entrant_2,rank_1,rank_2\na,b,1,x\n", r"a.csv:2: rank_2 'x'"),
        ("a.csv", "entrant_1,entrant_2,rank_1,rank_2\na,b,2,3\n", "expected 1 for the best"),
        ("a.csv", "entrant_1,entrant_2,rank_1,rank_2\na,,1,2\n", "1 entrants, expected at least 2"),
        ("a.csv", "", "no table"),
        ("a.csv", "entrant_1,entrant_2,rank_1,rank_2\na,b,1,2,5\n", "a.csv:2: 5 cells, expected 4"),
        ("a.csv", "entrant_1,entrant_2,rank_1,rank_1\na,b,1,2\n", "two columns 'rank_1'"),
        ("a.csv", 'entrant_1,entrant_2,rank_1,rank_2\na,"b,1,2\n', "a.csv:2: no table"),
        (
            "a.csv",
            "entrant_1,entrant_2,rank_1,rank_2,deal\na,b,1,2,9999999999\n",
            "at most 4294967295",
        ),
        ("a.pgn", '[White "a"]\n[Black "b"]\n', r"a.pgn:1: a game without the tag Result"),
        ("a.pgn", '[White "a"]\n[Black "b"]\n[Result "2-0"]\n', "Result '2-0', expected 1-0"),
        ("a.pgn", "", "no finished match"),
        ("a.txt", "", "expected a file that ends in .csv or .pgn"),
    ],
)
def test_what_makes_no_sense_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        foreign_standings([written(tmp_path, name, text)])
