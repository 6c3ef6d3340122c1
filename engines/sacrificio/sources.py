"""Where the points of a position come from."""

from typing import Any

import numpy as np

from engines.records import SEATS, State, copy

from .scoring import points
from .tables import HEART_NAMES, TEMPLE_HEART, TEMPLE_NAMES, Heart
from .words import temples_in


def sources(states: State) -> list[dict[str, int]]:
    """R54, R55, R60 For each player the hearts of his side by colour, and what grouping them brings."""
    plain = copy(states)
    plain["rules"]["same_bonus"] = 0
    plain["rules"]["different_bonus"] = 0
    groups = total(states) - total(plain)
    players = range(int(states["players"][0]))
    return [{**hearts_of(states[0], p), "groups of hearts": int(groups[p])} for p in players]


def total(states: State) -> np.ndarray:
    """The points of all seats."""
    out = np.zeros(SEATS, np.int32)
    points(states, out)
    return out


def hearts_of(state: Any, player: int) -> dict[str, int]:
    """What the hearts of a player's side are worth by colour, without groups."""
    side = [p for p in range(int(state["players"])) if state["team"][p] == state["team"][player]]
    won = [
        int(TEMPLE_HEART[TEMPLE_NAMES.index(name)])
        for p in side
        for name in temples_in(int(state["seat"][p]["hearts"]))
    ]
    worth = {
        heart: int(state["rules"]["black_value"]) if heart == Heart.BLACK else 1 for heart in Heart
    }
    found = {f"{HEART_NAMES[heart]} hearts": n * won.count(heart) for heart, n in worth.items()}
    return {**found, "hollow hearts": sum(int(state["seat"][p]["hollow"]) for p in side)}
