"""Which positions of Nakum can be: what a phase needs besides."""

from typing import Any

from engines.errors import PositionError, seat_name
from engines.piles import UNSEEN
from engines.records import NOBODY

from .tables import (
    CAMP_CUBES,
    CUBE_NAMES,
    MOST_ACTIONS,
    MOST_GAINED,
    MOST_TOKENS,
    MOST_WORKERS,
    Phase,
)


def check_cubes(state: Any) -> None:
    """R12-R14, R17 A cube covers an option once, a favour as often as it may be used; explorers stand face down."""
    uses = int(state["rules"]["pituk_uses"])
    for cube, count in enumerate(state["cubes"].tolist()):
        most = 1 if cube < CAMP_CUBES else uses
        if count > most:
            raise PositionError(
                f"position.cubes.{CUBE_NAMES[cube]}: {count}, expected at most {most}"
            )
    for position, player in enumerate(state["explorer"].tolist()):
        here = position < int(state["board"]["count"])
        if player != NOBODY and (not here or state["board"]["known"][position] != UNSEEN):
            raise PositionError(
                f"position.explorer[{position}]: {player}, no tile lies face down there"
            )


def check_counts(state: Any) -> None:
    """R6, R29 What is counted leaves room for the rounds to come: actions, and VP tokens."""
    players = int(state["players"])
    left = max(0, int(state["rules"]["max_rounds"]) - int(state["current_round"]) + 1)
    seats = state["seat"][:players]
    today = [max(0, int(seat["active"]) - int(seat["placed"])) for seat in seats]
    actions = [max(0, left - 1) * MOST_WORKERS + workers for workers in today]  # of each player
    counts = [("action_counter", int(state["action_counter"]), MOST_ACTIONS - sum(actions))]
    for player in range(players):
        tokens = int(seats[player]["vp"])
        most = MOST_TOKENS - actions[player] * MOST_GAINED
        counts.append((f"seat[{player}].vp", tokens, most))
    for name, count, most in counts:
        if count > most:
            raise PositionError(
                f"position.{name}: {count}, expected at most {most} with {left} rounds to play"
            )


def check_question(state: Any) -> None:
    """R4-R6, R24 Whoever is asked has what the phase asks about."""
    phase, player, rules = int(state["phase"]), int(state["to_act"]), state["rules"]
    seat, where = state["seat"][player], f"position.seat[{player}]"
    played, left = int(seat["heritage_played"]["count"]), int(seat["active"]) - int(seat["placed"])
    if phase == Phase.NONE:
        raise PositionError("position.phase: none, which is for games that are over")
    if phase == Phase.HERITAGE and played >= rules["played_at_start"]:
        raise PositionError(
            f"{where}.heritage_played: {played} cards, phase heritage asks for "
            f"{int(rules['played_at_start'])} in all"
        )
    if phase == Phase.HERITAGE:
        check_hands(state)
    if phase == Phase.DISCOVER and not rules["free_choice"]:
        raise PositionError("position.phase: discover, only explore_choice=free asks for tiles")
    if phase == Phase.DAY and left < 1:
        raise PositionError(f"{where}.placed: all {int(seat['active'])} workers, one must be left")
    if state["waiting_cube"] and phase != Phase.RELEASE:
        raise PositionError("position.waiting_cube: only phase release has a camp under way")


def check_hands(state: Any) -> None:
    """R4 The players lay their first heritage cards in order of seats, each of them enough."""
    wanted, to_act = int(state["rules"]["played_at_start"]), int(state["to_act"])
    for player in range(int(state["players"])):
        seat = state["seat"][player]
        played, held = int(seat["heritage_played"]["count"]), int(seat["hand"]["count"])
        right = played == (wanted if player < to_act else 0) or player == to_act
        if not right or (player == to_act and played + held < wanted):
            raise PositionError(
                f"position.seat[{player}]: {played} heritage cards played and {held} in hand while "
                f"{seat_name(to_act)} chooses; {wanted} each, in order of seats"
            )
