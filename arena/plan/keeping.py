"""Of which matches the actions are stored: of all, of every Nth two dozen deals, or of none."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALL, NONE = "all", "none"
FORM = re.compile(r"all|none|every [1-9][0-9]{0,8}")
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
    offsets = np.asarray(found["actions"][1])
    inside = np.repeat(keep, np.diff(offsets))
    ends = np.concatenate([[0], np.cumsum(np.diff(offsets) * keep)])
    return {**found, **{name: (found[name][0][inside], ends) for name in ("actions", "actors")}}
