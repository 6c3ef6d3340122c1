"""How good a position looks: how near each side is to winning, how near both are to the draw by material.

Each side has a weight that shrinks with the points it still needs to win the race and grows with what it has in
reserve, the draw has a weight too, and the estimate is a side's share of the three, the draw halved. So a side that is
about to lose its last humans goes towards a draw, not towards a loss: whoever is ahead keeps from trading down, whoever
is behind seeks it. The numbers are rounded from a fit to 491 games of searches with 64 and 128 simulations, of which
six in ten ended as such draws.

For each row a few masks of columns tell from where a walker comes into the enemy's elevation zone for how many points.
"""

import math

import numpy as np

from engines.kernel import kernel
from engines.records import OVER
from engines.weights import Positive, Weight

from .rules.board import is_elevated
from .rules.ending import elevated_races
from .tables import (
    DEAD,
    FIRST_ANIMAL,
    FIRST_CHEETAH,
    FIRST_FALCON,
    FIRST_HUMAN,
    MOST_HEIGHT,
    MOST_MINERALS,
    MOST_OF_A_KIND,
    MOST_WIDTH,
    NONE,
    SLOTS,
    Ending,
    Kind,
    Phase,
    Race,
)

HOPELESS = 40  # the points of a race that cannot be finished
LONGEST = 30  # more points than that make no difference
REVIVED = 3  # points that a race costs which an emissary must make up
# What changes the logarithm of a side's weight:
PACE: Weight = 0.135  # each point that it needs
TEMPO: Weight = 0.04  # each point left in the turn under way
HUMAN: Weight = 0.37  # each human but the fifth and more
ANIMAL: Weight = 0.1  # each animal, likewise
EMISSARY: Weight = 0.43
IMPOSSIBLE: Weight = -4.0  # a race that cannot be finished
ENOUGH = 4  # humans, animals
DRAW: Positive = 0.95  # the weight of a draw

HOME, HAUL = 0, 1  # ways of a character into the zone: alone, and with a mineral that it fetches
GONE = -1  # of a dead or elevated character
DETOURS = HOPELESS + 1  # that a way may have, 0 among them
LAST = DETOURS


@kernel
def evaluate(states, player):
    """The estimated win share of a player, 0..1."""
    state = states[0]
    if state.to_act == OVER:
        if state.ending != Ending.RACES:
            return 0.5
        return 1.0 if state.mover == player else 0.0
    mover = int(state.mover)
    ways = np.empty((2, 2, SLOTS), np.int8)  # of each player HOME and HAUL of his characters
    reach = np.empty((MOST_HEIGHT, DETOURS + 1), np.int16)
    measure(state, 0, reach, ways)
    measure(state, 1, reach, ways)
    own = math.exp(after_choice(state, mover, ways, Phase.SACRIFICE) + TEMPO * float(state.points))
    other = math.exp(after_choice(state, 1 - mover, ways, Phase.COST))
    share = (own + 0.5 * DRAW) / (own + other + DRAW)
    return share if mover == player else 1.0 - share


@kernel
def after_choice(state, player, ways, phase):
    """The prospects of a player, once the character of his that must die in this phase has been chosen."""
    races = elevated_races(state, player)
    if state.phase != phase:
        return prospects(state, player, races, NONE, ways)
    most = state.to_act == player  # he chooses himself
    best = 0.0
    first = True
    for slot in range(SLOTS):
        if state.candidates >> slot & 1:
            value = prospects(state, player, races, slot, ways)
            if first or (value > best) == most:
                best = value
            first = False
    return best


# --- distances ---------------------------------------------------------------------------------------------


@kernel
def measure(state, player, reach, ways):
    """Write the points that each of a player's characters needs, alone and with a mineral, GONE if it cannot go."""
    reach_rows(state, player, reach)
    for slot in range(FIRST_HUMAN, SLOTS):
        cell = int(state.cell[player, slot])
        ways[player, HAUL, slot] = HOPELESS
        if cell == DEAD or is_elevated(state, player, cell):
            ways[player, HOME, slot] = GONE
        else:
            ways[player, HOME, slot] = points_home(state, player, slot, cell, reach)
    for number in range(MOST_OF_A_KIND):
        slot = Kind.EMISSARY * MOST_OF_A_KIND + number
        cell = int(state.cell[player, slot])
        ways[player, HOME, slot] = GONE if cell == DEAD else walk(state, player, cell, reach)
    for number in range(MOST_MINERALS):
        mineral = int(state.mineral[player, number])
        if mineral != NONE and not is_elevated(state, player, mineral):
            measure_hauls(state, player, mineral, walk(state, player, mineral, reach), ways)


@kernel
def measure_hauls(state, player, mineral, way, ways):
    """Lower HAUL of each carrier to what fetching this mineral and bringing it in costs."""
    row = mineral // MOST_WIDTH
    column = mineral % MOST_WIDTH
    for slot in range(FIRST_HUMAN, FIRST_CHEETAH):
        if ways[player, HOME, slot] != GONE:
            cell = int(state.cell[player, slot])
            fetch = abs(cell // MOST_WIDTH - row) + abs(cell % MOST_WIDTH - column)
            ways[player, HAUL, slot] = min(int(ways[player, HAUL, slot]), fetch + way)


@kernel
def points_home(state, player, slot, cell, reach):
    """The points a character needs into the zone; a cheetah runs, a falcon flies straight on."""
    if slot >= FIRST_FALCON:
        return rows_to_zone(state, player, cell // MOST_WIDTH)
    way = walk(state, player, cell, reach)
    if slot >= FIRST_CHEETAH:
        length = int(state.rules.run_length)
        return (way + length - 1) // length
    return way


@kernel
def rows_to_zone(state, player, row):
    """How many rows a character has to go into the zone where the player elevates pieces."""
    edge = int(state.rules.elevation)
    return int(state.rules.height) - edge - row if player == 0 else row - edge + 1


@kernel
def walk(state, player, cell, reach):
    """The points that a walker needs from a cell into the zone."""
    row = cell // MOST_WIDTH
    column = cell % MOST_WIDTH
    points = rows_to_zone(state, player, row)
    for detour in range(int(reach[row, LAST]) + 1):
        if int(reach[row, detour]) >> column & 1:
            return min(points + detour, HOPELESS)
    return HOPELESS


@kernel
def reach_rows(state, player, reach):
    """Work out from which cells a walker of `player` comes into the zone for how many points.

    He never turns back a row, so row follows row from the zone on. reach[row, detour] has a bit for each column from
    which so many points are enough besides one for each row; reach[row, LAST] is the detour after which none is added.
    """
    height = int(state.rules.height)
    elevation = int(state.rules.elevation)
    every = (1 << int(state.rules.width)) - 1
    onward = 1 if player == 0 else -1
    ahead = height - elevation if player == 0 else elevation - 1
    reach[ahead, 0] = free_columns(state, ahead)
    reach[ahead, LAST] = 0
    is_open = False  # nothing to walk round on the row ahead, so straight on is best
    for _ in range(height - 2 * elevation):
        row = ahead - onward
        open_ahead = int(state.open_north[min(row, ahead)])
        if is_open and open_ahead == every:
            for detour in range(int(reach[ahead, LAST]) + 1):
                reach[row, detour] = reach[ahead, detour]
            reach[row, LAST] = reach[ahead, LAST]
        else:
            reach_row(state, player, row, ahead, open_ahead, reach)
        is_open = state.men[1 - player, row] == 0 and state.open_east[row] == every >> 1
        ahead = row


@kernel
def free_columns(state, row):
    """The columns in which no piece lies on a row."""
    free = 0
    for x in range(int(state.rules.width)):
        cell = row * MOST_WIDTH + x
        if state.board[cell] == 0 and state.load[cell] == 0:
            free |= 1 << x
    return free


@kernel
def reach_row(state, player, row, ahead, open_ahead, reach):
    """One row of reach_rows, from the one ahead: whoever enters an enemy's cell pays for the kill."""
    kill = int(state.rules.kill_cost)
    enemies = int(state.men[1 - player, row])
    enemies_ahead = int(state.men[1 - player, ahead])
    east = int(state.open_east[row])
    every = (1 << int(state.rules.width)) - 1
    last = int(reach[ahead, LAST])
    found = 0
    stays = -1  # since which detour nothing has been added
    detour = 0
    while True:
        onto = int(reach[ahead, min(detour, last)]) & ~enemies_ahead
        beside = found & ~enemies
        if detour >= kill:
            onto |= int(reach[ahead, min(detour - kill, last)]) & enemies_ahead
        if detour > kill:
            beside |= int(reach[row, detour - kill - 1]) & enemies
        before = found
        found |= (onto & open_ahead) | (beside & east) << 1 | (beside >> 1) & east
        reach[row, detour] = found
        if found != before:
            stays = detour
        settled = detour >= last + kill and detour > stays + kill
        if found == every or settled or detour == DETOURS - 1:
            break
        detour += 1
    reach[row, LAST] = detour


# --- prospects -------------------------------------------------------------------------------------------------


@kernel
def prospects(state, player, races, absent, ways):
    """The logarithm of a player's weight without one of his characters."""
    human = HOPELESS
    animal = HOPELESS
    by_human = HOPELESS
    by_monkey = HOPELESS
    humans = 0
    animals = 0
    for slot in range(FIRST_HUMAN, SLOTS):
        way = int(ways[player, HOME, slot])
        if way == GONE or slot == absent:
            continue
        haul = int(ways[player, HAUL, slot])
        if slot < FIRST_ANIMAL:
            humans += 1
            human = min(human, way)
            by_human = min(by_human, haul)
        else:
            animals += 1
            animal = min(animal, way)
            by_monkey = min(by_monkey, haul)
    has_emissary = False
    back = HOPELESS  # points of a walker from the emissary's cell
    for number in range(MOST_OF_A_KIND):
        slot = Kind.EMISSARY * MOST_OF_A_KIND + number
        if ways[player, HOME, slot] != GONE and slot != absent:
            has_emissary = True
            back = int(ways[player, HOME, slot]) + REVIVED
    if has_emissary and state.rules.can_revive:
        human = min(human, back)
        animal = min(animal, back)
    if races >> Race.HUMAN & 1:
        human = 0
    if races >> Race.ANIMAL & 1:
        animal = 0
    if races >> Race.MINERAL & 1:
        by_human = 0
        by_monkey = 0
    total = race(int(state.rules.races_needed), races, human, animal, by_human, by_monkey)
    value = HUMAN * min(humans, ENOUGH) + ANIMAL * min(animals, ENOUGH)
    if has_emissary:
        value += EMISSARY
    if total >= HOPELESS:
        return value + IMPOSSIBLE
    return value - PACE * min(total, LONGEST)


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
