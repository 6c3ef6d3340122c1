"""Karmaka for people and as JSON."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.errors import PositionError, nearest
from engines.pictures import player_name
from engines.piles import HIDDEN
from engines.records import (
    FLAG,
    NOBODY,
    OVER,
    Custom,
    Derived,
    Layout,
    Number,
    Pile,
    Player,
    Rest,
    State,
    View,
    Words,
)
from engines.rng import seeded

from .picture import LETTERS
from .positions import CARD_OR_NONE, ENDINGS, MOST_TIMES, PHASES, check_question, check_rungs
from .rules.effects import EMBODY_SEEN, MIMIC_SEEN
from .rules.turn import begin_turn
from .tables import (
    CARD_COLOUR,
    CARD_NAMES,
    CARD_POINTS,
    MOST_PLAYS,
    MOST_TURNS,
    RUNGS,
    TRANSCENDENCE,
    UNLIMITED,
    Colour,
    Ending,
    Mode,
    Phase,
)

MODES = tuple(mode.name.lower() for mode in Mode)
ASKED_OF_OTHERS = (Phase.OFFER, Phase.DWINDLE_RUIN, Phase.CRISIS_RUIN)
ZONES = ("well", "ruins", "held", "seat.hand", "seat.deck", "seat.future", "seat.deeds")


# --- JSON -------------------------------------------------------------------------------------------------


def read_pending(state: Any) -> list[dict[str, Any]]:
    """The decisions that wait, the next one last."""
    return [
        {"phase": PHASES[int(f["phase"])], "player": int(f["player"]), "left": int(f["left"])}
        for f in state["pending"]
        if f["phase"]
    ]


def write_pending(state: Any, given: Any, path: str) -> None:
    """Fill the stack of decisions that wait from a list of {phase, player, left}."""
    frames = state["pending"]
    if not isinstance(given, list) or len(given) > len(frames):
        raise PositionError(
            f"position.{path}: {given!r}, expected at most {len(frames)} of {{phase, player, left}}"
        )
    frames[:] = 0
    for number, entry in enumerate(given):
        where = f"{path}[{number}]"
        if not isinstance(entry, Mapping) or set(entry) - set(frames.dtype.names):
            raise PositionError(f"position.{where}: {entry!r}, expected {{phase, player, left}}")
        word = entry.get("phase")
        if word not in PHASES[2:]:
            raise PositionError(
                f"position.{where}.phase: {word!r} is no phase{nearest(str(word), PHASES[2:])}"
            )
        most = {"player": int(state["players"]) - 1, "left": MOST_TIMES}
        frames[number]["phase"] = PHASES.index(word)
        for name, start in (("player", 0), ("left", 1)):
            value = entry.get(name, start)
            if type(value) is not int or not start <= value <= most[name]:
                raise PositionError(
                    f"position.{where}.{name}: {value!r}, expected {start} to {most[name]}"
                )
            frames[number][name] = value


def rings_in_all(state: Any) -> int:
    """R18 Rings of all players together; without a supply a turn brings one at most."""
    most = int(state["rules"]["ring_supply"])
    return int(state["rules"]["most_turns"]) if most == UNLIMITED else most


def supply(states: State) -> np.ndarray:
    """Copies of each card for the piles: those in the game but for the one on the table."""
    copies = states["rules"]["copies"][0].astype(np.int64)
    table = int(states["table"][0])
    if table:
        copies[table] -= 1
    return copies


def settle(states: State) -> None:
    """Fill in what follows from the rest of a position; in one of real play nothing changes."""
    state = states[0]
    state["depth"] = int((state["pending"]["phase"] != 0).sum())
    if state["ending"] != Ending.RUNNING:
        state["to_act"] = OVER
    if state["to_act"] == OVER:
        state["phase"], state["left"] = Phase.NONE, 0
    elif state["phase"] not in ASKED_OF_OTHERS:
        state["active"] = state["to_act"]
    rings, most = int(state["seat"]["rings"].sum()), int(state["rules"]["ring_supply"])
    if 0 <= most < rings:
        raise PositionError(f"position.seat.rings: {rings} in all, there are {most}")
    check_rungs(state)
    if state["to_act"] != OVER:
        check_question(state)


def start(states: State) -> None:
    """`phase: start` begins the turn of `to_act`; a refill of the Well that this takes is shuffled with seed 0."""
    if states["phase"][0] == Phase.START:
        begin_turn(states, seeded(0))


LAYOUT = Layout(
    fields={
        "rules.mode": Words(MODES),
        "phase": Words(PHASES),
        "left": Number(0, MOST_TIMES),
        "active": Player(),
        "turn": Number(0, MOST_TURNS, lambda state: int(state["rules"]["most_turns"])),
        "plays": Number(0, MOST_PLAYS, lambda state: int(state["rules"]["most_plays"])),
        "chain": Number(0, EMBODY_SEEN | MIMIC_SEEN),
        "victim": Player(nobody=True),
        "again": FLAG,
        "seat.rung": Number(0, TRANSCENDENCE),
        "seat.rings": Number(0, MOST_TURNS, rings_in_all),
        "table": Words(CARD_OR_NONE),
        "ability": Words(CARD_OR_NONE),
        "depth": Derived(),
        "pending": Custom(read_pending, write_pending, whole=True),
        "well": Pile(CARD_NAMES),
        "ruins": Pile(CARD_NAMES, known="everybody"),
        "held": Pile(CARD_NAMES, hand=True),
        "seat.hand": Pile(CARD_NAMES, known="owner", hand=True),
        "seat.deck": Pile(CARD_NAMES),
        "seat.future": Pile(CARD_NAMES, known="owner"),
        "seat.deeds": Pile(CARD_NAMES, known="everybody"),
        "ending": Words(ENDINGS),
    },
    per_player=("team", "seat"),
    rest=(Rest("well", ZONES, supply),),
    settle=settle,
    run_on=start,
)


def opening_hands(states: State) -> list[dict[str, Any]]:
    """For each player the cards of the first Hand (the first player has drawn his first card) and the side's role."""
    rules, found = states["rules"][0], []
    for player in range(int(states["players"][0])):
        hand = states["seat"]["hand"][0, player]
        cards = tuple(CARD_NAMES[int(card)] for card in hand["card"][: int(hand["count"])])
        facts: dict[str, Any] = {"opening hand": cards}
        if rules["mode"] == Mode.BIG_BAD_WOLF:
            facts["role"] = "pair" if int(states["team"][0, player]) else "wolf"
        found.append(facts)
    return found


# --- for people -------------------------------------------------------------------------------------------


def render(view: View) -> str:
    """The table as one player sees it; piles are written bottom to top, '?' is a card he does not know."""
    state = view[0]
    lines = [headline(view)]
    lines.append(f"  Well {int(state['well']['count'])}{seen_in(state['well'])}")
    lines.append(f"  Ruins {int(state['ruins']['count'])}: {cards_of(state['ruins'], last=8)}")
    if state["table"]:
        lines.append(f"  Table: {named(int(state['table']))}{copied(view)}")
    if state["held"]["count"]:
        lines.append(f"  Held out: {cards_of(state['held'])}")
    for player in range(int(state["players"])):
        lines += seat_lines(view, player)
    return "\n".join(lines)


def headline(view: View) -> str:
    """Whose turn it is and what is to be decided, or how the game ended."""
    state = view[0]
    viewer = "" if state["viewer"] == NOBODY else f", seen by {player_name(int(state['viewer']))}"
    if state["to_act"] == OVER:
        return f"Turn {int(state['turn'])}{viewer}: over, {ENDINGS[int(state['ending'])].replace('_', ' ')}"
    question = PHASES[int(state["phase"])].replace("_", " ")
    times = f" ({int(state['left'])} left)" if state["left"] > 1 else ""
    return (
        f"Turn {int(state['turn']) + 1} of {player_name(int(state['active']))}{viewer}: "
        f"{player_name(int(state['to_act']))} decides {question}{times}"
    )


def copied(view: View) -> str:
    """Which ability a copy card has led to, and on whom it was played."""
    state = view[0]
    ability, victim = int(state["ability"]), int(state["victim"])
    what = f" as {named(ability)}" if ability != int(state["table"]) else ""
    return what + (f" on {player_name(victim)}" if victim != NOBODY else "")


def seat_lines(view: View, player: int) -> list[str]:
    """One player's rung, rings and cards."""
    state = view[0]
    seat = state["seat"][player]
    side = f", side {int(state['team'][player]) + 1}" if state["rules"]["mode"] else ""
    sign = ">" if int(state["to_act"]) == player else " "
    rung = int(seat["rung"])
    need = f", needs {int(state['rules']['thresholds'][rung])}" if rung < len(RUNGS) - 1 else ""
    lines = [
        f"{sign} {player_name(player).capitalize()}{side}: {RUNGS[rung]}{need}, rings {int(seat['rings'])}"
    ]
    for name in ("deeds", "hand", "future", "deck"):
        pile = seat[name]
        if pile["count"]:
            lines.append(f"      {name.capitalize():6} {int(pile['count'])}: {cards_of(pile)}")
    return lines


def cards_of(pile: Any, last: int = 99) -> str:
    """The cards of a pile, bottom to top, at most the last few."""
    count = int(pile["count"])
    shown = [named(int(card)) for card in pile["card"][max(0, count - last) : count]]
    return " ".join(["..."] * (count > last) + shown)


def seen_in(pile: Any) -> str:
    """The cards of a face-down pile that the viewer knows, from the top down to the last of them."""
    cards = [int(card) for card in pile["card"][: int(pile["count"])]]
    known = [place for place, card in enumerate(cards) if card != HIDDEN]
    return f", top: {' '.join(named(card) for card in cards[known[0] :])}" if known else ""


def named(card: int) -> str:
    """A card with its colour and points: 'panic R1'."""
    if card == HIDDEN:
        return "?"
    return f"{CARD_NAMES[card]}({LETTERS[Colour(CARD_COLOUR[card])]}{CARD_POINTS[card]})"
