"""Scores a window in plain Python from the words of the specification; shares no code with the engine.

A window is four rows of five dice, each (colour letter, value) or None.
"""

from itertools import product

PAIRS = {"Light Shades": (1, 2), "Medium Shades": (3, 4), "Deep Shades": (5, 6)}


def dice_of(window):
    return [die for row in window for die in row if die is not None]


def lines_of(window, name):
    return (
        window if name.startswith("Row") else [list(column) for column in zip(*window, strict=True)]
    )


def line_points(window, name, points):
    part = 0 if "Color" in name else 1
    full = [line for line in lines_of(window, name) if None not in line]
    return points * sum(len({die[part] for die in line}) == len(line) for line in full)


def set_points(found, wanted, points):
    return points * min(found.count(member) for member in wanted)


def diagonal_points(window):
    counted = 0
    for row, column in product(range(4), range(5)):
        corners = [(row + a, column + b) for a, b in product((-1, 1), repeat=2)]
        near = [window[r][c] for r, c in corners if 0 <= r < 4 and 0 <= c < 5]
        die = window[row][column]
        counted += die is not None and any(n is not None and n[0] == die[0] for n in near)
    return counted


def public_points(window, name):
    colours = [colour for colour, _ in dice_of(window)]
    values = [value for _, value in dice_of(window)]
    lines = {
        "Row Color Variety": 6,
        "Column Color Variety": 5,
        "Row Shade Variety": 5,
        "Column Shade Variety": 4,
    }
    if name in lines:
        return line_points(window, name, lines[name])
    if name in PAIRS:
        return set_points(values, PAIRS[name], 2)
    if name == "Shade Variety":
        return set_points(values, range(1, 7), 5)
    if name == "Color Variety":
        return set_points(colours, "RYGBP", 4)
    assert name == "Color Diagonals"
    return diagonal_points(window)


def private_points(window, colour):
    return sum(value for found, value in dice_of(window) if found == colour[0])


def gaps(window):
    return 20 - len(dice_of(window))


def total(window, publics, privates, tokens, penalty):
    best = max((private_points(window, colour) for colour in privates), default=0)
    return (
        sum(public_points(window, name) for name in publics)
        + best
        + tokens
        - penalty * gaps(window)
    )


def places(players, first_of_last_round):
    """1 = best; each player is (total, private points, tokens)."""
    count = len(players)

    def strength(player):
        later = (player - first_of_last_round) % count
        return (*players[player], later)

    order = sorted(range(count), key=strength, reverse=True)
    return [order.index(player) + 1 for player in range(count)]
