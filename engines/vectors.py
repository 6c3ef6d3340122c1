"""The kernel that turns the bytes of any View into a vector, driven by a table of fields (`engines.encoding`).

Columns of `program`, a row for each field: operation, byte of the first element, bytes of an element (less than 0:
unsigned), elements, bytes from one to the next, seats after the viewer (-1: of no player), bytes from player to
player, three numbers that each operation reads its own way, the first component, and of cards the byte and the values
of a second array. Of cards the elements are the byte of their counter, and the bytes to the next are its size. The
first row is SEAT; rows of one operation stand together.
Columns of `factors`: of values, of hidden cards, 1 where the logarithm is taken.
"""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

import math

import numpy as np

from engines.kernel import kernel

NUMBER, HOT, PLAYER, PLAYERS, BITS, FACTS, CARDS, TOP, SEAT, SIDE = range(10)
OP, AT, KIND, COUNT, STRIDE, SEATS_ON, STEP, A, B, C, OUT, SECOND, VALUES = range(13)


@kernel
def encode(raw, program, factors, bits, out):
    """Write the vector of a View.

    Args:
        raw: uint8[bytes of the View].
        program, factors, bits: the table of an Encoder.
        out: float32[size] or uint8[size].

    Returns:
        0, or 1 + a row whose value was out of range and was cut.
    """
    out[:] = 0
    players = int(program[0, A])
    viewer = int(raw[program[0, AT]])
    cut = 0
    for r in range(program.shape[0]):
        shift = 0
        if program[r, SEATS_ON] >= 0:
            seat = int(program[r, SEATS_ON]) + viewer
            shift = (seat - players if seat >= players else seat) * int(program[r, STEP])
        op = program[r, OP]
        good = True
        if op == HOT:
            good = put_hot(raw, program, r, shift, out)
        elif op == NUMBER:
            good = put_numbers(raw, program, r, shift, factors, out)
        elif op == BITS:
            good = put_bits(raw, program, r, shift, bits, out)
        elif op == CARDS:
            good = put_cards(raw, program, r, shift, factors, out)
        elif op == TOP:
            put_top(raw, program, r, shift, out)
        elif op == FACTS:
            good = put_facts(raw, program, r, shift, bits, out)
        else:
            put_players(raw, program, r, shift, viewer, players, out)
        if not good:
            cut = r + 1
    return cut


@kernel
def number_at(raw, at, kind):
    """The integer of |kind| bytes at a place, the lowest byte first; kind < 0: unsigned."""
    if kind == 1:
        return (int(raw[at]) ^ 0x80) - 0x80
    if kind == 2:
        return ((int(raw[at]) | int(raw[at + 1]) << 8) ^ 0x8000) - 0x8000
    found = np.int64(mask_at(raw, at, abs(kind)))
    if 0 < kind < 8 and found >> (8 * kind - 1) == 1:
        found -= 1 << (8 * kind)
    return found


@kernel
def mask_at(raw, at, size):
    """The bits of so many bytes at a place."""
    found = np.uint64(0)
    for i in range(size):
        found |= np.uint64(raw[at + i]) << np.uint64(8 * i)
    return found


@kernel
def put_hot(raw, program, r, shift, out):
    """One component of each element's row is 1."""
    at = int(program[r, AT]) + shift
    kind, stride, first = int(program[r, KIND]), int(program[r, STRIDE]), int(program[r, A])
    width, into = int(program[r, B]), int(program[r, OUT])
    good = True
    for i in range(int(program[r, COUNT])):
        value = number_at(raw, at + i * stride, kind) - first
        if 0 <= value < width:
            out[into + i * width + value] = 1
        else:
            good = False
    return good


@kernel
def put_numbers(raw, program, r, shift, factors, out):
    """Each element scaled by its range."""
    at = int(program[r, AT]) + shift
    kind, stride, low = int(program[r, KIND]), int(program[r, STRIDE]), int(program[r, A])
    span, into = int(program[r, B]), int(program[r, OUT])
    count, factor, log = int(program[r, COUNT]), factors[r, 0], factors[r, 2] > 0
    if kind == 1 and stride == 1 and not log:
        return put_bytes(raw[at : at + count], low, span, factor, out[into : into + count])
    good = True
    for i in range(count):
        value = number_at(raw, at + i * stride, kind) - low
        if value < 0 or value > span:
            good = False
            value = min(max(value, 0), span)
        out[into + i] = math.log(1.0 + value) * factor if log else value * factor
    return good


@kernel
def put_bytes(source, low, span, factor, into):
    """Signed bytes side by side, without branches."""
    worst = 0
    for i in range(len(source)):
        value = (int(source[i]) ^ 0x80) - 0x80 - low
        cut = min(max(value, 0), span)
        worst |= value ^ cut
        into[i] = cut * factor
    return worst == 0


@kernel
def put_bits(raw, program, r, shift, bits, out):
    """A component for each bit: without branches, since the bits are as good as random.

    `bits`: the mask of all of them, their numbers, then for each element how many bytes after the first it stands.
    """
    at = int(program[r, AT]) + shift
    size, start = abs(int(program[r, KIND])), int(program[r, A])
    width, into = int(program[r, B]), int(program[r, OUT])
    which = bits[start + 1 : start + 1 + width]
    places = start + 1 + width
    good = True
    for i in range(int(program[r, COUNT])):
        mask = mask_at(raw, at + np.int64(bits[places + i]), size)
        if mask & ~bits[start]:
            good = False
        into_here = out[into + i * width : into + (i + 1) * width]
        for j in range(width):
            into_here[j] = np.int32((mask >> which[j]) & np.uint64(1))
    return good


@kernel
def put_facts(raw, program, r, shift, bits, out):
    """A one-hot of what each number stands for.

    `bits`: how many numbers there are, the word of each, then for each element its distance from the first in bytes.
    """
    at = int(program[r, AT]) + shift
    kind, start = int(program[r, KIND]), int(program[r, A])
    width, into = int(program[r, B]), int(program[r, OUT])
    known = np.int64(bits[start])
    places = start + 1 + known
    good = True
    for i in range(int(program[r, COUNT])):
        value = number_at(raw, at + np.int64(bits[places + i]), kind)
        if value >= known:
            good = False
        elif value >= 0:
            out[into + i * width + np.int64(bits[start + 1 + value])] = 1
    return good


@kernel
def put_cards(raw, program, r, shift, factors, out):
    """How many cards of each kind; the first component counts the hidden ones."""
    kinds, into = int(program[r, A]), int(program[r, OUT])
    kind, at = int(program[r, KIND]), int(program[r, AT]) + shift
    single = program[r, SECOND] == 0
    count = number_at(raw, int(program[r, COUNT]) + shift, int(program[r, STRIDE]))
    factor = factors[r, 0]
    hidden = 0
    good = True
    for i in range(count):
        card = number_at(raw, at + i * abs(kind), kind)
        if card <= 0:
            hidden += 1
            continue
        if not single:
            card = card_at(raw, program, r, shift, i)
        if card < kinds:
            out[into + card] = float(out[into + card]) + factor
        else:
            good = False
    out[into] = hidden * factors[r, 1]
    return good


@kernel
def put_top(raw, program, r, shift, out):
    """Which card lies so far below the top, if there are so many."""
    kinds, into, depth = int(program[r, A]), int(program[r, OUT]), int(program[r, B])
    count = number_at(raw, int(program[r, COUNT]) + shift, int(program[r, STRIDE]))
    if depth < count:
        card = card_at(raw, program, r, shift, count - 1 - depth)
        if card < kinds:
            out[into + max(card, 0)] = 1


@kernel
def card_at(raw, program, r, shift, i):
    """The number of a component in a pile; of two numbers, what both stand for."""
    kind = int(program[r, KIND])
    card = number_at(raw, int(program[r, AT]) + shift + i * abs(kind), kind)
    if program[r, SECOND] > 0 and card > 0:
        value = number_at(raw, int(program[r, SECOND]) + shift + i * abs(kind), kind)
        card = (card - 1) * int(program[r, VALUES]) + value
    return card


@kernel
def put_players(raw, program, r, shift, viewer, players, out):
    """Players by their place after the viewer."""
    op, into = program[r, OP], int(program[r, OUT])
    at = int(program[r, AT]) + shift
    kind, stride = int(program[r, KIND]), int(program[r, STRIDE])
    if op == SEAT:
        out[into + viewer] = 1
    elif op == SIDE:
        for k in range(1, players):
            if raw[at + (viewer + k) % players] == raw[at + viewer]:
                out[into + k - 1] = 1
    else:
        for i in range(int(program[r, COUNT])):
            found = number_at(raw, at + i * stride, kind)
            for player in range(players):
                there = (found >> player & 1) == 1 if op == PLAYERS else found == player
                if there:
                    out[into + i * players + (player - viewer + players) % players] = 1
