"""Choosing among legal actions: the small kernels that several bots share."""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

from engines.kernel import kernel
from engines.rng import below

TIE = 1e-12


@kernel
def choose_uniformly(legal, n, rng):
    """One of legal[0..n-1]."""
    return int(legal[below(rng, n)])


@kernel
def best_of(scores, n, rng):
    """The position of the highest of scores[0..n-1]; equal ones are equally likely."""
    best = 0
    ties = 1
    for i in range(1, n):
        if scores[i] > scores[best] + TIE:
            best = i
            ties = 1
        elif scores[i] >= scores[best] - TIE:
            ties += 1
            if below(rng, ties) == 0:
                best = i
    return best
