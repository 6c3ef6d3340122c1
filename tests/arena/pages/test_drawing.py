"""Charts get the rows that Altair itself would give them."""

import altair as alt
import numpy as np
import pandas as pd

from arena.pages.drawing import plain, rows_of


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
