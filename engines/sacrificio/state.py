"""The position of a game of Sacrificio, its options and its setup."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from engines.core import Option, describe_options
from engines.errors import OptionError
from engines.piles import pile
from engines.records import HEADER, NOBODY, State

from .tables import (
    ANY_DAGGER,
    CARDS,
    HAND_ROOM,
    KINDS_OF_CARDS,
    LAST_DECK_CARD,
    MOST_CARDS,
    MOST_DECISIONS,
    MOST_HAND,
    MOST_HOLLOW,
    MOST_PILE,
    MOST_PLAYERS,
    MOST_TURNS_EACH,
    SITES,
    SLOTS,
    TEMPLE_DECKS,
    TEMPLE_NAMES,
    TEMPLES_IN_GAME,
    Card,
    Event,
    Foreign,
    Phase,
    Timing,
)

FOREIGN = {
    "none": Foreign.NEVER,
    "once_per_rival": Foreign.ONCE_PER_RIVAL,
    "once_per_game": Foreign.ONCE,
    "unlimited": Foreign.UNLIMITED,
}
TIMINGS = {
    "immediate": Timing.IMMEDIATE,
    "end_of_turn": Timing.END_OF_TURN,
    "end_of_round": Timing.END_OF_ROUND,
}
MOST_OF_A_CARD = 24
MOST_OF_AN_ACTION = 8


@dataclass(frozen=True)
class Variant:
    """The options of Sacrificio; RULES.md says which rule each one changes."""

    quick_game: Annotated[bool, Option("completed temples are not replaced")] = False
    four_player_mode: Annotated[
        str, Option("four players: partners opposite, or each alone", choices=("teams", "ffa"))
    ] = "teams"
    moves_per_turn: Annotated[int, Option("moves in a turn", 1, 4)] = 2
    hand_size: Annotated[int, Option("cards that a hand is filled up to", 3, MOST_HAND)] = 6
    temples_dealt: Annotated[int, Option("temples to choose from at the start", 3, 9)] = 6
    temples_kept: Annotated[int, Option("temples of a zone at the start", 1, SITES)] = 3
    setup_rejects: Annotated[
        str,
        Option("rejected temples: back into the pile, or out", choices=("reshuffle", "out")),
    ] = "reshuffle"
    temple_deck: Annotated[
        str, Option("which temples are in the game", choices=tuple(TEMPLE_DECKS))
    ] = "standard"
    hollow_hearts: Annotated[int, Option("hollow hearts in the supply", 1, MOST_HOLLOW)] = 12
    supremes_each: Annotated[int, Option("supremes of each of the three kinds", 0, 6)] = 3
    supreme_cost: Annotated[int, Option("cards of one family that buy a supreme", 1, 5)] = 3
    discard_max: Annotated[int, Option("cards that one move may discard", 1, MOST_HAND)] = 3
    cenote_take_max: Annotated[
        int, Option("cards taken from rivals' cenotes in a turn", 0, MOST_HAND)
    ] = 2
    arrange_depth: Annotated[
        int, Option("top cards of the turn's discards whose order is chosen", 0, 4)
    ] = 2
    victim_rule: Annotated[
        str,
        Option("what three victims must be", choices=("same_or_different", "none")),
    ] = "same_or_different"
    pulque_limit: Annotated[
        str, Option("pulques around a victim", choices=("one_per_temple", "none"))
    ] = "one_per_temple"
    attacks_enabled: Annotated[bool, Option("daggers may kill rivals' priests")] = True
    daggers_kill_victims: Annotated[bool, Option("and their victims too")] = False
    foreign_completion: Annotated[
        str, Option("how often a player may finish rivals' temples", choices=tuple(FOREIGN))
    ] = "once_per_rival"
    curse_reaction: Annotated[
        str,
        Option("what a curse may answer", choices=("none", "foreign_ritual_only", "any_window")),
    ] = "foreign_ritual_only"
    ritual_intervention: Annotated[
        str, Option("who may answer a ritual", choices=("zone_owner", "any_rival"))
    ] = "zone_owner"
    kukulkan_vs_solar: Annotated[bool, Option("a Kukulkan may deny a swap of temples")] = True
    kukulkan_vs_wipe: Annotated[bool, Option("a Kukulkan may save a pile")] = True
    solar_lands_on: Annotated[
        str,
        Option("where the solar eclipse lies after a swap", choices=("received", "given")),
    ] = "received"
    lunar_old_temple: Annotated[
        str, Option("a replaced temple: under the temple pile, or out", choices=("bottom", "out"))
    ] = "bottom"
    eclipse_discard_optional: Annotated[
        bool, Option("a discarded eclipse need not wipe a pile")
    ] = True
    eclipse_payment: Annotated[
        str,
        Option("whether an eclipse that pays for a reposition wipes", choices=("wipes", "plain")),
    ] = "wipes"
    recycle: Annotated[
        str,
        Option(
            "when the cenotes become the new deck: once it is empty, or at the next need",
            choices=("at_once", "when_needed"),
        ),
    ] = "at_once"
    cannibalism_redraw: Annotated[
        str,
        Option("who fills up after a cannibalism", choices=("drawer_only", "all")),
    ] = "drawer_only"
    multi_ritual_bonus: Annotated[
        bool, Option("a hollow heart for each of several rituals in a turn")
    ] = True
    black_heart_value: Annotated[int, Option("points of a black heart", 0, 10)] = 3
    same_colour_bonus: Annotated[int, Option("points for three hearts of a colour", 0, 10)] = 3
    different_colour_bonus: Annotated[int, Option("points for a heart of each colour", 0, 10)] = 4
    end_timing: Annotated[
        str, Option("when the game stops after an end condition", choices=tuple(TIMINGS))
    ] = "immediate"
    black_hearts_to_end: Annotated[
        int, Option("black hearts of a side that end the game", 1, 4)
    ] = 3
    temple_pile_top_colour_visible: Annotated[
        bool, Option("the heart colour of the next temple is seen")
    ] = True
    max_rounds: Annotated[
        int,
        Option("turns of each player until the game is stopped", 1, MOST_TURNS_EACH, within=200),
    ] = 100
    max_decisions: Annotated[
        int, Option("actions until the game is stopped", 100, MOST_DECISIONS)
    ] = MOST_DECISIONS
    victim_man: Annotated[int, Option("men in the deck", 0, MOST_OF_A_CARD)] = 7
    victim_woman: Annotated[int, Option("women in the deck", 0, MOST_OF_A_CARD)] = 7
    victim_warrior: Annotated[int, Option("warriors in the deck", 0, MOST_OF_A_CARD)] = 7
    priest_a: Annotated[int, Option("priests A in the deck", 0, MOST_OF_A_CARD)] = 12
    priest_b: Annotated[int, Option("priests B in the deck", 0, MOST_OF_A_CARD)] = 12
    priest_c: Annotated[int, Option("priests C in the deck", 0, MOST_OF_A_CARD)] = 12
    dagger_red: Annotated[int, Option("red daggers in the deck", 0, MOST_OF_A_CARD)] = 9
    dagger_green: Annotated[int, Option("green daggers in the deck", 0, MOST_OF_A_CARD)] = 9
    dagger_blue: Annotated[int, Option("blue daggers in the deck", 0, MOST_OF_A_CARD)] = 9
    eclipse_solar: Annotated[int, Option("solar eclipses in the deck", 0, MOST_OF_AN_ACTION)] = 4
    eclipse_lunar: Annotated[int, Option("lunar eclipses in the deck", 0, MOST_OF_AN_ACTION)] = 4
    pulque: Annotated[int, Option("pulques in the deck", 0, MOST_OF_AN_ACTION)] = 4
    zero: Annotated[int, Option("zeros in the deck", 0, MOST_OF_AN_ACTION)] = 2
    kukulkan: Annotated[int, Option("Kukulkans in the deck", 0, MOST_OF_AN_ACTION)] = 4
    curse: Annotated[int, Option("curses in the deck", 0, MOST_OF_AN_ACTION)] = 4
    cannibalism: Annotated[int, Option("cannibalisms in the deck", 0, MOST_OF_AN_ACTION)] = 1


DECK_OPTIONS = tuple(card.name for card in CARDS[:LAST_DECK_CARD])  # how often each is in the deck
CARD_PILE = pile(MOST_CARDS)
HAND = pile(HAND_ROOM)
TEMPLE_PILE = pile(TEMPLES_IN_GAME)
EVENTS = len(Event)

RULES = np.dtype(
    [
        ("quick", np.int8),  # 1: completed temples are not replaced
        ("moves", np.int8),
        ("hand_size", np.int8),
        ("dealt", np.int8),
        ("kept", np.int8),
        ("rejects_out", np.int8),  # 1: rejected temples leave the game
        ("hollow", np.int8),
        ("supremes", np.int8),
        ("cost", np.int8),
        ("discard_most", np.int8),
        ("take_most", np.int8),
        ("arrange_depth", np.int8),
        ("free_victims", np.int8),  # 1: any three victims will do
        ("free_pulque", np.int8),  # 1: any number around a victim
        ("attacks", np.int8),
        ("kill_victims", np.int8),
        ("foreign", np.int8),  # a Foreign
        ("any_rival", np.int8),  # 1: every rival may answer every ritual
        ("lands_given", np.int8),  # 1: the solar eclipse lies on the temple given away
        ("lunar_out", np.int8),  # 1: a replaced temple leaves the game
        ("must_wipe", np.int8),
        ("payment_wipes", np.int8),  # 1: so does an eclipse that pays for a reposition
        ("early_deck", np.int8),  # 1: the deck is renewed as soon as it is empty
        ("all_redraw", np.int8),  # 1: all fill up after a cannibalism
        ("multi_bonus", np.int8),
        ("black_value", np.int8),
        ("same_bonus", np.int8),
        ("different_bonus", np.int8),
        ("timing", np.int8),  # a Timing
        ("black_to_end", np.int8),
        ("top_seen", np.int8),
        ("most_turns", np.int16),  # of all players together
        ("most_decisions", np.int16),
        ("copies", np.int8, (KINDS_OF_CARDS,)),  # of each card in the game
        ("temples", np.int64),  # mask of the temples in the game
        ("answers", np.int32, (EVENTS,)),  # mask of the cards that may answer each Event
    ]
)

SPIRITS = np.dtype(
    [  # the cards piled up on a temple, bottom first
        ("count", np.int8),
        ("cursed", np.int8),  # 1: the top card is an active curse
        ("card", np.int8, (MOST_PILE,)),
    ]
)

SEAT = np.dtype(
    [
        ("hollow", np.int8),  # hollow hearts
        ("hearts", np.int64),  # mask of the completed temples
        ("finished", np.int8),  # mask of the rivals in whose zone he has finished a temple
        ("temple", np.int8, (SITES,)),  # 0: none; HIDDEN in a View: chosen, not shown yet
        ("slots", np.int8, (SLOTS,)),  # cards: seven priest slots, then three victim slots
        ("spirits", SPIRITS, (SITES,)),
        ("cenote", CARD_PILE),  # the cards that may be taken
        ("under", np.int8, (KINDS_OF_CARDS,)),  # action cards underneath, which may not
        ("hand", HAND),
        ("options", np.int64),  # mask: temples dealt and not yet chosen; 0 in others' Views
        ("rejects", np.int64),  # mask: temples rejected and out of the game; 0 in others' Views
    ]
)

STATE = np.dtype(
    [
        *HEADER,
        ("rules", RULES),  # the variant
        ("phase", np.int8),  # a Phase: what to_act decides
        ("active", np.int8),  # whose turn it is
        ("turn", np.int16),  # turns completed by all players together
        ("decisions", np.int16),  # actions so far, passes out of turn not counted
        ("moves_left", np.int8),
        ("rituals", np.int8),  # completed in this turn
        ("fresh", np.int16),  # cards of the active player's cenote from before this turn
        ("steps", np.int8),  # cards discarded by this move, arranged or taken so far
        ("source", np.int8),  # reposition: 1 + the slot of the chosen card
        ("goal", np.int8),  # reposition: 1 + the slot it goes to, or REMOVED
        ("pending", np.int16),  # 1 + the move that awaits an answer
        ("closing", np.int8),  # the Ending that will come at the end of the turn or round
        ("hollow", np.int8),  # hollow hearts in the supply
        ("centre", np.int8, (KINDS_OF_CARDS,)),  # supremes
        ("deck", CARD_PILE),  # known to nobody
        ("temples", TEMPLE_PILE),  # bottom cards put there by a lunar eclipse are known to all
        ("top_heart", np.int8),  # a Heart: the back of the top temple, if it is seen
        ("gone", np.int64),  # mask: temples that lunar eclipses have put out of the game
        ("seat", SEAT, (MOST_PLAYERS,)),
        ("ending", np.int8),  # an Ending
    ]
)
REMOVED = SLOTS + 1  # in `goal`
UNSET = -1  # in `fresh` and `hollow` of a blank State: to be worked out


def blank(players: int, variant: Variant) -> State:
    """An empty table of the variant: nothing dealt, player 0 about to make his first move.

    Raises:
        OptionError: the variant cannot be played by so many.
    """
    check_options(players, variant)
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    teams = players == MOST_PLAYERS and variant.four_player_mode == "teams"
    states["team"] = [p % 2 if teams else p for p in range(MOST_PLAYERS)]
    states["phase"] = Phase.MOVE
    states["moves_left"] = variant.moves_per_turn
    states["fresh"] = UNSET
    states["hollow"] = UNSET
    write_rules(states["rules"][0], players, variant)
    return states


def check_options(players: int, variant: Variant) -> None:
    """Refuse what cannot be played, in one line that says why."""
    if not 2 <= players <= MOST_PLAYERS:
        raise OptionError(f"players: {players}, Sacrificio has 2 to {MOST_PLAYERS}")
    if players * variant.temples_dealt > TEMPLES_IN_GAME:
        raise OptionError(
            f"temples_dealt: {variant.temples_dealt} for {players} players, "
            f"expected at most {TEMPLES_IN_GAME // players}"
        )
    copies = copies_in_game(variant)
    in_deck = sum(copies[: LAST_DECK_CARD + 1])
    if in_deck > MOST_CARDS:
        more = [
            info.name
            for info in describe_options(Variant)
            if info.name in DECK_OPTIONS and getattr(variant, info.name) > info.default
        ]
        raise OptionError(
            f"{', '.join(more)}: {in_deck} cards in the deck, expected at most {MOST_CARDS}"
        )
    to_deal = in_deck - copies[Card.CA]
    if to_deal < players * variant.hand_size:
        raise OptionError(
            f"hand_size: {variant.hand_size} for {players} players, there are only {to_deal} cards"
        )


def copies_in_game(variant: Variant) -> list[int]:
    """Copies of each card number."""
    return [0] + [
        variant.supremes_each if number > LAST_DECK_CARD else getattr(variant, card.name)
        for number, card in enumerate(CARDS, 1)
    ]


def write_rules(rules: Any, players: int, variant: Variant) -> None:
    """Put a variant into the record that the rules read."""
    plain = {
        "quick": variant.quick_game,
        "moves": variant.moves_per_turn,
        "hand_size": variant.hand_size,
        "dealt": variant.temples_dealt,
        "kept": variant.temples_kept,
        "rejects_out": variant.setup_rejects == "out",
        "hollow": variant.hollow_hearts,
        "supremes": variant.supremes_each,
        "cost": variant.supreme_cost,
        "discard_most": variant.discard_max,
        "take_most": variant.cenote_take_max,
        "arrange_depth": variant.arrange_depth,
        "free_victims": variant.victim_rule == "none",
        "free_pulque": variant.pulque_limit == "none",
        "attacks": variant.attacks_enabled,
        "kill_victims": variant.daggers_kill_victims,
        "foreign": FOREIGN[variant.foreign_completion],
        "any_rival": variant.ritual_intervention == "any_rival",
        "lands_given": variant.solar_lands_on == "given",
        "lunar_out": variant.lunar_old_temple == "out",
        "must_wipe": not variant.eclipse_discard_optional,
        "payment_wipes": variant.eclipse_payment == "wipes",
        "early_deck": variant.recycle == "at_once",
        "all_redraw": variant.cannibalism_redraw == "all",
        "multi_bonus": variant.multi_ritual_bonus,
        "black_value": variant.black_heart_value,
        "same_bonus": variant.same_colour_bonus,
        "different_bonus": variant.different_colour_bonus,
        "timing": TIMINGS[variant.end_timing],
        "black_to_end": variant.black_hearts_to_end,
        "top_seen": variant.temple_pile_top_colour_visible,
        "most_turns": variant.max_rounds * players,
        "most_decisions": variant.max_decisions,
        "copies": copies_in_game(variant),
        "temples": sum(1 << TEMPLE_NAMES.index(t) for t in TEMPLE_DECKS[variant.temple_deck]),
        "answers": answers(variant),
    }
    for name, value in plain.items():
        rules[name] = value


def answers(variant: Variant) -> list[int]:
    """R41 The mask of cards that may answer each Event: the table of reactions."""
    kukulkan = 1 << Card.KU
    curse = 0 if variant.curse_reaction == "none" else 1 << Card.CU
    anywhere = curse if variant.curse_reaction == "any_window" else 0
    table = {
        Event.PRIEST: ANY_DAGGER | kukulkan,
        Event.SUPREME_PRIEST: kukulkan,
        Event.VICTIM: kukulkan,
        Event.PULQUE: kukulkan,
        Event.STACK: kukulkan,
        Event.SOLAR: kukulkan if variant.kukulkan_vs_solar else 0,
        Event.CLEANSE: kukulkan,
        Event.WIPE: kukulkan if variant.kukulkan_vs_wipe else 0,
        Event.ATTACK: ANY_DAGGER | kukulkan,
        Event.SUPREME_ATTACK: kukulkan,
        Event.RITUAL: kukulkan | curse,
        Event.KUKULKAN_RITUAL: curse,
    }
    return [table[event] | anywhere if event in table else 0 for event in Event]
