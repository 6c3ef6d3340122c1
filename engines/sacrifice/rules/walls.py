"""R37-R42 Where a player may build."""

from engines.kernel import kernel

from ..actions import BUILD
from ..tables import (
    CELLS,
    DEAD,
    END_LEVEL,
    END_UPRIGHT,
    FIRST_BUILDER,
    LEVEL,
    MOST_OF_A_KIND,
    MOST_WIDTH,
    SIDE,
    UPRIGHT,
)
from .board import first_post, post_step


@kernel
def list_walls(state, player, out, n):
    """R42 Every wall that the player may build, ascending."""
    if state.walls_left[player] == 0:
        return n
    for orientation in (LEVEL, UPRIGHT):
        begin = n
        for number in range(MOST_OF_A_KIND):
            cell = int(state.cell[player, FIRST_BUILDER + number])
            if cell != DEAD:
                n = list_walls_at(state, player, orientation, cell, out, begin, n)
    return n


@kernel
def list_walls_at(state, player, orientation, cell, out, begin, n):
    """The walls of one orientation round one builder, sorted into out[begin..n-1]."""
    length = int(state.rules.wall_length)
    x = cell % MOST_WIDTH
    y = cell // MOST_WIDTH
    for line in range(2):  # on the near and on the far side of the cell
        for shift in range(-length, 2):
            if orientation == LEVEL:
                column = x + shift
                row = y - 1 + line
            else:
                column = x - 1 + line
                row = y + shift
            if fits_board(state, player, orientation, column, row, length):
                wall = orientation * CELLS + row * MOST_WIDTH + column
                if touches(state, orientation, length, shift) and is_clear(state, wall, length):
                    n = insert(out, begin, n, BUILD + wall)
    return n


@kernel
def insert(out, begin, n, action):
    """Put an action among the ascending out[begin..n-1] unless it is there."""
    place = n
    while place > begin and out[place - 1] > action:
        place -= 1
    if place > begin and out[place - 1] == action:
        return n
    for i in range(n, place, -1):
        out[i] = out[i - 1]
    out[place] = action
    return n + 1


@kernel
def fits_board(state, player, orientation, column, row, length):
    """R37, R39 Whether all lattice points of a wall lie in the player's area and its edges inside the board."""
    width = int(state.rules.width)
    height = int(state.rules.height)
    elevation = int(state.rules.elevation)
    lowest = elevation + 1
    highest = height - elevation - int(state.rules.deployment)
    if player == 1:
        lowest = height - highest
        highest = height - elevation - 1
    if orientation == LEVEL:
        return column >= 0 and column + length <= width and lowest <= row + 1 <= highest
    return 0 <= column < width - 1 and lowest <= row and row + length <= highest


@kernel
def touches(state, orientation, length, shift):
    """R38 Whether a wall that begins `shift` cells along from a builder's cell touches it in an allowed way."""
    allowed = int(state.rules.wall_contacts)
    if -length < shift <= 0:  # an edge of the wall is a side of the cell
        return allowed & SIDE != 0
    return allowed & (END_LEVEL if orientation == LEVEL else END_UPRIGHT) != 0


@kernel
def is_clear(state, wall, length):
    """R40, R41 Whether a wall covers no walled edge, crosses none and makes no three in contact."""
    cell = wall % CELLS
    level = wall < CELLS
    side = 0 if level else 1
    post = first_post(wall)
    step = post_step(wall)
    touched = int(state.posts[post])
    for place in range(length):
        if not int(state.exits[cell]) >> side & 1:
            return False
        cell += 1 if level else MOST_WIDTH
        post += step
        there = int(state.posts[post])
        touched |= there
        if place < length - 1 and crosses(state, there, level, post, length):
            return False
    if touched == 0:
        return True
    return is_second(state, wall, touched, length)


@kernel
def crosses(state, there, level, post, length):
    """R40 Whether one of the walls at an inner point of a wall has it as an inner point too, at right angles."""
    for number in range(int(state.standing)):
        if there >> number & 1:
            other = int(state.wall[number])
            if (other < CELLS) != level:
                begin = first_post(other)
                if post != begin and post != begin + length * post_step(other):
                    return True
    return False


@kernel
def is_second(state, wall, touched, length):
    """R41 Whether a wall that touches others makes groups of two at most (or, by option, two walls at a point)."""
    if state.rules.walls_by_post:
        post = first_post(wall)
        for _ in range(length + 1):
            there = int(state.posts[post])
            if there & (there - 1) != 0:
                return False
            post += post_step(wall)
        return True
    if touched & (touched - 1) != 0:
        return False
    for number in range(int(state.standing)):
        if touched >> number & 1:
            return stands_alone(state, int(state.wall[number]), touched, length)
    return True


@kernel
def stands_alone(state, wall, itself, length):
    """Whether a standing wall touches no other."""
    post = first_post(wall)
    for _ in range(length + 1):
        if int(state.posts[post]) != itself:
            return False
        post += post_step(wall)
    return True
