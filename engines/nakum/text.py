"""Nakum as JSON; drawing.py draws it for people."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.errors import PositionError, nearest
from engines.piles import UNSEEN
from engines.records import (
    FLAG,
    NOBODY,
    OVER,
    Bag,
    Custom,
    Derived,
    Layout,
    Number,
    Pile,
    Player,
    Rest,
    State,
    Words,
)

from .drawing import cards_in, render
from .notation import Card, Gain, Space, Tile, card_text, tile_text
from .positions import check_counts, check_cubes, check_question
from .state import HERITAGE_CARD, MARKET_CARD, OFFERING_CARD, SPACE
from .tables import (
    CUBE_NAMES,
    HERITAGE_NAMES,
    MARKET_NAMES,
    MOST_ACTIONS,
    MOST_GOODS,
    MOST_ROUNDS,
    MOST_TOKENS,
    MOST_USES,
    MOST_WORKERS,
    OFFERING_NAMES,
    PYRAMID_SPACES,
    SPACE_NAMES,
    SPACES_OF_A_TILE,
    TILE_NAMES,
    Ending,
    Phase,
)

__all__ = ["LAYOUT", "features", "render"]

PHASES = tuple(phase.name.lower() for phase in Phase)
ENDINGS = tuple(ending.name.lower() for ending in Ending)


def read_spaces(seat: Any) -> list[str]:
    """The spaces on which a player's workers stand."""
    return names_in(seat["stands_on"])


def names_in(mask: Any) -> list[str]:
    """The names of the spaces of a mask."""
    return [name for space, name in enumerate(SPACE_NAMES) if int(mask) >> space & 1]


def write_spaces(seat: Any, given: Any, path: str) -> None:
    """Put a player's workers on spaces."""
    if not isinstance(given, list):
        raise PositionError(f"position.{path}: {given!r}, expected a list of spaces")
    for name in given:
        if name not in SPACE_NAMES:
            hint = nearest(str(name), SPACE_NAMES)
            raise PositionError(f"position.{path}: {name!r} is no space{hint}")
    if len(set(given)) != len(given):
        raise PositionError(f"position.{path}: {given!r}, expected each space once")
    seat["stands_on"] = sum(1 << SPACE_NAMES.index(name) for name in given)


# --- the components of the variant, as short texts ---------------------------------------------------------


@lru_cache(maxsize=64)
def tile_texts(data: bytes) -> dict[str, str]:
    """What the spaces of each tile offer; which of them are marked stands in `marked`."""
    spaces = np.frombuffer(data, SPACE)
    found = {}
    for number, name in enumerate(TILE_NAMES[1:]):
        here = spaces[number * SPACES_OF_A_TILE : (number + 1) * SPACES_OF_A_TILE]
        tile = Tile(
            tuple(
                Space(tuple(map(gain_of, s["option"][: s["options"]]))) if s["options"] else None
                for s in here
            )
        )
        if any(tile.spaces):
            found[name] = tile_text(tile)
    return found


@lru_cache(maxsize=256)
def card_texts(data: bytes, part: str) -> dict[str, str]:
    """The cards of one set that are in the game."""
    dtype, names = CARD_SETS[part]
    cards = np.frombuffer(data, dtype)
    return {
        names[number]: card_text(card_of(cards[number]))
        for number in np.flatnonzero(cards["copies"])
    }


def gain_of(record: Any) -> Gain:
    """A gain, or a cost, as the rules read it."""
    return Gain(*(int(amount) for amount in record.tolist()))


def card_of(record: Any) -> Card:
    """A card as the rules read it."""
    names = record.dtype.names
    return Card(
        gain_of(record["cost"]) if "cost" in names else Gain(),
        gain_of(record["gain"]) if "gain" in names else Gain(),
        int(record["end"]),
        int(record["sacrifice"]) if "sacrifice" in names else 0,
        bool(record["release"]) if "release" in names else False,
    )


def card_codec(part: str) -> Custom:
    """Cards of one set."""
    return Custom(lambda cards: card_texts(cards.tobytes(), part))


CARD_SETS = {
    "market": (MARKET_CARD, MARKET_NAMES),
    "offering": (OFFERING_CARD, OFFERING_NAMES),
    "heritage": (HERITAGE_CARD, HERITAGE_NAMES),
}


def settle(states: State) -> None:
    """Fill in what follows from the rest of a position; in one of real play nothing changes."""
    state, rules = states[0], states["rules"][0]
    if state["ending"] != Ending.RUNNING or state["to_act"] == OVER:
        state["to_act"], state["phase"] = OVER, Phase.NONE
        state["ending"] = max(int(state["ending"]), Ending.OFFERINGS)
    settle_board(state)
    for player in range(int(state["players"])):
        settle_seat(state["seat"][player], rules, player, int(state["phase"]))
    made = state["seat"]["offerings_made"].max()
    if made >= rules["offerings_to_end"]:
        state["end_triggered"] = 1
    check_cubes(state)
    if state["to_act"] != OVER:
        check_counts(state)
        check_question(state)


def settle_board(state: Any) -> None:
    """Which tiles lie face up; without `board` the tiles in their printed order lie face down."""
    board, rules = state["board"], state["rules"]
    if board["count"] == 0 and state["viewer"] == NOBODY:
        tiles = state["tile_box"]["card"][: int(rules["tiles_in_play"])].copy()
        count = len(tiles)
        board["count"] = count
        board["card"][:count] = tiles
        rest = state["tile_box"]["card"][count : int(state["tile_box"]["count"])].copy()
        state["tile_box"]["card"][:] = 0
        state["tile_box"]["card"][: len(rest)] = rest
        state["tile_box"]["count"] = len(rest)
    count = int(board["count"])
    shown = [int(tile) for tile in board["card"][:count][board["known"][:count] != UNSEEN]]
    state["open_spaces"] = PYRAMID_SPACES + sum(int(rules["tile_spaces"][t]) for t in shown)
    state["unexplored"] = count - len(shown)


def settle_seat(seat: Any, rules: Any, player: int, phase: int) -> None:
    """A player's offerings and the points on his cards; before the reveal heritage counts nothing."""
    workers = int(seat["active"]) + int(seat["reserve"]) + int(seat["grown"])
    for name, value, most in (
        ("reserve", workers, MOST_WORKERS),
        ("placed", int(seat["placed"]), int(seat["active"])),
        ("sacrificed", int(seat["sacrificed"]), int(seat["placed"])),
    ):
        if value > most:
            what = "workers in all" if name == "reserve" else "workers"
            raise PositionError(
                f"position.seat[{player}].{name}: {value} {what}, expected at most {most}"
            )
    seat["offerings_made"] = seat["offerings"].sum()
    found = int((seat["offerings"] * rules["offering"]["end"].astype(np.int64)).sum())
    found += int((seat["market_owned"] * rules["market"]["end"].astype(np.int64)).sum())
    if phase != Phase.HERITAGE:
        found += sum(int(rules["heritage"]["end"][c]) for c in cards_in(seat["heritage_played"]))
    seat["card_points"] = found
    if phase == Phase.HERITAGE:
        seat["heritage_played"]["known"][: int(seat["heritage_played"]["count"])] &= 1 << player


def supply_of(name: str) -> Callable[[State], NDArray[np.int64]]:
    """Copies of each card of a set in the game."""
    return lambda states: states["rules"][name]["copies"][0].astype(np.int64)


def tile_supply(states: State) -> NDArray[np.int64]:
    """The tiles in the game."""
    return states["rules"]["tile_copies"][0].astype(np.int64)  # type: ignore[no-any-return]


def largest(*names: str) -> Callable[[Any], int]:
    """The largest of some numbers of the variant, as a bound."""
    return lambda state: max(int(state["rules"][name]) for name in names)


def stored(name: str) -> Callable[[Any], int]:
    """R22 The storage limit of a resource."""
    return lambda state: int(state["rules"]["limit"][name])


MARKET_ZONES = ("market_deck", "market_row", "seat.market_owned")
OFFERING_ZONES = ("offering_deck", "offering_row", "offering_discard", "seat.offerings")
HERITAGE_ZONES = ("heritage_removed", "seat.hand", "seat.heritage_played")

LAYOUT = Layout(
    fields={
        "rules.tile_copies": Derived(),
        "rules.tile_spaces": Derived(),
        "rules.plain": Derived(),
        "rules.selling": Derived(),
        "rules.marked": Custom(lambda rules: names_in(rules["marked"]), whole=True),
        "rules.space": Custom(lambda spaces: tile_texts(spaces.tobytes())),
        "rules.market": card_codec("market"),
        "rules.offering": card_codec("offering"),
        "rules.heritage": card_codec("heritage"),
        "phase": Words(PHASES),
        "current_round": Number(1, MOST_ROUNDS, lambda state: int(state["rules"]["max_rounds"])),
        "start_token": Player(),
        "end_triggered": FLAG,
        "action_counter": Number(0, MOST_ACTIONS),
        "explorer": Player(nobody=True),
        "board": Pile(TILE_NAMES, most=lambda state: int(state["rules"]["tiles_in_play"])),
        "tile_box": Pile(TILE_NAMES),
        "open_spaces": Derived(),
        "unexplored": Derived(),
        "cubes": Bag(CUBE_NAMES, most=MOST_USES),
        "waiting_cube": Words(("none", *CUBE_NAMES)),
        "market_row": Pile(
            MARKET_NAMES, "everybody", hand=True, most=largest("market_row", "pituk_market")
        ),
        "market_deck": Pile(MARKET_NAMES),
        "offering_row": Pile(
            OFFERING_NAMES, "everybody", hand=True, most=largest("offering_row", "pituk_offerings")
        ),
        "offering_deck": Pile(OFFERING_NAMES),
        "offering_discard": Bag(OFFERING_NAMES),
        "heritage_removed": Pile(HERITAGE_NAMES),
        "seat.maize": Number(0, MOST_GOODS, stored("maize")),
        "seat.hide": Number(0, MOST_GOODS, stored("hide")),
        "seat.mask": Number(0, MOST_GOODS, stored("mask")),
        "seat.vp": Number(0, MOST_TOKENS),
        "seat.active": Number(0, MOST_WORKERS),
        "seat.reserve": Number(0, MOST_WORKERS),
        "seat.placed": Number(0, MOST_WORKERS),
        "seat.grown": Number(0, MOST_WORKERS),
        "seat.sacrificed": Number(0, MOST_WORKERS),
        "seat.first_offering_at": Number(0, MOST_ACTIONS),
        "seat.hand": Pile(HERITAGE_NAMES, "owner", hand=True, most=largest("hand_size")),
        "seat.heritage_played": Pile(HERITAGE_NAMES, known="everybody", hand=True),
        "seat.market_owned": Bag(MARKET_NAMES),
        "seat.offerings": Bag(OFFERING_NAMES),
        "seat.stands_on": Custom(read_spaces, write_spaces, whole=True),
        "seat.card_points": Derived(),
        "seat.offerings_made": Derived(),
        "ending": Words(ENDINGS),
    },
    per_player=("team", "seat"),
    rest=(
        Rest("tile_box", ("tile_box", "board"), tile_supply),
        Rest("market_deck", MARKET_ZONES, supply_of("market")),
        Rest("offering_deck", OFFERING_ZONES, supply_of("offering")),
        Rest("heritage_removed", HERITAGE_ZONES, supply_of("heritage")),
    ),
    settle=settle,
)


def features(states: State) -> list[dict[str, Any]]:
    """For each player the heritage cards dealt, and what lay open before anybody chose."""
    state = states[0]
    shared = {
        "first offerings": tuple(OFFERING_NAMES[c] for c in cards_in(state["offering_row"])),
        "first market row": tuple(MARKET_NAMES[c] for c in cards_in(state["market_row"])),
    }
    hands = [state["seat"]["hand"][player] for player in range(int(state["players"]))]
    return [
        {"heritage dealt": tuple(HERITAGE_NAMES[c] for c in cards_in(hand)), **shared}
        for hand in hands
    ]
