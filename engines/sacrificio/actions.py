"""The actions of Sacrificio: the card, and where it goes in whose zone."""

from enum import IntEnum

import numpy as np

from engines.actions import UNKNOWN, ActionTable, Field, Secrecy
from engines.actions import Kind as ActionKind
from engines.core import Subjects

from .tables import (
    CARD_CODES,
    CARDS,
    EXCHANGES,
    FAMILY_SIZE,
    LAST_TAKEABLE,
    MOST_PLAYERS,
    PRIESTS,
    SITE_NAMES,
    SITES,
    SLOT_NAMES,
    SLOTS,
    TEMPLE_NAMES,
    Card,
    Event,
)


class Kind(IntEnum):
    """The kinds of actions; those up to WIPE can be answered; those that end a list come last."""

    PLACE = 0
    STACK = 1
    LUNAR = 2
    CLEANSE = 3
    RITUAL = 4
    FOREIGN = 5
    ATTACK = 6
    SOLAR = 7
    REPOSITION = 8
    EXCHANGE = 9
    DISCARD = 10
    ZERO = 11
    GOAL = 12
    REMOVE = 13
    PAY = 14
    WIPE = 15
    REACT = 16
    PASS = 17
    TOP = 18
    TAKE = 19
    STOP = 20
    TEMPLE = 21
    CURSE = 22


PLACED = ("VM", "VW", "VR", "PA", "PB", "PC", "PU", "KU", "SV", "SP")  # by card number, as all here
STACKED = ("ES", "EL", "KU", "CU")
CLEANSING = ("SV", "SP", "SD")
FINISHING = ("DR", "DG", "DB", "KU", "SD")
ATTACKING = ("DR", "DG", "DB", "SD")
ANSWERING = ("DR", "DG", "DB", "KU", "CU", "SD")


def exchange_words() -> tuple[str, ...]:
    """'VM VM VW for SV' for each family and each set of its cards."""
    words = []
    for family, supreme in enumerate(CLEANSING):
        codes = CARD_CODES[1 + FAMILY_SIZE * family :]
        for counts in EXCHANGES:
            given = [code for code, count in zip(codes, counts, strict=False) for _ in range(count)]
            words.append(f"{' '.join(given)} for {supreme}")
    return tuple(words)


EXCHANGE_WORDS = exchange_words()
_PLAYER = Field("player", tuple(f"P{player}" for player in range(MOST_PLAYERS)))
_SLOT = Field("slot", SLOT_NAMES)
_SITE = Field("site", SITE_NAMES)
_OTHER_SITE = Field("other", SITE_NAMES)
_CARD = Field("card", CARD_CODES[1:])
_TEMPLE = Field("temple", (UNKNOWN, *TEMPLE_NAMES[1:]), hidden=True)

ACTIONS = ActionTable(
    [
        ActionKind("place {card} at {player} {slot}", (Field("card", PLACED), _PLAYER, _SLOT)),
        ActionKind("stack {card} on {player} {site}", (Field("card", STACKED), _PLAYER, _SITE)),
        ActionKind("replace {player} {site}", (_PLAYER, _SITE)),
        ActionKind("cleanse {card} on {player} {site}", (Field("card", CLEANSING), _PLAYER, _SITE)),
        ActionKind("ritual {card} on {site}", (Field("card", FINISHING), _SITE)),
        ActionKind("ritual {card} on {player} {site}", (Field("card", FINISHING), _PLAYER, _SITE)),
        ActionKind("attack {card} at {player} {slot}", (Field("card", ATTACKING), _PLAYER, _SLOT)),
        ActionKind("swap {site} with {player} {other}", (_SITE, _PLAYER, _OTHER_SITE)),
        ActionKind("reposition {slot}", (_SLOT,)),
        ActionKind("exchange {cards}", (Field("cards", EXCHANGE_WORDS),)),
        ActionKind("discard {card}", (_CARD,)),
        ActionKind("zero"),
        ActionKind("to {slot}", (_SLOT,)),
        ActionKind("remove"),
        ActionKind("pay {card}", (_CARD,)),
        ActionKind("wipe {player} {site}", (_PLAYER, _SITE)),
        ActionKind("react {card}", (Field("card", ANSWERING),)),
        ActionKind("pass", secrecy=Secrecy.SILENT),
        ActionKind("top {card}", (Field("card", CARD_CODES[1 : LAST_TAKEABLE + 1]),)),
        ActionKind("take from {player}", (_PLAYER,)),
        ActionKind("stop"),
        ActionKind("temple {temple}", (_TEMPLE,), Secrecy.SECRET),
        ActionKind("react CU on {site}", (_SITE,)),
    ]
)
ACTION_KIND = ACTIONS.kind
MOST_LEGAL = ACTIONS.start(Kind.GOAL)  # no list is longer than all moves together

SOLAR = ACTIONS.start(Kind.SOLAR)
REPOSITION = ACTIONS.start(Kind.REPOSITION)
EXCHANGE_FOR = ACTIONS.start(Kind.EXCHANGE)
DISCARD = ACTIONS.start(Kind.DISCARD) - 1  # + card number
ZERO = ACTIONS.start(Kind.ZERO)
GOAL = ACTIONS.start(Kind.GOAL)
REMOVE = ACTIONS.start(Kind.REMOVE)
PAY = ACTIONS.start(Kind.PAY) - 1  # + card number
WIPE = ACTIONS.start(Kind.WIPE)
REACT = ACTIONS.start(Kind.REACT)
PASS = ACTIONS.start(Kind.PASS)
TOP = ACTIONS.start(Kind.TOP) - 1  # + card number
TAKE = ACTIONS.start(Kind.TAKE)
STOP = ACTIONS.start(Kind.STOP)
TEMPLE = ACTIONS.start(Kind.TEMPLE)  # + temple number
CURSE = ACTIONS.start(Kind.CURSE)  # + site


# --- what an action says, by field ------------------------------------------------------------------------

SELF = -1  # in ACTION_OWNER: the zone of the player who acts
PLAYED = {  # the card that a kind without a card in its text plays
    Kind.LUNAR: Card.EL,
    Kind.SOLAR: Card.ES,
    Kind.ZERO: Card.ZE,
    Kind.CURSE: Card.CU,
}


def field_of(kind: ActionKind, values: np.ndarray, name: str, words: tuple[str, ...]) -> int:
    """The number in `words` of the word that a field has, or -1."""
    for field, value in zip(kind.fields, values, strict=False):
        if field.name == name:
            word = field.words[value]
            return words.index(word) if word in words else -1
    return -1


def columns() -> list[tuple[int, int, int, int]]:
    """For each action: its card or exchange or temple, the owner of the zone, slot or site, second site."""
    found = []
    for action in range(ACTIONS.size):
        number = int(ACTION_KIND[action])
        kind, values = ACTIONS.kinds[number], ACTIONS.field[action]
        subject = field_of(kind, values, "card", CARD_CODES)
        if subject < 0:
            subject = field_of(kind, values, "cards", EXCHANGE_WORDS)
        if subject < 0:
            subject = max(0, field_of(kind, values, "temple", TEMPLE_NAMES))
        spot = field_of(kind, values, "slot", SLOT_NAMES)
        if spot < 0:
            spot = field_of(kind, values, "site", SITE_NAMES)
        other = field_of(kind, values, "other", SITE_NAMES)
        owner = field_of(kind, values, "player", _PLAYER.words)
        found.append((int(PLAYED.get(Kind(number), subject)), owner, spot, other))
    return found


_COLUMNS = np.array(columns(), np.int16)
ACTION_CARD = np.ascontiguousarray(_COLUMNS[:, 0])  # card, exchange or temple number
ACTION_OWNER = np.ascontiguousarray(_COLUMNS[:, 1])  # a player, or SELF
ACTION_SPOT = np.ascontiguousarray(_COLUMNS[:, 2])  # slot or site
ACTION_OTHER = np.ascontiguousarray(_COLUMNS[:, 3])  # the other player's site of a swap


_FROM_HAND = frozenset(
    {Kind.PLACE, Kind.STACK, Kind.LUNAR, Kind.SOLAR, Kind.CLEANSE, Kind.RITUAL, Kind.FOREIGN}
    | {Kind.ATTACK, Kind.DISCARD, Kind.ZERO, Kind.PAY, Kind.REACT, Kind.CURSE}
)
SPENT_CARD = np.array(  # the card that leaves the hand with an action, or 0
    [ACTION_CARD[a] if Kind(int(ACTION_KIND[a])) in _FROM_HAND else 0 for a in range(ACTIONS.size)],
    np.int16,
)


def card_index(codes: tuple[str, ...]) -> np.ndarray:
    """int64[cards]: the place of each card among those of a kind, or -1."""
    return np.array([codes.index(c) if c in codes else -1 for c in CARD_CODES], np.int64)


ANSWER_INDEX = card_index(ANSWERING)


def event_of(kind: int, card: int) -> Event:
    """R41 What a move is to those who may answer it."""
    if kind == Kind.WIPE:
        return Event.WIPE
    if kind in (Kind.RITUAL, Kind.FOREIGN):
        return Event.KUKULKAN_RITUAL if card == Card.KU else Event.RITUAL
    if kind == Kind.ATTACK:
        return Event.SUPREME_ATTACK if card == Card.SD else Event.ATTACK
    if kind == Kind.SOLAR:
        return Event.SOLAR
    if kind == Kind.CLEANSE:
        return Event.CLEANSE
    if kind not in (Kind.PLACE, Kind.STACK, Kind.LUNAR) or card == Card.KU:
        return Event.NONE
    if kind != Kind.PLACE:
        return Event.STACK
    if card == Card.PU:
        return Event.PULQUE
    if card == Card.SP:
        return Event.SUPREME_PRIEST
    return Event.PRIEST if PRIESTS >> card & 1 else Event.VICTIM


ACTION_EVENT = np.array(
    [event_of(int(ACTION_KIND[a]), int(ACTION_CARD[a])) for a in range(ACTIONS.size)], np.int8
)

# The moves that put a card somewhere in a zone: action = first of the card + owner * places of a zone + place.
AIMED = {
    Kind.PLACE: (PLACED, MOST_PLAYERS * SLOTS),
    Kind.STACK: (STACKED, MOST_PLAYERS * SITES),
    Kind.LUNAR: (("EL",), MOST_PLAYERS * SITES),
    Kind.CLEANSE: (CLEANSING, MOST_PLAYERS * SITES),
    Kind.RITUAL: (FINISHING, SITES),  # in the own zone: names no owner
    Kind.FOREIGN: (FINISHING, MOST_PLAYERS * SITES),
    Kind.ATTACK: (ATTACKING, MOST_PLAYERS * SLOTS),
}


def first_actions() -> np.ndarray:
    """int64[aimed kinds, cards]: the first action of a kind with a card, or -1."""
    rows = [
        np.where(card_index(codes) < 0, -1, ACTIONS.start(kind) + card_index(codes) * span)
        for kind, (codes, span) in AIMED.items()
    ]
    return np.array(rows, np.int64)


FIRST_ACTION = first_actions()
CARDS_FOR = np.array(  # by aimed kind: the mask of its cards
    [sum(1 << card for card in Card if row[card] >= 0) for row in FIRST_ACTION], np.int64
)

_PLAYS = _FROM_HAND - {Kind.DISCARD, Kind.PAY}


def cards_used(action: int) -> tuple[int, ...]:
    """The card that an action plays, as an index into the subjects; discards and payments use none."""
    return (int(ACTION_CARD[action]) - 1,) if int(ACTION_KIND[action]) in _PLAYS else ()


SUBJECTS = Subjects(names=tuple(card.name for card in CARDS), of_action=cards_used)
