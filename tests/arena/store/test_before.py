"""A run that an earlier version stored (3a1ff66) opens, goes on and replays."""

import shutil
from pathlib import Path

import pytest

from arena.results.replay import replay_match
from arena.store.run_folder import load_spec, read_matches

BEFORE = Path(__file__).with_name("before")
UNCHANGED = ("connect_four", "karmaka", "nakum")  # games whose rules are still those of then


@pytest.fixture
def stored(tmp_path) -> Path:
    return Path(shutil.copytree(BEFORE, tmp_path / "before"))


def test_it_opens(stored):
    matches = read_matches(stored)
    assert len(matches) == 90
    assert len(load_spec(stored).lineups) == 21
    assert matches["match_id"].is_unique


@pytest.mark.parametrize("game", UNCHANGED)
def test_its_matches_replay(stored, game):
    matches = read_matches(stored)
    row = matches[(matches["game"] == game) & (matches["deal"] == 1)].iloc[-1]
    assert list(replay_match(stored, row["match_id"], positions=False))[-1].endswith(
        "the re-play agrees with the stored result"
    )


def test_its_bots_play_a_match_again_as_then(stored):
    matches = read_matches(stored)
    row = matches[matches["game"] == "connect_four"].iloc[0]
    told = list(replay_match(stored, row["match_id"], positions=False, rerun=True))
    assert told[-1] == "the bots played it again, action by action as stored"


def test_it_goes_on_with_the_games_whose_rules_are_those_of_then(stored, arena):
    """With the bots of then: searches have got another option since."""
    again = ["run", stored / "spec.yaml", "--out", stored, "--workers", 0, "-q"]
    again += ["--set", 'games=["connect_four"]', "--set", "deals=3"]
    code, _, error = arena(*again)
    assert code == 2
    assert "entrant 'search' played here with other parameters or code" in error
    code, out, error = arena(*again, "--set", 'bots=["random","greedy"]')
    assert code == 0
    assert error.startswith("'search' plays no more; its 66 stored matches stay and count")
    assert "(2 new)" in out
    assert len(read_matches(stored)) == 92


def test_it_does_not_go_on_by_other_rules(stored, arena):
    code, _, error = arena("run", stored / "spec.yaml", "--out", stored, "--workers", 0, "-q")
    assert code == 2
    assert "the rules of sacrifice have changed since this run was started" in error
