"""The position of a game of Karmaka, its options and its setup."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from engines.core import Option
from engines.errors import OptionError
from engines.piles import pile
from engines.records import HEADER, NOBODY, State

from .tables import (
    CARD_COPIES,
    CARD_NAMES,
    CARDS_IN_ALL,
    KINDS_OF_CARDS,
    MOST_PLAYERS,
    MOST_PLAYS,
    MOST_TURNS_EACH,
    TRANSCENDENCE,
    UNLIMITED,
    CapResult,
    Mode,
    Phase,
)

MODES = {
    "free-for-all": Mode.FREE_FOR_ALL,
    "2v2": Mode.TWO_AGAINST_TWO,
    "bbw": Mode.BIG_BAD_WOLF,
}
CAP_RESULTS = {
    "ladder_share": CapResult.LADDER_SHARE,
    "ladder_rings": CapResult.LADDER_RINGS,
    "draw": CapResult.DRAW,
}


@dataclass(frozen=True)
class Variant:
    """The options of Karmaka; RULES.md says which rule each one changes."""

    mode: Annotated[
        str,
        Option(
            "who wins together: nobody, partners opposite, or a pair against a wolf",
            choices=tuple(MODES),
        ),
    ] = "free-for-all"
    first_player: Annotated[str, Option("who begins", choices=("0", "random"))] = "0"
    wolf_seat: Annotated[int, Option("bbw: the player who is alone", 0, 2)] = 0
    wolf_rung: Annotated[int, Option("bbw: where the wolf starts", 0, 3)] = 2
    bbw_ally_future: Annotated[
        bool, Option("bbw: the pair may play cards to the partner's Future")
    ] = False
    opposite_gets_offer: Annotated[
        bool,
        Option("4 players, free-for-all: the opposite player is offered cards that hit no rival"),
    ] = True
    ring_supply: Annotated[int | None, Option("Karmic Rings in all, none = unlimited", 0, 999)] = 12
    ring_choice: Annotated[
        str, Option("whether a dying player may save his rings", choices=("ask", "auto"))
    ] = "ask"
    placement: Annotated[
        str, Option("whether the losers are ranked by rung", choices=("winner_only", "ladder"))
    ] = "winner_only"
    cap_result: Annotated[
        str, Option("who wins when the turns have run out", choices=tuple(CAP_RESULTS))
    ] = "ladder_share"
    max_turns_per_player: Annotated[
        int, Option("turns until the game is stopped", 1, MOST_TURNS_EACH, within=500)
    ] = 200
    max_plays_per_turn: Annotated[
        int, Option("abilities in one turn until no further play is granted", 1, MOST_PLAYS)
    ] = 64
    hand_size: Annotated[int, Option("cards dealt to each Hand at the start", 1, 10)] = 4
    deck_size: Annotated[int, Option("cards dealt to each Deck at the start", 0, 10)] = 2
    reborn_size: Annotated[
        int, Option("cards of a reborn player: a smaller Hand is made up by a new Deck", 1, 12)
    ] = 6
    thresholds: Annotated[
        tuple[int, ...], Option("points to leave the four rungs, from the lowest", 0, 60)
    ] = (4, 5, 6, 7)
    without: Annotated[
        tuple[str, ...], Option("cards left out of the game", choices=CARD_NAMES[1:])
    ] = ()


PILE = pile(CARDS_IN_ALL)

RULES = np.dtype(
    [
        ("mode", np.int8),  # a Mode
        ("random_start", np.int8),  # 1: the player who begins is drawn by lot
        ("ally_future", np.int8),  # 1: cards may be played to a partner's Future
        ("opposite_gets_offer", np.int8),  # 1: so does the opposite one of four
        ("auto_rings", np.int8),  # 1: rings are spent whenever they suffice
        ("rank_losers", np.int8),  # 1: placement by ladder
        ("cap_result", np.int8),  # a CapResult
        ("ring_supply", np.int16),  # rings in all, or UNLIMITED
        ("most_turns", np.int16),  # turns of all players together until the game is stopped
        ("most_plays", np.int16),  # abilities in a turn until no further play is granted
        ("hand_size", np.int8),
        ("deck_size", np.int8),
        ("reborn_size", np.int8),
        ("thresholds", np.int8, (TRANSCENDENCE,)),  # points to leave each rung
        ("copies", np.int8, (KINDS_OF_CARDS,)),  # of each card in the game
    ]
)

SEAT = np.dtype(
    [
        ("rung", np.int8),  # 0 to TRANSCENDENCE
        ("rings", np.int16),
        ("hand", PILE),
        ("deck", PILE),  # known to nobody, not even the owner
        ("future", PILE),
        ("deeds", PILE),  # oldest first; the exposed one is the last
    ]
)

FRAME = np.dtype(
    [
        ("phase", np.int8),  # a Phase
        ("player", np.int8),  # who will be asked
        ("left", np.int8),  # how often
    ]
)
MOST_PENDING = 8

STATE = np.dtype(
    [
        *HEADER,
        ("rules", RULES),  # the variant
        ("phase", np.int8),  # a Phase: what to_act decides
        ("left", np.int8),  # how often he still is asked this, the present time included
        ("active", np.int8),  # whose turn it is
        ("turn", np.int16),  # turns completed by all players together
        ("plays", np.int16),  # abilities played in this turn
        ("table", np.int8),  # the card that is being played for its ability
        ("ability", np.int8),  # the ability that is being resolved: that card's or the copied one's
        (
            "chain",
            np.int8,
        ),  # copy cards resolved since the last card was paid for: 1 Embody, 2 Mimic
        ("victim", np.int8),  # the rival it was played on, or NOBODY
        ("again", np.int8),  # 1: the ability grants another play
        ("depth", np.int8),  # frames in `pending`
        ("pending", FRAME, (MOST_PENDING,)),  # decisions that wait; the last one is asked first
        ("well", PILE),
        ("ruins", PILE),
        ("held", PILE),  # cards looked at by Destiny or Swindle; kept sorted as a hand
        ("seat", SEAT, (MOST_PLAYERS,)),
        ("ending", np.int8),  # an Ending
    ]
)


def blank(players: int, variant: Variant) -> State:
    """An empty table of the variant: no card placed, player 0 about to play a card.

    Raises:
        OptionError: the variant cannot be played by so many, or contradicts itself.
    """
    check_options(players, variant)
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    states["victim"] = NOBODY
    states["phase"] = Phase.MAIN
    states["left"] = 1
    states["team"] = teams(variant)
    if variant.mode == "bbw":
        states["seat"]["rung"][0, variant.wolf_seat] = variant.wolf_rung
    write_rules(states["rules"][0], players, variant)
    return states


def check_options(players: int, variant: Variant) -> None:
    """Refuse what cannot be played, in one line that says why."""
    needed = {"2v2": 4, "bbw": 3}.get(variant.mode, players)
    if players != needed:
        raise OptionError(f"players: {players}, Karmaka in mode {variant.mode} has {needed}")
    if not 2 <= players <= MOST_PLAYERS:
        raise OptionError(f"players: {players}, Karmaka has 2 to {MOST_PLAYERS}")
    if len(variant.thresholds) != TRANSCENDENCE:
        raise OptionError(
            f"thresholds: {len(variant.thresholds)} numbers, expected {TRANSCENDENCE}"
        )
    dealt = players * (variant.hand_size + variant.deck_size)
    cards = int(copies_in_game(variant).sum())
    if dealt > cards:
        raise OptionError(
            f"hand_size, deck_size: {dealt} cards to deal to {players} players, there are {cards}"
        )


def copies_in_game(variant: Variant) -> np.ndarray:
    """Copies of each card number that the variant plays with."""
    left_out = [CARD_NAMES.index(name) for name in variant.without]
    copies = CARD_COPIES.copy()
    copies[left_out] = 0
    return copies


def teams(variant: Variant) -> list[int]:
    """The side of each player: 0 is the wolf's in bbw."""
    if variant.mode == "2v2":
        return [0, 1, 0, 1]
    if variant.mode == "bbw":
        return [*(0 if player == variant.wolf_seat else 1 for player in range(3)), 3]
    return list(range(MOST_PLAYERS))


def write_rules(rules: np.void, players: int, variant: Variant) -> None:
    """Put a variant into the record that the rules read."""
    rules["mode"] = MODES[variant.mode]
    rules["random_start"] = variant.first_player == "random"
    rules["ally_future"] = variant.mode == "2v2" or (
        variant.mode == "bbw" and variant.bbw_ally_future
    )
    rules["opposite_gets_offer"] = (
        variant.opposite_gets_offer or players < MOST_PLAYERS or variant.mode != "free-for-all"
    )
    rules["auto_rings"] = variant.ring_choice == "auto"
    rules["rank_losers"] = variant.placement == "ladder"
    rules["cap_result"] = CAP_RESULTS[variant.cap_result]
    rules["ring_supply"] = UNLIMITED if variant.ring_supply is None else variant.ring_supply
    rules["most_turns"] = variant.max_turns_per_player * players
    rules["most_plays"] = variant.max_plays_per_turn
    rules["hand_size"] = variant.hand_size
    rules["deck_size"] = variant.deck_size
    rules["reborn_size"] = variant.reborn_size
    rules["thresholds"] = variant.thresholds
    rules["copies"] = copies_in_game(variant)
