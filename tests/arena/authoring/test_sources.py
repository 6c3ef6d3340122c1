"""A game's files: what is not Python, comes from elsewhere, is not used or not cited is noticed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.authoring.conformance import check_game
from engines.core import game_names, load_game
from engines.errors import BrokenGame, UserError

FACTS = (
    "sources_are_python",
    "parts_are_in_the_folder",
    "every_file_is_used",
    "rules_are_cited",
)


def change(file: Path, old: str, new: str) -> None:
    """Replace a text that must be there."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def problems(folder: Path, *only: str) -> list[str]:
    """What the checks of the files say."""
    return [text for one in check_game(str(folder), only or FACTS) for text in one.problems]


@pytest.mark.parametrize("name", game_names())
def test_every_game_is_made_of_its_own_files(name: str) -> None:
    assert [one for one in check_game(name, FACTS) if one.problems] == []


def test_a_copied_folder_is_found_in_order(four: Path) -> None:
    assert problems(four) == []


def test_a_copy_whose_rules_are_not_python_cannot_be_loaded(four: Path) -> None:
    (four / "rules.py").write_text("Each player drops a disc.\n")
    (outcome,) = check_game(str(four))
    assert outcome.problems[0].endswith("four': rules.py:1: SyntaxError: invalid syntax")


def test_rules_that_are_not_python_are_noticed_where_nothing_loads_them(four: Path) -> None:
    (four / "rules.py").write_text("Each player drops a disc.\n")
    for file in four.glob("*.py"):
        if file.name != "rules.py":
            text = file.read_text().replace(
                "from .rules import", "from engines.connect_four.rules import"
            )
            text = text.replace(" rules, scoring", " scoring")
            file.write_text(text)
    change(
        four / "__init__.py",
        "from . import",
        "from engines.connect_four import rules\n\nfrom . import",
    )
    found = problems(four)
    assert "rules.py:1: invalid syntax" in found
    assert any(f.endswith("takes parts from engines.connect_four.rules") for f in found)
    assert "GAME.legal_actions: comes from engines.connect_four.rules" in found
    assert "rules.py: nothing imports it, so no match ever runs it" in found


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("hidden.py", "from engines.connect_four.tables import Ending"),
        ("scoring.py", "import engines.connect_four.state as base"),
        ("text.py", "from engines import karmaka"),
        ("heuristic.py", "import pandas"),
        ("rules.py", "from bots import mcts"),
    ],
)
def test_a_half_converted_copy_is_refused(four: Path, file: str, line: str) -> None:
    (four / file).write_text(f'"""Own."""\n{line}  # noqa\n' + (four / file).read_text())
    taken = line.split()[1] + (f".{line.split()[3]}" if line.startswith("from") else "")
    assert f"{file}:2: takes parts from {taken}" in problems(four, "parts_are_in_the_folder")


def test_parts_taken_in_a_roundabout_way_are_refused(four: Path) -> None:
    change(
        four / "hidden.py",
        "@kernel\ndef observe",
        "import importlib\n\nbase = importlib.import_module('engines.connect_four.hidden')\n\n\n"
        "@kernel\ndef observe",
    )
    with (four / "hidden.py").open("a") as file:
        file.write("\n\nkey = base.key\n")
    found = problems(four, "parts_are_in_the_folder")
    assert "GAME.key: comes from engines.connect_four.hidden" in found
    assert "hidden.base: comes from engines.connect_four.hidden" in found


def test_a_part_from_a_folder_above_is_refused(four: Path) -> None:
    (four / "sub").mkdir()
    (four / "sub" / "__init__.py").write_text("from .. import tables\n")
    change(four / "rules.py", "import numpy as np", "import numpy as np\nfrom . import sub")
    assert problems(four, "parts_are_in_the_folder", "every_file_is_used") == []
    (four / "sub" / "__init__.py").write_text("def late():\n    from ...above import tables\n")
    (found,) = problems(four, "parts_are_in_the_folder")
    assert found.startswith("sub/__init__.py:2: takes parts from ")


def test_rules_that_nothing_cites_and_citations_of_no_rule_are_listed(four: Path) -> None:
    change(
        four / "RULES.md",
        "* **R5**",
        "* **R6** Ties are friendly.\n* **R8** So are draws.\n* **R5**",
    )
    change(four / "scoring.py", '"""R5 The winner', '"""R5, R77-78 The winner')
    change(four / "scenarios" / "rules.yaml", "rule: R1\n", "rule: R99\n")
    found = problems(four, "rules_are_cited")
    assert found[0] == "RULES.md: nothing cites R6, R8"
    assert any(f.startswith("scoring.py:") and "cites R77, R78, which" in f for f in found)
    assert any(f.startswith("scenarios/rules.yaml: 'the board") and "cites R99" in f for f in found)


def test_an_error_in_a_game_names_its_line(four: Path) -> None:
    change(four / "tables.py", "BITS =", "LINES = CONECT\nBITS =")
    with pytest.raises(BrokenGame, match=r"four': tables\.py:\d+: NameError: name 'CONECT'"):
        load_game(str(four))
    change(four / "tables.py", "LINES = CONECT\n", "")
    change(four / "rules.py", "import Ending", "import Endings")
    with pytest.raises(
        BrokenGame, match=r"rules\.py:\d+: ImportError: cannot import .* from 'four"
    ):
        load_game(str(four))


def test_a_shipped_game_is_the_same_by_its_folder(root: Path) -> None:
    assert load_game(str(root / "engines" / "connect_four")) is load_game("connect_four")


def test_an_unknown_check_names_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean rules_are_cited"):
        list(check_game("connect_four", ["rules_are_citd"]))


def test_what_is_checked_is_announced_first() -> None:
    heard: list[str] = []
    for one in check_game("connect_four", ["sources_are_python"], announce=heard.append):
        assert heard == [f"1/1 connect_four: {one.check}"]


# --- the command ----------------------------------------------------------------------------------


def check(*arguments: object) -> tuple[int, str]:
    """Run `arena check game` in a process of its own: whether games are compiled is settled once in each."""
    command = [sys.executable, "-m", "arena", "check", "game", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_fast_check_runs_the_scenarios_of_the_folder(four: Path) -> None:
    change(
        four / "scenarios" / "rules.yaml",
        "- name: the board starts",
        "- name: x\n  game: karmaka\n  expect: {}\n- name: the board starts",
    )
    change(four / "scenarios" / "rules.yaml", "ranks: [1, 2]", "ranks: [2, 1]")
    code, out = check(four, "--fast", "--only", "scenarios_hold")
    assert code == 1
    assert "scenarios/rules.yaml: 'x' plays karmaka: leave `game` out" in out
    assert "ranks: [1, 2], expected [2, 1]" in out


def test_a_fast_check_looks_at_every_setting_of_a_small_game(
    four: Path, glance: Callable[..., tuple[int, str]]
) -> None:
    code, out = glance("check", "game", four, "--fast")
    assert (code, out.splitlines()[-1].split(", ")[1]) == (0, "0 failed")
    assert "connect_four-2p-large: " in out
    assert "left out" not in out
    assert "interpreted and bounds-checked" not in out
