"""A small tuning at Connect Four."""

from collections.abc import Callable
from typing import Any

import pytest

from arena.tune.config import Tuning, load, parse_tuning

SMALL: dict[str, Any] = {
    "name": "small",
    "seed": 3,
    "game": "connect_four",
    "bot": "mcts:simulations=4",
    "options": {"exploration": "0.05..2 log", "rollout_depth": [0, 4, "none"]},
    "trials": 6,
    "batch": 3,
    "deals": [2, 4],
    "confirm": 10,
    "best": 2,
}


@pytest.fixture
def make_tuning() -> Callable[..., Tuning]:
    """The small tuning with other keys."""

    def make(**changes: Any) -> Tuning:
        return load(parse_tuning({**SMALL, **changes}))

    return make
