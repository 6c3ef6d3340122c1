"""How good a position looks: the points each side still needs to win the race, and what it has in reserve.

A distance map tells for every cell how many points a walker needs from there into the enemy's elevation zone.
"""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER
from engines.sacrifice.rules.board import is_elevated, owner_of
from engines.sacrifice.rules.ending import elevated_races
from engines.sacrifice.tables import (
    CELLS,
    DEAD,
    MOST_MINERALS,
    MOST_WIDTH,
    NONE,
    SLOT_KIND,
    SLOT_RACE,
    SLOTS,
    Ending,
    Kind,
    Phase,
    Race,
)

# The unit is a movement point.
SHARPNESS = 0.22  # how much a point raises the odds (their logarithm)
HOPELESS = 40  # the points of a race that cannot be finished
REVIVED = 3  # points that a race costs which an emissary must make up
RESERVE = 1.2  # a second human or animal, in points; each further one is worth half of it
LAST = 3.0  # having a human, or an animal, at all
EMISSARY = 1.0


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        if state.ending != Ending.RACES:
            return 0.5
        return 1.0 if state.mover == player else 0.0
    mover = int(state.mover)
    far = np.empty((2, CELLS), np.int8)
    measure(state, 0, far)
    measure(state, 1, far)
    own = after_choice(state, mover, far, Phase.SACRIFICE)
    other = after_choice(state, 1 - mover, far, Phase.COST)
    lead = other - own + float(state.points)
    share = 1.0 / (1.0 + math.exp(-SHARPNESS * lead))
    return share if mover == player else 1.0 - share


@kernel
def after_choice(state, player, far, phase):
    """What a player needs, once the character of his that must die in this phase has been chosen."""
    if state.phase != phase:
        return needs(state, player, NONE, far)
    least = state.to_act == player  # he chooses himself
    best = 0.0
    first = True
    for slot in range(SLOTS):
        if state.candidates >> slot & 1:
            value = needs(state, player, slot, far)
            if first or (value < best) == least:
                best = value
            first = False
    return best


# --- distances ---------------------------------------------------------------------------------------------


@kernel
def measure(state, player, far):
    """Write the points a walker of `player` needs from each cell into the zone, never turning back a row."""
    height = int(state.rules.height)
    elevation = int(state.rules.elevation)
    width = int(state.rules.width)
    forward = 2 * player  # direction
    row = height - elevation if player == 0 else elevation - 1
    ahead = row * MOST_WIDTH
    for x in range(width):
        cell = ahead + x
        free = state.board[cell] == 0 and state.load[cell] == 0
        far[player, cell] = 0 if free else HOPELESS
    for _ in range(height - 2 * elevation):
        here = ahead - MOST_WIDTH if player == 0 else ahead + MOST_WIDTH
        for x in range(width):
            cell = here + x
            points = HOPELESS
            if int(state.exits[cell]) >> forward & 1:
                points = min(points, far[player, ahead + x] + price(state, player, ahead + x))
            if x > 0 and int(state.exits[cell]) >> 3 & 1:
                points = min(points, far[player, cell - 1] + price(state, player, cell - 1))
            far[player, cell] = points
        for x in range(width - 2, -1, -1):
            cell = here + x
            if int(state.exits[cell]) >> 1 & 1:
                points = far[player, cell + 1] + price(state, player, cell + 1)
                far[player, cell] = min(far[player, cell], points)
        ahead = here


@kernel
def price(state, player, cell):
    """Points to enter a cell: an enemy there must be killed."""
    there = int(state.board[cell])
    if there == 0 or owner_of(there) == player:
        return 1
    return 1 + int(state.rules.kill_cost)


# --- what a side needs ----------------------------------------------------------------------------------------


@kernel
def needs(state, player, absent, far):
    """The points to the win of a player without one of his characters, less what he has in reserve."""
    races = elevated_races(state, player)
    human = 0 if races >> Race.HUMAN & 1 else HOPELESS
    animal = 0 if races >> Race.ANIMAL & 1 else HOPELESS
    by_human = 0 if races >> Race.MINERAL & 1 else HOPELESS
    by_monkey = by_human
    humans = 0
    animals = 0
    has_emissary = False
    back = HOPELESS  # points of a walker from the emissary's cell
    for slot in range(SLOTS):
        cell = int(state.cell[player, slot])
        if cell == DEAD or slot == absent:
            continue
        kind = int(SLOT_KIND[slot])
        if kind == Kind.EMISSARY:
            has_emissary = True
            back = int(far[player, cell]) + REVIVED
        if SLOT_RACE[slot] == Race.GOD or is_elevated(state, player, cell):
            continue
        way = points_home(state, player, kind, cell, far)
        if SLOT_RACE[slot] == Race.HUMAN:
            human = min(human, way)
            humans += 1
            by_human = min(by_human, haul(state, player, cell, far))
        else:
            animal = min(animal, way)
            animals += 1
            if kind == Kind.MONKEY:
                by_monkey = min(by_monkey, haul(state, player, cell, far))
    if has_emissary and state.rules.can_revive:
        human = min(human, back)
        animal = min(animal, back)
    total = race(int(state.rules.races_needed), races, human, animal, by_human, by_monkey)
    value = float(total) - reserve(humans) - reserve(animals)
    return value - EMISSARY if has_emissary else value


@kernel
def reserve(pieces):
    """What the living pieces of a race are worth besides their way."""
    if pieces == 0:
        return 0.0
    return LAST + RESERVE * (2.0 - 0.5 ** (pieces - 2)) if pieces > 1 else LAST


@kernel
def race(needed, races, human, animal, by_human, by_monkey):
    """The points to elevate so many races; whoever carries a mineral in is elevated too."""
    has_mineral = races >> Race.MINERAL & 1 != 0
    both = human + animal
    if needed == 3:
        if has_mineral:
            return both
        return min(by_human + animal, by_monkey + human)
    mineral = min(by_human, by_monkey)
    if needed == 2:
        if has_mineral:
            return min(human, animal)
        return min(both, min(by_human, by_monkey))
    return min(mineral, min(human, animal))


@kernel
def points_home(state, player, kind, cell, far):
    """The points a character needs into the zone; a cheetah runs, a falcon flies straight on."""
    if kind == Kind.FALCON:
        row = cell // MOST_WIDTH
        edge = int(state.rules.elevation)
        return int(state.rules.height) - edge - row if player == 0 else row - edge + 1
    way = int(far[player, cell])
    if kind == Kind.CHEETAH:
        length = int(state.rules.run_length)
        return (way + length - 1) // length
    return way


@kernel
def haul(state, player, cell, far):
    """The points a carrier needs to fetch the most suitable mineral and bring it in."""
    least = HOPELESS
    for number in range(MOST_MINERALS):
        mineral = int(state.mineral[player, number])
        if mineral != NONE and not is_elevated(state, player, mineral):
            across = abs(mineral % MOST_WIDTH - cell % MOST_WIDTH)
            along = abs(mineral // MOST_WIDTH - cell // MOST_WIDTH)
            least = min(least, across + along + int(far[player, mineral]))
    return least
