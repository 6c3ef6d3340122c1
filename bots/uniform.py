"""The bot named `random`: every legal action equally likely."""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

from dataclasses import dataclass
from typing import Any

from bots.compiled import make_compiled
from bots.core import BotKind
from engines.kernel import kernel
from engines.rng import below


@dataclass(frozen=True)
class Parameters:
    """None."""

    def fields(self) -> dict[str, Any]:
        """Values of the BOT record."""
        return {}


@kernel
def choose_uniformly(legal, n, rng):
    """One of legal[0..n-1]."""
    return int(legal[below(rng, n)])


KIND = BotKind(
    "random",
    "every legal action equally likely",
    Parameters,
    make_compiled("random"),
    compiled=True,
)
