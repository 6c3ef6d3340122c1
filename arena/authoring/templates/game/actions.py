"""The actions: a card played for all to see, or buried unseen."""

from enum import IntEnum

import numpy as np

from engines.actions import ActionTable, Field, Secrecy
from engines.actions import Kind as ActionKind
from engines.core import Subjects

from .tables import CARD_NAMES


class Kind(IntEnum):
    """The kinds of actions."""

    PLAY = 0
    BURY = 1


ACTIONS = ActionTable(
    [
        ActionKind("play {card}", (Field("card", CARD_NAMES),)),
        ActionKind("bury {card}", (Field("card", CARD_NAMES, hidden=True),), Secrecy.SECRET),
    ]
)
ACTION_KIND = ACTIONS.kind
ACTION_CARD = np.ascontiguousarray(ACTIONS.field[:, 0])
PLAY = ACTIONS.start(Kind.PLAY)  # the action that plays card c is PLAY + c
BURY = ACTIONS.start(Kind.BURY)


def cards_used(action: int) -> tuple[int, ...]:
    """The card that an action uses, as an index into the subjects."""
    card = int(ACTION_CARD[action])
    return (card - 1,) if card > 0 else ()


SUBJECTS = Subjects(names=CARD_NAMES[1:], of_action=cards_used)
