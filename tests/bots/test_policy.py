"""Trained networks as bots."""

import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena
from bots.contract import View
from bots.policy import Network, Policy, read_network, write_policy
from bots.registry import parse_bot
from engines.core import Game, load_game
from engines.encoding import Encoder
from engines.errors import UserError
from engines.rng import seeded

FOUR = load_game("connect_four")


def view_of(game: Game, players: int = 2, **options: Any) -> tuple[View, list[int]]:
    states = game.new_state(players, game.Variant(**options), seeded(1))
    legal = game.legal(states).tolist()
    return View(game, game.view(states, 0), legal, (), 1), legal


def preferring(order: list[float]) -> list[tuple[Any, Any]]:
    """One layer that scores columns always so."""
    size = Encoder(FOUR, 2).size
    return [(np.zeros((size, len(order))), np.array(order))]


def small_network(rng: np.random.Generator, *sizes: int) -> list[tuple[Any, Any]]:
    return [(rng.normal(size=(a, b)), rng.normal(size=b)) for a, b in pairwise(sizes)]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_a_network_computes_what_numpy_does(activation: str) -> None:
    rng = np.random.default_rng(1)
    layers = small_network(rng, 9, 16, 4)
    vector = (rng.random(9) * (rng.random(9) < 0.5)).astype(np.float32)
    hidden = vector @ layers[0][0] + layers[0][1]
    hidden = np.tanh(hidden) if activation == "tanh" else np.maximum(hidden, 0)
    expected = hidden @ layers[1][0] + layers[1][1]
    assert np.allclose(Network(layers, activation)(vector), expected, atol=1e-4)


def test_the_best_legal_action_is_chosen_or_one_is_drawn(tmp_path: Path) -> None:
    scores = [0.0, 1.0, 5.0, 0.0, 0.0, 4.0, 0.0, 9.0, 9.0]
    folder = write_policy(tmp_path / "two", preferring(scores), FOUR, 2)
    view, legal = view_of(FOUR)
    best = Policy(folder / "weights.npz")
    best.reset(FOUR, view, 1)
    assert best.act(view, legal) == 2  # 7 and 8 are no columns of this board
    drawn = Policy(folder / "weights.npz", temperature=1.0)
    drawn.reset(FOUR, view, 1)
    found = [drawn.act(view, legal) for _ in range(400)]
    assert 0.6 < found.count(2) / 400 < 0.8
    assert 0.18 < found.count(5) / 400 < 0.34


def test_a_policy_is_a_bot_by_its_folder(tmp_path: Path) -> None:
    middle = [0.0, 1.0, 2.0, 9.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    folder = write_policy(tmp_path / "middle", preferring(middle), FOUR, 2)
    other = write_policy(tmp_path / "left", preferring(middle[::-1]), FOUR, 2)
    one, two = (parse_bot(str(path)) for path in (folder, other))
    assert one.kind.source_hash != two.kind.source_hash
    run = arena.match(
        "connect_four", [str(folder), "random"], deals=5, workers=0, out=tmp_path / "run"
    )
    assert run.faults.empty
    assert run.standings["win_share"].iloc[0] > 0.6


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="88 inputs and 3 outputs, Connect Four has 88 components"):
        write_policy(tmp_path, preferring([1.0, 2.0, 3.0]), FOUR, 2)
    with pytest.raises(UserError, match=r"layers\[1\]: weights \(5, 2\) and 2 biases"):
        Network([(np.zeros((3, 4)), np.zeros(4)), (np.zeros((5, 2)), np.zeros(2))])
    with pytest.raises(UserError, match="activation: 'gelu'"):
        Network([(np.zeros((3, 4)), np.zeros(4))], "gelu")
    (tmp_path / "weights.npz").write_bytes(b"nothing")
    with pytest.raises(UserError, match="no weights of a policy"):
        read_network(tmp_path / "weights.npz")


def test_a_policy_plays_only_what_it_was_trained_for(tmp_path: Path) -> None:
    folder = write_policy(tmp_path / "four", preferring([0.0] * 9), FOUR, 2)
    policy = Policy(folder / "weights.npz")
    karmaka = load_game("karmaka")
    with pytest.raises(UserError, match="policy of connect_four with 2 players, this is karmaka"):
        policy.reset(karmaka, view_of(karmaka)[0], 1)
    with pytest.raises(UserError, match="policy of another variant"):
        policy.reset(FOUR, view_of(FOUR, connect=5)[0], 1)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_the_example_of_stable_baselines_writes_a_bot(tmp_path: Path, root: Path) -> None:
    pytest.importorskip("sb3_contrib")
    example = runpy.run_path(str(root / "examples" / "stable_baselines.py"))
    example["main"](256, tmp_path / "learned")
    policy = Policy(tmp_path / "learned" / "weights.npz")
    view, legal = view_of(FOUR)
    policy.reset(FOUR, view, 1)
    assert policy.act(view, legal) in legal
