"""Sagrada as JSON; drawing.py draws it for people."""

from typing import Any

import numpy as np

from engines.errors import PositionError, nearest
from engines.records import (
    FLAG,
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
    Words,
)

from .drawing import cards_in, render
from .positions import CELL_OR_NONE, PHASES, check_choices, check_dice, check_landing, check_tool
from .tables import (
    CARD_NAMES,
    CARDS,
    CELLS,
    COLOUR_LETTERS,
    COLOUR_NAMES,
    COLOURS,
    COLUMNS,
    DICE_IN_ALL,
    DICE_OF_A_COLOUR,
    DIE_COLOUR,
    DIE_NAMES,
    DIE_VALUE,
    MOST_PLAYERS,
    MOST_POOL,
    MOST_ROUNDS,
    MOST_TOKENS,
    OBJECTIVE_NAMES,
    OFFERED_CARDS,
    PATTERN_NAMES,
    PIPS,
    ROWS,
    TOOL_NAMES,
    Ending,
    Phase,
)

__all__ = ["LAYOUT", "features", "render"]

ENDINGS = tuple(ending.name.lower() for ending in Ending)
EMPTY = DIE_NAMES[0]


# --- JSON -------------------------------------------------------------------------------------------------


def die_of(word: Any, path: str) -> int:
    """The number of a die written like R3."""
    if word in DIE_NAMES[1:]:
        return DIE_NAMES.index(word)
    raise PositionError(f"position.{path}: {word!r} is no die{nearest(str(word), DIE_NAMES[1:])}")


def dice_of(given: Any, most: int, path: str) -> list[int]:
    """The numbers of listed dice, sorted."""
    if not isinstance(given, list) or len(given) > most:
        raise PositionError(f"position.{path}: {given!r}, expected a list of at most {most} dice")
    return sorted(die_of(word, path) for word in given)


def read_dice(dice: Any) -> list[str]:
    """A list of dice, sorted by colour and value."""
    pairs = zip(dice["card"], dice["value"], strict=True)
    return [f"{COLOUR_LETTERS[c]}{v}" for c, v in list(pairs)[: int(dice["count"])]]


def write_dice(dice: Any, given: Any, path: str) -> None:
    """Fill a list of dice."""
    found = dice_of(given, MOST_POOL, path)
    dice["count"] = len(found)
    dice["card"] = np.resize(DIE_COLOUR[[*found, *[0] * MOST_POOL]], MOST_POOL)
    dice["value"] = np.resize(DIE_VALUE[[*found, *[0] * MOST_POOL]], MOST_POOL)


def read_track(track: Any) -> list[list[str]]:
    """The dice of each slot, from round 1 to the last slot with dice."""
    count = int(track["count"])
    slots = track["slot"][:count]
    words = [f"{COLOUR_LETTERS[track['card'][i]]}{track['value'][i]}" for i in range(count)]
    last = int(slots[-1]) if count else 0
    return [
        [word for word, at in zip(words, slots, strict=True) if at == slot]
        for slot in range(1, last + 1)
    ]


def write_track(track: Any, given: Any, path: str) -> None:
    """Fill the track from a list of dice for each slot."""
    if not isinstance(given, list) or len(given) > MOST_ROUNDS:
        raise PositionError(
            f"position.{path}: {given!r}, expected dice for at most {MOST_ROUNDS} slots"
        )
    for name in ("slot", "card", "value"):
        track[name] = 0
    at = 0
    for slot, words in enumerate(given, 1):
        for die in dice_of(words, DICE_IN_ALL - at, f"{path}[{slot - 1}]"):
            track["slot"][at] = slot
            track["card"][at] = DIE_COLOUR[die]
            track["value"][at] = DIE_VALUE[die]
            at += 1
    track["count"] = at


def read_window(window: Any) -> list[str]:
    """The dice of a window, row by row: 'G5 B4 R3 -- --'."""
    words = [DIE_NAMES[int(die)] for die in window["die"]]
    return [" ".join(words[i : i + COLUMNS]) for i in range(0, CELLS, COLUMNS)]


def write_window(window: Any, given: Any, path: str) -> None:
    """Fill a window from rows of five dice, -- for an empty space; rows may be left out at the bottom."""
    if not isinstance(given, list) or len(given) > ROWS:
        raise PositionError(f"position.{path}: {given!r}, expected at most {ROWS} rows of dice")
    for name in window.dtype.names:
        window[name] = 0
    for row, line in enumerate(given):
        words = str(line).split()
        if len(words) != COLUMNS:
            raise PositionError(f"position.{path}: {line!r}, expected {COLUMNS} dice or {EMPTY}")
        for column, word in enumerate(words):
            if word != EMPTY:
                place_die(window, row * COLUMNS + column, die_of(word, path))


def place_die(window: Any, cell: int, die: int) -> None:
    """Put a die into an empty space and into the masks that the rules read."""
    colour, value = int(DIE_COLOUR[die]), int(DIE_VALUE[die])
    window["die"][cell] = die
    window["filled"] |= 1 << cell
    window["colour"][colour] |= 1 << cell
    window["pips"][value] |= 1 << cell
    window["tally"][colour] += 1


def read_rolls(state: Any) -> list[int]:
    """The first rolls of the dice in the bag, in its order; none in a View."""
    rolls = [int(value) for value in state["rolls"][: int(state["bag"]["count"])]]
    return rolls if any(rolls) else []


def write_rolls(state: Any, given: Any, path: str) -> None:
    """Set the first rolls of the dice in the bag, in its order; the last is drawn first."""
    right = isinstance(given, list) and len(given) <= DICE_IN_ALL
    if not right or any(type(value) is not int or not 0 <= value <= PIPS for value in given):
        raise PositionError(f"position.{path}: {given!r}, expected values of dice, 1 to {PIPS}")
    state["rolls"][: len(given)] = given


def settle(states: State) -> None:
    """Fill in what follows from the rest of a position; in one of real play nothing changes.

    `turn` says who acts; without it `to_act` means this player's first turn of the round. First
    rolls that are not given go 1, 2, ... 6 and again, from the bottom of the bag.
    """
    state = states[0]
    phase = int(state["phase"])
    if state["ending"] != Ending.RUNNING or state["to_act"] == OVER:
        state["ending"], state["to_act"], state["phase"] = Ending.LAST_ROUND, OVER, Phase.NONE
    elif phase == Phase.WINDOW:
        state["current_round"] = 0
        if state["turns"]:
            raise PositionError(
                f"position.turns: {int(state['turns'])} begun, expected 0 while windows are chosen"
            )
        check_choices(state)
    else:
        settle_turn(state)
        check_landing(state)
    if state["to_act"] != OVER:
        check_dice(state, phase)
        check_tool(state, phase)
    if state["viewer"] == NOBODY:
        drawn = state["bag"]["card"][: int(state["bag"]["count"])]
        state["bag_tally"] = np.bincount(drawn, minlength=COLOURS + 1)
        for i in range(int(state["bag"]["count"])):
            if state["rolls"][i] == 0:
                state["rolls"][i] = i % PIPS + 1


def settle_turn(state: Any) -> None:
    """Whose turn it is, and how many there were."""
    players, to_act = int(state["players"]), int(state["to_act"])
    if state["current_round"] == 0 or state["phase"] == Phase.NONE:
        raise PositionError(
            f"position.phase: {PHASES[int(state['phase'])]} in round {int(state['current_round'])}, "
            "expected window before round 1, none when the game is over"
        )
    if state["turn"] == 0:
        steps = [turn for turn in range(players) if turn_owner(state, turn) == to_act]
        state["turn"] = steps[0] if steps else 0
    state["to_act"] = turn_owner(state, int(state["turn"]))
    most = (int(state["current_round"]) - 1) * 2 * players + int(state["turn"]) + 1
    if state["turns"] > most:
        raise PositionError(
            f"position.turns: {int(state['turns'])} begun, expected at most {most} by turn "
            f"{int(state['turn'])} of round {int(state['current_round'])}"
        )
    if state["turns"] == 0:
        state["turns"] = most


def turn_owner(state: Any, turn: int) -> int:
    """Whose turn of the round it is, as the rules reckon."""
    players = int(state["players"])
    step = turn if turn < players else 2 * players - 1 - turn
    return (int(state["start"]) + int(state["current_round"]) - 1 + step) % players


def supply_of(count: int) -> Any:
    """One copy of each card from 1 to `count`."""
    return lambda states: np.array([0, *[1] * count], np.int64)


def dice_supply(states: State) -> np.ndarray:
    """Dice of each colour."""
    return np.array([0, *[DICE_OF_A_COLOUR] * COLOURS], np.int64)


def private_supply(states: State) -> np.ndarray:
    """The private objectives in the game."""
    return states["rules"]["private_copies"][0].astype(np.int64)


def window_supply(states: State) -> np.ndarray:
    """R4 Window cards; they leave the game when the windows are chosen."""
    copies = int(states["phase"][0] == Phase.WINDOW)
    return np.array([0, *[copies] * CARDS], np.int64)


DICE_ZONES = ("bag", "pool", "held", "spent", "track", "seat.window.tally")
DICE_CODEC = Custom(read_dice, write_dice)

LAYOUT = Layout(
    fields={
        "phase": Words(PHASES),
        "start": Player(hidden=True),
        "current_round": Number(0, MOST_ROUNDS, lambda state: int(state["rules"]["rounds"])),
        "turn": Number(0, 2 * MOST_PLAYERS - 1, lambda state: 2 * int(state["players"]) - 1),
        "turns": Number(
            0,
            2 * MOST_PLAYERS * MOST_ROUNDS,
            lambda state: 2 * int(state["players"]) * int(state["rules"]["rounds"]),
        ),
        "drafted": FLAG,
        "tool_used": FLAG,
        "tool": Words(("none", *TOOL_NAMES[1:])),
        "tool_colour": Words(("none", *COLOUR_LETTERS[1:])),
        "moved": Words(CELL_OR_NONE),
        "landing": Words(CELL_OR_NONE),
        "held": DICE_CODEC,
        "pool": DICE_CODEC,
        "spent": DICE_CODEC,
        "track": Custom(read_track, write_track),
        "bag": Pile(COLOUR_LETTERS),
        "bag_tally": Bag(COLOUR_LETTERS, most=DICE_OF_A_COLOUR),
        "rolls": Custom(read_rolls, write_rolls, whole=True),
        "tools": Pile(TOOL_NAMES, known="everybody", hand=True),
        "tool_box": Pile(TOOL_NAMES, known="everybody"),
        "tool_tokens": Bag(TOOL_NAMES, most=MOST_PLAYERS * MOST_TOKENS),
        "publics": Pile(OBJECTIVE_NAMES, known="everybody", hand=True),
        "public_box": Pile(OBJECTIVE_NAMES, known="everybody"),
        "private_box": Pile(COLOUR_NAMES),
        "window_box": Pile(CARD_NAMES),
        "seat.pattern": Words(("?", *PATTERN_NAMES), first=-1),
        "seat.tokens": Number(0, MOST_TOKENS),
        "seat.skips": FLAG,
        "seat.private": Pile(COLOUR_NAMES, known="owner", hand=True),
        "seat.options": Pile(CARD_NAMES, "owner", hand=True, most=lambda state: OFFERED_CARDS),
        "seat.window": Custom(read_window, write_window),
        "ending": Words(ENDINGS),
    },
    per_player=("team", "seat"),
    rest=(
        Rest("bag", DICE_ZONES, dice_supply),
        Rest("tool_box", ("tool_box", "tools"), supply_of(len(TOOL_NAMES) - 1)),
        Rest("public_box", ("public_box", "publics"), supply_of(len(OBJECTIVE_NAMES) - 1)),
        Rest("private_box", ("private_box", "seat.private"), private_supply),
        Rest("window_box", ("window_box", "seat.options"), window_supply),
    ),
    settle=settle,
)


def features(states: State) -> list[dict[str, Any]]:
    """For each player what was dealt: patterns to choose from, private and public objectives, tools."""
    state = states[0]
    found = []
    for player in range(int(state["players"])):
        seat = state["seat"][player]
        offered = tuple(
            PATTERN_NAMES[n] for c in cards_in(seat["options"]) for n in (2 * c - 1, 2 * c)
        )
        found.append(
            {
                "windows offered": offered or (PATTERN_NAMES[int(seat["pattern"])],),
                "private objective": tuple(COLOUR_NAMES[c] for c in cards_in(seat["private"])),
                "public objectives": tuple(OBJECTIVE_NAMES[c] for c in cards_in(state["publics"])),
                "tools": tuple(TOOL_NAMES[c] for c in cards_in(state["tools"])),
            }
        )
    return found
