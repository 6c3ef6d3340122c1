"""Connect Four rule by rule (R1-R5), with boards as text, and against a plain line checker."""

import itertools

import numpy as np
import pytest

from engines.connect_four import GAME
from engines.connect_four.rules import makes_line
from engines.connect_four.state import Variant
from engines.core import changes
from engines.errors import OptionError
from engines.kernel import INTERPRETED
from engines.records import OVER, State
from engines.rng import below, seeded

RNG = seeded(0)
SIZES = [
    (rows, columns, connect)
    for rows, columns in itertools.product(range(2, 10), repeat=2)
    if columns * (rows + 1) <= 64
    for connect in range(2, max(rows, columns) + 1)
]


def board(*rows: str, **variant: int) -> State:
    """A position from rows of text, the last one at the bottom; seven columns unless given."""
    return GAME.from_dict(2, Variant(**variant), {"discs": list(rows)})


def drop(states: State, *columns: int) -> State:
    """Drop discs into columns, counted from 1."""
    for column in columns:
        GAME.apply(states, column - 1, RNG)
    return states


def drawn(states: State) -> list[str]:
    """The board as rows of text."""
    return GAME.to_dict(states)["discs"]


def ending(states: State) -> str:
    return GAME.Ending(int(GAME.ending(states))).name


def test_r1_the_board_is_empty_and_player_0_begins() -> None:
    states = GAME.new_state(2, Variant(), seeded(1))
    assert drawn(states) == ["......."] * 6
    assert states["to_act"][0] == 0
    assert int(GAME.turns(states)) == 0


def test_r2_full_columns_and_columns_beyond_the_board_are_not_legal() -> None:
    states = board("XX...", "OO...", "XX...", "OO...", rows=4, columns=5)
    assert GAME.legal(states).tolist() == [2, 3, 4]


def test_r3_discs_pile_up_and_players_alternate() -> None:
    states = drop(board(), 3, 3, 3, 1)
    assert drawn(states)[-3:] == ["..X....", "..O....", "O.X...."]
    assert states["to_act"][0] == 0
    assert int(GAME.turns(states)) == 4


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        (("X......", "XO.....", "XO....O"), 1),
        (("O......", "XXX.O.O"), 4),
        (("..XX...", ".XOO...", "XOXO..O"), 4),
        (("...XX..", "...OOX.", "O..OXOX"), 4),
    ],
    ids=["upright", "level", "rising", "falling"],
)
def test_r4_a_line_of_four_wins_at_once(rows: tuple[str, ...], column: int) -> None:
    states = board(*rows)
    assert ending(states) == "RUNNING"
    drop(states, column)
    assert ending(states) == "LINE"
    assert states["to_act"][0] == OVER
    assert GAME.point_list(states) == [1, 0]
    assert GAME.rank_list(states) == [1, 2]


def test_r4_the_second_player_wins_too() -> None:
    states = drop(board(), 1, 2, 1, 2, 1, 2, 7, 2)
    assert (ending(states), GAME.point_list(states), GAME.rank_list(states)) == (
        "LINE",
        [0, 1],
        [2, 1],
    )


def test_r4_a_line_longer_than_asked_for_wins() -> None:
    states = drop(board("OOO.O..", "XXX.XXO"), 4)
    assert ending(states) == "LINE"


def test_r5_a_full_board_is_a_draw() -> None:
    states = drop(board("XO.", "XOX", "OXO", rows=3, columns=3, connect=3), 3)
    assert (ending(states), GAME.point_list(states), GAME.rank_list(states)) == (
        "FULL_BOARD",
        [0, 0],
        [1, 1],
    )


def test_r5_a_line_with_the_last_disc_is_no_draw() -> None:
    states = drop(board("OX.", "XOX", "OOX", rows=3, columns=3, connect=3), 3)
    assert (ending(states), GAME.point_list(states)) == ("LINE", [1, 0])


# --- lines against a plain checker ----------------------------------------------------------------

Cells = set[tuple[int, int]]


def has_line(cells: Cells, connect: int) -> bool:
    """Whether `connect` cells (column, row) lie in a row, looked for the slow way."""
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    return any(
        all((c + k * dc, r + k * dr) in cells for k in range(connect))
        for c, r in cells
        for dc, dr in steps
    )


def bits(cells: Cells, rows: int) -> np.uint64:
    return np.uint64(sum(1 << (column * (rows + 1) + row) for column, row in cells))


def random_cells(rows: int, columns: int, seed: int) -> Cells:
    """Each space with a chance between a quarter and three quarters."""
    rng = seeded(seed * 7919 + rows * 97 + columns)
    share = 25 + int(below(rng, 50))
    spaces = itertools.product(range(columns), range(rows))
    return {space for space in spaces if below(rng, 100) < share}


def test_all_board_sizes_that_fit_are_tried() -> None:
    assert len(SIZES) > 200
    assert (6, 7, 4) in SIZES
    assert (9, 6, 9) in SIZES


def test_lines_are_found_on_random_boards_of_every_size() -> None:
    found = {True: 0, False: 0}
    for rows, columns, connect in SIZES:
        for seed in range(2 if INTERPRETED else 12):
            cells = random_cells(rows, columns, seed)
            expected = has_line(cells, connect)
            assert bool(makes_line(bits(cells, rows), rows, connect)) == expected, (
                rows,
                cells,
                connect,
            )
            found[expected] += 1
    assert min(found.values()) > 100


def test_every_single_line_is_found_and_one_disc_less_is_none() -> None:
    for rows, columns, connect in SIZES:
        for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for column, row in itertools.product(range(columns), range(rows)):
                line = [(column + k * dc, row + k * dr) for k in range(connect)]
                if all(0 <= c < columns and 0 <= r < rows for c, r in line):
                    assert makes_line(bits(set(line), rows), rows, connect), (rows, line)
                    shorter = set(line[:-1])
                    assert connect == 2 or not makes_line(bits(shorter, rows), rows, connect)


def test_random_games_end_exactly_when_the_plain_checker_sees_a_line() -> None:
    for seed in range(10 if INTERPRETED else 100):
        rng = seeded(seed * 31 + 5)
        states = GAME.new_state(2, Variant(), seeded(1))
        cells: tuple[Cells, Cells] = (set(), set())
        while states["to_act"][0] != OVER:
            legal = GAME.legal(states).tolist()
            column, player = legal[int(below(rng, len(legal)))], int(states["to_act"][0])
            cells[player].add((column, sum(c == column for c, _ in cells[0] | cells[1])))
            GAME.apply(states, column, rng)
            assert has_line(cells[player], 4) == (ending(states) == "LINE")
        assert ending(states) == "LINE" or len(cells[0] | cells[1]) == 42


# --- options --------------------------------------------------------------------------------------


def test_a_board_of_more_than_64_bits_is_refused() -> None:
    with pytest.raises(OptionError, match="with 9 columns at most 6"):
        GAME.blank(2, Variant(rows=7, columns=9))


def test_only_two_can_play() -> None:
    with pytest.raises(OptionError, match="Connect Four has 2"):
        GAME.blank(3, Variant())


def test_presets_differ_from_the_default_and_can_be_set_up() -> None:
    for preset in GAME.presets:
        assert changes(preset.variant)
        assert GAME.legal(GAME.new_state(2, preset.variant, seeded(1))).size
