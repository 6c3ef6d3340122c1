"""What actions cost, in words."""

from engines.records import View

from .actions import ACTION_KIND, Kind

COSTS = {
    Kind.REPOSITION: "costs a discarded card",
    Kind.ZERO: "free, brings a move",
}


def costs(view: View, action: int) -> str:
    """R35, R39 What an action costs besides its move and the cards that it names."""
    return COSTS.get(Kind(int(ACTION_KIND[action])), "")
