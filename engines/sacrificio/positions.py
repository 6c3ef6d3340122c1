"""Which positions of Sacrificio can be: where cards may lie, and what a phase needs besides."""

from typing import Any

import numpy as np

from engines.errors import PositionError, seat_name
from engines.piles import insert
from engines.records import NOBODY, State, copy

from .actions import ACTION_KIND, MOST_LEGAL, SPENT_CARD, Kind
from .rules.legal import legal_actions
from .state import REMOVED
from .tables import (
    CARD_CODES,
    CARD_LOOK,
    CARD_VICTIM,
    LAST_DECK_CARD,
    LAST_TAKEABLE,
    PRIEST_SLOTS,
    Card,
    Phase,
    victims_agree,
)
from .words import PHASES, SPOTS, mask_counts, read_pending, read_slots, readable

PILED = (Card.ES, Card.EL, Card.KU, Card.CU)  # the cards that lie on temples

UNBEGUN = (
    Phase.SETUP,
    Phase.MOVE,
    Phase.GOAL,
    Phase.PAY,
    Phase.EXTRA,
)  # no card was discarded or taken
STEPS = {  # the rule that says after how many of them a phase is over
    Phase.MORE: "discard_most",
    Phase.ARRANGE: "arrange_depth",
    Phase.COLLECT: "take_most",
}


def check_zones(state: Any) -> None:
    """R20 Refuse victims that could never stand together, and cards where none of their kind can lie."""
    for player in range(int(state["players"])):
        seat = state["seat"][player]
        check_cards(seat, f"position.seat[{player}]")
        victims = tuple(int(CARD_VICTIM[card]) for card in seat["slots"][PRIEST_SLOTS:])
        if not state["rules"]["free_victims"] and not victims_agree(victims):
            raise PositionError(
                f"position.seat[{player}].slots: {read_slots(seat['slots'])!r}, "
                "three victims are of one kind or of three"
            )


def check_cards(seat: Any, where: str) -> None:
    """R14, R23, R36 Which cards may lie in slots, on temples, in a cenote and underneath it."""
    cenote = seat["cenote"]
    spirits = [int(card) for pile in seat["spirits"] for card in pile["card"]]
    zones = (
        ("slots", seat["slots"][:PRIEST_SLOTS], np.flatnonzero(CARD_LOOK)),
        ("slots", seat["slots"][PRIEST_SLOTS:], np.flatnonzero(CARD_VICTIM)),
        ("spirits", spirits, PILED),
        ("cenote", cenote["card"][: int(cenote["count"])], range(1, LAST_TAKEABLE + 1)),
        ("under", np.flatnonzero(seat["under"]), range(LAST_TAKEABLE + 1, LAST_DECK_CARD + 1)),
    )
    for name, cards, allowed in zones:
        for card in cards:
            if card > 0 and card not in allowed:
                raise PositionError(f"{where}.{name}: {CARD_CODES[int(card)]} cannot lie there")


def check_question(states: State) -> None:
    """Whoever is asked has what the phase asks about."""
    state = states[0]
    phase, player = int(state["phase"]), int(state["to_act"])
    if phase == Phase.NONE:
        raise PositionError("position.phase: none, which is for games that are over")
    for name, most in (("turn", "most_turns"), ("decisions", "most_decisions")):
        if state[name] >= state["rules"][most]:
            raise PositionError(
                f"position.{name}: {int(state[name])}, the game is stopped after "
                f"{int(state['rules'][most])}"
            )
    cards = int(state["seat"][int(state["active"])]["cenote"]["count"])
    if state["fresh"] > cards:
        raise PositionError(
            f"position.fresh: {int(state['fresh'])}, the cenote of "
            f"{seat_name(int(state['active']))} has {cards} cards"
        )
    if phase in (Phase.MOVE, Phase.PAY) and state["seat"][player]["hand"]["count"] == 0:
        raise PositionError(
            f"position.seat[{player}].hand: empty, phase {PHASES[phase]} needs a card to go on with"
        )
    if phase == Phase.MOVE and state["moves_left"] < 1:
        raise PositionError("position.moves_left: 0, phase move needs one")
    check_steps(state, phase)
    if phase == Phase.SETUP:
        check_setup(state)
    check_reposition(state, phase, player)
    if (state["pending"] != 0) != (phase == Phase.REACT):
        raise PositionError(
            f"position.pending: {read_pending(state)}, only phase react has a move to answer, "
            "and needs one"
        )
    if phase == Phase.REACT:
        check_pending(states)


def check_steps(state: Any, phase: int) -> None:
    """R37, R47, R48 A phase that goes step by step has one more to ask about; elsewhere there were none."""
    steps, rules = int(state["steps"]), state["rules"]
    most = 0 if phase in UNBEGUN else int(rules[STEPS[phase]]) - 1 if phase in STEPS else None
    if most is not None and steps > most:
        raise PositionError(
            f"position.steps: {steps}, expected {f'at most {most}' if most else '0'} "
            f"in phase {PHASES[phase]}"
        )


def check_setup(state: Any) -> None:
    """R6, R7 Temples are chosen in order of seats; the deck then fills all hands."""
    player, kept = int(state["to_act"]), int(state["rules"]["kept"])
    for other in range(int(state["players"])):
        seat = state["seat"][other]
        placed = int(np.count_nonzero(seat["temple"]))
        right = placed == kept if other < player else placed == 0
        if other == player:
            right = placed < kept
        if not right or np.count_nonzero(seat["temple"][:placed]) != placed:
            raise PositionError(
                f"position.seat[{other}].temple: {placed} chosen while {seat_name(player)} chooses; "
                f"{kept} each, from the left, in order of seats"
            )
        known = other == player and state["viewer"] in (NOBODY, other)
        if known and mask_counts(seat["options"]).sum() < kept - placed:
            raise PositionError(
                f"position.seat[{other}].options: fewer than the {kept - placed} still to choose"
            )
    needed = sum(
        max(0, int(state["rules"]["hand_size"]) - int(seat["hand"]["count"]))
        for seat in state["seat"][: int(state["players"])]
    )
    deck = state["deck"]["card"][: int(state["deck"]["count"])]
    if np.count_nonzero(deck != Card.CA) < needed:
        raise PositionError(f"position.deck: too few cards to deal {needed} to all hands")


def check_reposition(state: Any, phase: int, player: int) -> None:
    """R35 While a card is repositioned its slot is known, and before the payment also where it goes."""
    source, goal = int(state["source"]), int(state["goal"])
    if (source > 0) != (phase in (Phase.GOAL, Phase.PAY)) or (goal > 0) != (phase == Phase.PAY):
        raise PositionError(
            f"position.source: {SPOTS[source]}, goal {SPOTS[goal]} in phase {PHASES[phase]}; "
            "phase goal has a source, phase pay both"
        )
    slots = state["seat"][player]["slots"]
    if source and (source == REMOVED or slots[source - 1] in (0, Card.PU)):
        raise PositionError(f"position.source: {SPOTS[source]}, no card to move lies there")
    sides = [(spot - 1) >= PRIEST_SLOTS for spot in (source, goal)]
    if goal and goal != REMOVED and (slots[goal - 1] or sides[0] != sides[1]):
        raise PositionError(f"position.goal: {SPOTS[goal]}, expected a free slot of the same kind")


def check_pending(states: State) -> None:
    """R40 The move that awaits an answer is one that the active player could have made, against a rival."""
    state = states[0]
    action, active, player = int(state["pending"]) - 1, int(state["active"]), int(state["to_act"])
    if not 0 <= active < int(state["players"]) or state["team"][active] == state["team"][player]:
        raise PositionError(
            f"position.active: {active}, phase react asks a rival, not {seat_name(player)}"
        )
    if state["viewer"] != NOBODY:
        return  # his hand is not seen
    before = copy(states)
    before["pending"], before["to_act"] = 0, active
    before["phase"] = Phase.WIPE if ACTION_KIND[action] == Kind.WIPE else Phase.MOVE
    if int(SPENT_CARD[action]):
        insert(readable(before).seat[active].hand, int(SPENT_CARD[action]), 1 << active)
    out = np.empty(2 * MOST_LEGAL, np.int32)
    if action not in out[: int(legal_actions(before, out))]:
        raise PositionError(
            f"position.pending: {read_pending(state)}, {seat_name(active)} could not have made this move"
        )
