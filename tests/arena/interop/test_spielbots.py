"""OpenSpiel's C++ bots at our tables."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel")

import pyspiel

import arena
from arena.interop.spielbots import TWINS
from bots.contract import View
from bots.registry import bot_kinds, parse_bot
from engines.core import load_game
from engines.errors import UserError
from engines.records import OVER
from engines.rng import below, seeded

FOUR = load_game("connect_four")


@pytest.mark.parametrize("options", [{}, {"rows": 5, "columns": 6, "connect": 3}])
def test_positions_are_the_same_there(options: dict[str, Any]) -> None:
    """Random games in both: the same actions are legal, and they end alike."""
    twin, rng = TWINS["connect_four"], seeded(5)
    for _ in range(20):
        states = FOUR.new_state(2, FOUR.Variant(**options), rng)
        there = pyspiel.load_game(twin.name, twin.parameters(states)).new_initial_state()
        while int(states["to_act"][0]) != OVER:
            legal = FOUR.legal(states).tolist()
            written = pyspiel.load_game(twin.name, twin.parameters(states)).new_initial_state(
                json.dumps(twin.written(states))
            )
            assert written.legal_actions() == there.legal_actions() == legal
            assert str(written) == str(there)
            assert written.current_player() == int(states["to_act"][0])
            action = legal[int(below(rng, len(legal)))]
            FOUR.apply(states, action, rng)
            there.apply_action(action)
        ranks = FOUR.rank_list(states)
        assert there.is_terminal()
        assert (
            there.returns() == [0.0, 0.0] if ranks == [1, 1] else [1.0, -1.0][:: 3 - 2 * ranks[0]]
        )


def test_their_search_sees_a_win_and_plays_equally_for_equal_seeds() -> None:
    states = FOUR.new_state(2, FOUR.Variant(), seeded(1))
    for action in (3, 0, 3, 1, 3, 6):
        FOUR.apply(states, action, seeded(1))
    legal = FOUR.legal(states).tolist()
    view = View(FOUR, FOUR.view(states, 0), legal, (), 1)
    for _ in range(2):
        bot = parse_bot("openspiel:mcts:simulations=200").make()
        bot.reset(FOUR, view, 1 << 60)
        assert bot.act(view, legal) == 3


def test_it_is_an_entrant_like_any_other(tmp_path: Path) -> None:
    assert "openspiel:mcts" in bot_kinds()
    bots = ["openspiel:mcts:simulations=20,rollouts=2", "random"]
    run = arena.match("connect_four", bots, deals=3, opening=2, workers=0, out=tmp_path / "run")
    assert run.faults.empty
    assert bots[0] in run.standings.to_string()


def test_where_openspiel_has_no_such_game_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="OpenSpiel has no Karmaka; both have connect_four"):
        arena.match(
            "karmaka", ["openspiel:mcts", "random"], deals=1, workers=0, out=tmp_path / "run"
        )
    with pytest.raises(UserError, match="bot 'openspiel': unknown"):
        parse_bot("openspiel")


def test_a_budget_in_seconds_is_none_in_simulations() -> None:
    kept = parse_bot("openspiel:mcts", {"seconds": 0.01}).parameters
    assert (kept.simulations, kept.seconds) == (None, 0.01)
    assert parse_bot("openspiel:mcts").parameters.simulations == 1000
