"""Corrected tests are those of statsmodels, and the interval of their confidence says the same."""

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from arena.statistics.families import ALPHA, discoveries, holm


@pytest.mark.parametrize("seed", range(20))
def test_corrected_p_and_intervals_of_a_family_agree(seed, monkeypatch):
    monkeypatch.setattr("gc.collect", lambda: 0)  # statsmodels would sweep at each call
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=12) + 3 * (rng.random(12) < 0.4)  # standard error 1
    p_values = 2 * norm.sf(np.abs(effects))
    for method, (adjusted, confidence) in (
        ("holm", holm(p_values)),
        ("fdr_bh", discoveries(p_values)),
    ):
        rejected, theirs, _, _ = multipletests(p_values, ALPHA, method=method)
        assert adjusted == pytest.approx(theirs)
        outside = np.abs(effects) > norm.ppf((1 + np.asarray(confidence)) / 2)
        np.testing.assert_array_equal(outside, rejected)


def test_a_family_of_none_or_one_is_no_family():
    assert holm([])[0].size == 0
    assert discoveries([]) == (pytest.approx([]), 0.95)
    assert holm([0.04]) == (pytest.approx([0.04]), pytest.approx([0.95]))
