"""Which positions of Karmaka can be: what a phase needs besides."""

from typing import Any

import numpy as np

from engines.errors import PositionError
from engines.records import NOBODY

from .tables import CARD_NAMES, CARD_ON, TRANSCENDENCE, Card, Ending, On, Phase

PHASES = tuple(phase.name.lower() for phase in Phase)
ENDINGS = tuple(ending.name.lower() for ending in Ending)
CARD_OR_NONE = ("none", *CARD_NAMES[1:])
MOST_TIMES = 3  # that one decision is asked
BETWEEN_PLAYS = (Phase.START, Phase.MAIN, Phase.BONUS, Phase.RINGS)  # no card is being played
MAY_PLAY = (Phase.START, Phase.MAIN, Phase.BONUS)
HELD_OUT = (Phase.DESTINY_TAKE, Phase.DESTINY_ORDER, Phase.SWINDLE_TAKE)
WAITS_BELOW = {
    Phase.ROULETTE_RUIN: (Phase.ROULETTE_DRAW,),
    Phase.DESTINY_TAKE: (Phase.DESTINY_ORDER,),
}  # above the offer of the card, which waits below all that its ability asks
ASKED_BY = {  # the abilities that ask for a decision
    Phase.RIVAL: tuple(np.flatnonzero(CARD_ON == On.RIVAL).tolist()),
    Phase.PLAYER: tuple(np.flatnonzero(CARD_ON == On.PLAYER).tolist()),
    Phase.MIMIC_RIVAL: (Card.MIMIC,),
    Phase.OWN_DEED: (Card.EMBODY,),
    Phase.FUTURE_POSITION: (Card.TRANSMIGRATE,),
    Phase.DESTINY_TAKE: (Card.DESTINY,),
    Phase.DESTINY_ORDER: (Card.DESTINY,),
    Phase.DENIAL_RUIN: (Card.DENIAL,),
    Phase.SWINDLE_TAKE: (Card.SWINDLE,),
    Phase.RUINS_PICK: (Card.RECYCLE, Card.SALVAGE),
    Phase.SOW: (Card.SOWING,),
    Phase.JUBILEE: (Card.JUBILEE,),
    Phase.DWINDLE_RUIN: (Card.DWINDLE,),
    Phase.CRISIS_RUIN: (Card.CRISIS,),
    Phase.ROULETTE_RUIN: (Card.ROULETTE,),
    Phase.ROULETTE_DRAW: (Card.ROULETTE,),
}


def check_rungs(state: Any) -> None:
    """R19 Whoever reaches Transcendence ends the game."""
    rungs = [int(seat["rung"]) for seat in state["seat"][: int(state["players"])]]
    won = state["ending"] == Ending.TRANSCENDENCE
    if won != (max(rungs) == TRANSCENDENCE):
        player = rungs.index(max(rungs))
        raise PositionError(
            f"position.seat[{player}].rung: {rungs[player]} with the ending "
            f"{ENDINGS[int(state['ending'])]}; rung {TRANSCENDENCE} and transcendence go together"
        )


def check_question(state: Any) -> None:
    """A phase has what it asks about: the card being played, the one that asks, the decisions that wait below."""
    phase = Phase(int(state["phase"]))
    if phase == Phase.NONE:
        raise PositionError("position.phase: none, which is for games that are over")
    if state["left"] < 1:
        raise PositionError("position.left: 0, expected how often the player is still asked")
    if state["turn"] >= state["rules"]["most_turns"]:
        raise PositionError(
            f"position.turn: {int(state['turn'])}, the game is stopped after "
            f"{int(state['rules']['most_turns'])}"
        )
    if phase in MAY_PLAY and state["plays"] >= state["rules"]["most_plays"]:
        raise PositionError(
            f"position.plays: {int(state['plays'])}, phase {PHASES[phase]} asks for a play more than "
            f"max_plays_per_turn allows"
        )
    between = phase in BETWEEN_PLAYS
    for name in ("table", "ability"):
        if bool(state[name]) == between:
            wanted = "no card" if between else "the card that asks"
            raise PositionError(
                f"position.{name}: {CARD_OR_NONE[int(state[name])]}, phase {PHASES[phase]} needs {wanted}"
            )
    if between and (state["chain"] or state["again"] or state["victim"] != NOBODY):
        raise PositionError(
            f"position.phase: {PHASES[phase]}, but chain, again or victim tell of a play under way"
        )
    asking = ASKED_BY.get(phase)
    if asking is not None and int(state["ability"]) not in asking:
        names = " or ".join(CARD_NAMES[card] for card in asking)
        raise PositionError(
            f"position.ability: {CARD_NAMES[int(state['ability'])]}, phase {PHASES[phase]} "
            f"is asked by {names}"
        )
    waiting = tuple(int(f) for f in state["pending"]["phase"] if f)
    needed = () if between or phase == Phase.OFFER else (Phase.OFFER, *WAITS_BELOW.get(phase, ()))
    if waiting != needed:
        words = [PHASES[n] for n in needed]
        raise PositionError(
            f"position.pending: {[PHASES[n] for n in waiting]}, below phase {PHASES[phase]} "
            f"waits {', then '.join(words) or 'nothing'}"
        )
    if bool(state["held"]["count"]) != (phase in HELD_OUT):
        raise PositionError(
            f"position.held: {int(state['held']['count'])} cards held out in phase {PHASES[phase]}"
        )
    if phase == Phase.SWINDLE_TAKE and state["victim"] == NOBODY:
        raise PositionError("position.victim: -1, phase swindle_take needs the rival")
