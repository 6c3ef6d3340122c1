"""A fast part of benchmarks/coverage.py: what is printed holds the truth, and no test cries wolf."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

FILE = Path(__file__).parents[3] / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def coverage():
    spec = importlib.util.spec_from_file_location("coverage_of_intervals", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.TRUTH = 30_000
    return module


@pytest.mark.parametrize(
    "cell",
    [
        {"bots": 2, "deals": 12, "luck": 100.0, "step": 0.0},
        *(
            pytest.param(cell, marks=pytest.mark.full)
            for cell in (
                {"bots": 3, "deals": 30, "luck": 200.0},
                {"bots": 4, "deals": 20, "tie": 2.0, "team": (0, 1, 2, 3)},
            )
        ),
    ],
)
def test_intervals_hold_and_tests_do_not_cry_wolf(coverage, cell, monkeypatch):
    """Pooled over what a run prints: 92 % of 95 % intervals hold, at most 10 % of tests at 5 % reject."""
    own = coverage.Cell(**cell)
    monkeypatch.setattr(coverage, "CELLS", (own,))
    before = pd.DataFrame(columns=coverage.COLUMNS)
    counts = coverage.measured([own.name], 25, 60.0, before)
    assert counts.repetitions.min() == 25
    by_kind = counts.groupby("kind")[["hits", "trials"]].sum()
    rate = by_kind.hits / by_kind.trials
    assert rate["coverage"] >= 0.92
    assert rate["coverage, at least"] >= 0.94
    assert rate["false alarm"] <= 0.10


def test_counts_go_on_where_they_stopped(coverage, monkeypatch):
    own = coverage.Cell(2, 12)
    monkeypatch.setattr(coverage, "CELLS", (own,))
    before = pd.DataFrame(columns=coverage.COLUMNS)
    half = coverage.measured([own.name], 2, 60.0, before)
    whole = coverage.measured([own.name], 4, 60.0, before)
    pd.testing.assert_frame_equal(coverage.measured([own.name], 4, 60.0, half), whole)
    page = coverage.page(whole)
    assert own.name in page
    assert "| win share | coverage | 0.95 |" in page
