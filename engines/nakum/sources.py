"""Where the points of a position come from."""

from typing import Any

import numpy as np

from engines.records import State

from .drawing import cards_in
from .tables import Phase

GOODS = {"maize": "maize", "hide": "hides", "mask": "jade masks"}


def sources(states: State) -> list[dict[str, int]]:
    """R28 For each player the VP tokens, the points of each set of cards, and what the resources left are worth."""
    state = states[0]
    return [sources_of(state, player) for player in range(int(state["players"]))]


def sources_of(state: Any, player: int) -> dict[str, int]:
    """One player's points by source; first heritage cards count once all have laid theirs (R4)."""
    seat, rules = state["seat"][player], state["rules"]
    played = cards_in(seat["heritage_played"]) if state["phase"] != Phase.HERITAGE else []
    found = {
        "VP tokens": int(seat["vp"]),
        "offerings": int(seat["offerings"] @ rules["offering"]["end"].astype(np.int64)),
        "market cards": int(seat["market_owned"] @ rules["market"]["end"].astype(np.int64)),
        "heritage cards": sum(int(rules["heritage"]["end"][card]) for card in played),
    }
    for name, words in GOODS.items():
        rate = int(rules["per_vp"][name])
        found[words] = int(seat[name]) // rate if rate > 0 else 0
    return found
