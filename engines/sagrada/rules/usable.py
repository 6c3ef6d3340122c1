"""Which tools a player may use, and which dice he may draft: no choice leads into a dead end."""

from engines.kernel import kernel

from ..tables import (
    COLOURS,
    DIE_COLOUR,
    DIE_VALUE,
    IN_HAND,
    PIPS,
    TOOL_COLOUR,
    Tool,
)
from .dice import colours_on_track, die_at
from .placement import (
    can_move,
    can_move_pair,
    can_move_two,
    spaces_apart,
    spaces_for,
)


@kernel
def is_second_pass(state):
    """R8 Whether the turn under way is its player's second one of the round."""
    return state.turn >= state.players


@kernel
def is_placeable(seat, die):
    """Whether a die has at least one legal space."""
    return spaces_for(seat, DIE_COLOUR[die], DIE_VALUE[die]) != 0


@kernel
def can_draft(state, player, die):
    """R12 A die of the pool may be drafted if it can be placed, perhaps with the help of a tool."""
    if is_placeable(state.seat[player], die):
        return True
    if state.tool_used:
        return False
    for i in range(int(state.tools.count)):
        tool = int(state.tools.card[i])
        if IN_HAND[tool] and can_pay(state, player, tool, DIE_COLOUR[die]):
            if helps_die(state, player, tool, die):
                return True
    return False


@kernel
def can_use(state, player, tool):
    """R22 Whether a player without a die in hand may use a tool now."""
    if IN_HAND[tool] or not can_pay(state, player, tool, 0):
        return False
    seat = state.seat[player]
    if tool == Tool.LATHEKIN:
        if state.rules.together:
            return can_move_pair(seat, int(seat.window.filled))
        return can_move_two(seat)
    if tool == Tool.GLAZING_HAMMER:
        return is_second_pass(state) and state.drafted == 0 and state.pool.count > 0
    if tool == Tool.RUNNING_PLIERS:
        early = not is_second_pass(state) and state.drafted == 1
        return early and has_placeable(state, player, -1)
    if tool == Tool.TAP_WHEEL:
        return tap_colours(state, player) != 0
    return can_move(seat, int(seat.window.filled), tool)


@kernel
def can_use_held(state, player, tool, die):
    """R22 Whether a player may use a tool on the die in his hand."""
    if not IN_HAND[tool] or not can_pay(state, player, tool, 0):
        return False
    return helps_die(state, player, tool, die)


@kernel
def helps_die(state, player, tool, die):
    """R23, R27, R28, R31-R33 Whether a tool can be carried out in full with a die in hand."""
    seat = state.seat[player]
    colour = DIE_COLOUR[die]
    value = DIE_VALUE[die]
    if tool == Tool.GROZING_PLIERS:
        return can_raise(seat, colour, value) or can_lower(seat, colour, value)
    if tool == Tool.LENS_CUTTER:
        return has_placeable_on_track(state, player)
    if tool == Tool.CORK_BACKED_STRAIGHTEDGE:
        return spaces_apart(seat, colour, value) != 0
    if tool == Tool.GRINDING_STONE:
        return spaces_for(seat, colour, PIPS + 1 - value) != 0
    return True  # Flux Brush and Flux Remover


@kernel
def can_raise(seat, colour, value):
    """R23 Whether a die one higher could be placed."""
    return value < PIPS and spaces_for(seat, colour, value + 1) != 0


@kernel
def can_lower(seat, colour, value):
    """R23 Whether a die one lower could be placed."""
    return value > 1 and spaces_for(seat, colour, value - 1) != 0


@kernel
def has_placeable_on_track(state, player):
    """R27 Whether the track holds a die that could be placed."""
    seat = state.seat[player]
    for i in range(int(state.track.count)):
        if spaces_for(seat, int(state.track.card[i]), int(state.track.value[i])) != 0:
            return True
    return False


@kernel
def has_placeable(state, player, but):
    """R30 Whether the pool, leaving out the die at index `but`, holds a die that could be placed."""
    seat = state.seat[player]
    for i in range(int(state.pool.count)):
        if i != but and is_placeable(seat, die_at(state.pool, i)):
            return True
    return False


@kernel
def tap_colours(state, player):
    """R34 The colours on the track, a bit each, in which some die of the window can move."""
    seat = state.seat[player]
    found = 0
    on_track = colours_on_track(state)
    for colour in range(1, COLOURS + 1):
        if on_track >> colour & 1:
            cells = int(seat.window.colour[colour])
            pair = state.rules.together and can_move_pair(seat, cells)
            if pair or can_move(seat, cells, Tool.TAP_WHEEL):
                found |= 1 << colour
    return found


# --- paying -----------------------------------------------------------------------------------------------


@kernel
def cost_of(state, tool):
    """R19 Favor tokens that a tool costs now."""
    if state.tool_tokens[tool] == 0:
        return int(state.rules.first_cost)
    return int(state.rules.later_cost)


@kernel
def can_pay(state, player, tool, drafting):
    """R20, R50 Whether a tool can be paid for; alone not with the die of colour `drafting` about to be drafted."""
    if state.players > 1:
        return int(state.seat[player].tokens) >= cost_of(state, tool)
    kept = 1 if drafting == TOOL_COLOUR[tool] else 0
    for i in range(int(state.pool.count)):
        if pays(state, player, tool, i):
            if kept == 0:
                return True
            kept -= 1
    return False


@kernel
def pays(state, player, tool, index):
    """R50 Alone: whether a die of the pool has the tool's colour and leaves what the tool needs."""
    if state.pool.card[index] != TOOL_COLOUR[tool]:
        return False
    if tool == Tool.GLAZING_HAMMER:
        return state.pool.count > 1
    if tool == Tool.RUNNING_PLIERS:
        return has_placeable(state, player, index)
    return True
