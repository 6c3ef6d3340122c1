"""The actions of Sagrada: big choices are split, dice are named by colour and value."""

from enum import IntEnum

import numpy as np

from engines.actions import ActionTable, Field, Secrecy
from engines.actions import Kind as ActionKind
from engines.core import Subjects

from .tables import (
    CELL_NAMES,
    COLOUR_LETTERS,
    DICE,
    DIE_NAMES,
    MOST_ROUNDS,
    PATTERN_NAMES,
    TOOL_NAMES,
)


class Kind(IntEnum):
    """The kinds of actions; those that accompany a list come after it."""

    WINDOW = 0
    DRAFT = 1
    PLACE = 2
    USE = 3
    END_TURN = 4
    RAISE = 5
    LOWER = 6
    SWAP = 7
    COLOUR = 8
    MOVE = 9
    STOP = 10
    VALUE = 11
    RETURN = 12
    PAY = 13


_DIE = Field("die", DIE_NAMES[1:])
_CELL = Field("cell", CELL_NAMES)

ACTIONS = ActionTable(
    [
        ActionKind(
            "window {pattern}",
            (Field("pattern", ("?", *PATTERN_NAMES[1:]), hidden=True),),
            Secrecy.SECRET,
        ),
        ActionKind("draft {die}", (_DIE,)),
        ActionKind("place {cell}", (_CELL,)),
        ActionKind("use {tool}", (Field("tool", TOOL_NAMES[1:]),)),
        ActionKind("end turn"),
        ActionKind("raise"),
        ActionKind("lower"),
        ActionKind(
            "swap {slot} {die}",
            (Field("slot", tuple(str(slot) for slot in range(1, MOST_ROUNDS + 1))), _DIE),
        ),
        ActionKind("colour {colour}", (Field("colour", tuple(COLOUR_LETTERS[1:])),)),
        ActionKind("move {cell} {target}", (_CELL, Field("target", CELL_NAMES))),
        ActionKind("stop"),
        ActionKind("value {value}", (Field("value", tuple("123456")),)),
        ActionKind("return"),
        ActionKind("pay {die}", (_DIE,)),
    ]
)
ACTION_KIND = ACTIONS.kind
ACTION_FIELD = np.ascontiguousarray(ACTIONS.field)

# The first action of each kind. Dice, tools and colours are numbered from 1, so theirs is one before.
WINDOW = ACTIONS.start(Kind.WINDOW)
DRAFT = ACTIONS.start(Kind.DRAFT) - 1
PLACE = ACTIONS.start(Kind.PLACE)
USE = ACTIONS.start(Kind.USE) - 1
END_TURN = ACTIONS.start(Kind.END_TURN)
RAISE = ACTIONS.start(Kind.RAISE)
LOWER = ACTIONS.start(Kind.LOWER)
SWAP = ACTIONS.start(Kind.SWAP) - 1 - DICE  # + slot * DICE + die, both from 1
COLOUR = ACTIONS.start(Kind.COLOUR) - 1
MOVE = ACTIONS.start(Kind.MOVE)  # + cell * CELLS + target
STOP = ACTIONS.start(Kind.STOP)
VALUE = ACTIONS.start(Kind.VALUE) - 1
RETURN = ACTIONS.start(Kind.RETURN)
PAY = ACTIONS.start(Kind.PAY) - 1

MOST_LEGAL = 381  # twenty dice, moved two together: each to all spaces but its own; and STOP

_TOOLS = TOOL_NAMES[1:]
_DICE = tuple(f"die {name}" for name in DIE_NAMES[1:])
_WINDOWS = PATTERN_NAMES[1:]


def subjects_used(action: int) -> tuple[int, ...]:
    """The tool, window or die that an action takes, as an index into the subjects."""
    kind, first = int(ACTION_KIND[action]), int(ACTION_FIELD[action, 0])
    if kind == Kind.USE:
        return (first,)
    if kind == Kind.WINDOW and first > 0:
        return (len(_TOOLS) + first - 1,)
    if kind == Kind.DRAFT:
        return (len(_TOOLS) + len(_WINDOWS) + first,)
    if kind == Kind.SWAP:
        return (len(_TOOLS) + len(_WINDOWS) + int(ACTION_FIELD[action, 1]),)
    return ()


SUBJECTS = Subjects(
    names=(*_TOOLS, *_WINDOWS, *_DICE), of_action=subjects_used, kind="tools, windows and dice"
)
