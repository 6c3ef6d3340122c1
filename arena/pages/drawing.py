"""Charts as SVG for pages and as PNG for Markdown; the only user of vl-convert.

A chart is drawn with the colours of PAPER. In a page each of them becomes a CSS variable, so that
one drawing serves light and dark. The marks keep their descriptions, which `page.js` shows on hover
and reads out; so a page needs no Vega at run time (4 to 30 kB a chart instead of 900 kB).
"""

import json
import math
import re
from functools import lru_cache
from html import escape
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

INK, MUTED, RULE = "#1c2430", "#5a6675", "#d9dfe6"
ACCENT, WARM, PAPER_WHITE = "#2563ac", "#b4540a", "#fefefe"
VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    RULE: "--rule",
    ACCENT: "--accent",
    WARM: "--warm",
    PAPER_WHITE: "--paper",
}
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
PNG_SCALE = 2.0
OWN_ROWS = "tabletop-arena"  # Altair's name for `rows_of`

CONFIG = {
    "background": None,
    "padding": {"left": 26, "right": 14, "top": 5, "bottom": 5},  # a wider font fits too
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "aria": False,
        "domainColor": MUTED,
        "gridColor": RULE,
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 190,
        "tickColor": RULE,
        "titleColor": MUTED,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {
        "aria": False,
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 190,
        "gradientStrokeColor": RULE,
        "titleColor": MUTED,
        "titleFontWeight": "normal",
        "orient": "bottom",
    },
    "header": {"labelColor": INK, "labelFontSize": 12, "titleColor": MUTED},
    "title": {"color": INK, "fontSize": 14, "anchor": "start", "aria": False},
    "range": {"category": [ACCENT, WARM, "#4d8a3d", "#8856a7", "#b88a00", "#6b7280"]},
}


def svg_text(chart: Any, name: str, title: str) -> str:
    """The chart as an SVG element for a page; `name` keeps its ids apart from other charts'."""
    drawn = drawn_once(json.dumps({**plain(chart), "config": CONFIG}))
    for colour, variable in VARIABLES.items():
        drawn = drawn.replace(f'"{colour}"', f'"var({variable})"')
    drawn = own_ids(drawn, name)
    drawn = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", drawn)
    label = escape(title, quote=True)
    head = f'class="chart" role="graphics-document" tabindex="0" aria-label="{label}"'
    return drawn.replace('class="marks"', head, 1)


@lru_cache(maxsize=100)
def drawn_once(spec: str) -> str:
    """The SVG of a Vega-Lite chart; a report that is written anew has most charts of the last one."""
    return str(vl_convert.vegalite_to_svg(spec))


def plain(chart: Any) -> dict[str, Any]:
    """The chart as Vega-Lite; altair has checked its parts when they were made, and would check the whole again."""
    with alt.data_transformers.enable(OWN_ROWS):
        return dict(chart.to_dict(validate=False))


def rows_of(frame: Any) -> dict[str, Any]:
    """A table of plain columns and times as Vega-Lite takes it; Altair's own way, for any table, takes far longer."""
    columns = [values_of(frame[name]) for name in frame.columns]
    return {
        "values": [dict(zip(frame.columns, row, strict=True)) for row in zip(*columns, strict=True)]
    }


def values_of(column: pd.Series) -> list[Any]:
    """Plain values: times in ISO 8601, None where there is no number."""
    if column.dtype.kind == "M":
        return [time.isoformat() for time in column]
    return [
        None if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)) else value
        for value in column.tolist()
    ]


def own_ids(drawn: str, name: str) -> str:
    """The SVG with ids that begin with `name`; Vega counts on from chart to chart of a process."""
    numbers: dict[str, int] = {}

    def renamed(found: re.Match[str]) -> str:
        return f"{found[1]}{name}-{numbers.setdefault(found[2], len(numbers) + 1)}"

    return re.sub(r'(\bid="|url\(#)((?:clip|gradient_?)\d+)', renamed, drawn)


def png_bytes(chart: Any) -> bytes:
    """The chart as a PNG on white, twice its size, for documents that show no SVG."""
    config = {**CONFIG, "background": "white", "padding": 12}
    spec = {**plain(chart), "config": config}
    return bytes(vl_convert.vegalite_to_png(spec, scale=PNG_SCALE))


alt.data_transformers.register(OWN_ROWS, rows_of)
