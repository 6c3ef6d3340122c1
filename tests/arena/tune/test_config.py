"""Configs of tunings are read strictly; what is wrong is one line, and the command leaves with 2."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.tune.config import (
    CONFIRMED,
    SEARCHED,
    START,
    Tuning,
    load,
    plain,
    read_tuning,
    run_spec,
    seed_of,
)
from engines.errors import UserError

Make = Callable[..., Tuning]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"option": {}}, "option: unknown, did you mean options"),
        ({"game": "conect_four"}, "game: 'conect_four': unknown, did you mean connect_four?"),
        ({"bot": "mtcs"}, "bot: bot 'mtcs': unknown, did you mean mcts"),
        ({"bot": "mcts:simulatons=4"}, "bot.simulatons: unknown, did you mean simulations?"),
        ({"options": {}}, "options: empty, expected what to search"),
        ({"options": {"depth": [1, 2]}}, "options.depth: unknown"),
        ({"options": {"exploration": "2..0.1"}}, "options.exploration: 2..0.1, expected the lower"),
        ({"against": ["mcts:simulations=4"]}, "against[0]: the bot as it starts; against: self"),
        ({"against": ["nobody"]}, "against[0]: bot 'nobody': unknown"),
        ({"trials": float("inf")}, "trials: inf, expected a number"),
        ({"trials": 0}, "trials: 0, expected at least 1"),
        ({"confirm": 5}, "confirm: 5, expected at least 10"),
        ({"confirm": 10**9}, "confirm: 1000000000, expected at most 1000000"),
        ({"deals": [10, 10]}, "deals: 10, 10, expected more deals in each rung"),
        ({"deals": []}, "deals: [], expected at least one"),
        ({"keep": 0}, "keep: 0, expected more than 0"),
        ({"players": 3}, "players: 3, Connect Four is for 2 players"),
        ({"variant": {"rows": 99}}, "variant.rows: 99, expected"),
        ({"name": "../up"}, "name: '../up', expected letters"),
    ],
)
def test_what_is_wrong_is_told_with_its_path(
    make_tuning: Make, changes: dict[str, Any], problem: str
):
    with pytest.raises(UserError) as refused:
        make_tuning(**changes)
    assert str(refused.value).startswith(problem)
    assert "\n" not in str(refused.value)


def test_wrong_configs_leave_with_2_and_one_line(
    arena: Callable[..., tuple[int, str, str]], make_tuning: Make, tmp_path: Path
):
    file = tmp_path / "t.yaml"
    data = {k: v for k, v in plain(make_tuning().spec).items() if v is not None}
    file.write_text(yaml.safe_dump({**data, "options": {"exploration": "1..0"}}))
    code, out, err = arena("tune", file, "--out", tmp_path / "made", "--workers", 0)
    assert (code, out) == (2, "")
    assert err == "error: options.exploration: 1..0, expected the lower end first: 0..1\n"
    assert not (tmp_path / "made").exists()
    file.write_text("game: [")
    assert arena("tune", file)[0] == 2


def test_without_optuna_one_line_says_what_to_install(
    arena: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
):
    for name in [one for one in sys.modules if one.startswith("arena.tune")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "optuna", None)
    code, out, err = arena("tune", "tune-connect_four")
    assert (code, out) == (2, "")
    assert err.startswith("error: searching for options needs optuna: pip install 'tabletop-arena")
    assert err.count("\n") == 1


def test_every_shipped_config_can_be_loaded():
    files = sorted((Path(__file__).resolve().parents[3] / "configs").glob("tune-*.yaml"))
    assert files
    for file in files:
        assert load(read_tuning(file.stem)).space.size > 1


def test_one_player_has_nobody_to_play_against(make_tuning: Make):
    with pytest.raises(UserError, match="players: 1, a tuning needs somebody to play against"):
        make_tuning(game="sagrada", players=1)


def test_the_start_has_the_options_of_its_game(make_tuning: Make):
    assert make_tuning().start == {"exploration": 0.8, "rollout_depth": 4}
    assert make_tuning(game="nakum").start == {"exploration": 0.3, "rollout_depth": 0}
    own = make_tuning(game="nakum", bot="mcts:exploration=1")
    assert own.start == {"exploration": 1.0, "rollout_depth": 0}


def test_candidates_meet_the_start_or_the_field(make_tuning: Make):
    point = {"exploration": 0.2, "rollout_depth": None}
    alone = run_spec(make_tuning(), [("trial 0", point)], 1, 5)
    assert [bot.name for bot in alone.bots] == ["trial 0", START]
    assert alone.focus == ("trial 0",)
    assert alone.bots[0].parameters == point
    field = make_tuning(against=["random", "greedy"])
    both = run_spec(field, [("trial 0", point)], 1, 5, with_start=True)
    assert [bot.name for bot in both.bots] == ["trial 0", START, "field 1", "field 2"]
    assert both.focus == ("trial 0", START)


def test_the_confirmation_has_deals_of_its_own(make_tuning: Make):
    tuning = make_tuning()
    seeds = {seed_of(tuning, SEARCHED, rung) for rung in range(5)} | {seed_of(tuning, CONFIRMED)}
    assert len(seeds) == 6
