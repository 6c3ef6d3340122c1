"""One player against given opponents, for Gymnasium."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env

from arena.interop.gym import Against, VectorAgainst
from bots.networks import write_policy
from bots.registry import parse_bot
from engines.core import load_game
from engines.errors import UserError


def at_random(tables: VectorAgainst, steps: int, seed: int) -> dict[str, Any]:
    """Play the learner at random and count what happens."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"ended": 0, "won": 0, "final": 0}
    tables.reset(seed=seed)
    for _ in range(steps):
        masks = tables.action_masks()
        assert masks.any(axis=1).all()
        assert (tables.tables.batch.to_act == tables.seats).all()
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
        observation, reward, ended, stopped, infos = tables.step(actions)
        assert observation.shape == tables.observation_space.shape
        over = ended | stopped
        assert not reward[~over].any()
        found["ended"] += int(over.sum())
        found["won"] += int((reward > 0).sum())
        found["final"] += sum(row is not None for row in infos.get("final_obs", ()))
    return found


def test_the_learner_meets_opponents_and_loses_to_better_ones() -> None:
    fair = at_random(VectorAgainst("connect_four", n=32), 200, 1)
    hard = at_random(VectorAgainst("connect_four", ["greedy"], n=8), 150, 1)
    assert fair["ended"] == fair["final"] > 100
    assert 0.35 < fair["won"] / fair["ended"] < 0.65
    assert hard["won"] / hard["ended"] < 0.2


def test_seats_are_drawn_for_every_game_or_given() -> None:
    drawn = VectorAgainst("connect_four", n=64)
    drawn.reset(seed=1)
    assert 16 < drawn.seats.sum() < 48
    given = VectorAgainst("karmaka", ["greedy", "random"], n=2, players=3, seat=2)
    at_random(given, 10, 2)
    assert (given.seats == 2).all()


def test_equal_seeds_give_equal_games() -> None:
    one, other = (VectorAgainst("connect_four", ["mcts:simulations=8"], n=2) for _ in range(2))
    first, again = one.reset(seed=3)[0].copy(), other.reset(seed=3)[0].copy()
    assert np.array_equal(first, again)
    for _ in range(10):
        actions = one.action_masks().argmax(axis=1)
        left, right = one.step(actions), other.step(actions)
        for a, b in zip(left[:4], right[:4], strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("bot", ["greedy:samples=2", "mcts:simulations=8"])
def test_bots_that_forget_decide_by_one_call_what_they_decide_one_by_one(bot: str) -> None:
    spec = parse_bot(bot)
    assert spec.kind.compiled is not None
    alone = replace(
        spec, kind=replace(spec.kind, compiled=replace(spec.kind.compiled, forgets=False))
    )
    one, other = (
        VectorAgainst("karmaka", [each, "random"], n=3, players=3) for each in (spec, alone)
    )
    assert [type(each).__name__ for each in other.others] == ["Apart", "Together"]
    first, again = one.reset(seed=4)[0].copy(), other.reset(seed=4)[0].copy()
    assert np.array_equal(first, again)
    for _ in range(40):
        actions = one.action_masks().argmax(axis=1)
        left, right = one.step(actions), other.step(actions)
        for a, b in zip(left[:4], right[:4], strict=True):
            assert np.array_equal(a, b)


def test_a_bot_is_asked_for_advice() -> None:
    tables, again = (VectorAgainst("connect_four", n=8, opening=3) for _ in range(2))
    states = tables.reset(seed=1)[0].copy(), again.reset(seed=1)[0]
    advised = tables.advice("mcts:simulations=50")
    assert advised.tolist() == again.advice("mcts:simulations=50").tolist()
    assert tables.action_masks()[np.arange(8), advised].all()
    assert np.array_equal(tables.tables.batch.observation, states[0]), "no table has moved"


def test_a_policy_of_other_tables_is_refused(tmp_path: Path) -> None:
    game = load_game("connect_four")
    size = game.actions.size
    layers = [(np.zeros((88, size), np.float32), np.zeros(size, np.float32))]
    write_policy(tmp_path / "four.npz", layers, game, 2)
    with pytest.raises(UserError, match="connect_four"):
        VectorAgainst("karmaka", [f"policy:weights={tmp_path / 'four.npz'}"], n=2)


@pytest.mark.filterwarnings("ignore")
def test_gymnasiums_own_check_passes_where_illegal_actions_are_replaced() -> None:
    check_env(Against("connect_four", ["greedy"], illegal="first"), skip_render_check=True)


def test_a_single_table_gives_masks_and_the_last_observation() -> None:
    table = Against("connect_four", ["random"], opening=2)
    observation, infos = table.reset(seed=1)
    assert observation.shape == table.observation_space.shape
    ended = False
    while not ended:
        action = int(np.flatnonzero(table.action_masks())[0])
        observation, reward, ended, stopped, infos = table.step(action)
        assert not stopped
        assert infos["action_mask"].dtype == np.bool_
    assert reward in (-1.0, 0.0, 1.0)
    assert (observation[-84:].sum() > 6) == bool(ended)
    table.close()


def test_wrong_options_are_named() -> None:
    with pytest.raises(UserError, match="seat: 2, expected 0 to 1"):
        VectorAgainst("connect_four", seat=2)
    with pytest.raises(UserError, match="illegal: 'no'"):
        VectorAgainst("connect_four", illegal="no")
    with pytest.raises(UserError, match="opponents: 0, expected at least 1"):
        VectorAgainst("connect_four", [])
