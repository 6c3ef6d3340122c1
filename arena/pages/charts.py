"""The charts of all pages, each from a small tidy table, made with Altair.

Every function takes plain columns and a `hover` text for each row. Titles belong to the page: they
say what to see, while axes carry names and units. Sizes fit a telephone. Encodings are made of Altair's
own classes: for a plain string it looks through all of its schemas, which takes longer than the chart.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import altair as alt
import pandas as pd

from arena.pages.drawing import ACCENT, INK, MUTED, PAPER_WHITE, WARM
from arena.pages.labels import LABEL, Box, placed, spread

Chart: TypeAlias = Any  # alt.Chart, LayerChart or FacetChart

WIDTH, WIDE = 300, 1000
ROW = 40  # height of a row of a chart by name: the name, and its marks below
BAR = 14  # height of a bar below its name
TALL = 260  # of a scatter
SMALLEST_CELL, LARGEST_CELL, WIDEST_GRID = 34, 42, 400
SHOW_NUMBERS = 12  # entrants up to which the cells of a grid carry numbers; more have small ones
APART: dict[str, Any] = {"labelOverlap": "greedy", "labelSeparation": 6}  # 10 12, not 1012
CLOCK = {"hours": "%H:%M"}  # of an axis of time: not "06 AM" beside "05:30"


def whiskers(
    frame: pd.DataFrame,
    axis: str,
    par: float | Sequence[float] | None = None,
    width: int = WIDTH,
    domain: tuple[float, float] | None = None,
) -> Chart:
    """Points with intervals, one row each in the given order, its name above it.

    frame: name, value, low, high (nan: no interval), hover; perhaps arrow: "below" or "above" where only a bound is
    known, or the value lies outside the domain, and label: what stands beside the arrow. par: where a dashed line
    stands, or several do. domain: of the axis; what lies outside is cut.
    """
    rows = frame.assign(name=frame["name"].astype(str))
    rows = rows.assign(arrow="", label="") if "arrow" not in rows else rows
    names = above(list(rows["name"]), width)
    scale = alt.Scale(zero=False, nice=True, padding=8)
    if domain is not None:
        scale = alt.Scale(domain=list(domain), nice=False, padding=8)
    value = alt.X("value:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=6))
    layers = dots(rows[rows["arrow"] == ""], axis, scale, value, names)
    for side in ("below", "above"):
        layers += arrows(rows[rows["arrow"] == side], side, value, names)
    if par is not None and par != ():
        pars = [par] if isinstance(par, float | int) else list(par)
        line = alt.Chart(pd.DataFrame({"par": pars}))
        dashed = line.mark_rule(color=WARM, strokeDash=[4, 4], aria=False)
        layers.insert(0, dashed.encode(x=alt.X("par:Q", title=axis, scale=scale)))
    return alt.layer(*layers).properties(width=width, height=alt.Step(ROW))


def dots(
    rows: pd.DataFrame, axis: str, scale: alt.Scale, value: alt.X, names: alt.Y
) -> list[Chart]:
    """Points with their intervals; no layer without any: an empty one has no name to read out."""
    if rows.empty:
        return []
    base, down = alt.Chart(rows), ROW / 4
    return [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(color=ACCENT, strokeWidth=2.5, opacity=0.55, aria=False, yOffset=down, clip=True)
        .encode(x=alt.X("low:Q", title=axis, scale=scale), x2=alt.X2("high:Q"), y=names),
        base.mark_point(color=ACCENT, filled=True, size=80, opacity=1, yOffset=down).encode(
            x=value, y=names, description=alt.Description("hover:N")
        ),
    ]


def arrows(rows: pd.DataFrame, side: str, value: alt.X, names: alt.Y) -> list[Chart]:
    """What is known to lie below, or above, a bound: a triangle that points there, with its label."""
    if rows.empty:
        return []
    base = alt.Chart(rows)
    left = side == "below"
    triangle = base.mark_point(
        color=MUTED,
        filled=True,
        size=90,
        opacity=1,
        yOffset=ROW / 4,
        shape="triangle-left" if left else "triangle-right",
    )
    label = base.mark_text(
        color=MUTED,
        align="left" if left else "right",
        dx=10 if left else -10,
        yOffset=ROW / 4,
        fontSize=LABEL,
        aria=False,
    )
    return [
        triangle.encode(x=value, y=names, description=alt.Description("hover:N")),
        label.encode(x=value, y=names, text=alt.Text("label:N")),
    ]


def above(order: Sequence[str], width: int) -> alt.Y:
    """Names in this order, each above the marks of its row: as wide as a chart may be on a telephone."""
    axis = alt.Axis(
        domain=False,
        ticks=False,
        labelAlign="left",
        labelPadding=0,
        labelOffset=-ROW / 4,
        labelLimit=width,
        zindex=1,
    )
    return alt.Y("name:N", sort=list(order), title=None, axis=axis)


def grid(frame: pd.DataFrame, order: Sequence[str]) -> Chart:
    """A heat map of scores: rows against columns, both in the given order, best first.

    frame: entrant, opponent, score (percent), hover.
    """
    numbers = {name: str(number) for number, name in enumerate(order, 1)}
    cell = max(SMALLEST_CELL, min(LARGEST_CELL, WIDEST_GRID // max(len(order), 1)))
    if len(order) > SHOW_NUMBERS:
        cell = 20
    rows = frame.assign(
        row=[f"{numbers[name]} {name}" for name in frame["entrant"]],
        column=[numbers[name] for name in frame["opponent"]],
        text=[f"{score:.0f}" for score in frame["score"]],
    )
    base = alt.Chart(rows).encode(
        x=alt.X(
            "column:N",
            sort=list(numbers.values()),
            title="against (number of the row)",
            axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False),
        ),
        y=alt.Y(
            "row:N",
            sort=[f"{number} {name}" for name, number in numbers.items()],
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelLimit=150),
        ),
    )
    colours = alt.Scale(
        domain=[0, 50, 100], range=["#c4641a", "#eceff3", "#3f7fc4"], interpolate="rgb"
    )
    legend = alt.Legend(title="score of the row (%)", gradientLength=160)
    layers = [
        base.mark_rect(stroke=PAPER_WHITE, strokeWidth=2).encode(
            color=alt.Color("score:Q", scale=colours, legend=legend),
            description=alt.Description("hover:N"),
        )
    ]
    if len(order) <= SHOW_NUMBERS:
        text = base.mark_text(fontSize=12, color="#10161e", aria=False)
        layers.append(text.encode(text=alt.Text("text:N")))
    return alt.layer(*layers).properties(width=alt.Step(cell), height=alt.Step(min(cell, 34)))


def curves(frame: pd.DataFrame, axis: str) -> Chart:
    """Elo with intervals against a budget on a scale of doublings, a line for each family.

    frame: family, amount, elo, low, high, hover.
    """
    several = frame["family"].nunique() > 1
    colour: Any = alt.Color("family:N", title=None) if several else alt.ColorValue(ACCENT)
    amount = alt.X(
        "amount:Q",
        title=axis,
        scale=alt.Scale(type="log", base=2, padding=16, nice=False),
        axis=alt.Axis(values=sorted(set(frame["amount"])), grid=False, **APART),
    )
    scale = alt.Scale(zero=False, padding=10)
    base = alt.Chart(frame).encode(x=amount, color=colour)
    layers = [
        base.mark_line(strokeWidth=2, aria=False).encode(
            y=alt.Y("elo:Q", title="Elo", scale=scale)
        ),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, opacity=0.55, aria=False)
        .encode(y=alt.Y("low:Q", title="Elo", scale=scale), y2=alt.Y2("high:Q")),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            y=alt.Y("elo:Q", title="Elo", scale=scale), description=alt.Description("hover:N")
        ),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=210)


def over_time(frame: pd.DataFrame) -> Chart:
    """Elo over time, a panel for each bot in the given order, all on the same axes; versions marked.

    frame: when (UTC), bot, entrant (a line each), newest (its version), value, low, high (nan: none), beyond: "below"
    or "above" the axis, begins: the version that begins there, or "", hover. attrs["domain"]: of the Elo axis.
    """
    span = [f"{end:%Y-%m-%dT%H:%M:%SZ}" for end in (frame["when"].min(), frame["when"].max())]
    domain = [alt.expr(f"toDate('{end}')") for end in span]
    panels = []
    bots = list(dict.fromkeys(frame["bot"]))
    for bot in bots:
        rows, last = frame[frame["bot"] == bot], bot == bots[-1]
        when = alt.X(
            "when:T",
            title="time (UTC)" if last else None,
            scale=alt.Scale(type="utc", domain=domain, padding=12),
            axis=alt.Axis(tickCount=4, grid=False, labels=last, labelOverlap=True, format=CLOCK),
        )
        name = alt.Chart(pd.DataFrame({"name": [bot]})).mark_text(
            x=-40,
            y=-16,
            color=INK,
            align="left",
            baseline="bottom",
            fontSize=12,
            limit=WIDTH,
            aria=False,
        )  # a title of a panel would be read out as a mark
        name = name.encode(text=alt.Text("name:N"))
        layers = panel_over_time(rows, when, frame.attrs["domain"])
        panels.append(alt.layer(*layers, name).properties(width=WIDTH - 60, height=90))
    return alt.vconcat(*panels, spacing=8)


def panel_over_time(rows: pd.DataFrame, when: alt.X, domain: tuple[float, float]) -> list[Chart]:
    """The layers of a panel: the versions of one bot over time: the newest in the colour of marks, older ones grey."""
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    axis = alt.Axis(tickCount=3)
    colour = accented("datum.newest")
    base = alt.Chart(rows).encode(x=when, color=colour)
    elo = alt.Y("value:Q", title="Elo", scale=scale, axis=axis)
    layers = [
        base.mark_line(strokeWidth=2, aria=False).encode(y=elo, detail=alt.Detail("entrant:N")),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, opacity=0.55, aria=False)
        .encode(y=alt.Y("low:Q", title="Elo", scale=scale, axis=axis), y2=alt.Y2("high:Q")),
    ]
    for beyond, shape in (("", "circle"), ("below", "triangle-down"), ("above", "triangle-up")):
        own = rows[rows["beyond"] == beyond]
        if len(own):  # no layer without any: an empty one has no name to read out
            dots = alt.Chart(own).mark_point(filled=True, size=30, opacity=1, shape=shape)
            layers.append(
                dots.encode(x=when, y=elo, color=colour, description=alt.Description("hover:N"))
            )
    begun = rows[rows["begins"] != ""]
    if len(begun):
        marked = alt.Chart(begun).encode(x=when)
        rule = marked.mark_rule(color=WARM, strokeDash=[4, 4], aria=False)
        text = marked.mark_text(
            y=0,
            color=WARM,
            aria=False,
            align="left",
            baseline="bottom",
            dx=3,
            dy=-1,
            fontSize=LABEL,
        )
        layers = [rule, *layers, text.encode(text=alt.Text("begins:N"))]
    return layers


def strips(frame: pd.DataFrame, order: Sequence[str]) -> Chart:
    """Where the points of each entrant lie: the stronger the colour, the more of its matches.

    frame: entrant, points_from, points_to, share (percent), hover.
    """
    wide = frame.assign(
        name=frame["entrant"], left=frame["points_from"] - 0.5, right=frame["points_to"] + 0.5
    )
    span = float(wide["right"].max() - wide["left"].min())
    axis = alt.Axis(tickMinStep=1, tickCount=8, grid=False)
    return (
        alt.Chart(wide)
        .mark_bar(color=ACCENT, size=BAR, yOffset=ROW / 4)
        .encode(
            x=alt.X(
                "left:Q",
                title="points at the end",
                axis=axis,
                scale=alt.Scale(zero=False, nice=False, padding=0 if span else 4),
            ),
            x2=alt.X2("right:Q"),
            y=above(order, WIDTH),
            opacity=alt.Opacity(
                "share:Q",
                scale=alt.Scale(domain=[0, float(wide["share"].max())], range=[0.08, 1]),
                legend=None,
            ),
            description=alt.Description("hover:N"),
        )
        .properties(width=WIDTH, height=alt.Step(ROW))
    )


def bars(frame: pd.DataFrame, axis: str) -> Chart:
    """A histogram in percent. frame: left, right (both counted), share (percent), hover."""
    every = -(-len(frame) // 8)
    wide = frame.assign(start=frame["left"] - 0.5, end=frame["right"] + 0.5)
    start = alt.X(
        "start:Q",
        title=axis,
        scale=alt.Scale(zero=False, nice=False, padding=6),
        axis=alt.Axis(grid=False, values=list(frame["left"])[::every]),
    )
    return (
        alt.Chart(wide)
        .mark_bar(color=ACCENT, stroke=PAPER_WHITE, strokeWidth=1)
        .encode(
            x=start,
            x2=alt.X2("end:Q"),
            y=alt.Y("share:Q", title="matches (%)", axis=alt.Axis(tickCount=5)),
            y2=alt.Y2Datum(0),
            description=alt.Description("hover:N"),
        )
        .properties(width=WIDTH, height=190)
    )


def shares(frame: pd.DataFrame, axis: str) -> Chart:
    """Bars from 0 to 100 percent, one row each in the given order, its name above it. frame: name, share, hover."""
    ticks = alt.Axis(tickCount=5)  # the labels of ten run into each other
    bar = alt.Chart(frame).mark_bar(color=ACCENT, size=BAR, yOffset=ROW / 4, minBandSize=2)
    return bar.encode(
        x=alt.X("share:Q", title=axis, scale=alt.Scale(domain=[0, 100]), axis=ticks),
        y=above(list(frame["name"]), WIDTH),
        description=alt.Description("hover:N"),
    ).properties(width=WIDTH, height=alt.Step(ROW))


def scatter(frame: pd.DataFrame) -> Chart:
    """Usage against win lift; what surely differs is named, farthest first, where no name lies over another.

    frame: name, use (percent of seats), lift, low, high (percentage points), clear (the interval
    excludes 0), hover.
    """
    colour = accented("datum.clear")
    ends = frame[["lift", "low", "high"]]
    box = Box(
        spread(frame["use"].min(), frame["use"].max()),
        spread(min(ends.min().min(), 0.0), max(ends.max().max(), 0.0)),
        WIDTH,
        TALL,
    )
    use_scale, lift_scale = (
        alt.Scale(domain=list(each), nice=False, zero=False) for each in (box.across, box.up)
    )
    use = alt.X("use:Q", title="seats that used it (%)", scale=use_scale)
    lift_title = "win share above expected (points)"
    lift = alt.Y("lift:Q", title=lift_title, scale=lift_scale)
    base = alt.Chart(frame)
    zero = alt.Chart(pd.DataFrame({"zero": [0]}))
    named = alt.Chart(placed(frame, box))
    return alt.layer(
        zero.mark_rule(color=WARM, strokeDash=[4, 4], aria=False).encode(
            y=alt.Y("zero:Q", title=lift_title, scale=lift_scale)
        ),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(opacity=0.35, aria=False)
        .encode(
            x=use,
            y=alt.Y("low:Q", title=lift_title, scale=lift_scale),
            y2=alt.Y2("high:Q"),
            color=colour,
        ),
        base.mark_point(filled=True, size=60, opacity=0.9).encode(
            x=use, y=lift, color=colour, description=alt.Description("hover:N")
        ),
        named.mark_text(align="left", baseline="top", color=INK, fontSize=LABEL, aria=False).encode(
            x=alt.X("left:Q", title="seats that used it (%)", scale=use_scale),
            y=alt.Y("top:Q", title=lift_title, scale=lift_scale),
            text=alt.Text("name:N"),
        ),
    ).properties(width=WIDTH, height=TALL)


def forest(frame: pd.DataFrame, par: float | None = None) -> Chart:
    """Measures of variants side by side: a panel for each measure, each on its own scale.

    frame: measure (with its unit), name, value, low, high, hover. par: where a dashed line stands.
    """
    panels = []
    for measure in dict.fromkeys(frame["measure"]):
        rows = frame[frame["measure"] == measure]
        panels.append(whiskers(rows, str(measure), par))
    return alt.vconcat(*panels, spacing=18)


def accented(test: str) -> alt.ColorValue:
    """The colour of marks for which the test holds, grey for others."""
    return alt.ColorValue(MUTED, condition={"test": test, "value": ACCENT})


def titled(chart: Chart, title: Sequence[str]) -> Chart:
    """The chart with a title of its own, line by line, for pictures that stand alone."""
    return chart.properties(title=list(title))
