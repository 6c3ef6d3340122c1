"""Every setting plays as its file in tests/playthroughs says; `regenerate_playthroughs.py` rewrites them."""

from pathlib import Path

import pytest

from arena.authoring.checks.walks import Setting, settings
from arena.authoring.playthroughs import DECISIONS, playthrough, wrapped
from engines.core import game_names, load_game
from engines.kernel import INTERPRETED

FOLDER = Path(__file__).resolve().parent.parent / "playthroughs"
REWRITE = "python tests/regenerate_playthroughs.py"


@pytest.mark.skipif(INTERPRETED, reason="the modes are compared byte for byte elsewhere")
def test_a_setting_plays_as_written(any_setting: Setting) -> None:
    file = FOLDER / f"{any_setting.name}.txt"
    assert file.is_file(), f"no {file.name}; {REWRITE} writes it"
    now, then = playthrough(any_setting).splitlines(), file.read_text(encoding="utf-8").splitlines()
    assert now == then, f"if this change of rules is meant: {REWRITE}, then read the diff"


def test_there_are_no_playthroughs_of_settings_that_are_gone() -> None:
    wanted = {f"{s.name}.txt" for name in game_names() for s in settings(load_game(name))}
    assert {file.name for file in FOLDER.glob("*.txt")} <= wanted


def test_a_playthrough_shows_the_start_the_decisions_and_the_end() -> None:
    lines = playthrough(settings(load_game("connect_four"))[0]).splitlines()
    assert lines[0] == "Connect Four, 2 players, variant default"
    assert "--- before decision 1, as player 1 sees it" in lines
    assert any(line.startswith("ending: ") for line in lines)
    assert sum(line.startswith("    legal: ") for line in lines) <= DECISIONS


def test_long_lists_are_wrapped() -> None:
    lines = list(wrapped("legal: ", [f"action {n}" for n in range(30)]))
    assert all(len(line) <= 101 for line in lines)
    assert " ".join(line.strip() for line in lines).count("action") == 30
