"""`arena check game` names the line where the code of a game fails, compiled as it is."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.authoring import conformance
from arena.authoring.checks.modes import start
from engines.core import Game, load_game
from engines.kernel import INTERPRETED


def test_a_check_that_fails_without_a_line_is_run_again_interpreted(
    failing_four: Callable[[int], tuple[Path, str]],
) -> None:
    four, line = failing_four(9)
    where = "connect_four-2p", "questions_change_nothing"
    assert conformance.again(four, *where) == line


@pytest.mark.skipif(INTERPRETED, reason="interpreted code names its line itself")
def test_an_error_of_compiled_code_becomes_that_line(
    failing_four: Callable[[int], tuple[Path, str]], monkeypatch
) -> None:
    four, _ = failing_four(11)  # a game of its own: equal ones are loaded once

    def fails(game: Game) -> Iterator[str]:
        """It works."""
        raise ZeroDivisionError("integer division by zero")

    monkeypatch.setattr(conformance, "again", lambda *where: " ".join(map(str, where)))
    done = conformance.outcome("four", fails, load_game(str(four)))
    assert done.problems == (f"{four} four fails",)


def test_a_mode_that_fails_names_the_line_and_the_setting(
    failing_four: Callable[[int], tuple[Path, str]],
) -> None:
    four, line = failing_four(9)
    process = start(str(four), 25, "interpreted")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert said == f"connect_four-2p: {line}\n"


@pytest.mark.full
def test_a_misspelt_field_is_told_alike_in_a_glance_and_compiled(
    tmp_path: Path, root: Path
) -> None:
    folder = tmp_path / "misspelt"
    shutil.copytree(root / "engines" / "connect_four", folder)
    rules = folder / "rules.py"
    rules.write_text(rules.read_text().replace("state.dropped += 1", "state.droped += 1"))
    line = rules.read_text()[: rules.read_text().index("droped")].count("\n") + 1
    told = conformance.again(folder, "connect_four-2p", "ends_within_the_bound")
    assert told == f"rules.py:{line} in apply: no field 'droped'; did you mean dropped?"
