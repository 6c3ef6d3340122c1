"""What the player to act may do; every list is written in ascending order."""

from engines.kernel import kernel
from engines.records import OVER

from ..actions import (
    COLOUR,
    DRAFT,
    END_TURN,
    LOWER,
    MOVE,
    PAY,
    PLACE,
    RAISE,
    RETURN,
    STOP,
    SWAP,
    USE,
    VALUE,
    WINDOW,
)
from ..tables import (
    CELLS,
    COLOURS,
    DICE,
    DIE_COLOUR,
    DIE_VALUE,
    PIPS,
    Phase,
    Tool,
)
from .dice import die_at, die_on_track
from .placement import (
    first_targets,
    movable,
    paired_targets,
    second_targets,
    spaces_apart,
    spaces_for,
    targets_of,
)
from .usable import (
    can_draft,
    can_lower,
    can_raise,
    can_use,
    can_use_held,
    is_placeable,
    pays,
    tap_colours,
)


@kernel
def legal_actions(states, out):
    """Write the legal actions of `to_act` to `out`, ascending; returns how many."""
    state = states[0]
    if state.to_act == OVER:
        return 0
    player = int(state.to_act)
    phase = int(state.phase)
    if phase == Phase.MAIN:
        return list_main(state, player, out)
    if phase == Phase.HAND:
        return list_hand(state, player, out)
    if phase == Phase.MOVE:
        return list_moves(state, player, out)
    if phase == Phase.APART or phase == Phase.KEEP:
        return list_last_places(state, player, out)
    if phase == Phase.AGAIN:
        return list_second_drafts(state, player, out)
    if phase == Phase.VALUE:
        return list_values(out)
    if phase == Phase.ADJUST:
        return list_adjustments(state, player, out)
    if phase == Phase.SWAP:
        return list_swaps(state, player, out)
    if phase == Phase.COLOUR:
        return list_colours(state, player, out)
    if phase == Phase.PAY:
        return list_payments(state, player, out)
    return list_windows(state, player, out)


@kernel
def list_windows(state, player, out):
    """R4 Both sides of the two cards dealt."""
    options = state.seat[player].options
    n = 0
    for i in range(int(options.count)):
        card = int(options.card[i])
        out[n] = WINDOW + 2 * card - 1
        out[n + 1] = WINDOW + 2 * card
        n += 2
    return n


@kernel
def list_main(state, player, out):
    """R11, R12, R22 Draft a die, use a tool that needs none in hand, or end the turn."""
    n = 0
    if not state.drafted:
        last = 0
        for i in range(int(state.pool.count)):
            die = die_at(state.pool, i)
            if die != last and can_draft(state, player, die):
                out[n] = DRAFT + die
                n += 1
            last = die
    if not state.tool_used:
        for i in range(int(state.tools.count)):
            tool = int(state.tools.card[i])
            if can_use(state, player, tool):
                out[n] = USE + tool
                n += 1
    out[n] = END_TURN
    return n + 1


@kernel
def list_hand(state, player, out):
    """R12, R22 Place the held die, or use a tool on it first."""
    die = die_at(state.held, 0)
    found = spaces_for(state.seat[player], DIE_COLOUR[die], DIE_VALUE[die])
    n = list_spaces(found, out)
    if not state.tool_used:
        for i in range(int(state.tools.count)):
            tool = int(state.tools.card[i])
            if can_use_held(state, player, tool, die):
                out[n] = USE + tool
                n += 1
    return n


@kernel
def list_bits(found, bits, first, out, n):
    """The action `first` + i for every bit i of a mask; returns how many are in `out` then."""
    for i in range(bits):
        if found >> i & 1:
            out[n] = first + i
            n += 1
    return n


@kernel
def list_spaces(found, out):
    """PLACE for every space of a mask."""
    return list_bits(found, CELLS, PLACE, out, 0)


@kernel
def list_last_places(state, player, out):
    """R31, R33 Place the die away from all others (Straightedge); place it or return it (Remover)."""
    seat = state.seat[player]
    die = die_at(state.held, 0)
    if state.phase == Phase.APART:
        return list_spaces(spaces_apart(seat, DIE_COLOUR[die], DIE_VALUE[die]), out)
    n = list_spaces(spaces_for(seat, DIE_COLOUR[die], DIE_VALUE[die]), out)
    out[n] = RETURN
    return n + 1


@kernel
def list_second_drafts(state, player, out):
    """R30 The dice of the pool that can be placed."""
    n = 0
    last = 0
    for i in range(int(state.pool.count)):
        die = die_at(state.pool, i)
        if die != last and is_placeable(state.seat[player], die):
            out[n] = DRAFT + die
            n += 1
        last = die
    return n


@kernel
def list_adjustments(state, player, out):
    """R23 Up or down, where the die can then be placed."""
    seat = state.seat[player]
    die = die_at(state.held, 0)
    n = 0
    if can_raise(seat, DIE_COLOUR[die], DIE_VALUE[die]):
        out[n] = RAISE
        n += 1
    if can_lower(seat, DIE_COLOUR[die], DIE_VALUE[die]):
        out[n] = LOWER
        n += 1
    return n


@kernel
def list_swaps(state, player, out):
    """R27 The dice on the track that can be placed; equal ones in a slot are one option."""
    track = state.track
    n = 0
    last = 0
    for i in range(int(track.count)):
        die = die_on_track(track, i)
        option = SWAP + int(track.slot[i]) * DICE + die
        if option != last and is_placeable(state.seat[player], die):
            out[n] = option
            n += 1
        last = option
    return n


@kernel
def list_values(out):
    """R33 All six."""
    for value in range(1, PIPS + 1):
        out[value - 1] = VALUE + value
    return PIPS


@kernel
def list_colours(state, player, out):
    """R34 The colours on the track in which a die can move."""
    return list_bits(tap_colours(state, player), COLOURS + 1, COLOUR, out, 0)


@kernel
def list_moves(state, player, out):
    """R24-R26, R34 Moves of one die; Tap Wheel may stop after its first."""
    seat = state.seat[player]
    tool = int(state.tool)
    cells = movable(seat, int(state.tool_colour))
    if state.rules.together and (tool == Tool.LATHEKIN or tool == Tool.TAP_WHEEL):
        return list_paired_moves(state, seat, cells, out)
    if state.moved > 0:
        cells &= ~(1 << (int(state.moved) - 1))
    n = 0
    for cell in range(CELLS):
        if cells >> cell & 1:
            if tool == Tool.LATHEKIN and state.moved == 0:
                found = first_targets(seat, cell)
            else:
                found = targets_of(seat, cell, tool)
            n = list_bits(found, CELLS, MOVE + cell * CELLS, out, n)
    if tool == Tool.TAP_WHEEL and state.moved > 0:
        out[n] = STOP
        n += 1
    return n


@kernel
def list_paired_moves(state, seat, cells, out):
    """R26, R34 Moves of dice lifted together; Tap Wheel may lift one alone, and so stop after it."""
    alone = state.tool == Tool.TAP_WHEEL
    first = int(state.moved) - 1
    landing = int(state.landing) - 1
    n = 0
    for cell in range(CELLS):
        if cells >> cell & 1 and (landing < 0 or cell != first):
            if landing >= 0:
                found = second_targets(seat, cell, first, landing)
            else:
                found = paired_targets(seat, cells, cell)
                if alone:
                    found |= targets_of(seat, cell, Tool.TAP_WHEEL)
            n = list_bits(found, CELLS, MOVE + cell * CELLS, out, n)
    if alone and landing >= 0 and targets_of(seat, first, Tool.TAP_WHEEL) >> landing & 1:
        out[n] = STOP
        n += 1
    return n


@kernel
def list_payments(state, player, out):
    """R50 The dice of the pool that may pay for the tool."""
    n = 0
    last = 0
    for i in range(int(state.pool.count)):
        die = die_at(state.pool, i)
        if die != last and pays(state, player, int(state.tool), i):
            out[n] = PAY + die
            n += 1
        last = die
    return n
