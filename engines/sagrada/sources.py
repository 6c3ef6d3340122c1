"""Where the points of a position come from."""

import numpy as np

from engines.records import SEATS, State, copy

from .drawing import cards_in
from .scoring import points
from .tables import OBJECTIVE_NAMES


def sources(states: State) -> list[dict[str, int]]:
    """R36, R52 For each player what each objective, the tokens and the empty spaces bring; alone also the target."""
    bare = copy(states)  # nothing counts but the target of a player who is alone
    bare["publics"]["count"] = 0
    bare["seat"]["private"]["count"] = 0
    bare["seat"]["tokens"] = 0
    bare["rules"]["gap_penalty"] = 0
    nothing = total(bare)
    found = {}
    for card in cards_in(states["publics"][0]):
        with_one = copy(bare)
        with_one["publics"]["count"] = 1
        with_one["publics"]["card"][:, 0] = card
        found[OBJECTIVE_NAMES[card]] = total(with_one) - nothing
    for words, part, name in (
        ("private objective", "seat", "private"),
        ("favor tokens", "seat", "tokens"),
        ("empty spaces", "rules", "gap_penalty"),
    ):
        with_one = copy(bare)
        with_one[part][name] = states[part][name]
        found[words] = total(with_one) - nothing
    if int(states["players"][0]) == 1:
        found["target: the dice on the round track"] = nothing
    players = range(int(states["players"][0]))
    return [{words: int(made[player]) for words, made in found.items()} for player in players]


def total(states: State) -> np.ndarray:
    """The points of all seats."""
    out = np.zeros(SEATS, np.int32)
    points(states, out)
    return out
