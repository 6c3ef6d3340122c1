"""The kernel that turns the bytes of any View into a vector, driven by a program (`engines.programs`).

A program has a row for each viewer, in which every byte that is read and every component that is written has its place:
nothing is worked out here that depends on the game. A row is a header, then lists of instructions, one list for each
kind of field and each walked by a loop of its own, since a processor foresees what is always done alike. Almost nothing
branches on what is read: whether a value is in its range decides what is written, not whether.

The header: the byte with the viewer, the component of the first seat, the byte with the first player's team, the
component of the first partner (-1: no teams); then of each list its place and its length.
"""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

import math

import numpy as np

from engines.kernel import kernel

VIEWER_AT, SEAT_OUT, TEAM_AT, PARTNER_OUT = range(4)
LISTS = range(4, 22, 2)
SMALL, RUN, WIDE, HOT, PLAYER, PLAYERS, BITS, FACTS, CARDS = LISTS
HEADER = 22
FEW = 1024
LOGARITHMS = np.array([math.log(1.0 + value) for value in range(FEW)])


@kernel
def encode(raw, programs, factors, tables, out):
    """Write the vector of a View.

    Args:
        raw: uint8[bytes of the View].
        programs: int32[players, length].
        factors: float64: what values are multiplied with, in the order of the lists.
        tables: int16: the numbers of bits, and what numbers stand for.
        out: float32[size] or uint8[size].

    Returns:
        0, or 1 + the first component of a value that was out of range and was cut.
    """
    out[:] = 0
    program = programs[int(raw[programs[0, VIEWER_AT]])]
    put_sides(raw, program, programs.shape[0], out)
    cut = put_small(raw, program, factors, out)
    cut = max(cut, put_runs(raw, program, factors, out))
    cut = max(cut, put_wide(raw, program, factors, out))
    cut = max(cut, put_hot(raw, program, out))
    put_player(raw, program, programs.shape[0], out)
    put_players(raw, program, programs.shape[0], out)
    cut = max(cut, put_bits(raw, program, tables, out))
    cut = max(cut, put_facts(raw, program, tables, out))
    return max(cut, put_cards(raw, program, factors, out))


@kernel
def number_at(raw, at, kind):
    """The integer of |kind| bytes at a place, the lowest byte first; kind < 0: unsigned."""
    if kind == 1:
        return (int(raw[np.uint32(at)]) ^ 0x80) - 0x80
    if kind == 2:
        both = int(raw[np.uint32(at)]) | int(raw[np.uint32(at + 1)]) << 8
        return (both ^ 0x8000) - 0x8000
    found = np.int64(mask_at(raw, at, abs(kind)))
    if 0 < kind < 8 and found >> (8 * kind - 1) == 1:
        found -= 1 << (8 * kind)
    return found


@kernel
def mask_at(raw, at, size):
    """The bits of so many bytes at a place."""
    found = np.uint64(0)
    for i in range(size):
        found |= np.uint64(raw[np.uint32(at + i)]) << np.uint64(8 * i)
    return found


@kernel
def put_sides(raw, program, players, out):
    """Which seat the viewer has, and who plays with him."""
    viewer = int(raw[np.uint32(program[VIEWER_AT])])
    out[np.uint32(program[SEAT_OUT] + viewer)] = 1
    if program[PARTNER_OUT] >= 0:
        at, into = int(program[TEAM_AT]), int(program[PARTNER_OUT])
        for k in range(1, players):
            if raw[at + (viewer + k) % players] == raw[at + viewer]:
                out[into + k - 1] = 1


@kernel
def put_small(raw, program, factors, out):
    """Numbers of a signed byte: its place, the least value, the span, the component."""
    at, cut = int(program[SMALL]), 0
    for k in range(int(program[SMALL + 1])):
        byte = int(raw[np.uint32(program[np.uint32(at)])])
        value = (byte ^ 0x80) - 0x80 - int(program[np.uint32(at + 1)])
        inside = min(max(value, 0), int(program[np.uint32(at + 2)]))
        into = int(program[np.uint32(at + 3)])
        cut = into + 1 if inside != value else cut
        out[np.uint32(into)] = inside * factors[np.uint32(k)]
        at += 4
    return cut


@kernel
def put_runs(raw, program, factors, out):
    """Signed bytes side by side that mean the same: their place, how many, the least value, the span, the component."""
    at, cut = int(program[RUN]), 0
    first = int(program[SMALL + 1])
    for k in range(int(program[RUN + 1])):
        source, count, low = int(program[at]), int(program[at + 1]), int(program[at + 2])
        span, into = int(program[at + 3]), int(program[at + 4])
        factor = factors[first + k]
        worst = 0
        bytes_here, here = raw[source : source + count], out[into : into + count]
        for i in range(count):
            value = (int(bytes_here[i]) ^ 0x80) - 0x80 - low
            inside = min(max(value, 0), span)
            worst |= value ^ inside
            here[i] = inside * factor
        cut = into + 1 if worst else cut
        at += 5
    return cut


@kernel
def put_wide(raw, program, factors, out):
    """Other numbers: place, kind, least value, span, whether the logarithm is taken, component."""
    at, cut = int(program[WIDE]), 0
    first = int(program[SMALL + 1]) + int(program[RUN + 1])
    for k in range(int(program[WIDE + 1])):
        value = number_at(raw, program[at], program[at + 1]) - int(program[at + 2])
        inside = min(max(value, 0), int(program[at + 3]))
        into = int(program[at + 5])
        cut = into + 1 if inside != value else cut
        shown = float(inside)
        if program[at + 4]:
            shown = LOGARITHMS[inside] if inside < FEW else math.log(1.0 + inside)
        out[np.uint32(into)] = shown * factors[first + k]
        at += 6
    return cut


@kernel
def put_hot(raw, program, out):
    """One-hots: place, kind, least value, how many values, component."""
    at, cut = int(program[HOT]), 0
    for _ in range(int(program[HOT + 1])):
        kind = int(program[np.uint32(at + 1)])
        value = number_at(raw, program[np.uint32(at)], kind) - int(program[np.uint32(at + 2)])
        good = 0 <= value < program[np.uint32(at + 3)]
        into = int(program[np.uint32(at + 4)])
        out[np.uint32(into + (value if good else 0))] = good
        cut = cut if good else into + 1
        at += 5
    return cut


@kernel
def put_player(raw, program, players, out):
    """Players by their place after the viewer, nobody below 0: place, kind, component."""
    viewer = int(raw[np.uint32(program[VIEWER_AT])])
    at = int(program[PLAYER])
    for _ in range(int(program[PLAYER + 1])):
        found = number_at(raw, program[np.uint32(at)], int(program[np.uint32(at + 1)]))
        good = 0 <= found < players
        after = found - viewer + (players if found < viewer else 0)
        out[np.uint32(int(program[np.uint32(at + 2)]) + (after if good else 0))] = good
        at += 3


@kernel
def put_players(raw, program, players, out):
    """Masks of players: place, kind, component."""
    viewer = int(raw[np.uint32(program[VIEWER_AT])])
    at = int(program[PLAYERS])
    for _ in range(int(program[PLAYERS + 1])):
        found = number_at(raw, program[at], program[at + 1])
        for k in range(players):
            player = viewer + k - (players if viewer + k >= players else 0)
            out[np.uint32(program[at + 2] + k)] = (found >> player) & 1
        at += 3


@kernel
def put_bits(raw, program, tables, out):
    """Masks: place, bytes, the bits there may be as two numbers, how many, where their numbers stand, component."""
    at, cut = int(program[BITS]), 0
    for _ in range(int(program[BITS + 1])):
        mask = mask_at(raw, program[at], abs(program[at + 1]))
        low, high = np.uint64(program[at + 2]), np.uint64(program[at + 3])
        width, start, into = int(program[at + 4]), int(program[at + 5]), int(program[at + 6])
        allowed = (low & np.uint64(0xFFFFFFFF)) | high << np.uint64(32)
        which, here = tables[start : start + width], out[into : into + width]
        for j in range(width):
            here[j] = np.int32((mask >> np.uint64(which[j])) & np.uint64(1))
        cut = into + 1 if mask & ~allowed else cut
        at += 7
    return cut


@kernel
def put_facts(raw, program, tables, out):
    """One-hots of what numbers stand for, nothing below 0: place, kind, how many are known, their table, component."""
    at, cut = int(program[FACTS]), 0
    for _ in range(int(program[FACTS + 1])):
        value = number_at(raw, program[np.uint32(at)], int(program[np.uint32(at + 1)]))
        known, into = int(program[np.uint32(at + 2)]), int(program[np.uint32(at + 4)])
        good = 0 <= value < known
        word = int(tables[np.uint32(int(program[np.uint32(at + 3)]) + (value if good else 0))])
        out[np.uint32(into + (word if good else 0))] = good
        cut = into + 1 if value >= known else cut
        at += 5
    return cut


@kernel
def put_cards(raw, program, factors, out):
    """How many cards of each kind, the hidden ones first, then the topmost as one-hots.

    Place and kind of the counter, place and kind of the cards, how many kinds there are, how many of the topmost are
    told, place (0: none) and values of a second number, component.
    """
    at, cut = int(program[CARDS]), 0
    first = int(program[SMALL + 1]) + int(program[RUN + 1]) + int(program[WIDE + 1])
    for k in range(int(program[CARDS + 1])):
        count = number_at(raw, program[at], program[at + 1])
        cards, kind, kinds = int(program[at + 2]), int(program[at + 3]), int(program[at + 4])
        second, values, into = int(program[at + 6]), int(program[at + 7]), int(program[at + 8])
        factor, of_hidden = factors[first + 2 * k], factors[first + 2 * k + 1]
        hidden, most = 0, 0
        if kind == 1 and second == 0:
            pile = raw[cards : cards + count]
            for i in range(count):
                card = (int(pile[i]) ^ 0x80) - 0x80
                hidden += put_card(card, into, kinds, factor, out)
                most = max(most, card)
        else:
            for i in range(count):
                card = card_at(raw, cards, kind, second, values, i)
                hidden += put_card(card, into, kinds, factor, out)
                most = max(most, card)
        out[np.uint32(into)] = hidden * of_hidden
        cut = into + 1 if most >= kinds else cut
        for depth in range(int(program[at + 5])):
            into += kinds
            there = depth < count
            card = card_at(raw, cards, kind, second, values, count - 1 - depth if there else 0)
            out[np.uint32(into + (min(max(card, 0), kinds - 1) if there else 0))] = there
        at += 9
    return cut


@kernel
def put_card(card, into, kinds, factor, out):
    """One more of its kind, or 1 if it is hidden."""
    if card <= 0:
        return 1
    here = np.uint32(into + min(card, kinds - 1))
    out[here] = float(out[here]) + factor
    return 0


@kernel
def card_at(raw, cards, kind, second, values, i):
    """The number of a component in a pile; of two numbers, what both stand for."""
    if kind == 1 and second == 0:
        return (int(raw[np.uint32(cards + i)]) ^ 0x80) - 0x80
    size = abs(kind)
    card = number_at(raw, cards + i * size, kind)
    if second > 0 and card > 0:
        card = (card - 1) * values + number_at(raw, second + i * size, kind)
    return card
