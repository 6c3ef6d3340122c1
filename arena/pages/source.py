"""What the sections of a report about one group of matches are made from."""

import math
from dataclasses import dataclass

import pandas as pd

from arena.pages.html import Names
from arena.results.findings import Findings
from arena.results.report import Tables, of_group

Key = tuple[str, str, int]


@dataclass(frozen=True)
class Source:
    """What a section is made from: a run, its findings, and the group of its matches."""

    made: Tables
    found: Findings
    key: Key
    names: Names

    def rows(self, name: str) -> pd.DataFrame:
        """The rows of this group in a table of the run or of its findings."""
        frame: pd.DataFrame = getattr(self.made if hasattr(self.made, name) else self.found, name)
        return of_group(frame, self.key)


def interval(low: float, high: float, form: str) -> str:
    """' [low, high]', ' [low or more]' where it is open, or nothing."""
    if pd.isna(low):
        return ""
    if math.isinf(low) or math.isinf(high):
        return (
            f" [{form.format(low)} or more]"
            if math.isinf(high)
            else f" [{form.format(high)} or less]"
        )
    return f" [{form.format(low)}, {form.format(high)}]"
