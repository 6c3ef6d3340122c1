"""The `sac-test` blocks of engines/sacrifice/scenarios/sheet.md, parsed and played as they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from engines.core import load_game, parse_options
from engines.records import OVER, State
from engines.rng import seeded
from engines.sacrifice.tables import CELL_NAMES, CHARACTERS, LETTERS, Ending, Phase

GAME = load_game("sacrifice")
FILE = GAME.folder / "scenarios" / "sheet.md"
KEYS = ("start", "to move", "walls", "left", "opt", "do", "then", "expect")
SIDES = "SN"
SIGNS = {"step": "-", "run": ">", "fly": "^", "jump": "~"}
ACTION = re.compile(r"(?:(?P<id>\w\d):)?(?P<rest>[a-l]\d.*)")


@dataclass(frozen=True)
class Block:
    """One block: its number, title and lines."""

    number: str
    title: str
    lines: tuple[str, ...]

    @property
    def rows(self) -> list[tuple[int, list[str]]]:
        """The rows of the board that are drawn, top to bottom."""
        found = [line.split("|", 1) for line in self.lines if "|" in line.split(":")[0]]
        return [(int(row), cells.split()) for row, cells in found]

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The lines that are no rows, as (key, text)."""
        lines = [line for line in self.lines if "|" not in line.split(":")[0]]
        return [(key.strip(), text.strip()) for key, _, text in (x.partition(":") for x in lines)]


def read_blocks() -> list[Block]:
    """Every block of the file."""
    found = []
    for body in re.findall(r"```sac-test\n(.*?)```", FILE.read_text(encoding="utf-8"), re.S):
        title, *lines = [line for line in body.splitlines() if line.strip()]
        number, _, words = title.partition(" ")
        found.append(Block(number, words, tuple(lines)))
    return found


# --- the position -----------------------------------------------------------------------------------------


def set_up(block: Block) -> State:
    """The position a block starts from."""
    parts = dict(block.parts)
    options: dict[str, Any] = {}
    if "start" not in parts:
        options["material_draw"] = False
    for entry in re.findall(r"(\w+)=('[^']*'|\w+)", parts.get("opt", "")):
        options[entry[0]] = entry[1].strip("'")
    variant = parse_options(GAME.Variant, options, "opt")
    if "start" in parts:
        return GAME.new_state(2, variant, seeded(0))
    cells: list[dict[str, str]] = [{}, {}]
    minerals: list[list[str]] = [[], []]
    for row, contents in block.rows:
        for column, content in enumerate(contents):
            place(content, f"{'abcdefghijkl'[column]}{row}", cells, minerals)
    side, points = re.fullmatch(r"([SN]) pts=(\d+)", parts["to move"]).groups()
    player = SIDES.index(side)
    left = dict(re.findall(r"([SN])=(\d)", parts.get("left", "S=3 N=3")))
    position = {
        "to_act": player,
        "turn": 20 + player,
        "points": int(points),
        "cell": cells,
        "mineral": minerals,
        "wall": parts.get("walls", "").split(),
        "walls_left": [int(left[s]) for s in SIDES],
    }
    return GAME.from_dict(2, variant, position)


def place(content: str, cell: str, cells: list[dict[str, str]], minerals: list[list[str]]) -> None:
    """Put what a drawn cell holds into the position; pieces are numbered in reading order."""
    for piece in content:
        if piece.upper() == "O":
            minerals[piece == "o"].append(cell)
        elif piece != ".":
            own = cells[piece.islower()]
            number = 1 + sum(name[0] == piece.upper() for name in own)
            own[f"{piece.upper()}{number}"] = cell


# --- actions ----------------------------------------------------------------------------------------------


def texts(states: State) -> list[str]:
    """The legal actions."""
    return [GAME.action_text(states, int(action)) for action in GAME.legal(states)]


def short_form(text: str) -> str:
    """An action without the id; k: with the cell only."""
    if text.startswith("k:"):
        return f"k:{text.split('@')[1]}"
    return re.sub(r"^[A-Z]\d:", "", text)


def matching(states: State, text: str) -> list[str]:
    """The legal actions that a text of a block means."""
    return [full for full in texts(states) if text in (full, short_form(full))]


def carry_out(states: State, text: str) -> None:
    """Carry out the one legal action that a text means."""
    found = matching(states, text)
    assert len(found) == 1, f"{text}: {found or texts(states)}"
    action = GAME.find_action(states, found[0])
    GAME.apply(states, action, seeded(0))


def play(block: Block) -> Iterator[str]:
    """Play a block; yields one line for each check that fails."""
    states = set_up(block)
    for key, text in block.parts:
        assert key in KEYS, key
        for entry in filter(None, (part.strip() for part in text.split(";"))):
            if key == "do":
                carry_out(states, entry)
            elif key in ("then", "expect"):
                expected, found = check(states, entry)
                if expected != found:
                    yield f"{entry}: expected {expected}, found {found}"


# --- checks -----------------------------------------------------------------------------------------------


def check(states: State, entry: str) -> tuple[Any, Any]:
    """What a check expects and what is."""
    state = states[0]
    if match := re.fullmatch(r"(legal|illegal) (.+)", entry):
        return match[1] == "legal", len(matching(states, match[2])) > 0
    if match := re.fullmatch(r"(step|run|fly|jump) ([a-l]\d+)=\{(.*)\}", entry):
        return set(filter(None, match[3].split(","))), targets(states, match[1], match[2])
    if match := re.fullmatch(r"picks=\{(.*)\}", entry):
        chosen = {t.split("@")[1] for t in texts(states) if t.startswith("k:")}
        return set(match[1].split(",")), chosen
    if match := re.fullmatch(r"only=\{(.*)\}", entry):
        wanted = match[1].split(",")
        full = any(":" in w for w in wanted)
        return sorted(wanted), sorted(t if full else short_form(t) for t in texts(states))
    if match := re.fullmatch(r"count ([SN])\.(\w)=(\d+)", entry):
        return int(match[3]), count(state, SIDES.index(match[1]), match[2])
    if match := re.fullmatch(r"left ([SN])=(\d)", entry):
        return int(match[2]), int(state["walls_left"][SIDES.index(match[1])])
    name, _, value = entry.partition("=")
    if re.fullmatch(r"[a-l]\d+", name):
        return "".join(sorted(value)), content(state, CELL_NAMES.index(name))
    return check_fact(states, name, value)


def check_fact(states: State, name: str, value: str) -> tuple[Any, Any]:
    """Points, whose decision it is, numbers of actions, how the game ended."""
    state = states[0]
    listed = texts(states)
    to_act = int(state["to_act"])
    chooser = "-" if to_act == OVER else SIDES[to_act]
    over = state["ending"] != Ending.RUNNING
    ending = Ending(int(state["ending"]))
    winner = "-"
    if ending == Ending.RACES:
        winner = SIDES[GAME.rank_list(states).index(1)]
    found = {
        "pts": int(state["points"]),
        "turn": chooser if state["phase"] == Phase.MAIN else "not MAIN",
        "chooser": chooser,
        "nlegal": len(listed),
        "nwalls": sum(t[0] == "w" for t in listed),
        "winner": "drawn" if over and winner == "-" else winner,
        "draw": ending.name.lower(),
    }[name]
    return int(value) if isinstance(found, int) else value, found


def targets(states: State, kind: str, origin: str) -> set[str]:
    """The cells that displacements of a kind lead to from a cell, `x` before those of attacks."""
    sign = SIGNS[kind]
    found = set()
    for text in map(short_form, texts(states)):
        if match := re.fullmatch(rf"{origin}([-x>^~]x?)([a-l]\d+)\S*", text):
            attack = "x" in match[1]
            if match[1].rstrip("x") == sign or (match[1] == "x" and sign == "-"):
                found.add(("x" if attack else "") + match[2])
    return found


def count(state: Any, player: int, letter: str) -> int:
    """Living characters of a kind, or of all (x)."""
    kinds = [LETTERS.index(letter.upper())] if letter != "x" else range(len(LETTERS))
    alive = [
        name[0] for name, cell in zip(CHARACTERS, state["cell"][player], strict=True) if cell >= 0
    ]
    return sum(alive.count(LETTERS[kind]) for kind in kinds)


def content(state: Any, cell: int) -> str:
    """The pieces on a cell in the letters of the blocks, sorted; "." for no character."""
    found = ""
    for player in range(2):
        for slot in np.flatnonzero(state["cell"][player] == cell):
            letter = CHARACTERS[slot][0]
            found += letter.lower() if player else letter
        minerals = "o" if player else "O"
        found += minerals * int((state["mineral"][player] == cell).sum())
    return "".join(sorted(found if found.strip("oO") else f".{found}"))


# --- the tests --------------------------------------------------------------------------------------------

PROVES = {
    "T01": "R3, R4, R6, R38, R39",
    "T02": "R5",
    "T03": "R6",
    "T04": "R1, R9",
    "T05": "R10",
    "T07": "R11, R42",
    "T91": "R11, R42",
    "T92": "R38",
    "T09": "R11",
    "T10": "R20",
    "T11": "R9",
    "T13": "R20",
    "T14": "R30",
    "T15": "R26",
    "T17": "R26",
    "T18": "R26",
    "T19": "R28",
    "T21": "R25",
    "T22": "R26",
    "T23": "R25",
    "T25": "R21, R26",
    "T26": "R28",
    "T27": "R21",
    "T29": "R22, R23",
    "T30": "R22, R23",
    "T31": "R23",
    "T33": "R22, R24",
    "T34": "R17",
    "T36": "R18",
    "T37": "R18",
    "T38": "R17, R20",
    "T39": "R19",
    "T41": "R43, R44",
    "T42": "R43",
    "T43": "R12, R13",
    "T45": "R12",
    "T46": "R12",
    "T48": "R15, R16",
    "T49": "R15, R16",
    "T50": "R16",
    "T51": "R14",
    "T53": "R14, R15, R34",
    "T54": "R15",
    "T55": "R31",
    "T57": "R31",
    "T58": "R31",
    "T59": "R31",
    "T61": "R31",
    "T62": "R31, R32",
    "T63": "R32",
    "T93": "R32",
    "T94": "R32",
    "T65": "R31, R33",
    "T66": "R33",
    "T68": "R35",
    "T69": "R35",
    "T70": "R36",
    "T71": "R36",
    "T73": "R29",
    "T74": "R29",
    "T75": "R38",
    "T76": "R39",
    "T78": "R39",
    "T79": "R41",
    "T81": "R40",
    "T82": "R42",
    "T84": "R45",
    "T85": "R45",
    "T86": "R45",
    "T87": "R47",
    "T89": "R48",
    "T90": "R17",
}
BLOCKS = read_blocks()


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: f"{b.number} {b.title}")
def test_a_block_of_the_sheet(block: Block) -> None:
    assert list(play(block)) == []


def test_every_block_says_what_it_proves() -> None:
    assert [block.number for block in BLOCKS] == list(PROVES)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("expect: pts=3", "pts=3: expected 3, found 4"),
        ("expect: illegal c7-c8", "expected False, found True"),
        ("expect: step c7={c8,c6,b7}", "d7"),
        ("expect: c7=SO", "expected OS, found S"),
        ("expect: count S.x=2", "expected 2, found 1"),
        ("do: c7-c8; end\nexpect: turn=S", "expected S, found N"),
        ("expect: winner=S", "expected S, found -"),
    ],
)
def test_a_wrong_expectation_is_noticed(line: str, problem: str) -> None:
    lines = ("to move: S pts=4", " 7 | . . S . . . . . . .", *line.splitlines())
    assert problem in " | ".join(play(Block("T0", "wrong", lines)))
