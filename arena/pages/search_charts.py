"""Charts of searches: what each trial came to, in order and by the value of an option."""

from typing import Any

import altair as alt
import pandas as pd

from arena.pages.charts import WIDTH, Chart, accented
from arena.pages.drawing import ACCENT, WARM

HEIGHT = 210
UP = alt.Scale(zero=False, nice=True, padding=8)  # of values, the same in all layers


def course(frame: pd.DataFrame, axis: str) -> Chart:
    """Trials in the order in which they were asked, the best so far as a line, 0 dashed.

    frame: trial, value, best, full (whether it played to the end), hover.
    """
    number = alt.X(
        "trial:Q",
        title="trial",
        scale=alt.Scale(zero=False, nice=False, padding=10),
        axis=alt.Axis(grid=False, tickMinStep=1, tickCount=8),
    )
    base = alt.Chart(frame).encode(x=number)
    line = base.mark_line(color=ACCENT, strokeWidth=2, interpolate="step-after", aria=False)
    return alt.layer(
        dashed_zero(axis), line.encode(y=alt.Y("best:Q", title=axis, scale=UP)), dots(base, axis)
    ).properties(width=WIDTH, height=HEIGHT)


def slice_of(frame: pd.DataFrame, name: str, axis: str, log: bool = False) -> Chart:
    """Trials by the value of one option.

    frame: option (numbers, or words in their order), value, full, hover.
    """
    if frame["option"].dtype.kind in "if":
        place = alt.X(
            "option:Q",
            title=name,
            scale=alt.Scale(type="log" if log else "linear", zero=False, nice=False, padding=12),
            axis=alt.Axis(grid=False, tickCount=5),
        )
    else:
        order = list(dict.fromkeys(frame["option"]))
        angle: Any = alt.Axis(grid=False, labelAngle=0, labelOverlap=True)
        place = alt.X("option:N", title=name, sort=order, axis=angle)
    base = alt.Chart(frame).encode(x=place)
    return alt.layer(dashed_zero(axis), dots(base, axis)).properties(width=WIDTH, height=HEIGHT)


def dots(base: Chart, axis: str) -> Chart:
    """A dot a trial, grey where it was left behind early."""
    colour = accented("datum.full")
    marks = base.mark_point(filled=True, size=60, opacity=0.85)
    return marks.encode(
        y=alt.Y("value:Q", title=axis, scale=UP),
        color=colour,
        description=alt.Description("hover:N"),
    )


def dashed_zero(axis: str) -> Chart:
    """Where the start stands."""
    line = alt.Chart(pd.DataFrame({"zero": [0]}))
    rule = line.mark_rule(color=WARM, strokeDash=[4, 4], aria=False)
    return rule.encode(y=alt.Y("zero:Q", title=axis, scale=UP))
