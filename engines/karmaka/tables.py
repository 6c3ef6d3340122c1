"""The components and names of Karmaka that no variant changes."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

MOST_PLAYERS = 4
CARDS_IN_ALL = 64
TRANSCENDENCE = 4  # the rung that wins
RUNGS = ("Dung Beetle", "Snake", "Wolf", "Ape", "Transcendence")
RUINS_KEPT = 3  # top cards of the Ruins that stay there when the Well is refilled
OFFERED_RUINS = 3  # top cards of the Ruins that Recycle and Salvage reach
UNLIMITED = -1  # ring supply without an end
MOST_TURNS_EACH = 5000  # until a variant stops the game
MOST_TURNS = MOST_PLAYERS * MOST_TURNS_EACH
MOST_PLAYS = 1000  # in one turn


class Colour(IntEnum):
    """What a card counts for; a mosaic counts for all three colours."""

    RED = 0
    GREEN = 1
    BLUE = 2
    MOSAIC = 3


class On(IntEnum):
    """Whom an ability is played on."""

    SELF = 0  # nobody is chosen
    RIVAL = 1
    PLAYER = 2  # a rival, a partner or oneself


class CardFacts(NamedTuple):
    """One printed card."""

    name: str
    title: str
    colour: Colour
    points: int
    copies: int
    on: On
    again: bool  # grants another play after its karmic cost
    draws: int = 0  # cards drawn from the Well at once


CARDS = (
    CardFacts("panic", "Panic", Colour.RED, 1, 3, On.PLAYER, True),
    CardFacts("dwindle", "Dwindle", Colour.RED, 1, 3, On.PLAYER, False),
    CardFacts("crisis", "Crisis", Colour.RED, 2, 3, On.RIVAL, False),
    CardFacts("roulette", "Roulette", Colour.RED, 2, 3, On.SELF, False),
    CardFacts("hells_heart", "Hell's Heart", Colour.RED, 2, 3, On.RIVAL, False),
    CardFacts("vengeance", "Vengeance", Colour.RED, 3, 2, On.RIVAL, False),
    CardFacts("spite", "Spite", Colour.RED, 3, 2, On.RIVAL, False),
    CardFacts("another_day", "Another Day", Colour.GREEN, 1, 3, On.SELF, True, 1),
    CardFacts("recycle", "Recycle", Colour.GREEN, 1, 3, On.SELF, False),
    CardFacts("salvage", "Salvage", Colour.GREEN, 2, 3, On.SELF, False),
    CardFacts("longevity", "Longevity", Colour.GREEN, 2, 3, On.PLAYER, False),
    CardFacts("sowing", "Sowing", Colour.GREEN, 2, 3, On.SELF, False, 2),
    CardFacts("journey", "Journey", Colour.GREEN, 3, 2, On.SELF, True, 3),
    CardFacts("jubilee", "Jubilee", Colour.GREEN, 3, 2, On.SELF, False),
    CardFacts("transmigrate", "Transmigrate", Colour.BLUE, 1, 3, On.SELF, False),
    CardFacts("peek", "Peek", Colour.BLUE, 1, 3, On.RIVAL, True),
    CardFacts("destiny", "Destiny", Colour.BLUE, 2, 3, On.SELF, False),
    CardFacts("stolen_dreams", "Stolen Dreams", Colour.BLUE, 2, 3, On.RIVAL, False),
    CardFacts("denial", "Denial", Colour.BLUE, 2, 3, On.SELF, False),
    CardFacts("swindle", "Swindle", Colour.BLUE, 3, 2, On.RIVAL, False),
    CardFacts("thievery", "Thievery", Colour.BLUE, 3, 2, On.RIVAL, False),
    CardFacts("embody", "Embody", Colour.MOSAIC, 1, 5, On.SELF, False),
    CardFacts("mimic", "Mimic", Colour.MOSAIC, 1, 2, On.SELF, False),
)

Card = IntEnum("Card", [card.name.upper() for card in CARDS])  # numbered from 1; 0 is no card
CARD_NAMES = ("?", *(card.name for card in CARDS))  # by card number
KINDS_OF_CARDS = len(CARD_NAMES)

CARD_TEXTS = (  # by card number, for people: what the ability does (R30 to R52)
    "",
    "the top card of the target's Deck goes onto the Ruins",
    "the target puts one of his Hand cards onto the Ruins",
    "the rival puts one of his Deeds onto the Ruins",
    "ruin up to two Hand cards, then draw up to one card more than were ruined",
    "the top two cards of the rival's Future go onto the Ruins",
    "the rival's exposed Deed goes onto the Ruins",
    "two random cards of the rival's Hand go onto the Ruins",
    "draw one card from the Well",
    "one of the top three Ruins cards goes onto your Future",
    "one of the top three Ruins cards goes to your Hand",
    "two Well cards are dealt onto the target's Deck, unseen",
    "draw two cards from the Well, then put two Hand cards onto your Future",
    "draw three cards from the Well",
    "put up to two Hand cards onto your Deeds",
    "one card of your Future goes to your Hand",
    "look at the rival's whole Hand",
    "look at the top three Well cards; put up to two onto your Future, the others back in any order",
    "the top card of the rival's Future goes onto your Future",
    "ruin a Hand card and resolve its ability",
    "three random cards of the rival's Hand are held out: keep one, the others go back",
    "the rival's exposed Deed goes to your Hand",
    "resolve the ability of one of your Deeds",
    "resolve the ability of a rival's exposed Deed",
)

CARD_COLOUR = np.array([0, *(card.colour for card in CARDS)], np.int64)
CARD_POINTS = np.array([0, *(card.points for card in CARDS)], np.int64)
CARD_COPIES = np.array([0, *(card.copies for card in CARDS)], np.int64)
CARD_ON = np.array([0, *(card.on for card in CARDS)], np.int64)
CARD_DRAWS = np.array([0, *(card.draws for card in CARDS)], np.int64)
CARD_AGAIN = np.array([0, *(card.again for card in CARDS)], np.int64)


class Mode(IntEnum):
    """Who wins together."""

    FREE_FOR_ALL = 0
    TWO_AGAINST_TWO = 1
    BIG_BAD_WOLF = 2


class CapResult(IntEnum):
    """Who wins when the turns have run out."""

    LADDER_SHARE = 0
    LADDER_RINGS = 1
    DRAW = 2


class Ending(IntEnum):
    """Why the game ended."""

    RUNNING = 0
    TRANSCENDENCE = 1
    TURN_CAP = 2


class Phase(IntEnum):
    """What the player to act decides; the sheet's number of the decision behind it."""

    NONE = 0  # an empty frame, or the game is over
    START = 1  # only in positions given as text: the turn of `to_act` is about to begin
    MAIN = 2  # D1
    BONUS = 3  # D2
    RIVAL = 4  # D3
    PLAYER = 5  # D4
    MIMIC_RIVAL = 6  # D5
    OWN_DEED = 7  # D6
    FUTURE_POSITION = 8  # D7
    DESTINY_TAKE = 9  # D8
    DESTINY_ORDER = 10  # D9
    DENIAL_RUIN = 11  # D10
    SWINDLE_TAKE = 12  # D11
    RUINS_PICK = 13  # D12
    SOW = 14  # D13
    JUBILEE = 15  # D14
    DWINDLE_RUIN = 16  # D15
    CRISIS_RUIN = 17  # D16
    ROULETTE_RUIN = 18  # D17
    ROULETTE_DRAW = 19  # D18
    OFFER = 20  # D19
    RINGS = 21  # D20


class Needs(IntEnum):
    """What must not be empty for a decision to have options."""

    NOTHING = 0
    HAND = 1
    DEEDS = 2
    FUTURE = 3
    HELD = 4
    RUINS = 5
    WELL = 6  # after a refill, if it takes one


_NEEDS = {
    Phase.BONUS: Needs.HAND,
    Phase.OWN_DEED: Needs.DEEDS,
    Phase.FUTURE_POSITION: Needs.FUTURE,
    Phase.DESTINY_TAKE: Needs.HELD,
    Phase.DESTINY_ORDER: Needs.HELD,
    Phase.DENIAL_RUIN: Needs.HAND,
    Phase.SWINDLE_TAKE: Needs.HELD,
    Phase.RUINS_PICK: Needs.RUINS,
    Phase.SOW: Needs.HAND,
    Phase.JUBILEE: Needs.HAND,
    Phase.DWINDLE_RUIN: Needs.HAND,
    Phase.CRISIS_RUIN: Needs.DEEDS,
    Phase.ROULETTE_RUIN: Needs.HAND,
    Phase.ROULETTE_DRAW: Needs.WELL,
}
PHASE_NEEDS = np.array([_NEEDS.get(phase, Needs.NOTHING) for phase in Phase], np.int64)
