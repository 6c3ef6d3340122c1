"""R36, R45-R50 How the game ends: three races, or one of the draws."""

from engines.kernel import kernel
from engines.keys import NOTHING, mix, scatter
from engines.records import OVER

from ..state import RING
from ..tables import (
    CELLS,
    DEAD,
    KIND_RACE,
    KINDS,
    MOST_MINERALS,
    MOST_OF_A_KIND,
    NONE,
    SLOT_CARRIES,
    SLOT_KIND,
    SLOT_RACE,
    SLOTS,
    Ending,
    Kind,
    Phase,
    Race,
)
from .board import is_elevated

KINDS_IN_ALL = len(KINDS)


@kernel
def end_game(state, ending):
    """Nobody decides any more."""
    state.ending = ending
    state.phase = Phase.OVER
    state.to_act = OVER


# --- races -------------------------------------------------------------------------------------------------


@kernel
def elevated_races(state, player):
    """R36 The races of which a player has a piece in the enemy's elevation zone, a bit each."""
    races = 0
    if has_elevated_characters(state, player):
        for slot in range(SLOTS):
            cell = int(state.cell[player, slot])
            if cell != DEAD and is_elevated(state, player, cell):
                races |= 1 << SLOT_RACE[slot]
    for number in range(MOST_MINERALS):
        cell = int(state.mineral[player, number])
        if cell != NONE and is_elevated(state, player, cell):
            races |= 1 << Race.MINERAL
    return races


@kernel
def has_elevated_characters(state, player):
    """Whether a player has a character in the enemy's elevation zone."""
    height = int(state.rules.height)
    depth = int(state.rules.elevation)
    found = 0
    for line in range(depth):
        found |= int(state.men[player, height - 1 - line if player == 0 else line])
    return found != 0


@kernel
def count_races(races):
    """How many races a mask names."""
    return (races >> 1 & 1) + (races >> 2 & 1) + (races >> 3 & 1)


@kernel
def check_races(state, player):
    """R36 The game is won as soon as enough races are elevated."""
    if count_races(elevated_races(state, player)) >= state.rules.races_needed:
        end_game(state, Ending.RACES)


# --- draws -------------------------------------------------------------------------------------------------


@kernel
def check_material(state):
    """R45 A draw as soon as neither side can elevate enough races, wherever their pieces stand."""
    if state.rules.material_draw and not can_win(state, 0) and not can_win(state, 1):
        end_game(state, Ending.MATERIAL)


@kernel
def can_win(state, player):
    """R45 Whether what a player has left, with one resurrection, could make up the races needed."""
    races = elevated_races(state, player)
    for slot in range(SLOTS):
        cell = int(state.cell[player, slot])
        if cell != DEAD and not is_elevated(state, player, cell):
            races |= races_of(state, int(SLOT_KIND[slot]))
    needed = int(state.rules.races_needed)
    if count_races(races) >= needed:
        return True
    return state.rules.can_revive != 0 and can_win_with_one_more(state, player, races, needed)


@kernel
def can_win_with_one_more(state, player, races, needed):
    """R45 Whether bringing one dead character back would make up the races needed."""
    has_emissary = False
    for number in range(MOST_OF_A_KIND):
        if state.cell[player, Kind.EMISSARY * MOST_OF_A_KIND + number] != DEAD:
            has_emissary = True
    if not has_emissary:
        return False
    for slot in range(SLOTS):
        if state.cell[player, slot] == DEAD and state.rules.start[slot] != DEAD:
            if count_races(races | races_of(state, int(SLOT_KIND[slot]))) >= needed:
                return True
    return False


@kernel
def races_of(state, kind):
    """The races that a living character of a kind may yet elevate: its own, and a mineral if it carries."""
    races = 1 << KIND_RACE[kind]
    if SLOT_CARRIES[kind * MOST_OF_A_KIND] and state.rules.mineral_start[0] != NONE:
        races |= 1 << Race.MINERAL
    return races


@kernel
def mark_progress(state):
    """R47, R49 Something has happened that cannot come again: earlier positions cannot either."""
    state.progress = 1


@kernel
def check_end_of_turn(state):
    """R50 The draws in their order, once the turn has passed to the other side."""
    check_material(state)
    if state.ending != Ending.RUNNING:
        return
    blocked = state.displacements == 0 and state.idle
    state.idle = 1 if state.displacements == 0 else 0
    if blocked:
        end_game(state, Ending.BLOCKED)
        return
    if state.progress:
        forget(state)
        state.quiet = 0
    else:
        state.quiet += 1
    if recurs(state):
        end_game(state, Ending.REPETITION)
    elif state.turn >= state.rules.most_turns:
        end_game(state, Ending.TURN_CAP)
    elif 0 < state.rules.no_progress <= state.quiet:
        end_game(state, Ending.NO_PROGRESS)


# --- repetition --------------------------------------------------------------------------------------------


@kernel
def hash_position(state):
    """R47 Side to move, cells of the living by kind, minerals, walls standing and left."""
    total = NOTHING
    for player in range(2):
        for slot in range(SLOTS):
            cell = int(state.cell[player, slot])
            if cell != DEAD:
                total += scatter((player * KINDS_IN_ALL + SLOT_KIND[slot]) * CELLS + cell)
    return mix(total + hash_fittings(state), int(state.mover))


FITTINGS = 1 << 20  # numbers from here on stand for minerals and walls


@kernel
def hash_fittings(state):
    """Minerals by owner, walls standing and left, whatever their order."""
    total = NOTHING
    for player in range(2):
        total += scatter(FITTINGS + 4 * CELLS + 16 * player + int(state.walls_left[player]))
        for number in range(MOST_MINERALS):
            cell = int(state.mineral[player, number])
            if cell != NONE:
                total += scatter(FITTINGS + player * CELLS + cell)
    for number in range(int(state.standing)):
        total += scatter(FITTINGS + 2 * CELLS + int(state.wall[number]))
    return total


@kernel
def recurs(state):
    """R47 Remember the position; whether it has now occurred as often as draws the game."""
    limit = int(state.rules.repetition)
    if limit == 0:
        return False
    mark = hash_position(state)
    times = 1
    for i in range(int(state.remembered)):
        if state.past[i] == mark:
            times += 1
    remember(state, mark)
    return times >= limit


@kernel
def remember(state, mark):
    """Put a position behind the others; when there is no room the oldest is dropped."""
    if state.remembered == RING:
        state.history -= state.past[0]
        for i in range(1, RING):
            state.past[i - 1] = state.past[i]
        state.remembered -= 1
    state.past[state.remembered] = mark
    state.remembered += 1
    state.history += mark


@kernel
def forget(state):
    """Positions before a kill, wall, resurrection or entry cannot come again."""
    for i in range(int(state.remembered)):
        state.past[i] = NOTHING
    state.remembered = 0
    state.history = NOTHING
