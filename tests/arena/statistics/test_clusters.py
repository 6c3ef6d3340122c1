"""A slope with clustered errors: worked out with whole matrices, and right with few and unlike clusters."""

import numpy as np
import pytest
from scipy.stats import t as student

from arena.statistics.clusters import slope_within


def example(rng, clusters=7):
    sizes = rng.integers(2, 9, size=clusters)
    cluster = np.repeat(np.arange(clusters), sizes)
    cell = rng.integers(3, size=cluster.size)
    return rng.random(cluster.size), rng.normal(size=cluster.size), cell, cluster


def test_slope_error_and_freedom_are_those_of_whole_matrices():
    x, y, cell, cluster = example(np.random.default_rng(1))
    found = slope_within(x, y, cell, cluster)
    design = np.column_stack([cell[:, None] == np.arange(3), x]).astype(float)
    left = np.eye(len(x)) - design @ np.linalg.pinv(design)
    assert found.slope == pytest.approx(np.linalg.lstsq(design, y, rcond=None)[0][-1])
    own = x - np.array([x[cell == one].mean() for one in range(3)])[cell]
    rows = []
    for group in range(7):
        picked = np.where(cluster == group, own, 0.0)
        rows.append(left @ picked * np.sqrt((picked @ own) / (picked @ left @ picked)))
    rows = np.array(rows) / (own @ own)
    assert found.error**2 == pytest.approx(float(((rows @ y) ** 2).sum()))
    assert float((rows**2).sum()) == pytest.approx(1 / (own @ own))  # unbiased if independent
    gram = rows @ rows.T
    assert found.freedom == pytest.approx(np.trace(gram) ** 2 / (gram**2).sum())


def test_one_large_cluster_leaves_few_degrees_of_freedom():
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(12), [200, *[4] * 11])
    x, cell = rng.random(cluster.size), np.zeros(cluster.size, np.int64)
    assert slope_within(x, x, cell, np.arange(cluster.size)).freedom > 100
    assert slope_within(x, x, cell, cluster).freedom < 2


def test_intervals_hold_with_twelve_clusters_that_share_their_luck():
    rng, held, runs = np.random.default_rng(3), 0, 600
    cluster, cell = np.repeat(np.arange(12), 8), np.tile(np.arange(4), 24)
    for _ in range(runs):
        y = rng.normal(size=12)[cluster] + rng.normal(size=96)
        x = (rng.random(96) < 0.05 + 0.5 * rng.random(12)[cluster]) * 1.0
        found = slope_within(x, y, cell, cluster)
        held += abs(found.slope) <= student.isf(0.025, found.freedom) * found.error
    assert 0.925 <= held / runs <= 0.975


def test_what_never_varies_has_no_slope():
    found = slope_within(np.ones(20), np.arange(20.0), np.zeros(20, int), np.arange(20))
    assert np.isnan(found.slope)
