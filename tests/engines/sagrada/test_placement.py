"""Where dice may lie, against a plain reading of the rules; windows of random play stay legal."""

import random

import numpy as np
import pytest

from engines.kernel import INTERPRETED
from engines.rng import below, seeded
from engines.sagrada import GAME
from engines.sagrada.state import Variant
from engines.sagrada.tables import (
    CELL_NAMES,
    DIE_COLOUR,
    DIE_NAMES,
    DIE_VALUE,
    PATTERN_NAMES,
    SPACES,
)
from engines.sagrada.text import read_window

GAMES = (2,) if INTERPRETED else (8, pytest.param(20, marks=pytest.mark.full))
BORDER = {c for c in range(20) if c // 5 in (0, 3) or c % 5 in (0, 4)}


def near(cell):
    row, column = divmod(cell, 5)
    around = [(row + a, column + b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    return [(r * 5 + c, r == row or c == column) for r, c in around if 0 <= r < 4 and 0 <= c < 5]


def fits(asked, colour, value, waived=""):
    if asked == ".":
        return True
    if asked.isdigit():
        return "value" in waived or int(asked) == value
    return "colour" in waived or asked == colour


def legal_cells(dice, pattern, die, waived=""):
    """R13-R17 in plain words: dice is {cell: (colour, value)}."""
    found = set()
    for cell in range(20):
        touching = [(dice[c], beside) for c, beside in near(cell) if c in dice]
        reached = bool(touching) if dice else cell in BORDER
        if "apart" in waived:
            reached = not touching and (bool(dice) or cell in BORDER)
        clash = any(b and (d[0] == die[0] or d[1] == die[1]) for d, b in touching)
        if cell not in dice and reached and not clash and fits(SPACES[pattern][cell], *die, waived):
            found.add(cell)
    return found


def dice_in(window):
    found = {}
    for cell, word in enumerate(" ".join(window).split()):
        if word != "--":
            found[cell] = (word[0], int(word[1]))
    return found


@pytest.fixture(params=GAMES)
def games(request):
    """How many random games are looked at."""
    return request.param


def positions(players, variant, games):
    """(state, legal texts) of random games."""
    for seed in range(games):
        rng = seeded(seed)
        states = GAME.new_state(players, variant, rng)
        while states["to_act"][0] >= 0:
            legal = GAME.legal(states)
            yield states, [GAME.actions.text(int(a)) for a in legal]
            GAME.apply(states, int(legal[below(rng, len(legal))]), rng)


@pytest.mark.parametrize(
    "variant", [Variant(), Variant(tools=12, rounds=4)], ids=["plain", "tools"]
)
def test_places_and_moves_are_those_of_a_plain_reading(variant, games):
    waivers = {"Eglomise Brush": "colour", "Copper Foil Burnisher": "value"}
    kinds = {"hand": 0, "apart": 0, "keep": 0, "move": 0, "main": 0}
    for states, texts in positions(2, variant, games):
        data = GAME.to_dict(states)
        if data["phase"] not in kinds or data["to_act"] < 0:
            continue
        kinds[data["phase"]] += 1
        seat = data["seat"][data["to_act"]]
        pattern = PATTERN_NAMES.index(seat["pattern"])
        dice = dice_in(seat["window"])
        if data["phase"] == "main":
            for word in set(data["pool"]) if not data["drafted"] else ():
                free = legal_cells(dice, pattern, (word[0], int(word[1])))
                assert not free or f"draft {word}" in texts
        elif data["phase"] == "move":
            if data["tool"] == "Lathekin" and data["moved"] == "none":
                continue
            waived = waivers.get(data["tool"], "")
            right = set()
            for cell, die in dice.items():
                rest = {c: d for c, d in dice.items() if c != cell}
                tapped = data["tool"] != "Tap Wheel" or die[0] == data["tool_colour"]
                if tapped and data["moved"] != CELL_NAMES[cell]:
                    targets = legal_cells(rest, pattern, die, waived) - {cell}
                    right |= {f"move {CELL_NAMES[cell]} {CELL_NAMES[t]}" for t in targets}
            assert right == set(texts) - {"stop"}
        else:
            word = data["held"][0]
            waived = "apart" if data["phase"] == "apart" else ""
            free = legal_cells(dice, pattern, (word[0], int(word[1])), waived)
            placed = {t for t in texts if t.startswith("place")}
            assert placed == {f"place {CELL_NAMES[c]}" for c in free}
    assert kinds["hand"] > 10
    assert variant.tools < 12 or games < 20 or min(kinds.values()) > 5


def test_the_masks_of_a_window_agree_with_its_dice(games):
    for states, _ in positions(2, Variant(tools=12, rounds=5), games):
        for player in range(2):
            window = states["seat"]["window"][0, player]
            die = window["die"].astype(int)
            cells = [c for c in range(20) if die[c]]
            assert window["filled"] == sum(1 << c for c in cells)
            for colour in range(1, 6):
                mine = [c for c in cells if DIE_COLOUR[die[c]] == colour]
                assert window["colour"][colour] == sum(1 << c for c in mine)
                assert window["tally"][colour] == len(mine)
            for value in range(1, 7):
                mine = [c for c in cells if DIE_VALUE[die[c]] == value]
                assert window["pips"][value] == sum(1 << c for c in mine)


def test_r17_no_like_dice_ever_come_to_lie_beside_each_other(games):
    for states, _ in positions(3, Variant(tools=12, rounds=6), games):
        for player in range(3):
            dice = dice_in(read_window(states["seat"]["window"][0, player]))
            for cell, die in dice.items():
                beside = [dice[c] for c, b in near(cell) if b and c in dice]
                assert all(die[0] != d[0] and die[1] != d[1] for d in beside)


def test_r26_lathekin_offers_first_moves_that_leave_a_second_one(games):
    found = 0
    for states, texts in positions(2, Variant(tools=3, fixed_tools=("Lathekin",), rounds=8), games):
        data = GAME.to_dict(states)
        if data["tool"] != "Lathekin" or data["moved"] != "none" or data["phase"] != "move":
            continue
        seat = data["seat"][data["to_act"]]
        pattern, dice = PATTERN_NAMES.index(seat["pattern"]), dice_in(seat["window"])
        right = set()
        for cell, die in dice.items():
            rest = {c: d for c, d in dice.items() if c != cell}
            for target in legal_cells(rest, pattern, die) - {cell}:
                after = {**rest, target: die}
                others = [(c, d) for c, d in after.items() if c != target]
                second = any(
                    legal_cells({k: v for k, v in after.items() if k != c}, pattern, d) - {c}
                    for c, d in others
                )
                if second:
                    right.add(f"move {CELL_NAMES[cell]} {CELL_NAMES[target]}")
        assert right == set(texts)
        found += 1
    assert found > (0 if INTERPRETED else 5)


TOGETHER = Variant(
    tools=2,
    fixed_tools=("Lathekin", "Tap Wheel"),
    two_dice_moves="together",
    tokens_by_difficulty=False,
    tokens=12,
    rounds=6,
)


def lifted_moves(dice, pattern, first, second):
    """R26 Ways to lift two dice and place the first, then the second, as pairs of spaces."""
    rest = {c: d for c, d in dice.items() if c not in (first, second)}
    return {
        (target, last)
        for target in legal_cells(rest, pattern, dice[first]) - {first}
        for last in legal_cells({**rest, target: dice[first]}, pattern, dice[second]) - {second}
    }


def written(cell, target):
    return f"move {CELL_NAMES[cell]} {CELL_NAMES[target]}"


def test_r26_and_r34_two_dice_lifted_together_go_where_a_plain_reading_says(games):
    seen = {"Lathekin": 0, "Tap Wheel": 0, "swapped": 0}
    for states, texts in positions(2, TOGETHER, games):
        data = GAME.to_dict(states)
        if data["phase"] != "move":
            continue
        seat, colour = data["seat"][data["to_act"]], data["tool_colour"]
        pattern, dice = PATTERN_NAMES.index(seat["pattern"]), dice_in(seat["window"])
        mine = [c for c, die in dice.items() if colour in ("none", die[0])]
        alone = {
            (cell, target)
            for cell in mine
            for target in legal_cells(
                {c: d for c, d in dice.items() if c != cell}, pattern, dice[cell]
            )
            - {cell}
            if data["tool"] == "Tap Wheel"
        }
        ways = {
            (first, target, second, last)
            for first in mine
            for second in mine
            if first != second
            for target, last in lifted_moves(dice, pattern, first, second)
        }
        if data["landing"] == "none":
            right = {written(*way[:2]) for way in ways} | {written(*way) for way in alone}
        else:
            begun = CELL_NAMES.index(data["moved"]), CELL_NAMES.index(data["landing"])
            right = {written(*way[2:]) for way in ways if way[:2] == begun}
            right |= {"stop"} if begun in alone else set()
            seen["swapped"] += written(*reversed(begun)) in right
        assert right == set(texts)
        seen[data["tool"]] += 1
    assert INTERPRETED or min(seen.values()) > 5, seen


def test_words_of_dice_are_by_colour_and_value():
    chance = random.Random(1)
    for die in chance.sample(range(1, 31), 10):
        assert DIE_NAMES[die] == "?RYGBP"[DIE_COLOUR[die]] + str(DIE_VALUE[die])
    assert np.array_equal(np.sort(np.unique(DIE_COLOUR)), np.arange(6))
