"""The position, its options and its setup."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from engines.core import Option
from engines.errors import OptionError
from engines.kernel import kernel
from engines.piles import UNSEEN, insert, pile, pop, push, shuffle_pile
from engines.records import HEADER, NOBODY, State

from .tables import CARDS_IN_ALL, HIGHEST, MOST_COPIES, MOST_PLAYERS, MOST_ROUNDS


@dataclass(frozen=True)
class Variant:
    """What a config may change."""

    highest: Annotated[int, Option("the highest card", 2, HIGHEST)] = 9
    copies: Annotated[int, Option("copies of each card", 1, MOST_COPIES)] = 3
    hand_size: Annotated[int, Option("cards dealt to each player", 1, 6)] = 4
    rounds: Annotated[int, Option("rounds until the game ends", 1, MOST_ROUNDS)] = 6


RULES = np.dtype(
    [
        ("highest", np.int8),
        ("copies", np.int8),
        ("hand_size", np.int8),
        ("rounds", np.int8),
    ]
)
PILE = pile(CARDS_IN_ALL)
SEAT = np.dtype(
    [
        ("won", np.int8),  # rounds
        ("shown", np.int8),  # the card played in this round, 0: none or a buried one
        ("hand", PILE),
        ("buried", PILE),  # seen by its owner alone
    ]
)
STATE = np.dtype(
    [
        *HEADER,
        ("rules", RULES),  # the variant
        ("ending", np.int8),  # an Ending
        ("completed", np.int8),  # rounds completed
        ("leader", np.int8),  # who began this round
        ("acted", np.int8),  # players who have had their turn in it
        ("deck", PILE),  # its top is drawn
        ("played", PILE),  # all cards that were ever played
        ("seat", SEAT, (MOST_PLAYERS,)),
    ]
)


def blank(players: int, variant: Variant) -> State:
    """Header and rules, nothing dealt."""
    cards = variant.highest * variant.copies
    if not 2 <= players <= MOST_PLAYERS:
        raise OptionError(f"players: {players}, Highest Card has 2 to {MOST_PLAYERS}")
    if players * variant.hand_size > cards:
        raise OptionError(
            f"hand_size: {variant.hand_size}, {cards} cards give {players} players at most {cards // players}"
        )
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    states["team"] = np.arange(MOST_PLAYERS)
    for name in RULES.names or ():
        states["rules"][name] = getattr(variant, name)
    return states


@kernel
def deal(states, rng):
    """R1 Shuffle the deck and deal the hands; all chance of the game is settled here."""
    state = states[0]
    for card in range(1, int(state.rules.highest) + 1):
        for _ in range(int(state.rules.copies)):
            push(state.deck, card, UNSEEN)
    shuffle_pile(rng, state.deck)
    for _ in range(int(state.rules.hand_size)):
        for player in range(int(state.players)):
            insert(state.seat[player].hand, pop(state.deck)[0], 1 << player)
    state.to_act = 0
