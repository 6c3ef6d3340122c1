"""What a State is, and copying, comparing and walking one: written once for all games."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

State: TypeAlias = NDArray[Any]  # shape (1,), the STATE dtype of a game
View: TypeAlias = NDArray[Any]  # the same dtype, hidden fields blanked, `viewer` set
Rng: TypeAlias = NDArray[np.uint64]  # shape (1,)

OVER = -1  # to_act when the game is over
NOBODY = -1  # viewer of a full State
SEATS = 4  # the header keeps a team for each of up to four players
HEADER: list[tuple[Any, ...]] = [
    ("players", np.int8),  # players in this game
    ("to_act", np.int8),  # the player who decides now, or OVER
    ("viewer", np.int8),  # whose view this is, or NOBODY in a full State
    ("team", np.int8, (SEATS,)),  # the side of each player; in a game without teams team[p] = p
]


def copy(states: State) -> State:
    """An independent copy (0.4 us; ndarray.copy goes field by field and needs 14 us)."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


def equal(a: State, b: State) -> bool:
    """Whether two States are the same, byte for byte."""
    return a.tobytes() == b.tobytes()


def differences(a: State, b: State) -> list[str]:
    """Where two States of one game differ: 'seat[1].coins: 3 -> 4', one line per plain field."""
    left, right = dict(leaves(a[0])), dict(leaves(b[0]))
    return [f"{path}: {v} -> {right[path]}" for path, v in left.items() if v != right[path]]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Every plain number of a record with its path."""
    if (
        getattr(value, "dtype", None) is not None
        and value.dtype.names is not None
        and value.shape == ()
    ):
        for name in value.dtype.names:
            yield from leaves(value[name], f"{path}.{name}" if path else name)
    elif isinstance(value, np.ndarray) and value.shape != ():
        for i in range(len(value)):
            yield from leaves(value[i], f"{path}[{i}]")
    else:
        yield path, int(value)
