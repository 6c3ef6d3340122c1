"""The actions of Sacrifice: a character and a direction; cells only where a direction does not say it.

The table's own texts name no cell of departure ("S1 N"). Where a position is known, text.phrase gives the action
as people write it ("S1:c7-c8"): with all cells in it an action would not fit into 16 bits.
"""

from enum import IntEnum

import numpy as np

from engines.actions import ActionTable, Field
from engines.actions import Kind as ActionKind
from engines.core import Subjects

from .tables import (
    CELL_NAMES,
    CHARACTERS,
    DIRECTIONS,
    FIRST_FALCON,
    HYPER_NAMES,
    LETTERS,
    SLOT_KIND,
)


class Act(IntEnum):
    """The kinds of actions, in the order of their numbers."""

    END = 0
    CANCEL = 1
    ACCEPT = 2
    RESURRECT = 3
    CHOOSE = 4
    MOVE = 5
    FLY = 6
    BUILD = 7


# Moves of a character: step or attack, the same with a mineral, entry with a mineral that is laid to that side, run,
# jump to the hyper-cell in a direction, cell 0-3 of it.
STEP, CARRY, ENTER, RUN, JUMP = 0, 4, 8, 12, 16
JUMP_WORDS = tuple(f"~{h}{corner}" for h in HYPER_NAMES for corner in ("sw", "se", "nw", "ne"))
MOVE_WORDS = (
    *DIRECTIONS,
    *(f"{d}*" for d in DIRECTIONS),
    *(f"*{d}" for d in DIRECTIONS),
    *(f">{d}" for d in DIRECTIONS),
    *JUMP_WORDS,
)
MOVES = len(MOVE_WORDS)

_KIND = Field("kind", tuple(LETTERS))
_SIDE = Field("side", ("south", "north"))
_CHARACTER = Field("character", CHARACTERS)
_MOVE = Field("move", MOVE_WORDS)
_FALCON = Field("falcon", CHARACTERS[FIRST_FALCON:])
_CELL = Field("cell", CELL_NAMES)
_WALL = Field("wall", ("wH", "wV"))

ACTIONS = ActionTable(
    [
        ActionKind("end"),
        ActionKind("cancel"),
        ActionKind("accept"),
        ActionKind("r:{kind}", (_KIND,)),
        ActionKind("k:{side} {character}", (_SIDE, _CHARACTER)),
        ActionKind("{character} {move}", (_CHARACTER, _MOVE)),
        ActionKind("{falcon} ^{cell}", (_FALCON, _CELL)),
        ActionKind("{wall}:{cell}", (_WALL, _CELL)),
    ]
)
ACTION_ACT = ACTIONS.kind
ACTION_FIRST = np.ascontiguousarray(ACTIONS.field[:, 0])
ACTION_SECOND = np.ascontiguousarray(ACTIONS.field[:, 1])

END_TURN = ACTIONS.start(Act.END)
CANCEL = ACTIONS.start(Act.CANCEL)
ACCEPT = ACTIONS.start(Act.ACCEPT)
RESURRECT = ACTIONS.start(Act.RESURRECT)
CHOOSE = ACTIONS.start(Act.CHOOSE)
MOVE = ACTIONS.start(Act.MOVE)
FLY = ACTIONS.start(Act.FLY)
BUILD = ACTIONS.start(Act.BUILD)

SUBJECT_NAMES = (
    *("preneuse", "emissary", "immortal", "fanatic", "builder", "martyr", "monkey", "cheetah"),
    *("falcon", "wall", "mineral carried"),
)
WALL_SUBJECT, CARRIED_SUBJECT = 9, 10


def subjects_of(action: int) -> tuple[int, ...]:
    """The kind that an action moves or brings back, a wall, a carried mineral."""
    act, first = int(ACTION_ACT[action]), int(ACTION_FIRST[action])
    if act == Act.MOVE:
        carried = CARRY <= int(ACTION_SECOND[action]) < RUN
        return (int(SLOT_KIND[first]), *((CARRIED_SUBJECT,) if carried else ()))
    if act == Act.FLY:
        return (int(SLOT_KIND[FIRST_FALCON]),)
    if act == Act.RESURRECT:
        return (first,)
    return (WALL_SUBJECT,) if act == Act.BUILD else ()


SUBJECTS = Subjects(names=SUBJECT_NAMES, of_action=subjects_of, kind="pieces")
