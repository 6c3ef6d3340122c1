"""What actions cost, in words."""

from engines.records import View, copy
from engines.rng import seeded

from .rules import apply
from .tables import Phase


def costs(view: View, action: int) -> str:
    """R6, R16, R20 The movement points that an action takes; what is free costs nothing."""
    if view[0]["phase"] != Phase.MAIN:
        return ""
    after = copy(view)
    apply(after, action, seeded(0))
    if after[0]["turn"] != view[0]["turn"]:
        return ""
    paid = int(view[0]["points"]) - int(after[0]["points"])
    return f"costs {paid} point{'s' * (paid != 1)}" if paid > 0 else ""
