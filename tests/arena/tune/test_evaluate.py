"""Weights of heuristics are fitted to results, tried in play and written down; a bot plays by them."""

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.tune import evaluate as fits
from arena.tune.evaluate import (
    Evaluated,
    Hands,
    Plan,
    amounts_in,
    claim_in,
    evaluate,
    keep_plan,
    learning_spec,
    mixed,
)
from arena.tune.fitted import is_better, page, summary, write_files
from arena.tune.fitting import Results, cross_entropy, descend, fit, model
from arena.tune.pasting import diff_of, meanings, rewritten, source_of
from arena.tune.positions import Lesson, Positions, decision_at, joined, read_lesson
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
def matches(four: Game) -> tuple[Positions, list[tuple]]:
    """Positions of 40 random games, whose shares are to be filled in, and decisions whose choice is."""
    rng, states, players, deals, decisions = seeded(3), [], [], [], []
    for deal in range(40):
        state = four.new_state(2, four.Variant(), rng)
        while state["to_act"][0] != OVER:
            legal = four.legal(state).tolist()
            action = legal[int(below(rng, len(legal)))]
            if len(legal) > 1:
                decisions.append((*decision_at(four, state, rng, legal, action), deal))
            four.apply(state, action, rng)
            if state["to_act"][0] != OVER:
                states.append(copy(state))
                players.append(deal % 2)
                deals.append(deal)
    count = len(states)
    known = Positions(np.concatenate(states), np.array(players), np.zeros(count), np.array(deals))
    return known, decisions


def planted(
    matches: tuple[Positions, list[tuple]], four: Game, weights: dict[str, float], sharpness: float
) -> Lesson:
    """What somebody would do who judges by these weights: results as expected, choices by chance."""
    kernel, rng = with_weights(four.evaluate, weights), np.random.default_rng(5)

    def shares(states: np.ndarray, players: np.ndarray) -> np.ndarray:
        rows = range(len(players))
        return np.array([kernel(states[i : i + 1], int(players[i])) for i in rows])

    known, decisions = matches
    results = Positions(
        known.states, known.players, shares(known.states, known.players), known.deals
    )
    chosen = []
    for states, player, _, deal in decisions:
        scores = sharpness * shares(states, np.full(len(states), player))
        chances = np.exp(scores - scores.max())
        chosen.append((states, player, rng.choice(len(states), p=chances / chances.sum()), deal))
    return Lesson(results, joined(chosen))


# --- the fit ----------------------------------------------------------------------------------------------


def test_planted_weights_are_found(four: Game, matches: tuple[Positions, list[tuple]]) -> None:
    wanted = {"WINNING_SPACE": 0.4, "CENTRE_DISC": 0.3}
    train, test = planted(matches, four, wanted, 20.0).parted(5)
    made = fit(four.evaluate, train, test, pull=0.0)
    assert made.weights == pytest.approx(wanted, rel=0.05)
    for old, new in (made.trained, made.tested):
        assert new.results < old.results
        assert new.choices < old.choices
    once, again = (fit(four.evaluate, test, test, pull=0.0) for _ in range(2))
    assert once == again


@pytest.mark.full
def test_choices_alone_tell_the_weights_by_which_they_were_made(
    four: Game, matches: tuple[Positions, list[tuple]]
) -> None:
    wanted = {"WINNING_SPACE": 1.0, "CENTRE_DISC": 0.3}
    train, test = planted(matches, four, wanted, 20.0).parted(5)
    nothing = train.positions.where(np.zeros(len(train.positions), bool))
    made = fit(four.evaluate, Lesson(nothing, train.choices), test, 0.0, ["CENTRE_DISC"])
    assert made.weights["WINNING_SPACE"] == 1.0  # held
    assert made.weights["CENTRE_DISC"] == pytest.approx(0.3, rel=0.2)


def test_a_strong_pull_holds_the_weights(
    four: Game, matches: tuple[Positions, list[tuple]]
) -> None:
    _, test = planted(matches, four, {"CENTRE_DISC": 0.3}, 20.0).parted(5)
    made = fit(four.evaluate, test, test, pull=1e6)
    own = {one.name: one.value for one in declared(four.evaluate)}
    assert made.weights == pytest.approx(own, rel=0.01)


def test_results_drawn_by_chance_give_the_weights_that_drew_them() -> None:
    rng = np.random.default_rng(1)
    sides = rng.normal(size=(5000, 3))
    wanted = np.array([0.5, -1.0, 0.0])

    def shares(weights: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-sides @ weights))

    won = (rng.random(5000) < shares(wanted)).astype(float)
    known = [Declared(str(i), str(i), None, 1.0, Span(low=-0.8)) for i in range(3)]
    found, _ = descend([Results(shares, won)], np.ones(3), known, 1.0, np.ones(3, bool))
    assert found == pytest.approx([0.5, -0.8, 0.0], abs=0.1)  # -1 is below what it may be


def test_the_model_asks_the_estimate_itself(
    four: Game, matches: tuple[Positions, list[tuple]]
) -> None:
    own = np.array([one.value for one in declared(four.evaluate)])
    given = planted(matches, four, {}, 1.0).positions
    assert model(four.evaluate, given.states, given.players)(own).tolist() == given.shares.tolist()
    assert cross_entropy(np.array([1.0, 0.5]), np.full(2, 0.5)) == pytest.approx(2 * np.log(2))


def test_lessons_are_parted_by_deals(four: Game, matches: tuple[Positions, list[tuple]]) -> None:
    lesson = planted(matches, four, {}, 1.0)
    train, test = lesson.parted(5)
    assert set(test.positions.deals.tolist()) == set(range(0, 40, 5))
    assert len(train.choices) + len(test.choices) == len(lesson.choices)
    first = lesson.choices.where(lesson.choices.deals == 0)
    assert test.choices.players[: len(first.players)].tolist() == first.players.tolist()
    assert test.choices.chosen[: len(first)].tolist() == first.chosen.tolist()


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


SMALL = Plan(
    *("connect_four", "", 3), matches=50, opening=6, teacher=8, simulations=8, deals=10, confirm=12
)


def facts(made: Evaluated | None) -> Any:
    """What came of a fit, but for its game."""
    assert made is not None
    return made.fit, made.tested, made.tried, made.best, made.confirmed


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Evaluated, list[str]]:
    """The folder of a small fit that nobody disturbed, what came of it and what it said meanwhile."""
    folder, said = tmp_path_factory.mktemp("whole"), []
    made = evaluate(SMALL, folder, Hands(0), said.append)
    assert made is not None
    return folder, made, said


@pytest.mark.full
def test_a_fit_goes_from_matches_to_a_claim_and_comes_out_the_same_again(
    whole: tuple[Path, Evaluated, list[str]],
) -> None:
    folder, first, said = whole
    assert len(said) >= 3
    assert [one.mixture for one in first.tried] == [1.0, 0.5, 0.25]
    assert {one.claim.deals for one in first.tried} == {10}
    write_files(first, folder)
    text = (folder / "evaluate.md").read_text()
    assert "| CENTRE_DISC | 0.15 |" in text
    assert (folder / "heuristic.diff").exists() == is_better(first)
    again = evaluate(SMALL, folder, Hands(0), said.append)
    assert again is not None
    assert list(page(again)) == list(page(first))
    assert facts(again) == facts(first)
    assert list(summary(again))
    stored = json.loads((folder / "weights-1.json").read_text())
    assert stored["weights"] == mixed(first.game, first.fit.weights, 1.0)
    _, played = amounts_in(folder / "play", "fitted 1")
    assert played.tolist() == [2.0] * 10  # both seatings


class Killed(BaseException):
    """The end of a process, as it were."""


@pytest.mark.full
def test_a_fit_killed_between_its_steps_goes_on_as_if_nothing_had_been(
    whole: tuple[Path, Evaluated, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[Path, int] = {}

    def dying(tournament: Any, folder: Path, *given: Any) -> Any:
        seen[folder] = seen.get(folder, 0) + 1
        if seen[folder] == 1:
            raise Killed  # before its first match
        done = carry_out(tournament, folder, *given)
        if seen[folder] == 2:
            raise Killed  # before anybody has read it
        return done

    monkeypatch.setattr(fits, "carry_out", dying)
    again = None
    while again is None:
        with suppress(Killed):
            again = evaluate(SMALL, tmp_path, Hands(0), lambda line: None)
    assert facts(again) == facts(whole[1])
    assert len(seen) == 2 + (whole[1].best is not None)


@pytest.mark.full
def test_a_fit_killed_by_kill_9_comes_out_as_one_left_in_peace(
    whole: tuple[Path, Evaluated, list[str]], tmp_path: Path, root: Path
) -> None:
    driver = "import sys; from arena import cli; sys.argv = ['arena', *sys.argv[1:]]; cli.main()"
    given = {"seed": 3, "matches": 50, "opening": 6, "teacher": 8, "simulations": 8, "deals": 10}
    sets = [text for key, value in given.items() for text in ("--set", f"{key}={value}")]
    command = ["tune", "--evaluate", "connect_four", *sets, "--set", "confirm=12", "--quiet"]
    chance = random.Random(5)
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", driver, *command, "--workers", "0", "--out", str(tmp_path)],
            cwd=root,
            stdout=subprocess.DEVNULL,
        )
        time.sleep(1.5 + 4 * chance.random())
        process.kill()
        process.wait()
    assert facts(evaluate(SMALL, tmp_path, Hands(0), lambda line: None)) == facts(whole[1])


@pytest.mark.full
@pytest.mark.ray
def test_the_number_of_workers_changes_nothing(
    whole: tuple[Path, Evaluated, list[str]], tmp_path: Path, one_ray: None
) -> None:
    assert facts(evaluate(SMALL, tmp_path, Hands(2), lambda line: None)) == facts(whole[1])


def test_positions_of_a_run_of_another_game_are_none(tmp_path: Path, four: Game) -> None:
    plan = Plan("connect_four", matches=50, teacher=8, deals=10, confirm=10, simulations=8)
    assert not Hands(0).interrupted(learning_spec(plan, four), tmp_path / "run")
    found = read_lesson(tmp_path / "run", four, 5, 3)
    assert len(found.positions) <= 250
    assert set(found.positions.shares.tolist()) <= {0.0, 0.5, 1.0}
    assert len(found.choices) <= 150
    assert found.choices.chosen.tolist() == found.choices.starts.tolist()  # put first
    with pytest.raises(UserError, match="no match to learn from"):
        read_lesson(tmp_path / "run", load_game("karmaka"), 5, 3)


def test_shares_are_counted_by_deal_and_claimed(tmp_path: Path) -> None:
    bots = [{"name": "today", "bot": "random"}, {"name": "fitted 1", "bot": "greedy"}]
    games = [{"game": "connect_four"}]
    spec = {"name": "x", "games": games, "bots": bots, "deals": 20, "schedule": "gauntlet"}
    assert not Hands(0).interrupted(parse_spec({**spec, "focus": ["today"]}), tmp_path)
    won, played = amounts_in(tmp_path, "fitted 1")
    lost, _ = amounts_in(tmp_path, "today")
    assert played.tolist() == [2.0] * 20  # both seatings
    assert (won + lost).tolist() == [2.0] * 20
    made = claim_in(tmp_path, "fitted 1")
    assert made.outcome == "differs"
    assert made.above
    assert made.estimate == pytest.approx(won.sum() / 40)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "expected a config, or --evaluate GAME"),
        (["tune-connect_four", "--evaluate", "karmaka"], "expected a config, or --evaluate GAME"),
        (["--evaluate", "karmka"], "did you mean karmaka?"),
        (["--evaluate", "karmaka", "--set", "matchs=4"], "did you mean matches?"),
        (["--evaluate", "karmaka", "--set", "matches=4"], "evaluate.matches: '4', expected 50 to"),
        (["--evaluate", "karmaka", "--set", "matches"], "has no value, expected name=value"),
        (["--evaluate", "karmaka", "--set", "game=nakum"], "the game is what --evaluate names"),
    ],
)
def test_a_wrong_command_is_refused_in_one_line(
    arena_command: Callable[..., tuple[int, str, str]], arguments: list[str], problem: str
) -> None:
    code, _, said = arena_command("tune", *arguments)
    assert code == 2
    assert problem in said


def test_a_dry_run_says_how_much_is_played(
    arena_command: Callable[..., tuple[int, str, str]],
) -> None:
    code, said, _ = arena_command("tune", "--evaluate", "karmaka", "--set", "deals=20", "--dry-run")
    assert code == 0
    assert "to try: 120 matches, 20 deals for each of 3 mixtures" in said
