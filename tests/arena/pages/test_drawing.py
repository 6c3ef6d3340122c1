"""Charts get the rows that Altair itself would give them; labels of an axis stand apart; titles say true numbers."""

import itertools
import re

import altair as alt
import numpy as np
import pandas as pd
import pytest

from arena.pages.charts import curves, shares
from arena.pages.drawing import plain, rows_of, svg_text
from arena.pages.game import mean_text, most_text
from arena.pages.labels import width_of

AXIS_LABEL = 12  # size of the letters
AMOUNTS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 64)


def test_rows_are_those_of_altair():
    frame = pd.DataFrame(
        {
            "name": ["a", None, "c"],
            "value": [1.5, np.nan, -np.inf],
            "count": [1, 2, 3],
            "clear": np.array([True, False, True]),
            "when": pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"], utc=True),
            "maybe": pd.array([1, None, 3], dtype="Int64"),
            "mixed": [1, "two", 3.0],
        }
    )
    assert rows_of(frame) == alt.data_transformers.get()(frame)
    few = frame.iloc[:0]
    assert rows_of(few) == alt.data_transformers.get()(few)


def test_charts_of_others_keep_altairs_own_way():
    plain(alt.Chart(pd.DataFrame({"value": [1.0]})).mark_point().encode(x=alt.X("value:Q")))
    assert alt.data_transformers.active == "default"


def budgets():
    """A chart of bots with many budgets beside each other."""
    rows = [
        {"family": "mcts", "amount": n, "elo": float(n), "low": n - 9.0, "high": n + 9.0}
        for n in AMOUNTS
    ]
    return curves(pd.DataFrame(rows).assign(hover="x"), "simulations")


def parts_of_all():
    """A chart of shares of 100 percent."""
    return shares(pd.DataFrame({"name": ["line"], "share": [72.0], "hover": ["x"]}), "matches (%)")


@pytest.mark.parametrize("chart", [budgets, parts_of_all])
def test_no_number_of_an_axis_runs_into_the_next(chart):
    drawn = svg_text(chart(), "c", "a chart")
    shown = r'<text text-anchor="(\w+)" [^>]*translate\(([\d.]+),[^>]*opacity="1">(\d+)</text>'
    spans = []
    for anchor, x, number in re.findall(shown, drawn):
        wide = width_of(number, AXIS_LABEL)
        left = float(x) - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        spans.append((left, left + wide))
    assert len(spans) > 4
    for (_, end), (begin, _) in itertools.pairwise(sorted(spans)):
        assert begin > end + 3


def test_a_mean_next_to_nothing_has_no_sign():
    row = {"mean_points": -0.01, "mean_points_low": -0.02, "mean_points_high": 0.01}
    assert mean_text(row) == "0.0 [0.0, 0.0]"


def test_all_are_all():
    assert most_text(pd.Series([1.0])) == "All"
    assert most_text(pd.Series([5999 / 6000, 1 / 6000])) == "99.9 % of"
