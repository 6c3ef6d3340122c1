"""Sacrificio for people and as JSON."""

from typing import Any

import numpy as np

from engines.errors import PositionError
from engines.pictures import player_name
from engines.piles import HIDDEN
from engines.records import (
    NOBODY,
    OVER,
    Bag,
    Custom,
    Layout,
    Number,
    Pile,
    Player,
    Rest,
    State,
    View,
    Words,
)

from .actions import ACTION_CARD, ACTION_KIND, ACTIONS, Kind
from .positions import check_question, check_zones
from .rules.zones import show_top
from .state import UNSET
from .tables import (
    CARD_CODES,
    HEART_NAMES,
    LAST_DECK_CARD,
    MOST_CARDS,
    MOST_DECISIONS,
    MOST_HAND,
    MOST_HOLLOW,
    MOST_MOVES,
    MOST_PLAYERS,
    MOST_TURNS,
    TEMPLE_HEART,
    TEMPLE_NAMES,
    TEMPLES,
    Ending,
    Phase,
)
from .words import (
    EMPTY,
    PHASES,
    SPOTS,
    mask_counts,
    read_pending,
    read_slots,
    read_spirits,
    readable,
    temple_set,
    temples_in,
    write_pending,
    write_slots,
    write_spirits,
)

ENDINGS = tuple(ending.name.lower() for ending in Ending)


# --- JSON -------------------------------------------------------------------------------------------------


def on_the_table(states: State) -> np.ndarray:
    """Copies of each card that lie elsewhere than in a pile or hand, the centre not counted."""
    state = states[0]
    found = np.zeros(len(CARD_CODES), np.int64)
    pending = int(state["pending"]) - 1
    if pending >= 0 and ACTION_KIND[pending] != Kind.WIPE:
        found[int(ACTION_CARD[pending])] += 1
    for seat in state["seat"]:
        found += seat["under"]
        found += np.bincount(seat["slots"], minlength=len(CARD_CODES))
        for pile in seat["spirits"]:
            cards = pile["card"][: int(pile["count"])]
            found += np.bincount(cards, minlength=len(CARD_CODES))
    found[0] = 0
    return found


def in_hands(states: State) -> np.ndarray:
    """Copies of each card in all hands."""
    found = np.zeros(len(CARD_CODES), np.int64)
    for seat in states["seat"][0]:
        cards = seat["hand"]["card"][: int(seat["hand"]["count"])]
        found += np.bincount(cards[cards > 0], minlength=len(CARD_CODES))
    return found


def deck_supply(states: State) -> np.ndarray:
    """R3 Copies of each card for deck, hands and cenotes; of supremes as many as hands hold."""
    supply = states["rules"]["copies"][0].astype(np.int64) - on_the_table(states)
    supply[LAST_DECK_CARD + 1 :] = in_hands(states)[LAST_DECK_CARD + 1 :]
    return supply


def centre_supply(states: State) -> np.ndarray:
    """R3 Supremes that lie in the centre; every other card is elsewhere."""
    supply = states["rules"]["copies"][0].astype(np.int64) - on_the_table(states) - in_hands(states)
    supply[: LAST_DECK_CARD + 1] = 0
    return supply


def temple_supply(states: State) -> np.ndarray:
    """R3 The temples of the game that stand in no zone, are no hearts, dealt or out of the game."""
    state = states[0]
    supply = mask_counts(state["rules"]["temples"]) - mask_counts(state["gone"])
    for seat in state["seat"]:
        for name in ("hearts", "options", "rejects"):
            supply -= mask_counts(seat[name])
        for temple in seat["temple"]:
            supply[max(0, int(temple))] -= 1
    supply[0] = 0
    return supply


def settle(states: State) -> None:
    """Fill in what follows from the rest of a position; in one of real play nothing changes."""
    state = states[0]
    check_zones(state)
    if state["ending"] != Ending.RUNNING or state["to_act"] == OVER:
        state["to_act"], state["phase"] = OVER, Phase.NONE
    elif state["phase"] not in (Phase.REACT, Phase.SETUP):
        state["active"] = state["to_act"]
    cards = int(state["seat"][int(state["active"])]["cenote"]["count"])
    if state["fresh"] == UNSET:
        state["fresh"] = cards
    owned, most = int(state["seat"]["hollow"].sum()), int(state["rules"]["hollow"])
    if state["hollow"] == UNSET:
        state["hollow"] = max(0, most - owned)
    if int(state["hollow"]) + owned > most:
        raise PositionError(
            f"position.hollow: {int(state['hollow']) + owned} with those of all players, "
            f"there are {most}"
        )
    if state["to_act"] != OVER:
        check_question(states)
    if state["viewer"] == NOBODY and state["phase"] != Phase.SETUP:
        show_top(readable(states))


LAYOUT = Layout(
    fields={
        "phase": Words(PHASES),
        "active": Player(),
        "turn": Number(0, MOST_TURNS, lambda state: int(state["rules"]["most_turns"])),
        "decisions": Number(0, MOST_DECISIONS, lambda state: int(state["rules"]["most_decisions"])),
        "moves_left": Number(0, MOST_MOVES),
        "rituals": Number(0, MOST_MOVES),
        "fresh": Number(0, MOST_CARDS),
        "steps": Number(0, MOST_HAND),
        "hollow": Number(0, MOST_HOLLOW, lambda state: int(state["rules"]["hollow"])),
        "seat.hollow": Number(0, MOST_HOLLOW, lambda state: int(state["rules"]["hollow"])),
        "seat.finished": Number(
            0, (1 << MOST_PLAYERS) - 1, lambda state: (1 << int(state["players"])) - 1
        ),
        "source": Words(SPOTS),
        "goal": Words(SPOTS),
        "pending": Custom(read_pending, write_pending, whole=True),
        "closing": Words(ENDINGS),
        "centre": Bag(CARD_CODES),
        "deck": Pile(CARD_CODES),
        "temples": Pile(TEMPLE_NAMES),
        "top_heart": Words(HEART_NAMES),
        "gone": temple_set("gone"),
        "rules.copies": Bag(CARD_CODES),
        "rules.temples": temple_set("temples"),
        "seat.hearts": temple_set("hearts"),
        "seat.temple": Words(("?", *TEMPLE_NAMES), first=HIDDEN),
        "seat.slots": Custom(read_slots, write_slots),
        "seat.spirits": Custom(read_spirits, write_spirits),
        "seat.cenote": Pile(CARD_CODES, known="everybody"),
        "seat.under": Bag(CARD_CODES),
        "seat.hand": Pile(CARD_CODES, "owner", hand=True, most=lambda state: MOST_HAND),
        "seat.options": temple_set("options"),
        "seat.rejects": temple_set("rejects"),
        "ending": Words(ENDINGS),
    },
    per_player=("team", "seat"),
    rest=(
        Rest("deck", ("deck", "seat.hand", "seat.cenote"), deck_supply),
        Rest("centre", ("centre",), centre_supply),
        Rest("temples", ("temples",), temple_supply),
    ),
    settle=settle,
)


def features(states: State) -> list[dict[str, Any]]:
    """For each player the temples dealt to choose from, and his side where there are teams."""
    state, found = states[0], []
    teams = len({int(t) for t in state["team"][: int(state["players"])]}) < int(state["players"])
    for player in range(int(state["players"])):
        seat = state["seat"][player]
        shown = temples_in(int(seat["options"])) or [TEMPLE_NAMES[int(t)] for t in seat["temple"]]
        facts: dict[str, Any] = {"temples dealt": tuple(shown)}
        if teams:
            facts["side"] = int(state["team"][player])
        found.append(facts)
    return found


# --- for people -------------------------------------------------------------------------------------------


def render(view: View) -> str:
    """The table as one player sees it; piles are written bottom to top, '?' is a card he does not know."""
    state = view[0]
    hollow = f"hollow hearts {int(state['hollow'])}"
    centre = bag_words(state["centre"]) or "no supremes"
    top = HEART_NAMES[int(state["top_heart"])]
    pile = f"temples {int(state['temples']['count'])}" + (f" (top {top})" if top != "none" else "")
    lines = [
        headline(view),
        f"  Centre: {hollow}, {centre}; deck {int(state['deck']['count'])}, {pile}",
    ]
    if state["pending"]:
        lines.append(f"  Pending: {ACTIONS.told(int(state['pending']) - 1)}")
    for player in range(int(state["players"])):
        lines += seat_lines(view, player)
    return "\n".join(lines)


def headline(view: View) -> str:
    """Whose turn it is and what is to be decided, or how the game ended."""
    state = view[0]
    viewer = "" if state["viewer"] == NOBODY else f", seen by {player_name(int(state['viewer']))}"
    turn = int(state["turn"])
    if state["to_act"] == OVER:
        return f"Turn {turn}{viewer}: over, {ENDINGS[int(state['ending'])].replace('_', ' ')}"
    moves = f", {int(state['moves_left'])} moves left" if state["phase"] != Phase.SETUP else ""
    return (
        f"Turn {turn + 1} of {player_name(int(state['active']))}{viewer}: "
        f"{player_name(int(state['to_act']))} decides {PHASES[int(state['phase'])]}{moves}"
    )


def seat_lines(view: View, player: int) -> list[str]:
    """One player's hearts, temples with what stands around them, cenote and hand."""
    state = view[0]
    seat = state["seat"][player]
    sign = ">" if int(state["to_act"]) == player else " "
    hearts = [HEART_NAMES[TEMPLE_HEART[TEMPLE_NAMES.index(t)]] for t in temples_in(seat["hearts"])]
    tally = [f"{hearts.count(heart)} {heart}" for heart in HEART_NAMES[1:] if heart in hearts]
    tally += [f"{int(seat['hollow'])} hollow"] if seat["hollow"] else []
    marks = [player_name(p) for p in range(4) if int(seat["finished"]) >> p & 1]
    done = f"; finished a temple of {' and '.join(marks)}" if marks else ""
    side = f", side {int(state['team'][player]) + 1}"
    lines = [
        f"{sign} {player_name(player).capitalize()}{side}: {', '.join(tally) or 'no hearts'}{done}"
    ]
    sites = [temple_words(seat, site) for site in range(3)]
    lines += [f"      {' | '.join(sites)}", f"      slots  {read_slots(seat['slots'])}"]
    lines.append(f"      hand   {pile_words(seat['hand'])}")
    under = bag_words(seat["under"])
    if seat["cenote"]["count"] or under:
        under = f"[{under}] " if under else ""
        lines.append(f"      cenote {under}{pile_words(seat['cenote'], 8)}".rstrip())
    for name in ("options", "rejects"):
        if seat[name]:
            lines.append(f"      {name} {' '.join(map(temple_name, temples_in(seat[name])))}")
    return lines


def temple_words(seat: Any, site: int) -> str:
    """One temple with its pile: 'T0 R02 red DR AAB (ES CU!)'."""
    number = int(seat["temple"][site])
    if number <= 0:
        return f"T{site} {'?' if number == HIDDEN else EMPTY}"
    pile = read_spirits(seat["spirits"])[site]
    return f"T{site} {temple_name(TEMPLE_NAMES[number])}" + (f" ({' '.join(pile)})" if pile else "")


def temple_name(name: str) -> str:
    """A temple with its heart, dagger and priests."""
    facts = TEMPLES[TEMPLE_NAMES.index(name) - 1]
    return f"{name}:{HEART_NAMES[facts.heart]} {facts.dagger.name} {facts.priests}"


def pile_words(pile: Any, last: int = 99) -> str:
    """The cards of a pile, bottom to top, at most the last few."""
    count = int(pile["count"])
    cards = pile["card"][max(0, count - last) : count]
    shown = ["?" if card == HIDDEN else CARD_CODES[int(card)] for card in cards]
    return " ".join(["..."] * (count > last) + shown) or "empty"


def bag_words(bag: Any) -> str:
    """The cards of a bag: '2 SV 1 SP'."""
    return " ".join(f"{int(n)} {CARD_CODES[card]}" for card, n in enumerate(bag) if n)
