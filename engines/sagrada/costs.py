"""What actions cost, in words."""

from engines.records import View

from .actions import ACTION_FIELD, ACTION_KIND, Kind
from .tables import COLOUR_NAMES, TOOL_COLOUR


def costs(view: View, action: int) -> str:
    """R19, R50 The favor tokens, or alone the die, that a tool costs."""
    state = view[0]
    if ACTION_KIND[action] != Kind.USE:
        return ""
    tool = int(ACTION_FIELD[action, 0]) + 1
    if int(state["players"]) == 1:
        return f"costs a {COLOUR_NAMES[int(TOOL_COLOUR[tool])].lower()} die"
    price = int(state["rules"]["later_cost" if state["tool_tokens"][tool] else "first_cost"])
    return f"costs {price} token{'s' * (price != 1)}"
