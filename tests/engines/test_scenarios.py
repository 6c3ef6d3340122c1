"""The scenarios of every game, and the runner that reads them."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.authoring.checks.citations import cited_rules
from arena.authoring.checks.folder import folder, rule_numbers
from arena.authoring.scenarios import Outcome, find_files, read_scenarios, run_files, run_scenario
from engines.core import Game, game_names, load_game
from engines.errors import UserError

TESTS = Path(__file__).resolve().parent.parent
SCENARIOS = {
    name: [s for f in find_files([load_game(name).folder / "scenarios"]) for s in read_scenarios(f)]
    for name in game_names()
}


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(s, id=f"{game}: {s.name}") for game, found in SCENARIOS.items() for s in found],
)
def test_a_scenario(scenario: Any) -> None:
    outcome = run_scenario(scenario)
    assert outcome.passed, str(outcome)


def test_every_rule_is_cited_by_a_scenario_or_a_test(any_game: Game) -> None:
    stated = rule_numbers(folder(any_game) / "RULES.md")
    scenarios = SCENARIOS[any_game.name]
    cited = {rule for scenario in scenarios for rule in cited_rules(" ".join(scenario.rule))}
    for file in (TESTS / "engines" / any_game.name).glob("*.py"):
        cited |= cited_rules(file.read_text(encoding="utf-8"))
    assert [rule for rule in stated if rule not in cited] == [], "rules that nothing proves"
    unknown = [rule for scenario in scenarios for rule in scenario.rule if rule not in stated]
    assert unknown == [], "rules that RULES.md does not state"


def test_ranges_of_rules_name_all_of_them() -> None:
    assert cited_rules("R1, R3-R5 and R7–8") == {"R1", "R3", "R4", "R5", "R7", "R8"}
    assert cited_rules("def test_r16_and_r18_rungs_rise(): pass") == {"R16", "R18"}


# --- the runner -----------------------------------------------------------------------------------

SMALL = {"rows": 3, "columns": 3, "connect": 3}


def run(tmp_path: Path, **entry: Any) -> Outcome:
    """Run one scenario of Connect Four from a file."""
    file = tmp_path / "some.yaml"
    file.write_text(yaml.safe_dump([{"name": "it", "game": "connect_four", "expect": {}, **entry}]))
    (outcome,) = run_files([tmp_path])
    return outcome


def test_all_that_can_be_expected_can_be_true(tmp_path: Path) -> None:
    expect = {
        "legal": [],
        "to_act": "over",
        "position": {"discs": ["X..", "XO.", "XO."], "ending": "line"},
        "points": [1, 0],
        "ranks": [1, 2],
        "ending": "line",
    }
    board = {"discs": ["XO.", "XO."]}
    outcome = run(tmp_path, variant=SMALL, position=board, play=["drop 1"], expect=expect)
    assert outcome.problems == ()
    assert outcome.passed


def test_each_wrong_expectation_is_a_line(tmp_path: Path) -> None:
    expect = {
        "legal_has": ["drop 1", "drop 9"],
        "legal_lacks": ["drop 2"],
        "to_act": 1,
        "position": {"discs": ["X......"], "ending": "line", "team": [0, 1], "dics": 3},
        "points": [1, 0],
        "ranks": [1, 2],
        "ending": "full board",
    }
    outcome = run(tmp_path, position={}, expect=expect)
    assert len(outcome.problems) == 9
    text = str(outcome)
    assert "some.yaml: it" in text
    assert "legal: drop 9 missing, legal are drop 1, drop 2" in text
    assert "legal: drop 2 not expected" in text
    assert "to_act: 0, expected 1" in text
    assert "position.discs: ['.......', " in text
    assert "position.ending: 'running', expected 'line'" in text
    assert "position.dics: not there, did you mean discs?, expected 3" in text
    assert "points: [0, 0], expected [1, 0]" in text
    assert "ranks: [1, 1], expected [1, 2]" in text
    assert "ending: running, expected full board" in text


def test_an_exact_list_of_legal_actions_may_be_in_any_order(tmp_path: Path) -> None:
    assert run(tmp_path, variant=SMALL, expect={"legal": ["drop 3", "drop 1", "drop 2"]}).passed
    assert not run(tmp_path, variant=SMALL, expect={"legal": ["drop 3", "drop 1"]}).passed


ONE_COLUMN_LEFT = {"variant": SMALL, "position": {"discs": ["XX.", "OO.", "XOX"]}}


def test_forced_actions_may_be_left_out_before_an_action(tmp_path: Path) -> None:
    variant = {"rows": 2, "columns": 2, "connect": 2}
    board = {"discs": ["..", ".."]}
    play = ["drop 1", "drop 2"]
    assert run(tmp_path, variant=variant, position=board, play=play, expect={"to_act": 0}).passed


def test_nothing_is_carried_out_after_the_last_text(tmp_path: Path) -> None:
    assert run(tmp_path, **ONE_COLUMN_LEFT, expect={"legal": ["drop 3"], "to_act": 1}).passed


def test_dots_carry_out_forced_actions_up_to_the_next_choice(tmp_path: Path) -> None:
    over = {"to_act": "over", "ending": "full_board", "position": {"discs": ["XXX", "OOO", "XOX"]}}
    outcome = run(tmp_path, **ONE_COLUMN_LEFT, play=["..."], expect={"to_act": "over"})
    assert outcome.passed
    assert not run(tmp_path, **ONE_COLUMN_LEFT, play=["..."], expect=over).passed  # O makes a line


def test_a_failure_with_a_forced_action_left_names_the_dots(tmp_path: Path) -> None:
    outcome = run(tmp_path, **ONE_COLUMN_LEFT, expect={"legal_has": ["drop 1"]})
    assert "only 'drop 3' is legal; '...'" in str(outcome)


@pytest.mark.parametrize(
    ("entry", "error", "part"),
    [
        ({"play": ["drop 8"]}, "IllegalAction", "not legal now, legal are drop 1"),
        ({"play": ["fly 1"]}, "UserError", "unknown"),
        ({"variant": {"rows": 99}}, "OptionError", "expected 2 to 9"),
        ({"variant": {"rwos": 3}}, "OptionError", "did you mean rows"),
        ({"variant": {"connect": 9}}, "OptionError", "no line here"),
        ({"players": 3}, "OptionError", "Connect Four has 2"),
        ({"position": {"discs": ["X......", "......."]}}, "PositionError", "above an empty space"),
        ({"position": {"disks": []}}, "PositionError", "did you mean discs"),
    ],
)
def test_errors_can_be_expected_and_are_problems_otherwise(
    tmp_path: Path, entry: dict[str, Any], error: str, part: str
) -> None:
    assert run(tmp_path, **entry, expect={"error": error, "error_has": part}).passed
    assert part in str(run(tmp_path, **entry))
    assert "expected to hold 'xyz'" in str(
        run(tmp_path, **entry, expect={"error": error, "error_has": "xyz"})
    )


def test_an_expected_error_that_does_not_come_is_a_problem(tmp_path: Path) -> None:
    outcome = run(tmp_path, play=["drop 1"], expect={"error": "IllegalAction"})
    assert outcome.problems == ("expected IllegalAction, but nothing was wrong",)


def test_a_view_can_be_compared(tmp_path: Path) -> None:
    assert run(tmp_path, view_of=1, expect={"position": {"viewer": 1}}).passed
    assert run(tmp_path, expect={"position": {"viewer": -1}}).passed


def test_a_fresh_deal_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    assert run(tmp_path, seed=3, play=["drop 1"] * 2, expect={"to_act": 0}).passed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: 1", "expected a list of scenarios"),
        ("- 3", "expected a mapping"),
        ("- {name: x, game: connect_four}", "no expect"),
        ("- {name: x, expect: {}}", "no game, and the file is in no game's folder"),
        (
            "- {name: x, game: connect_four, expect: {}, paly: []}",
            "paly: unknown, did you mean play",
        ),
        (
            "- {name: x, game: connect_four, expect: {legl: []}}",
            "legl: unknown, did you mean legal",
        ),
        ("- {name: x, game: connect_four, expect: 3}", "expected a mapping"),
        ("- {name: x, game: g, expect: {}}\n- {name: x, game: g, expect: {}}", "two scenarios"),
        ("- [", "while parsing"),
    ],
)
def test_a_malformed_file_is_a_user_error(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(content)
    with pytest.raises(UserError, match=re.escape(message)):
        read_scenarios(file)


def test_an_unknown_path_or_game_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        find_files([tmp_path / "none"])
    assert "did you mean connect_four" in str(run(tmp_path, game="conect_four"))


def test_a_rule_may_be_one_or_many(tmp_path: Path) -> None:
    assert run(tmp_path, rule="R1").scenario.rule == ("R1",)
    assert run(tmp_path, rule=["R1", "R2"]).scenario.rule == ("R1", "R2")
