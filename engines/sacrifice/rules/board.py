"""The board: putting pieces down, taking them up, walls, and what follows from where everything is."""

from engines.kernel import kernel

from ..tables import (
    CELLS,
    DEAD,
    LEVEL,
    MOST_MINERALS,
    MOST_WIDTH,
    NONE,
    OFFSET,
    ON_A_CELL,
    POSTS_ACROSS,
    SLOTS,
)

EVERY_EXIT = 0b11111111  # four sides open to walkers, four within the board


@kernel
def code_of(player, slot):
    """How a character reads on the board; 0 is nobody."""
    return 1 + player * SLOTS + slot


@kernel
def owner_of(code):
    """The player of a character on the board."""
    return 1 if code > SLOTS else 0


@kernel
def is_elevated(state, player, cell):
    """R34 Whether a cell lies in the zone where a player elevates pieces."""
    if player == 0:
        return cell >= (int(state.rules.height) - int(state.rules.elevation)) * MOST_WIDTH
    return 0 <= cell < int(state.rules.elevation) * MOST_WIDTH


@kernel
def may_enter(state, player, cell):
    """R34 Whether a cell lies in the enemy's elevation zone and is free of any piece."""
    return is_elevated(state, player, cell) and state.board[cell] == 0 and state.load[cell] == 0


@kernel
def partner(state, player, slot, cell):
    """R10 The other own character on a cell, or NONE."""
    for other in range(SLOTS):
        if other != slot and state.cell[player, other] == cell:
            return other
    return NONE


@kernel
def show(state, cell, code):
    """Let the board show a character on a cell, or nobody."""
    row = cell // MOST_WIDTH
    column = 1 << (cell % MOST_WIDTH)
    state.board[cell] = code
    state.men[0, row] &= ~column
    state.men[1, row] &= ~column
    if code != 0:
        state.men[owner_of(code), row] |= column


@kernel
def lift(state, player, slot):
    """Take a character up from its cell; of two that shared it the other stays."""
    cell = int(state.cell[player, slot])
    state.cell[player, slot] = DEAD
    if state.shared == cell:
        show(state, cell, code_of(player, partner(state, player, slot, cell)))
        state.shared = NONE
    elif state.board[cell] == code_of(player, slot):
        show(state, cell, 0)


@kernel
def set_down(state, player, slot, cell):
    """Put a character onto a cell; with a friend there the cell is shared."""
    code = code_of(player, slot)
    there = int(state.board[cell])
    if there != 0 and owner_of(there) == player:
        state.shared = cell
        code = min(code, there)
    show(state, cell, code)
    state.cell[player, slot] = cell


@kernel
def minerals_on(state, cell):
    """How many minerals lie on a cell, whoever owns them."""
    load = int(state.load[cell])
    return (load & 3) + (load >> 2)


@kernel
def own_minerals(state, player, cell):
    """How many of a player's minerals lie on a cell."""
    return (int(state.load[cell]) >> (2 * player)) & 3


@kernel
def move_mineral(state, player, origin, target):
    """R31 One of a player's minerals goes from one cell to another."""
    for number in range(MOST_MINERALS):
        if state.mineral[player, number] == origin:
            state.mineral[player, number] = target
            state.load[origin] -= 1 << (2 * player)
            state.load[target] += 1 << (2 * player)
            state.heap = target if minerals_on(state, target) > ON_A_CELL else NONE
            return


# --- walls ------------------------------------------------------------------------------------------------


@kernel
def first_post(wall):
    """The lattice point where a wall begins: its western or southern end."""
    anchor = wall % CELLS
    x = anchor % MOST_WIDTH
    y = anchor // MOST_WIDTH
    if wall < CELLS:
        return (y + 1) * POSTS_ACROSS + x
    return y * POSTS_ACROSS + x + 1


@kernel
def post_step(wall):
    """From one lattice point of a wall to the next."""
    return 1 if wall < CELLS else POSTS_ACROSS


@kernel
def put_wall(state, wall, number):
    """R37 A wall blocks the cell pairs that it separates; it is the number-th on the board."""
    level = wall // CELLS == LEVEL
    along = 1 if level else MOST_WIDTH  # from one cell beside the wall to the next
    side = 0 if level else 1  # the wall is north of its anchor, or east
    cell = wall % CELLS
    post = first_post(wall)
    step = post_step(wall)
    state.posts[post] |= 1 << number
    for _ in range(int(state.rules.wall_length)):
        state.exits[cell] &= EVERY_EXIT ^ (1 << side)
        state.exits[cell + OFFSET[side]] &= EVERY_EXIT ^ (1 << (side + 2))
        column = 1 << (cell % MOST_WIDTH)
        if level:
            state.open_north[cell // MOST_WIDTH] &= ~column
        else:
            state.open_east[cell // MOST_WIDTH] &= ~column
        cell += along
        post += step
        state.posts[post] |= 1 << number
    state.wall[number] = wall


@kernel
def remove_wall(state, wall, number):
    """Undo put_wall, for walls that are only tried; none is ever taken down in the game."""
    level = wall // CELLS == LEVEL
    along = 1 if level else MOST_WIDTH
    side = 0 if level else 1
    cell = wall % CELLS
    post = first_post(wall)
    step = post_step(wall)
    state.posts[post] &= ~(1 << number)
    for _ in range(int(state.rules.wall_length)):
        state.exits[cell] |= 1 << side
        state.exits[cell + OFFSET[side]] |= 1 << (side + 2)
        column = 1 << (cell % MOST_WIDTH)
        if level:
            state.open_north[cell // MOST_WIDTH] |= column
        else:
            state.open_east[cell // MOST_WIDTH] |= column
        cell += along
        post += step
        state.posts[post] &= ~(1 << number)
    state.wall[number] = 0


# --- what follows from the rest of a position --------------------------------------------------------------


@kernel
def rebuild(state):
    """Work out all that follows from the cells of characters and minerals and from the walls."""
    state.shared = NONE
    state.heap = NONE
    state.board[:] = 0
    state.men[:] = 0
    state.open_north[:] = 0
    state.open_east[:] = 0
    state.load[:] = 0
    state.exits[:] = 0
    state.posts[:] = 0
    open_cells(state)
    for number in range(int(state.standing)):
        put_wall(state, int(state.wall[number]), number)
    mover = int(state.mover)
    for turn in range(2):
        player = (
            mover if turn == 1 else 1 - mover
        )  # an attacker stands on the immortal that it attacks
        for slot in range(SLOTS):
            if state.cell[player, slot] != DEAD:
                set_down(state, player, slot, int(state.cell[player, slot]))
        for number in range(MOST_MINERALS):
            cell = int(state.mineral[player, number])
            if cell != NONE:
                state.load[cell] += 1 << (2 * player)
                if minerals_on(state, cell) > ON_A_CELL:
                    state.heap = cell


@kernel
def open_cells(state):
    """R1 Neighbouring cells of the board are open to each other, four sides a cell."""
    width = int(state.rules.width)
    height = int(state.rules.height)
    every_column = (1 << width) - 1
    for y in range(height):
        state.open_north[y] = every_column if y + 1 < height else 0
        state.open_east[y] = every_column >> 1
        for x in range(width):
            exits = 0
            if y + 1 < height:
                exits |= 0b00010001
            if x + 1 < width:
                exits |= 0b00100010
            if y > 0:
                exits |= 0b01000100
            if x > 0:
                exits |= 0b10001000
            state.exits[y * MOST_WIDTH + x] = exits
