"""Least squares in cells with errors that clusters share: a slope that few clusters do not make too sure.

The plain cluster-robust variance is too small where clusters are few or unlike: residuals follow the
outcomes that they are left of. CR2 (Bell & McCaffrey 2002, Survey Methodology 28; Pustejovsky & Tipton
2018, Journal of Business & Economic Statistics 36) scales each cluster's part so that the variance is
unbiased under independent errors, and Student's t takes the degrees of freedom that this estimate has
then (Satterthwaite).
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from arena.statistics.choice_model import Floats, Integers
from arena.statistics.resampling import batches_of

NOTHING = 1e-9  # share of a cluster's own spread that cells and slope leave over


@dataclass(frozen=True)
class Slope:
    """What one more of x goes along with: slope, its standard error and degrees of freedom; nan if x never varies.

    squares: the summed squares of x within its cells.
    """

    slope: float
    error: float
    freedom: float
    squares: float


def within(values: Floats, cell: Integers) -> Floats:
    """Return values (r,) less the mean of their cell."""
    counts = np.bincount(cell)
    return np.asarray(values - (np.bincount(cell, weights=values) / np.maximum(counts, 1))[cell])


def slope_within(x: Floats, y: Floats, cell: Integers, cluster: Integers) -> Slope:
    """Return the slope of y (r,) on x (r,) with a mean for each cell, errors clustered.

    cell, cluster (r,): their numbers from 0. Beyond 997 clusters these are taken in equal batches.
    """
    x, y = within(x, cell), within(y, cell)
    squares = float(x @ x)
    if squares <= NOTHING * max(len(x), 1):
        return Slope(np.nan, np.nan, np.nan, squares)
    slope = float(x @ y) / squares
    batches = batches_of(cluster)
    own: Floats = np.bincount(batches.batch, x * x, batches.columns).astype(np.float64)
    score = np.bincount(batches.batch, x * (y - slope * x), batches.columns)
    parts = _explained(x, cell, batches.batch, own)  # (clusters, cells + 1)
    left = own - (parts**2).sum(axis=1)
    weight = np.divide(own, left, out=np.zeros_like(own), where=left > NOTHING * own)
    variance = float(weight @ score**2) / squares**2
    return Slope(slope, float(np.sqrt(variance)), _freedom(weight, own, parts), squares)


def _explained(x: Floats, cell: Integers, cluster: Integers, own: Floats) -> Floats:
    """Return what of each cluster's x the means of the cells, and the slope, take up (clusters, cells + 1)."""
    sizes = np.bincount(cell)
    shape = (own.size, sizes.size)
    sums = sparse.csr_array((x, (cluster, cell)), shape=shape).toarray()
    by_cell = sums / np.sqrt(np.maximum(sizes, 1))
    return np.hstack([by_cell, own[:, None] / np.sqrt(own.sum())])


def _freedom(weight: Floats, own: Floats, parts: Floats) -> float:
    """Return Satterthwaite's degrees of freedom: twice the squared mean of the estimate over its variance.

    The estimate is a quadratic form; the matrix B = W^1/2 (diag(own) - parts parts') W^1/2 gives
    (trace B)^2 / trace B^2.
    """
    scaled = np.sqrt(weight)[:, None] * parts
    diagonal = weight * own
    trace = float(diagonal.sum() - (scaled**2).sum())
    squared = float((diagonal**2).sum() - 2 * (diagonal[:, None] * scaled**2).sum())
    squared += float(((scaled.T @ scaled) ** 2).sum())
    return max(trace**2 / squared, 1.0) if squared > 0 else np.nan
