"""Columns of lists as plain arrays, and rows some at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from arena.statistics.choice_model import Integers

TOGETHER = 1 << 17  # rows


def together(rows: int) -> Iterator[slice]:
    """Rows to be worked on together: of millions at once, every step would hold another array of millions."""
    return (slice(first, first + TOGETHER) for first in range(0, rows, TOGETHER))


@dataclass(frozen=True)
class Lists:
    """A column of lists: all values one after another, and where each list begins."""

    values: NDArray[np.generic]
    starts: Integers

    def take(self, rows: Integers, width: int) -> NDArray[np.generic]:
        """Return the lists of these rows (rows, width); ValueError if one has another length."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        if (lengths != width).any():
            raise ValueError(f"a list of {lengths[lengths != width][0]} values, {width} seats")
        return np.asarray(self.values[self.starts[rows][:, None] + np.arange(width)])


def lists_of(column: "pd.Series[Any]") -> Lists:
    """A column of lists of a data frame."""
    array = pa.array(column)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    starts = np.concatenate([[0], np.cumsum(np.asarray(array.value_lengths()))])
    return Lists(array.flatten().to_numpy(zero_copy_only=False), starts.astype(np.int64))
