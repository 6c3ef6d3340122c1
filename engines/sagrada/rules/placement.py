"""Where a die may lie: windows as masks of spaces, one bit a space."""

from engines.kernel import kernel

from ..tables import (
    BOARD,
    BORDER,
    CELLS,
    COLUMNS,
    DIE_COLOUR,
    DIE_VALUE,
    FIRST_COLUMN,
    FITS_COLOUR,
    FITS_VALUE,
    LAST_COLUMN,
    Tool,
)

NOWHERE = -1


@kernel
def beside(spaces):
    """The spaces that share a side with one of `spaces`."""
    left = (spaces & ~FIRST_COLUMN) >> 1
    right = (spaces & ~LAST_COLUMN) << 1
    return (left | right | (spaces << COLUMNS) | (spaces >> COLUMNS)) & BOARD


@kernel
def around(spaces):
    """`spaces` and all that touch one of them, corners too."""
    band = spaces | (spaces & ~FIRST_COLUMN) >> 1 | (spaces & ~LAST_COLUMN) << 1
    return (band | (band << COLUMNS) | (band >> COLUMNS)) & BOARD


@kernel
def reachable(filled):
    """R13-R15 Empty spaces that touch a die; in an empty window the border."""
    if filled == 0:
        return BORDER
    return around(filled) & ~filled


@kernel
def spaces_for(seat, colour, value):
    """R13-R17 The spaces where a die may be placed."""
    window = seat.window
    pattern = seat.pattern
    like = int(window.colour[colour]) | int(window.pips[value])
    fits = FITS_COLOUR[pattern, colour] & FITS_VALUE[pattern, value]
    return reachable(int(window.filled)) & fits & ~beside(like)


@kernel
def spaces_apart(seat, colour, value):
    """R31 The spaces that suit a die and touch no other; in an empty window on the border only."""
    filled = int(seat.window.filled)
    away = BORDER if filled == 0 else BOARD & ~around(filled)
    return away & FITS_COLOUR[seat.pattern, colour] & FITS_VALUE[seat.pattern, value]


@kernel
def targets_of(seat, cell, tool):
    """R18, R24, R25 Where the die in a space may move to: with it lifted, all rules but what the tool waives."""
    window = seat.window
    die = int(window.die[cell])
    colour = DIE_COLOUR[die]
    value = DIE_VALUE[die]
    here = 1 << cell
    like = (int(window.colour[colour]) | int(window.pips[value])) & ~here
    found = reachable(int(window.filled) & ~here) & ~beside(like) & ~here
    if tool != Tool.EGLOMISE_BRUSH:
        found &= FITS_COLOUR[seat.pattern, colour]
    if tool != Tool.COPPER_FOIL_BURNISHER:
        found &= FITS_VALUE[seat.pattern, value]
    return found


@kernel
def put_die(window, cell, die):
    """A die comes to lie in an empty space."""
    here = 1 << cell
    colour = DIE_COLOUR[die]
    window.die[cell] = die
    window.filled |= here
    window.colour[colour] |= here
    window.pips[DIE_VALUE[die]] |= here
    window.tally[colour] += 1


@kernel
def lift_die(window, cell):
    """A die leaves its space; returns it."""
    die = int(window.die[cell])
    rest = BOARD & ~(1 << cell)
    colour = DIE_COLOUR[die]
    window.die[cell] = 0
    window.filled &= rest
    window.colour[colour] &= rest
    window.pips[DIE_VALUE[die]] &= rest
    window.tally[colour] -= 1
    return die


@kernel
def move_die(window, cell, target):
    """A die goes from its space to an empty one."""
    put_die(window, target, lift_die(window, cell))


# --- moves of Lathekin and Tap Wheel ----------------------------------------------------------------------


@kernel
def movable(seat, colour):
    """The spaces whose dice a tool may move: all, or those of one colour (0: all)."""
    return int(seat.window.filled) if colour == 0 else int(seat.window.colour[colour])


@kernel
def can_move(seat, cells, tool):
    """Whether some die in one of these spaces has a move."""
    for cell in range(CELLS):
        if cells >> cell & 1 and targets_of(seat, cell, tool) != 0:
            return True
    return False


@kernel
def leaves_second_move(seat, cell, target):
    """R26 Lathekin: whether after a move another die can move."""
    die = lift_die(seat.window, cell)
    put_die(seat.window, target, die)
    found = can_move(seat, int(seat.window.filled) & ~(1 << target), Tool.LATHEKIN)
    lift_die(seat.window, target)
    put_die(seat.window, cell, die)
    return found


@kernel
def first_targets(seat, cell):
    """R26 Where the first die of Lathekin may go."""
    found = targets_of(seat, cell, Tool.LATHEKIN)
    for target in range(CELLS):
        if found >> target & 1 and not leaves_second_move(seat, cell, target):
            found &= ~(1 << target)
    return found


@kernel
def can_move_two(seat):
    """R26 Whether two different dice can be moved one after the other."""
    filled = int(seat.window.filled)
    if filled & (filled - 1) == 0:
        return False
    for cell in range(CELLS):
        if filled >> cell & 1:
            targets = targets_of(seat, cell, Tool.LATHEKIN)
            for target in range(CELLS):
                if targets >> target & 1 and leaves_second_move(seat, cell, target):
                    return True
    return False


# --- the same, both dice lifted first ---------------------------------------------------------------------


@kernel
def targets_lifted(seat, cell, other, landing):
    """R26 Where a die may go while another is lifted too, or has come down on `landing` (or NOWHERE)."""
    window = seat.window
    die = int(window.die[cell])
    colour = DIE_COLOUR[die]
    value = DIE_VALUE[die]
    rest = BOARD & ~(1 << cell) & ~(1 << other)
    filled = int(window.filled) & rest
    like = (int(window.colour[colour]) | int(window.pips[value])) & rest
    if landing != NOWHERE:
        filled |= 1 << landing
        second = int(window.die[other])
        if DIE_COLOUR[second] == colour or DIE_VALUE[second] == value:
            like |= 1 << landing
    fits = FITS_COLOUR[seat.pattern, colour] & FITS_VALUE[seat.pattern, value]
    return reachable(filled) & fits & ~beside(like) & ~(1 << cell)


@kernel
def second_targets(seat, cell, first, landing):
    """R26 Where the second of two lifted dice may go; nowhere if the first may not have come down on `landing`."""
    if targets_lifted(seat, first, cell, NOWHERE) >> landing & 1 == 0:
        return 0
    return targets_lifted(seat, cell, first, landing)


@kernel
def paired_targets(seat, cells, cell):
    """R26 Where a die may go if one of the others in `cells`, lifted with it, can then be placed."""
    found = 0
    for other in range(CELLS):
        if other != cell and cells >> other & 1:
            for landing in range(CELLS):
                if found >> landing & 1 == 0 and second_targets(seat, other, cell, landing) != 0:
                    found |= 1 << landing
    return found


@kernel
def can_move_pair(seat, cells):
    """R26, R34 Whether two of the dice in `cells` can be lifted together and placed."""
    for cell in range(CELLS):
        if cells >> cell & 1 and paired_targets(seat, cells, cell) != 0:
            return True
    return False
