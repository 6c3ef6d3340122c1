"""What the number of a move means in a position: where it leads and what it makes of a cheetah."""

from engines.kernel import kernel

from ..actions import ENTER, JUMP, RUN
from ..tables import (
    HYPER_X,
    HYPER_Y,
    MOST_WIDTH,
    OFFSET,
    Gait,
)


@kernel
def move_target(state, player, slot, move):
    """The cell where a move ends."""
    cell = int(state.cell[player, slot])
    if move >= JUMP:
        way = (move - JUMP) // 4
        quarter = (move - JUMP) % 4
        x = cell % MOST_WIDTH // 2 + HYPER_X[way]
        y = cell // MOST_WIDTH // 2 + HYPER_Y[way]
        return (2 * y + (quarter >> 1)) * MOST_WIDTH + 2 * x + (quarter & 1)
    if move >= RUN:
        return cell + int(state.rules.run_length) * OFFSET[move - RUN]
    if move >= ENTER:
        return cell + OFFSET[2 * player]  # South enters northwards, North southwards
    return cell + OFFSET[move % 4]


@kernel
def gait_after(move):
    """R13 How a cheetah is moving once it has made a move."""
    if move < RUN:
        return Gait.WALK
    return Gait.RUN_NORTH_SOUTH if (move - RUN) % 2 == 0 else Gait.RUN_EAST_WEST
