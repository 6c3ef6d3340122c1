"""Hashes of positions: numbers and piles mixed into the `key` of a State, one after the other."""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np

from engines.kernel import kernel

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(29)
NOTHING = np.uint64(0)  # the hash before the first number


@kernel
def mix(mixed, number):
    """One more number in a hash; their order matters."""
    mixed = (mixed ^ np.uint64(number)) * MULTIPLIER
    return mixed ^ (mixed >> SHIFT)


@kernel
def mix_pile(mixed, pile):
    """The cards of a pile or hand in a hash, their number first; who knows them is left out."""
    mixed = mix(mixed, int(pile.count))
    for i in range(int(pile.count)):
        mixed = mix(mixed, int(pile.card[i]) + 1)
    return mixed


@kernel
def scatter(number):
    """A number spread over 64 bits, to be added up with others in any order."""
    mixed = np.uint64(number + 1) * MULTIPLIER
    mixed = (mixed ^ (mixed >> SHIFT)) * SECOND
    return mixed ^ (mixed >> SHIFT)
