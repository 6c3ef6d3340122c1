"""Our games and bots in OpenSpiel: its own tests, and its algorithms."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import evaluate_bots, ismcts, mcts, outcome_sampling_mccfr

from arena.interop.openspiel import SpielBot, register
from engines.core import game_names
from engines.errors import UserError

pytestmark = pytest.mark.full  # another project's suite and algorithms

NAMES = [f"arena_{name}" for name in game_names()]
QUICK = (
    "arena_connect_four",
    "arena_karmaka(players=3)",
    "arena_karmaka(players=4,variant=mode:2v2)",
)


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    """Our games among theirs; not where tests are collected, since it deals every game."""
    assert register() == NAMES


def walked(text: str, decisions: int, seed: int = 0) -> Any:
    """A state after some random decisions."""
    rng = np.random.default_rng(seed)
    state = pyspiel.load_game(text).new_initial_state()
    for _ in range(decisions):
        if state.is_terminal():
            break
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize("text", QUICK)
@pytest.mark.parametrize("serialize", [False, True])
def test_their_random_simulations_pass(text: str, serialize: bool) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=2, serialize=serialize, verbose=False)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("serialize", [False, True])
def test_their_random_simulations_pass_in_every_game(name: str, serialize: bool) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=serialize, verbose=False)


def test_chance_is_one_deal_and_deals_differ() -> None:
    game = pyspiel.load_game("arena_karmaka(deals=8)")
    state = game.new_initial_state()
    assert state.is_chance_node()
    assert [outcome for outcome, _ in state.chance_outcomes()] == list(range(8))
    dealt = {str(state.child(deal)) for deal in range(8)}
    assert len(dealt) == 8
    assert not pyspiel.load_game("arena_connect_four").new_initial_state().is_chance_node()


def test_a_resampled_state_looks_the_same_to_its_player_and_other_to_others() -> None:
    state = walked("arena_karmaka", 20)
    player = state.current_player()
    others = [
        state.resample_from_infostate(player, np.random.default_rng(s).random) for s in range(5)
    ]
    own = {other.information_state_string(player) for other in others}
    assert own == {state.information_state_string(player)}
    assert len({str(other) for other in others}) > 1
    assert len({other.observation_string(1 - player) for other in others}) > 1


def test_observation_tensors_are_our_vectors() -> None:
    state = walked("arena_connect_four", 5)
    player = state.current_player()
    expected = state.home.encoder(state.home.game.view(state.states, player))
    assert np.array_equal(np.array(state.observation_tensor(player), np.float32), expected)


def test_their_searches_play_our_games() -> None:
    four = pyspiel.load_game("arena_connect_four")
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    search = mcts.MCTSBot(four, 2.0, 20, evaluator, random_state=rng)
    results = evaluate_bots.evaluate_bots(
        four.new_initial_state(), [search, SpielBot("random", 1)], rng
    )
    assert sum(results) == 0
    karmaka = walked("arena_karmaka", 10)
    information = ismcts.ISMCTSBot(
        karmaka.get_game(), mcts.RandomRolloutEvaluator(1, rng), 2.0, 5, random_state=rng
    )
    assert information.step(karmaka) in karmaka.legal_actions()


def test_their_regret_minimiser_and_their_environment_run_on_our_games() -> None:
    small = pyspiel.load_game("arena_connect_four(variant=rows:3;columns:3;connect:3)")
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(small)
    for _ in range(20):
        solver.iteration()
    start = small.new_initial_state()
    chances = solver.average_policy().action_probabilities(start)
    assert sorted(chances) == start.legal_actions()
    assert sum(chances.values()) == pytest.approx(1)

    table = rl_environment.Environment(
        pyspiel.load_game("arena_karmaka(deals=8)"),
        observation_type=rl_environment.ObservationType.OBSERVATION,
    )
    step = table.reset()
    while not step.last():
        player = step.observations["current_player"]
        assert (
            len(step.observations["info_state"][player])
            == table.observation_spec()["info_state"][0]
        )
        step = table.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == pytest.approx(0)


def test_our_bots_meet_there() -> None:
    game = pyspiel.load_game("arena_connect_four")
    bots = [SpielBot("greedy", 0, seed=1), SpielBot("random", 1, seed=2)]
    rng = np.random.RandomState(1)
    won = sum(
        evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)[0] for _ in range(10)
    )
    assert won > 5


def test_wrong_parameters_are_named() -> None:
    with pytest.raises(UserError, match="players: 5, Karmaka has 2, 3, 4"):
        pyspiel.load_game("arena_karmaka(players=5)")
    with pytest.raises(UserError, match=r"variant\.rows: '99', expected 2 to 9"):
        pyspiel.load_game("arena_connect_four(variant=rows:99)")
