"""Faults planted in a copy of the house: the tests of the default run notice each of them.

Four in every game (a rule, an index past an array, bytes that differ between compiled and interpreted code, a leak or,
where nothing is hidden, a view that blanks something), and matches that are lost or played twice on resume. Each names
the tests that must fail;
CONTRIBUTING says which run finds what.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from engines.cache import cache_root
from engines.core import game_names

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("arena", "bots", "engines", "configs", "examples", "tests")
SCENARIOS = "tests/engines/test_scenarios.py"
CONFORMANCE = "tests/engines/test_conformance.py"
DRILLS = "tests/arena/execution/test_drills.py"
FORMATS = "tests/arena/plan/test_formats.py"
MODES = "interpreted_code_agrees"


@dataclass(frozen=True)
class Fault:
    """A text that stands once in a file, what stands there instead, and the tests that must notice.

    file: below the folder of the game, or of the repository where there is none.
    """

    kind: str
    game: str
    file: str
    old: str
    new: str

    @property
    def path(self) -> str:
        return f"engines/{self.game}/{self.file}" if self.game else self.file

    @property
    def tests(self) -> tuple[str, ...]:
        return {
            "rule": (SCENARIOS, "-k", self.game),
            "leak": (CONFORMANCE, "-k", f"test_a_setting and {self.game}"),
            "index": (CONFORMANCE, "-k", f"{MODES} and {self.game}"),
            "mode": (CONFORMANCE, "-k", f"{MODES} and {self.game}"),
            "pairing": (FORMATS, "-k", "random_swiss"),
            "resume": (DRILLS,),
        }[self.kind]


def turns_wrap(game: str, field: str, factor: int) -> Fault:
    """NumPy wraps a small integer that is multiplied, Numba does not."""
    old = f"return int(states[0].{field})"
    return Fault("mode", game, "scoring.py", old, f"return int(states[0].{field} * {factor})")


FOUR, KARMAKA, NAKUM, SAGRADA = "connect_four", "karmaka", "nakum", "sagrada"
SACRIFICE, SACRIFICIO = "sacrifice", "sacrificio"
DIAGONAL = "        or has_run(discs, rows + 2, connect)\n"
FAULTS = [
    Fault("rule", FOUR, "rules.py", DIAGONAL, ""),
    Fault("index", FOUR, "hidden.py", "state.discs[1])", "state.discs[2])"),
    turns_wrap(FOUR, "dropped", 60),
    Fault(
        "leak",
        FOUR,
        "hidden.py",
        "    views[0].viewer = player\n",
        "    views[0].viewer = player\n    views[0].dropped = 0\n",
    ),
    Fault(
        "rule",
        KARMAKA,
        "rules/zones.py",
        "push(state.seat[player].deeds, card, EVERYBODY)",
        "push(state.ruins, card, EVERYBODY)",
    ),
    Fault(
        "index",
        KARMAKA,
        "hidden.py",
        "    for player in range(int(state.players)):\n        seat = state.seat[player]\n        mixed = mix",
        "    for player in range(int(state.players) + 1):\n        seat = state.seat[player]\n        mixed = mix",
    ),
    turns_wrap(KARMAKA, "turn", 20_000),
    Fault("leak", KARMAKA, "hidden.py", "        redact_pile(seat.future, player)\n", ""),
    Fault(
        "rule",
        NAKUM,
        "rules/goods.py",
        "int(seat.hide) + int(gain.hide)",
        "int(seat.hide) + int(gain.maize)",
    ),
    Fault(
        "index",
        NAKUM,
        "hidden.py",
        "    for cube in range(CUBES):\n        if state.cubes[cube] > 0:\n            mixed",
        "    for cube in range(CUBES + 1):\n        if state.cubes[cube] > 0:\n            mixed",
    ),
    turns_wrap(NAKUM, "current_round", 100),
    Fault("leak", NAKUM, "hidden.py", "    redact_pile(view.heritage_removed, player)\n", ""),
    Fault(
        "rule",
        SAGRADA,
        "rules/dice.py",
        "for _ in range(min(int(state.rules.dice), ",
        "for _ in range(min(int(state.rules.dice) - 1, ",
    ),
    Fault(
        "index",
        SAGRADA,
        "hidden.py",
        "for colour in range(1, COLOURS + 1):\n        supply[colour] = state.rules.private_copies",
        "for colour in range(1, COLOURS + 2):\n        supply[colour] = state.rules.private_copies",
    ),
    turns_wrap(SAGRADA, "turns", 20_000),
    Fault("leak", SAGRADA, "hidden.py", "        view.rolls[i] = 0\n", ""),
    Fault(
        "rule",
        SACRIFICE,
        "rules/board.py",
        "return 0 <= cell < int(state.rules.elevation) * MOST_WIDTH",
        "return 0 <= cell < (int(state.rules.elevation) - 1) * MOST_WIDTH",
    ),
    Fault(
        "index",
        SACRIFICE,
        "hidden.py",
        "        for slot in range(SLOTS):\n            cell = int(state.cell[player, slot])",
        "        for slot in range(SLOTS + 1):\n            cell = int(state.cell[player, slot])",
    ),
    turns_wrap(SACRIFICE, "turn", 20_000),
    Fault(
        "leak",
        SACRIFICE,
        "hidden.py",
        "    views[0].viewer = player\n",
        "    views[0].viewer = player\n    views[0].quiet = 0\n    views[0].history = 0\n",
    ),
    Fault(
        "rule",
        SACRIFICIO,
        "rules/legal.py",
        "cost = int(state.rules.cost)",
        "cost = int(state.rules.cost) + 1",
    ),
    Fault(
        "index",
        SACRIFICIO,
        "hidden.py",
        "        for site in range(SITES):\n            if seat.temple[site] > 0:",
        "        for site in range(SITES + 1):\n            if seat.temple[site] > 0:",
    ),
    turns_wrap(SACRIFICIO, "turn", 20_000),
    Fault("leak", SACRIFICIO, "hidden.py", "        redact_hand(seat.hand, player)\n", ""),
    Fault(
        "pairing",
        "",
        "arena/plan/formats/pairing.py",
        "times**2 * meeting_unit",
        "0 * meeting_unit",
    ),
    Fault(
        "resume",
        "",
        "arena/store/bitmap.py",
        "flags[: len(stored)] = stored == 0",
        "flags[: len(stored)] = False",
    ),
    Fault(
        "resume",
        "",
        "arena/store/run_folder.py",
        "        self._stored = stored_in(folder, record)\n",
        "        self._stored = Stored(record.lineups)\n",
    ),
]


def test_every_game_has_a_rule_an_index_a_mode_and_a_leak_planted() -> None:
    planted = {(fault.game, fault.kind) for fault in FAULTS if fault.game}
    kinds = ("rule", "index", "mode", "leak")
    assert planted == {(name, kind) for name in game_names() for kind in kinds}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the house, with what this machine has compiled."""
    folder = tmp_path_factory.mktemp("planted")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copytree(cache_root(), folder / "cache", ignore=shutil.ignore_patterns("bots", "sealed"))
    return folder


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.kind}-{fault.game or 'arena'}")
def test_a_planted_fault_is_found_by_the_default_run(copy: Path, fault: Fault) -> None:
    file = copy / fault.path
    whole = file.read_text(encoding="utf-8")
    assert whole.count(fault.old) == 1, (
        f"{fault.path}: {fault.old!r} stands there {whole.count(fault.old)} times"
    )
    file.write_text(whole.replace(fault.old, fault.new), encoding="utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "--no-header", *fault.tests],
            cwd=copy,
            env={**os.environ, "ARENA_CACHE": str(copy / "cache"), "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    finally:
        file.write_text(whole, encoding="utf-8")
    assert done.returncode == 1, f"nothing noticed it\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    print(
        "\n".join(line for line in done.stdout.splitlines() if line.startswith("FAILED")), end=" "
    )
