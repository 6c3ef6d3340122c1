"""`import arena`: the lines that a notebook holds, and the examples of the docstrings."""

import doctest
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import arena
from arena.results.stored import chosen

EXAMPLES = [getattr(arena, name) for name in arena.__all__ if name != "UserError"]


@pytest.fixture(scope="session")
def played(tmp_path_factory) -> Path:
    """A working folder with the quickstart's run in it, on two deals."""
    folder = tmp_path_factory.mktemp("notebook")
    changes = {"deals": 2}
    arena.run("quickstart", out=folder / "results/quickstart", workers=0, changes=changes)
    return folder


@pytest.fixture
def here(played, monkeypatch) -> Path:
    monkeypatch.chdir(played)
    return played


@pytest.fixture
def run(here):
    return arena.load("results/quickstart")


@pytest.mark.parametrize("function", EXAMPLES, ids=lambda one: one.__name__)
def test_the_example_of_a_docstring_runs_as_written(function, here):
    (example,) = doctest.DocTestFinder(recurse=False).find(function, globs={"arena": arena})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_importing_it_imports_nothing_heavy():
    script = "import sys, arena; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not {"numpy", "pandas", "numba", "ray", "typer", "pydantic"} & set(done.stdout.split())


def test_frames_are_those_of_the_files(run):
    stored = (
        pd.read_csv(run.folder / "standings.csv")
        if (run.folder / "standings.csv").exists()
        else None
    )
    for name in ("standings", "head_to_head", "seats", "sides", "faults", "endings"):
        assert isinstance(getattr(run, name), pd.DataFrame), name
    assert stored is None or stored["entrant"].tolist() == run.standings["entrant"].tolist()
    assert run.finished
    assert not run.answer


def test_a_match_is_a_row_with_names_in_seat_order(run):
    frame = run.matches
    assert len(frame) == 24
    assert frame["id"].is_unique
    row = frame.iloc[0]
    assert set(row["entrants"]) <= set(run.standings["entrant"])
    assert len(row["entrants"]) == len(row["ranks"]) == len(row["points"]) == row["players"] == 2
    assert min(row["ranks"]) == 1


def test_the_actions_of_a_match_are_told_in_words_by_whom(run):
    row = run.matches.iloc[3]
    told = run.actions(row["id"])
    assert told["number"].tolist() == list(range(1, len(told) + 1))
    assert {row["entrants"][player] for player in told["player"]} == set(told["entrant"])
    assert told["action"].str.len().min() > 0


def test_a_leaderboard_is_what_a_notebook_shows(run):
    shown = run._repr_html_()
    assert all(name in shown for name in run.standings["entrant"])
    assert "<table" in shown
    assert "24 of 24 matches" in repr(run)


def test_what_is_wrong_is_an_error_of_the_user(here):
    for call, text in (
        (lambda: arena.load("nothing"), "nothing: no run here"),
        (lambda: arena.run("quikstart"), "unknown, did you mean quickstart"),
        (lambda: arena.match("karmak", ["random"]), "did you mean karmaka"),
        (lambda: arena.analyse("balance-karmak"), "did you mean balance-karmaka"),
        (lambda: arena.game("sagrda"), "did you mean sagrada"),
        (lambda: arena.game("sagrada").start(players=7), "players: 7, Sagrada is for"),
        (lambda: arena.game("connect_four").start(rows=99), "variant.rows: 99, expected"),
    ):
        with pytest.raises(arena.UserError, match=text):
            call()


# --- positions -------------------------------------------------------------------------------------------


def test_a_position_is_never_changed_by_what_is_played_from_it():
    first = arena.game("connect_four").start(seed=4)
    before = first.to_dict()
    assert first.play(2).to_dict() != before
    assert first.to_dict() == before
    assert first.play("drop 3").to_dict() == first.play(2).to_dict()


def test_the_same_seed_is_the_same_game_with_all_its_chance():
    def played(seed):
        position = arena.game("connect_four").start(seed=seed, columns=5)
        while not position.over:
            position = position.play(position.legal()[-1])
        return position

    assert played(1).to_dict() == played(1).to_dict()
    assert played(1).ending == "line"
    assert sorted(played(1).ranks) == [1, 2]
    assert played(1).legal() == []


def test_an_action_that_is_not_legal_is_one_line():
    position = arena.game("connect_four").start()
    with pytest.raises(arena.UserError, match=r"action 9: not legal here, expected e\.g\. drop 1"):
        position.play(9)
    with pytest.raises(arena.UserError, match="player: 2, expected 0 to 1"):
        position.view(2)


def test_a_view_hides_what_its_player_may_not_know():
    position = arena.game("karmaka").start(players=2, seed=1)
    assert "?" in json.dumps(position.view(0).to_dict())
    assert position.view(1).player == 1
    assert position.view(position.to_act).legal() == position.legal()


# --- lists and files ---------------------------------------------------------------------------------------


def test_matches_are_found_by_who_played_and_how_they_ended(run):
    frame = run.matches
    greedy = chosen(frame, bot="greedy")
    assert len(greedy) == 12
    both = chosen(frame, bot="greedy", opponent="random", deal=1)
    assert len(both) == 2
    assert {tuple(sorted(names)) for names in both["entrants"]} == {("greedy", "random")}
    assert len(chosen(frame, ending="finished")) == 24
    with pytest.raises(arena.UserError, match="--bot gredy: nobody here, known are greedy"):
        chosen(frame, bot="gredy")


def test_a_list_of_matches_names_ids_that_can_be_replayed(run, arena_command):
    code, out, _ = arena_command("matches", run.folder, "--bot", "greedy", "--most", "3")
    assert code == 0
    assert "3 of 12 matches" in out
    words = out.splitlines()[-1].removeprefix("look at one: arena ").split()
    code, out, _ = arena_command(*words, "--moves-only")
    assert code == 0
    assert "the re-play agrees" in out


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_matches_are_exported_with_names(run, tmp_path, arena_command, ending):
    file = tmp_path / f"matches.{ending}"
    code, out, _ = arena_command("export", run.folder, "--to", file)
    assert (code, out) == (0, f"written: {file}\n")
    if ending == "csv":
        read = pd.read_csv(file)
        assert read["entrant_1"].tolist() == [names[0] for names in run.matches["entrants"]]
        assert read["rank_2"].tolist() == [ranks[1] for ranks in run.matches["ranks"]]
    elif ending == "parquet":
        read = pd.read_parquet(file)
        assert [list(row) for row in read["ranks"]] == run.matches["ranks"].tolist()
    else:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert [row["id"] for row in rows] == run.matches["id"].tolist()
        assert rows[0]["actions"][0].keys() == {"player", "action"}
        assert np.array_equal(rows[0]["ranks"], run.matches["ranks"].iloc[0])


def test_an_export_to_something_else_is_one_line(run, tmp_path, arena_command):
    code, _, error = arena_command("export", run.folder, "--to", tmp_path / "matches.xlsx")
    assert code == 2
    assert "expected a file that ends in .csv, .jsonl, .parquet" in error


def test_the_version_is_told(arena_command):
    code, out, _ = arena_command("--version")
    assert code == 0
    assert out.startswith("tabletop-arena ")
