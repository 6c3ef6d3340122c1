"""Families of claims: the confidence at which an interval says what the corrected test says.

Holm (1979) tests the i-th smallest of m p-values at 5 % / (m - i + 1) while all before it are rejected; so 0 lies
outside the interval of that confidence exactly where the test rejects. Benjamini & Hochberg (1995) reject R of m at
R 5 % / m; the intervals of that confidence are those of Benjamini & Yekutieli (2005, Journal of the American
Statistical Association 100), of which at most 5 % of the ones selected miss.
"""

from collections.abc import Sequence

import numpy as np

from arena.statistics.choice_model import Floats

ALPHA = 0.05


def holm(p_values: Sequence[float]) -> tuple[Floats, Floats]:
    """Return Holm's corrected p, and for each the confidence (n,) at which it is tested."""
    p, size = np.asarray(p_values, dtype=np.float64), len(p_values)
    order = np.argsort(p, kind="stable")
    place = np.argsort(order, kind="stable")
    adjusted = np.minimum(np.maximum.accumulate(p[order] * (size - np.arange(size))), 1.0)[place]
    rejected = int((adjusted < ALPHA).sum())
    return adjusted, 1 - ALPHA / np.maximum(size - np.minimum(place, rejected), 1)


def discoveries(p_values: Sequence[float]) -> tuple[Floats, float]:
    """Return q-values, and the one confidence at which all are selected or not."""
    p, size = np.asarray(p_values, dtype=np.float64), len(p_values)
    if not size:
        return p, 1 - ALPHA
    order = np.argsort(p, kind="stable")
    scaled = p[order] * size / (1 + np.arange(size))
    q = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)[np.argsort(order, kind="stable")]
    return q, 1 - ALPHA * max(int((q < ALPHA).sum()), 1) / size
