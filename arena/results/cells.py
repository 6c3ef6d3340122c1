"""Tables as CSV files whose cells no spreadsheet runs."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from arena.store.files import written_whole

FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # how cells begin that spreadsheets take for formulas
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as CSV in one step, numbers with six digits; no spreadsheet runs what a text holds."""
    write_tables(path, [frame])


def write_tables(path: Path, frames: Iterable[pd.DataFrame]) -> None:
    """Write tables with the same columns one below the other, as `write_table` writes one."""
    with written_whole(path) as file:
        for number, frame in enumerate(frames):
            file.write(table_text(frame, header=number == 0).encode(errors="replace"))


def table_text(frame: pd.DataFrame, header: bool = True) -> str:
    """A table as CSV."""
    safe = frame.rename(columns=inert)
    for name in safe.columns:
        if safe[name].dtype.kind not in "biuf":
            safe[name] = safe[name].map(inert)
    text: str = safe.to_csv(index=False, float_format="%.6g", header=header)
    return text


def inert(value: Any) -> Any:
    """A value as a cell that is shown and not run: a text like a formula gets an apostrophe before it."""
    runs = isinstance(value, str) and value.startswith(FORMULA) and not NUMBER.fullmatch(value)
    return f"'{value}" if runs else value
