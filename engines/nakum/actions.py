"""The actions of Nakum: an action of the day is one choice; only a released cube is chosen after it."""

from enum import IntEnum

import numpy as np

from engines.actions import ActionTable, Field, Secrecy
from engines.actions import Kind as ActionKind
from engines.core import Subjects

from .tables import (
    CUBE_NAMES,
    FAVOURS,
    HERITAGE_NAMES,
    MARKET_NAMES,
    MOST_HAND,
    MOST_MARKET,
    MOST_OPTIONS,
    MOST_ROW,
    MOST_TILES,
    OFFERING_NAMES,
    SLOTS,
    TILE_NAMES,
    TILE_SPACES,
)


class Kind(IntEnum):
    """The kinds of actions."""

    HERITAGE0 = 0
    DISCOVER = 1
    PLACE = 2
    EXPLORE = 3
    OFFERING = 4
    PITUK = 5
    START_PLAYER = 6
    GROW = 7
    RELEASE = 8


_POSITION = Field("position", tuple(str(place) for place in range(MOST_TILES)))
_SPACES = tuple(
    f"camp:{tile}" if slot == "camp" else f"basic:{tile}.{slot}"
    for tile in TILE_NAMES[1:]
    for slot in SLOTS
)
_CARDS = ("", *(f":{name}" for name in MARKET_NAMES[1:] + HERITAGE_NAMES[1:]))

ACTIONS = ActionTable(
    [
        ActionKind(
            "heritage0:{card}", (Field("card", HERITAGE_NAMES, hidden=True),), Secrecy.SECRET
        ),
        ActionKind("discover:{position}", (_POSITION,)),
        ActionKind(
            "{space}:{option}{card}",
            (
                Field("space", _SPACES),
                Field("option", tuple(str(option) for option in range(MOST_OPTIONS))),
                Field("card", _CARDS),
            ),
        ),
        ActionKind("explore:{position}", (_POSITION,)),
        ActionKind("offering:{card}", (Field("card", OFFERING_NAMES[1:]),)),
        ActionKind("pituk:{favour}", (Field("favour", FAVOURS),)),
        ActionKind("start_player"),
        ActionKind("grow"),
        ActionKind("release={cube}", (Field("cube", CUBE_NAMES),)),
    ]
)
ACTION_KIND = ACTIONS.kind
ACTION_FIELD = np.ascontiguousarray(ACTIONS.field)

# The first action of each kind; cards are numbered from 1, so theirs is one before.
HERITAGE0 = ACTIONS.start(Kind.HERITAGE0)
DISCOVER = ACTIONS.start(Kind.DISCOVER)
PLACE = ACTIONS.start(Kind.PLACE)  # + (space * MOST_OPTIONS + option) * CARDS + card
EXPLORE = ACTIONS.start(Kind.EXPLORE)
OFFERING = ACTIONS.start(Kind.OFFERING) - 1
PITUK = ACTIONS.start(Kind.PITUK)
START_PLAYER = ACTIONS.start(Kind.START_PLAYER)
GROW = ACTIONS.start(Kind.GROW)
RELEASE = ACTIONS.start(Kind.RELEASE)
CARDS = len(_CARDS)  # none, market cards, then heritage cards from MOST_MARKET on

MOST_LEGAL = TILE_SPACES * MOST_OPTIONS * max(MOST_ROW, MOST_HAND) + MOST_TILES + MOST_ROW + 4

_TILES = TILE_NAMES[1:]
_OFFERINGS = OFFERING_NAMES[1:]
_MARKET = MARKET_NAMES[1:]
_HERITAGE = HERITAGE_NAMES[1:]


def subjects_used(action: int) -> tuple[int, ...]:
    """The tile, card or offering that an action uses, as indices into the subjects."""
    kind = int(ACTION_KIND[action])
    first, _, card = (int(number) for number in ACTION_FIELD[action])
    if kind == Kind.OFFERING:
        return (len(_TILES) + first,)
    if kind == Kind.HERITAGE0 and first > 0:
        return (len(_TILES) + len(_OFFERINGS) + MOST_MARKET + first - 1,)
    if kind == Kind.PLACE:
        tile = first // len(SLOTS)
        return (tile, len(_TILES) + len(_OFFERINGS) + card - 1) if card else (tile,)
    return ()


SUBJECTS = Subjects(
    names=(*_TILES, *_OFFERINGS, *_MARKET, *_HERITAGE),
    of_action=subjects_used,
    kind="tiles and cards",
)
