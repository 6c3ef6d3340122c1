"""The bot named `random`: every legal action equally likely. The referee plays it itself."""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

import numpy as np

from bots.choice import choose_uniformly
from bots.compiled import compiled_kind
from bots.contract import NoParameters
from engines.kernel import kernel


@kernel
def think(views, legal, n, parameters, memory, rng, until):
    """One of the legal actions."""
    return choose_uniformly(legal, n, rng)


KIND = compiled_kind(
    "random",
    "every legal action equally likely",
    NoParameters,
    np.dtype([("none", np.int8)]),
    memory=lambda game, parameters: (),
    link=lambda names: think,
    forgets=True,
)
