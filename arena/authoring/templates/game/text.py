"""Highest Card for people and as JSON."""

from typing import Any

import numpy as np

from engines.errors import PositionError
from engines.pictures import player_name
from engines.piles import HIDDEN
from engines.records import NOBODY, OVER, Layout, Number, Pile, Player, Rest, State, View, Words

from .tables import CARD_NAMES, KINDS_OF_CARDS, MOST_PLAYERS, MOST_ROUNDS, Ending

ENDINGS = tuple(ending.name.lower() for ending in Ending)
SHOWN = ("none", *CARD_NAMES[1:])
ZONES = ("deck", "played", "seat.hand", "seat.buried")


# --- JSON -------------------------------------------------------------------------------------------------


def supply(states: State) -> np.ndarray:
    """Copies of each card in the game."""
    copies = np.zeros(KINDS_OF_CARDS, np.int64)
    copies[1 : int(states["rules"]["highest"][0]) + 1] = int(states["rules"]["copies"][0])
    return copies


def settle(states: State) -> None:
    """Refuse what cannot stand together, and work out whose turn it is."""
    state = states[0]
    players, acted = int(state["players"]), int(state["acted"])
    if not 0 <= acted < players:
        raise PositionError(f"position.acted: {acted}, expected 0 to {players - 1}")
    running = state["ending"] == Ending.RUNNING
    completed, rounds = int(state["completed"]), int(state["rules"]["rounds"])
    if running and completed >= rounds:
        raise PositionError(f"position.completed: {completed}, of {rounds} the game would be over")
    if (won := int(state["seat"]["won"].sum())) > completed:
        raise PositionError(f"position.seat: {won} rounds won, only {completed} are completed")
    state["to_act"] = (int(state["leader"]) + acted) % players if running else OVER


LAYOUT = Layout(
    fields={
        "ending": Words(ENDINGS),
        "completed": Number(0, MOST_ROUNDS, lambda state: int(state["rules"]["rounds"])),
        "leader": Player(),
        "acted": Number(0, MOST_PLAYERS),
        "seat.won": Number(0, MOST_ROUNDS),
        "deck": Pile(CARD_NAMES),
        "played": Pile(CARD_NAMES, known="everybody"),
        "seat.shown": Words(SHOWN),
        "seat.hand": Pile(CARD_NAMES, known="owner", hand=True),
        "seat.buried": Pile(CARD_NAMES, known="owner"),
    },
    per_player=("team", "seat"),
    rest=(Rest("deck", ZONES, supply),),
    settle=settle,
)


def features(states: State) -> list[dict[str, Any]]:
    """For each player the hand he was dealt: `arena balance` says what it is worth."""
    hands = states["seat"]["hand"][0, : int(states["players"][0])]
    return [{"opening hand": tuple(cards_of(hand))} for hand in hands]


# --- for people -------------------------------------------------------------------------------------------


def render(view: View) -> str:
    """The table as one player sees it; '?' is a card he does not know."""
    state = view[0]
    viewer = "" if state["viewer"] == NOBODY else f", seen by {player_name(int(state['viewer']))}"
    if state["to_act"] == OVER:
        what = f"over, {ENDINGS[int(state['ending'])].replace('_', ' ')}"
    else:
        what = f"{player_name(int(state['to_act']))} decides"
    lines = [
        f"Round {int(state['completed']) + 1} of {int(state['rules']['rounds'])}{viewer}: {what}"
    ]
    lines.append(
        f"  Deck {int(state['deck']['count'])}, played: {' '.join(cards_of(state['played']))}"
    )
    for player in range(int(state["players"])):
        seat = state["seat"][player]
        sign = ">" if int(state["to_act"]) == player else " "
        lines.append(
            f"{sign} {player_name(player).capitalize()}: won {int(seat['won'])}, shows {SHOWN[int(seat['shown'])]}, "
            f"hand {' '.join(cards_of(seat['hand']))}, buried {' '.join(cards_of(seat['buried']))}"
        )
    return "\n".join(line.rstrip() for line in lines)


def cards_of(pile: Any) -> list[str]:
    """The cards of a pile, bottom to top."""
    cards = pile["card"][: int(pile["count"])]
    return ["?" if card == HIDDEN else CARD_NAMES[int(card)] for card in cards]
