"""Connect Four to look at."""

from typing import Any

from engines.pictures import Cell, Grid, Panel, Picture, Token, player_colour, player_name
from engines.records import OVER, View

from .tables import BITS, Ending
from .text import ENDINGS


def picture(view: View) -> Picture:
    """The board with its discs, and the line that has won."""
    state = view[0]
    rows, columns = int(state["rules"]["rows"]), int(state["rules"]["columns"])
    line = winning_spaces(state, rows)
    cells = tuple(
        tuple(space(state, column, row, rows, line) for column in range(columns))
        for row in range(rows - 1, -1, -1)
    )
    names = tuple(str(column + 1) for column in range(columns))
    to_act = int(state["to_act"])
    if to_act == OVER:
        words = f"Over: {ENDINGS[int(state['ending'])].replace('_', ' ')}"
    else:
        words = f"{player_name(to_act).capitalize()} ({player_colour(to_act)}) drops a disc"
    board = Panel("Board", (Grid(cells, column_names=names, round=True, most=52),), wide=True)
    return Picture((board,), words)


def space(state: Any, column: int, row: int, rows: int, line: int) -> Cell:
    """One space of the board."""
    bit = column * (rows + 1) + row
    discs = tuple(
        Token(player_colour(player), words=f"{player_colour(player)} disc of {player_name(player)}")
        for player in range(2)
        if int(state["discs"][player]) >> bit & 1
    )
    mark = "line" if line >> bit & 1 else ""
    return Cell(discs, mark=mark, name=f"column {column + 1} row {row + 1}")


def winning_spaces(state: Any, rows: int) -> int:
    """R4 The spaces of the lines that have won, a bit each."""
    if int(state["ending"]) != Ending.LINE:
        return 0
    connect, found = int(state["rules"]["connect"]), 0
    for discs in state["discs"]:
        for step in (1, rows + 1, rows, rows + 2):
            for bit in range(BITS):
                run = sum(1 << bit + step * n for n in range(connect))
                if bit + step * (connect - 1) < BITS and int(discs) & run == run:
                    found |= run
    return found
