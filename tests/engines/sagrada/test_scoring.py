"""The engine's scores against an independent scorer, on thousands of windows."""

import importlib.util
import random
from pathlib import Path

import pytest

from engines.kernel import INTERPRETED
from engines.rng import seeded
from engines.sagrada import GAME
from engines.sagrada.state import Variant
from engines.sagrada.tables import COLOUR_NAMES, OBJECTIVE_NAMES, OBJECTIVES

SPEC = importlib.util.spec_from_file_location(
    "plain_scorer", Path(__file__).with_name("plain_scorer.py")
)
plain = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(plain)

WINDOWS = 60 if INTERPRETED else 700  # of each kind
COUNTS = (60,) if INTERPRETED else (150, pytest.param(WINDOWS, marks=pytest.mark.full))
NAMES = OBJECTIVE_NAMES[1:]
COLOURS = COLOUR_NAMES[1:]
FULL = ["R1 Y2 G3 B4 P5", "G3 B4 P5 R6 Y1", "P5 R6 Y1 G2 B3", "Y2 G3 B4 P5 R6"]
EPS = ["-- G4 R2 Y3 P6", "R4 B1 -- G1 Y2", "P5 G3 -- P6 B1", "B3 Y4 B3 R2 G6"]


def random_window(chance, fill):
    """Dice anywhere with chance `fill`; few colours or values at times, so that every card is met."""
    colours = chance.sample("RYGBP", chance.choice((2, 5, 5)))
    values = chance.sample(range(1, 7), chance.choice((2, 6, 6)))
    return [
        [
            (chance.choice(colours), chance.choice(values)) if chance.random() < fill else None
            for _ in range(5)
        ]
        for _ in range(4)
    ]


def latin_window(chance):
    """Full rows and columns of different colours and values, with a few dice exchanged or taken."""
    colours, values = chance.sample("RYGBP", 5), chance.sample(range(1, 7), 6)
    window = [
        [(colours[(r * 2 + c) % 5], values[(r * 2 + c) % 6]) for c in range(5)] for r in range(4)
    ]
    for _ in range(chance.randrange(4)):
        window[chance.randrange(4)][chance.randrange(5)] = chance.choice((None, ("R", 1), ("G", 6)))
    return window


def rows(window):
    return [" ".join("--" if d is None else f"{d[0]}{d[1]}" for d in row) for row in window]


def parsed(lines):
    return [[None if w == "--" else (w[0], int(w[1])) for w in line.split()] for line in lines]


def too_many(*windows):
    dice = [die[0] for window in windows for die in plain.dice_of(window)]
    return any(dice.count(colour) > 18 for colour in "RYGBP")


def some_windows(count):
    chance = random.Random(7)
    for number in range(count):
        yield random_window(chance, 1.0)
        yield random_window(chance, chance.random())
        yield latin_window(chance)
        if number == 0:
            yield from (parsed(FULL), parsed(EPS))


def scored(players, window_rows, publics, privates, tokens, variant=None):
    seats = [
        {"window": w, "private": p, "tokens": t}
        for w, p, t in zip(window_rows, privates, tokens, strict=True)
    ]
    return GAME.from_dict(players, variant or Variant(), {"publics": publics, "seat": seats})


@pytest.mark.parametrize("count", COUNTS)
def test_r36_every_objective_and_total_agrees_with_the_plain_scorer(count):
    met = dict.fromkeys(NAMES, 0)
    chance = random.Random(11)
    seen = 0
    for window in some_windows(count):
        if too_many(window):
            continue
        publics = chance.sample(NAMES, chance.randrange(1, 4))
        private, tokens = chance.choice(COLOURS), chance.randrange(7)
        states = scored(2, [rows(window), []], publics, [[private], []], [tokens, 0])
        right = plain.total(window, publics, [private], tokens, 1)
        assert GAME.point_list(states)[0] == right, (rows(window), publics, private, tokens)
        for name in publics:
            met[name] += plain.public_points(window, name) > 0
        seen += 1
    assert seen > 2.5 * count
    assert min(met.values()) > count / 40, met


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("card", OBJECTIVES, ids=lambda card: card.name)
def test_r37_each_objective_alone_agrees_with_the_plain_scorer(card, count):
    chance = random.Random(13)
    for _ in range(count // 6):
        for window in (random_window(chance, 0.9), latin_window(chance)):
            if not too_many(window):
                states = scored(2, [rows(window), []], [card.name], [[], []], [0, 0])
                right = plain.public_points(window, card.name) - plain.gaps(window)
                assert GAME.point_list(states)[0] == right, rows(window)


@pytest.mark.parametrize(
    ("lines", "points"),
    [
        (FULL, (24, 25, 20, 20, 6, 6, 6, 15, 16, 0)),
        (EPS, (0, 10, 0, 4, 6, 6, 2, 5, 12, 2)),
    ],
)
def test_the_objectives_of_the_specifications_boards(lines, points):
    """Scenarios 34 and 35, against both scorers."""
    for name, right in zip(NAMES, points, strict=True):
        states = scored(2, [lines, []], [name], [[], []], [0, 0])
        assert GAME.point_list(states)[0] + plain.gaps(parsed(lines)) == right, name
        assert plain.public_points(parsed(lines), name) == right


@pytest.mark.parametrize(
    ("lines", "points"), [(FULL, (19, 6, 11, 15, 20)), (EPS, (8, 9, 14, 8, 17))]
)
def test_r46_the_private_objectives_of_the_specifications_boards(lines, points):
    """Scenarios 34 and 35."""
    for colour, right in zip(COLOURS, points, strict=True):
        states = scored(2, [lines, []], [], [[colour], []], [0, 0])
        assert GAME.point_list(states)[0] + plain.gaps(parsed(lines)) == right, colour


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rounds", [10, 9, 8])
def test_r47_places_agree_with_the_plain_scorer_ties_included(players, rounds):
    chance = random.Random(17)
    variant = Variant(rounds=rounds)
    for _ in range(WINDOWS // 10):
        windows = [random_window(chance, 0.06) for _ in range(players)]
        privates = chance.sample(COLOURS, players)
        tokens = [chance.randrange(3) for _ in range(players)]
        args = ([rows(w) for w in windows], ["Light Shades"], [[p] for p in privates], tokens)
        states = scored(players, *args, variant)
        facts = [
            (plain.total(w, ["Light Shades"], [p], t, 1), plain.private_points(w, p), t)
            for w, p, t in zip(windows, privates, tokens, strict=True)
        ]
        assert GAME.rank_list(states) == plain.places(facts, (rounds - 1) % players)


def test_r52_alone_the_better_private_objective_counts_and_the_target_must_be_beaten():
    chance = random.Random(19)
    for _ in range(WINDOWS // 5):
        window = random_window(chance, chance.random())
        track = [
            [f"{chance.choice('RYGBP')}{chance.randint(1, 6)}"] for _ in range(chance.randrange(10))
        ]
        privates, publics = chance.sample(COLOURS, 2), chance.sample(NAMES, 2)
        if too_many(window, [[(d[0][0], int(d[0][1])) for d in track]]):
            continue
        data = {"publics": publics, "track": track}
        data["seat"] = [{"window": rows(window), "private": privates}]
        states = GAME.from_dict(1, Variant(), data)
        target = sum(int(die[1]) for slot in track for die in slot)
        margin = plain.total(window, publics, privates, 0, 3) - target
        assert GAME.point_list(states) == [margin]
        assert GAME.rank_list(states) == [1 if margin > 0 else 2]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_ends_of_random_games_agree_with_the_plain_scorer(players):
    chance = random.Random(players)
    for seed in range(1 if INTERPRETED else 25):
        rng = seeded(seed)
        states = GAME.new_state(players, Variant(), rng)
        while states["to_act"][0] >= 0:
            GAME.apply(states, chance.choice(GAME.legal(states).tolist()), rng)
        data = GAME.to_dict(states)
        publics = data["publics"]
        found = []
        for seat in data["seat"]:
            window = parsed(seat["window"])
            privates = [card.split("@")[0] for card in seat["private"]]
            score = plain.total(window, publics, privates, seat["tokens"], 3 if players == 1 else 1)
            best = max(plain.private_points(window, colour) for colour in privates)
            found.append((score, best, seat["tokens"]))
        target = sum(int(die[1]) for slot in data["track"] for die in slot) if players == 1 else 0
        assert GAME.point_list(states) == [score - target for score, _, _ in found]
        if players > 1:
            assert GAME.rank_list(states) == plain.places(found, 9 % players)
