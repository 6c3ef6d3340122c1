"""Of which matches the actions are stored: of all, of every Nth two dozen deals, or of none."""

import re

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
