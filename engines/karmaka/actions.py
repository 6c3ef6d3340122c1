"""The actions of Karmaka: hand choices name the card, picks from ordered piles the position."""

from enum import IntEnum

import numpy as np

from engines.actions import ActionTable, Field, Secrecy
from engines.actions import Kind as ActionKind
from engines.core import Subjects

from .tables import CARD_NAMES, CARDS_IN_ALL, MOST_PLAYERS


class Kind(IntEnum):
    """The kinds of actions; those that accompany a list of cards come after it."""

    DEED = 0
    FUTURE = 1
    ALLY_FUTURE = 2
    ABILITY = 3
    PASS = 4
    DECLINE = 5
    TARGET = 6
    COPY = 7
    TRANSMIGRATE = 8
    KEEP = 9
    RETURN = 10
    STEAL = 11
    PICK = 12
    SOW = 13
    JUBILEE = 14
    RUIN = 15
    RUIN_DEED = 16
    DRAW = 17
    STOP = 18
    TAKE = 19
    LEAVE = 20
    SPEND_RINGS = 21
    SAVE_RINGS = 22


_CARD = Field("card", CARD_NAMES)
_UNSEEN = Field("card", CARD_NAMES, hidden=True)
_PLAYER = Field("player", tuple(str(player) for player in range(MOST_PLAYERS)))
_POSITION = Field("position", tuple(str(place) for place in range(CARDS_IN_ALL)))
_DEPTH = Field("depth", ("top", "second", "third"))

ACTIONS = ActionTable(
    [
        ActionKind("deed {card}", (_CARD,)),
        ActionKind("future {card}", (_UNSEEN,), Secrecy.SECRET),
        ActionKind("ally future {card}", (_UNSEEN,), Secrecy.SECRET),
        ActionKind("ability {card}", (_CARD,)),
        ActionKind("pass"),
        ActionKind("decline"),
        ActionKind("target {player}", (_PLAYER,)),
        ActionKind("copy {card}", (_CARD,)),
        ActionKind("transmigrate {position}", (_POSITION,)),
        ActionKind("keep {card}", (_UNSEEN,), Secrecy.SECRET),
        ActionKind("return {card}", (_UNSEEN,), Secrecy.SECRET),
        ActionKind("steal {card}", (_UNSEEN,), Secrecy.SECRET),
        ActionKind("pick {depth}", (_DEPTH,)),
        ActionKind("sow {card}", (_UNSEEN,), Secrecy.SECRET),
        ActionKind("jubilee {card}", (_CARD,)),
        ActionKind("ruin {card}", (_CARD,)),
        ActionKind("ruin deed {position}", (_POSITION,)),
        ActionKind("draw"),
        ActionKind("stop"),
        ActionKind("take"),
        ActionKind("leave"),
        ActionKind("spend rings"),
        ActionKind("save rings"),
    ]
)
ACTION_KIND = ACTIONS.kind
ACTION_FIELD = np.ascontiguousarray(ACTIONS.field[:, 0])

DEED = ACTIONS.start(Kind.DEED)
FUTURE = ACTIONS.start(Kind.FUTURE)
ALLY_FUTURE = ACTIONS.start(Kind.ALLY_FUTURE)
ABILITY = ACTIONS.start(Kind.ABILITY)
PASS = ACTIONS.start(Kind.PASS)
DECLINE = ACTIONS.start(Kind.DECLINE)
TARGET = ACTIONS.start(Kind.TARGET)
COPY = ACTIONS.start(Kind.COPY)
TRANSMIGRATE = ACTIONS.start(Kind.TRANSMIGRATE)
KEEP = ACTIONS.start(Kind.KEEP)
RETURN = ACTIONS.start(Kind.RETURN)
STEAL = ACTIONS.start(Kind.STEAL)
PICK = ACTIONS.start(Kind.PICK)
SOW = ACTIONS.start(Kind.SOW)
JUBILEE = ACTIONS.start(Kind.JUBILEE)
RUIN = ACTIONS.start(Kind.RUIN)
RUIN_DEED = ACTIONS.start(Kind.RUIN_DEED)
DRAW = ACTIONS.start(Kind.DRAW)
STOP = ACTIONS.start(Kind.STOP)
TAKE = ACTIONS.start(Kind.TAKE)
LEAVE = ACTIONS.start(Kind.LEAVE)
SPEND_RINGS = ACTIONS.start(Kind.SPEND_RINGS)
SAVE_RINGS = ACTIONS.start(Kind.SAVE_RINGS)

_USES = frozenset(
    {Kind.DEED, Kind.FUTURE, Kind.ALLY_FUTURE, Kind.ABILITY, Kind.COPY, Kind.SOW, Kind.JUBILEE}
)


def cards_used(action: int) -> tuple[int, ...]:
    """The card that an action plays, stores or copies, as an index into the subjects."""
    card = int(ACTION_FIELD[action])
    return (card - 1,) if ACTION_KIND[action] in _USES and card > 0 else ()


SUBJECTS = Subjects(names=CARD_NAMES[1:], of_action=cards_used)
