"""Connect Four for people and as JSON."""

from typing import Any

from engines.errors import PositionError
from engines.pictures import player_name
from engines.records import NOBODY, OVER, Custom, Derived, Layout, State, View, Words

from .rules import makes_line
from .tables import Ending

EMPTY, FIRST, SECOND = ".XO"
ENDINGS = tuple(ending.name.lower() for ending in Ending)


def draw(state: Any) -> list[str]:
    """The board as rows of text, top row first: X for the first player, O for the second."""
    rows, columns = int(state["rules"]["rows"]), int(state["rules"]["columns"])
    return [
        "".join(disc_at(state, column * (rows + 1) + row) for column in range(columns))
        for row in range(rows - 1, -1, -1)
    ]


def disc_at(state: Any, bit: int) -> str:
    """The letter of the disc on one space."""
    if int(state["discs"][0]) >> bit & 1:
        return FIRST
    return SECOND if int(state["discs"][1]) >> bit & 1 else EMPTY


def place(state: Any, drawn: Any, path: str) -> None:
    """Fill the board from rows of text, the last one at the bottom; rows may be left out at the top."""
    rows, columns = int(state["rules"]["rows"]), int(state["rules"]["columns"])
    if not isinstance(drawn, list) or len(drawn) > rows:
        raise PositionError(f"position.{path}: {drawn!r}, expected at most {rows} rows of '.XO'")
    found = [0, 0]
    for row, line in enumerate(reversed(drawn)):
        known = isinstance(line, str) and len(line) == columns
        if not known or set(line) - {EMPTY, FIRST, SECOND}:
            raise PositionError(f"position.{path}: {line!r}, expected {columns} of '.XO'")
        for column, disc in enumerate(line):
            if disc != EMPTY:
                found[disc == SECOND] |= 1 << (column * (rows + 1) + row)
    state["discs"] = found


def settle(states: State) -> None:
    """Work out heights, whose turn it is and whether the game is over.

    A disc may not float, and X has as many as O or one more.
    """
    state = states[0]
    rows, columns = int(state["rules"]["rows"]), int(state["rules"]["columns"])
    board = draw(state)
    heights = [sum(line[column] != EMPTY for line in board) for column in range(columns)]
    floating = [
        c for c in range(columns) if any(board[rows - 1 - r][c] == EMPTY for r in range(heights[c]))
    ]
    first, second = (sum(line.count(disc) for line in board) for disc in (FIRST, SECOND))
    if floating:
        raise PositionError(
            f"position.discs: column {floating[0] + 1} has a disc above an empty space"
        )
    if first - second not in (0, 1):
        raise PositionError(
            f"position.discs: {first} X and {second} O, expected as many or one X more"
        )
    state["height"][:columns] = heights
    state["dropped"] = first + second
    state["ending"] = ending_of(state, first + second)
    state["to_act"] = OVER if state["ending"] != Ending.RUNNING else (first + second) % 2


def ending_of(state: Any, dropped: int) -> Ending:
    """R4, R5 How a board has ended the game; only the last disc may have made a line."""
    rows, connect = int(state["rules"]["rows"]), int(state["rules"]["connect"])
    last = 1 - dropped % 2
    if makes_line(state["discs"][1 - last], rows, connect):
        letter, other = (FIRST, SECOND) if last else (SECOND, FIRST)
        raise PositionError(f"position.discs: {letter} has a line, but {other} moved after that")
    if makes_line(state["discs"][last], rows, connect):
        return Ending.LINE
    full = dropped == rows * int(state["rules"]["columns"])
    return Ending.FULL_BOARD if full else Ending.RUNNING


LAYOUT = Layout(
    fields={
        "discs": Custom(draw, place, whole=True),
        "ending": Words(ENDINGS),
        "height": Derived(),
        "dropped": Derived(),
    },
    settle=settle,
)


def render(view: View) -> str:
    """The board, the column numbers below it, and who moves."""
    state = view[0]
    lines = [" ".join(line) for line in draw(state)]
    lines.append(" ".join(str(column + 1) for column in range(int(state["rules"]["columns"]))))
    to_act = int(state["to_act"])
    if to_act == NOBODY:
        lines.append(f"over: {ENDINGS[int(state['ending'])].replace('_', ' ')}")
    else:
        lines.append(f"{player_name(to_act)} ({FIRST if to_act == 0 else SECOND}) to move")
    return "\n".join(lines)
