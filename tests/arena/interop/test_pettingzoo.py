"""Games as PettingZoo environments: its own suites, and what they do not ask."""

import importlib
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from arena.authoring.checks.walks import Setting
from arena.interop.pettingzoo import GameEnv, env
from engines.core import Game
from engines.errors import UserError

THEIRS = pytest.mark.filterwarnings(
    "ignore"
)  # their suites warn of masks beside observations, which they ask for


@pytest.fixture
def theirs() -> Any:
    """The suites of PettingZoo, which import games that need pygame."""
    pytest.importorskip("pygame")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they import games in a way that PettingZoo calls old
        return importlib.import_module("pettingzoo.test")


def play(table: Any, seed: int) -> Iterator[tuple[str, dict[str, Any], int | None]]:
    """Play a game at random: agent, what it sees, and its action."""
    rng = np.random.default_rng(seed)
    for agent in table.agent_iter():
        seen, _, ended, stopped, _ = table.last()
        legal = np.flatnonzero(seen["action_mask"])
        action = None if ended or stopped else int(rng.choice(legal))
        yield agent, seen, action
        table.step(action)


@pytest.mark.full
@THEIRS
def test_their_suites_pass_in_every_setting(theirs: Any, any_setting: Setting, capsys: Any) -> None:
    options = {"players": any_setting.players, "variant": vars(any_setting.variant)}
    game = any_setting.game
    theirs.api_test(env(game, **options), num_cycles=200)
    theirs.api_test(GameEnv(game, **options, dtype="uint8", forced=True), num_cycles=200)
    theirs.seed_test(lambda: env(game, **options), num_cycles=50)
    theirs.render_test(lambda **more: env(game, **options, **more))


@pytest.mark.full
@THEIRS
def test_their_benchmark_runs_in_every_game(theirs: Any, any_game: Game, capsys: Any) -> None:
    theirs.performance_benchmark(env(any_game))
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "options"),
    [("connect_four", {}), ("karmaka", {"players": 4, "variant": {"mode": "2v2"}})],
    ids=["connect_four", "karmaka-2v2"],
)
def test_a_game_is_zero_sum_and_partners_share(name: str, options: dict[str, Any]) -> None:
    table = GameEnv(name, **options)
    for seed in range(3):
        table.reset(seed=seed)
        for _ in play(table, seed):
            if any(table.terminations.values()) and len(table.agents) == table.players:
                worth = list(table.rewards.values())
        assert sum(worth) == pytest.approx(0)
        if options:
            assert worth[0] == worth[2]
            assert worth[1] == worth[3]


def test_equal_seeds_give_equal_games_and_every_reset_another_deal() -> None:
    table = GameEnv("karmaka")

    def first() -> bytes:
        return bytes(table.observe(table.agent_selection)["observation"].tobytes())

    table.reset(seed=4)
    deals = [first()]
    for _ in range(3):
        table.reset()
        deals.append(first())
    assert len(set(deals)) == 4
    table.reset(seed=4)
    assert first() == deals[0]


def test_decisions_out_of_turn_are_ordinary_turns() -> None:
    table = GameEnv("karmaka", players=3)
    table.reset(seed=1)
    order = [agent for agent, _, action in play(table, 1) if action is not None]
    pairs = set(pairwise(order))
    assert any(left == right for left, right in pairs)
    assert ("player_0", "player_2") in pairs


def test_only_the_agent_that_decides_has_legal_actions() -> None:
    table = GameEnv("connect_four")
    table.reset(seed=1)
    assert table.observe("player_0")["action_mask"].sum() == 7
    assert table.observe("player_1")["action_mask"].sum() == 0


def test_a_game_that_is_only_stopped_is_truncated() -> None:
    table = GameEnv("karmaka", variant={"max_turns_per_player": 1})
    table.reset(seed=1)
    for _ in play(table, 1):
        pass
    table.reset(seed=1)
    for _ in play(table, 1):
        if any(table.truncations.values()):
            break
    assert all(table.truncations.values())
    assert not any(table.terminations.values())
    assert table.infos["player_0"].keys() == {"rank", "points"}


def test_illegal_actions_end_the_game_or_are_named() -> None:
    table = env("connect_four")
    table.reset(seed=1)
    table.step(8)
    assert table.terminations["player_0"]
    assert table.rewards["player_0"] == -1
    raw = GameEnv("connect_four")
    raw.reset(seed=1)
    with pytest.raises(UserError, match="action 8: not legal for player_0"):
        raw.step(8)


def test_a_table_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    table = GameEnv("connect_four", render_mode="ansi")
    table.reset(seed=1)
    assert "(X) to move" in str(table.render())
    spoken = GameEnv("connect_four", render_mode="human")
    spoken.reset(seed=1)
    spoken.step(3)
    assert "(O) to move" in capsys.readouterr().out
    drawn = GameEnv("connect_four", render_mode="rgb_array")
    drawn.reset(seed=1)
    pixels = drawn.render()
    assert isinstance(pixels, np.ndarray)
    assert (pixels.dtype, pixels.ndim, pixels.shape[-1]) == (np.uint8, 3, 3)
    with pytest.raises(UserError, match="render_mode: 'rgb'"):
        GameEnv("connect_four", render_mode="rgb")
