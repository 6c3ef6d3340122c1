"""The components and names of Sacrificio that no variant changes.

The rulebook's images are missing: the numbers of cards and the priests on the temples are a *reconstruction*
(RULES.md, Data). Each card says how sure its number is; every number is an option of the Variant.
"""

import itertools
from collections import Counter
from enum import IntEnum
from typing import NamedTuple

import numpy as np

MOST_PLAYERS = 4
MOST_CARDS = 160  # sacrifice cards in all that a variant may play with
MOST_HAND = 8
MOST_HOLLOW = 99  # hollow hearts in all
MOST_TURNS_EACH = 1000  # until a variant stops the game
MOST_TURNS = MOST_PLAYERS * MOST_TURNS_EACH
MOST_DECISIONS = 20_000  # of a game
MOST_MOVES = 4 + 8  # of a turn: those of the variant, and one for each zero
HAND_ROOM = 2 * MOST_HAND  # a curse may give back a card, cards may be taken from cenotes


# --- cards ------------------------------------------------------------------------------------------------


class Family(IntEnum):
    """What a card is for."""

    VICTIM = 0
    PRIEST = 1
    DAGGER = 2
    ACTION = 3
    SUPREME = 4


class CardFacts(NamedTuple):
    """One kind of card; `copies` is a reconstruction with this confidence."""

    code: str
    name: str
    family: Family
    copies: int
    confidence: str


CARDS = (
    CardFacts("VM", "victim_man", Family.VICTIM, 7, "medium"),
    CardFacts("VW", "victim_woman", Family.VICTIM, 7, "medium"),
    CardFacts("VR", "victim_warrior", Family.VICTIM, 7, "medium"),
    CardFacts("PA", "priest_a", Family.PRIEST, 12, "medium"),
    CardFacts("PB", "priest_b", Family.PRIEST, 12, "medium"),
    CardFacts("PC", "priest_c", Family.PRIEST, 12, "medium"),
    CardFacts("DR", "dagger_red", Family.DAGGER, 9, "medium"),
    CardFacts("DG", "dagger_green", Family.DAGGER, 9, "medium"),
    CardFacts("DB", "dagger_blue", Family.DAGGER, 9, "medium"),
    CardFacts("ES", "eclipse_solar", Family.ACTION, 4, "low"),
    CardFacts("EL", "eclipse_lunar", Family.ACTION, 4, "low"),
    CardFacts("PU", "pulque", Family.ACTION, 4, "low"),
    CardFacts("ZE", "zero", Family.ACTION, 2, "low"),
    CardFacts("KU", "kukulkan", Family.ACTION, 4, "low"),
    CardFacts("CU", "curse", Family.ACTION, 4, "low"),
    CardFacts("CA", "cannibalism", Family.ACTION, 1, "low"),
    CardFacts("SV", "supreme_victim", Family.SUPREME, 3, "high"),
    CardFacts("SP", "supreme_priest", Family.SUPREME, 3, "high"),
    CardFacts("SD", "supreme_dagger", Family.SUPREME, 3, "high"),
)

Card = IntEnum("Card", [card.code for card in CARDS])  # numbered from 1; 0 is no card
CARD_CODES = ("--", *(card.code for card in CARDS))  # by card number
KINDS_OF_CARDS = len(CARD_CODES)
BIT_PRIME = np.uint64(37)  # the powers of 2 leave different remainders
CARD_OF_BIT = np.zeros(int(BIT_PRIME), np.int64)  # by remainder: which card's bit it is
CARD_OF_BIT[[(1 << card) % int(BIT_PRIME) for card in range(KINDS_OF_CARDS)]] = range(
    KINDS_OF_CARDS
)
LAST_TAKEABLE = int(Card.DB)  # victims, priests and daggers lie on top of a cenote
LAST_DECK_CARD = int(Card.CA)  # from here on: supremes, which lie in the centre
FAMILY_SIZE = 3  # kinds in each of the families of victims, priests and daggers

DAGGERS = (1 << Card.DR) | (1 << Card.DG) | (1 << Card.DB)  # masks of cards: bit n is card n
ANY_DAGGER = DAGGERS | (1 << Card.SD)
PRIESTS = (1 << Card.PA) | (1 << Card.PB) | (1 << Card.PC)
VICTIMS = (1 << Card.VM) | (1 << Card.VW) | (1 << Card.VR)
ECLIPSES = (1 << Card.ES) | (1 << Card.EL)
ANY_CARD = (1 << KINDS_OF_CARDS) - 2  # all but 0, which is no card
WILDS = (1 << Card.SV) | (1 << Card.SP) | (1 << Card.SD) | (1 << Card.KU)  # +1 hollow heart each


# --- temples ----------------------------------------------------------------------------------------------


class Heart(IntEnum):
    """The back of a temple; 0 is no temple."""

    RED = 1
    GREEN = 2
    BLUE = 3
    BLACK = 4


HEART_NAMES = ("none", *(heart.name.lower() for heart in Heart))


class TempleFacts(NamedTuple):
    """One temple; which priests stand on it is a reconstruction."""

    name: str
    heart: Heart
    dagger: Card
    priests: str  # letters of the three priest types it asks for


def coloured(letter: str, heart: Heart, dagger: Card) -> list[TempleFacts]:
    """The nine temples of a colour: every set of three priests but ABC."""
    triples = ["AAA", "AAB", "AAC", "ABB", "ACC", "BBB", "BBC", "BCC", "CCC"]
    return [TempleFacts(f"{letter}{i:02}", heart, dagger, t) for i, t in enumerate(triples, 1)]


TEMPLES = (
    *coloured("R", Heart.RED, Card.DR),
    *coloured("G", Heart.GREEN, Card.DG),
    *coloured("B", Heart.BLUE, Card.DB),
    TempleFacts("K01", Heart.BLACK, Card.DR, "ABC"),
    TempleFacts("K02", Heart.BLACK, Card.DG, "ABC"),
    TempleFacts("K03", Heart.BLACK, Card.DB, "ABC"),
    # Only in the deck `diagonal_black`, instead of K01-K03, R01, G06 and B09:
    TempleFacts("R10", Heart.RED, Card.DR, "ABC"),
    TempleFacts("G10", Heart.GREEN, Card.DG, "ABC"),
    TempleFacts("B10", Heart.BLUE, Card.DB, "ABC"),
    TempleFacts("K04", Heart.BLACK, Card.DR, "AAA"),
    TempleFacts("K05", Heart.BLACK, Card.DG, "BBB"),
    TempleFacts("K06", Heart.BLACK, Card.DB, "CCC"),
)
TEMPLE_NAMES = ("none", *(temple.name for temple in TEMPLES))  # by number
TEMPLE_DECKS = {
    "standard": TEMPLE_NAMES[1:31],
    "diagonal_black": tuple(
        name for name in TEMPLE_NAMES[1:] if name not in ["K01", "K02", "K03", "R01", "G06", "B09"]
    ),
}
TEMPLES_IN_GAME = 30
KINDS_OF_TEMPLES = len(TEMPLE_NAMES)
TEMPLE_HEART = np.array([0, *(temple.heart for temple in TEMPLES)], np.int64)
TEMPLES_FOR = (
    np.array(  # by card: the mask of the temples that it finishes, and by which a dagger attacks
        [
            sum(
                (card in (temple.dagger, Card.KU, Card.SD)) << n
                for n, temple in enumerate(TEMPLES, 1)
            )
            for card in range(KINDS_OF_CARDS)
        ],
        np.int64,
    )
)
TEMPLE_DAGGER = np.array([0, *(temple.dagger for temple in TEMPLES)], np.int64)


# --- zones ------------------------------------------------------------------------------------------------

SITES = 3  # temples of a zone, left to right
PRIEST_SLOTS = 7
SLOTS = PRIEST_SLOTS + SITES  # then the victim slots V0, V1, V2
SITE_NAMES = tuple(f"T{site}" for site in range(SITES))
SLOT_NAMES = (*(f"s{slot}" for slot in range(PRIEST_SLOTS)), *(f"V{site}" for site in range(SITES)))
SLOTS_OF_SITE = np.array(  # masks of slots: left, below, right; s2 and s4 serve two temples
    [0b111 << (2 * site) | 1 << (PRIEST_SLOTS + site) for site in range(SITES)], np.int64
)
ALL_PRIEST_SLOTS = (1 << PRIEST_SLOTS) - 1
OPEN_SLOTS = np.array(  # by mask of sites with a temple: the slots next to one of them
    [
        sum(1 << slot for slot in range(SLOTS) if any(
            sites >> site & 1 and int(SLOTS_OF_SITE[site]) >> slot & 1 for site in range(SITES)
        ))
        for sites in range(1 << SITES)
    ],
    np.int64,
)  # fmt: skip
MOST_PILE = 32  # eclipses, Kukulkans and curses, at most 8 of each


class Look(IntEnum):
    """What a priest slot counts as."""

    EMPTY = 0
    A = 1
    B = 2
    C = 3
    WILD = 4
    PULQUE = 5


LOOKS = len(Look)
_LOOK = {"PA": Look.A, "PB": Look.B, "PC": Look.C, "SP": Look.WILD, "KU": Look.WILD}
CARD_LOOK = np.array(
    [Look.EMPTY, *({**_LOOK, "PU": Look.PULQUE}.get(c.code, Look.EMPTY) for c in CARDS)], np.int64
)


def suits(priests: str, looks: tuple[Look, ...]) -> bool:
    """R18, R19 Whether three slots satisfy a temple that asks for these priests."""
    need = Counter(Look[letter] for letter in priests)
    if Look.PULQUE in looks:  # one suitable priest is enough
        return any(look == Look.WILD or need[look] > 0 for look in looks)
    have = Counter(look for look in looks if look != Look.WILD)
    return Look.EMPTY not in looks and all(have[look] <= need[look] for look in have)


def by_temple(fact: "object") -> np.ndarray:
    """int8[temples, looks of the three slots]: a small fact about every temple and its slots.

    Every compiled template holds its own copy of a table, so a byte for each fact.
    """
    triples = list(itertools.product(Look, repeat=3))
    facts = {  # many temples ask for the same priests
        priests: [int(fact(priests, triple)) for triple in triples]  # type: ignore[operator]
        for priests in {temple.priests for temple in TEMPLES}
    }
    return np.array([[0] * len(triples), *(facts[temple.priests] for temple in TEMPLES)], np.int8)


SUITED = by_temple(suits)
SUITED_TEMPLES = np.array(  # by looks of the three slots: the mask of the temples that they satisfy
    [
        sum(int(row[looks]) << temple for temple, row in enumerate(SUITED))
        for looks in range(LOOKS**3)
    ],
    np.int64,
)

VICTIM_LOOKS = 5  # nothing, man, woman, warrior, wild
CARD_VICTIM = np.array(
    [0, *({"VM": 1, "VW": 2, "VR": 3, "SV": 4, "KU": 4}.get(c.code, 0) for c in CARDS)], np.int64
)


def victims_agree(looks: tuple[int, ...]) -> bool:
    """R20 Three victims are all of one kind or of three; wilds are left out, and so are rows of one or two."""
    kinds = [look for look in looks if look != VICTIM_LOOKS - 1]
    return 0 in looks or len(set(kinds)) <= 1 or len(set(kinds)) == len(kinds)


def sites_for(looks: tuple[int, ...], look: int) -> int:
    """R20 The mask of empty victim slots in which one more victim agrees with the others."""
    return sum(
        1 << site
        for site in range(SITES)
        if looks[site] == 0 and victims_agree((*looks[:site], look, *looks[site + 1 :]))
    )


VICTIM_ROWS = list(itertools.product(range(VICTIM_LOOKS), repeat=SITES))
VICTIM_SITES = np.array(  # [looks of the victim slots, look of one more]; a card that is no victim fits nowhere
    [[0, *(sites_for(looks, look) for look in range(1, VICTIM_LOOKS))] for looks in VICTIM_ROWS],
    np.int64,
)

# --- exchanges --------------------------------------------------------------------------------------------

MOST_COST = 5  # cards that a supreme may cost
EXCHANGES = tuple(  # how many of the three kinds of a family, grouped by cost, then ascending
    tuple(picks.count(kind) for kind in range(FAMILY_SIZE))
    for cost in range(1, MOST_COST + 1)
    for picks in itertools.combinations_with_replacement(range(FAMILY_SIZE), cost)
)
EXCHANGE = np.array(EXCHANGES, np.int64)
EXCHANGE_START = np.array(  # by cost; the exchanges of cost c stand before EXCHANGE_START[c + 1]
    [0, *(sum(sum(e) < cost for e in EXCHANGES) for cost in range(1, MOST_COST + 2))], np.int64
)
COPY_BITS = 5  # for each takeable card in a tally of copies: enough for a full hand of one card
MOST_COPIES = (1 << COPY_BITS) - 1
# [kind of the family, copies held]: the mask of the exchanges that ask for no more of it
AFFORDED = np.array(
    [
        [
            sum((e[kind] <= held) << i for i, e in enumerate(EXCHANGES))
            for held in range(MOST_COPIES + 1)
        ]
        for kind in range(FAMILY_SIZE)
    ],
    np.int64,
)

# --- the course of the game -------------------------------------------------------------------------------


class Phase(IntEnum):
    """What the player to act decides."""

    NONE = 0  # the game is over
    SETUP = 1  # which of the dealt temples comes next
    MOVE = 2  # one of the moves of the turn
    GOAL = 3  # reposition: where the chosen card goes
    PAY = 4  # reposition: which card pays for it
    WIPE = 5  # a discarded eclipse: which pile it wipes
    MORE = 6  # whether one more card is discarded
    REACT = 7  # out of turn: whether to answer the pending move
    EXTRA = 8  # after the last move: whether to play a zero
    ARRANGE = 9  # which of the turn's discards lies on top
    COLLECT = 10  # whether to take a card from a rival's cenote


class Event(IntEnum):
    """What a move is to those who may answer it."""

    NONE = 0  # nobody may
    PRIEST = 1
    SUPREME_PRIEST = 2
    VICTIM = 3
    PULQUE = 4
    STACK = 5
    SOLAR = 6
    CLEANSE = 7
    WIPE = 8
    ATTACK = 9
    SUPREME_ATTACK = 10
    RITUAL = 11
    KUKULKAN_RITUAL = 12


class Foreign(IntEnum):
    """How often a player may finish rivals' temples."""

    NEVER = 0
    ONCE_PER_RIVAL = 1
    ONCE = 2
    UNLIMITED = 3


class Timing(IntEnum):
    """When the game stops after an end condition."""

    IMMEDIATE = 0
    END_OF_TURN = 1
    END_OF_ROUND = 2


class Ending(IntEnum):
    """Why the game ended."""

    RUNNING = 0
    NO_TEMPLE = 1  # no temple is left to replace a completed one
    HOLLOW = 2  # the hollow hearts have run out
    BLACK_HEARTS = 3  # a side has all the black hearts it needs
    NO_TEMPLES_LEFT = 4  # quick game: a player has none
    TURN_CAP = 5
    DECISION_CAP = 6
