"""Weights of heuristics are fitted to results, tried in play and written down; a bot plays by them."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.tune.evaluate import (
    Plan,
    amounts_in,
    claim_in,
    evaluate,
    keep_plan,
    learning_spec,
    mixed,
    run_on,
)
from arena.tune.fitted import is_better, page, summary, write_files
from arena.tune.fitting import Model, descend, fit, loss
from arena.tune.pasting import diff_of, meanings, rewritten, source_of
from arena.tune.positions import Positions, read_positions
from arena.tune.weighted import ENTRANT, weights_text
from bots.contract import View
from bots.registry import parse_bot
from engines.core import Game, load_game
from engines.errors import UserError
from engines.records import OVER, copy
from engines.rng import below, seeded
from engines.weights import Declared, Span, declared, with_weights

SIMS = "mcts:simulations=20"


@pytest.fixture(scope="module")
def four() -> Game:
    return load_game("connect_four")


@pytest.fixture(scope="module")
def positions(four: Game) -> Positions:
    """Positions of 60 random games; the shares are to be filled in."""
    rng, states, players, deals = seeded(3), [], [], []
    for deal in range(60):
        state = four.new_state(2, four.Variant(), rng)
        while state["to_act"][0] != OVER:
            legal = four.legal(state)
            four.apply(state, int(legal[int(below(rng, len(legal)))]), rng)
            if state["to_act"][0] != OVER:
                states.append(copy(state))
                players.append(deal % 2)
                deals.append(deal)
    count = len(states)
    return Positions(np.concatenate(states), np.array(players), np.zeros(count), np.array(deals))


def planted(positions: Positions, four: Game, weights: dict[str, float]) -> Positions:
    kernel = with_weights(four.evaluate, weights)
    shares = [
        kernel(positions.states[i : i + 1], int(positions.players[i]))
        for i in range(len(positions))
    ]
    return Positions(positions.states, positions.players, np.array(shares), positions.deals)


# --- the fit ----------------------------------------------------------------------------------------------


def test_planted_weights_are_found(four: Game, positions: Positions) -> None:
    wanted = {"WINNING_SPACE": 0.4, "CENTRE_DISC": 0.3}
    given = planted(positions, four, wanted)
    made = fit(four.evaluate, given, given.deals % 5 == 0, pull=0.0)
    assert made.weights == pytest.approx(wanted, rel=0.01)
    assert made.trained[1] < made.trained[0]
    assert made.tested[1] < made.tested[0]
    assert made == fit(four.evaluate, given, given.deals % 5 == 0, pull=0.0)


def test_a_strong_pull_holds_the_weights(four: Game, positions: Positions) -> None:
    given = planted(positions, four, {"CENTRE_DISC": 0.3})
    made = fit(four.evaluate, given, given.deals % 5 == 0, pull=1e6)
    assert made.weights == pytest.approx(
        {one.name: one.value for one in declared(four.evaluate)}, rel=0.01
    )


def test_weights_that_are_held_stay(four: Game, positions: Positions) -> None:
    given = planted(positions, four, {"CENTRE_DISC": 0.3})
    made = fit(four.evaluate, given, given.deals % 5 == 0, pull=0.0, only=["CENTRE_DISC"])
    assert made.weights["WINNING_SPACE"] == 1.0
    assert made.weights["CENTRE_DISC"] == pytest.approx(0.3, rel=0.01)


def test_results_drawn_by_chance_give_the_weights_that_drew_them() -> None:
    rng = np.random.default_rng(1)
    terms = rng.normal(size=(5000, 3))
    wanted = np.array([0.5, -1.0, 0.0])

    def model(weights: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-terms @ weights))

    shares = (rng.random(5000) < model(wanted)).astype(float)
    known = [Declared(str(i), str(i), None, 1.0, Span(low=-0.8)) for i in range(3)]
    found, _ = descend(model, shares, np.ones(3), known, 1.0, np.ones(3, bool))
    assert found == pytest.approx([0.5, -0.8, 0.0], abs=0.1)  # -1 is below what it may be


def test_the_model_asks_the_estimate_itself(four: Game, positions: Positions) -> None:
    own = np.array([one.value for one in declared(four.evaluate)])
    given = planted(positions, four, {})
    expected = Model(four.evaluate, given)(own)
    assert np.allclose(expected, np.clip(given.shares, 1e-6, 1 - 1e-6), atol=0, rtol=0)
    assert loss(np.array([1.0, 0.5]), np.array([0.5, 0.5])) == pytest.approx(np.log(2))


# --- the bot ----------------------------------------------------------------------------------------------


def bot_of(file: Path, of: str = SIMS) -> str:
    return f'{ENTRANT}:of="{of}",weights={file}'


def written(folder: Path, content: str) -> Path:
    path = folder / "w.json"
    path.write_text(content)
    return path


def test_other_weights_are_another_entrant(tmp_path: Path, four: Game) -> None:
    lines = []
    for number, value in enumerate((0.3, 0.3, 0.4)):
        path = tmp_path / f"{number}.json"
        path.write_text(weights_text("connect_four", {"CENTRE_DISC": value}))
        lines.append(parse_bot(bot_of(path)).canonical)
    assert lines[0] == lines[1] != lines[2]
    other = parse_bot(bot_of(tmp_path / "0.json", "mcts:simulations=30")).canonical
    assert other != lines[0]


def test_a_bot_with_the_games_own_weights_plays_as_without_them(tmp_path: Path, four: Game) -> None:
    path = written(tmp_path, weights_text("connect_four", {"CENTRE_DISC": 0.15}))
    kind, plain = parse_bot(bot_of(path)).kind, parse_bot(SIMS)
    one, other = kind.make(None), plain.make()
    state = four.new_state(2, four.Variant(), seeded(1))
    view = View(four, four.view(state, 0), four.legal(state).tolist(), (), 5)
    one.reset(four, view, 5)
    other.reset(four, view, 5)
    assert one.act(view, view.legal()) == other.act(view, view.legal())


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "expected JSON such as"),
        ('{"game": "connect_four"}', "expected JSON such as"),
        ('{"game": 3, "weights": {}}', "expected JSON such as"),
        ('{"game": "connect_fuor", "weights": {}}', "did you mean connect_four?"),
        ('{"game": "connect_four", "weights": {"CENTER_DISC": 1}}', "did you mean CENTRE_DISC?"),
        ('{"game": "connect_four", "weights": {"CENTRE_DISC": NaN}}', "expected a number from"),
        ('{"game": "connect_four", "weights": {"CENTRE_DISC": "\\u001b[2J"}}', "expected a number"),
        ('{"game": "connect_four", "weights": {}}' + " " * (1 << 20), "expected at most"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, content: str, problem: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(UserError) as refused:
        parse_bot(bot_of(path))
    assert problem in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("of", ["process", "chat", "nobody", "greedy:samples=0"])
def test_only_a_compiled_bot_can_be_inside(tmp_path: Path, of: str) -> None:
    path = written(tmp_path, weights_text("connect_four", {}))
    with pytest.raises(UserError):
        parse_bot(bot_of(path, of))


def test_a_bot_plays_only_the_game_of_its_weights(tmp_path: Path) -> None:
    path = written(tmp_path, weights_text("connect_four", {}))
    bots = [{"bot": bot_of(path)}, {"bot": SIMS}]
    spec = parse_spec({"name": "x", "games": [{"game": "karmaka"}], "bots": bots})
    with pytest.raises(UserError, match="its weights are for connect_four, not for karmaka"):
        resolve(spec)


# --- what is written --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["connect_four", "sacrificio"])
def test_a_rewritten_heuristic_declares_the_new_weights(
    tmp_path: Path, root: Path, name: str
) -> None:
    game = load_game(name)
    wanted = {one.name: round(one.value * 1.5, 3) for one in declared(game.evaluate)}
    folder = Path(shutil.copytree(root / "engines" / name, tmp_path / "mine"))
    text = rewritten(source_of(game.evaluate), game.evaluate, wanted)
    (folder / "heuristic.py").write_text(text)
    mine = load_game(str(folder))
    assert {one.name: one.value for one in declared(mine.evaluate)} == wanted
    assert meanings(text) == meanings(source_of(game.evaluate))


def test_a_diff_names_the_file_and_is_empty_without_a_change(four: Game) -> None:
    assert diff_of(four.evaluate, {"CENTRE_DISC": 0.15}, "heuristic.py") == ""
    told = diff_of(four.evaluate, {"CENTRE_DISC": 0.25}, "heuristic.py")
    assert "-CENTRE_DISC: Weight = 0.15\n+CENTRE_DISC: Weight = 0.25\n" in told
    assert told.startswith("--- a/heuristic.py\n")


def test_mixtures_lie_between_and_keep_three_figures(four: Game) -> None:
    fitted = {"WINNING_SPACE": 2.0, "CENTRE_DISC": 0.123456}
    assert mixed(four, fitted, 0.5) == {"WINNING_SPACE": 1.5, "CENTRE_DISC": 0.137}
    assert mixed(four, fitted, 0.0) == {"WINNING_SPACE": 1.0, "CENTRE_DISC": 0.15}


# --- the whole --------------------------------------------------------------------------------------------


def test_a_folder_keeps_its_plan(tmp_path: Path) -> None:
    keep_plan(Plan("connect_four"), tmp_path)
    keep_plan(Plan("connect_four"), tmp_path)
    with pytest.raises(UserError, match="holds a fit with matches 400, not 300"):
        keep_plan(Plan("connect_four", matches=300), tmp_path)
    (tmp_path / "evaluate.json").write_text("[]")
    with pytest.raises(UserError, match="no plan of a fit"):
        keep_plan(Plan("connect_four"), tmp_path)


@pytest.mark.full
def test_a_fit_goes_from_matches_to_a_claim_and_comes_out_the_same_again(tmp_path: Path) -> None:
    plan = Plan(
        *("connect_four", "", 3),
        matches=50,
        opening=6,
        teacher=8,
        simulations=8,
        deals=10,
        confirm=12,
    )
    said: list[str] = []
    first = evaluate(plan, tmp_path, 0, False, said.append)
    assert first is not None
    assert len(said) >= 3
    assert [one.mixture for one in first.tried] == [1.0, 0.5, 0.25]
    assert {one.claim.deals for one in first.tried} == {10}
    write_files(first, tmp_path)
    text = (tmp_path / "evaluate.md").read_text()
    assert "| CENTRE_DISC | 0.15 |" in text
    assert (tmp_path / "heuristic.diff").exists() == is_better(first)
    again = evaluate(plan, tmp_path, 0, False, said.append)
    assert again is not None
    assert list(page(again)) == list(page(first))
    assert again.fit == first.fit
    assert list(summary(again))
    stored = json.loads((tmp_path / "weights-1.json").read_text())
    assert stored["weights"] == mixed(first.game, first.fit.weights, 1.0)
    _, played = amounts_in(tmp_path / "play", "fitted 1")
    assert played.tolist() == [2.0] * 10  # both seatings


def test_positions_of_a_run_of_another_game_are_none(tmp_path: Path, four: Game) -> None:
    plan = Plan("connect_four", matches=50, teacher=8, deals=10, confirm=10, simulations=8)
    assert not run_on(learning_spec(plan, four), tmp_path / "run", 0, False)
    found = read_positions(tmp_path / "run", four, 5)
    assert len(found) <= 250
    assert set(found.shares.tolist()) <= {0.0, 0.5, 1.0}
    with pytest.raises(UserError, match="no match to take positions from"):
        read_positions(tmp_path / "run", load_game("karmaka"), 5)


def test_shares_are_counted_by_deal_and_claimed(tmp_path: Path) -> None:
    bots = [{"name": "today", "bot": "random"}, {"name": "fitted 1", "bot": "greedy"}]
    games = [{"game": "connect_four"}]
    spec = {"name": "x", "games": games, "bots": bots, "deals": 20, "schedule": "gauntlet"}
    assert not run_on(parse_spec({**spec, "focus": ["today"]}), tmp_path, 0, False)
    won, played = amounts_in(tmp_path, "fitted 1")
    lost, _ = amounts_in(tmp_path, "today")
    assert played.tolist() == [2.0] * 20  # both seatings
    assert (won + lost).tolist() == [2.0] * 20
    made = claim_in(tmp_path, "fitted 1")
    assert made.outcome == "differs"
    assert made.above
    assert made.estimate == pytest.approx(won.sum() / 40)
