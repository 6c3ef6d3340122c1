"""Of which matches the actions are stored: of all, of every Nth two dozen deals, or of none."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALL, NONE = "all", "none"
FORM = re.compile(r"all|none|every [1-9][0-9]{0,8}")
OF_ACTIONS = ("actions", "actors", "move_seconds")  # columns with a value an action
TOGETHER = 24  # deals: whole blocks in each circular order of up to five players


def keeps_actions(rule: str, deals: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether the actions of matches of these deals (m,) are stored under a rule."""
    if rule in (ALL, NONE):
        return np.full(len(deals), rule == ALL)
    return np.asarray(deals // TOGETHER % int(rule.split()[1]) == 0)


def kept_columns(found: dict[str, Any], rule: str) -> dict[str, Any]:
    """The columns of results with the actions of those matches only of which they are stored."""
    keep = keeps_actions(rule, found["deal"])
    if keep.all():
        return found
    return {**found, **{name: kept_lists(found[name], keep) for name in OF_ACTIONS}}


def kept_lists(
    column: tuple[NDArray[Any], NDArray[np.integer]], keep: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """A column of lists (flat values, offsets) with the lists of some rows, empty ones in the others."""
    values, lengths = np.asarray(column[0]), np.diff(column[1])
    return values[np.repeat(keep, lengths)], np.concatenate([[0], np.cumsum(lengths * keep)])
