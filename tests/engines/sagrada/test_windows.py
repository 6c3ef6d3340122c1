"""The patterns against the published data, cell by cell."""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest
import yaml

from engines.sagrada.tables import (
    COLUMNS,
    DIFFICULTY,
    FITS_COLOUR,
    FITS_VALUE,
    PATTERN_NAMES,
    ROWS,
    SPACES,
    TOOLS,
    WINDOW_CARDS,
)

CARDS = yaml.safe_load(Path(__file__).with_name("sagrada_windows.yaml").read_text())["cards"]


def test_r1_all_cards_have_the_published_patterns_in_order():
    ours = [[(p.name, p.difficulty, p.rows.split()) for p in card] for card in WINDOW_CARDS]
    theirs = [[(p["name"], p["difficulty"], p["rows"]) for p in card["patterns"]] for card in CARDS]
    assert ours == theirs


def test_the_published_patterns_are_complete():
    """Scenario 47."""
    patterns = [pattern for card in CARDS for pattern in card["patterns"]]
    assert len(CARDS) == 12
    assert len({p["name"] for p in patterns}) == 24
    cells = Counter(cell for p in patterns for row in p["rows"] for cell in row)
    assert sum(cells.values()) == 480
    assert cells["."] == 180
    assert set(cells) == set(".RYGBP123456")
    assert Counter(p["difficulty"] for p in patterns) == {3: 4, 4: 4, 5: 12, 6: 4}


@pytest.mark.parametrize("number", range(1, 25))
def test_r2_no_two_spaces_beside_each_other_ask_for_the_same(number):
    spaces = SPACES[number]
    for row, column in product(range(ROWS), range(COLUMNS)):
        here = spaces[row * COLUMNS + column]
        if here != ".":
            assert column == COLUMNS - 1 or spaces[row * COLUMNS + column + 1] != here
            assert row == ROWS - 1 or spaces[(row + 1) * COLUMNS + column] != here


@pytest.mark.parametrize("number", range(25))
def test_r16_the_masks_take_what_the_spaces_ask_for(number):
    for cell, asked in enumerate(SPACES[number]):
        for colour, letter in enumerate("RYGBP", 1):
            takes = asked == letter or asked not in "RYGBP"
            assert bool(FITS_COLOUR[number, colour] >> cell & 1) == takes
        for value in range(1, 7):
            takes = asked == str(value) or not asked.isdigit()
            assert bool(FITS_VALUE[number, value] >> cell & 1) == takes


def test_r5_difficulties_are_by_pattern_number():
    assert DIFFICULTY[PATTERN_NAMES.index("Sun's Glory")] == 6
    assert DIFFICULTY[PATTERN_NAMES.index("Sun Catcher")] == 3


def test_r22_the_tools_have_their_colours():
    assert [tool.colour.name[0] for tool in TOOLS] == list("PBRYGPBRYGPB")
    assert [number for number, tool in enumerate(TOOLS, 1) if tool.in_hand] == [1, 5, 6, 9, 10, 11]
