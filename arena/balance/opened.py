"""A balance analysis for a notebook: what `arena.analyse` gives."""

from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from arena.balance.analysis import COLUMNS, Balance, analyse
from arena.balance.config import read_balance
from arena.balance.overview import own_rows
from arena.balance.page import groups, named
from arena.balance.run import play
from arena.balance.sentences import records
from arena.balance.verdict import verdict
from arena.execution.batches import default_workers
from arena.plan.config import settings_of
from arena.store.record import RECORD
from engines.errors import UserError


class Analysis:
    """A verdict in sentences and the tables that back it, each a data frame by its own name."""

    def __init__(self, balance: Balance) -> None:
        """Take an analysis that was made."""
        self.balance = balance

    @property
    def folder(self) -> Path:
        """The run it was made of."""
        return self.balance.folder

    @cached_property
    def verdict(self) -> pd.DataFrame:
        """One row a sentence: game, variant, players, sentence, and the table it rests on."""
        return verdict(self.balance)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as the files `balance_NAME.csv`."""
        return {name: getattr(self.balance, name) for name in COLUMNS}

    def __getattr__(self, name: str) -> Any:
        """A table as an attribute, e.g. `seats` or `usage`."""
        if name in COLUMNS:
            return getattr(self.balance, name)
        raise AttributeError(f"an analysis has no {name!r}; its tables are {', '.join(COLUMNS)}")

    def __dir__(self) -> list[str]:
        """What can be asked for, tables included."""
        return [*super().__dir__(), *COLUMNS]

    def __repr__(self) -> str:
        """What it was made of."""
        return f"<analysis of {self.balance.stored} matches in {self.folder}>"

    def _repr_html_(self) -> str:
        parts = []
        for about in groups(self.verdict):
            rows = records(own_rows(self.verdict, about))
            items = "".join(f"<li>{escape(row['sentence'])}</li>" for row in rows)
            parts.append(f"<h4>{escape(named(self.balance, about))}</h4><ul>{items}</ul>")
        return "".join(parts)


def open_analysis(
    source: str | Path,
    out: Path | str | None,
    workers: int | None,
    baseline: str | None,
    fresh: bool,
    progress: bool,
    changes: Mapping[str, Any],
) -> Analysis:
    """Analyse a stored run, or play a balance config and analyse that; see `arena.analyse`."""
    if (Path(source) / RECORD).is_file():
        return Analysis(analyse(Path(source), baseline))
    if baseline is not None:
        raise UserError("baseline: a config names its own, give the folder of a run")
    spec = read_balance(str(source), settings_of(changes))
    folder = Path(out) if out else Path("results") / spec.name
    count = default_workers() if workers is None else workers
    summary, made = play(spec, folder, count, fresh=fresh, progress=progress)
    if summary.interrupted or made is None:
        raise KeyboardInterrupt
    return Analysis(made)
