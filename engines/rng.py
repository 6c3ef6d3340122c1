"""Random numbers as an argument: splitmix64 on a `uint64[1]` array.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014); the test pins the published
outputs for seed 1234567. Unbiased bounded integers: Lemire, "Fast random integer generation in an interval" (2019),
here on the upper 32 bits, so bounds go up to 2**32 - 1.
"""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.kernel import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_A = np.uint64(0xBF58476D1CE4E5B9)
MIX_B = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32, S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(11)
LOW32 = np.uint64(0xFFFFFFFF)
SPAN32 = np.uint64(1 << 32)
UNIT = 1.0 / (1 << 53)
MASK64 = (1 << 64) - 1


@kernel
def next_bits(rng):
    """The next 64 random bits as uint64."""
    rng[0] += GOLDEN
    z = rng[0]
    z = (z ^ (z >> S30)) * MIX_A
    z = (z ^ (z >> S27)) * MIX_B
    return z ^ (z >> S31)


@kernel
def below(rng, n):
    """A uniform integer in 0..n-1 without bias; n from 1 to 2**32 - 1."""
    bound = np.uint64(n)
    product = (next_bits(rng) >> S32) * bound
    low = product & LOW32
    if low < bound:
        reject = (SPAN32 - bound) % bound
        while low < reject:
            product = (next_bits(rng) >> S32) * bound
            low = product & LOW32
    return np.int64(product >> S32)


@kernel
def unit(rng):
    """A uniform float in [0, 1)."""
    return float(next_bits(rng) >> S11) * UNIT


@kernel
def shuffle(rng, items, count):
    """Put items[0..count-1] of an integer array in uniformly random order (Fisher and Yates)."""
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        held = items[i]
        items[i] = items[j]
        items[j] = held


def seeded(seed: int) -> np.ndarray:
    """A generator: `uint64[1]` holding `seed` (any Python int, taken modulo 2**64)."""
    return np.array([seed & MASK64], np.uint64)


def mix(*parts: int) -> int:
    """One 64-bit seed from several integers; every part and its place matter."""
    state = 0
    for part in parts:
        state = scrambled((state ^ (part & MASK64)) + int(GOLDEN) & MASK64)
    return state


def mix_arrays(*parts: NDArray[np.uint64] | int) -> NDArray[np.uint64]:
    """`mix` of each element of uint64 arrays of one shape; plain ints go with every element."""
    state: Any = np.uint64(0)
    with np.errstate(over="ignore"):
        for part in parts:
            number = np.uint64(part & MASK64) if isinstance(part, int) else part
            z = (state ^ number) + GOLDEN
            z = (z ^ (z >> S30)) * MIX_A
            z = (z ^ (z >> S27)) * MIX_B
            state = z ^ (z >> S31)
    return np.asarray(state)


def scrambled(z: int) -> int:
    """The output function of splitmix64 on a Python int."""
    z = ((z ^ (z >> 30)) * int(MIX_A)) & MASK64
    z = ((z ^ (z >> 27)) * int(MIX_B)) & MASK64
    return z ^ (z >> 31)
